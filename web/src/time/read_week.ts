import { someOf } from '../journal/calls';
import type { TimeEntry } from '../journal/records';
import { midnight } from '../journal/words';

/** `isWhole`: whatever there is of it was found; else more entries had to be looked through than one look takes. */
export interface WeekOfTime { entries: TimeEntry[]; isWhole: boolean }

/** Those of which some lies in the seven days, however long ago and in whatever order they were made. */
export async function readWeek(monday: string): Promise<WeekOfTime> {
  const between = { from: new Date(midnight(monday)).toISOString(), to: new Date(midnight(monday, 7)).toISOString() };
  const { data, has_more } = await someOf('time_entry', between);
  return { entries: data, isWhole: !has_more };
}
