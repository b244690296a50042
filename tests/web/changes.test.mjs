import assert from 'node:assert/strict';
import { fillChanges, proposer } from './fill.mjs';
import { eventually, holds, painted } from './house.mjs';
import { suite } from './suite.mjs';

const { house, check } = suite();
const row = (page, text) => page.locator('.list .row', { hasText: text });
const item = (page, number) => page.locator(`.proposal[data-item='${number}']`);
const badge = (page) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /^Changes/ }).locator('.badge');
const button = (page, name) => page.getByRole('button', { name, exact: true });
const deed = (page, name) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
const titles = async (category) => (await house.client.records('task', { category })).data.map(({ title }) => title).sort();
const focused = (page) => page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent);
/** Nothing of another test waits. */
const decideAll = async () => { for (const { id } of (await house.client.changeSets({ user: 'ada' })).data) await house.client.rejectChanges(id); };

check('where nothing waits, a sentence says so, and there is no badge', async ({ visit }) => {
  const page = await visit('#/changes');
  await page.locator('.list').getByText('Nothing waits for you').waitFor();
  await page.locator('.list').getByText(/^What agents propose instead of doing it waits here/).waitFor();
  await holds(async () => assert.equal(await badge(page).count(), 0));
  await house.picture(page, 'changes-empty');
});

check('a set shows each call in plain words, what would change, and what came of it', async ({ visit }) => {
  const set = await fillChanges(house.client);
  const page = await visit('#/changes');
  await row(page, 'Week planner proposes 6 changes').getByText('3 open, 1 accepted, 1 rejected, 1 failed').waitFor();
  await holds(async () => assert.equal(await badge(page).getAttribute('aria-label'), '1 waiting for your word'));
  await row(page, 'Week planner').click();
  await page.locator('.change-set h2', { hasText: 'Week planner proposes 6 changes' }).waitFor();
  await holds(async () => assert.deepEqual(await page.locator('.proposal-title strong').allInnerTexts(),
    ['Make a task', 'Make a task', 'Change when a task is due', 'Change a task', 'Make a checklist', 'Tell other programs of an event']));
  const would = async (number) => (await item(page, number).locator('.would li').allInnerTexts()).map((one) => one.replace(/\s+/g, ' ').trim());
  assert.deepEqual(await would(1), ['new task “Book the hall for the party”']);
  assert.deepEqual(await would(4), ['changed task “Clear out the garage before the winter, and take what nobody needs to the recycling yard”']);
  assert.deepEqual((await would(5)).sort(), ['new checklist item “A box of cables that fit nothing”', 'new checklist item “Both sledges”', 'new checklist item “The paint of 2009”', 'new checklist “What goes”']);
  assert.deepEqual(await would(6), []);
  await item(page, 1).locator('.state.accepted').waitFor();
  await item(page, 2).locator('.state.rejected').waitFor();
  await item(page, 3).locator('.state.failed').waitFor();
  const { error } = (await house.client.changeSet(set)).items[2];
  await item(page, 3).locator('.trouble', { hasText: `${error.code}: ${error.message}` }).waitFor();
  for (const number of [1, 2, 3]) assert.equal(await item(page, number).getByRole('button').count(), 0, `${number} is decided`);
  for (const number of [4, 5, 6]) assert.equal(await item(page, number).getByRole('button').count(), 2, `${number} waits`);
  await house.picture(page, 'changes');
});

check('arguments are folded away where the changes tell, and shown where nothing else does', async ({ visit }) => {
  const [{ id }] = (await house.client.changeSets({ user: 'ada', agent: 'planner' })).data;
  const page = await visit(`#/changes/${id}`);
  const values = (number) => item(page, number).locator('.values');
  await item(page, 4).getByText('priority p1').waitFor();
  await holds(async () => assert.equal(await values(4).isVisible(), false));
  await item(page, 4).locator('summary').click();
  await values(4).getByText('240').waitFor();
  await values(6).getByText('week.planned').waitFor();
});

