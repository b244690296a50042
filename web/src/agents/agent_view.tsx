// One agent: what it does, what wakes it, what it has in mind, and the wakes that it had.
import type { Agent, Page, Timer, Wake, WakeSubscription } from 'belfry-client/wire';
import { belfry } from '../access';
import { Icon } from '../parts/icons';
import { State, Trouble, Until, minute } from '../parts/marks';
import { seen } from '../parts/seen';
import { moment } from '../parts/time';
import { useReading } from '../parts/use_reading';
import { Values } from '../parts/values';
import { hrefOf, route } from '../route';
import { Timers } from '../timers/section';
import { WakeRow } from '../wakes/row';
import { useWakeNews } from '../wakes/use_news';
import { Actions } from './actions';
import { nameOf } from './names';
import { Powers } from './powers';
import { Subscriptions } from './subscriptions';
import { MODES, doing, failures, isAsleep, nextWake } from './words';

const LOOK_MS = 3000;
const WAKES = 20;
const TIMERS = 20;

interface Found { agent: Agent; rules: WakeSubscription[]; timers: Page<Timer>; wakes: Page<Wake> }

async function read(id: string): Promise<Found> {
  const [agent, rules, timers, wakes] = await Promise.all([belfry().agent(id), belfry().wakeSubscriptions(id, { limit: 1000 }), belfry().timers({ agent: id, limit: TIMERS }), belfry().wakes({ agent: id, limit: WAKES })]);
  return { agent, rules: rules.data, timers, wakes };
}

export function AgentView({ id, onChange }: { id: string; onChange: () => void }) {
  const { value, trouble, again, nudge } = useReading(() => read(id), [id], LOOK_MS);
  useWakeNews(nudge, (wake) => wake.agent_id === id);
  if (!value) return trouble ? <Trouble text={trouble} retry={again} /> : <p class="reading">Reading…</p>;
  return <OneAgent found={value} again={() => { again(); onChange(); }} />;
}

function OneAgent({ found: { agent, rules, timers, wakes }, again }: { found: Found; again: () => void }) {
  const { runtime, state } = agent;
  const next = agent.lifecycle === 'destroyed' ? null : nextWake(agent, wakes.data);
  return (
    <article class="record agent">
      <a class="back" href={hrefOf('agents', null, { life: route.value.query.get('life') })}><Icon name="back" />Agents</a>
      <header>
        <h2>{nameOf(agent)}</h2>
        <p class="facts"><State of={doing(agent, minute.value)} /><code>{agent.id}</code>{agent.kind && <span>{agent.kind}</span>}
          {runtime.active_run_id && <a href={hrefOf('runs', runtime.active_run_id)}>Run #{runtime.active_run_id}</a>}
          {runtime.failure_streak > 0 && <span class="bad">{failures(runtime.failure_streak)}</span>}
          {next && <span>next wake <Until at={next} /></span>}</p>
        {isAsleep(agent, minute.value) && <p>It sleeps until {moment(state.sleep_until!)}: what would wake it until then is not made up for.</p>}
        {agent.lifecycle === 'dormant' && <p>It rests: nothing wakes it until somebody makes it active{runtime.failure_streak > 0 && '. It became dormant because it failed again and again'}.</p>}
        {agent.lifecycle === 'destroyed' && <p>It was destroyed{agent.destroyed_at && ` ${moment(agent.destroyed_at)}`}. This is what is left of it.</p>}
      </header>
      <Actions agent={agent} again={again} />
      <Subscriptions agent={agent} rules={rules} again={again} />
      <Timers agent={agent} timers={timers.data} hasMore={timers.has_more} again={again} />
      <Powers agent={agent} again={again} />
      <Mind agent={agent} />
      <section aria-label="Its wakes">
        <div class="section-head"><h3>Its wakes</h3>{wakes.has_more && <a href={hrefOf('wakes', null, { agent: agent.id })}>All of them</a>}</div>
        {wakes.data.length === 0 && <p class="quiet">None yet.</p>}
        <ul class="wakes">{wakes.data.map((wake) => <li key={wake.id}><a href={hrefOf('wakes', wake.id, { agent: agent.id })}><WakeRow wake={wake} name={null} /></a></li>)}</ul>
      </section>
      <dl class="particulars">
        <div><dt>Mode</dt><dd>{agent.mode}: {MODES[agent.mode]}</dd></div>
        <div><dt>Life</dt><dd>{agent.lifecycle}</dd></div>
        <div><dt>Work</dt><dd>by a {agent.workflow.kind}</dd></div>
        {agent.config.model_id && <div><dt>Model</dt><dd>{agent.config.model_id}</dd></div>}
        {agent.config.prompt_id && <div><dt>Prompt</dt><dd>{agent.config.prompt_id}</dd></div>}
        <div><dt>User</dt><dd>{agent.user_id}</dd></div>
        <div><dt>Made</dt><dd>{moment(agent.created_at)}</dd></div>
        {state.last_wake_at && <div><dt>Last woken</dt><dd>{moment(state.last_wake_at)}</dd></div>}
      </dl>
      {Object.keys(agent.config.extension ?? {}).length > 0 && <section><h3>Of its own</h3><Values value={agent.config.extension} /></section>}
    </article>
  );
}

/** What it has in mind: a goal, a task, what is open, how it likes things. */
function Mind({ agent: { id, state: { slots } } }: { agent: Agent }) {
  const loops = slots.open_loop_ids ?? [];
  const likes = slots.preferences ?? {};
  const more = slots.extension ?? {};
  const isEmpty = !slots.primary_goal && !slots.active_task_id && loops.length === 0 && Object.keys(likes).length === 0 && Object.keys(more).length === 0;
  return (
    <section aria-label="What it has in mind">
      <div class="section-head"><h3>What it has in mind</h3><a href={hrefOf('agents', id, { view: 'memory', life: route.value.query.get('life') })}>All that it remembers</a></div>
      {isEmpty && <p class="quiet">Nothing.</p>}
      {slots.primary_goal && <p class="said goal">{seen(slots.primary_goal)}</p>}
      {(slots.active_task_id || loops.length > 0) && (
        <dl class="particulars">
          {slots.active_task_id && <div><dt>Works at</dt><dd>{seen(slots.active_task_id)}</dd></div>}
          {loops.length > 0 && <div><dt>Open</dt><dd>{seen(loops.join(', '))}</dd></div>}
        </dl>
      )}
      {Object.keys(likes).length > 0 && <Values value={likes} />}
      {Object.keys(more).length > 0 && <Values value={more} />}
    </section>
  );
}
