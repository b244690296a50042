// The form of an agent's question. What is wrong with a field is said at the field, and the cursor goes there.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { InteractionAnswer } from 'belfry-client/wire';
import { type Fault, type Refused, readFields } from '../parts/field';
import { FieldView } from '../parts/field_view';
import { Trouble } from '../parts/marks';
import { faultOf, fieldsOf } from './fields';

interface Props { id: string; schema: any; isBusy: boolean; refused: Refused | null; onAnswer: (given: InteractionAnswer) => void }

export function Form({ id, schema, isBusy, refused, onAnswer }: Props) {
  const [own, setOwn] = useState<Fault | null>(null); // found before it was sent
  const form = useRef<HTMLFormElement>(null);
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const fault = own ?? (refused && faultOf(fields, refused));
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid=true], [data-fault]')?.focus();
  }, [own, refused]);

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const read = readFields(fields, new FormData(form.current!));
    if ('fault' in read) return setOwn(read.fault);
    setOwn(null);
    return onAnswer({ action: 'accept', content: read.content });
  };
  return (
    <form ref={form} class="fields" onSubmit={submit}>
      {fields.map((field, at) => <FieldView key={field.name} id={`${id}-${at}`} field={field} fault={fault?.name === field.name ? fault.text : null} />)}
      {fault && fault.name === null && <Trouble text={fault.text} />}
      <p class="actions">
        <button type="submit" class="primary" disabled={isBusy}>Answer</button>
        <button type="button" disabled={isBusy} onClick={() => onAnswer({ action: 'decline' })}>Decline</button>
      </p>
    </form>
  );
}
