// Holds our TOON against the npm package @toon-format/toon over random values, through the program toon_check.
//   node toon_differential.mjs PATH_OF_TOON_CHECK
// TOON_DIFFERENTIAL_VALUES: how many values (3,000). TOON_DIFFERENTIAL_SEED: another world (1).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { load } from '../packages.mjs';

const [checker] = process.argv.slice(2);
const count = Number(process.env.TOON_DIFFERENTIAL_VALUES ?? 3000);
let state = Number(process.env.TOON_DIFFERENTIAL_SEED ?? 1) >>> 0;

const { encode, decode } = await load('@toon-format/toon/dist/index.mjs');

function random() {  // a small generator that gives the same world for the same seed
  state = (state + 0x6D2B79F5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];

const awkward = ['', ' ', 'true', 'false', 'null', 'True', '0', '-1', '007', '+5', '1e5', '1.5', '.5', '5.', '-', '- a', '--',
  '#', '# no', 'a#b', 'a:b', 'a: b', ':', 'a,b', 'a|b', 'a\tb', ',', '|', '\t', '[]', '[3]', '[3]{a}:', '{}', 'x[1]: 2',
  'a"b', '"', '""', '\\', 'a\\nb', 'line\nbreak', 'cr\rhere', '\u0000', '\u001f', '\u007f', '\u0080', ' lead', 'trail ',
  'tab\t', 'é', '日本語', '👋🏽', '\u200b', '\u202e', '\ufeff', '\u00a0', 'a\u00a0', '\u2028', "it's", 'Infinity', 'NaN',
  '0x10', '1_000', '٣', '２', 'e5', '1e', '1e+', '-0', 'nul', 'hello world', 'a.b.c', '_x', '__proto__', 'constructor'];
const keys = ['id', 'name', 'value', 'type', 'a', 'b', 'c', 'x.y', 'user_id', 'full name', '', '1st', 'a-b', 'a:b', '#k', '-k',
  'é', 'true', '__proto__x', '[k]', '{k}', 'k"q', 'k\\', 'tab\tk', 'a,b', '_', 'A9', '42', ' '];

const number = () => pick([() => below(100), () => -below(1000), () => random() * 1000, () => (random() - 0.5) * 1e-3,
  () => random() * 10 ** (below(600) - 300), () => below(1e9) * 1e9, () => 10 ** below(25), () => -(10 ** -below(12)),
  () => below(1000000) / 100, () => 2 ** (50 + below(30)), () => pick([0, -0, 1e21, 1e-6, 1e-7, 5e-324, 1.7976931348623157e308,
    9007199254740991, 0.1 + 0.2, 123456789.123456789])])();
const text = () => pick([() => pick(awkward), () => pick(awkward) + pick(awkward), () => pick(['alpha', 'beta', 'gamma', 'delta']),
  () => String.fromCodePoint(...Array.from({ length: below(6) }, () => pick([32 + below(95), 32 + below(95), below(0x250),
    0x4e00 + below(100), 0x1f600 + below(60)]))), () => 'word '.repeat(below(5)) + 'end'])();
const primitive = () => pick([number, number, text, text, text, () => true, () => false, () => null])();
const key = () => (random() < 0.8 ? pick(keys) : text());

function shuffled(list) {
  const copy = [...list];
  for (let i = copy.length - 1; i > 0; --i) {
    const j = below(i + 1);
    [copy[i], copy[j]] = [copy[j], copy[i]];
  }
  return copy;
}
// A row maker: objects of one shape, in varied order, now and then broken in one place.
function rows(n, depth) {
  const names = [...new Set(Array.from({ length: 1 + below(4) }, key))];
  const nested = names.map(() => (depth > 0 && random() < 0.25 ? rows(n, depth - 1) : null));
  return Array.from({ length: n }, (_, i) => {
    const order = random() < 0.3 ? shuffled(names.keys()) : [...names.keys()];
    const row = Object.create(null);
    for (const k of order) row[names[k]] = nested[k] ? nested[k][i] : primitive();
    if (random() < 0.02) row[pick(names)] = pick([[], {}, [1], { q: 1 }]);
    if (random() < 0.02) row.extra = 1;
    return { ...row };
  });
}
function value(depth) {
  const kind = depth <= 0 ? 0 : below(9);
  if (kind <= 1) return primitive();
  if (kind <= 3) {
    const object = {};
    for (let n = below(6); n > 0; --n) object[key()] = value(depth - 1);
    return object;
  }
  if (kind === 4) return Array.from({ length: below(6) }, primitive);
  if (kind === 5) return rows(1 + below(5), 2);
  if (kind === 6) return Object.fromEntries(rows(1 + below(4), 2).map((row) => [key(), row]));
  return Array.from({ length: below(5) }, () => value(depth - 1));
}

// A document as a careless writer might leave it: one or two small wounds in a good one.
const wounds = ['"', ':', ',', '|', '[', ']', '{', '}', '-', '- ', '#', ' ', '  ', '\t', '\n', '\n\n', '\\', '0', '1', 'x', '[]', '[1]',
  ': ', '\r\n', '\n  ', '\n# note\n', '\u00a0'];
function wounded(document) {
  for (let n = 1 + below(2); n > 0; --n) {
    const at = below(document.length + 1);
    document = pick([() => document.slice(0, at) + pick(wounds) + document.slice(at),
      () => document.slice(0, at) + document.slice(at + 1 + below(2)),
      () => {
        const lines = document.split('\n');
        const from = below(lines.length);
        const [line] = lines.splice(from, 1);
        if (random() < 0.6) lines.splice(below(lines.length + 1), 0, line);
        return lines.join('\n');
      }])();
  }
  return document;
}
// Numbers that a double cannot hold are kept by us and rounded by the package, so a document that has one is left out.
const exact = (document) => !/[0-9.]{16}|e[+-]?[0-9]{3}/i.test(document);

// Field names with colons or inner quotes are no keys of the grammar (6); the package takes some of them.
function hasOddNames(line) {
  const fields = /\]\{([^]*)\}:?/.exec(line)?.[1];  // a dot would stop at U+2028
  return fields !== undefined && /[":]/.test(('{' + fields).replace(/([{,|\t] *)"(\\.|[^"\\])*"/g, '$1'));
}

const child = spawn(checker, [], { stdio: ['pipe', 'inherit', 'inherit'] });
const send = async (test) => {
  if (!child.stdin.write(JSON.stringify(test) + '\n')) await once(child.stdin, 'drain');
};
let skipped = 0;
for (let i = 0; i < count; ++i) {
  const json = JSON.parse(JSON.stringify(value(4)));
  const delimiter = pick([',', ',', '\t', '|']);
  const indent = pick([2, 2, 4, 1]);
  const toon = encode(json, { delimiter, indentSize: indent });
  let decoded;
  try {
    decoded = decode(toon, { indentSize: indent });
  } catch (error) {
    console.error('the package cannot read its own text: ' + error.message + '\n' + JSON.stringify(json));
    ++skipped;
    continue;
  }
  await send({ json, delimiter, indent, toon, decoded });
  const document = wounded(toon);
  if (indent !== 2 || !exact(document) || /[\ud800-\udfff]/.test(document.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ''))) continue;
  let test = { document, strict: true, error: true };
  try {
    test = { document, strict: true, decoded: decode(document) };
  } catch (error) {
    // Both have to refuse it; but a bracket behind a space (`- [3]: x` outside of a list, `foo [2]: x`) makes no header to
    // the specification (5.2): the line is a key and its value, which the package refuses.
    if (/^[^"\n]* \[[^\n]*:/m.test(document)) continue;
  }
  if (document.split('\n').some(hasOddNames)) continue;
  // An empty name that stands twice in one group is a repeated key (14.3); the package does not notice it.
  if (/[{,|\t]""[^\n]*[{,|\t]""/.test(document)) continue;
  await send(test);
}
child.stdin.end();
const [status] = await once(child, 'close');
if (skipped) console.log(skipped + ' values left out');
process.exit(status);
