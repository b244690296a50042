// What an agent does, and what wakes it, in words that a person reads.
import type { Agent, Wake, WakeSubscription } from 'belfry-client/wire';
import { duration } from '../parts/time';

export const MODES: Record<Agent['mode'], string> = {
  autonomous: 'events and the clock wake it', interactive: 'its person wakes it', hybrid: 'events, the clock and its person wake it',
};

export const isAsleep = (agent: Agent, now: number) => agent.state.sleep_until !== null && Date.parse(agent.state.sleep_until) > now;

/** `destroyed`, `dormant`, `sleeping`, or what it does: `idle`, `queued`, `running`, `failed`. */
export function doing(agent: Agent, now: number): string {
  if (agent.lifecycle === 'destroyed') return 'destroyed';
  if (agent.runtime.run_status === 'running') return 'running';
  if (agent.lifecycle === 'dormant') return 'dormant';
  return isAsleep(agent, now) ? 'sleeping' : agent.runtime.run_status;
}

/** When it is woken next, as far as anybody knows: by what waits for it, or by the clock. */
export function nextWake(agent: Agent, wakes: Wake[]): string | null {
  const times = wakes.filter((wake) => wake.agent_id === agent.id && wake.state === 'queued').map((wake) => wake.due_at);
  if (agent.next_wake_at) times.push(agent.next_wake_at);
  return times.sort((a, b) => Date.parse(a) - Date.parse(b))[0] ?? null;
}

export const failures = (count: number) => (count === 0 ? '' : `${count} ${count === 1 ? 'failure' : 'failures in a row'}`);

/** `at once`, `after 2 min`. */
export const windowWords = (rule: WakeSubscription) => (rule.window_ms === 0 ? 'at once' : `after ${duration(rule.window_ms)}`);
