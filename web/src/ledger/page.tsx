import { useEffect, useRef, useState } from 'preact/hooks';
import type { LedgerSummary, Notification } from 'belfry-client/wire';
import { useKeys } from '../parts/keys';
import { Ago, Empty, State, Trouble } from '../parts/marks';
import { useReading } from '../parts/use_reading';
import { VirtualList } from '../parts/virtual_list';
import { go, hrefOf, narrow, route } from '../route';
import { Choices, Head, Search } from '../shell/head';
import { DeadLetters } from './dead_letters';
import { Picture } from './picture';
import { type Ledger, readLedger } from './rows';
import { Way } from './way';

const LOOK_MS = 4000;
const TYPING_MS = 250;

export function LedgerPage() {
  const { id, query } = route.value;
  const tab = query.get('tab') ?? 'rows';
  const state = query.get('state') ?? '';
  const [text, setText] = useState('');
  const [pages, setPages] = useState(1);
  const search = useSettled(text.trim());
  useEffect(() => setPages(1), [state, search]);
  const { value, trouble, again } = useReading(() => readLedger(pages, state, tab === 'dead' ? '' : search), [state, search], search ? 0 : LOOK_MS);
  useEffect(again, [pages]);
  const summary = useKept(value?.summary);
  const rows = value?.rows ?? [];
  const at = rows.findIndex((row) => row.id === id);
  const rest = Object.fromEntries(query);
  const move = (by: number) => {
    const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
    if (next) go('ledger', next.id, rest);
  };
  useKeys({ j: () => move(1), k: () => move(-1), Escape: () => { if (id) go('ledger', null, rest); } });
  return (
    <>
      <Head title="Ledger">
        <Choices label="Part" value={tab} onChoose={(one) => go('ledger', null, { tab: one === 'rows' ? null : one })} choices={[{ value: 'rows', label: 'All' }, { value: 'dead', label: 'Dead letters', count: summary?.states.failed ?? 0 }]} />
        <Search label="Search the ledger" value={text} onInput={setText} />
      </Head>
      {summary && (
        <div class="band">
          <Picture counts={summary.states} chosen={tab === 'dead' ? 'failed' : state} onChoose={(one) => (tab === 'dead' ? go('ledger', null, { state: one }) : narrow({ state: one || null }))} />
          <Reasons summary={summary} />
        </div>
      )}
      <div class={`split${id ? ' opened' : ''}`}>
        <section class="list" aria-label="Ledger">
          {trouble && <Trouble text={trouble} retry={again} />}
          {tab === 'dead' ? <DeadLetters search={search} again={again} /> : (
            <VirtualList label="Notifications of the ledger" count={rows.length} height={56} fixed current={at} keyOf={(row) => rows[row]!.id}
              onChoose={(row) => go('ledger', rows[row]!.id, rest)} row={(row) => <Row row={rows[row]!} />}
              empty={value && <NothingFound text={search} hasMore={value.hasMore} />} />
          )}
          {tab !== 'dead' && value && (search || value.hasMore) && <Foot ledger={value} isSearch={search !== ''} onMore={() => setPages(pages + 1)} />}
        </section>
        <section class="detail" aria-label="The whole way">
          {id ? <Way key={id} id={id} back={hrefOf('ledger', null, rest)} again={again} /> : <Empty title="Choose a notification">Its whole way is shown here: who made it, who was told, under which lease, and why.</Empty>}
        </section>
      </div>
    </>
  );
}

/** The text once nobody has typed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function Foot({ ledger: { rows, hasMore }, isSearch, onMore }: { ledger: Ledger; isSearch: boolean; onMore: () => void }) {
  if (!isSearch) return <p class="list-foot">The newest {rows.length}. <button type="button" class="link" onClick={onMore}>Show older ones</button></p>;
  return (
    <p class="list-foot" role="status">
      {rows.length} found{hasMore ? ' so far' : ' in the whole ledger'}, by text, id, state, source, person or session.
      {hasMore && <> <button type="button" class="link" onClick={onMore}>Look further back</button></>}
    </p>
  );
}

/** The picture stays while other rows are read. */
function useKept<T>(value: T | undefined): T | undefined {
  const kept = useRef(value);
  if (value !== undefined) kept.current = value;
  return kept.current;
}

function Reasons({ summary: { total, states, failures, waiting_events, oldest_open_at } }: { summary: LedgerSummary }) {
  const open = total - (states.delivered ?? 0) - (states.failed ?? 0);
  return (
    <div class="reasons">
      <p><strong>{total}</strong> {total === 1 ? 'notification' : 'notifications'}, <strong>{open}</strong> not ended</p>
      {oldest_open_at && <p>the oldest of these is from <strong><Ago at={oldest_open_at} /></strong></p>}
      {waiting_events > 0 && <p><strong>{waiting_events}</strong> {waiting_events === 1 ? 'event gathers' : 'events gather'} for a notification</p>}
      <ul>{failures.slice(0, 4).map(({ outcome, count: times }) => <li key={outcome}><strong>{times}</strong> failed: {outcome.replaceAll('_', ' ')}</li>)}</ul>
    </div>
  );
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function NothingFound({ text, hasMore }: { text: string; hasMore: boolean }) {
  if (ID.test(text)) return <Empty title="No notification has this id"><a href={hrefOf('ledger', text)}>It may be an event: look there</a></Empty>;
  if (hasMore) return <Empty title="Nothing found so far">There are older ones to look through.</Empty>;
  return <Empty title={text ? 'Nothing matches' : 'The ledger is empty'} />;
}

function Row({ row }: { row: Notification }) {
  return (
    <div class={`item ledger-item ${row.state}`}>
      <i class="mark" aria-hidden="true" />
      <p class="item-title"><span>{row.text.split('\n')[0]}</span><Ago at={row.created_at} /></p>
      <p class="item-second">
        <State of={row.state} /><span class="item-source">{row.subscriber || row.emitter || ''}</span>
        <span class="item-text">for the {row.target}{row.session_id ? ` in ${row.session_id}` : ''}{row.outcome ? `, ${row.outcome.replaceAll('_', ' ')}` : ''}</span>
      </p>
    </div>
  );
}
