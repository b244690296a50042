import assert from 'node:assert/strict';
import { eventually, holds } from './house.mjs';
import { suite } from './suite.mjs';

const { house, check } = suite();
const notify = (text, more = {}) => house.client.notify(text, { user_id: 'ada', ...more });
const mint = async (wish) => (await fetch(`${house.daemon.url}/v1/tokens`, { method: 'POST', headers: { Authorization: `Bearer ${house.daemon.token}` }, body: JSON.stringify(wish) })).json();
const connection = (page, text) => page.locator('.connection:visible', { hasText: text }).first();
const titles = (page) => page.locator('.list .item-title > span').allInnerTexts();

check('a restart of the daemon is told, and nothing is lost or doubled', async ({ visit }) => {
  const page = await visit('#/inbox');
  await notify('Before the restart');
  await page.getByText('Before the restart').waitFor();
  await house.daemon.stop();
  await connection(page, 'Reconnecting…').waitFor();
  await house.picture(page, 'reconnecting');
  await house.daemon.start();
  await connection(page, 'The daemon restarted').waitFor();
  await house.picture(page, 'restarted');
  await notify('After the restart');
  await page.getByText('After the restart').waitFor();
  await holds(async () => assert.deepEqual(await titles(page), ['After the restart', 'Before the restart']));
  await connection(page, 'Live').waitFor({ timeout: 30000 });
});

check('what came while the network was out is there afterwards, once, and what was seen stays seen', async ({ visit }) => {
  const page = await visit('#/inbox');
  const context = page.context();
  await context.setOffline(true);
  house.app.cut();
  await connection(page, 'Reconnecting…').waitFor();
  const missed = await notify('Said while nobody listened', { priority: 'high' });
  await context.setOffline(false);
  await page.locator('.row', { hasText: 'Said while nobody listened' }).waitFor();
  await eventually('it is acknowledged', async () => (await house.client.notification(missed.id)).state === 'delivered');
  await connection(page, 'Live').waitFor();
  for (let time = 0; time < 3; ++time) {
    house.app.cut();
    await page.waitForTimeout(150); // another cut before the last one is mended
  }
  await notify('And another');
  await page.locator('.row', { hasText: 'And another' }).waitFor();
  const all = await titles(page);
  assert.equal(new Set(all).size, all.length, all.join());
});

check('an acknowledgement whose answer was lost is made up for', async ({ visit }) => {
  const page = await visit('#/overview');
  const lost = await notify('The answer is lost');
  await page.locator('.bell.rings').waitFor();
  let times = 0;
  await page.route('**/ack', (route) => { ++times; return times === 1 ? route.abort() : route.continue(); });
  await page.evaluate(() => { location.hash = '#/inbox'; });
  await eventually('it was tried', () => times > 0);
  await holds(async () => assert.equal((await house.client.notification(lost.id)).state, 'dispatched'));
  house.app.cut();
  await eventually('it was tried again', async () => (await house.client.notification(lost.id)).state === 'delivered');
});

check('an acknowledgement that the daemon could not take is made again, though the line lives', async ({ visit }) => {
  const page = await visit('#/overview');
  const late = await notify('The store was down for a moment');
  await page.locator('.bell.rings').waitFor();
  let times = 0;
  const down = { status: 503, contentType: 'application/problem+json', body: '{"status":503,"code":"unavailable","detail":"the store is down"}' };
  await page.route('**/ack', (route) => { ++times; return times === 1 ? route.fulfill(down) : route.continue(); });
  await page.evaluate(() => { location.hash = '#/inbox'; });
  await eventually('it was tried', () => times > 0);
  await eventually('it was tried again', async () => (await house.client.notification(late.id)).state === 'delivered');
});

check('a token that has no inbox is told so, and signed out', async () => {
  const { token } = await mint({ name: 'an agent', role: 'agent', bounds: { users: ['ada'] } });
  const context = await house.newContext();
  const page = await context.newPage();
  await page.goto(`${house.app.url}/#${token}`);
  await page.getByText('This access token has no inbox').waitFor();
  await context.close();
});

