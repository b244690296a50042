// Times and sizes, short enough for a list.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago, in as few characters as tell it: `now`, `4 min`, `3 h`, `Tue`, `12 Mar`, `12 Mar 2024`. */
export function ago(iso: string, now: number): string {
  const then = Date.parse(iso);
  const past = now - then;
  if (Number.isNaN(then)) return '';
  if (past < MINUTE) return 'now';
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min`;
  if (past < DAY) return `${Math.floor(past / HOUR)} h`;
  const date = new Date(then);
  if (past < 6 * DAY) return date.toLocaleDateString('en-GB', { weekday: 'short' });
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', ...(isThisYear ? {} : { year: 'numeric' }) });
}

/** `14:03:07` of the reader's own zone. */
export function clock(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleTimeString('en-GB');
}

/** `15 Nov, 14:03:07`. */
export function moment(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return '';
  return `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })}, ${date.toLocaleTimeString('en-GB')}`;
}

/** `16 Nov, 07:00` of the reader's own zone. */
export function wallTime(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return '';
  return date.toLocaleString('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
}

/** As a field for a moment wants it: `2026-11-16T07:00`, of the reader's own zone. */
export function localMinute(time: number): string {
  const date = new Date(time);
  return new Date(time - date.getTimezoneOffset() * MINUTE).toISOString().slice(0, 16);
}

/** How long from now: `now`, `in 40 s`, `in 4 min`, `in 3 h`, `in 2 d`. */
export function until(iso: string, now: number): string {
  const left = Date.parse(iso) - now;
  if (Number.isNaN(left)) return '';
  if (left <= 0) return 'now';
  if (left < MINUTE) return `in ${Math.ceil(left / 1000)} s`;
  if (left < HOUR) return `in ${Math.round(left / MINUTE)} min`;
  return left < DAY ? `in ${Math.round(left / HOUR)} h` : `in ${Math.round(left / DAY)} d`;
}

/** `840 ms`, `3.2 s`, `4 min 10 s`, `2 h 5 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1).replace(/\.0$/, '')} s`;
  if (ms < MINUTE) return `${Math.floor(ms / 1000)} s`;
  if (ms < HOUR) return two(Math.floor(ms / MINUTE), 'min', Math.floor((ms % MINUTE) / 1000), 's');
  if (ms < DAY) return two(Math.floor(ms / HOUR), 'h', Math.floor((ms % HOUR) / MINUTE), 'min');
  return two(Math.floor(ms / DAY), 'd', Math.floor((ms % DAY) / HOUR), 'h');
}

const two = (much: number, unit: string, rest: number, small: string) => (rest === 0 ? `${much} ${unit}` : `${much} ${unit} ${rest} ${small}`);

/** `1:04:09`, for what runs. */
export function stopwatch(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** `980`, `12.4 k`, `3.1 M`. */
export function count(value: number): string {
  if (value < 1000) return value < 10 && !Number.isInteger(value) ? value.toFixed(1) : String(Math.round(value));
  if (value < 1e6) return `${trimmed(value / 1e3)} k`;
  if (value < 1e9) return `${trimmed(value / 1e6)} M`;
  return `${trimmed(value / 1e9)} G`;
}

export function bytes(value: number): string {
  if (value < 1024) return `${Math.round(value)} B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let unit = -1;
  let left = value;
  do {
    left /= 1024;
    ++unit;
  } while (left >= 1024 && unit < units.length - 1);
  return `${trimmed(left)} ${units[unit]}`;
}

const trimmed = (value: number) => (value < 100 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value)));
