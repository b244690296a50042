import assert from 'node:assert/strict';
import { eventually, holds } from './house.mjs';
import { fillConversation } from './fill.mjs';
import { suite } from './suite.mjs';

const { house, check } = suite((made) => fillConversation(made.client));

check('messages of the person, the agent and the system stand in their order', async ({ visit }) => {
  const page = await visit('#/conversation');
  await page.locator('.sessions a', { hasText: 'Where is the missing invoice?' }).click();
  await page.locator('.message.user', { hasText: 'One invoice of March is missing' }).waitFor();
  await page.locator('.message.assistant', { hasText: 'I will look through the mailbox' }).waitFor();
  const order = await page.locator('.said-list .message, .said-list .pill').evaluateAll((all) => all.map((one) => one.className.split(' ')[1]));
  assert.deepEqual(order.slice(0, 4), ['user', 'assistant', 'error', 'assistant']);
  const [said, speak] = await Promise.all(['.said-list', '.speak'].map((part) => page.locator(part).boundingBox()));
  assert.ok(speak.y >= said.y + said.height, 'one writes below what was said');
});

check('a system pill names source and severity; its TOON is a table, raw on demand', async ({ visit }) => {
  const page = await visit('#/conversation/research');
  const pill = page.locator('.pill.error').first();
  await pill.locator('.pill-source', { hasText: 'Tool Executor' }).waitFor();
  await pill.locator('.severity', { hasText: 'error' }).waitFor();
  await pill.locator('summary').click();
  await holds(async () => assert.deepEqual(await pill.locator('th').allInnerTexts(), ['tool', 'error', 'message', 'ts']));
  await holds(async () => assert.equal(await pill.locator('tbody tr').count(), 3));
  await holds(async () => assert.equal(await pill.locator('tbody tr').nth(1).locator('td').nth(2).innerText(), 'there is no folder "2026/march"'));
  await house.picture(page, 'conversation');
  await pill.getByRole('button', { name: 'Raw' }).click();
  await holds(async () => assert.match(await pill.locator('pre.raw').innerText(), /^tool_fails\[3\]\{tool,error,message,ts\}:/));
  await holds(async () => assert.equal(await pill.locator('table').count(), 0));
});

check('long content is folded until it is asked for', async ({ visit }) => {
  await house.client.putSession('long', { user_id: 'ada', title: 'A long one' });
  await house.client.postMessage('long', 'tool', `rows[40]{n,word}:\n${Array.from({ length: 40 }, (_, at) => `  ${at},w${at}`).join('\n')}`);
  const page = await visit('#/conversation/long');
  const folded = page.locator('.content-body.folded');
  await folded.waitFor();
  const before = (await folded.boundingBox()).height;
  await page.getByRole('button', { name: 'Show all 41 lines' }).click();
  await folded.waitFor({ state: 'detached' });
  await holds(async () => assert.ok((await page.locator('.content-body').boundingBox()).height > before * 2));
});

check('the tree shows branches, and choosing one shows its way', async ({ visit }) => {
  const page = await visit('#/conversation/research');
  await page.getByRole('button', { name: 'Branches' }).click();
  const tree = page.getByRole('complementary', { name: 'Tree of the conversation' });
  await tree.getByText('Or ask the accountant?').waitFor();
  await holds(async () => assert.equal(await tree.locator('li.fork').count(), 1));
  await holds(async () => assert.equal(await page.locator('.said-list').getByText('I have drafted a mail').count(), 0));
  await house.picture(page, 'conversation-tree');
  await tree.getByText('Or ask the accountant?').click();
  await page.locator('.said-list').getByText('I have drafted a mail to the accountant').waitFor();
  await page.locator('.said-list').getByText('Try the archive of last year too.').waitFor({ state: 'detached' });
  await holds(async () => assert.equal(await page.locator('.said-list').getByText('One invoice of March').count(), 1, 'what both have in common stays'));
});

check('what is said elsewhere appears', async ({ visit }) => {
  const page = await visit('#/conversation/research');
  await page.locator('.message').first().waitFor();
  await house.client.postMessage('research', 'assistant', 'Something new from the agent');
  await page.getByText('Something new from the agent').waitFor();
  await holds(async () => assert.equal(await page.getByText('Something new from the agent').count(), 1));
});

check('it is followed, not asked for again and again', async ({ visit }) => {
  await house.client.putSession('quiet', { user_id: 'ada', title: 'A quiet one' });
  await house.client.postMessage('quiet', 'assistant', 'Hello');
  const page = await visit('#/conversation/quiet');
  await page.locator('.message.assistant', { hasText: 'Hello' }).waitFor();
  const asked = [];
  page.on('request', (request) => { if (request.url().includes('/v1/sessions/quiet')) asked.push(request.url()); });
  await page.waitForTimeout(4000); // in which nothing happens
  assert.deepEqual(asked, []);
  await house.client.reportTurn('quiet', 'start', { turn_number: 3 });
  await page.locator('.talk-head').getByText('turn 3, at work').waitFor();
  await house.client.reportToolCall('quiet', 'success', { tool_name: 'ls', call_id: '1', duration_ms: 5, tokens_used: 1234 });
  await page.locator('.talk-head').getByText(/1.?234 tokens|1\.2 ?k tokens/).waitFor();
  await house.client.reportTurn('quiet', 'end');
  await page.locator('.talk-head').getByText('after turn 3').waitFor();
});

