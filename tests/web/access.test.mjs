import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { breakSubscriber, dayFromNow, fillAgents, fillChanges, fillConversation, fillInbox, fillJournal, fillLedger, fillMemory, fillRuns } from './fill.mjs';
import { eventually, holds } from './house.mjs';
import { suite } from './suite.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PHONE = { viewport: { width: 380, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };
let lead;
let wakes;
let proposed;
const { house, check } = suite(async ({ client, daemon }) => {
  breakSubscriber(daemon);
  await fillConversation(client);
  await client.putSession('allowed', { user_id: 'ada', title: 'What may be done' });
  for (const tool_name of ['write_file', 'mail.send_to_everybody_in_the_address_book', 'deploy']) {
    await client.answerInteraction((await client.askPerson('allowed', 'confirmation', 'May I?', { tool_name })).id, { decision: 'always_allow' });
  }
  ({ lead } = await fillRuns(client));
  wakes = await fillAgents(client);
  await fillJournal(client);
  proposed = await fillChanges(client);
  await fillMemory(client);
  await fillLedger(client);
  await fillInbox(client);
});

/** Two questions that wait, for one round through the pages: five minutes later they are answered for the person. */
async function ask(client) {
  const may = await client.askPerson('research', 'confirmation', 'May I write into accounts/2026-03.csv?', { tool_name: 'write_file', arguments: { path: 'accounts/2026-03.csv', rows: 1 } });
  const which = await client.askPerson('allowed', 'elicitation', 'Which account?', { schema: { type: 'object', properties: { account: { type: 'string', title: 'Account', minLength: 4, description: 'As the bank writes it' }, tell: { type: 'array', items: { enum: ['ada', 'bob'] } } } } });
  return async () => {
    await client.answerInteraction(may.id, { decision: 'deny' });
    await client.answerInteraction(which.id, { action: 'decline' });
  };
}

const places = async (kind) => {
  const { data } = await house.client.inbox();
  const failed = (await house.client.deadLetters()).data[0];
  const lists = kind.startsWith('phone') ? [['agents', '#/agents', '.agent-item'], ['changes', '#/changes', '.set-item'], ['wakes', '#/wakes', '.wake-item'], ['tasks', '#/tasks', '.task-item'], ['journal', '#/journal', '.record-item']] : []; // else they stand beside what is open
  return [...lists, ['inbox', `#/inbox/${data[0].id}`, 'article.notification'], ['conversation', '#/conversation/research', '.question'], ['allowed', '#/conversation/allowed', '.allowances li'],
    ['change', `#/changes/${proposed}`, '.proposal'], ['agent', '#/agents/fixer', '.policies li'], ['memory', '#/agents/gardener?view=memory', '.memory-summary'], ['recall', '#/agents/gardener?view=memory&q=frost', '.results mark'], ['wake', `#/wakes/${wakes.done.id}`, '.signals li'], ['timers', '#/timers', '.firings li'],
    ['task', '#/tasks/report', '.checklist li'], ['day', `#/day/${dayFromNow(0)}`, '.plan-block'], ['time', '#/time', '.span'],
    ['entry', '#/journal/entry:idea', '.detail dl a'], ['search', '#/journal/task:report?q=repo', '.detail .actions a'],
    ['run', `#/runs/${lead.id}`, '.block'],
    ['timeline', `#/runs/${lead.id}?view=timeline`, '.timeline .bar'], ['tools', `#/runs/${lead.id}?view=tools`, '.tool-table td'],
    ['ledger', `#/ledger/${failed.id}`, '.steps li'], ['dead-letters', '#/ledger?tab=dead', '.letter'], ['subscribers', '#/subscribers', '.subscriber-list li'], ['overview', '#/overview', '.chart'], ['devices', '#/devices', '.daemon']];
};

/** What a checker of accessibility finds that is serious or worse. Its script comes in through the debugger: the page's policy allows no other. */
async function faults(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }));
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary}`).join(' | ')}`);
}

