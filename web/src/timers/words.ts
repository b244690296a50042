// When a timer fires, as a person would say it.
import type { Schedule, TimerFiring } from 'belfry-client/wire';
import { capital } from '../parts/field';
import { wallTime } from '../parts/time';

/** `daily 07:00`, `Mon, Thu 18:30`, `every 90m`, `once, 16 Nov, 07:00`, `cron 30 2 * * *`. */
export function scheduleWords(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'daily': return `daily ${schedule.time}`;
    case 'weekly': return `${(schedule.days ?? []).map(capital).join(', ')} ${schedule.time}`;
    case 'every': return `every ${schedule.interval}`;
    case 'cron': return `cron ${schedule.cron}`;
    case 'at': return `once, ${wallTime(schedule.at ?? '')}`;
  }
}

/** `Mon, 16 Nov, 07:00`, as the clocks of its zone show it. Its offset is left out: the zone stands beside it. */
export function firingWords({ local }: TimerFiring): string {
  const wall = new Date(`${local.slice(0, 19)}Z`);
  const day = wall.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
  return `${day.replace(/^(\w+) /, '$1, ')}, ${local.slice(11, local.slice(17, 19) === '00' ? 16 : 19)}`;
}

const NOTES = { gap: 'the clocks jump over its time', repeated: 'the clocks show this time twice' };

export const noteWords = (note: TimerFiring['note']) => (note === null ? '' : NOTES[note]);