check('whoever signs in after another sees nothing of what the other one had', async ({ visit }) => {
  const page = await visit('#/overview');
  await page.locator('dl.daemon').waitFor();
  await page.waitForLoadState('networkidle'); // what is in the list when it is first read does not call out
  await notify('For the other one alone', { priority: 'critical' });
  await page.locator('.toast').waitFor();
  const { token } = await mint({ name: 'bob', role: 'user', user_id: 'bob' });
  await page.keyboard.press('?');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.locator('input[name=token]').fill(token);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByText('Figures need a token of role service or admin.').waitFor();
  await holds(async () => assert.equal(await page.locator('.toast').count(), 0));
  await holds(async () => assert.equal(await page.locator('dl.daemon').count(), 0));
  await page.evaluate((given) => localStorage.setItem('belfry.token', given), house.daemon.token); // what the pages of this context share
});

check('a run that is followed through a restart has every event once', async ({ visit }) => {
  const run = await house.client.createRun({ user_id: 'ada', title: 'Counting' });
  const emit = (from, to) => house.client.emitRun(run.id, Array.from({ length: to - from + 1 }, (_, at) => ({ event: 'llm.stream', data: { delta: `${from + at},`, message_id: 'm' } })));
  const page = await visit(`#/runs/${run.id}`);
  await emit(1, 40);
  await page.locator('.stream').getByText('39,40,').waitFor();
  await house.daemon.stop();
  await page.locator('.run .lost').waitFor();
  await house.daemon.start();
  await emit(41, 80);
  await page.locator('.stream').getByText('79,80,').waitFor();
  const said = await page.locator('.stream .block.text .said').innerText();
  assert.equal(said, `${Array.from({ length: 80 }, (_, at) => at + 1).join(',')},`);
});

check('a second tab sees the same, needs no second sign-in, and both follow', async ({ visit }) => {
  const first = await visit('#/inbox');
  const second = await first.context().newPage();
  await second.goto(`${house.app.url}/#/inbox`);
  await connection(second, 'Live').waitFor();
  await notify('For both tabs');
  for (const page of [first, second]) await page.locator('.row', { hasText: 'For both tabs' }).waitFor();
  await eventually('both show the same', async () => (await titles(first)).join('\n') === (await titles(second)).join('\n'));
  await holds(async () => assert.ok((await titles(first)).length > 1));
  await second.close();
});

check('eight tabs that follow runs leave room for requests', async ({ visit }) => {
  const run = await house.client.createRun({ user_id: 'ada', title: 'Watched by many' });
  const pages = [];
  for (let at = 0; at < 8; ++at) pages.push(await visit(`#/runs/${run.id}`));
  await house.client.emitRun(run.id, { event: 'llm.stream', data: { delta: 'hello to all of you' } });
  for (const page of pages) {
    await page.bringToFront();
    await page.locator('.stream').getByText('hello to all of you').waitFor();
  }
});

check('a one-time link opens the app once, and leaves no trace in the address', async () => {
  const { code } = await (await fetch(`${house.daemon.url}/v1/links`, { method: 'POST', headers: { Authorization: `Bearer ${house.daemon.token}` } })).json();
  const context = await house.newContext();
  const page = await context.newPage();
  await page.goto(`${house.app.url}/#link=${code}`);
  await connection(page, 'Live').waitFor();
  assert.equal(new URL(page.url()).hash, '#/inbox');
  const second = await (await house.newContext()).newPage();
  await second.goto(`${house.app.url}/#link=${code}`);
  await second.getByText('This link does not open Belfry any more').waitFor();
  await second.context().close();
  await context.close();
});

check('a token that is revoked leads to the door, which says why', async () => {
  const minted = await (await fetch(`${house.daemon.url}/v1/tokens`, { method: 'POST', headers: { Authorization: `Bearer ${house.daemon.token}` }, body: JSON.stringify({ role: 'user', user_id: 'ada', name: 'short' }) })).json();
  const context = await house.newContext();
  const page = await context.newPage();
  await page.goto(`${house.app.url}/#${minted.token}`);
  await connection(page, 'Live').waitFor();
  assert.doesNotMatch(page.url(), /bf_/, 'the token does not stay in the address');
  await fetch(`${house.daemon.url}/v1/tokens/${minted.id}`, { method: 'DELETE', headers: { Authorization: `Bearer ${house.daemon.token}` } });
  await page.getByText('This access token is not valid any more.').waitFor();
  await house.picture(page, 'sign-in');
  await page.getByLabel('or an access token').fill(house.daemon.token);
  await page.getByRole('button', { name: 'Open' }).click();
  await connection(page, 'Live').waitFor();
  await context.close();
});
