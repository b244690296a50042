// TOON for the eye: a document becomes a tree of texts and tables. Whatever this reader does not understand is null, and the page
// then shows the text as it came. It does not judge documents: Belfry has done so when it made them.

export type Cell = string;
export type Toon =
  | { kind: 'text'; text: Cell }
  | { kind: 'object'; members: [string, Toon][] }
  | { kind: 'list'; items: Toon[] }
  | { kind: 'table'; columns: string[]; rows: Cell[][] };

interface Line { depth: number; text: string }
interface Header { key: string | null; delimiter: string; columns: string[] | null; rest: string }

class NotToon extends Error {}

export function readToon(source: string): Toon | null {
  try {
    const reader = new Reader(linesOf(source));
    const read = reader.document();
    // A single word or sentence is text, whatever else it may be.
    return read.kind === 'text' ? null : read;
  } catch (failure) {
    if (failure instanceof NotToon) return null;
    throw failure;
  }
}

function linesOf(source: string): Line[] {
  const raw = source.split('\n').map((line) => line.trimEnd()).filter((line) => line !== '');
  const indented = raw.map((line) => line.length - line.trimStart().length).filter((spaces) => spaces > 0);
  const step = indented.length === 0 ? 2 : Math.min(...indented);
  return raw.map((line) => {
    const spaces = line.length - line.trimStart().length;
    if (spaces % step !== 0) throw new NotToon();
    return { depth: spaces / step, text: line.trimStart() };
  });
}

class Reader {
  #lines: Line[];
  #at = 0;

  constructor(lines: Line[]) {
    this.#lines = lines;
  }

  document(): Toon {
    const first = this.#lines[0];
    if (!first) throw new NotToon();
    const header = headerOf(first.text);
    let read: Toon;
    if (header && header.key === null) {
      ++this.#at;
      read = this.#array(header, 0);
    } else if (this.#lines.length === 1 && !header && splitKey(first.text) === null) {
      return { kind: 'text', text: scalar(first.text) };
    } else {
      read = this.#object(0);
    }
    if (this.#at < this.#lines.length) throw new NotToon();
    return read;
  }

  #object(depth: number): Toon {
    const members: [string, Toon][] = [];
    for (let line = this.#lines[this.#at]; line && line.depth === depth; line = this.#lines[this.#at]) {
      if (line.text.startsWith('- ') || line.text === '-') break;
      ++this.#at;
      members.push(this.#member(line.text, depth));
    }
    return { kind: 'object', members };
  }

  #member(text: string, depth: number): [string, Toon] {
    const header = headerOf(text);
    if (header && header.key !== null) return [header.key, this.#array(header, depth)];
    const split = splitKey(text);
    if (!split) throw new NotToon();
    if (split.rest === '[]') return [split.key, { kind: 'list', items: [] }];
    if (split.rest !== '') return [split.key, { kind: 'text', text: scalar(split.rest) }];
    return [split.key, this.#object(depth + 1)];
  }

  #array(header: Header, depth: number): Toon {
    if (header.rest !== '') {
      return { kind: 'list', items: cells(header.rest, header.delimiter).map((text) => ({ kind: 'text', text })) };
    }
    if (header.columns) return this.#table(header.columns, header.delimiter, depth);
    const items: Toon[] = [];
    for (let line = this.#lines[this.#at]; line && line.depth === depth + 1 && line.text.startsWith('-'); line = this.#lines[this.#at]) {
      items.push(this.#item(line.text.slice(1).trimStart(), depth + 1));
    }
    return { kind: 'list', items };
  }

  #table(columns: string[], delimiter: string, depth: number): Toon {
    const rows: Cell[][] = [];
    for (let line = this.#lines[this.#at]; line && line.depth === depth + 1; line = this.#lines[this.#at]) {
      ++this.#at;
      const row = cells(line.text, delimiter);
      if (row.length !== columns.length) throw new NotToon();
      rows.push(row);
    }
    return { kind: 'table', columns, rows };
  }

  // An item of a list: its first member stands behind the dash, the others below it, one level deeper.
  #item(text: string, depth: number): Toon {
    ++this.#at;
    if (text === '') return { kind: 'object', members: [] };
    const header = headerOf(text);
    if (header && header.key === null) return this.#array(header, depth);
    if (!header && splitKey(text) === null) return { kind: 'text', text: scalar(text) };
    const first = this.#member(text, depth + 1);
    const rest = this.#object(depth + 1);
    return { kind: 'object', members: [first, ...(rest.kind === 'object' ? rest.members : [])] };
  }
}