check('a system message that was rewritten has its new words, once', async ({ visit }) => {
  const tell = (text) => house.client.notify(text, { user_id: 'ada', session_id: 'quiet', deduplication_key: 'disk', routing: { address: 'session', target: 'user', handler: 'system' } });
  const page = await visit('#/conversation/quiet');
  await tell('The disk is at 80 %');
  await page.locator('.pill', { hasText: 'The disk is at 80 %' }).waitFor();
  await tell('The disk is at 95 %');
  await page.locator('.pill', { hasText: 'The disk is at 95 %' }).waitFor();
  await holds(async () => assert.equal(await page.locator('.pill').count(), 1));
});

check('what was said while the line was down and through a restart is there afterwards, once', async ({ visit }) => {
  const said = (page) => page.locator('.message.assistant .said').allInnerTexts();
  const say = (text) => house.client.postMessage('cut', 'assistant', text);
  await house.client.putSession('cut', { user_id: 'ada', title: 'Cut off' });
  await say('one');
  const page = await visit('#/conversation/cut');
  await page.getByText('one', { exact: true }).waitFor();
  await page.context().setOffline(true);
  house.app.cut();
  await page.locator('.talk-news', { hasText: 'Reconnecting…' }).waitFor();
  await house.picture(page, 'conversation-reconnecting');
  await say('two');
  await page.context().setOffline(false);
  await page.getByText('two', { exact: true }).waitFor();
  await page.locator('.talk-news').waitFor({ state: 'detached' });
  await house.daemon.stop();
  await page.locator('.talk-news', { hasText: 'Reconnecting…' }).waitFor();
  await house.daemon.start();
  await page.locator('.talk-news').waitFor({ state: 'detached' });
  await say('three');
  await page.getByText('three', { exact: true }).waitFor();
  await holds(async () => assert.deepEqual(await said(page), ['one', 'two', 'three']));
});

check('a conversation that is deleted says so', async ({ visit }) => {
  await house.client.putSession('short', { user_id: 'ada', title: 'A short one' });
  const page = await visit('#/conversation/short');
  await page.getByText('Nothing was said yet').waitFor();
  await house.client.removeSession('short');
  await page.locator('.talk-news', { hasText: 'This conversation was deleted.' }).waitFor();
  await holds(async () => assert.equal(await page.getByLabel('Write to the agent').count(), 0));
});

check('a word to the agent has a receipt, waits for the agent, and is there once', async ({ visit }) => {
  const page = await visit('#/conversation/research');
  await page.locator('.message').first().waitFor();
  await page.keyboard.press('t');
  await page.keyboard.type('Please hurry');
  await page.keyboard.press('Enter');
  const said = page.locator('.message.user', { hasText: 'Please hurry' });
  await said.waitFor();
  await said.locator('.receipt.waiting').waitFor();
  const pulled = await house.client.pull('research', 'turn_start');
  assert.deepEqual(pulled.user_messages.map(({ content }) => content), ['Please hurry']);
  await house.client.reportTurn('research', 'start');
  await house.client.acknowledge('research', { pull_id: pulled.pull_id });
  await house.client.reportTurn('research', 'end');
  await said.locator('.receipt.waiting').waitFor({ state: 'detached' });
  await holds(async () => assert.equal(await page.getByText('Please hurry').count(), 1));
});

check('while the daemon is away the person is told, and what was given up can be sent again, once', async ({ visit }) => {
  const page = await visit('#/conversation/research');
  await page.locator('.message').first().waitFor();
  await house.daemon.stop();
  await page.getByLabel('Write to the agent').fill('Said into the dark');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.locator('.sending.retrying', { hasText: 'Connection lost, retrying...' }).waitFor();
  await house.picture(page, 'conversation-retrying');
  await page.locator('.sending.failed', { hasText: 'Failed to send notification' }).waitFor({ timeout: 20000 });
  await house.daemon.start();
  await page.locator('.connection.live, .connection.news').first().waitFor();
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.locator('.message.user', { hasText: 'Said into the dark' }).waitFor();
  await page.locator('.sending').waitFor({ state: 'detached' });
  await holds(async () => assert.equal(await page.getByText('Said into the dark').count(), 1));
  const { data } = await house.client.history('research', { shape: 'tree' });
  assert.equal(data.flatMap((node) => node.messages).filter(({ content }) => content === 'Said into the dark').length, 1);
});

const ask = (more = {}) => house.client.askPerson('research', 'confirmation', 'May I write into the accounts?', { tool_name: 'write_file', arguments: { path: 'accounts.csv' }, ...more });

