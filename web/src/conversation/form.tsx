// The form of an agent's question. What is wrong with a field is said at the field, and the cursor goes there.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { InteractionAnswer } from 'belfry-client/wire';
import { Trouble } from '../parts/marks';
import { seen } from '../parts/seen';
import { type Fault, type Field, faultOf, fieldsOf, valueOf } from './fields';

export interface Refused { field: string | null; text: string }
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
    const typed = new FormData(form.current!);
    const content: Record<string, unknown> = {};
    for (const field of fields) {
      try {
        const value = valueOf(field, typed);
        if (value !== undefined) content[field.name] = value;
      } catch {
        return setOwn({ name: field.name, text: 'This is no JSON.' });
      }
    }
    setOwn(null);
    return onAnswer({ action: 'accept', content });
  };
  return (
    <form ref={form} class="elicitation" onSubmit={submit}>
      {fields.map((field, at) => <FieldView key={field.name} id={`${id}-${at}`} field={field} fault={fault?.name === field.name ? fault.text : null} />)}
      {fault && fault.name === null && <Trouble text={fault.text} />}
      <p class="actions">
        <button type="submit" class="primary" disabled={isBusy}>Answer</button>
        <button type="button" disabled={isBusy} onClick={() => onAnswer({ action: 'decline' })}>Decline</button>
      </p>
    </form>
  );
}

function FieldView({ id, field, fault }: { id: string; field: Field; fault: string | null }) {
  const title = <>{seen(field.title)}{field.isRequired || field.type === 'boolean' ? '' : ' (optional)'}</>;
  const describedBy = [field.hint && `${id}-hint`, fault !== null && `${id}-fault`].filter(Boolean).join(' ') || undefined;
  const about = { 'aria-invalid': fault !== null, 'aria-describedby': describedBy };
  const under = (
    <>
      {field.hint && <small id={`${id}-hint`}>{seen(field.hint)}</small>}
      {fault !== null && <p id={`${id}-fault`} class="fault">{fault}</p>}
    </>
  );
  if (field.type === 'choices') {
    const preset = Array.isArray(field.preset) ? field.preset : [];
    return (
      <fieldset class="field" tabIndex={-1} aria-describedby={describedBy} data-fault={fault !== null ? '' : undefined}>
        <legend>{title}</legend>
        {field.choices.map(({ value, title: words }, at) => <label key={at} class="check"><input type="checkbox" name={field.name} value={at} defaultChecked={preset.includes(value)} />{seen(words)}</label>)}
        {under}
      </fieldset>
    );
  }
  if (field.type === 'boolean') {
    return <div class="field"><label class="check" for={id}><input id={id} type="checkbox" name={field.name} defaultChecked={field.preset === true} {...about} />{title}</label>{under}</div>;
  }
  return <div class="field"><label for={id}>{title}</label><Input id={id} field={field} about={about} />{under}</div>;
}

function Input({ id, field: { name, type, choices, isRequired, preset }, about }: { id: string; field: Field; about: object }) {
  const common = { id, name, required: isRequired, ...about };
  if (type === 'choice') {
    const chosen = choices.findIndex((one) => one.value === preset);
    return (
      <select {...common}>
        <option value="">{isRequired ? 'Choose…' : ''}</option>
        {choices.map(({ title }, at) => <option key={at} value={at} selected={at === chosen}>{seen(title)}</option>)}
      </select>
    );
  }
  if (type === 'json') return <textarea {...common} rows={3} placeholder="JSON" defaultValue={preset === undefined ? '' : JSON.stringify(preset)} />;
  return <input {...common} type={type === 'string' ? 'text' : 'number'} step={type === 'number' ? 'any' : undefined} defaultValue={preset as string} />;
}
