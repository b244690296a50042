// A day as a column: where its blocks stand.
import type { PlanBlock } from '../journal/records';
import { MINUTE_MS, hourWords, midnight } from '../journal/words';

const HOUR_MS = 60 * MINUTE_MS;
const FIRST_HOUR = 7;
const LAST_HOUR = 20;

export const STEP_MS = 15 * MINUTE_MS;

/** From when to when the column goes. */
export interface Span { from: number; to: number }

const startOf = (block: PlanBlock) => Date.parse(block.start_at);
const endOf = (block: PlanBlock) => Date.parse(block.end_at);

/** From seven to eight in the evening, and further where a block does. */
export function spanOf(date: string, blocks: PlanBlock[]): Span {
  const begin = midnight(date);
  const end = midnight(date, 1);
  const hour = (count: number) => new Date(new Date(begin).setHours(count)).getTime();
  const first = Math.min(hour(FIRST_HOUR), ...blocks.map((one) => Math.floor((startOf(one) - begin) / HOUR_MS) * HOUR_MS + begin));
  const last = Math.max(hour(LAST_HOUR), ...blocks.map((one) => Math.ceil((endOf(one) - begin) / HOUR_MS) * HOUR_MS + begin));
  return { from: Math.max(begin, first), to: Math.min(end, last) };
}

/** The full hours in it. On days when clocks are changed one is missing, or there twice. */
export function hoursOf({ from, to }: Span): { at: number; words: string }[] {
  const hours = [];
  for (let at = from; at < to; at += HOUR_MS) hours.push({ at, words: hourWords(at) });
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

/** The same block so much later, as far as the day allows. */
export function shifted(block: PlanBlock, by: number, date: string): PlanBlock {
  const least = midnight(date) - startOf(block);
  const most = midnight(date, 1) - endOf(block);
  const step = Math.max(least, Math.min(most, by));
  return { ...block, start_at: new Date(startOf(block) + step).toISOString(), end_at: new Date(endOf(block) + step).toISOString() };
}

/** `09:00–10:30`. */
export const blockHours = (block: PlanBlock) => `${hourWords(startOf(block))}–${hourWords(endOf(block))}`;

/** The moment of a time that was typed; an end at midnight is that of the day. */
export function momentOf(date: string, time: string, isEnd: boolean): number {
  return isEnd && time === '00:00' ? midnight(date, 1) : new Date(`${date}T${time}`).getTime();
}

export function replaced(blocks: PlanBlock[], block: PlanBlock): PlanBlock[] {
  return blocks.some((one) => one.id === block.id) ? blocks.map((one) => (one.id === block.id ? block : one)) : [...blocks, block];
}
