// @ts-nocheck: the types of Node are not part of the app.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seen } from '../src/parts/seen';

test('what nobody sees, or what turns a line around, is written out', () => {
  assert.equal(seen('rm\u200b \u202e\u{e0041}\x1b[31m\u009b'), 'rm\\u{200b} \\u{202e}\\u{e0041}\\x1b[31m\\x9b');
});

test('words, lines and emoji stay as they are', () => {
  for (const text of ['plain\n\ttext', 'می\u200cخواهم', '👩\u200d💻 ❤️', 'שלום']) assert.equal(seen(text), text);
});