check('an item is accepted and another rejected, and the keyboard goes on to what is open', async ({ visit }) => {
  await decideAll();
  const { task, wake } = await proposer(house.client, 'coach', { name: 'Coach' });
  const set = await task('Run');
  await task('Swim');
  await task('Climb');
  await house.client.endWake(wake);
  const page = await visit(`#/changes/${set}`);
  await button(page, 'Accept item 2, Make a task').focus();
  await page.keyboard.press('Enter');
  await item(page, 2).locator('.state.accepted').waitFor();
  await page.getByRole('status').filter({ hasText: 'Make a task: accepted.' }).waitFor();
  assert.deepEqual(await titles('coach-category'), ['Swim']);
  await holds(async () => assert.equal(await focused(page), 'Accept item 3, Make a task'));
  await button(page, 'Reject item 3, Make a task').click();
  await item(page, 3).locator('.state.rejected').waitFor();
  await holds(async () => assert.equal(await focused(page), 'Accept item 1, Make a task', 'from the end to the first that is open'));
  await item(page, 2).getByText('What the tool said').click();
  await item(page, 2).locator('.json', { hasText: 'Swim' }).waitFor();
  await page.keyboard.press('Tab'); // from what was opened
  await button(page, 'Accept item 1, Make a task').click();
  await holds(async () => assert.equal(await focused(page), 'Coach proposes 3 changes'));
  await page.locator('.change-set header .state.decided').waitFor();
  assert.deepEqual(await titles('coach-category'), ['Run', 'Swim']);
  assert.deepEqual((await house.client.changeSet(set)).items.map(({ state }) => state), ['accepted', 'accepted', 'rejected']);
  await row(page, 'Coach').getByText('2 accepted, 1 rejected').waitFor(); // it stays while it is looked at
  await page.keyboard.press('Escape');
  await row(page, 'Coach').waitFor({ state: 'detached' });
  await page.locator('.choices').getByRole('button', { name: 'All' }).click();
  await row(page, 'Coach').getByText('2 accepted, 1 rejected').waitFor();
});

check('all that is open is accepted at once after a question, each with its own outcome', async ({ visit }) => {
  const { task, call, wake } = await proposer(house.client, 'gardener', { name: 'Gardener' });
  await house.client.createRecord('task', { id: 'hedge', title: 'Cut the hedge', category_id: 'gardener-category' });
  const set = await task('Sow carrots');
  await call('update_task_priority', { taskId: 'hedge', priority: 'p0' });
  await task('Water the beds');
  await house.client.endWake(wake);
  await house.client.deleteRecord('task', 'hedge');
  const page = await visit(`#/changes/${set}`);
  await button(page, 'Accept all 3').click();
  await deed(page, 'Not yet');
  assert.equal((await house.client.changeSet(set)).counts.proposed, 3, 'nothing was decided yet');
  await button(page, 'Accept all 3').click();
  await house.picture(page, 'changes-all');
  await deed(page, 'Accept all');
  await item(page, 2).locator('.state.failed').waitFor();
  await item(page, 2).locator('.trouble').waitFor();
  for (const number of [1, 3]) await item(page, number).locator('.state.accepted').waitFor();
  await holds(async () => assert.equal(await button(page, 'Accept all 3').count(), 0));
  await holds(async () => assert.equal(await focused(page), 'Gardener proposes 3 changes'));
  assert.deepEqual(await titles('gardener-category'), ['Sow carrots', 'Water the beds']);
});

check('all that is open is rejected at once', async ({ visit }) => {
  const { task, wake } = await proposer(house.client, 'broker', { name: 'Broker' });
  const set = await task('Sell');
  await task('Buy');
  await house.client.endWake(wake);
  const page = await visit(`#/changes/${set}`);
  await button(page, 'Reject all 2').click();
  await deed(page, 'Reject all');
  for (const number of [1, 2]) await item(page, number).locator('.state.rejected').waitFor();
  assert.deepEqual(await titles('broker-category'), []);
});

