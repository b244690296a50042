// The timers of an agent.
import { useState } from 'preact/hooks';
import type { Agent, Timer } from 'belfry-client/wire';
import { AddTimer } from './add';
import { TimerItem } from './item';

export function Timers({ agent, timers, hasMore, again }: { agent: Agent; timers: Timer[]; hasMore: boolean; again: () => void }) {
  const [isAdding, setAdding] = useState(false);
  const isAlive = agent.lifecycle !== 'destroyed';
  if (agent.mode === 'interactive' && timers.length === 0) return null; // the clock does not wake it
  return (
    <section aria-label="Timers">
      <div class="section-head"><h3>Timers</h3>{isAlive && agent.mode !== 'interactive' && <button type="button" class="link" onClick={() => setAdding(true)}>Add a timer</button>}</div>
      {timers.length === 0 && <p class="quiet">The clock does not wake it.</p>}
      <ul class="rules timers">{timers.map((timer) => <TimerItem key={timer.id} timer={timer} again={again} isFixed={!isAlive} />)}</ul>
      {hasMore && <p class="quiet">These fire next. <code>belfry timer list --agent {agent.id}</code> has all of them.</p>}
      {isAdding && <AddTimer agentId={agent.id} onClose={() => setAdding(false)} again={again} />}
    </section>
  );
}
