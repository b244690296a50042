// Something read from the daemon: again on demand, when the line is back, and at an interval while the page is looked at.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isNoAccess, signOut, words } from '../access';
import { line } from '../connection';

export interface Reading<T> { value: T | null; trouble: string | null; again: () => void }

export function useReading<T>(read: () => Promise<T>, on: unknown[], everyMs = 0): Reading<T> {
  const [value, setValue] = useState<T | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const turn = useRef(0);
  const reader = useRef(read);
  reader.current = read;
  const again = useCallback(async () => {
    const mine = ++turn.current;
    try {
      const found = await reader.current();
      if (mine !== turn.current) return; // a later question has been asked
      setValue(() => found);
      setTrouble(null);
    } catch (failure) {
      if (mine !== turn.current) return;
      if (isNoAccess(failure)) signOut('This access token is not valid any more.');
      else setTrouble(words(failure));
    }
  }, []);
  useEffect(() => {
    setValue(null);
    return () => { ++turn.current; };
  }, on);
  useEffect(() => {
    void again();
    if (everyMs === 0) return undefined;
    const timer = setInterval(() => { if (!document.hidden && line.value === 'live') void again(); }, everyMs);
    return () => clearInterval(timer);
  }, [...on, everyMs, line.value === 'live']);
  return { value, trouble, again };
}
