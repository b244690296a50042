import { useEffect, useState } from 'preact/hooks';
import type { Run, RunState } from 'belfry-client/wire';
import { belfry } from '../access';
import { useKeys } from '../parts/keys';
import { Ago, Empty, State, Trouble, minute } from '../parts/marks';
import { duration } from '../parts/time';
import { useReading } from '../parts/use_reading';
import { VirtualList } from '../parts/virtual_list';
import { go, narrow, route } from '../route';
import { Choices, Head, Search } from '../shell/head';
import { RunView } from './run_view';
import { isOver, lastedMs, titleOf } from './family';

const PAGE = 200;
const LOOK_MS = 2000;
const STATES = ['running', 'pending', 'completed', 'failed', 'cancelled'];

async function newest(pages: number, state: string): Promise<{ data: Run[]; has_more: boolean }> {
  const data: Run[] = [];
  let after: number | undefined;
  for (let page = 0; page < pages; ++page) {
    const found = await belfry().runs({ limit: PAGE, after, ...(state ? { state: state as RunState } : {}) });
    data.push(...found.data);
    if (!found.has_more) return { data, has_more: false };
    after = found.next;
  }
  return { data, has_more: true };
}

export function RunsPage() {
  const { id, query } = route.value;
  const state = query.get('state') ?? '';
  const [text, setText] = useState('');
  const [pages, setPages] = useState(1);
  const { value, trouble, again } = useReading(() => newest(pages, state), [state], LOOK_MS);
  useEffect(again, [pages]);
  const wanted = text.toLowerCase();
  const runs = (value?.data ?? []).filter((run) => `${run.id} ${titleOf(run)} ${run.agent_id ?? ''} ${run.session_id ?? ''} ${run.user_id}`.toLowerCase().includes(wanted));
  const at = runs.findIndex((run) => String(run.id) === id);
  const move = (by: number) => {
    const next = runs[Math.min(runs.length - 1, Math.max(0, at + by))];
    if (next) go('runs', next.id, state ? { state } : {});
  };
  useKeys({ j: () => move(1), k: () => move(-1), Escape: () => { if (id) go('runs', null, state ? { state } : {}); } });
  return (
    <>
      <Head title="Runs">
        <Choices label="State" value={state} onChoose={(one) => narrow({ state: one || null })} choices={[{ value: '', label: 'All' }, ...STATES.map((one) => ({ value: one, label: one[0]!.toUpperCase() + one.slice(1) }))]} />
        <Search label="Search runs" value={text} onInput={setText} />
      </Head>
      <div class={`split${id ? ' opened' : ''}`}>
        <section class="list" aria-label="Runs">
          {trouble && <Trouble text={trouble} retry={again} />}
          <VirtualList label="Runs" count={runs.length} height={62} fixed current={at} keyOf={(row) => `run${runs[row]!.id}`}
            onChoose={(row) => go('runs', runs[row]!.id, state ? { state } : {})} row={(row) => <RunRow run={runs[row]!} />}
            empty={value && <Empty title={text || state ? 'Nothing matches' : 'No run yet'}>{!text && !state && <><code>belfry run create --title "Tidy up"</code> makes one.</>}</Empty>} />
          {value?.has_more && <p class="list-foot"><button type="button" class="link" onClick={() => setPages(pages + 1)}>Show older ones</button></p>}
        </section>
        <section class="detail" aria-label="One run">
          {id && Number(id) > 0 ? <RunView key={id} id={Number(id)} /> : <Empty title="Choose a run"><kbd>j</kbd> and <kbd>k</kbd> go through them.</Empty>}
        </section>
      </div>
    </>
  );
}

function RunRow({ run }: { run: Run }) {
  void minute.value;
  return (
    <div class={`item run-item ${run.state}`}>
      <i class="mark" aria-hidden="true" />
      <p class="item-title"><span>{titleOf(run)}</span><Ago at={run.created_at} /></p>
      <p class="item-second">
        <State of={run.paused ? 'paused' : run.state} /><span class="item-source">#{run.id}{run.parent_id ? ` of #${run.parent_id}` : ''}</span>
        <span class="item-text">{run.queue_position ? `place ${run.queue_position} in the queue` : run.error ? `${run.error.type}: ${run.error.message}` : run.cancel_reason ?? run.agent_id ?? ''}</span>
        {run.started_at && <span class="quiet number">{isOver(run) ? `${duration(lastedMs(run, 0))} · ` : ''}{run.events} events</span>}
      </p>
    </div>
  );
}
