import assert from 'node:assert/strict';
import { eventually, holds } from './house.mjs';
import { suite } from './suite.mjs';

const { house, check } = suite();

const allowed = (page) => page.getByRole('region', { name: 'Always allowed' });
const ask = (session, tool, message = `May I use ${tool}?`) => house.client.askPerson(session, 'confirmation', message, { tool_name: tool });

/** A conversation of its own in which these tools are always allowed, one after the other. */
async function allowing(session, ...tools) {
  await house.client.putSession(session, { user_id: 'ada', title: `About ${session}` });
  await house.client.postMessage(session, 'assistant', 'Hello');
  const answers = [];
  for (const tool of tools) answers.push(await house.client.answerInteraction((await ask(session, tool)).id, { decision: 'always_allow' }));
  return answers;
}

check('where nothing is always allowed, nothing is said of it', async ({ visit }) => {
  await allowing('nothing');
  const page = await visit('#/conversation/nothing');
  await page.locator('.message').first().waitFor();
  await holds(async () => assert.equal(await allowed(page).count(), 0));
});

check('what is always allowed is shown in its conversation, with its tool and since when, and is taken back', async ({ visit }) => {
  await allowing('here', 'write_file', 'send_mail');
  await allowing('elsewhere', 'rm');
  const page = await visit('#/conversation/here');
  await allowed(page).getByText('write_file').waitFor();
  await holds(async () => assert.deepEqual(await allowed(page).locator('code').allInnerTexts(), ['write_file', 'send_mail'], 'of this conversation, the oldest first'));
  const today = new Date().toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
  for (const said of await allowed(page).locator('li').allInnerTexts()) assert.match(said.replace(/\s+/g, ' '), new RegExp(`since ${today}, \\d\\d:\\d\\d Take back$`));
  await house.picture(page, 'conversation-allowed');

  await allowed(page).getByRole('button', { name: 'Take back: write_file' }).focus();
  await page.keyboard.press('Enter');
  await allowed(page).getByText('write_file').waitFor({ state: 'detached' });
  await page.getByRole('status').filter({ hasText: 'The agent asks again before it uses write_file.' }).waitFor();
  await holds(async () => assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Take back: send_mail', 'the keyboard stays in the list'));
  assert.equal((await ask('here', 'write_file')).state, 'pending', 'it is asked for again');
  assert.equal((await ask('here', 'send_mail')).state, 'answered', 'the other is not');

  await page.keyboard.press('Enter');
  await allowed(page).waitFor({ state: 'detached' });
  await eventually('the keyboard goes to the messages', () => page.evaluate(() => document.activeElement.getAttribute('aria-label') === 'Messages'));
});

check('an answer that allows for good is in the list at once, and says so when it is taken back elsewhere', async ({ visit }) => {
  await allowing('now');
  const page = await visit('#/conversation/now');
  await page.locator('.message').first().waitFor();
  const asked = await ask('now', 'deploy');
  await page.getByRole('button', { name: 'Always allow' }).click();
  await allowed(page).getByText('deploy').waitFor();
  const card = page.locator('.question', { hasText: 'May I use deploy?' });
  await card.getByText('Always allowed in this conversation').waitFor();
  await house.client.takeBackAllowance(asked.id);
  await allowed(page).waitFor({ state: 'detached' });
  await card.getByText('Was always allowed, and is not any more').waitFor();
});

check('what was allowed before the page was opened can be taken back elsewhere', async ({ visit }) => {
  const [answered] = await allowing('before', 'deploy');
  const page = await visit('#/conversation/before');
  await allowed(page).getByText('deploy').waitFor();
  await house.client.takeBackAllowance(answered.id);
  await allowed(page).waitFor({ state: 'detached' });
  await page.locator('.message', { hasText: 'Hello' }).waitFor();
  await holds(async () => assert.equal(await page.locator('.question').count(), 0));
});

check('a tool that two answers allow stands there once, and goes at once', async ({ visit }) => {
  await allowing('twice');
  const both = [await ask('twice', 'deploy'), await ask('twice', 'deploy')];
  for (const one of both) await house.client.answerInteraction(one.id, { decision: 'always_allow' });
  const page = await visit('#/conversation/twice');
  await allowed(page).getByText('deploy').waitFor();
  await holds(async () => assert.equal(await allowed(page).locator('li').count(), 1));
  await allowed(page).getByRole('button', { name: 'Take back: deploy' }).click();
  await allowed(page).waitFor({ state: 'detached' });
});

check('where it cannot be taken back, the reason is told and it stays', async ({ visit }) => {
  await allowing('stuck', 'deploy');
  const page = await visit('#/conversation/stuck');
  await page.route('**/always-allowed', (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{"status":503,"code":"unavailable","detail":"the store is down"}' }));
  await allowed(page).getByRole('button', { name: 'Take back: deploy' }).click();
  await allowed(page).getByRole('alert').filter({ hasText: 'the store is down' }).waitFor();
  await holds(async () => assert.equal(await allowed(page).locator('li').count(), 1));
});

check('who signs in after another finds none of his questions', async () => {
  await allowing('private');
  await house.client.putSession('of-bob', { user_id: 'bob' });
  const bob = await house.client.once('POST', '/v1/tokens', { name: 'bob', role: 'user', user_id: 'bob' });
  const asked = await ask('private', 'deploy');
  const context = await house.newContext();
  const page = await house.visit('#/inbox', context);
  await page.locator('.rail .badge.asks').waitFor();
  await page.evaluate((token) => { localStorage.setItem('belfry.token', token); dispatchEvent(new StorageEvent('storage', { key: 'belfry.token', newValue: token })); }, bob.token);
  await page.locator('.rail .badge.asks').waitFor({ state: 'detached' });
  await holds(async () => assert.equal(await page.locator('.toast.asks').count(), 0));
  await context.close();
  await house.client.answerInteraction(asked.id, { decision: 'deny' });
});

const FORM = {
  type: 'object', required: ['account', 'amount', 'day'],
  properties: {
    account: { type: 'string', title: 'Account', minLength: 4, description: 'As the bank writes it' },
    amount: { type: 'number', title: 'Amount', minimum: 10 },
    day: { title: 'Day', enum: [1, 15] },
    notify: { title: 'Tell', type: 'array', items: { enum: ['ada', 'bob'] }, maxItems: 1 },
    address: { title: 'Address', type: 'object', required: ['street'] },
  },
};

check('what the daemon refuses is said at the field that it names, and the cursor is there', async ({ visit }) => {
  await allowing('form');
  const asked = await house.client.askPerson('form', 'elicitation', 'Which account?', { schema: FORM });
  const page = await visit('#/conversation/form');
  const answer = () => page.getByRole('button', { name: 'Answer', exact: true }).click();
  const faulty = async (field, words) => {
    await page.locator('.fault', { hasText: words }).waitFor();
    await holds(async () => assert.equal(await page.locator('.fault').count(), 1, 'only one field is wrong'));
    await eventually('the cursor is there', () => field.evaluate((one) => one === document.activeElement));
    const described = await field.evaluate((one) => (one.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent));
    assert.ok(described.includes(words), `${words} is none of ${described}`);
  };
  const account = page.getByLabel('Account', { exact: true });
  await account.fill('47');
  await page.getByLabel('Amount', { exact: true }).fill('2');
  await page.getByLabel('Day').selectOption('15');
  await answer();
  await faulty(account, 'Must have at least 4 characters');
  await holds(async () => assert.equal(await account.getAttribute('aria-invalid'), 'true'));
  await house.picture(page, 'conversation-fault');
  await account.fill('4711');
  await answer();
  await faulty(page.getByLabel('Amount', { exact: true }), 'Must be at least 10');
  await holds(async () => assert.equal(await account.getAttribute('aria-invalid'), 'false'));
  await page.getByLabel('Amount', { exact: true }).fill('12.5');
  await page.getByLabel('ada').check();
  await page.getByLabel('bob').check();
  await answer();
  await faulty(page.getByRole('group', { name: 'Tell (optional)' }), 'Must have at most 1 entries');
  await page.getByLabel('ada').uncheck();
  const address = page.getByLabel('Address (optional)');
  await address.fill('{"town": ');
  await answer();
  await faulty(address, 'This is no JSON.');
  await address.fill('{"town": "Ulm"}');
  await answer();
  await faulty(address, 'street must be given');
  await address.fill('{"street": "Am Tor 3"}');
  await answer();
  await page.locator('.question.answered').waitFor();
  await holds(async () => assert.deepEqual((await house.client.interaction(asked.id)).answer.content, { account: '4711', amount: 12.5, day: 15, notify: ['bob'], address: { street: 'Am Tor 3' } }));
});

check('what is wrong with no field is said at the form', async ({ visit }) => {
  await allowing('closed');
  await house.client.askPerson('closed', 'elicitation', 'Anything else?', { schema: { type: 'object', required: ['hidden'], properties: { note: { type: 'string', title: 'Note' } } } });
  const page = await visit('#/conversation/closed');
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.locator('.question').getByRole('alert').filter({ hasText: 'content.hidden must be given' }).waitFor();
});

check('a word to the agent that is refused goes back to where it was written, with the reason', async () => {
  await allowing('word');
  const context = await house.newContext();
  let isRefusing = true;
  await context.routeWebSocket(/\/v1\/rpc/, (socket) => {
    const daemon = socket.connectToServer();
    socket.onMessage((text) => {
      const { id, params } = JSON.parse(text);
      if (isRefusing && params?.payload) socket.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32602, message: 'payload.text is not wanted', data: { code: 'invalid', field: 'payload.text' } } }));
      else daemon.send(text);
    });
  });
  const page = await house.visit('#/conversation/word', context);
  await page.locator('.message').first().waitFor();
  const box = page.getByLabel('Write to the agent');
  await box.fill('Unwanted words');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.locator('.speak .fault', { hasText: 'payload.text is not wanted' }).waitFor();
  await holds(async () => assert.equal(await box.inputValue(), 'Unwanted words'));
  await holds(async () => assert.equal(await page.locator('.sending').count(), 0));
  await holds(async () => assert.ok(await box.evaluate((one) => one === document.activeElement && one.getAttribute('aria-describedby') === 'speak-fault' && one.getAttribute('aria-invalid') === 'true')));
  isRefusing = false;
  await box.fill('Other words');
  await page.locator('.speak .fault').waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await page.locator('.message.user', { hasText: 'Other words' }).waitFor();
  await context.close();
});

check('a text that is too large is not cut off: it is refused as a whole, and kept', async ({ visit }) => {
  await allowing('large');
  const page = await visit('#/conversation/large');
  await page.locator('.message').first().waitFor();
  const box = page.getByLabel('Write to the agent');
  await box.fill('x'.repeat(1_100_000));
  await page.keyboard.press('Enter');
  await page.locator('.speak .fault', { hasText: 'exceeds 1MB' }).waitFor();
  await holds(async () => assert.equal((await box.inputValue()).length, 1_100_000));
});
