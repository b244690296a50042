import { useEffect, useState } from 'preact/hooks';
import type { Timer } from 'belfry-client/wire';
import { belfry } from '../access';
import { allAgents, nameOf } from '../agents/names';
import { Empty, Trouble } from '../parts/marks';
import { useReading } from '../parts/use_reading';
import { Head, Search } from '../shell/head';
import { useWakeNews } from '../wakes/use_news';
import { TimerItem } from './item';
import { scheduleWords } from './words';

const PAGE = 100;
const LOOK_MS = 5000;
const AGENTS_MS = 10_000;

async function soonest(pages: number): Promise<{ data: Timer[]; has_more: boolean }> {
  const data: Timer[] = [];
  let after: string | undefined;
  for (let page = 0; page < pages; ++page) {
    const found = await belfry().timers({ limit: PAGE, after });
    data.push(...found.data);
    if (!found.has_more) return { data, has_more: false };
    after = String(found.next);
  }
  return { data, has_more: true };
}

/** All timers, whichever fires next first. */
export function TimersPage() {
  const [text, setText] = useState('');
  const [pages, setPages] = useState(1);
  const { value, trouble, again, nudge } = useReading(() => soonest(pages), [], LOOK_MS);
  const agents = useReading(allAgents, [], AGENTS_MS).value?.data ?? [];
  useEffect(again, [pages]);
  useWakeNews(nudge, (wake) => wake.reason === 'timer');
  const names = new Map(agents.map((one) => [one.id, nameOf(one)]));
  const wanted = text.toLowerCase();
  const called = (timer: Timer) => names.get(timer.agent_id) ?? timer.agent_id;
  const timers = (value?.data ?? []).filter((one) => `${one.name} ${one.agent_id} ${called(one)} ${scheduleWords(one.schedule)} ${one.zone ?? ''}`.toLowerCase().includes(wanted));
  return (
    <>
      <Head title="Timers"><Search label="Search timers" value={text} onInput={setText} /></Head>
      <div class="sheet" tabIndex={0} role="region" aria-label="Timers">
        {trouble && <Trouble text={trouble} retry={again} />}
        {value && timers.length === 0 && <Empty title={text ? 'Nothing matches' : 'No timer yet'}>{!text && <>An <a href="#/agents">agent</a> has them: <code>belfry timer add --agent coach --daily 07:00</code></>}</Empty>}
        <ul class="rules timers">{timers.map((timer) => <TimerItem key={timer.id} timer={timer} of={called(timer)} again={again} />)}</ul>
        {value?.has_more && <p class="list-foot"><button type="button" class="link" onClick={() => setPages(pages + 1)}>Show more</button></p>}
      </div>
    </>
  );
}
