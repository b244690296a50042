// What an agent proposes, in words that a person reads.
import type { ChangeItem, ChangeSetHead } from 'belfry-client/wire';
import { capital } from '../parts/field';

const TOOLS = new Map(Object.entries({
  add_multiple_checklist_items: 'Add items to a checklist',
  annotate_time_entry: 'Write a note to a time entry',
  assign_task_labels: 'Change the labels of a task',
  conclude_task_with_rollover: 'Close a task, and move what is open to a new one',
  create_checklist: 'Make a checklist',
  create_follow_up_task: 'Make a task that follows another',
  create_or_update_rating: 'Rate a day or a session',
  create_retrospective_time_entry: 'Record time that was spent',
  create_task: 'Make a task',
  emit_event: 'Tell other programs of an event',
  get_or_create_day_plan: 'Make the plan of a day',
  move_checklist_items: 'Move items to another checklist',
  move_checklist_items_to_new_task: 'Make a task out of items',
  notify_user: 'Send you a notification',
  pin_day_plan_tasks: 'Pin tasks to a day',
  replan_day_blocks: 'Plan a day anew',
  set_task_language: 'Say in which language a task is written',
  start_task_timer: 'Start a timer',
  stop_task_timer: 'Stop the timer',
  update_checklist_items: 'Check or rename items',
  update_task_due_date: 'Change when a task is due',
  update_task_estimate: 'Change how long a task takes',
  update_task_fields: 'Change a task',
  update_task_priority: 'Change how important a task is',
  upsert_day_plan_blocks: 'Change the plan of a day',
}));

/** `Make a task`; of a tool that somebody else has: `Send mail`. */
export const toolWords = (name: string) => TOOLS.get(name) ?? capital(name.replace(/[_.\-/]+/g, ' ').trim() || name);

/** `new`, `changed`, `deleted`: of what was only proposed, and of what was done. */
export const CHANGES: Record<ChangeItem['changes'][number]['change'], string> = { made: 'new', changed: 'changed', deleted: 'deleted' };

/** `a change`, `3 changes`. */
export const changed = (count: number) => (count === 1 ? 'a change' : `${count} changes`);

/** `2 open`, `2 accepted, 1 failed`, `1 open, 2 rejected`. */
export function countWords({ counts: { proposed, ...ends } }: ChangeSetHead): string {
  return [proposed > 0 && `${proposed} open`, ...Object.entries(ends).map(([state, count]) => count > 0 && `${count} ${state}`)].filter(Boolean).join(', ');
}

export const sizeOf = ({ counts }: ChangeSetHead) => Object.values(counts).reduce((sum, one) => sum + one, 0);

/** How far it is: it has more items, or fewer that wait, and neither ever goes back. */
export const progressOf = (set: ChangeSetHead) => 2 * sizeOf(set) - set.counts.proposed;

const GIST_MAX = 120;

/** The arguments that say something to a person, in a line: `title Run, dueDate 2026-11-20`. */
export function gistOf(given: Record<string, unknown>): string {
  const said = Object.entries(given).filter(([name, value]) => !/Ids?$/.test(name) && ['string', 'number', 'boolean'].includes(typeof value)).map(([name, value]) => `${name} ${value}`).join(', ');
  return said.length > GIST_MAX ? `${said.slice(0, GIST_MAX)}…` : said;
}
