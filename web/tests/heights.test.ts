// @ts-nocheck: the types of Node are not part of the app.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Heights } from '../src/parts/heights';

function of(count, estimate = 10) {
  const heights = new Heights(estimate);
  heights.resize(count);
  return heights;
}

test('rows that were not seen have the estimated height', () => {
  const heights = of(10_000, 62);
  assert.equal(heights.total, 620_000);
  assert.equal(heights.offset(100), 6200);
  assert.deepEqual(heights.span(6200, 7000, 6), { first: 94, last: 118 });
});

test('a measured row moves those below it, and only those', () => {
  const heights = of(5);
  assert.equal(heights.set(1, 30), true);
  assert.equal(heights.set(1, 30.2), false, 'that was known');
  assert.deepEqual([0, 1, 2, 5].map((row) => heights.offset(row)), [0, 10, 40, 70]);
  assert.deepEqual(heights.span(39, 41, 0), { first: 1, last: 2 });
});

test('a list that grows keeps what was measured; one that shrinks forgets the rest', () => {
  const heights = of(3);
  heights.set(0, 50);
  heights.resize(200);
  assert.equal(heights.total, 50 + 199 * 10);
  heights.resize(1);
  assert.equal(heights.total, 50);
  heights.resize(2);
  assert.equal(heights.total, 60);
});

test('the span stays inside of the list', () => {
  assert.deepEqual(of(0).span(0, 500, 6), { first: 0, last: -1 });
  assert.deepEqual(of(3).span(-50, 5000, 6), { first: 0, last: 2 });
});

test('every offset agrees with a plain sum, whatever the order of measuring', () => {
  const heights = of(300);
  const plain = new Array(300).fill(10);
  for (let i = 0; i < 2000; ++i) {
    const row = (i * 7919) % 300;
    plain[row] = 5 + ((i * 31) % 90);
    heights.set(row, plain[row]);
    const at = (i * 104729) % 301;
    assert.equal(heights.offset(at), plain.slice(0, at).reduce((a, b) => a + b, 0));
  }
});
