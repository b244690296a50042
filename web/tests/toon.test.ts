// @ts-nocheck: the types of Node are not part of the app.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readToon } from '../src/parts/toon';

const text = (value) => ({ kind: 'text', text: value });

test('a table has columns and rows', () => {
  assert.deepEqual(readToon('tool_fails[2]{tool,error}:\n  search,timeout\n  fetch,"no answer, again"'),
    { kind: 'object', members: [['tool_fails', { kind: 'table', columns: ['tool', 'error'], rows: [['search', 'timeout'], ['fetch', 'no answer, again']] }]] });
});

test('a root array is a table, and groups of columns are named by their path', () => {
  assert.deepEqual(readToon('[2]{id,p{x,y}}:\n  1,1,2\n  2,3,4'), { kind: 'table', columns: ['id', 'p.x', 'p.y'], rows: [['1', '1', '2'], ['2', '3', '4']] });
});

test('objects, lists and quoted keys nest', () => {
  assert.deepEqual(readToon('tags[2]: x,"y, z"\nlist[3]:\n  - 1\n  - k: v\n    n[2]: 1,2\n  - [2]: 1,2\ne: []\nnested:\n  deep:\n    k: "a: b"\n"!critical": "15:30"'), {
    kind: 'object',
    members: [
      ['tags', { kind: 'list', items: [text('x'), text('y, z')] }],
      ['list', { kind: 'list', items: [text('1'), { kind: 'object', members: [['k', text('v')], ['n', { kind: 'list', items: [text('1'), text('2')] }]] }, { kind: 'list', items: [text('1'), text('2')] }] }],
      ['e', { kind: 'list', items: [] }],
      ['nested', { kind: 'object', members: [['deep', { kind: 'object', members: [['k', text('a: b')]] }]] }],
      ['!critical', text('15:30')],
    ],
  });
});

test('other delimiters are read as the header says', () => {
  assert.deepEqual(readToon('rows[1|]{a|b}:\n  1, 2|3'), { kind: 'object', members: [['rows', { kind: 'table', columns: ['a', 'b'], rows: [['1, 2', '3']] }]] });
});

test('escapes become what they stand for', () => {
  assert.deepEqual(readToon('k: "a\\nb \\"c\\" \\\\ \\u00e9"'), { kind: 'object', members: [['k', text('a\nb "c" \\ é')]] });
});

test('what is no TOON is null: plain words, wrong widths, open quotes, odd indents', () => {
  for (const source of ['', 'The backup failed', 'Two lines\nof plain text', 'rows[1]{a,b}:\n  1', 'k: "open', 'a:\n   b: 1\n  c: 2', 'k: "x" y']) assert.equal(readToon(source), null, source);
});

test('a sentence with a colon is a line of its own', () => {
  assert.deepEqual(readToon('tool_fail: vault timeout no answer'), { kind: 'object', members: [['tool_fail', text('vault timeout no answer')]] });
});
