import assert from 'node:assert/strict';
import { eventually, holds, painted } from './house.mjs';
import { fillInbox } from './fill.mjs';
import { suite } from './suite.mjs';

const { house, check } = suite();
const notify = (text, more = {}) => house.client.notify(text, { user_id: 'ada', ...more });
const stateOf = async (id) => (await house.client.notification(id)).state;
const row = (page, text) => page.locator('.virtual .row', { hasText: text });
const bell = (page) => page.locator('.bell');

check('a notification arrives live, the bell counts it, and seeing it for half a second acknowledges it', async ({ visit }) => {
  const page = await visit('#/overview');
  const made = await notify('Tea is ready');
  await page.locator('.bell.rings .badge', { hasText: '1' }).waitFor();
  await holds(async () => assert.equal(await page.locator('.toast').count(), 0, 'one of normal priority does not call out'));
  await holds(async () => assert.match(await bell(page).getAttribute('aria-label'), /1 unread/));
  await holds(async () => assert.equal(await stateOf(made.id), 'dispatched', 'nobody has seen it yet'));
  await page.evaluate(() => { location.hash = '#/inbox'; });
  await row(page, 'Tea is ready').waitFor();
  await eventually('it is acknowledged', async () => (await stateOf(made.id)) === 'delivered');
  const why = await house.client.why(made.id);
  assert.match(JSON.stringify(why.notifications[0].steps), /acknowledged_rendered/);
  await page.locator('.bell:not(.rings)').waitFor();
});

check('less than half a second, or less than half of it, is not seeing', async () => {
  const context = await house.newContext(); // a clock is that of a whole context
  const page = await house.visit('#/inbox', context);
  // The clock of the page goes only where it is told to: what waits for 500 ms of sight waits for this test.
  await page.clock.install();
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  const made = await notify('Only a glance');
  await eventually('it is in the list', async () => {
    await page.clock.runFor(16);
    return row(page, 'Only a glance').isVisible();
  });
  await page.clock.runFor(400);
  await holds(async () => assert.equal(await stateOf(made.id), 'dispatched'));
  await page.evaluate(() => { location.hash = '#/overview'; });
  await eventually('another page is shown', async () => {
    await page.clock.runFor(1);
    return !(await row(page, 'Only a glance').isVisible());
  });
  await page.clock.runFor(2000);
  await holds(async () => assert.equal(await stateOf(made.id), 'dispatched'));
  await context.close();
  const short = await house.visit('#/inbox', await house.newContext({ viewport: { width: 1360, height: 54 + 22 + 28 } }));
  await short.waitForTimeout(900); // the time that seeing takes, and more: nothing to wait for happens
  await holds(async () => assert.equal(await stateOf(made.id), 'dispatched', 'a third of the row is in sight'));
  await short.setViewportSize({ width: 1360, height: 800 });
  await eventually('now it is seen', async () => (await stateOf(made.id)) === 'delivered');
  await short.context().close();
});

check('high and critical ones call out on every page; a click opens and acknowledges', async ({ visit }) => {
  const page = await visit('#/ledger');
  const high = await notify('The disk is nearly full', { priority: 'high' });
  await notify('Payments are down', { priority: 'critical', severity: 'critical' });
  const toast = page.locator('.toast', { hasText: 'The disk is nearly full' });
  await toast.waitFor();
  await page.locator('.toast.critical', { hasText: 'Payments are down' }).waitFor();
  await holds(async () => assert.equal(await page.locator('.toasts [aria-live=assertive] .toast').count(), 2, 'a screen reader hears of them'));
  await house.picture(page, 'toasts');
  await toast.getByRole('button', { name: 'Open' }).click();
  await page.locator('article.notification h2', { hasText: 'The disk is nearly full' }).waitFor();
  await eventually('it is acknowledged', async () => (await stateOf(high.id)) === 'delivered');
  await page.locator('.toast.critical').getByRole('button', { name: /^Dismiss/ }).click();
  await page.locator('.toast').waitFor({ state: 'detached' });
});

check('done and dismissed are marks that stay, and the filters show them', async ({ visit }) => {
  const [keep, drop] = [await notify('Sign the lease'), await notify('An advertisement')];
  const page = await visit('#/inbox');
  await row(page, 'Sign the lease').click();
  await page.getByRole('button', { name: 'Mark as done' }).click();
  await eventually('it is marked', async () => (await house.client.notification(keep.id)).acted_at);
  await row(page, 'An advertisement').click();
  await page.locator('article.notification h2', { hasText: 'An advertisement' }).waitFor();
  await page.keyboard.press('e');
  await eventually('it is marked', async () => (await house.client.notification(drop.id)).dismissed_at);
  await row(page, 'An advertisement').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Dismissed' }).first().click();
  await row(page, 'An advertisement').waitFor();
  await page.locator('.choices').getByRole('button', { name: 'Done' }).click();
  await row(page, 'Sign the lease').waitFor();
  await holds(async () => assert.equal(await page.locator('.virtual .row').count(), 1));
});

