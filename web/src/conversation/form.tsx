// The form of an agent's question.
import { useState } from 'preact/hooks';
import type { InteractionAnswer } from 'belfry-client/wire';
import { Trouble } from '../parts/marks';
import { type Field, fieldsOf, valueOf } from './fields';

export function Form({ schema, isBusy, onAnswer }: { schema: any; isBusy: boolean; onAnswer: (given: InteractionAnswer) => void }) {
  const [trouble, setTrouble] = useState<string | null>(null);
  const fields = fieldsOf(schema);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget as HTMLFormElement);
    try {
      const content = Object.fromEntries(fields.map(({ name, type }) => [name, valueOf(type, typed.get(name))]).filter(([, value]) => value !== undefined));
      onAnswer({ action: 'accept', content });
    } catch {
      setTrouble('One of the fields is no JSON.');
    }
  };
  return (
    <form class="elicitation" onSubmit={submit}>
      {fields.map((field) => <label key={field.name}><span>{field.title}{field.isRequired ? '' : ' (optional)'}</span><Input field={field} />{field.hint && <small>{field.hint}</small>}</label>)}
      {trouble && <Trouble text={trouble} />}
      <p class="actions">
        <button type="submit" class="primary" disabled={isBusy}>Answer</button>
        <button type="button" disabled={isBusy} onClick={() => onAnswer({ action: 'decline' })}>Decline</button>
      </p>
    </form>
  );
}

function Input({ field: { name, type, choices, isRequired, preset } }: { field: Field }) {
  if (choices) return <select name={name} required={isRequired} defaultValue={preset as string}>{!isRequired && <option value="" />}{choices.map((one) => <option key={one}>{one}</option>)}</select>;
  if (type === 'boolean') return <input type="checkbox" name={name} defaultChecked={preset === true} />;
  if (type === 'json') return <textarea name={name} required={isRequired} rows={3} placeholder="JSON" />;
  return <input name={name} type={type === 'string' ? 'text' : 'number'} step={type === 'number' ? 'any' : undefined} required={isRequired} defaultValue={preset as string} />;
}
