// Checks the sources by their JSDoc types, and that types/ is what they declare.
//   node types.mjs [--write]
// --write makes types/ again.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { find } from '../../../tests/packages.mjs';

const here = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const compiler = find('typescript/bin/tsc');
const types = dirname(find('@types/node'));

function tsc(...options) {
  const run = spawnSync(process.execPath, [compiler, ...options], { encoding: 'utf8' });
  if (run.status === 0) return;
  console.error(run.stdout + run.stderr);
  process.exit(1);
}

const made = mkdtempSync(join(tmpdir(), 'belfry-types-'));
try {
  tsc('-p', here, '--outDir', made, '--typeRoots', types);
  const target = join(here, 'types');
  if (process.argv[2] === '--write') cpSync(made, target, { recursive: true });
  const names = readdirSync(made);
  const stale = names.filter((name) => !existsSync(join(target, name)) || readFileSync(join(made, name), 'utf8') !== readFileSync(join(target, name), 'utf8'));
  const extra = readdirSync(target).filter((name) => name !== 'wire.d.ts' && !names.includes(name));
  if (stale.length + extra.length > 0) {
    console.error(`types/ is not what src/ declares: ${[...stale, ...extra].join(', ')}; run this with --write`);
    process.exit(1);
  }
  // As a stranger's program sees the package, also one that does not know Node's types.
  const stranger = join(made, 'stranger');
  for (const part of ['package.json', 'types', 'src']) cpSync(join(here, part), join(stranger, 'node_modules/belfry-client', part), { recursive: true });
  cpSync(join(here, 'tests/consumer.ts'), join(stranger, 'consumer.ts'));
  tsc('--noEmit', '--strict', '--target', 'ES2022', '--module', 'NodeNext', '--typeRoots', join(stranger, 'none'), join(stranger, 'consumer.ts'));
} finally {
  rmSync(made, { recursive: true });
}
console.log('the types are right');
