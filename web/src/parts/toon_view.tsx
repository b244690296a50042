// Content of a notification: TOON as tables and lines, as it came on demand, and folded where it is long.
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { type Toon, readToon } from './toon';

const LINES_MAX = 14;

export function Content({ text, more }: { text: string; more?: ComponentChildren }) {
  const read = useMemo(() => readToon(text), [text]);
  const [isRaw, setRaw] = useState(false);
  const lines = useMemo(() => text.split('\n').length, [text]);
  const [isOpen, setOpen] = useState(false);
  const isLong = lines > LINES_MAX || text.length > 1600;
  return (
    <div class="content">
      <div class={`content-body${isLong && !isOpen ? ' folded' : ''}`}>
        {read && !isRaw ? <Tree node={read} /> : <pre class="raw">{text}</pre>}
      </div>
      {(isLong || read || more) && (
        <p class="content-tools">
          {isLong && <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>{isOpen ? 'Show less' : `Show all ${lines} lines`}</button>}
          {read && <button type="button" class="link" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>{isRaw ? 'As a table' : 'Raw'}</button>}
          {more}
        </p>
      )}
    </div>
  );
}

function Tree({ node }: { node: Toon }) {
  switch (node.kind) {
    case 'text': return <span class="cell">{node.text}</span>;
    case 'table': return <Table columns={node.columns} rows={node.rows} />;
    case 'list':
      if (node.items.length === 0) return <span class="cell quiet">nothing</span>;
      return <ul class="toon-list">{node.items.map((item, at) => <li key={at}><Tree node={item} /></li>)}</ul>;
    case 'object':
      return (
        <dl class="toon-object">
          {node.members.map(([name, value], at) => (
            <div key={at} class={value.kind === 'text' ? 'flat' : 'deep'}>
              <dt>{spoken(name)}</dt>
              <dd><Tree node={value} /></dd>
            </div>
          ))}
        </dl>
      );
  }
}

function Table({ columns, rows }: { columns: string[]; rows: string[][] }) {
  return (
    <div class="toon-table" role="region" aria-label="table" tabIndex={0}>
      <table>
        <thead><tr>{columns.map((name, at) => <th key={at} scope="col">{spoken(name)}</th>)}</tr></thead>
        <tbody>{rows.map((row, at) => <tr key={at}>{row.map((cell, column) => <td key={column} class={/^-?[\d.,]+%?$/.test(cell) ? 'number' : ''}>{cell}</td>)}</tr>)}</tbody>
      </table>
    </div>
  );
}

const spoken = (name: string) => name.replace(/^!/, '').replaceAll('_', ' ');
