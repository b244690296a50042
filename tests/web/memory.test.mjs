import assert from 'node:assert/strict';
import { fillMemory, settled, thinker } from './fill.mjs';
import { holds, painted } from './house.mjs';
import { suite } from './suite.mjs';

let filled;
const { house, check } = suite(async ({ client }) => { filled = await fillMemory(client); });
const at = (id, query = '') => `#/agents/${id}?view=memory${query}`;
const ofThread = (thread) => `&thread=${encodeURIComponent(thread)}`;
const tier = (page, name) => page.getByRole('region', { name: new RegExp(`^${name}: `) });
const section = (page, name) => page.getByRole('region', { name, exact: true });
const button = (page, name) => page.getByRole('button', { name, exact: true });
const deed = (page, name) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
const entry = (page, id) => page.locator(`[data-entry='${id}']`);
const focused = (page) => page.evaluate(() => document.activeElement.dataset.entry ?? document.activeElement.textContent);

check('an agent that remembers nothing says so', async ({ visit }) => {
  await house.client.createAgent({ id: 'fresh', display_name: 'Fresh one' });
  const page = await visit(at('fresh'));
  await page.getByRole('heading', { name: 'What Fresh one remembers' }).waitFor();
  await page.getByText('It remembers nothing yet').waitFor();
  await page.getByText('Nothing was folded this week, and nothing waits.').waitFor();
  assert.equal(await button(page, 'Forget this thread…').count(), 0);
  await house.picture(page, 'memory-empty');
});

check('from its page one comes to its memory: cold, warm and hot in the order of time, with their spans', async ({ visit }) => {
  const { data } = await house.client.memorySummaries('gardener');
  const page = await visit('#/agents/gardener');
  await page.getByRole('link', { name: 'All that it remembers' }).click();
  await page.getByRole('heading', { name: 'What Head gardener remembers' }).waitFor();
  await page.getByLabel('Thread', { exact: true }).selectOption({ label: 'session gardener-talk' });
  await tier(page, 'Hot').getByText('Todo: empty the water pipes').waitFor();
  const shown = async (name) => tier(page, name).locator('> ol > li').evaluateAll((all) => all.map((one) => one.dataset.entry));
  const byTime = (depths) => data.filter(({ depth }) => depths(depth)).sort((a, b) => b.depth - a.depth || Date.parse(a.summary.from) - Date.parse(b.summary.from)).map(({ id }) => id);
  assert.ok(byTime((depth) => depth > 1).length > 0 && byTime((depth) => depth === 1).length > 0, 'there is something of each');
  await holds(async () => assert.deepEqual(await shown('Cold'), byTime((depth) => depth > 1)));
  assert.deepEqual(await shown('Warm'), byTime((depth) => depth === 1));
  const told = await house.client.memory('gardener', { thread_id: filled.thread });
  const hot = await shown('Hot');
  assert.deepEqual(hot.slice(-told.messages.length), told.messages.map(({ id }) => id));
  const warm = data.find(({ depth }) => depth === 1);
  const count = Object.values(warm.summary.counts).reduce((sum, one) => sum + one, 0);
  await entry(page, warm.id).getByText(`${count} messages: `).waitFor();
  await entry(page, told.messages.at(-1).id).locator('.fate.told').waitFor();
  await house.picture(page, 'memory');
});

check('the budget is a bar, what was left out says why, and what is carried on says where it was said', async ({ visit }) => {
  const page = await visit(at('gardener', ofThread(filled.thread)));
  const told = await house.client.memory('gardener', { explain: true, thread_id: filled.thread });
  const context = section(page, 'What it is told');
  const used = (told.used_tokens + told.reserved_tokens).toLocaleString('en-GB');
  await context.getByRole('img', { name: `Budget: ${used} of 1,200 tokens are used` }).waitFor();
  const shares = await context.locator('.shares dd').allInnerTexts();
  assert.equal(shares.reduce((sum, one) => sum + Number(one.replaceAll(',', '')), 0), 1200, 'all of it is accounted for');
  assert.ok(told.left_out > 0, 'there is too much for it');
  await context.locator('details summary', { hasText: 'left out' }).first().waitFor();
  const counts = await context.locator('details summary', { hasText: 'left out' }).allInnerTexts();
  assert.equal(counts.reduce((sum, one) => sum + Number.parseInt(one, 10), 0), told.left_out);
  for (const [name, text] of [['Goals', 'every bed is covered before the first frost'], ['Decisions', 'the dahlias are dug up on Saturday'], ['Open loops', 'empty the water pipes']]) await section(page, name).getByText(text, { exact: true }).waitFor();
  await section(page, 'Goals').getByRole('button', { name: /^Where it was said: every bed is covered/ }).click();
  await page.getByRole('dialog').getByText('Goal: every bed is covered before the first frost').waitFor();
  await page.keyboard.press('Escape');
  const missing = told.choices.find(({ part, fate }) => part === 'summary' && fate !== 'included') ?? told.choices.find(({ part, fate }) => part === 'message' && fate !== 'included');
  await entry(page, missing.id).locator('.fate.untold').first().waitFor();
  const group = context.locator('details', { hasText: /left out/ }).filter({ has: page.getByRole('button', { name: new RegExp(`^Show the ${missing.part}`), includeHidden: true }) }).first();
  await group.locator('summary').click();
  await group.getByRole('button', { name: new RegExp(`^Show the ${missing.part}`) }).first().click();
  await holds(async () => assert.match(await focused(page), /^[0-9a-f-]{36}$/, 'it goes to where that stands'));
});

