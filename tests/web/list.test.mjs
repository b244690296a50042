// The list of conversations: what is asked of the daemon for it, and when. The test says when time has passed.
import assert from 'node:assert/strict';
import { eventually, holds } from './house.mjs';
import { suite } from './suite.mjs';

const { house, check } = suite(async ({ client }) => {
  await client.putSession('first', { user_id: 'ada', title: 'The first' });
  await client.postMessage('first', 'assistant', 'Hello');
});

/** A page in which nothing happens at intervals unless the test says so (`beat`), and what it asks for; `lists`: how often for the list. */
async function watched(path) {
  const context = await house.newContext();
  await context.addInitScript(() => {
    globalThis.beats = new Map();
    globalThis.setInterval = (work, ms) => { beats.set(beats.size + 1, { work, ms }); return beats.size; };
    globalThis.clearInterval = (id) => { if (beats.has(id)) beats.set(id, { work: () => {}, ms: 0 }); };
  });
  const heard = [];
  context.on('page', (one) => one.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => heard.push(`${new URL(socket.url()).pathname} ${payload}`))));
  const first = [];
  context.on('page', (one) => one.on('request', (request) => first.push(new URL(request.url()).pathname)));
  const page = await house.visit(path, context);
  await eventually('what it asks for when it comes was asked for', () => first.includes('/v1/inbox'));
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const lists = () => asked.filter((one) => one === '/v1/sessions').length;
  return { context, page, asked, lists, heard };
}

/** Each of these intervals ends once, and whatever is asked for then has been asked for. */
async function beat(page, leastMs = 0, mostMs = Infinity) {
  await page.evaluate(([least, most]) => { for (const { work, ms } of [...beats.values()]) if (ms >= least && ms <= most) work(); }, [leastMs, mostMs]);
  await page.evaluate(() => fetch('/healthz').then((answer) => answer.text()));
}

const turn = (page, isHidden) => page.evaluate((hidden) => {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event('visibilitychange'));
}, isHidden);

check('the list is read now and then while it is looked at', async () => {
  const { context, page, lists } = await watched('#/conversation');
  await page.locator('.sessions a', { hasText: 'The first' }).waitFor();
  const before = lists();
  await beat(page, 0, 9999);
  assert.equal(lists(), before, 'not more often than every ten seconds');
  await house.client.putSession('second', { user_id: 'ada', title: 'The second' });
  await beat(page, 10_000, 10_000);
  await page.locator('.sessions a', { hasText: 'The second' }).waitFor();
  await context.close();
});

check('nothing is asked for a page that nobody looks at; whoever comes back finds what there is', async () => {
  const { context, page, asked, lists, heard } = await watched('#/conversation/first');
  await page.locator('.message', { hasText: 'Hello' }).waitFor();
  await page.locator('.sessions a', { hasText: 'The first' }).waitFor();
  await turn(page, true);
  await beat(page, 1e9); // what is under way has been asked for
  asked.length = 0;
  heard.length = 0;
  await house.client.putSession('third', { user_id: 'ada', title: 'The third' });
  await house.client.postMessage('first', 'assistant', 'Said to nobody');
  await eventually('the page has heard of it', () => heard.some((one) => one.startsWith('/v1/sessions/first/stream ') && one.includes('"message"')));
  for (let at = 0; at < 5; ++at) await beat(page);
  assert.deepEqual(asked.filter((one) => one !== '/healthz'), []);
  await turn(page, false);
  await page.locator('.sessions a', { hasText: 'The third' }).waitFor();
  await page.locator('.message', { hasText: 'Said to nobody' }).waitFor();
  assert.equal(lists(), 1, 'what fell due meanwhile is read once');
  await context.close();
});

check('what the open conversation tells is in the list without asking for it', async () => {
  const { context, page, lists } = await watched('#/conversation/first');
  await page.locator('.message', { hasText: 'Hello' }).waitFor();
  const row = page.locator('.sessions a', { hasText: 'The first' });
  await row.waitFor();
  const before = lists();
  await house.client.reportTurn('first', 'start', { turn_number: 1 });
  await row.getByText('at work').waitFor();
  await house.client.reportTurn('first', 'end');
  await row.getByText('at work').waitFor({ state: 'detached' });
  assert.equal(lists(), before);
  await context.close();
});

check('a question in a conversation that is not in the list brings it there', async () => {
  const { context, page } = await watched('#/conversation');
  await page.locator('.sessions a', { hasText: 'The first' }).waitFor();
  await house.client.putSession('asking', { user_id: 'ada', title: 'One that asks' });
  await house.client.askPerson('asking', 'confirmation', 'May I?', { tool_name: 'rm' });
  await page.locator('.sessions a', { hasText: 'One that asks' }).waitFor();
  await context.close();
});

check('a conversation that is gone says so and leaves the list', async () => {
  await house.client.putSession('gone', { user_id: 'ada', title: 'One that goes' });
  const { context, page } = await watched('#/conversation/gone');
  await page.getByText('Nothing was said yet').waitFor();
  const row = page.locator('.sessions a', { hasText: 'One that goes' });
  await row.waitFor();
  await house.client.removeSession('gone');
  await row.waitFor({ state: 'detached' });
  await page.reload();
  await page.locator('.talk-news', { hasText: 'This conversation was deleted.' }).waitFor();
  await context.close();
});

check('beyond what is shown, the list says how many there are, and search finds them', async ({ visit }) => {
  for (let at = 0; at < 305; ++at) await house.client.putSession(`many-${at}`, { user_id: 'ada', title: `Number ${at} of many` });
  const page = await visit('#/conversation');
  await page.locator('.sessions-foot', { hasText: /The newest 300 of 3\d\d\./ }).waitFor();
  await page.getByLabel('Search conversations').fill('The first');
  await eventually('it is found', async () => (await page.locator('.sessions a').count()) === 1);
  await holds(async () => assert.equal(await page.locator('.sessions-foot').count(), 0));
});
