import { allOf } from '../journal/calls';
import type { TimeEntry } from '../journal/records';
import { MINUTE_MS, midnight } from '../journal/words';

const MARGIN_MS = 24 * 60 * MINUTE_MS; // one that runs over midnight of Sunday was made before

const reaches = (entry: TimeEntry, from: number, to: number) => Date.parse(entry.started_at) < to && (entry.ended_at === null || Date.parse(entry.ended_at) > from);

/** Those of the seven days. Lists come newest first by when they were made, which nobody does long before what they tell of. */
export async function readWeek(monday: string): Promise<TimeEntry[]> {
  const from = midnight(monday);
  const found = await allOf('time_entry', {}, (read) => read.length > 0 && Date.parse(read[read.length - 1]!.created_at) < from - MARGIN_MS);
  return found.filter((one) => reaches(one, from, midnight(monday, 7)));
}
