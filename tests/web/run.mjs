// Runs the tests of the web app, file after file: node tests/web/run.mjs [name…]. What they need of npm is installed first; where that
// or a browser cannot be had, it says so and ends with 77, which ctest counts as skipped.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

function giveUp(why) {
  console.error(`SKIPPED: ${why}, so the web app was not tested in a browser`);
  process.exit(77);
}

if (!existsSync(`${here}node_modules/playwright-core`) || !existsSync(`${here}node_modules/axe-core`)) {
  const run = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: here, encoding: 'utf8', timeout: 120000 });
  if (run.status !== 0) giveUp(`npm cannot install playwright-core and axe-core here\n${run.stderr ?? ''}\n`);
}
const { missing } = await import('./house.mjs');
if (missing()) giveUp(missing());
const wanted = process.argv.slice(2);
const files = readdirSync(here).filter((name) => name.endsWith('.test.mjs') && (wanted.length === 0 || wanted.includes(name.replace('.test.mjs', ''))));
let worst = 0;
for (const name of files) worst = Math.max(worst, spawnSync(process.execPath, ['--test', here + name], { stdio: 'inherit' }).status ?? 1);
process.exit(worst);
