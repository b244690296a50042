// The packages of tests/package.json, which `scripts/setup test` installs. If one is missing, a test fails. With BELFRY_OFFLINE=1 the test
// ends with 77, which ctest counts as skipped.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const folder = join(dirname(fileURLToPath(import.meta.url)), 'node_modules');

/** Ends the program: `what` is missing on this machine. */
export function lacks(what) {
  if (process.env.BELFRY_OFFLINE === '1') {
    console.error(`SKIPPED: ${what} is missing, and BELFRY_OFFLINE=1`);
    process.exit(77);
  }
  console.error(`${what} is missing; run \`scripts/setup test\``);
  process.exit(1);
}

/** Returns the path of a file of an installed package, such as `typescript/bin/tsc`. */
export function find(path) {
  const found = join(folder, path);
  return existsSync(found) ? found : lacks(`the package file ${path}`);
}

/** Imports a file of an installed package. */
export const load = (path) => import(pathToFileURL(find(path)).href);
