import { useState } from 'preact/hooks';
import type { Agent, Wake } from 'belfry-client/wire';
import { belfry } from '../access';
import { MemoryPage } from '../memory/page';
import { useKeys } from '../parts/keys';
import { Ago, Empty, State, Trouble, Until, minute } from '../parts/marks';
import { useReading } from '../parts/use_reading';
import { VirtualList } from '../parts/virtual_list';
import { go, narrow, route } from '../route';
import { Choices, Head, Search } from '../shell/head';
import { useWakeNews } from '../wakes/use_news';
import { AgentView } from './agent_view';
import { CreateDialog } from './create';
import { allAgents, nameOf } from './names';
import { doing, failures, nextWake } from './words';

const LOOK_MS = 3000;
const LIVES = [{ value: '', label: 'Living' }, { value: 'dormant', label: 'Dormant' }, { value: 'destroyed', label: 'Destroyed' }];

const read = async () => {
  const [agents, wakes] = await Promise.all([allAgents(), belfry().wakes({ open: true, limit: 1000 })]);
  return { agents, wakes: wakes.data };
};

export function AgentsPage() {
  const { id, query } = route.value;
  return id && query.get('view') === 'memory' ? <MemoryPage key={id} id={id} /> : <AgentList />;
}

function AgentList() {
  const { id, query } = route.value;
  const life = query.get('life') ?? '';
  const [text, setText] = useState('');
  const [isMaking, setMaking] = useState(false);
  const { value, trouble, again, nudge } = useReading(read, [], LOOK_MS);
  useWakeNews(nudge);
  const wanted = text.toLowerCase();
  const isOf = (agent: Agent) => (life ? agent.lifecycle === life : agent.lifecycle !== 'destroyed');
  const agents = (value?.agents.data ?? []).filter((one) => isOf(one) && `${one.id} ${one.display_name} ${one.kind} ${one.user_id} ${one.mode}`.toLowerCase().includes(wanted));
  const at = agents.findIndex((one) => one.id === id);
  const kept = { life };
  const move = (by: number) => {
    const next = agents[Math.min(agents.length - 1, Math.max(0, at + by))];
    if (next) go('agents', next.id, kept);
  };
  useKeys({ j: () => move(1), k: () => move(-1), Escape: () => { if (id) go('agents', null, kept); } });
  return (
    <>
      <Head title="Agents">
        <Choices label="Life" value={life} onChoose={(one) => narrow({ life: one || null })} choices={LIVES} />
        <button type="button" onClick={() => setMaking(true)}>New agent</button>
        <Search label="Search agents" value={text} onInput={setText} />
      </Head>
      <div class={`split${id ? ' opened' : ''}`}>
        <section class="list" aria-label="Agents">
          {trouble && <Trouble text={trouble} retry={again} />}
          <VirtualList label="Agents" count={agents.length} height={62} fixed current={at} keyOf={(row) => `agent${agents[row]!.id}`}
            onChoose={(row) => go('agents', agents[row]!.id, kept)} row={(row) => <AgentRow agent={agents[row]!} wakes={value?.wakes ?? []} />}
            empty={value && <Empty title={text || life ? 'Nothing matches' : 'No agent yet'}>{!text && !life && <><code>belfry wake on 'ci.*' --agent fixer --immediate -- ./fix.sh</code> makes one that a program works for.</>}</Empty>} />
          {value?.agents.has_more && <p class="list-foot">The first {value.agents.data.length} by their ids are shown.</p>}
        </section>
        <section class="detail" aria-label="One agent">
          {id ? <AgentView key={id} id={id} onChange={again} /> : <Empty title="Choose an agent"><kbd>j</kbd> and <kbd>k</kbd> go through them.</Empty>}
        </section>
      </div>
      {isMaking && <CreateDialog onClose={() => setMaking(false)} onMade={(made) => { again(); go('agents', made); }} />}
    </>
  );
}

function AgentRow({ agent, wakes }: { agent: Agent; wakes: Wake[] }) {
  const next = nextWake(agent, wakes);
  const streak = failures(agent.runtime.failure_streak);
  return (
    <div class={`item agent-item ${agent.lifecycle}`}>
      <p class="item-title"><span><strong>{nameOf(agent)}</strong>{agent.kind && ` · ${agent.kind}`}</span>{agent.state.last_wake_at && <Ago at={agent.state.last_wake_at} />}</p>
      <p class="item-second">
        <State of={doing(agent, minute.value)} /><span class="item-source">{agent.id}</span>
        <span class="item-text">{agent.lifecycle === 'created' ? `${agent.mode}, not woken yet` : agent.mode}</span>
        {streak && <span class="bad">{streak}</span>}
        {next && agent.lifecycle !== 'destroyed' && <span class="quiet number">next <Until at={next} /></span>}
      </p>
    </div>
  );
}
