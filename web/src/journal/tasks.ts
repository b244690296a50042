// Tasks that something else names: their titles, and which ones can be chosen.
import { useEffect } from 'preact/hooks';
import { listOf, mayBe } from './calls';
import type { Task } from './records';
import { useJournal } from './use_journal';
import { OPEN_STATUSES } from './words';

const CHOICE = 500;

export interface KnownTasks { isRead: boolean; titles: Map<string, Task>; open: Task[] }

/** The newest tasks, the newest open ones to choose from, and these however old they are. */
async function read(ids: string[]): Promise<KnownTasks> {
  const [{ data: newest }, { data: open }] = await Promise.all([listOf('task', { limit: CHOICE }), listOf('task', { limit: CHOICE, status: OPEN_STATUSES })]);
  const titles = new Map([...newest, ...open].map((one) => [one.id, one]));
  const missing = [...new Set(ids)].filter((id) => !titles.has(id));
  for (const one of await Promise.all(missing.map((id) => mayBe('task', id)))) if (one) titles.set(one.id, one);
  return { isRead: true, titles, open };
}

const NOTHING: KnownTasks = { isRead: false, titles: new Map(), open: [] };

export function useTasks(ids: (string | null | undefined)[]): KnownTasks {
  const named = ids.filter((one): one is string => Boolean(one)).sort();
  const { value, nudge } = useJournal(() => read(named), []);
  useEffect(nudge, [named.join('\n')]);
  return value ?? NOTHING;
}