check('a summary opens to what was said, page by page, and a deeper one to summaries that open in turn', async ({ visit }) => {
  const { data } = await house.client.memorySummaries('gardener');
  const warm = data.find(({ depth, summary }) => depth === 1 && (summary.counts.thought ?? 0) > 20);
  const cold = data.find(({ depth }) => depth > 1);
  const page = await visit(at('gardener', ofThread(filled.thread)));
  const open = entry(page, warm.id).getByRole('button', { name: /^Open what was said: / });
  await open.click();
  const said = entry(page, warm.id).getByRole('list', { name: 'What was said' }).locator('> li');
  await holds(async () => assert.equal(await said.count(), 20));
  const span = (await house.client.openSummary('gardener', warm.id, { limit: 1000 })).data;
  assert.ok(span.length > 20, 'there is more than a page');
  for (let shown = 20; shown < span.length; shown += 20) {
    await entry(page, warm.id).getByRole('button', { name: 'Show more' }).click();
    await holds(async () => assert.equal(await said.count(), Math.min(span.length, shown + 20)));
  }
  assert.deepEqual(await said.evaluateAll((all) => all.map((one) => one.dataset.entry)), span.map(({ id }) => id));
  await entry(page, warm.id).getByRole('button', { name: /^Close its span: / }).click();
  await holds(async () => assert.equal(await said.count(), 0));

  const inside = (await house.client.memorySummaries('gardener', { folded: cold.id })).data;
  await entry(page, cold.id).locator('> p > button[data-open]').click();
  const children = entry(page, cold.id).getByRole('list', { name: 'Summaries in it' }).first().locator('> li');
  await holds(async () => assert.deepEqual(await children.evaluateAll((all) => all.map((one) => one.dataset.entry)), inside.map(({ id }) => id)));
  await house.picture(page, 'memory-cold');
  const [first] = (await house.client.openSummary('gardener', inside[0].id, { limit: 1 })).data;
  await children.first().locator('> p > button[data-open]').click();
  await entry(page, first.id).waitFor();
});

check('what was said is found by its words, and the whole of it opens', async ({ visit }) => {
  const page = await visit(at('gardener'));
  await page.getByText('What Head gardener remembers').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('shed key 4711');
  const found = section(page, 'What was found');
  const hit = found.locator('.results > li').first();
  await hit.locator('mark', { hasText: '4711' }).waitFor();
  await hit.locator('mark', { hasText: 'shed' }).waitFor();
  await hit.getByText('session gardener-talk').waitFor();
  await house.picture(page, 'memory-search');
  await hit.getByRole('button', { name: /^The whole thought message of / }).click();
  await page.getByRole('dialog').getByText('The key to the shed hangs behind the rain barrel, number 4711').waitFor();
  await page.keyboard.press('Escape');
  await found.getByLabel('Kind').selectOption('user');
  await found.getByText('Nothing was found').waitFor();
  await found.getByLabel('Kind').selectOption('');
  await page.getByLabel('Search its memory').fill('snowdrop');
  await found.locator('mark', { hasText: 'snowdrop' }).waitFor();
  await found.getByRole('button', { name: /^The whole thought/ }).first().click();
  await page.getByRole('dialog').getByText(/and the last one is a snowdrop$/).waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('Search its memory').fill('zyzzyva');
  await found.getByText('Nothing was found').waitFor();
  await page.getByLabel('Search its memory').fill('');
  await tier(page, 'Hot').waitFor();
});

