// The one timer that a person has.
import { change, make } from './calls';
import type { TimeEntry } from './records';
import { journal } from './state';
import { touch } from './use_journal';

/** Whose clock is behind ends it where it began. */
export async function stopTimer(running: TimeEntry) {
  await change('time_entry', running.id, { ended_at: new Date(Math.max(Date.now(), Date.parse(running.started_at))).toISOString() });
  touch();
}

/** What runs ends with it. */
export async function startTimer(about: Partial<TimeEntry>) {
  const running = journal.value?.running;
  try {
    if (running) await stopTimer(running);
    await make('time_entry', { ...about, started_at: new Date().toISOString() });
  } finally {
    touch();
  }
}