check('search, priority and unread narrow the list', async ({ visit }) => {
  await notify('A quiet word about zebras', { priority: 'low' });
  const page = await visit('#/inbox');
  await row(page, 'zebras').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('quiet zebra');
  await page.locator('.virtual .row').nth(1).waitFor({ state: 'detached' });
  await holds(async () => assert.equal(await page.locator('.virtual .row').count(), 1));
  await page.keyboard.press('Escape');
  await page.getByLabel('Priority').selectOption('critical');
  await page.getByText('Nothing matches').waitFor();
  await page.getByLabel('Priority').selectOption('');
  await page.getByRole('searchbox').fill('');
  await holds(async () => assert.ok(await page.locator('.virtual .row').count() > 1));
});

check('the keyboard goes through the list, opens, closes, and shows its keys', async ({ visit }) => {
  const page = await visit('#/inbox');
  const shown = (await house.client.inbox({ limit: 1000 })).data.filter((item) => !item.dismissed_at).length;
  await page.locator('.list-foot', { hasText: new RegExp(`^${shown} items`) }).waitFor();
  const titles = await page.locator('.item-title > span').allInnerTexts();
  await painted(page);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await holds(async () => assert.equal(await page.locator('.row.current .item-title > span').innerText(), titles[0]));
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.locator('article.notification h2').waitFor();
  await holds(async () => assert.equal(await page.locator('article.notification h2').innerText(), titles[1]));
  await page.keyboard.press('Escape');
  await page.locator('article.notification').waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('down and up in a list').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
});

check('several tabs agree', async ({ visit }) => {
  const first = await visit('#/inbox');
  const second = await visit('#/overview');
  await second.locator('.bell:not(.rings)').waitFor();
  await first.evaluate(() => { location.hash = '#/overview'; });
  const made = await notify('Seen in one tab', { priority: 'normal' });
  for (const page of [first, second]) await page.locator('.bell.rings').waitFor();
  await first.bringToFront();
  await first.evaluate((id) => { location.hash = `#/inbox/${id}`; }, made.id);
  await first.locator('article.notification').waitFor();
  await second.locator('.bell:not(.rings)').waitFor();
  await first.getByRole('button', { name: 'Dismiss', exact: true }).click();
  await second.bringToFront();
  await second.evaluate(() => { location.hash = '#/inbox?show=dismissed'; });
  await row(second, 'Seen in one tab').waitFor();
});

check('what events say is text, never markup', async ({ visit }) => {
  const { markup } = await fillInbox(house.client);
  const page = await visit(`#/inbox/${markup.id}`);
  await page.locator('article.notification h2', { hasText: '<script>alert(1)</script>' }).waitFor();
  await page.locator('article.notification .said', { hasText: '<b>bold</b>' }).waitFor();
  await holds(async () => assert.equal(await page.locator('#app img, #app b').count(), 0));
  await holds(async () => assert.doesNotMatch(await page.title(), /broken/));
  await house.picture(page, 'inbox');
});

const viaAgent = (text, more = {}) => notify(text, { session_id: 'talk', routing: { address: 'session', target: 'user', handler: 'agent' }, ...more });

check('what an agent says in its own words is what the person reads', async ({ visit }) => {
  await house.client.putSession('talk', { user_id: 'ada', title: 'A talk' });
  const page = await visit('#/inbox');
  const made = await viaAgent('download failed: ENOSPC', { ttl_s: 600 });
  const pulled = await house.client.pull('talk', 'turn_start');
  const { handle, lease } = pulled.items.find(({ id }) => id === made.id);
  await house.client.narrate('talk', handle, { lease, text: 'The download stopped: the disk is full. Shall I tidy up?' });
  await row(page, 'The download stopped: the disk is full').waitFor();
  await eventually('it counts as seen', async () => (await house.client.notification(made.id)).seen_at !== null);
  await row(page, 'The download stopped').click();
  await page.locator('article.notification').getByText('said by the agent', { exact: true }).waitFor();
  await page.locator('article.notification').getByText('download failed: ENOSPC').waitFor();
});

check('what no agent said in time is escalated, and calls out', async ({ visit }) => {
  await house.client.putSession('talk', { user_id: 'ada', title: 'A talk' });
  const page = await visit('#/runs');
  const made = await viaAgent('The heating has failed', { ttl_s: 1, priority: 'high' });
  await page.locator('.toast', { hasText: 'The heating has failed' }).waitFor();
  await eventually('seeing the toast acknowledges it', async () => (await stateOf(made.id)) === 'delivered');
  assert.ok((await house.client.why(made.id)).notifications[0].steps.some((step) => step.to === 'escalated'));
});
