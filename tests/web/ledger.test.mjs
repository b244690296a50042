import assert from 'node:assert/strict';
import { eventually, holds } from './house.mjs';
import { fillConversation, fillLedger } from './fill.mjs';
import { suite } from './suite.mjs';

const { house, check } = suite(async ({ client }) => {
  await fillConversation(client);
  await fillLedger(client);
});

check('the picture counts the rows of each state, and narrows the list', async ({ visit }) => {
  const page = await visit('#/ledger');
  await page.locator('.box').first().waitFor();
  const { data } = await house.client.notifications({ limit: 1000 });
  for (const state of ['pending', 'dispatched', 'locked', 'escalated', 'delivered', 'failed']) {
    await holds(async () => assert.equal(await page.locator(`.box.${state} .count`).textContent(), String(data.filter((row) => row.state === state).length), state));
  }
  await house.picture(page, 'ledger');
  await page.locator('.box.failed').click();
  await page.locator('.list .row', { hasText: 'Say hello' }).waitFor({ state: 'detached' });
  await holds(async () => assert.deepEqual(await page.locator('.list .item-title > span').allInnerTexts(), ['The report of last week is ready']));
});

check('the whole way of a notification: each step with its lease, who and why', async ({ visit }) => {
  const page = await visit('#/inbox');
  const made = await house.client.notify('Follow me', { user_id: 'ada' });
  await page.locator('.row', { hasText: 'Follow me' }).click();
  await eventually('it is delivered', async () => (await house.client.notification(made.id)).state === 'delivered');
  await page.getByRole('link', { name: 'Why did I get this?' }).click();
  const steps = page.getByRole('list', { name: 'Steps' }).locator('li');
  await steps.filter({ hasText: 'locked → delivered' }).waitFor();
  const { steps: told } = (await house.client.why(made.id)).notifications[0];
  await holds(async () => assert.equal(await steps.count(), told.length));
  for (const [at, step] of told.entries()) {
    const said = await steps.nth(at).innerText();
    assert.ok(said.includes(step.to) && said.includes(step.reason.replaceAll('_', ' ')) && said.includes(`lease ${step.lease}`), said);
  }
  await house.picture(page, 'why');
});

check('the way of an event tells which subscribers wanted it', async ({ visit }) => {
  const event = await house.client.emit({ type: 'demo.hello', source: 'test', session_id: 'research' });
  const page = await visit(`#/ledger/${event.id}`);
  await page.getByRole('heading', { name: 'demo.hello' }).waitFor();
  await page.getByText('It reached nobody').waitFor();
});

check('a dead letter says why it failed, and is sent again as a new one', async ({ visit }) => {
  const page = await visit('#/ledger?tab=dead');
  const letter = page.locator('.letter', { hasText: 'The report of last week is ready' }).first();
  await letter.getByText('expired unseen').waitFor();
  await house.picture(page, 'dead-letters');
  const before = (await house.client.notifications({ limit: 1000 })).data.length;
  await letter.getByRole('button', { name: /^Retry/ }).click();
  await letter.getByText('Sent again').waitFor();
  const { data } = await house.client.notifications({ limit: 1000 });
  assert.equal(data.length, before + 1);
  assert.ok(data.some((row) => row.retry_of !== null));
});

check('search goes through the whole ledger, not only through what is shown', async ({ visit }) => {
  await house.client.notify('The needle of the haystack', { user_id: 'ada', session_id: 'barn' });
  for (let at = 0; at < 5; ++at) {
    await Promise.all(Array.from({ length: 50 }, (_, straw) => house.client.notify(`Straw ${at}-${straw}`, { user_id: 'ada' })));
  }
  const page = await visit('#/ledger');
  const titles = () => page.locator('.list .item-title > span').allInnerTexts();
  const search = page.getByLabel('Search the ledger');
  await page.getByText('The newest 200.').waitFor();
  await holds(async () => assert.ok(!(await titles()).includes('The needle of the haystack')));
  await search.fill('needle barn');
  await page.getByText('1 found in the whole ledger, by text, id, state, source, person or session.').waitFor();
  await holds(async () => assert.deepEqual(await titles(), ['The needle of the haystack']));
  const { data: [needle] } = await house.client.notifications({ session: 'barn' });
  await search.fill(needle.id);
  await eventually('it is found by its id', async () => (await titles()).join() === 'The needle of the haystack');
  await search.fill('STRAW');
  await page.getByText('200 found so far').waitFor();
  await page.getByRole('button', { name: 'Look further back' }).click();
  await page.getByText('250 found in the whole ledger').waitFor();
});
