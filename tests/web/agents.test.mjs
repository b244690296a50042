import assert from 'node:assert/strict';
import { eventually, holds, painted } from './house.mjs';
import { fillAgents } from './fill.mjs';
import { suite } from './suite.mjs';

const { house, check } = suite(async ({ client }) => { await fillAgents(client); });
const row = (page, text) => page.locator('.list .row', { hasText: text });
const section = (page, name) => page.getByRole('region', { name, exact: true });
const doing = (page, state) => page.locator(`.agent > header .state.${state}`).waitFor();
const button = (page, name) => page.getByRole('button', { name, exact: true });
const deed = (page, name) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

check('the list says what each does, how often it failed and when it is woken next', async ({ visit }) => {
  const page = await visit('#/agents');
  await row(page, 'Build fixer').locator('.state.running').waitFor();
  await holds(async () => assert.ok((await row(page, 'Build fixer').locator('.state.running').boundingBox()).height <= 20, 'a mark, no box'));
  await row(page, 'Build fixer').getByText(/^next in \d+ (s|min)$/).waitFor();
  await row(page, 'Scribe').locator('.state.failed').waitFor();
  await row(page, 'Scribe').getByText('1 failure').waitFor();
  await row(page, 'Morning coach').getByText('interactive, not woken yet').waitFor();
  await row(page, 'Porter').locator('.state.dormant').waitFor();
  await holds(async () => assert.equal(await row(page, 'The old one').count(), 0));
  await page.locator('.choices').getByRole('button', { name: 'Destroyed' }).click();
  await row(page, 'The old one').waitFor();
  await holds(async () => assert.equal(await page.locator('.list .row').count(), 1));
});

