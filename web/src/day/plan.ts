// A day as a column: where its blocks stand.
import type { PlanBlock } from '../journal/records';
import { MINUTE_MS, dateOf, dayAfter, hourWords, midnight, weekdayWords } from '../journal/words';

const HOUR_MS = 60 * MINUTE_MS;
const FIRST_HOUR = 7;
const LAST_HOUR = 20;

export const STEP_MS = 15 * MINUTE_MS;

/** From when to when the column goes. */
export interface Span { from: number; to: number }

const startOf = (block: PlanBlock) => Date.parse(block.start_at);
const endOf = (block: PlanBlock) => Date.parse(block.end_at);

/** From seven to eight in the evening, and further where a block does: over midnight, too, by a day at the most. */
export function spanOf(date: string, blocks: PlanBlock[]): Span {
  const begin = midnight(date);
  const hour = (count: number) => new Date(new Date(begin).setHours(count)).getTime();
  const first = Math.min(hour(FIRST_HOUR), ...blocks.map((one) => Math.floor((startOf(one) - begin) / HOUR_MS) * HOUR_MS + begin));
  const last = Math.max(hour(LAST_HOUR), ...blocks.map((one) => Math.ceil((endOf(one) - begin) / HOUR_MS) * HOUR_MS + begin));
  return { from: Math.max(midnight(date, -1), first), to: Math.min(midnight(date, 2), last) };
}

/** The full hours in it, and which of them begins a day. On days when clocks are changed one is missing, or there twice. */
export function hoursOf({ from, to }: Span): { at: number; words: string; isMidnight: boolean }[] {
  const hours = [];
  for (let at = from; at < to; at += HOUR_MS) hours.push({ at, words: hourWords(at), isMidnight: at === midnight(dateOf(at)) });
  return hours;
}

export interface Placed { block: PlanBlock; lane: number; lanes: number }

/** Blocks that overlap stand side by side, each as wide as its group allows. */
export function placed(blocks: PlanBlock[]): Placed[] {
  const done: Placed[] = [];
  let group: Placed[] = [];
  let ends: number[] = []; // of each lane of the group
  const close = () => {
    for (const one of group) one.lanes = ends.length;
    done.push(...group);
    group = [];
    ends = [];
  };
  for (const block of [...blocks].sort((a, b) => startOf(a) - startOf(b) || endOf(b) - endOf(a))) {
    if (group.length > 0 && ends.every((end) => end <= startOf(block))) close();
    const free = ends.findIndex((end) => end <= startOf(block));
    const lane = free < 0 ? ends.length : free;
    ends[lane] = endOf(block);
    group.push({ block, lane, lanes: 1 });
  }
  close();
  return done;
}

/** The same block so much later, as long as it begins on its day; it may end on the next one. */
export function shifted(block: PlanBlock, by: number, date: string): PlanBlock {
  const least = Math.min(0, midnight(date) - startOf(block));
  const most = Math.max(0, midnight(date, 1) - STEP_MS - startOf(block));
  const step = Math.max(least, Math.min(most, by));
  return { ...block, start_at: new Date(startOf(block) + step).toISOString(), end_at: new Date(endOf(block) + step).toISOString() };
}

/** Whether it ends on another day than it begins; midnight is still of its own. */
export const isOverMidnight = (block: PlanBlock) => endOf(block) > midnight(dateOf(startOf(block)), 1);

/** `09:00–10:30`; of one that ends on another day `22:00–Tue 01:30`. */
export function blockHours(block: PlanBlock): string {
  const day = isOverMidnight(block) ? `${weekdayWords(endOf(block))} ` : '';
  return `${hourWords(startOf(block))}–${day}${hourWords(endOf(block))}`;
}

/** What was typed about when a block is. */
export interface TypedTimes { from: string; to: string; isNextDay: boolean }

const momentOf = (date: string, time: string) => new Date(`${date}T${time}`).getTime();

/** What was not touched stays as it is, to the second. An end at midnight is that of the day. */
export function timesOf(date: string, { from, to, isNextDay }: TypedTimes, known: PlanBlock | null): { start: number; end: number } {
  const start = known && hourWords(startOf(known)) === from ? startOf(known) : momentOf(date, from);
  if (known && hourWords(endOf(known)) === to && isOverMidnight(known) === isNextDay) return { start, end: endOf(known) };
  return { start, end: momentOf(dayAfter(dateOf(start), isNextDay || to === '00:00' ? 1 : 0), to) };
}

export function replaced(blocks: PlanBlock[], block: PlanBlock): PlanBlock[] {
  return blocks.some((one) => one.id === block.id) ? blocks.map((one) => (one.id === block.id ? block : one)) : [...blocks, block];
}
