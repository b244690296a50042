import assert from 'node:assert/strict';
import { holds } from './house.mjs';
import { fillAgents } from './fill.mjs';
import { suite } from './suite.mjs';

const { house, check } = suite(async ({ client }) => { await fillAgents(client); });
const item = (page, text) => page.locator('.timers > li', { hasText: text });
const deed = (page, name) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

check('all timers stand there, whichever fires next first, with their next firings in the time of their zone', async ({ visit }) => {
  const page = await visit('#/timers');
  const sweep = item(page, 'nightly sweep');
  for (const words of ['daily 02:30', 'America/New_York', 'priority -5']) await sweep.getByText(words, { exact: true }).waitFor();
  await holds(async () => assert.equal(await sweep.locator('.firings li').count(), 5));
  for (const words of await sweep.locator('.firings time').allInnerTexts()) assert.match(words, /^(\w{3}, \d+ \w{3,4}, 02:30|in \d+ (s|min|h|d)|now)$/);
  const minutes = item(page, 'weekly minutes');
  await minutes.getByText('Mon, Fri 17:30').waitFor();
  await minutes.getByText('What did we decide?').waitFor();
  const { data } = await house.client.timers();
  await holds(async () => assert.deepEqual(await page.locator('.timers .timer-name strong').allInnerTexts(), data.map(({ name }) => name)));
  await house.picture(page, 'timers');
  await minutes.getByRole('link', { name: 'Scribe' }).click();
  await page.locator('.agent h2', { hasText: 'Scribe' }).waitFor();
  await item(page, 'weekly minutes').waitFor();
});

check('a timer is rehearsed, refused at the field that is wrong, added, switched off and removed', async ({ visit }) => {
  await house.client.createAgent({ id: 'baker', display_name: 'Baker' });
  const page = await visit('#/agents/baker');
  await page.getByText('The clock does not wake it.').waitFor();
  await page.getByRole('button', { name: 'Add a timer' }).click();
  await page.getByLabel('Name', { exact: true }).fill('dough');
  await page.getByRole('dialog').getByRole('button', { name: 'Weekly' }).click();
  await page.getByLabel('Time', { exact: true }).fill('04:15');
  await page.getByLabel('Zone').fill('Europe/Nowhere');
  await deed(page, 'Show when');
  await page.locator('.fault').waitFor();
  await page.getByLabel('Zone').and(page.locator(':focus')).fill('Europe/Berlin');
  for (const day of ['Tue', 'Wed', 'Thu', 'Fri']) await page.getByLabel(day).uncheck();
  await deed(page, 'Show when');
  await holds(async () => assert.equal(await page.getByRole('dialog').locator('.firings li').count(), 5));
  for (const words of await page.getByRole('dialog').locator('.firings li > time').allInnerTexts()) assert.match(words, /^Mon, \d+ \w{3,4}, 04:15$/);
  assert.deepEqual((await house.client.timers({ agent: 'baker' })).data, []);
  await house.picture(page, 'timer-form');
  await page.getByLabel('Tue').check();
  await holds(async () => assert.equal(await page.getByRole('dialog').locator('.firings').count(), 0));
  await deed(page, 'Add it');
  await item(page, 'dough').getByText('Mon, Tue 04:15').waitFor();
  const [stored] = (await house.client.timers({ agent: 'baker' })).data;
  assert.deepEqual([stored.schedule, stored.zone], [{ kind: 'weekly', days: ['mon', 'tue'], time: '04:15' }, 'Europe/Berlin']);
  const flip = item(page, 'dough').getByRole('switch');
  await flip.click();
  await item(page, 'dough').getByText('It is switched off.').waitFor();
  await holds(async () => assert.equal((await house.client.timer('baker', stored.id)).active, false));
  await flip.click();
  await item(page, 'dough').locator('.firings li').first().waitFor();
  await item(page, 'dough').getByRole('button', { name: 'Remove dough' }).click();
  await deed(page, 'Remove it');
  await item(page, 'dough').waitFor({ state: 'detached' });
  assert.deepEqual((await house.client.timers({ agent: 'baker' })).data, []);
});

check('what the clock wakes says so', async ({ visit }) => {
  await house.client.createAgent({ id: 'watchman', display_name: 'Watchman' });
  await house.client.addTimer('watchman', { name: 'round', schedule: { kind: 'every', interval: '1s' }, input: { gate: 'north' } });
  const page = await visit('#/wakes?agent=watchman');
  const row = page.locator('.list .row', { hasText: 'Watchman: the clock: round' });
  await row.locator('.state.queued').waitFor();
  await row.click();
  await page.locator('.signals > li.timer').first().getByText(/^the clock: round/).waitFor();
  await page.locator('.signals .values', { hasText: /gate.*north/ }).first().waitFor();
});