/** `key[2]{a,b{c,d}}: rest`; null where the line has no such header. */
function headerOf(text: string): Header | null {
  const key = keyAt(text);
  const from = key ? key.end : 0;
  if (text[from] !== '[') return null;
  const found = /^\[#?(\d+)([|\t]?)\]/.exec(text.slice(from));
  if (!found) return null;
  const delimiter = found[2] === '' ? ',' : found[2]!;
  let at = from + found[0].length;
  let columns: string[] | null = null;
  if (text[at] === '{') {
    const end = closing(text, at);
    columns = fields(text.slice(at + 1, end), delimiter, '');
    at = end + 1;
  }
  if (text[at] !== ':') return null;
  return { key: key ? key.name : null, delimiter, columns, rest: text.slice(at + 1).trim() };
}

function splitKey(text: string): { key: string; rest: string } | null {
  const key = keyAt(text);
  if (!key || text[key.end] !== ':') return null;
  return { key: key.name, rest: text.slice(key.end + 1).trim() };
}

function keyAt(text: string): { name: string; end: number } | null {
  if (text.startsWith('"')) {
    const end = quoteEnd(text, 0);
    return { name: unquote(text.slice(0, end + 1)), end: end + 1 };
  }
  const end = text.search(/[:[{]/);
  return end <= 0 || text[end - 1] === ' ' ? null : { name: text.slice(0, end), end };
}

/** Names of columns; a group's names stand behind its own. */
function fields(text: string, delimiter: string, before: string): string[] {
  const names: string[] = [];
  for (const part of split(text, delimiter)) {
    const group = part.endsWith('}') ? groupAt(part) : -1;
    if (group < 0) names.push(before + plain(part));
    else names.push(...fields(part.slice(group + 1, -1), delimiter, `${before}${plain(part.slice(0, group))}.`));
  }
  return names;
}

const groupAt = (part: string) => (part.startsWith('"') ? part.indexOf('{', quoteEnd(part, 0)) : part.indexOf('{'));
const plain = (text: string) => (text.startsWith('"') ? unquote(text) : text);
const cells = (text: string, delimiter: string): Cell[] => split(text, delimiter).map(scalar);

function scalar(text: string): Cell {
  return text.startsWith('"') ? unquote(text) : text;
}

/** Parts between delimiters that stand outside of quotes and groups. */
function split(text: string, delimiter: string): string[] {
  const parts: string[] = [];
  let begin = 0;
  let depth = 0;
  for (let at = 0; at < text.length; ++at) {
    const c = text[at];
    if (c === '"') at = quoteEnd(text, at);
    else if (c === '{') ++depth;
    else if (c === '}') --depth;
    else if (c === delimiter && depth <= 0) {
      parts.push(text.slice(begin, at).trim());
      begin = at + 1;
    }
  }
  parts.push(text.slice(begin).trim());
  return parts;
}

function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; ++at) {
    if (text[at] === '"') at = quoteEnd(text, at);
    else if (text[at] === '{') ++depth;
    else if (text[at] === '}' && --depth === 0) return at;
  }
  throw new NotToon();
}

function quoteEnd(text: string, begin: number): number {
  for (let at = begin + 1; at < text.length; ++at) {
    if (text[at] === '\\') ++at;
    else if (text[at] === '"') return at;
  }
  throw new NotToon();
}

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

function unquote(text: string): string {
  if (quoteEnd(text, 0) !== text.length - 1) throw new NotToon();
  return text.slice(1, -1).replace(/\\(u[0-9a-fA-F]{4}|.)/gs, (_, code: string) => {
    if (code.length === 5) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    const known = ESCAPES[code];
    if (known === undefined) throw new NotToon();
    return known;
  });
}