check('new proposals and decisions of others are seen without a reload, and counted in the rail', async ({ visit }) => {
  await decideAll();
  const page = await visit('#/changes');
  await page.locator('.list').getByText('Nothing waits for you').waitFor();
  const { task, wake } = await proposer(house.client, 'scout', { name: 'Scout' });
  const set = await task('Look behind the shed');
  await row(page, 'Scout proposes a change').click();
  await holds(async () => assert.equal(await badge(page).innerText(), '1'));
  await item(page, 1).waitFor();
  await task('Look under the roof');
  await item(page, 2).getByText('“Look under the roof”').waitFor();
  await row(page, 'Scout proposes 2 changes').getByText('2 open').waitFor();
  await house.client.endWake(wake);
  await house.client.acceptChanges(set, 1);
  await item(page, 1).locator('.state.accepted').waitFor();
  await row(page, 'Scout').getByText('1 open, 1 accepted').waitFor();
  await house.client.rejectChanges(set);
  await item(page, 2).locator('.state.rejected').waitFor();
  await badge(page).waitFor({ state: 'detached' });
});

check('what was proposed and decided while the line was down is there afterwards', async () => {
  await decideAll();
  const before = await proposer(house.client, 'early', { name: 'Early bird' });
  const first = await before.task('Before');
  await house.client.endWake(before.wake);
  const context = await house.newContext();
  const page = await house.visit('#/changes', context);
  await row(page, 'Early bird').waitFor();
  await context.setOffline(true);
  house.app.cut();
  await page.locator('.connection.lost:visible').first().waitFor();
  await house.client.rejectChanges(first);
  const late = await proposer(house.client, 'late', { name: 'Night owl' });
  await late.task('Meanwhile');
  await context.setOffline(false);
  await row(page, 'Night owl').waitFor();
  await row(page, 'Early bird').waitFor({ state: 'detached' });
  await holds(async () => assert.equal(await badge(page).innerText(), '1'));
  await context.close();
});

check('a refusal is said at its item: what a destroyed agent proposed can only be rejected', async ({ visit }) => {
  const { task, wake } = await proposer(house.client, 'leaver', { name: 'Leaver' });
  const set = await task('Too late');
  await house.client.endWake(wake);
  await house.client.destroyAgent('leaver');
  const page = await visit(`#/changes/${set}`);
  await button(page, 'Accept item 1, Make a task').click();
  await item(page, 1).getByRole('alert').waitFor();
  assert.equal((await house.client.changeSet(set)).items[0].state, 'proposed');
  await button(page, 'Reject item 1, Make a task').click();
  await item(page, 1).locator('.state.rejected').waitFor();
  await holds(async () => assert.equal(await item(page, 1).getByRole('alert').count(), 0));
});

