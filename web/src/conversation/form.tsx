// A small form from a JSON schema: texts, numbers, choices and yes or no. Anything else is written as JSON.
import { useState } from 'preact/hooks';
import type { InteractionAnswer } from 'belfry-client/wire';
import { Trouble } from '../parts/marks';

interface Field { name: string; title: string; hint: string; type: string; choices: string[] | null; isRequired: boolean; preset: unknown }

export function fieldsOf(schema: any): Field[] {
  const required: string[] = Array.isArray(schema?.required) ? schema.required : [];
  return Object.entries<any>(schema?.properties ?? {}).map(([name, one]) => ({
    name,
    title: one?.title ?? name.replaceAll('_', ' '),
    hint: one?.description ?? '',
    type: Array.isArray(one?.enum) ? 'choice' : ['string', 'number', 'integer', 'boolean'].includes(one?.type) ? one.type : 'json',
    choices: Array.isArray(one?.enum) ? one.enum.map(String) : null,
    isRequired: required.includes(name),
    preset: one?.default,
  }));
}

/** What was typed, as the schema wants it. */
export function valueOf(type: string, typed: FormDataEntryValue | null): unknown {
  if (type === 'boolean') return typed !== null;
  const text = String(typed ?? '');
  if (text === '') return undefined;
  if (type === 'number' || type === 'integer') return Number(text);
  return type === 'json' ? JSON.parse(text) : text;
}

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
