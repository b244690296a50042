// Holds our counting of tokens against the npm package gpt-tokenizer by the vocabulary of cl100k_base, over the words of
// this tree and over random texts, through the program tokenizer_check.
//   node tokenizer_differential.mjs PATH_OF_TOKENIZER_CHECK FILE…
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { find, load } from '../packages.mjs';

const [checker, ...files] = process.argv.slice(2);
const vocabulary = find('gpt-tokenizer/data/cl100k_base.tiktoken');
const { encode } = await load('gpt-tokenizer/esm/encoding/cl100k_base.js');

const cases = [];
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  for (let at = 0; at < text.length; at += 997) cases.push(text.slice(at, at + 997).toWellFormed());
}
const parts = ['a', 'B', "'s", "'LL", ' ', '  ', '\n', '\r\n', '\t', '1', '23', '4567', '.', '—', '世', 'é', '😀', '²', '_', "'", '"',
  ':', 'x\u0301', '\u00a0', '\u3000', 'foo', 'The', '٣', 'Ⅷ', ';\n\n'];
let state = 1;
const below = (n) => { state = Math.imul(state, 1103515245) + 12345 >>> 0; return (state >>> 8) % n; };
for (let i = 0; i < 3000; ++i) {
  let text = '';
  for (let k = below(20); k >= 0; --k) text += parts[below(parts.length)];
  cases.push(text);
}

const input = Buffer.concat(cases.flatMap((text) => {
  const bytes = Buffer.from(text, 'utf8');
  return [Buffer.from(`${bytes.length}\n`), bytes];
}));
const run = spawnSync(checker, [vocabulary], { input, encoding: 'utf8', maxBuffer: 1 << 26 });
if (run.status !== 0) throw new Error(run.stderr);
const ours = run.stdout.trim().split('\n').map(Number);
let differences = 0;
cases.forEach((text, i) => {
  const theirs = encode(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() }).length;
  if (ours[i] !== theirs && ++differences <= 20) console.log(`DIFFERENT: ours ${ours[i]}, theirs ${theirs}: ${JSON.stringify(text)}`);
});
console.log(`${cases.length} texts, ${differences} differences`);
process.exit(differences === 0 && ours.length === cases.length ? 0 : 1);
