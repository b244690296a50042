// A time entry that is added afterwards, or changed.
import { useRef } from 'preact/hooks';
import { tasksFor } from '../day/block_dialog';
import { change, isStale, make, recordOf, remove } from '../journal/calls';
import type { TimeEntry } from '../journal/records';
import type { KnownTasks } from '../journal/tasks';
import { touch } from '../journal/use_journal';
import { MINUTE_MS, dateOf, hourWords, midnight, weekOf } from '../journal/words';
import { field } from '../parts/field';
import { FormDialog, Unfit } from '../parts/form_dialog';
import { localMinute } from '../parts/time';

const HOUR_MS = 60 * MINUTE_MS;

export function EntryDialog({ entry, tasks, monday, onClose }: { entry: TimeEntry | null; tasks: KnownTasks; monday: string; onClose: () => void }) {
  const isPast = weekOf(dateOf(Date.now())) !== monday;
  const end = isPast ? midnight(monday) + 10 * HOUR_MS : Date.now();
  const revision = useRef(entry?.revision);
  const preset = useRef({ started_at: localMinute(entry ? Date.parse(entry.started_at) : end - HOUR_MS), ended_at: entry ? entry.ended_at && localMinute(Date.parse(entry.ended_at)) : localMinute(end) }).current;
  const fields = useRef([
    field('task_id', 'Task', { type: 'choice', preset: entry?.task_id, choices: tasksFor(tasks, entry?.task_id).map((one) => ({ value: one.id, title: one.title })) }),
    field('note', 'Note', { preset: entry?.note ?? '' }),
    field('started_at', 'From', { type: 'moment', isRequired: true, preset: preset.started_at }),
    field('ended_at', 'To', { type: 'moment', isRequired: entry === null || entry.ended_at !== null, preset: preset.ended_at ?? undefined, hint: entry && entry.ended_at === null ? 'It runs until there is one.' : '' }),
  ]).current;

  /** What was not touched keeps its seconds. */
  const times = (content: Record<string, any>) => Object.fromEntries((['started_at', 'ended_at'] as const)
    .filter((name) => content[name] && localMinute(Date.parse(content[name])) !== preset[name] || !entry && content[name])
    .map((name) => [name, content[name]]));
  const told = async (failure: unknown): Promise<never> => {
    if (!entry || !isStale(failure)) throw failure;
    const present = await recordOf('time_entry', entry.id);
    revision.current = present.revision;
    touch();
    const hours = `${hourWords(Date.parse(present.started_at))}–${present.ended_at ? hourWords(Date.parse(present.ended_at)) : 'now'}`;
    throw new Error(`It was changed meanwhile: now it is ${hours}${present.note ? `, ${present.note}` : ''}. Once more, and yours counts.`);
  };
  const send = async (content: Record<string, any>) => {
    const { started_at: from, ended_at: to, task_id = null, note = null } = content;
    if (to && Date.parse(to) < Date.parse(from)) throw new Unfit('ended_at', 'It has to end after it begins.');
    const about = { task_id, note, ...times(content) };
    await (entry ? change('time_entry', entry.id, { ...about, revision: revision.current }).catch(told) : make('time_entry', about));
    touch();
  };
  const drop = async () => {
    await remove('time_entry', entry!.id, revision.current).catch(told);
    touch();
  };
  return <FormDialog title={entry ? 'Time entry' : 'Add time'} deed={entry ? 'Save' : 'Add it'} fields={fields} send={send} other={entry ? { words: 'Delete', act: drop } : undefined} onClose={onClose} />;
}
