import { useState } from 'preact/hooks';
import { words } from '../access';

/** Something that a button does: while it is under way the button waits, and what went wrong is told. */
export function useDeed() {
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const act = async (deed: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setTrouble(null);
    try {
      await deed();
      return true;
    } catch (failure) {
      setTrouble(words(failure));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, trouble, act };
}