check('a thread is chosen, and narrows what is hot, what is told, and what is found', async ({ visit }) => {
  const page = await visit(at('gardener'));
  await tier(page, 'Hot').getByText('The roses are cut in March.').waitFor(); // where it spoke last
  await section(page, 'This thread').getByRole('link', { name: 'gardener-roses' }).waitFor();
  await page.getByLabel('Thread', { exact: true }).selectOption({ label: 'session gardener-talk' });
  await tier(page, 'Hot').getByText('Todo: empty the water pipes').waitFor();
  await holds(async () => assert.equal(await tier(page, 'Hot').getByText('The roses are cut in March.').count(), 0));
  await page.getByLabel('Search its memory').fill('roses');
  await section(page, 'What was found').getByText('Nothing was found').waitFor();
  await page.getByLabel('Thread', { exact: true }).selectOption({ label: 'Where it spoke last' });
  await section(page, 'What was found').locator('mark', { hasText: 'roses' }).first().waitFor();
});

check('what is said and folded meanwhile is seen without a reload', async ({ visit }) => {
  const { think, wake } = await thinker(house.client, 'runner', { display_name: 'Runner' });
  const page = await visit(at('runner'));
  await tier(page, 'Hot').getByText('Good morning.').waitFor();
  await think('The first lap was slow');
  await tier(page, 'Hot').getByText('The first lap was slow').waitFor();
  assert.equal(await tier(page, 'Warm').locator('> ol > li').count(), 0);
  await button(page, 'Fold now').click();
  await deed(page, 'Fold it');
  await page.getByRole('status').filter({ hasText: /^(1 job open\.|There is nothing to fold\.)$/ }).waitFor();
  await tier(page, 'Warm').locator('> ol > li').first().waitFor();
  await section(page, 'Folding').locator('.fold .state.done').first().waitFor();
  await house.client.endWake(wake);
});

check('a job that was given up says why, and is tried again', async ({ visit }) => {
  const [job] = (await house.client.folds('gardener', { limit: 1 })).data;
  let isGivenUp = true;
  const page = await visit('#/agents');
  await page.route('**/v1/agents/gardener/memory/folds?*', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    const wanted = new URL(route.request().url()).searchParams.get('state');
    const broken = { ...job, state: 'failed_terminal', attempts: 6, last_error: 'the model gave <b>no</b> summary' };
    if (isGivenUp) body.data = wanted ? [broken] : body.data.map((one) => (one.id === job.id ? broken : one));
    await route.fulfill({ response: answer, json: body });
  });
  const asked = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith(`/v1/agents/gardener/memory/folds/${job.id}/restart`));
  await page.evaluate((hash) => { location.hash = hash; }, at('gardener'));
  const given = section(page, 'Folding').locator('.fold', { has: page.locator('.state.given_up') });
  await given.getByText('the model gave <b>no</b> summary').waitFor();
  await given.getByText('6 attempts').waitFor();
  await holds(async () => assert.equal(await given.count(), 1, 'once, though both lists have it'));
  isGivenUp = false;
  await given.getByRole('button', { name: /^Try again to fold / }).click();
  assert.equal((await (await asked).response()).status(), 200);
  await page.getByRole('status').filter({ hasText: 'It is tried again.' }).waitFor();
  await given.waitFor({ state: 'detached' });
});

check('a message is forgotten for good after a question, and nothing finds it again', async ({ visit }) => {
  const { think, wake } = await thinker(house.client, 'keeper', { display_name: 'Keeper' });
  await think('The word is xylophone', 'Decision: nobody hears of xylophone', ...Array.from({ length: 30 }, (_, at) => `step ${at}`));
  await house.client.endWake(wake);
  await settled(house.client, 'keeper');
  const page = await visit(at('keeper', '&q=word+xylophone'));
  const found = section(page, 'What was found').locator('.results > li');
  await found.filter({ hasText: 'The word is' }).getByRole('button', { name: /^The whole/ }).click();
  await deed(page, 'Forget it…');
  await page.getByRole('dialog', { name: 'Forget this message for good?' }).getByText(/gone for good.*cannot be taken back/).waitFor();
  await page.getByRole('dialog').getByText('The word is xylophone').waitFor();
  await house.picture(page, 'memory-forget');
  await deed(page, 'Keep it');
  assert.equal((await house.client.searchMemory('keeper', 'xylophone')).data.length, 2, 'it was only asked for');
  await found.filter({ hasText: 'The word is' }).getByRole('button', { name: /^The whole/ }).click();
  await deed(page, 'Forget it…');
  await deed(page, 'Forget for good');
  await page.getByRole('status').filter({ hasText: /^Forgotten: 1 message and \d+ summar/ }).waitFor();
  await holds(async () => assert.equal(await focused(page), 'What Keeper remembers'));
  assert.deepEqual((await house.client.searchMemory('keeper', 'xylophone')).data.map(({ snippet }) => snippet.includes('The word is')), [false]);
  await holds(async () => assert.equal(await found.filter({ hasText: 'The word is' }).count(), 0));
});

