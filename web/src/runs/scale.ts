// Times as places on a line.
import { duration } from '../parts/time';

const STEPS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 216e5, 432e5, 864e5];
const TICKS_MAX = 7;
const LEAST_PERCENT = 0.4; // what is shorter could not be seen

export interface Scale {
  ticks: { at: number; percent: number; label: string }[];
  place: (begin: number, end: number) => { left: string; width: string };
}

export function scaleOf(from: number, to: number): Scale {
  const length = Math.max(1, to - from);
  const step = STEPS_MS.find((one) => length / one <= TICKS_MAX) ?? Math.ceil(length / TICKS_MAX);
  const ticks = [];
  for (let at = 0; at < length * 0.95; at += step) ticks.push({ at, percent: (100 * at) / length, label: at === 0 ? '0' : duration(at) });
  const percent = (at: number) => Math.min(100, Math.max(0, (100 * (at - from)) / length));
  return {
    ticks,
    place: (begin, end) => {
      const left = Math.min(percent(begin), 100 - LEAST_PERCENT);
      return { left: `${left}%`, width: `${Math.max(LEAST_PERCENT, percent(end) - left)}%` };
    },
  };
}
