// The journal in words, and its days.
import type { TaskPriority, TaskStatus } from 'belfry-client/wire';
import type { Task, TimeEntry } from './records';

export const MINUTE_MS = 60_000;

export const STATUSES: Record<TaskStatus, string> = {
  open: 'open', groomed: 'groomed', in_progress: 'in progress', blocked: 'blocked', on_hold: 'on hold', done: 'done', rejected: 'rejected',
};
export const OPEN_STATUSES: TaskStatus[] = ['open', 'groomed', 'in_progress', 'blocked', 'on_hold'];
export const PRIORITIES: Record<TaskPriority, string> = { p0: 'P0, now', p1: 'P1, high', p2: 'P2, normal', p3: 'P3, low' };

export const isClosed = (task: Task) => task.status === 'done' || task.status === 'rejected';

/** `2026-11-16`, of the reader's own zone. */
export function dateOf(time: number): string {
  const date = new Date(time);
  return `${String(date.getFullYear()).padStart(4, '0')}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`;
}

export const isDate = (text: string | null): text is string => text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

/** The first moment of a day, or of one so many days later; a day need not have 24 hours. */
export function midnight(date: string, later = 0): number {
  const [year, month, day] = date.split('-').map(Number);
  return new Date(year!, month! - 1, day! + later).getTime();
}

export const dayAfter = (date: string, days: number) => dateOf(midnight(date, days));

/** The Monday of its week. */
export function weekOf(date: string): string {
  const weekday = new Date(midnight(date)).getDay();
  return dayAfter(date, -((weekday + 6) % 7));
}

/** `Mon, 16 Nov`, with the year where it is another one. */
export function dayWords(date: string, now: number): string {
  const day = new Date(midnight(date));
  const isThisYear = day.getFullYear() === new Date(now).getFullYear();
  return day.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short', ...(isThisYear ? {} : { year: 'numeric' }) }).replace(/^(\w+) /, '$1, ');
}

/** `today`, `tomorrow`, `yesterday`, `Fri, 20 Nov`. */
export function dueWords(date: string, now: number): string {
  const today = dateOf(now);
  if (date === today) return 'today';
  if (date === dayAfter(today, 1)) return 'tomorrow';
  return date === dayAfter(today, -1) ? 'yesterday' : dayWords(date, now);
}

/** `09:05` of the reader's own zone. */
export function hourWords(time: number): string {
  return new Date(time).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}

/** `Tue` of the reader's own zone. */
export const weekdayWords = (time: number) => new Date(time).toLocaleDateString('en-GB', { weekday: 'short' });

/** `0 min`, `45 min`, `2 h`, `2 h 5 min`, `31 h`: time that was spent is counted in hours. */
export function spentWords(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return `${minutes} min`;
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/** How much of an entry lies between these. One that runs lasts until now. */
export function spentIn(entry: TimeEntry, from: number, to: number, now: number): number {
  const end = entry.ended_at === null ? now : Date.parse(entry.ended_at);
  return Math.max(0, Math.min(end, to) - Math.max(Date.parse(entry.started_at), from));
}

export const spentOn = (entry: TimeEntry, now: number) => spentIn(entry, -Infinity, Infinity, now);

/** A colour that somebody has typed is one only if it looks like one. */
export const colourOf = (text: string | null | undefined) => (text && /^#[0-9a-f]{6}$/i.test(text) ? text : undefined);

/** Nothing else can be searched for. */
export const hasWord = (text: string) => /[\p{L}\p{N}]/u.test(text);

const compared = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** By their places, those of one place by age, then by id: the same on every device. */
export function inOrder<T extends { id: string; position: number; created_at: string }>(records: T[]): T[] {
  return [...records].sort((a, b) => a.position - b.position || compared(a.created_at, b.created_at) || compared(a.id, b.id));
}

/** What has to be changed so that the one at `from` stands at `to`. */
export function movesOf<T extends { position: number }>(ordered: T[], from: number, to: number): { one: T; position: number }[] {
  const order = [...ordered];
  order.splice(to, 0, ...order.splice(from, 1));
  return order.map((one, position) => ({ one, position })).filter(({ one, position }) => one.position !== position);
}

