// A block of the day: a new one, or one that is there.
import { useRef, useState } from 'preact/hooks';
import { isStale } from '../journal/calls';
import { type Names, optionsOf } from '../journal/names';
import type { PlanBlock } from '../journal/records';
import type { KnownTasks } from '../journal/tasks';
import { dateOf, hourWords, midnight } from '../journal/words';
import { field } from '../parts/field';
import { FormDialog, Unfit } from '../parts/form_dialog';
import { minute } from '../parts/marks';
import { blockWords } from './column';
import { STEP_MS, blockHours, isOverMidnight, replaced, timesOf } from './plan';
import type { Plan } from './use_plan';

interface Props { date: string; plan: Plan; names: Names; tasks: KnownTasks; block: PlanBlock | null; at: number | null; onClose: () => void }

/** Unless told: after the last block, at nine on another day, and in an hour's time at the most today. */
function beginning(date: string, plan: Plan): number {
  const last = Math.max(0, ...(plan.part?.blocks ?? []).map((one) => Date.parse(one.end_at)));
  if (last >= midnight(date) && last < midnight(date, 1) - 4 * STEP_MS) return last;
  if (date === dateOf(minute.value)) return Math.min(Math.ceil(minute.value / STEP_MS) * STEP_MS, midnight(date, 1) - 4 * STEP_MS);
  return new Date(midnight(date)).setHours(9);
}

const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (one) => one.toString(16).padStart(2, '0')).join('');

export function BlockDialog({ date, plan, names, tasks, block, at, onClose }: Props) {
  const begin = block ? Date.parse(block.start_at) : at ?? beginning(date, plan);
  const end = block ? Date.parse(block.end_at) : begin + 4 * STEP_MS;
  const fields = useRef([
    field('note', 'What', { preset: block?.note ?? '' }),
    field('task_id', 'Task', { type: 'choice', preset: block?.task_id, choices: tasksFor(tasks, block?.task_id).map((one) => ({ value: one.id, title: one.title })) }),
    field('start_at', 'From', { type: 'time', isRequired: true, preset: hourWords(begin) }),
    field('end_at', 'To', { type: 'time', isRequired: true, preset: hourWords(end) }),
    field('is_next_day', 'It ends on the next day', { type: 'boolean', preset: block !== null && isOverMidnight(block) }),
    field('category_id', 'Category', { type: 'choice', preset: block?.category_id, choices: optionsOf(names.categories).map((one) => ({ value: one.value, title: one.label })) }),
  ]).current;
  const id = useRef(block?.id ?? newId()).current;
  const seen = useRef<number | undefined>(plan.revision);
  const [isSending, setSending] = useState(false);

  const save = async (wanted: (blocks: PlanBlock[]) => PlanBlock[]) => {
    setSending(true);
    try {
      await plan.save((present) => ({ blocks: wanted(present.blocks) }), seen.current);
    } catch (failure) {
      setSending(false);
      if (!isStale(failure)) throw failure;
      seen.current = undefined; // once more counts from what is there by then
      throw new Error('The plan was changed meanwhile. Behind this you see it as it is now; once more, and this is done to it.');
    }
  };
  const send = async ({ start_at: from, end_at: to, is_next_day: isNextDay, note, task_id, category_id }: Record<string, any>) => {
    const { start, end: stop } = timesOf(date, { from, to, isNextDay }, block);
    if (stop <= start) throw new Unfit('end_at', 'It has to end after it begins, or on the next day.');
    if (!note && !task_id) throw new Unfit('note', 'Say what, or choose a task.');
    const made: PlanBlock = { id, start_at: new Date(start).toISOString(), end_at: new Date(stop).toISOString(), note: note ?? null, task_id: task_id ?? null, ...(category_id ? { category_id } : {}) };
    await save((blocks) => replaced(blocks, made));
  };
  const drop = () => save((blocks) => blocks.filter((one) => one.id !== id));
  const present = plan.part?.blocks.find((one) => one.id === id);
  const isOther = block !== null && !isSending && plan.part !== null;
  return (
    <FormDialog title={block ? 'Block' : 'Add a block'} deed={block ? 'Save' : 'Add it'} fields={fields} send={send} other={block ? { words: 'Delete', act: drop } : undefined} onClose={onClose}>
      {isOther && present && blockHours(present) !== blockHours(block) && <p class="clash">It was changed meanwhile: now it is {blockWords(present, tasks)}, {blockHours(present)}.</p>}
      {isOther && !present && <p class="clash">Somebody has deleted it meanwhile. Saving puts it back.</p>}
    </FormDialog>
  );
}

/** Open ones, and the one that it has. */
export function tasksFor(tasks: KnownTasks, id: string | null | undefined) {
  const own = id ? tasks.titles.get(id) : undefined;
  return own && !tasks.open.some((one) => one.id === own.id) ? [own, ...tasks.open] : tasks.open;
}