check('an agent shows what wakes it, what it has in mind, and its wakes', async ({ visit }) => {
  const page = await visit('#/agents/fixer');
  const rules = section(page, 'What wakes it').locator('.rules > li');
  await rules.filter({ hasText: 'ci.*' }).getByText('payload.branch == "main"').waitFor();
  await rules.filter({ hasText: 'ci.*' }).getByText('at once').waitFor();
  const deploys = rules.filter({ hasText: 'deploy.slow' });
  for (const words of ['after 2 min', 'from warning on', 'only from deployer', 'priority 5']) await deploys.getByText(words).waitFor();
  const mind = section(page, 'What it has in mind');
  for (const words of ['Every branch builds by the evening.', 'build-4711', 'review-812, flaky-tests']) await mind.getByText(words).waitFor();
  await mind.locator('.values', { hasText: /tone.*short/ }).waitFor();
  const wakes = section(page, 'Its wakes').locator('li');
  await wakes.filter({ hasText: '2 events of ci.failed' }).locator('.state.completed').waitFor();
  await wakes.filter({ hasText: '2 events: deploy.slow, deploy.failed' }).getByText(/due in/).waitFor();
  await page.getByText('open_pull_request, read_repository').waitFor();
  await house.picture(page, 'agent');
  await page.locator('.agent > header').getByRole('link', { name: /^Run #/ }).click();
  await page.locator('.run > header .state.running').waitFor();
});

check('a new agent is made, given a subscription, and loses it again', async ({ visit }) => {
  const page = await visit('#/agents');
  await button(page, 'New agent').click();
  await page.getByLabel('Id', { exact: true }).and(page.locator(':focus')).fill('fixer');
  await page.getByLabel('Kind (optional)').fill('other');
  await deed(page, 'Make it');
  await page.locator('.fault', { hasText: /another agent has this id/i }).waitFor();
  await page.getByLabel('Id', { exact: true }).and(page.locator(':focus')).fill('gardener');
  await page.getByLabel('Name (optional)').fill('Gardener');
  await page.getByLabel('Mode').selectOption({ label: 'autonomous: events and the clock wake it' });
  await deed(page, 'Make it');
  await page.locator('.agent h2', { hasText: 'Gardener' }).waitFor();
  await row(page, 'Gardener').waitFor();
  assert.equal((await house.client.agent('gardener')).mode, 'autonomous');

  await button(page, 'Add a subscription').click();
  await page.getByLabel('Types of events').fill('rain.*, frost.warning');
  await page.getByLabel('Only where (optional)').fill('payload.mm = 3');
  await page.getByLabel('How soon').selectOption({ label: 'after 10 min' });
  await deed(page, 'Add it');
  await page.locator('.fault', { hasText: 'equality is ==' }).waitFor();
  await page.getByLabel('Only where (optional)').and(page.locator(':focus')).fill('payload.mm >= 3');
  await deed(page, 'Add it');
  const rule = page.locator('.rules > li', { hasText: 'rain.*' });
  await rule.getByText('payload.mm >= 3').waitFor();
  const [stored] = (await house.client.wakeSubscriptions('gardener')).data;
  assert.deepEqual([stored.types, stored.window_ms, stored.severity], [['rain.*', 'frost.warning'], 600000, 'debug']);
  await rule.getByRole('button', { name: 'Remove the subscription to rain.*, frost.warning' }).click();
  await deed(page, 'Remove it');
  await rule.waitFor({ state: 'detached' });
  assert.deepEqual((await house.client.wakeSubscriptions('gardener')).data, []);
});

check('waking it asks what it is given, and leads to the wake', async ({ visit }) => {
  const page = await visit('#/agents/coach');
  await button(page, 'Wake now').click();
  await page.getByLabel('What it is given (optional)').fill('{"plan": ');
  await deed(page, 'Wake it');
  await page.locator('.fault', { hasText: 'It begins like JSON' }).waitFor();
  await page.getByLabel('What it is given (optional)').fill('Legs hurt. Something light today.');
  await deed(page, 'Wake it');
  await page.locator('.wake h2', { hasText: 'Morning coach: asked for by hand' }).waitFor();
  await page.locator('.wake .values', { hasText: 'Legs hurt. Something light today.' }).waitFor();
  const [made] = (await house.client.wakes({ agent: 'coach' })).data;
  assert.deepEqual([made.reason, made.input], ['manual', { text: 'Legs hurt. Something light today.' }]);
});

check('it is put to sleep, roused, sent to rest, brought back, and destroyed, each time after a question', async ({ visit }) => {
  await house.client.createAgent({ id: 'guest', display_name: 'Guest' });
  const page = await visit('#/agents/guest');
  await doing(page, 'idle');
  await button(page, 'Put to sleep').click();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal((await house.client.agent('guest')).state.sleep_until, null);
  await button(page, 'Put to sleep').click();
  await page.getByLabel('Until').fill('2030-03-04T05:06');
  await deed(page, 'Put to sleep');
  await doing(page, 'sleeping');
  const inItsZone = await page.evaluate(() => new Date('2030-03-04T05:06').getTime());
  assert.equal(Date.parse((await house.client.agent('guest')).state.sleep_until), inItsZone);
  await button(page, 'End its sleep').click();
  await deed(page, 'End its sleep');
  await doing(page, 'idle');
  await button(page, 'Let rest').click();
  await deed(page, 'Let it rest');
  await doing(page, 'dormant');
  await button(page, 'Make active').click();
  await deed(page, 'Make active');
  await doing(page, 'idle');
  await button(page, 'Destroy').click();
  await deed(page, 'Let it live');
  assert.notEqual((await house.client.agent('guest')).lifecycle, 'destroyed');
  await button(page, 'Destroy').click();
  await deed(page, 'Destroy it');
  await doing(page, 'destroyed');
  await holds(async () => assert.equal(await button(page, 'Wake now').count(), 0));
  await row(page, 'Guest').waitFor({ state: 'detached' });
});

check('what a worker does is seen as it happens', async ({ visit }) => {
  await house.client.createAgent({ id: 'runner', display_name: 'Runner' });
  const page = await visit('#/agents/runner');
  await doing(page, 'idle');
  await house.client.wakeAgent('runner', { request_id: 'first' });
  await section(page, 'Its wakes').locator('li .state.queued').waitFor();
  const { wake } = await house.client.claimWake(['runner'], { wait_s: 10 });
  await doing(page, 'running');
  await row(page, 'Runner').locator('.state.running').waitFor();
  await house.client.endWake(wake);
  await doing(page, 'idle');
  await section(page, 'Its wakes').locator('li .state.completed').waitFor();
});

check('a person sees and wakes his own agents, and none of what was read for who was there before', async () => {
  await house.client.createAgent({ id: 'bobs', display_name: 'Bob’s own', user_id: 'bob' });
  const bob = await house.client.once('POST', '/v1/tokens', { name: 'bob', role: 'user', user_id: 'bob' });
  const context = await house.newContext();
  const page = await house.visit('#/agents', context);
  await row(page, 'Build fixer').waitFor();
  await row(page, 'Bob’s own').waitFor();
  let open;
  const gate = new Promise((done) => { open = done; });
  await page.route('**/v1/agents?*', async (route) => {
    await gate;
    await route.continue();
  });
  await page.evaluate((token) => { localStorage.setItem('belfry.token', token); dispatchEvent(new StorageEvent('storage', { key: 'belfry.token', newValue: token })); }, bob.token);
  await holds(async () => assert.equal(await page.locator('.list .row').count(), 0)); // though nothing new was read yet
  open();
  await row(page, 'Bob’s own').click();
  await button(page, 'Wake now').click();
  await deed(page, 'Wake it');
  await page.locator('.wake h2', { hasText: 'Bob’s own: asked for by hand' }).waitFor();
  await holds(async () => assert.equal(await page.locator('.list .row').count(), 1));
  await page.evaluate(() => { location.hash = '#/agents/fixer'; });
  await page.locator('.detail .trouble').waitFor();
  await context.close();
});

check('the list is gone through by keys, and what somebody types is text', async ({ visit }) => {
  await house.client.createAgent({ id: 'aaa', display_name: '<b>bold</b>' });
  await house.client.changeAgent('aaa', { state: { slots: { primary_goal: '<img src=x onerror="document.title=1">' } } });
  const page = await visit('#/inbox');
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await row(page, '<b>bold</b>').waitFor();
  await painted(page);
  await page.keyboard.press('j');
  await page.locator('.agent h2', { hasText: '<b>bold</b>' }).waitFor();
  await page.getByText('<img src=x onerror=').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Choose an agent').waitFor();
  await page.getByLabel('Search agents').fill('gym');
  await eventually('one is left', async () => (await page.locator('.list .row').count()) === 1);
});
