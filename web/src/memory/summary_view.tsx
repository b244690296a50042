// A summary, which opens to what it was made of: raw messages, in pages, or summaries, which open in turn.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AgentMessage, MemoryEvent, MemoryItem, PlacedSummary } from 'belfry-client/wire';
import { belfry, words } from '../access';
import { Trouble, minute } from '../parts/marks';
import { seen } from '../parts/seen';
import { count } from '../parts/time';
import { FateMark, MessageRow } from './message_view';
import { type Fate, countWords, many, notesOf, sizeOf, spanWords, threadWords, tierOf } from './words';

const PAGE = 20;

interface Props { agent: string; placed: PlacedSummary; fates: ReadonlyMap<string, Fate>; open: (id: string) => void }

export function SummaryView({ agent, placed, fates, open }: Props) {
  const [isOpen, setOpen] = useState(false);
  const { id, depth, summary, thread_id } = placed;
  const notes = notesOf(summary);
  const size = sizeOf(summary);
  const deed = isOpen ? 'Close its span' : depth > 1 ? 'Open the summaries in it' : 'Open what was said';
  const span = spanWords(summary.from, summary.to, minute.value);
  return (
    <li class={`memory-summary ${tierOf(depth)}`} data-entry={id} tabIndex={-1}>
      <div class="section-head">
        <p class="span-words"><strong><time dateTime={summary.from}>{span}</time></strong></p>
        <FateMark fate={fates.get(id)} />
      </div>
      <p class="facts"><span>{seen(threadWords(agent, thread_id))}</span>{size > 0 && <span>{many(size, 'message')}: {seen(countWords(summary.counts))}</span>}
        <span class="number">{count(placed.tokens)} tokens</span><span>{depth > 1 && `depth ${depth}, `}by {summary.by === 'model' ? 'a model' : 'rules'}</span></p>
      {notes && <p class="said notes">{seen(notes)}</p>}
      <Carried title="Goals" items={summary.goals} open={open} />
      <Carried title="Decisions" items={summary.decisions} open={open} />
      <Carried title="Open loops" items={summary.open_loops} open={open} />
      <Happened title="Errors" events={summary.errors} />
      <Happened title="What tools changed" events={summary.effects} />
      {summary.closed_loops.length > 0 && <p class="happened"><span class="quiet">Closed:</span> {seen(summary.closed_loops.map((one) => one.text).join(', '))}</p>}
      {summary.left_out > 0 && <p class="quiet">{many(summary.left_out, 'entry')} more had no room in it.</p>}
      <p><button type="button" class="link" data-open aria-expanded={isOpen} aria-label={`${deed}: ${span}`} onClick={() => setOpen(!isOpen)}>{deed}</button></p>
      {isOpen && (depth > 1 ? <Folded {...{ agent, placed, fates, open }} /> : <Span {...{ agent, placed, fates, open }} />)}
    </li>
  );
}

function Carried({ title, items, open }: { title: string; items: MemoryItem[]; open: (id: string) => void }) {
  if (items.length === 0) return null;
  return (
    <details class="happened">
      <summary>{title} <span class="quiet number">{items.length}</span></summary>
      <ItemList items={items} label={title} open={open} />
    </details>
  );
}

export function ItemList({ items, label, open }: { items: MemoryItem[]; label: string; open: (id: string) => void }) {
  return (
    <ul class="carried" aria-label={label}>
      {items.map((one, at) => (
        <li key={`${one.message_id}${at}`}><span class="said">{seen(one.text)}</span>{one.by === 'model' && <span class="quiet"> (as a model sees it)</span>}{' '}
          <button type="button" class="link" aria-label={`Where it was said: ${seen(one.text)}`} onClick={() => open(one.message_id)}>Where</button></li>
      ))}
    </ul>
  );
}

function Happened({ title, events }: { title: string; events: MemoryEvent[] }) {
  if (events.length === 0) return null;
  return <p class="happened"><span class="quiet">{title}:</span> {seen(events.map(({ what, times }) => (times > 1 ? `${what} (${times} times)` : what)).join(', '))}</p>;
}

interface Stretch<T> { data: T[]; next: number | null; isRead: boolean; trouble: string | null; more: () => void }

/** Page after page; what was read stays. */
function useStretch<T>(read: (after: number | undefined) => Promise<{ data: T[]; next: number | null }>): Stretch<T> {
  const [held, setHeld] = useState<{ data: T[]; next: number | null } | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const state = useRef({ isOver: false, isBusy: false }).current;
  const more = async () => {
    if (state.isBusy) return;
    state.isBusy = true;
    setTrouble(null);
    try {
      const found = await read(held?.next ?? undefined);
      if (!state.isOver) setHeld({ data: [...(held?.data ?? []), ...found.data], next: found.next });
    } catch (failure) {
      if (!state.isOver) setTrouble(words(failure));
    }
    state.isBusy = false;
  };
  useEffect(() => {
    void more();
    return () => { state.isOver = true; };
  }, []);
  return { data: held?.data ?? [], next: held?.next ?? null, isRead: held !== null, trouble, more: () => void more() };
}

function Waiting({ stretch: { isRead, trouble, more } }: { stretch: Stretch<unknown> }) {
  if (trouble) return <Trouble text={trouble} retry={more} />;
  return isRead ? null : <p class="reading">Reading…</p>;
}

/** What was said, a page, the oldest first. */
function Span({ agent, placed, fates, open }: Props) {
  const stretch = useStretch<AgentMessage>((after) => belfry().openSummary(agent, placed.id, { limit: PAGE, after }));
  const { data, next, isRead, more } = stretch;
  return (
    <div class="memory-span">
      {isRead && data.length === 0 && <p class="quiet">Nothing of it is kept any more.</p>}
      <ol aria-label="What was said">{data.map((one) => <MessageRow key={one.id} message={one} fate={fates.get(one.id)} open={open} />)}</ol>
      <Waiting stretch={stretch} />
      {next !== null && <p><button type="button" class="link" onClick={more}>Show more</button> <span class="quiet number">{data.length} of {sizeOf(placed.summary) || 'more'}</span></p>}
    </div>
  );
}

/** Few, however long the history is. */
function Folded({ agent, placed, fates, open }: Props) {
  const stretch = useStretch<PlacedSummary>(async () => ({ data: (await belfry().memorySummaries(agent, { folded: placed.id })).data, next: null }));
  return (
    <div class="memory-span">
      {stretch.isRead && stretch.data.length === 0 && <p class="quiet">Nothing of it is kept any more.</p>}
      <ol aria-label="Summaries in it">{stretch.data.map((one) => <SummaryView key={one.id} agent={agent} placed={one} fates={fates} open={open} />)}</ol>
      <Waiting stretch={stretch} />
    </div>
  );
}
