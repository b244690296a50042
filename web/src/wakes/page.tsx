import { useEffect, useState } from 'preact/hooks';
import type { Wake, WakeFilter, WakeState } from 'belfry-client/wire';
import { allAgents, nameOf } from '../agents/names';
import { belfry } from '../access';
import { useKeys } from '../parts/keys';
import { Empty, Trouble, minute } from '../parts/marks';
import { Select } from '../parts/select';
import { useReading } from '../parts/use_reading';
import { VirtualList } from '../parts/virtual_list';
import { go, narrow, route } from '../route';
import { Head, Search } from '../shell/head';
import { WakeRow } from './row';
import { useWakeNews } from './use_news';
import { WakeView } from './wake_view';
import { ENDS, OPEN } from './words';

const PAGE = 200;
const LOOK_MS = 2000; // a signal that joins what waits is told by nobody
const AGENTS_MS = 10_000;
const STATES = [{ value: 'open', label: 'not ended' }, ...[...OPEN, ...ENDS].map((one) => ({ value: one, label: one.replaceAll('_', ' ') }))];

async function newest(pages: number, state: string, agent: string): Promise<{ data: Wake[]; has_more: boolean }> {
  const filter: WakeFilter = { ...(state === 'open' ? { open: true } : state ? { state: state as WakeState } : {}), ...(agent ? { agent } : {}) };
  const data: Wake[] = [];
  let after: number | undefined;
  for (let page = 0; page < pages; ++page) {
    const found = await belfry().wakes({ limit: PAGE, after, ...filter });
    data.push(...found.data);
    if (!found.has_more) return { data, has_more: false };
    after = Number(found.next);
  }
  return { data, has_more: true };
}

export function WakesPage() {
  void minute.value;
  const { id, query } = route.value;
  const state = query.get('state') ?? '';
  const agent = query.get('agent') ?? '';
  const [text, setText] = useState('');
  const [pages, setPages] = useState(1);
  const { value, trouble, again, nudge } = useReading(() => newest(pages, state, agent), [state, agent], LOOK_MS);
  const agents = useReading(allAgents, [], AGENTS_MS).value?.data ?? [];
  useEffect(again, [pages]);
  useWakeNews(nudge);
  const names = new Map(agents.map((one) => [one.id, nameOf(one)]));
  const called = (wake: Wake) => names.get(wake.agent_id) ?? wake.agent_id;
  const wanted = text.toLowerCase();
  const wakes = (value?.data ?? []).filter((wake) => `${wake.id} ${wake.agent_id} ${called(wake)} ${wake.user_id} ${wake.reason} ${wake.run_key} ${wake.error?.type ?? ''} ${wake.error?.message ?? ''}`.toLowerCase().includes(wanted));
  const at = wakes.findIndex((wake) => String(wake.id) === id);
  const kept = { state, agent };
  const move = (by: number) => {
    const next = wakes[Math.min(wakes.length - 1, Math.max(0, at + by))];
    if (next) go('wakes', next.id, kept);
  };
  useKeys({ j: () => move(1), k: () => move(-1), Escape: () => { if (id) go('wakes', null, kept); } });
  const isNarrowed = Boolean(text || state || agent);
  return (
    <>
      <Head title="Wakes">
        <Select label="State" all="All states" choices={STATES} value={state} onChoose={(one) => narrow({ state: one || null })} />
        <Select label="Agent" all="All agents" choices={named(agents.map((one) => ({ value: one.id, label: nameOf(one) })), agent)} value={agent} onChoose={(one) => narrow({ agent: one || null })} />
        <Search label="Search wakes" value={text} onInput={setText} />
      </Head>
      <div class={`split${id ? ' opened' : ''}`}>
        <section class="list" aria-label="Wakes">
          {trouble && <Trouble text={trouble} retry={again} />}
          <VirtualList label="Wakes" count={wakes.length} height={62} fixed current={at} keyOf={(row) => `wake${wakes[row]!.id}`}
            onChoose={(row) => go('wakes', wakes[row]!.id, kept)} row={(row) => <WakeRow wake={wakes[row]!} name={called(wakes[row]!)} />}
            empty={value && <Empty title={isNarrowed ? 'Nothing matches' : 'Nobody was woken yet'}>{!isNarrowed && <>Events wake <a href="#/agents">agents</a>, people do, and the clock.</>}</Empty>} />
          {value?.has_more && <p class="list-foot"><button type="button" class="link" onClick={() => setPages(pages + 1)}>Show older ones</button></p>}
        </section>
        <section class="detail" aria-label="One wake">
          {id && Number(id) > 0 ? <WakeView key={id} id={Number(id)} names={names} /> : <Empty title="Choose a wake"><kbd>j</kbd> and <kbd>k</kbd> go through them.</Empty>}
        </section>
      </div>
    </>
  );
}

/** What the list is narrowed to can be chosen, even if it is not there. */
const named = (choices: { value: string; label: string }[], chosen: string) =>
  (chosen && !choices.some(({ value }) => value === chosen) ? [...choices, { value: chosen, label: chosen }] : choices);
