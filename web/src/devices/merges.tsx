// What two devices wrote without knowing of each other, and how it was decided.
import { useEffect, useState } from 'preact/hooks';
import type { MergeNote, MergeSide, SyncStatus } from 'belfry-client/wire';
import { belfry } from '../access';
import { Ago, Trouble } from '../parts/marks';
import { seen } from '../parts/seen';
import { useReading } from '../parts/use_reading';
import { hostWords, kindWords, ruleWords, valueWords } from './words';

const PAGE = 20;
const LOOK_MS = 5000;
const LIMIT = 1000; // a page of the daemon, and all that it keeps

export function Merges({ status }: { status: SyncStatus }) {
  const [pages, setPages] = useState(1);
  const { value, trouble, again } = useReading(() => belfry().merges({ limit: Math.min(LIMIT, pages * PAGE) }), [], LOOK_MS);
  useEffect(again, [pages]);
  return (
    <section aria-label="What was merged">
      <div class="section-head"><h2>What was merged, and why</h2></div>
      {trouble && <Trouble text={trouble} retry={again} />}
      {!value && !trouble && <p class="quiet">Reading…</p>}
      {value && value.data.length === 0 && <p class="quiet">No field was written on two devices at once.</p>}
      <ol class="merges" aria-label="Merges">{value?.data.map((one) => <Merge key={one.number} note={one} status={status} />)}</ol>
      {value?.has_more && <p><button type="button" class="link" onClick={() => setPages(pages + 1)}>Show older ones</button></p>}
    </section>
  );
}

function Merge({ note, status }: { note: MergeNote; status: SyncStatus }) {
  return (
    <li>
      <p class="facts"><strong>{seen(note.field)}</strong><span>of {kindWords(note)} <code>{seen(note.id)}</code></span><Ago at={note.at} /></p>
      <Side title="kept" side={note.kept} status={status} />
      <Side title="lost" side={note.lost} status={status} />
      <p class="quiet">Decided by <code>{note.rule}</code>: {ruleWords(note.rule)}.</p>
    </li>
  );
}

function Side({ title, side, status }: { title: 'kept' | 'lost'; side: MergeSide; status: SyncStatus }) {
  return <p class={`side ${title}`}><span class="side-mark">{title}</span><span class="said">{seen(valueWords(side.value))}</span><span class="quiet">by {seen(hostWords(side.host, status))}</span></p>;
}
