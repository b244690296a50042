import assert from 'node:assert/strict';
import { eventually, holds } from './house.mjs';
import { breakSubscriber } from './fill.mjs';
import { suite } from './suite.mjs';

const { house, check } = suite(async ({ daemon }) => {
  breakSubscriber(daemon);
  await eventually('the files are read', async () => (await daemon.client.subscribers()).problems.length > 0);
});
const one = (page, id) => page.locator(`#subscriber-${id}`);

check('each has its name, description, types and priority', async ({ visit }) => {
  const page = await visit('#/subscribers');
  const ci = one(page, 'ci_failure');
  await ci.getByText('Tells the agent which builds failed.').waitFor();
  await holds(async () => assert.deepEqual(await ci.locator('.types code').allInnerTexts(), ['ci.build.failed', 'ci.deploy.*']));
  await ci.locator('.priority.high').waitFor();
  await ci.getByText('from warning on').waitFor();
  await house.picture(page, 'subscribers');
});

check('a switch turns one off for the person, and on again', async ({ visit }) => {
  const page = await visit('#/subscribers');
  const flip = one(page, 'ci_failure').getByRole('switch');
  await flip.click();
  await page.locator('#subscriber-ci_failure.off').waitFor();
  await eventually('it is off', async () => (await house.client.subscribers()).data.find(({ id }) => id === 'ci_failure').enabled === false);
  await holds(async () => assert.equal(await flip.getAttribute('aria-checked'), 'false'));
  await flip.click();
  await eventually('it is on', async () => (await house.client.subscribers()).data.find(({ id }) => id === 'ci_failure').enabled === true);
});

check('core ones are locked, with the reason', async ({ visit }) => {
  const page = await visit('#/subscribers');
  const core = one(page, 'tool_failure');
  await core.getByText('Nobody can switch it off.').waitFor();
  await core.getByText('An agent that does not hear that its tool failed goes on as if it had worked, and tells people so.').waitFor();
  const flip = core.getByRole('switch');
  await holds(async () => assert.equal(await flip.isDisabled(), true));
  await holds(async () => assert.equal(await flip.getAttribute('aria-describedby'), await core.locator('.core-why').getAttribute('id')));
});

check('the errors of broken files are shown with file, line and field', async ({ visit }) => {
  const page = await visit('#/subscribers');
  const problems = page.getByRole('region', { name: 'Broken files' });
  await problems.getByText('severty_filter').waitFor();
  await holds(async () => assert.match(await problems.innerText(), /broken\.toml:9:\d+/));
  await holds(async () => assert.equal(await one(page, 'broken').count(), 0));
});

check('the test button shows what comes of made-up events, and changes nothing', async ({ visit }) => {
  const before = (await house.client.notifications()).data.length;
  const page = await visit('#/subscribers');
  await one(page, 'tool_failure').getByRole('button', { name: /^Test/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The agent reads').first().waitFor();
  const rehearsed = await house.client.testSubscriber('tool_failure');
  await dialog.getByText(rehearsed.notifications[0].text.split('\n')[0]).first().waitFor();
  await house.picture(page, 'subscriber-test');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await house.client.notifications()).data.length, before);
});
