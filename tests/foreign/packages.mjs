// The packages of others, out of the folder that BELFRY_NPM names.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = join(process.env.BELFRY_NPM, 'package.json');

/** @param {string} name */
export async function load(name) {
  const found = createRequire(folder).resolve(name);
  return import(pathToFileURL(found).href);
}

/** What a test is told, as the first argument. */
export const told = () => JSON.parse(process.argv[2]);

/** What it found out, for the test to judge. */
export function report(facts) {
  process.stdout.write(`${JSON.stringify(facts)}\n`, () => process.exit(0));
}
