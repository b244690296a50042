// Something read from the daemon: again on demand, when the line is back, and at an interval. What falls due while nobody looks at the
// page is read once, when somebody does again.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isNoAccess, signOut, words } from '../access';
import { line } from '../connection';
import { whenLookedAt } from './looked_at';

export interface Reading<T> {
  value: T | null;
  trouble: string | null;
  again: () => void;
  /** The same for what may be said often: what is under way ends first, and however much was said meanwhile is one more reading. */
  nudge: () => void;
}

/** Another `on` is another question: the old answer is forgotten at once. */
export function useReading<T>(read: () => Promise<T>, on: unknown[], everyMs = 0): Reading<T> {
  const [value, setValue] = useState<T | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const state = useRef({ turn: 0, underWay: 0, isWanted: false }).current;
  const reader = useRef(read);
  reader.current = read;

  const again = useCallback(() => {
    const mine = ++state.turn;
    const isStale = () => mine !== state.turn; // a later question has been asked
    ++state.underWay;
    reader.current().then((found) => {
      if (isStale()) return;
      setValue(() => found);
      setTrouble(null);
    }, (failure) => {
      if (isStale()) return;
      if (isNoAccess(failure)) signOut('This access token is not valid any more.');
      else setTrouble(words(failure));
    }).finally(() => {
      if (--state.underWay > 0 || !state.isWanted) return;
      state.isWanted = false;
      again();
    });
  }, []);

  const nudge = useCallback(() => {
    if (state.underWay > 0) state.isWanted = true;
    else again();
  }, []);

  useEffect(() => {
    setValue(null);
    return () => {
      ++state.turn;
      state.isWanted = false;
    };
  }, on);

  useEffect(() => {
    let isOver = false;
    let isDue = false;
    const look = async () => {
      if (isDue) return;
      isDue = true;
      await whenLookedAt();
      isDue = false;
      if (!isOver) again();
    };
    void look();
    const timer = everyMs === 0 ? undefined : setInterval(() => { if (line.value === 'live' && state.underWay === 0) void look(); }, everyMs);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [...on, everyMs, line.value === 'live']);

  return { value, trouble, again, nudge };
}
