// A value of a record that a person changes in place. What he typed stays until it is saved: where the record was changed meanwhile he is told, sees
// how it is now, and chooses.
import { useEffect, useRef, useState } from 'preact/hooks';
import { words } from '../access';
import { isStale } from './calls';
import { touch } from './use_journal';

export interface Edit<T> {
  /** What he typed, or how it is. */
  shown: T;
  /** How it is. */
  present: T;
  isStale: boolean;
  trouble: string | null;
  type: (value: T) => void;
  /** Saves what was typed, or this. */
  commit: (value?: T) => void;
  /** Saves it over what others have made of it; or lets it go. */
  insist: () => void;
  giveUp: () => void;
}

/** `saved`: the revision that has it. */
interface Draft<T> { value: T; revision: number; isSent: boolean; saved: number | null }

/** `save` answers with the revision that the record has then. */
export function useEdit<T>(present: T, revision: number, save: (value: T, revision: number) => Promise<{ revision: number }>): Edit<T> {
  const [draft, setDraft] = useState<Draft<T> | null>(null);
  const [stale, setStale] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const latest = useRef(draft);
  const put = (next: Draft<T> | null) => {
    latest.current = next;
    setDraft(next);
  };
  const giveUp = () => {
    put(null);
    setStale(false);
    setTrouble(null);
  };
  // What was saved is shown as a draft until the record that was read has it, too.
  useEffect(() => { if (draft?.saved != null && revision >= draft.saved) put(null); }, [draft, revision]);

  const typed = (value: T): Draft<T> => ({ value, revision: latest.current?.saved ?? latest.current?.revision ?? revision, isSent: false, saved: null });
  const send = async (value: T, from: number) => {
    const mine: Draft<T> = { value, revision: from, isSent: true, saved: null };
    put(mine);
    setStale(false);
    setTrouble(null);
    const then = (more: Partial<Draft<T>>) => { if (latest.current === mine) put({ ...mine, ...more }); };
    try {
      then({ saved: (await save(value, from)).revision });
    } catch (failure) {
      then({ isSent: false });
      if (isStale(failure)) setStale(true);
      else setTrouble(words(failure));
    }
    touch();
  };
  return {
    shown: draft ? draft.value : present,
    present,
    isStale: stale,
    trouble,
    type: (value) => put(typed(value)),
    commit: (value) => {
      const mine = value === undefined ? latest.current : typed(value);
      if (!mine || mine.isSent) return;
      if (stale) put(mine); // first he has to choose
      else if (mine.value === present && !trouble) giveUp();
      else void send(mine.value, mine.revision);
    },
    insist: () => { if (latest.current) void send(latest.current.value, revision); },
    giveUp,
  };
}
