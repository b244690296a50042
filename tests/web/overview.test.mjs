import assert from 'node:assert/strict';
import { eventually } from './house.mjs';
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
  assert.match(await chart('Storage').locator('.now').innerText(), /[KM]B$/);
  assert.match(await chart('Events').getByRole('img').getAttribute('aria-label'), /^Events: taken in .*\/s/);
  await eventually('a line is drawn', async () => /L/.test(await chart('Events').locator('.line-0 .stroke').getAttribute('d')));
  assert.ok(await page.locator('.chart').count() >= 10);
  await page.locator('.daemon').getByText('ready').waitFor();
  await house.picture(page, 'overview');
});