check('a thread is forgotten for good after a question, and the others stay', async ({ visit }) => {
  const first = await thinker(house.client, 'clerk', { display_name: 'Clerk', session: 'old-talk' });
  await first.think('About the old contract');
  await house.client.endWake(first.wake);
  const second = await thinker(house.client, 'clerk', { session: 'new-talk' });
  await second.think('About the new contract');
  await house.client.endWake(second.wake);
  const page = await visit(at('clerk', ofThread(first.thread)));
  await tier(page, 'Hot').getByText('About the old contract').waitFor();
  await button(page, 'Forget this thread…').click();
  const question = page.getByRole('dialog', { name: 'Forget this thread for good?' });
  await question.getByText('All that Clerk remembers of session old-talk, 2 messages, is taken away.').waitFor();
  await deed(page, 'Forget for good');
  await page.getByRole('status').filter({ hasText: 'Forgotten: 2 messages and 0 summaries.' }).waitFor();
  await tier(page, 'Hot').getByText('About the new contract').waitFor();
  await page.getByRole('status').filter({ hasText: 'Forgotten: 2 messages' }).waitFor(); // it still says so
  await holds(async () => assert.equal(await focused(page), 'What Clerk remembers'));
  assert.deepEqual((await house.client.searchMemory('clerk', 'contract')).data.map(({ thread_id }) => thread_id), [second.thread]);
});

check('an agent that is not there, and a daemon that refuses, are said, and can be asked again', async ({ visit }) => {
  const page = await visit(at('nobody'));
  await page.getByRole('alert').filter({ hasText: /no such agent/ }).waitFor();
  let isBroken = true;
  await page.route('**/v1/agents/gardener/memory/summaries*', (route) => (isBroken ? route.fulfill({ status: 500, contentType: 'application/problem+json', body: JSON.stringify({ code: 'internal', detail: 'the disk is on fire' }) }) : route.continue()));
  await page.evaluate((hash) => { location.hash = hash; }, at('gardener'));
  await page.getByRole('alert').filter({ hasText: 'the disk is on fire' }).waitFor();
  isBroken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await tier(page, 'Hot').waitFor();
  await page.route('**/v1/agents/gardener/memory/summaries/*', (route) => route.fulfill({ status: 404, contentType: 'application/problem+json', body: JSON.stringify({ code: 'not_found', detail: 'this agent has no such summary' }) }));
  await tier(page, 'Warm').getByRole('button', { name: /^Open what was said: / }).first().click();
  await tier(page, 'Warm').getByRole('alert').filter({ hasText: 'this agent has no such summary' }).waitFor();
});

check('it is gone through by keys, and what somebody has typed is text', async ({ visit }) => {
  const page = await visit(at('gardener', ofThread(filled.thread)));
  await tier(page, 'Hot').getByText('<img src=x onerror="document.title=1"> stands on the label').first().waitFor();
  const [first, second] = await page.locator('.memory [data-entry]').evaluateAll((all) => all.map((one) => one.dataset.entry));
  await painted(page);
  await page.keyboard.press('j');
  await holds(async () => assert.equal(await focused(page), first));
  await page.keyboard.press('j');
  await holds(async () => assert.equal(await focused(page), second));
  await page.keyboard.press('k');
  await holds(async () => assert.equal(await focused(page), first));
  await page.keyboard.press('Enter');
  await entry(page, first).locator('.memory-span [data-entry]').first().waitFor();
  await page.getByRole('group', { name: 'Go to' }).getByRole('button', { name: /^Hot/ }).click();
  await holds(async () => assert.match(await focused(page), /^Hot: what was said, as it is/));
  await page.keyboard.press('Escape');
  await page.locator('.agent h2', { hasText: 'Head gardener' }).waitFor();
});

check('a person sees his own agents’ memory only', async () => {
  const bob = await house.client.once('POST', '/v1/tokens', { name: 'bob', role: 'user', user_id: 'bob' });
  const context = await house.newContext();
  const page = await house.visit('#/agents', context);
  await page.evaluate((token) => { localStorage.setItem('belfry.token', token); dispatchEvent(new StorageEvent('storage', { key: 'belfry.token', newValue: token })); }, bob.token);
  await page.evaluate((hash) => { location.hash = hash; }, at('gardener'));
  await page.getByRole('alert').filter({ hasText: /no such agent/ }).waitFor();
  assert.equal(await page.locator('[data-entry]').count(), 0);
  await context.close();
});