check('the page is reached and gone through by keys, and what an agent writes is text', async ({ visit }) => {
  await decideAll();
  for (const id of ['older', 'newer']) {
    const { task, wake } = await proposer(house.client, id, { name: id === 'older' ? 'Older' : '<b>Newer</b>' });
    await task('<img src=x onerror="document.title=1">');
    await house.client.endWake(wake);
  }
  const page = await visit('#/inbox');
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await row(page, '<b>Newer</b>').waitFor();
  await row(page, 'Older').waitFor();
  await painted(page);
  await page.keyboard.press('j');
  await page.locator('.change-set h2', { hasText: '<b>Newer</b> proposes a change' }).waitFor();
  await item(page, 1).getByText('“<img src=x onerror="document.title=1">”').waitFor();
  await painted(page);
  await page.keyboard.press('j');
  await page.locator('.change-set h2', { hasText: 'Older proposes a change' }).waitFor();
  await painted(page);
  await page.keyboard.press('k');
  await page.locator('.change-set h2', { hasText: '<b>Newer</b>' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Choose a proposal').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('older');
  await eventually('one is left', async () => (await page.locator('.list .row').count()) === 1);
});

check('the notification leads to what is proposed', async ({ visit }) => {
  const { task, wake } = await proposer(house.client, 'teller', { name: 'Teller' });
  const set = await task('Count the coins');
  await house.client.endWake(wake);
  const page = await visit('#/inbox');
  await row(page, 'Teller proposes a change').click();
  await page.getByRole('link', { name: 'Look at the changes' }).click();
  await page.locator('.change-set h2', { hasText: 'Teller proposes a change' }).waitFor();
  assert.equal(await page.evaluate(() => location.hash), `#/changes/${set}`);
});

check('who signs in after another finds none of his proposals', async () => {
  await decideAll();
  const { task, wake } = await proposer(house.client, 'secret', { name: 'Secret' });
  const set = await task('Only for ada');
  await house.client.endWake(wake);
  const bob = await house.client.once('POST', '/v1/tokens', { name: 'bob', role: 'user', user_id: 'bob' });
  const context = await house.newContext();
  const page = await house.visit('#/changes', context);
  await row(page, 'Secret').waitFor();
  await page.evaluate((token) => { localStorage.setItem('belfry.token', token); dispatchEvent(new StorageEvent('storage', { key: 'belfry.token', newValue: token })); }, bob.token);
  await badge(page).waitFor({ state: 'detached' });
  await page.locator('.list').getByText('Nothing waits for you').waitFor();
  await page.evaluate((id) => { location.hash = `#/changes/${id}`; }, set);
  await page.locator('.detail .trouble').waitFor();
  await context.close();
});

check('an agent’s page says what it may do and where, and sets what becomes of its calls', async ({ visit }) => {
  await house.client.createRecord('category', { id: 'sport', name: 'Sport & games' });
  await house.client.createAgent({ id: 'trainer', display_name: 'Trainer', capabilities: ['task_read', 'task_write'], allowed_category_ids: ['sport'] });
  const page = await visit('#/agents/trainer');
  const powers = page.getByRole('region', { name: 'What it may do', exact: true });
  await powers.getByText('task_read, task_write').waitFor();
  await powers.getByText('Sport & games').waitFor();
  await powers.getByText('Whatever it may do, it does without asking.').waitFor();
  const policies = async () => (await house.client.agent('trainer')).tool_policies;
  const rules = powers.locator('.policies li');

  await button(page, 'Set a policy').click();
  await page.getByLabel('Tool', { exact: true }).waitFor();
  await deed(page, 'Set it');
  await rules.filter({ hasText: 'all other tools: propose, it waits until you accept it' }).waitFor();
  assert.deepEqual(await policies(), { '*': 'propose' });
  await house.client.changeAgent('trainer', { tool_policies: { '*': 'propose', notify_user: 'run' } }); // by somebody else, meanwhile
  await button(page, 'Set a policy').click();
  await page.getByLabel('Tool', { exact: true }).waitFor(); // the tools are asked for first
  const offered = await page.getByLabel('Tool', { exact: true }).locator('option').allInnerTexts();
  assert.ok(offered.includes('create_task') && !offered.includes('list_tasks_in_scope'), `${offered}`); // what only reads is always done
  await page.getByLabel('Tool', { exact: true }).selectOption({ label: 'create_task' });
  await page.getByLabel('What becomes of a call').selectOption({ label: 'ask: you are asked first' });
  await house.picture(page, 'agent-policy');
  await deed(page, 'Set it');
  await rules.filter({ hasText: 'create_task: ask, you are asked first' }).waitFor();
  assert.deepEqual(await policies(), { '*': 'propose', create_task: 'ask', notify_user: 'run' });
  await house.picture(page, 'agent-powers');

  await button(page, 'Remove the policy for all other tools').click();
  await deed(page, 'Remove it');
  await rules.filter({ hasText: 'all other tools' }).waitFor({ state: 'detached' });
  assert.deepEqual(await policies(), { create_task: 'ask', notify_user: 'run' });
  await house.client.destroyAgent('trainer');
  await button(page, 'Set a policy').waitFor({ state: 'detached' });
  await holds(async () => assert.equal(await button(page, 'Remove the policy for create_task').count(), 0));
});