for (const [button, decision, words] of [['Allow once', 'allow_once', 'Allowed once'], ['Deny', 'deny', 'Denied'], ['Always allow', 'always_allow', 'Always allowed']]) {
  check(`a confirmation is answered with “${button}”`, async ({ visit }) => {
    const page = await visit('#/conversation/research');
    await page.locator('.message').first().waitFor();
    const asked = await ask();
    const card = page.locator('.question.pending');
    await card.getByText('May I write into the accounts?').waitFor();
    await card.locator('.values', { hasText: /path.*accounts\.csv/ }).waitFor();
    if (decision === 'allow_once') await house.picture(page, 'conversation-question');
    await card.getByRole('button', { name: button }).click();
    await page.locator('.question.answered', { hasText: words }).last().waitFor();
    await holds(async () => assert.equal((await house.client.interaction(asked.id)).answer.decision, decision));
    if (decision === 'always_allow') assert.equal((await ask()).state, 'answered', 'the next one is not asked');
  });
}

check('an answer that was not taken is told where it was given', async ({ visit }) => {
  await house.client.putSession('refused', { user_id: 'ada', title: 'Refused' });
  const page = await visit('#/runs');
  await page.route('**/answer', (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{"status":503,"code":"unavailable","detail":"the store is down"}' }));
  const asked = await house.client.askPerson('refused', 'confirmation', 'May I paint the door?', { tool_name: 'brush' });
  const toast = page.locator('.toast.asks', { hasText: 'May I paint the door?' });
  await toast.getByRole('button', { name: 'Allow once' }).click();
  await toast.getByRole('alert').filter({ hasText: 'the store is down' }).waitFor();
  await holds(async () => assert.equal((await house.client.interaction(asked.id)).state, 'pending'));
  await page.unroute('**/answer');
  await toast.getByRole('button', { name: 'Allow once' }).click();
  await toast.waitFor({ state: 'detached' });
});

check('a question calls out on other pages and can be answered there', async ({ visit }) => {
  await house.client.putSession('other', { user_id: 'ada', title: 'Another' });
  const page = await visit('#/runs');
  const asked = await house.client.askPerson('other', 'confirmation', 'May I delete build/?', { tool_name: 'rm' });
  const toast = page.locator('.toast.asks', { hasText: 'May I delete build/?' });
  await toast.waitFor();
  await page.locator('.rail .badge.asks', { hasText: '1' }).waitFor();
  await toast.getByRole('button', { name: 'Deny' }).click();
  await toast.waitFor({ state: 'detached' });
  await holds(async () => assert.equal((await house.client.interaction(asked.id)).answer.decision, 'deny'));
});

check('a small form is filled in', async ({ visit }) => {
  const page = await visit('#/conversation/research');
  const asked = await house.client.askPerson('research', 'elicitation', 'Which account?', {
    schema: { type: 'object', required: ['account', 'amount'], properties: { account: { type: 'string', title: 'Account' }, amount: { type: 'number', title: 'Amount' }, urgent: { type: 'boolean', title: 'Urgent' } } },
  });
  await page.getByLabel('Account').fill('4711');
  await page.getByLabel('Amount').fill('12.5');
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await eventually('it is answered', async () => (await house.client.interaction(asked.id)).state === 'answered');
  await holds(async () => assert.deepEqual((await house.client.interaction(asked.id)).answer.content, { account: '4711', amount: 12.5, urgent: false }));
});

check('what another conversation asks stands above what is said, and covers nothing', async ({ visit }) => {
  await house.client.putSession('calling', { user_id: 'ada', title: 'Calling' });
  await house.client.putSession('reading', { user_id: 'ada', title: 'Reading' });
  await house.client.postMessage('reading', 'tool', JSON.stringify({ path: 'x'.repeat(400) }));
  const page = await visit('#/conversation/reading');
  await page.locator('.message').first().waitFor();
  await holds(async () => assert.ok(await page.locator('.said-list').evaluate((list) => [...list.querySelectorAll('.node, .message')].every((one) => one.scrollWidth <= one.clientWidth + 1)), 'nothing is wider than its column'));
  const asked = await house.client.askPerson('calling', 'confirmation', 'May I call back?', { tool_name: 'phone' });
  const strip = page.locator('.talk-asks', { hasText: 'May I call back?' });
  await strip.waitFor();
  await holds(async () => assert.equal(await page.locator('.toast.asks').count(), 0));
  await strip.getByRole('link', { name: 'Open' }).click();
  await page.locator('.question.pending', { hasText: 'May I call back?' }).waitFor();
  await strip.waitFor({ state: 'detached' });
  await house.client.answerInteraction(asked.id, { decision: 'deny' });
});

check('a question that has run out while nobody told says so and counts no more', async () => {
  await house.client.putSession('late', { user_id: 'ada', title: 'Too late' });
  const context = await house.newContext();
  const page = await house.visit('#/conversation/late', context);
  await page.getByText('Nothing was said yet').waitFor();
  await house.client.askPerson('late', 'confirmation', 'May I wait?', { tool_name: 'wait', timeout_s: 2 });
  const card = page.locator('.question', { hasText: 'May I wait?' });
  await card.getByRole('button', { name: 'Allow once' }).waitFor();
  await page.context().setOffline(true);
  house.app.cut();
  await card.getByText('No answer came in time: that means no.').waitFor();
  await holds(async () => assert.equal(await card.getByRole('button').count(), 0));
  await context.close();
});
