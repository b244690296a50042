// Runs the tests of the web app, two files at a time: node tests/web/run.mjs [name…]. The one that measures runs alone. What they need
// of npm is installed first; where that or a browser cannot be had, it says so and ends with 77, which ctest counts as skipped.
import { spawn, spawnSync } from 'node:child_process';
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
const measuring = 'large.test.mjs';

/** Its output is shown in one piece when it has ended. */
function run(name) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--test', here + name], { stdio: ['ignore', 'pipe', 'pipe'] });
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => said.push(piece));
    child.on('close', (status) => {
      process.stdout.write(Buffer.concat(said));
      resolve(status ?? 1);
    });
  });
}

const waiting = files.filter((name) => name !== measuring);
const ended = [];
async function lane() {
  while (waiting.length > 0) ended.push(await run(waiting.shift()));
}
await Promise.all([lane(), lane()]);
if (files.includes(measuring)) ended.push(await run(measuring));
process.exit(Math.max(0, ...ended));
