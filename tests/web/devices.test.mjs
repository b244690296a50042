import assert from 'node:assert/strict';
import { Daemon, eventually, holds } from './house.mjs';
import { suite } from './suite.mjs';

let other;
const { house, check } = suite(async ({ daemon }) => {
  await daemon.stop();
  await listen(daemon, 'laptop');
  other = new Daemon();
  await listen(other, 'desk');
});

const address = async (client) => (await client.syncStatus()).device.listens_on;

/** A restart keeps its address: the other one calls it there. */
async function listen(daemon, name) {
  const flags = (at) => ['--sync-listen', at, '--sync-name', name];
  daemon.flags = flags('127.0.0.1:0');
  await daemon.start();
  daemon.flags = flags(await address(daemon.client));
}
const peerOf = async (client, name) => (await client.syncStatus()).peers.find((one) => one.name === name && !one.revoked_at);
const button = (page, name) => page.getByRole('button', { name, exact: true });
const device = (page, name) => page.locator('.device', { hasText: name });
const same = async () => {
  const [here, there] = await Promise.all([house.client.syncDigest(), other.client.syncDigest()]);
  return here.digest === there.digest;
};

check('a device that is alone says so', async ({ visit }) => {
  const page = await visit('#/devices');
  await page.getByText('This device is alone').waitFor();
  await page.getByText('laptop', { exact: true }).waitFor();
  await house.picture(page, 'devices-alone');
});

check('a code that is shown here and typed elsewhere closes by itself, and the device is there', async ({ visit }) => {
  const page = await visit('#/devices');
  await button(page, 'Show a code').click();
  const code = await page.locator('.pairing-code').innerText();
  assert.match(code, /^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/);
  await house.picture(page, 'devices-code');
  await other.client.pair(code, await address(house.client));
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('status').getByText('Paired with desk.').waitFor();
  await device(page, 'desk').getByText('connected', { exact: true }).waitFor();
  await device(page, 'desk').getByText('Nothing is behind.').waitFor();
});

check('what is behind is said while a device is away, and what was merged when it is back', async ({ visit }) => {
  const page = await visit('#/devices');
  const { id } = await house.client.createRecord('task', { title: 'Milk' });
  await eventually('both know the same', same);
  await house.daemon.stop();
  await other.client.changeRecord('task', id, { title: 'Oat milk' });
  await other.stop();
  await house.daemon.start();
  await house.client.changeRecord('task', id, { title: 'Soy milk' });
  await device(page, 'desk').getByText('not connected').waitFor();
  await device(page, 'desk').getByText(/It has yet to hear of \d+ changes?\./).waitFor();
  await house.picture(page, 'devices-away');
  await other.start();
  await eventually('both know the same', same);
  await device(page, 'desk').getByText('Nothing is behind.').waitFor();
  const { title } = await house.client.record('task', id);
  const lost = title === 'Oat milk' ? 'Soy milk' : 'Oat milk';
  const merge = page.locator('.merges > li', { hasText: id });
  // Which of the two notices it first is open; the page shows what this one has.
  if ((await house.client.merges()).data.length > 0) {
    await merge.locator('.kept .said').getByText(title).waitFor();
    await merge.locator('.lost .said').getByText(lost).waitFor();
    await merge.getByText('Decided by latest').waitFor();
  }
  await house.picture(page, 'devices');
});

check('what is wrong with a code is said at its field', async ({ visit }) => {
  const page = await visit('#/devices');
  await button(page, 'Type a code').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Code').fill('short');
  await dialog.getByLabel('Its address').fill('127.0.0.1:1');
  await button(page, 'Pair them').click();
  await dialog.locator('.fault').waitFor();
  assert.equal(await dialog.getByLabel('Code').getAttribute('aria-invalid'), 'true');
  await dialog.getByLabel('Code').fill('K7QF-92MX-4TRA');
  await button(page, 'Pair them').click();
  await holds(async () => assert.equal(await dialog.getByLabel('Its address').getAttribute('aria-invalid'), 'true'));
  await house.picture(page, 'devices-fault');
});

check('a device is revoked when that was asked for once more, and paired again by a code that is typed', async ({ visit }) => {
  const page = await visit('#/devices');
  await button(page, 'Revoke desk').click();
  await page.getByRole('dialog').getByText('What it told stays here').waitFor();
  await button(page, 'Revoke it').click();
  await device(page, 'desk').getByText('revoked', { exact: true }).waitFor();
  await eventually('the link is down', async () => !(await peerOf(other.client, 'laptop')).connected);
  const { code } = await other.client.beginPairing();
  await button(page, 'Type a code').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Code').fill(code.toLowerCase());
  await dialog.getByLabel('Its address').fill(await address(other.client));
  await button(page, 'Pair them').click();
  await page.getByRole('status').getByText('Paired with desk.').waitFor();
  await device(page, 'desk').getByText('connected', { exact: true }).waitFor();
});

check('the key of the page brings one to it', async ({ visit }) => {
  const page = await visit('#/inbox');
  await page.keyboard.press('g');
  await page.keyboard.press('v');
  await page.getByRole('heading', { name: 'Devices' }).waitFor();
  await other.remove();
});
