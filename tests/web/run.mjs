// Runs the tests of the web app, two files at a time: node tests/web/run.mjs [name…]. The one that measures runs alone.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { find, lacks } from '../packages.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));

find('playwright-core');
find('axe-core');
const { missing } = await import('./house.mjs');
if (missing()) lacks(missing());
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
