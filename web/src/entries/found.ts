// Records of all kinds, as a search finds them: what each is called, and where it is at home.
import type { AnyRecord, Entry, Kind } from '../journal/records';
import { dateOf, dayWords, hourWords } from '../journal/words';
import { hrefOf } from '../route';

export const KINDS: Record<Kind, string> = {
  entry: 'entry', task: 'task', checklist: 'checklist', checklist_item: 'checklist item', time_entry: 'time', day_plan: 'day plan', rating: 'rating', category: 'category', label: 'label',
};
export const ENTRY_TYPES: Record<Entry['type'], string> = { text: 'note', audio: 'recording', workout: 'workout', ai_response: 'answer' };

/** `entry:0198…`: which record is open. An id may have colons of its own, a kind has none. */
export const nameOf = (record: { kind: Kind; id: string }) => `${record.kind}:${record.id}`;

export function namedBy(text: string | null): { kind: Kind; id: string } | null {
  const [, kind = '', id = ''] = /^([a-z_]+):(.+)$/s.exec(text ?? '') ?? [];
  return Object.hasOwn(KINDS, kind) ? { kind: kind as Kind, id } : null;
}

export const kindWords = (record: AnyRecord) => (record.kind === 'entry' ? ENTRY_TYPES[record.type] : KINDS[record.kind]);

const SCORES = ['', 'bad', 'poor', 'fair', 'good', 'very good'];
const firstLine = (text: string | null | undefined) => (text ?? '').trim().split('\n', 1)[0]!;

function entryWords(entry: Entry): string {
  if (firstLine(entry.text)) return firstLine(entry.text);
  if (entry.type === 'workout') return entry.workout_type?.replaceAll('_', ' ') || 'Workout';
  return entry.type === 'audio' ? 'Recording' : entry.type === 'ai_response' ? firstLine(entry.prompt) || 'Answer' : 'Empty note';
}

/** In one line. */
export function recordWords(record: AnyRecord): string {
  switch (record.kind) {
    case 'entry': return entryWords(record);
    case 'task': case 'checklist': case 'checklist_item': return record.title;
    case 'time_entry': return firstLine(record.note) || 'Time';
    case 'day_plan': return `Plan of ${record.plan_date}`;
    case 'rating': return `${record.target === 'session' ? 'Time' : record.target_id}: ${SCORES[record.score]}`;
    case 'category': case 'label': return record.name;
  }
}

/** What else there is to say: of a text what follows its first line, of time when it was. */
export function moreWords(record: AnyRecord, now: number): string {
  if (record.kind === 'entry') return (record.text ?? '').trim().split('\n').slice(1).join(' ').trim();
  if (record.kind === 'task') return record.text ?? '';
  if (record.kind === 'time_entry') return `${dayWords(dateOf(Date.parse(record.started_at)), now)}, ${hourWords(Date.parse(record.started_at))}`;
  return record.kind === 'rating' || record.kind === 'day_plan' ? record.note ?? '' : '';
}

/** All of what it says, for whoever opens it. */
export const wholeText = (record: AnyRecord): string => ('text' in record ? record.text : 'note' in record ? record.note : null) ?? '';

/** The page that shows it; null: none does, or another record has to be asked first. */
export function homeOf(record: AnyRecord): { href: string; words: string } | null {
  switch (record.kind) {
    case 'task': return { href: hrefOf('tasks', record.id), words: 'Open the task' };
    case 'checklist': return { href: hrefOf('tasks', record.task_id), words: 'Open its task' };
    case 'time_entry': return { href: hrefOf('time', dateOf(Date.parse(record.started_at))), words: 'Open the week' };
    case 'day_plan': return { href: hrefOf('day', record.plan_date), words: 'Open the day' };
    case 'rating': return record.target === 'session' ? null : { href: hrefOf('day', record.target_id), words: 'Open the day' };
    case 'category': return { href: hrefOf('tasks', null, { category: record.id }), words: 'Its tasks' };
    default: return null;
  }
}
