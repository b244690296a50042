import assert from 'node:assert/strict';
import { eventually, holds } from './house.mjs';
import { fillRuns } from './fill.mjs';
import { suite } from './suite.mjs';

let made;
const { house, check } = suite(async ({ client }) => {
  await client.putSession('research', { user_id: 'ada' });
  made = await fillRuns(client);
});

check('the list shows states and can be narrowed to one', async ({ visit }) => {
  const page = await visit('#/runs');
  const row = (text) => page.locator('.list .row', { hasText: text });
  await row('Compare three heat pumps').locator('.state.running').waitFor();
  await row('Prices and subsidies').locator('.state.completed').waitFor();
  await row('Ten winters').getByText('source_gone: the weather archive does not answer').waitFor();
  await row('Write the minutes').locator('.state.pending').waitFor();
  await page.locator('.choices').getByRole('button', { name: 'failed' }).click();
  await row('Prices and subsidies').waitFor({ state: 'detached' });
  await holds(async () => assert.equal(await page.locator('.list .row').count(), 1));
});

check('a tree of agents streams as one, live, each piece once', async ({ visit }) => {
  const page = await visit(`#/runs/${made.lead.id}`);
  const stream = page.locator('.stream');
  await stream.getByText('I split the question: one worker for prices, one for noise, one for the winters of the last ten years.').waitFor();
  await stream.getByText('Noise at night: looking for sources.').waitFor();
  await holds(async () => assert.deepEqual(await page.locator('.family-name').allInnerTexts(), ['Compare three heat pumps', 'Prices and subsidies', 'Noise at night', 'Ten winters']));
  const wim = made.workers[1];
  for (const delta of ['At night ', 'it is ', '34 decibels.']) await house.client.emitRun(wim.id, { event: 'llm.stream', data: { delta, message_id: 'live' } });
  await stream.getByText('At night it is 34 decibels.', { exact: true }).waitFor();
  await house.picture(page, 'run');
  await page.locator('.tabs').getByRole('button', { name: 'This run' }).click();
  await stream.getByText('Noise at night: looking for sources.').waitFor({ state: 'detached' });
  await stream.getByText('I split the question').waitFor();
});

check('tool calls are paired with their results, and the timeline has a lane for each agent', async ({ visit }) => {
  const page = await visit(`#/runs/${made.lead.id}?view=tools`);
  const rows = page.locator('.tool-table tbody tr');
  await rows.filter({ hasText: '3 models, 11,400 to 14,900 euros' }).waitFor();
  await holds(async () => assert.equal(await rows.count(), 3));
  await rows.filter({ hasText: 'HTTP 503' }).waitFor();
  await holds(async () => assert.equal(await page.locator('.tool-table tr.bad').count(), 1));
  await page.locator('.tabs').getByRole('button', { name: 'Timeline' }).click();
  await page.locator('.timeline .bar.failed').waitFor();
  await holds(async () => assert.equal(await page.locator('.timeline li').count(), 4));
  await holds(async () => assert.equal(await page.locator('.timeline .call').count(), 3));
  await house.picture(page, 'timeline');
});

check('a run is cancelled with a reason, and its children with it', async ({ visit }) => {
  const root = await house.client.createRun({ user_id: 'ada', title: 'To be cancelled', tree: true });
  const child = await house.client.createRun({ parent_id: root.id, title: 'Its child' });
  const page = await visit(`#/runs/${root.id}`);
  await page.getByRole('button', { name: 'Cancel run' }).click();
  await page.getByLabel('Why (optional)').fill('not needed any more');
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await page.getByText('Cancelled: not needed any more').waitFor();
  await page.locator('.run > header .state.cancelled').waitFor();
  await holds(async () => assert.equal((await house.client.run(child.id)).state, 'cancelled'));
  await holds(async () => assert.equal(await page.getByRole('button', { name: 'Cancel run' }).count(), 0));
  await eventually('the stream has its end once', async () => (await page.locator('.block.cancelled').count()) === 2);
});

check('pausing is asked for and told', async ({ visit }) => {
  const run = await house.client.createRun({ user_id: 'ada', title: 'To be paused' });
  const page = await visit(`#/runs/${run.id}`);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.locator('.run > header .state.paused').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.locator('.run > header .state.running').waitFor();
  await holds(async () => assert.equal((await house.client.run(run.id)).paused, false));
});

check('a run that ends while it is looked at says so', async ({ visit }) => {
  const run = await house.client.createRun({ user_id: 'ada', title: 'Soon over' });
  const page = await visit(`#/runs/${run.id}`);
  await page.locator('.run > header .state.running').waitFor();
  await house.client.finishRun(run.id, 'completed', { result: { pages: 3 } });
  await page.locator('.run > header .state.completed').waitFor();
  await page.locator('.tabs').getByRole('button', { name: 'Facts' }).click();
  await page.locator('.values', { hasText: /pages.*3/ }).waitFor();
});
