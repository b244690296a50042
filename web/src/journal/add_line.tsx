// One line that becomes a record: Enter adds it, and the next one can be typed.
import { useState } from 'preact/hooks';
import { touch } from './use_journal';
import { useDeed } from './use_deed';

export function AddLine({ label, placeholder = label, add }: { label: string; placeholder?: string; add: (text: string) => Promise<unknown> }) {
  const [text, setText] = useState('');
  const { isBusy, trouble, act } = useDeed();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted && !isBusy) void act(async () => {
      await add(wanted);
      setText('');
      touch();
    });
  };
  return (
    <form class="add-line" onSubmit={submit}>
      <input aria-label={label} placeholder={placeholder} value={text} autocomplete="off" onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => { if (event.key === 'Escape') event.currentTarget.blur(); }} />
      <button type="submit" disabled={text.trim() === ''}>Add</button>
      {trouble && <p class="fault" role="alert">{trouble}</p>}
    </form>
  );
}
