// Fields of a record that are changed where they stand: what is chosen is saved at once, what is typed when the field is left or with Enter.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { seen } from '../parts/seen';
import type { Edit } from './use_edit';

interface Props<T> { label: string; edit: Edit<T>; isBare?: boolean }

/** What stands in the way of saving it. */
export function Clash<T>({ edit, words = (value: T) => String(value ?? '') }: { edit: Edit<T>; words?: (value: T) => string }) {
  if (edit.trouble) return <p class="fault" role="alert">{edit.trouble}</p>;
  if (!edit.isStale) return null;
  const now = words(edit.present);
  return (
    <div class="clash" role="alert">
      <p>It was changed meanwhile. {now ? <>Now it is: <q>{seen(now)}</q></> : 'Now it is empty.'}</p>
      <p class="actions"><button type="button" onClick={edit.insist}>Save mine</button><button type="button" onClick={edit.giveUp}>Take theirs</button></p>
    </div>
  );
}

function Frame({ id, label, isBare, children }: { id: string; label: string; isBare?: boolean; children: ComponentChildren }) {
  return <div class="edit"><label for={id} class={isBare ? 'sr' : ''}>{label}</label>{children}</div>;
}

const leaving = (edit: Edit<any>) => ({
  onBlur: () => edit.commit(),
  onKeyDown: (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation(); // the page stays where it is
    edit.giveUp();
  },
});

const PICKED_MS = 800;
const isWhole = (date: string) => date === '' || date >= '1900'; // a year that is being typed begins with zeros

/** A date that was picked is saved, too, without the field being left. */
function usePicked(edit: Edit<string>) {
  const present = useRef(edit);
  present.current = edit;
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => () => clearTimeout(timer.current), []);
  return (date: string) => {
    clearTimeout(timer.current);
    if (isWhole(date)) timer.current = setTimeout(() => present.current.commit(), PICKED_MS);
  };
}

export function EditLine({ label, edit, isBare, kind = 'text', placeholder }: Props<string> & { kind?: 'text' | 'date'; placeholder?: string }) {
  const id = useId();
  const { onBlur, onKeyDown } = leaving(edit);
  const picked = usePicked(edit);
  return (
    <Frame id={id} label={label} isBare={isBare}>
      <input id={id} type={kind} value={edit.shown} placeholder={placeholder} autocomplete="off" onBlur={onBlur} onInput={(event) => edit.type(event.currentTarget.value)}
        onChange={kind === 'date' ? (event) => picked(event.currentTarget.value) : undefined}
        onKeyDown={(event) => { if (event.key === 'Enter' && !event.isComposing) edit.commit(); else onKeyDown(event); }} />
      <Clash edit={edit} />
    </Frame>
  );
}

/** `isLine`: Enter saves; it is long, but has no lines of its own. */
export function EditText({ label, edit, isBare, isLine = false, placeholder }: Props<string> & { isLine?: boolean; placeholder?: string }) {
  const id = useId();
  const { onBlur, onKeyDown } = leaving(edit);
  const isSaving = (event: KeyboardEvent) => event.key === 'Enter' && !event.isComposing && (isLine || event.ctrlKey || event.metaKey);
  return (
    <Frame id={id} label={label} isBare={isBare}>
      <textarea id={id} rows={isLine ? 1 : 3} value={edit.shown} placeholder={placeholder} onBlur={onBlur} onInput={(event) => edit.type(isLine ? event.currentTarget.value.replaceAll('\n', ' ') : event.currentTarget.value)}
        onKeyDown={(event) => {
          if (!isSaving(event)) return onKeyDown(event);
          event.preventDefault();
          edit.commit();
        }} />
      <Clash edit={edit} />
    </Frame>
  );
}

export interface Option { value: string; label: string }

export function EditChoice({ label, edit, options }: Props<string> & { options: Option[] }) {
  const id = useId();
  const known = options.some(({ value }) => value === edit.shown) ? options : [...options, { value: edit.shown, label: edit.shown }];
  return (
    <Frame id={id} label={label}>
      <select id={id} value={edit.shown} onChange={(event) => edit.commit(event.currentTarget.value)}>
        {known.map(({ value, label: words }) => <option key={value} value={value}>{seen(words)}</option>)}
      </select>
      <Clash edit={edit} words={(value) => options.find((one) => one.value === value)?.label ?? value} />
    </Frame>
  );
}
