// What the time entries of a week come to.
import type { TimeEntry } from '../journal/records';
import { dayAfter, midnight, spentIn } from '../journal/words';

export interface DaySum { date: string; sum: number; entries: TimeEntry[] }

/** The latest first. An entry stands on the day on which it began, and each day has the time that lies in it. */
export function daysOf(entries: TimeEntry[], monday: string, now: number): DaySum[] {
  const days = Array.from({ length: 7 }, (_, at) => {
    const date = dayAfter(monday, at);
    const from = midnight(date);
    const to = midnight(date, 1);
    const own = entries.filter((one) => {
      const start = Date.parse(one.started_at);
      return (start >= from || at === 0) && start < to;
    });
    return { date, sum: entries.reduce((all, one) => all + spentIn(one, from, to, now), 0), entries: own.sort((a, b) => (a.started_at < b.started_at ? 1 : -1)) };
  });
  return days.reverse();
}

/** Per task, the most first. */
export function tasksOf(entries: TimeEntry[], monday: string, now: number): { taskId: string | null; sum: number }[] {
  const sums = new Map<string | null, number>();
  for (const one of entries) sums.set(one.task_id, (sums.get(one.task_id) ?? 0) + spentIn(one, midnight(monday), midnight(monday, 7), now));
  return [...sums].map(([taskId, sum]) => ({ taskId, sum })).sort((a, b) => b.sum - a.sum);
}
