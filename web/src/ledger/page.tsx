import { useMemo, useState } from 'preact/hooks';
import type { Notification } from 'belfry-client/wire';
import { useKeys } from '../parts/keys';
import { Ago, Empty, State, Trouble } from '../parts/marks';
import { useReading } from '../parts/use_reading';
import { VirtualList } from '../parts/virtual_list';
import { go, hrefOf, narrow, route } from '../route';
import { Choices, Head, Search } from '../shell/head';
import { countStates, outcomesOf } from './counts';
import { DeadLetters } from './dead_letters';
import { Picture } from './picture';
import { readLedger } from './rows';
import { Way } from './way';

const LOOK_MS = 5000;

export function LedgerPage() {
  const { id, query } = route.value;
  const tab = query.get('tab') ?? 'rows';
  const state = query.get('state') ?? '';
  const [text, setText] = useState('');
  const { value, trouble, again } = useReading(readLedger, [], LOOK_MS);
  const counts = useMemo(() => countStates(value?.rows ?? []), [value]);
  const rows = useMemo(() => (value?.rows ?? []).filter((row) => (!state || row.state === state) && matches(row, text.toLowerCase())), [value, state, text]);
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
        <Choices label="Part" value={tab} onChoose={(one) => go('ledger', null, { tab: one === 'rows' ? null : one })} choices={[{ value: 'rows', label: 'All' }, { value: 'dead', label: 'Dead letters', count: counts.failed }]} />
        <Search label="Search, or an id" value={text} onInput={setText} />
      </Head>
      {value && (
        <div class="band">
          <Picture counts={counts} chosen={tab === 'dead' ? 'failed' : state} onChoose={(one) => (tab === 'dead' ? go('ledger', null, { state: one }) : narrow({ state: one || null }))} />
          <Reasons rows={value.rows} isWhole={value.isWhole} />
        </div>
      )}
      <div class={`split${id ? ' opened' : ''}`}>
        <section class="list" aria-label="Ledger">
          {trouble && <Trouble text={trouble} retry={again} />}
          {tab === 'dead' ? <DeadLetters text={text} again={again} /> : (
            <VirtualList label="Notifications of the ledger" count={rows.length} height={56} fixed current={at} keyOf={(row) => rows[row]!.id}
              onChoose={(row) => go('ledger', rows[row]!.id, rest)} row={(row) => <Row row={rows[row]!} />}
              empty={value && <Search404 text={text} />} />
          )}
        </section>
        <section class="detail" aria-label="The whole way">
          {id ? <Way key={id} id={id} back={hrefOf('ledger', null, rest)} again={again} /> : <Empty title="Choose a notification">Its whole way is shown here: who made it, who was told, under which lease, and why.</Empty>}
        </section>
      </div>
    </>
  );
}

/** What became of those that ended otherwise than by being said. */
function Reasons({ rows, isWhole }: { rows: Notification[]; isWhole: boolean }) {
  const open = rows.filter((row) => row.state !== 'delivered' && row.state !== 'failed');
  const oldest = open.at(-1);
  return (
    <div class="reasons">
      <p><strong>{rows.length}</strong> {rows.length === 1 ? 'notification' : 'notifications'}{isWhole ? '' : ', the oldest ones'}, <strong>{open.length}</strong> not ended</p>
      {oldest && <p>the oldest of these: <a href={hrefOf('ledger', oldest.id)}><Ago at={oldest.created_at} /></a></p>}
      <ul>{outcomesOf(rows).map(([outcome, times]) => <li key={outcome}><strong>{times}</strong> {outcome.replaceAll('_', ' ')}</li>)}</ul>
    </div>
  );
}

function matches(row: Notification, text: string): boolean {
  return text === '' || `${row.text} ${row.id} ${row.subscriber} ${row.session_id ?? ''} ${row.user_id ?? ''} ${row.outcome ?? ''}`.toLowerCase().includes(text);
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function Search404({ text }: { text: string }) {
  if (ID.test(text.trim())) return <Empty title="No notification has this id"><a href={hrefOf('ledger', text.trim())}>It may be an event: look there</a></Empty>;
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
