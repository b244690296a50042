import { useMemo, useState } from 'preact/hooks';
import { Empty } from '../parts/marks';
import { clock, duration } from '../parts/time';
import { VirtualList } from '../parts/virtual_list';
import { Choices } from '../shell/head';
import { lifeMore, lifeWords } from './life';
import { type Block, type Kind, brief, chosenBlocks } from './log';
import type { Stream } from './use_log';

export function StreamView({ stream, names, isStarted }: { stream: Stream; names: Map<number, string> | null; isStarted: boolean }) {
  const [kind, setKind] = useState<Kind>('all');
  const [text, setText] = useState('');
  const [open, setOpen] = useState<string | null>(null);
  const [cursor, setCursor] = useState(-1);
  const { log, stamp, isOver } = stream;
  const blocks = useMemo(() => chosenBlocks(log.blocks, kind, text), [log, stamp, kind, text]);
  return (
    <div class="stream">
      <p class="stream-tools">
        <Choices label="Kind" value={kind} onChoose={(one) => setKind(one as Kind)} choices={[{ value: 'all', label: 'All' }, { value: 'text', label: 'Text' }, { value: 'tool', label: 'Tools' }, { value: 'other', label: 'Other' }]} />
        <input class="find" type="text" aria-label="Find in the stream" placeholder="Find…" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </p>
      <VirtualList key={`${kind}|${text}`} label="Events of the run" count={blocks.length} height={30} current={cursor < blocks.length ? cursor : -1} follow={!isOver && !text && cursor < 0}
        keyOf={(row) => blocks[row]!.key} onMove={setCursor} onChoose={(row) => { setCursor(row); setOpen(open === blocks[row]!.key ? null : blocks[row]!.key); }}
        row={(row) => <BlockView block={blocks[row]!} who={names?.get(blocks[row]!.run) ?? null} isOpen={open === blocks[row]!.key} />}
        empty={<Empty title={isOver || text || kind !== 'all' ? 'Nothing here' : isStarted ? 'Waiting for its first words…' : 'It was not started yet'} />} />
    </div>
  );
}

function BlockView({ block, who, isOpen }: { block: Block; who: string | null; isOpen: boolean }) {
  return (
    <div class={`block ${block.kind}${block.kind === 'life' ? ` ${block.name.split('.')[1]}` : ''}`}>
      <span class="block-time">{clock(block.at)}</span>
      {(block.who ?? who) && <span class="block-who">{block.who ?? who}</span>}
      <div class="block-body"><Body block={block} isOpen={isOpen} /></div>
    </div>
  );
}

function Body({ block, isOpen }: { block: Block; isOpen: boolean }) {
  switch (block.kind) {
    case 'text': return <p class="said">{block.text}{block.isOpen && <span class="caret" aria-hidden="true" />}</p>;
    case 'gap': return <p class="quiet">{block.from} to {block.to} are gone: the daemon keeps the newest events of a run.</p>;
    case 'tool':
      return (
        <>
          <p><code class="tool">{block.tool}</code> <span class="brief">{brief(block.given)}</span> {block.endedAt
            ? <span class={block.isError ? 'bad' : 'good'}>{duration(Date.parse(block.endedAt) - Date.parse(block.at))}</span> : <span class="running">…</span>}</p>
          {isOpen && <pre class="json">{whole(block.given)}{block.endedAt ? `\n→ ${whole(block.result)}` : ''}</pre>}
        </>
      );
    case 'life':
      return (
        <>
          <p><code>{lifeWords(block.name, block.data)}</code> <span class="brief">{lifeMore(block.data)}</span></p>
          {isOpen && <pre class="json">{whole(block.data)}</pre>}
        </>
      );
    default:
      return (
        <>
          <p><code>{block.name}</code> <span class="brief">{brief(block.data)}</span></p>
          {isOpen && <pre class="json">{whole(block.data)}</pre>}
        </>
      );
  }
}

const whole = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2) ?? '');
