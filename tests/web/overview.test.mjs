import assert from 'node:assert/strict';
import { eventually, holds } from './house.mjs';
import { suite } from './suite.mjs';

const { house, check } = suite();

check('small charts of rates, queues, latency and storage move with the daemon', async ({ visit }) => {
  const page = await visit('#/overview');
  const chart = (title) => page.locator('.chart', { has: page.getByText(title, { exact: true }) }).first();
  await chart('Events').waitFor();
  await eventually('events are counted', async () => {
    await house.client.emit(Array.from({ length: 50 }, () => ({ type: 'demo.tick', source: 'test' })));
    return /^[1-9]/.test(await chart('Events').locator('.now').innerText());
  });
  await eventually('commits have a latency', async () => / (µs|ms|s)$/.test(await chart('Commit').locator('.now').innerText()));
  await holds(async () => assert.match(await chart('Storage').locator('.now').innerText(), /[KM]B$/));
  await holds(async () => assert.match(await chart('Events').getByRole('img').getAttribute('aria-label'), /^Events: taken in .*\/s/));
  await eventually('a line is drawn', async () => /L/.test(await chart('Events').locator('.line-0 .stroke').getAttribute('d')));
  await holds(async () => assert.ok(await page.locator('.chart').count() >= 16));
  await eventually('requests have a latency', async () => / (µs|ms|s)$/.test(await chart('HTTP').locator('.now').innerText()));
  await page.locator('.daemon').getByText('ready').waitFor();
  await house.picture(page, 'overview');
});

check('what is open is counted by its state, and how long deliveries took is told', async ({ visit }) => {
  const page = await visit('#/overview');
  const said = async (title) => page.locator('.chart', { has: page.getByText(title, { exact: true }) }).first().getByRole('img').getAttribute('aria-label');
  await house.client.createRun({ user_id: 'ada', title: 'Goes on' });
  const made = await house.client.notify('For the agent', { user_id: 'bob', session_id: 'open', routing: { address: 'session', target: 'agent', handler: 'system' } });
  await house.client.askPerson('open', 'confirmation', 'May I?', { tool_name: 'rm' });
  await eventually('they are told', async () => /^Open notifications: pending 1, dispatched 0, locked 0, escalated 0;/.test(await said('Open notifications'))
    && /for a person 1;/.test(await said('Questions that wait')) && /running 1|pending 1/.test(await said('Open runs')));
  await holds(async () => assert.match(await said('Delivery'), /half are below nothing/));
  const pulled = await house.client.pull('open', 'turn_start');
  assert.deepEqual(pulled.items.map(({ id }) => id), [made.id]);
  await eventually('it is locked', async () => /pending 0, dispatched 0, locked 1/.test(await said('Open notifications')));
  await house.client.acknowledge('open', { pull_id: pulled.pull_id });
  await eventually('its delivery took a while', async () => /half are below \d/.test(await said('Delivery')));
});
