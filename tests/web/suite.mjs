// One house for the tests of a file. Where the machine has no browser, they say so and count as skipped.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { House, missing } from './house.mjs';

export function suite(prepare = async () => {}) {
  const lack = missing();
  const house = new House();
  if (lack) return { house, check: (name) => test(name, { skip: lack }, () => {}) };
  before(async () => {
    await house.open();
    await prepare(house);
  });
  after(async () => {
    await house.close();
    assert.deepEqual(house.strangers, [], 'no request goes to another host');
    assert.deepEqual(house.mistakes, [], 'no script fails, and nothing breaks the policy');
  });
  /** Each test has a page of its own, which is closed whatever happens. */
  const check = (name, body) => test(name, async (t) => {
    const pages = [];
    const visit = async (...where) => {
      const page = await house.visit(...where);
      pages.push(page);
      return page;
    };
    try {
      await body({ visit, t });
    } finally {
      await Promise.all(pages.map((page) => page.close()));
    }
  });
  return { house, check };
}
