import { useRef, useState } from 'preact/hooks';
import { useKeys } from '../parts/keys';
import { type Sending, forgetSending, say, sayAgain } from './outbox';

export function Speak({ session, sending }: { session: string; sending: Sending[] }) {
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  useKeys({ t: () => field.current?.focus() });
  const send = () => {
    const said = text.trim();
    if (!said) return;
    say(session, said);
    setText('');
    field.current?.focus();
  };
  return (
    <div class="speak">
      <div aria-live="polite">
        {sending.map((one) => (
          <div key={one.id} class={`sending ${one.state}`}>
            <p class="said">{one.text}</p>
            <p class="note">{one.state === 'received' ? 'Received' : one.note}
              {one.state === 'failed' && <><button type="button" class="link" onClick={() => sayAgain(one.id)}>Send again</button><button type="button" class="link" onClick={() => forgetSending(one.id)}>Discard</button></>}
            </p>
          </div>
        ))}
      </div>
      <form onSubmit={(event) => { event.preventDefault(); send(); }}>
        <textarea ref={field} rows={2} value={text} aria-label="Write to the agent" placeholder="Write to the agent…" maxLength={100_000}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); send(); }
            if (event.key === 'Escape') event.currentTarget.blur();
          }} />
        <button type="submit" class="primary" disabled={text.trim() === ''}>Send</button>
      </form>
    </div>
  );
}
