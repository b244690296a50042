// The tools that are used in a conversation without asking, and the way back. Where there are none, there is nothing to see.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { words } from '../access';
import { Trouble } from '../parts/marks';
import { seen } from '../parts/seen';
import { moment } from '../parts/time';
import { type Allowance, allowancesOf } from './allowances';
import { questions, takeBack, takenBack } from './questions';
import type { Allowing } from './shapes';

/** `onLast`: the last one is gone, and with it the place where the keyboard was. */
export function Allowances({ session, allowing, onLast }: { session: string; allowing: Allowing[]; onLast: () => void }) {
  const [trouble, setTrouble] = useState<string | null>(null);
  const [news, setNews] = useState('');
  const box = useRef<HTMLUListElement>(null);
  const focusAt = useRef<number | null>(null);
  // What was answered just now counts before it is read.
  const fresh = [...questions.value.values()].filter((one): one is Allowing => one.session_id === session && one.always_allowed);
  const allowed = allowancesOf([...allowing, ...fresh], takenBack.value);

  useLayoutEffect(() => {
    const at = focusAt.current;
    if (at === null) return;
    focusAt.current = null;
    const buttons = box.current?.querySelectorAll('button') ?? [];
    if (buttons.length === 0) onLast();
    else buttons[Math.min(at, buttons.length - 1)]!.focus();
  }, [allowed.length]);

  const take = async (one: Allowance, at: number) => {
    setTrouble(null);
    try {
      focusAt.current = at;
      await takeBack(one);
      setNews(`The agent asks again before it uses ${seen(one.tool)}.`);
    } catch (failure) {
      focusAt.current = null;
      setTrouble(words(failure));
    }
  };
  return (
    <div class="allowances">
      <p class="sr" role="status">{news}</p>
      {allowed.length > 0 && (
        <section aria-label="Always allowed">
          <h3>Always allowed here</h3>
          <ul ref={box}>
            {allowed.map((one, at) => (
              <li key={one.tool}>
                <code>{seen(one.tool)}</code><span class="quiet">since <time dateTime={one.since}>{moment(one.since).slice(0, -':00'.length)}</time></span>
                <button type="button" class="link" aria-label={`Take back: ${seen(one.tool)}`} onClick={() => void take(one, at)}>Take back</button>
              </li>
            ))}
          </ul>
          {trouble && <Trouble text={trouble} />}
        </section>
      )}
    </div>
  );
}
