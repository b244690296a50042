// The pictures of the README, while `belfry demo` plays: node tests/web/pictures.mjs [FOLDER]; docs/ unless told.
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { House, binary } from './house.mjs';

const folder = resolve(process.argv[2] ?? fileURLToPath(new URL('../../docs', import.meta.url)));
const house = await new House().open();
try {
  const options = { viewport: { width: 1280, height: 760 }, deviceScaleFactor: 1.5 };
  const light = await house.visit('#/inbox', await house.newContext({ colorScheme: 'light', ...options }));
  const dark = await house.visit('#/runs', await house.newContext({ colorScheme: 'dark', ...options }));
  const demo = spawn(binary, ['demo', '--url', house.daemon.url, '--token', house.daemon.token], { stdio: 'inherit' });
  const ended = new Promise((done) => { demo.once('exit', done); });
  const save = (page, name) => page.screenshot({ path: join(folder, name) });

  await dark.locator('.list .row', { hasText: 'Compare three heat pumps' }).click({ timeout: 90000 });
  await dark.locator('.stream').getByText('The subsidy changes the order').waitFor({ timeout: 60000 });
  await dark.locator('.stream').getByText('archive_query').waitFor();
  await save(dark, 'web-run.png');
  await ended;
  await light.locator('.list .row', { hasText: 'Download failed' }).click();
  await light.waitForTimeout(700);
  await save(light, 'web-inbox.png');
  for (const calls = light.locator('.toast-head button'); await calls.count() > 0;) await calls.first().click(); // they stand before the checklist
  await light.evaluate(() => { location.hash = '#/tasks/demo-write-the-report'; });
  await light.locator('.checklist li').first().waitFor();
  await light.locator('.spans li').first().waitFor();
  await save(light, 'web-tasks.png');
  for (const [name, hash] of [['conversation', '#/conversation'], ['ledger', '#/ledger'], ['overview', '#/overview'], ['subscribers', '#/subscribers']]) {
    await light.evaluate((to) => { location.hash = to; }, hash);
    await light.waitForTimeout(600);
    if (name !== 'overview') await light.keyboard.press('j');
    await light.waitForTimeout(1500);
    if (process.argv[2]) await save(light, `web-${name}.png`);
  }
} finally {
  await house.close();
}
