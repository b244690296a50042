import assert from 'node:assert/strict';
import { eventually, holds } from './house.mjs';
import { fillAgents } from './fill.mjs';
import { suite } from './suite.mjs';

let made;
const { house, check } = suite(async ({ client }) => { made = await fillAgents(client); });
const row = (page, text) => page.locator('.list .row', { hasText: text });

check('the list says of each whose it is, why it came and how far it is', async ({ visit }) => {
  const page = await visit('#/wakes');
  await row(page, 'Build fixer: 2 events of ci.failed').locator('.state.completed').waitFor();
  await row(page, 'Build fixer: 1 event of ci.failed').getByText('attempt 1').waitFor();
  await row(page, 'Build fixer: 2 events: deploy.slow, deploy.failed').getByText(/^due in \d+ (s|min)$/).waitFor();
  await row(page, 'Scribe: 1 event of meeting.ended').getByText('no_recording: the recording of the meeting is empty').waitFor();
  await house.picture(page, 'wakes');
});

check('it is narrowed to a state and to an agent, and the address keeps that', async ({ visit }) => {
  const page = await visit('#/wakes');
  await page.getByLabel('State').selectOption({ label: 'completed' });
  await holds(async () => assert.equal(await page.locator('.list .row').count(), 1));
  await page.getByLabel('State').selectOption({ label: 'not ended' });
  await row(page, 'meeting.ended').waitFor();
  await holds(async () => assert.equal(await page.locator('.list .row').count(), 3));
  await page.getByLabel('Agent').selectOption({ label: 'Scribe' });
  await holds(async () => assert.equal(await page.locator('.list .row').count(), 1));
  await page.reload();
  await row(page, 'meeting.ended').waitFor();
  await holds(async () => assert.equal(await page.locator('.list .row').count(), 1));
  await page.getByLabel('State').selectOption({ label: 'refused' });
  await page.getByText('Nothing matches').waitFor();
});

check('a wake shows its signals one by one, with the events behind them and its run', async ({ visit }) => {
  const page = await visit(`#/wakes/${made.done.id}`);
  await page.locator('.wake h2', { hasText: 'Build fixer: 2 events of ci.failed' }).waitFor();
  const signals = page.locator('.signals > li');
  await holds(async () => assert.equal(await signals.count(), 2));
  await signals.first().locator('.values', { hasText: /build.*4711/ }).waitFor();
  await signals.last().locator('.values', { hasText: /build.*4713/ }).waitFor();
  await signals.first().locator('.severity.warning').waitFor();
  await house.picture(page, 'wake');
  await signals.first().getByRole('link', { name: 'by a subscription' }).click();
  await page.locator('.rules > li.chosen', { hasText: 'ci.*' }).waitFor();
  await page.goBack();
  await signals.first().getByRole('link', { name: 'ci.failed' }).click();
  await page.locator('.event-facts h2', { hasText: 'ci.failed' }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: `Run #${made.done.run_id}` }).click();
  await page.locator('.run > header .state.completed').waitFor();
});

check('what failed says why, and when it is tried again', async ({ visit }) => {
  const page = await visit(`#/wakes/${made.failed.id}`);
  await page.locator('.trouble', { hasText: /no_recording: the recording of the meeting is empty It is tried again (now|in \d+ s)\./ }).waitFor();
  await page.locator('.wake > header', { hasText: '1 attempt' }).waitFor();
});

check('a new wake, and what becomes of it, comes into the list by itself', async ({ visit }) => {
  await house.client.createAgent({ id: 'sailor', display_name: 'Sailor' });
  await house.client.subscribeAgent('sailor', { types: ['wind.*'], window_ms: 3600000 });
  const page = await visit('#/wakes?agent=sailor');
  await page.getByText('Nothing matches').waitFor();
  const blow = (type) => house.client.emit({ type, source: 'buoy', user_id: 'ada', payload: {} });
  await blow('wind.rising');
  await row(page, 'Sailor: 1 event of wind.rising').waitFor();
  await blow('wind.rising');
  await row(page, 'Sailor: 2 events of wind.rising').waitFor();
  await house.client.wakeAgent('sailor', { request_id: 'now' });
  await row(page, 'Sailor: asked for by hand, and 2 more that waited').waitFor();
  await row(page, 'wind.rising').or(row(page, 'Sailor: 2 signals')).locator('.state.coalesced').waitFor();
  const [wake] = (await house.client.wakes({ agent: 'sailor', state: 'queued' })).data;
  const [folded] = (await house.client.wakes({ agent: 'sailor', state: 'coalesced' })).data;
  await page.evaluate((hash) => { location.hash = hash; }, `#/wakes/${folded.id}`);
  await page.getByText('Folded into another wake.').waitFor();
  await page.getByRole('link', { name: `Wake #${wake.id}` }).click();
  await eventually('its signals went with it', async () => (await page.locator('.signals > li').count()) === 3);
});

check('the stream alone tells what becomes of a wake: nothing has to be asked again and again', async () => {
  await house.client.createAgent({ id: 'rower', display_name: 'Rower' });
  const context = await house.newContext();
  await context.addInitScript(() => {
    const real = globalThis.setInterval;
    globalThis.setInterval = (act, ms, ...more) => (ms === 2000 ? 0 : real(act, ms, ...more)); // of the list
  });
  const page = await house.visit('#/wakes?agent=rower', context);
  const opened = page.waitForEvent('websocket', { predicate: (socket) => socket.url().includes('agent%3Aada') });
  await page.reload(); // the stream is there since the wakes of the house
  await opened;
  await page.getByText('Nothing matches').waitFor();
  await house.client.wakeAgent('rower', { request_id: 'now' });
  await row(page, 'asked for by hand').locator('.state.queued').waitFor();
  const { wake } = await house.client.claimWake(['rower'], { wait_s: 10 });
  await row(page, 'asked for by hand').locator('.state.running').waitFor();
  await house.client.endWake(wake);
  await row(page, 'asked for by hand').locator('.state.completed').waitFor();
  await context.close();
});

check('it is cancelled with a reason, after a question', async ({ visit }) => {
  const page = await visit(`#/wakes/${made.waiting.id}`);
  await page.getByRole('button', { name: 'Cancel wake' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Let it be' }).click();
  assert.equal((await house.client.wake(made.waiting.id)).state, 'queued');
  await page.getByRole('button', { name: 'Cancel wake' }).click();
  await page.getByLabel('Why (optional)').fill('the deploy is stopped');
  await page.getByRole('button', { name: 'Cancel the wake' }).click();
  await page.locator('.wake > header .state.cancelled').waitFor();
  await holds(async () => assert.equal(await page.getByRole('button', { name: 'Cancel wake' }).count(), 0));
});

check('a daemon that was away tells the list what came meanwhile', async ({ visit }) => {
  const page = await visit('#/wakes?agent=scribe');
  await row(page, 'meeting.ended').waitFor();
  await house.daemon.stop();
  await page.getByText('Reconnecting…').first().waitFor();
  await house.daemon.start();
  await house.client.wakeAgent('scribe', { request_id: 'after the night' });
  await row(page, 'asked for by hand').waitFor();
});
