// The pure parts of the app under Node's own test runner: each file of tests/ is bundled first, because Node 18 and 20 read no TypeScript.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { build } = await import('esbuild').catch(() => {
  console.error('the packages of web/ are missing; `make build` installs them');
  process.exit(1);
});
const tests = fileURLToPath(new URL('../tests/', import.meta.url));
const names = readdirSync(tests).filter((name) => name.endsWith('.test.ts'));
const made = mkdtempSync(join(tmpdir(), 'belfry-web-tests-'));
try {
  await build({ entryPoints: names.map((name) => join(tests, name)), bundle: true, platform: 'node', format: 'esm', outdir: made, outExtension: { '.js': '.mjs' }, logLevel: 'error' });
  const run = spawnSync(process.execPath, ['--test', ...names.map((name) => join(made, name.replace(/\.ts$/, '.mjs')))], { stdio: 'inherit', env: { ...process.env, TZ: 'UTC' } });
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(made, { recursive: true, force: true });
}