for (const [kind, options] of [['light', { colorScheme: 'light' }], ['dark', { colorScheme: 'dark' }], ['phone', { colorScheme: 'light', ...PHONE }], ['phone-dark', { colorScheme: 'dark', ...PHONE }]]) {
  check(`${kind}: nothing serious is found on any page, and nothing is wider than the screen`, async () => {
    const answer = await ask(house.client);
    const context = await house.newContext({ ...options, reducedMotion: 'reduce' });
    const page = await house.visit('#/inbox', context);
    for (const [name, hash, sign] of await places(kind)) {
      await page.evaluate((to) => { location.hash = to; }, hash);
      await page.locator(sign).first().waitFor();
      if (name === 'conversation' && !kind.startsWith('phone')) {
        await page.locator('.pill summary').first().click();
        await page.getByRole('button', { name: 'Branches' }).click();
      }
      if (name === 'allowed') {
        await page.getByLabel('Account').fill('47');
        await page.getByRole('button', { name: 'Answer', exact: true }).click();
        await page.locator('.fault').waitFor();
      }
      assert.deepEqual(await faults(page), [], `${kind} ${name}`);
      await holds(async () => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is wider than the screen`));
      await house.picture(page, `${kind}-${name}`);
      if (name !== 'agent' || !['light', 'phone-dark'].includes(kind)) continue;
      await page.getByRole('button', { name: 'Add a subscription' }).click();
      await page.getByRole('dialog').getByLabel('Types of events').waitFor();
      assert.deepEqual(await faults(page), [], `${kind} form`);
      await house.picture(page, `${kind}-form`);
      await page.keyboard.press('Escape');
    }
    await page.evaluate(() => { location.hash = '#/inbox'; });
    await page.getByRole('button', { name: 'Keys and help' }).click(); // a phone has no key for it
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).waitFor();
    assert.deepEqual(await faults(page), [], `${kind} help`);
    await context.close();
    await answer();
  });
}

check('the door is accessible, too', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const context = await house.newContext({ colorScheme, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(house.app.url);
    await page.getByRole('button', { name: 'Open' }).waitFor();
    assert.deepEqual(await faults(page), [], colorScheme);
    await context.close();
  }
});

check('colours follow the machine until the person chooses, and the choice is kept', async () => {
  const context = await house.newContext({ colorScheme: 'dark' });
  const page = await house.visit('#/inbox', context);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await ground();
  await page.getByRole('button', { name: /^Colours: auto/ }).click();
  await holds(async () => assert.notEqual(await ground(), dark));
  await page.reload();
  await page.getByRole('button', { name: /^Colours: light/ }).click();
  await holds(async () => assert.equal(await ground(), dark));
  await context.close();
});

check('the focus can be seen, and reaches every page by the keyboard alone', async ({ visit }) => {
  const page = await visit('#/inbox');
  await page.keyboard.press('Tab');
  await page.getByRole('link', { name: 'Skip to the content' }).and(page.locator(':focus')).waitFor();
  const reached = new Set();
  for (let step = 0; step < 17; ++step) {
    await page.keyboard.press('Tab');
    const { name, outline } = await page.evaluate(() => ({ name: document.activeElement.innerText?.split('\n')[0] ?? '', outline: getComputedStyle(document.activeElement).outlineStyle }));
    assert.notEqual(outline, 'none', name);
    reached.add(name);
  }
  for (const title of ['Inbox', 'Conversation', 'Changes', 'Agents', 'Wakes', 'Timers', 'Runs', 'Ledger', 'Subscribers', 'Overview', 'Devices', 'Tasks', 'Day plan', 'Time', 'Journal']) assert.ok(reached.has(title), title);
});

check('on a phone one thing is shown at a time, and the way back is there', async () => {
  const context = await house.newContext(PHONE);
  const page = await house.visit('#/inbox', context);
  await page.locator('.list .row').first().tap();
  await page.locator('article.notification').waitFor();
  await holds(async () => assert.equal(await page.locator('.list').isVisible(), false));
  await page.getByRole('link', { name: 'Inbox' }).first().tap();
  await page.locator('.list').waitFor();
  await page.locator('.head .connection', { hasText: 'Live' }).waitFor();
  await page.getByRole('link', { name: 'Conversation' }).tap();
  await page.locator('.sessions a').first().tap();
  await page.locator('.speak').waitFor();
  await eventually('the list gives way', async () => !(await page.locator('.sessions').isVisible()));
  for (const [where, way] of [[`#/day/${dayFromNow(0)}`, 'The day after'], [`#/time/${dayFromNow(0)}`, 'The week after']]) {
    await page.evaluate((to) => { location.hash = to; }, where);
    await page.getByRole('link', { name: way }).tap(); // a day is no record that was opened: its tools stay
    await holds(async () => assert.notEqual(await page.evaluate(() => location.hash), where));
  }
  await context.close();
});

check('the page has a strict policy, and no inline script or style', async () => {
  const answer = await fetch(house.app.url);
  const policy = answer.headers.get('content-security-policy');
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"]) assert.ok(policy.includes(part), part);
  assert.doesNotMatch(policy, /unsafe/);
  const html = await answer.text();
  assert.doesNotMatch(html, /<style|<script(?![^>]*src=)| style=| on\w+=/);
  for (const [, address] of html.matchAll(/(?:src|href)="([^"]+)"/g)) assert.match(address, /^\//);
});
