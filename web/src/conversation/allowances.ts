// What an agent may do in a conversation without asking.
import type { Allowing } from './shapes';

export interface Allowance { tool: string; since: string; answers: string[] }

/** By tool: several answers may allow the same, where it was asked for twice before the first was given. */
export function allowancesOf(allowing: Allowing[], takenBack: ReadonlySet<string>): Allowance[] {
  const found = new Map<string, Allowance>();
  for (const { id, tool_name: tool, ended_at } of allowing) {
    if (takenBack.has(id)) continue;
    const known = found.get(tool);
    if (!known) found.set(tool, { tool, since: ended_at, answers: [id] });
    else if (!known.answers.includes(id)) found.set(tool, { tool, since: ended_at < known.since ? ended_at : known.since, answers: [...known.answers, id] });
  }
  return [...found.values()].sort((a, b) => (a.since < b.since ? -1 : 1));
}
