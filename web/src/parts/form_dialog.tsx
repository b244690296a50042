// A question to the person before something is done: fields, if there are any, and the deed. What the daemon refuses is said at its
// field, with the cursor in it, and nothing that was typed is lost.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { fieldOf, words } from '../access';
import { Dialog } from './dialog';
import { type Fault, type Field, faultAt, readFields } from './field';
import { FieldView } from './field_view';
import { Trouble } from './marks';

/** What the app itself finds wrong with a field. */
export class Unfit extends Error {
  constructor(readonly field: string, text: string) { super(text); }
}

interface Props {
  title: string;
  /** What the button says that does it, and the one that does not. */
  deed: string;
  leave?: string;
  isDanger?: boolean;
  fields?: Field[];
  /** Done when it resolves; the dialog closes then. */
  send: (content: Record<string, any>) => Promise<unknown>;
  /** Says what would be, without doing it. */
  rehearse?: { words: string; act: (content: Record<string, any>) => Promise<ComponentChildren> };
  /** What else can be done here; it closes the dialog, too. */
  other?: { words: string; act: () => Promise<unknown> };
  onClose: () => void;
  children?: ComponentChildren;
}

export function FormDialog({ title, deed, leave = 'Leave it', isDanger = false, fields = [], send, rehearse, other, onClose, children }: Props) {
  const [fault, setFault] = useState<Fault | null>(null);
  const [outcome, setOutcome] = useState<ComponentChildren>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => { form.current!.querySelector<HTMLElement>('input, select, textarea')?.focus(); }, []);
  useEffect(() => setOutcome(null), [fields.map((one) => one.name).join()]); // of another question
  useEffect(() => { if (!isBusy) form.current?.querySelector<HTMLElement>('[aria-invalid=true], [data-fault]')?.focus(); }, [fault, isBusy]);
  const attempt = async (act: (content: Record<string, any>) => Promise<unknown>) => {
    const read = readFields(fields, new FormData(form.current!));
    if ('fault' in read) return setFault(read.fault);
    setFault(null);
    setBusy(true);
    try {
      await act(read.content);
    } catch (failure) {
      setOutcome(null);
      setFault(failure instanceof Unfit ? { name: failure.field, text: failure.message } : faultAt(fields, { field: fieldOf(failure), text: words(failure) }));
    }
    setBusy(false);
  };
  const finish = (act: (content: Record<string, any>) => Promise<unknown>) => attempt(async (content) => {
    await act(content);
    onClose();
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void finish(send);
  };
  const tryOut = () => {
    if (form.current!.reportValidity()) void attempt(async (content) => { setOutcome(await rehearse!.act(content)); });
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form ref={form} class="fields" onSubmit={submit} onInput={() => setOutcome(null)}>
        {children}
        {fields.map((one, at) => <FieldView key={one.name} id={`field-${at}`} field={one} fault={fault?.name === one.name ? fault.text : null} />)}
        {fault && fault.name === null && <Trouble text={fault.text} />}
        {rehearse && <div role="status">{outcome}</div>}
        <p class="actions">
          <button type="submit" class={isDanger ? 'danger' : 'primary'} disabled={isBusy}>{deed}</button>
          {rehearse && <button type="button" disabled={isBusy} onClick={tryOut}>{rehearse.words}</button>}
          {other && <button type="button" class="danger" disabled={isBusy} onClick={() => void finish(other.act)}>{other.words}</button>}
          <button type="button" onClick={onClose}>{leave}</button>
        </p>
      </form>
    </Dialog>
  );
}
