// Tasks that something else names: their titles, and which ones can be chosen.
import { useEffect } from 'preact/hooks';
import { listOf, mayBe } from './calls';
import type { Task } from './records';
import { useJournal } from './use_journal';
import { isClosed } from './words';

const CHOICE = 500;

export interface KnownTasks { isRead: boolean; titles: Map<string, Task>; open: Task[] }

/** The newest tasks, and these however old they are. */
async function read(ids: string[]): Promise<KnownTasks> {
  const { data } = await listOf('task', { limit: CHOICE });
  const titles = new Map(data.map((one) => [one.id, one]));
  const missing = [...new Set(ids)].filter((id) => !titles.has(id));
  for (const one of await Promise.all(missing.map((id) => mayBe('task', id)))) if (one) titles.set(one.id, one);
  return { isRead: true, titles, open: data.filter((one) => !isClosed(one)) };
}

const NOTHING: KnownTasks = { isRead: false, titles: new Map(), open: [] };

export function useTasks(ids: (string | null | undefined)[]): KnownTasks {
  const named = ids.filter((one): one is string => Boolean(one)).sort();
  const { value, nudge } = useJournal(() => read(named), []);
  useEffect(nudge, [named.join('\n')]);
  return value ?? NOTHING;
}
