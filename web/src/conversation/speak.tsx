import { useEffect, useRef, useState } from 'preact/hooks';
import { useKeys } from '../parts/keys';
import { type Sending, forgetSending, say, sayAgain } from './outbox';

export function Speak({ session, sending }: { session: string; sending: Sending[] }) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const refused = sending.find((one) => one.fault !== null);
  // What was not taken goes back to where it can be mended, unless something else is being written there.
  useEffect(() => {
    if (!refused || text.trim() !== '') return;
    setText(refused.text);
    setFault(refused.fault);
    forgetSending(refused.id);
    field.current?.focus();
  }, [refused?.id, text.trim() === '']);
  useKeys({ t: () => field.current?.focus() });
  const send = () => {
    const said = text.trim();
    if (!said) return;
    say(session, said);
    setText('');
    setFault(null);
    field.current?.focus();
  };
  return (
    <div class="speak">
      <div aria-live="polite">
        {sending.map((one) => (
          <div key={one.id} class={`sending ${one.state}`}>
            <p class="said">{one.text}</p>
            <p class="note">{one.state === 'received' ? 'Received' : one.note}
              {one.state === 'failed' && <>{one.fault === null && <button type="button" class="link" onClick={() => sayAgain(one.id)}>Send again</button>}<button type="button" class="link" onClick={() => forgetSending(one.id)}>Discard</button></>}
            </p>
          </div>
        ))}
      </div>
      <form onSubmit={(event) => { event.preventDefault(); send(); }}>
        <textarea ref={field} rows={2} value={text} aria-label="Write to the agent" placeholder="Write to the agent…"
          aria-invalid={fault !== null} aria-describedby={fault === null ? undefined : 'speak-fault'}
          onInput={(event) => { setText(event.currentTarget.value); setFault(null); }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); send(); }
            if (event.key === 'Escape') event.currentTarget.blur();
          }} />
        <button type="submit" class="primary" disabled={text.trim() === ''}>Send</button>
      </form>
      {fault !== null && <p id="speak-fault" class="fault">{fault}</p>}
    </div>
  );
}
