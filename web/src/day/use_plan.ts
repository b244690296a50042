// The plan of a day, and changes of it. A change is what is done to the plan as it is: where somebody else was faster, it can be done again to what he made of it.
import { useRef, useState } from 'preact/hooks';
import { words } from '../access';
import { change, isStale, listOf, make } from '../journal/calls';
import type { DayPlan } from '../journal/records';
import { Saver } from '../journal/saver';
import { touch, useJournal } from '../journal/use_journal';

export type Part = Pick<DayPlan, 'note' | 'blocks' | 'pinned_task_ids'>;
export type Change = (present: Part) => Partial<Part>;

const EMPTY: Part = { note: null, blocks: [], pinned_task_ids: [] };

export interface Plan {
  /** Null: not read yet. */
  part: Part | null;
  revision: number;
  trouble: string | null;
  again: () => void;
  /** Throws where it is refused. */
  save: (wanted: Change, seen?: number) => Promise<{ revision: number }>;
  /** The same for what has no place of its own to say so. */
  attempt: (what: string, wanted: Change) => void;
  /** What could not be done; `retry`: because somebody else has changed the plan. */
  refusal: { text: string; retry: (() => void) | null } | null;
  forget: () => void;
}

/** Another day is another component. */
export function usePlan(date: string): Plan {
  const { value, trouble, again } = useJournal(async () => ({ plan: (await listOf('day_plan', { date })).data[0] ?? null }), [date]);
  const [refusal, setRefusal] = useState<Plan['refusal']>(null);
  const [wish, setWish] = useState<{ part: Part; revision: number } | null>(null);
  const saver = useRef(new Saver<DayPlan>()).current;
  const plan = value?.plan ?? null;
  const revision = plan?.revision ?? 0;
  const read: Part | null = value && (plan ?? EMPTY);
  const part = wish && wish.revision > revision && read ? wish.part : read; // what was done is seen at once
  const present = useRef({ part, revision });
  present.current = { part, revision };

  const save = async (wanted: Change, seen = present.current.revision) => {
    const before = present.current.part ?? EMPTY;
    const patch = wanted(before);
    setWish({ part: { ...before, ...patch }, revision: Infinity });
    try {
      const saved = await saver.save(seen, (from) => (from === 0 ? make('day_plan', { plan_date: date, ...patch }) : change('day_plan', `day_plan:${date}`, { ...patch, revision: from })));
      setWish({ part: saved, revision: saved.revision });
      setRefusal(null);
      return saved;
    } catch (failure) {
      setWish(null);
      throw failure;
    } finally {
      touch();
    }
  };
  const attempt = (what: string, wanted: Change) => {
    save(wanted).catch((failure) => setRefusal(isStale(failure)
      ? { text: `The plan was changed meanwhile. You see it as it is now; not done: ${what}.`, retry: () => attempt(what, wanted) }
      : { text: words(failure), retry: null }));
  };
  return { part, revision, trouble, again, save, attempt, refusal, forget: () => setRefusal(null) };
}
