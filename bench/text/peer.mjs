// The npm packages on the same documents: node peer.mjs FOLDER_OF_NPM FOLDER_OF_DOCUMENTS speed|tokens
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [npm, folder, what] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(resolve(npm), 'node_modules', path)));
const { encode, decode } = await load('@toon-format/toon/dist/index.mjs');

function seconds(work) {
  const samples = [];
  let total = 0;
  work();
  while (total < 1 || samples.length < 5) {
    const begin = process.hrtime.bigint();
    work();
    samples.push(Number(process.hrtime.bigint() - begin) / 1e9);
    total += samples.at(-1);
  }
  samples.sort((a, b) => a - b);
  return samples[Math.floor(samples.length / 2)];
}
const say = (row) => console.log(JSON.stringify(row));

for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  const document = file.slice(0, -5);
  const json = readFileSync(join(folder, file), 'utf8');
  const json_bytes = Buffer.byteLength(json);
  const value = JSON.parse(json);
  const toon = encode(value);
  if (what === 'speed') {
    say({ what: 'toon encode', document, json_bytes, seconds: seconds(() => encode(value)) });
    say({ what: 'toon decode', document, json_bytes, seconds: seconds(() => decode(toon)) });
  } else {
    const { encode: tokens } = await load('gpt-tokenizer/esm/encoding/o200k_base.js');
    const count = (text) => {
      let n = 0;  // line by line, because tokens of this encoding seldom cross a newline and whole documents are slow
      for (const line of text.split('\n')) n += tokens(line + '\n').length;
      return n;
    };
    const tell = (name, tree) => say({ what: 'tokens', document: name, toon: count(encode(tree)), json: count(JSON.stringify(tree, null, 2)),
      compact: tokens(JSON.stringify(tree)).length });
    tell(document, value);
    if (document === 'mixed event log') {
      // The same events as subscribers project them: one uniform table a type.
      const tables = {};
      for (const { type, source, timestamp, payload } of value) {
        const cells = Object.entries(payload).filter(([, cell]) => cell === null || typeof cell !== 'object');
        (tables[type.replaceAll('.', '_')] ??= []).push({ source, timestamp, ...Object.fromEntries(cells) });
      }
      tell('the same events, projected into tables', tables);
    }
  }
}
