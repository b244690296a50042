// The runs of a tree, parents before their children.
import type { Run } from 'belfry-client/wire';

export interface Relative { run: Run; depth: number }

export function familyOf(runs: Run[]): Relative[] {
  const known = new Set(runs.map((run) => run.id));
  const below = new Map<number | null, Run[]>();
  for (const run of [...runs].sort((a, b) => a.id - b.id)) {
    const parent = run.parent_id !== null && known.has(run.parent_id) ? run.parent_id : null;
    below.set(parent, [...(below.get(parent) ?? []), run]);
  }
  const rows: Relative[] = [];
  const open = (below.get(null) ?? []).map((run) => ({ run, depth: 0 })).reverse();
  for (let next = open.pop(); next; next = open.pop()) {
    rows.push(next);
    const depth = next.depth + 1;
    for (const child of [...(below.get(next.run.id) ?? [])].reverse()) open.push({ run: child, depth });
  }
  return rows;
}

export const titleOf = (run: Run) => run.title || run.caller?.agent_name || run.agent_id || `Run ${run.id}`;
export const isOver = (run: Run) => run.state === 'completed' || run.state === 'failed' || run.state === 'cancelled';
export const beganAt = (run: Run) => run.started_at ?? run.created_at;
export const lastedMs = (run: Run, now: number) => (run.ended_at ? Date.parse(run.ended_at) : now) - Date.parse(beganAt(run));
