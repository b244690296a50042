// A field of a form. What is wrong with it is said there.
import { type Field } from './field';
import { seen } from './seen';

export function FieldView({ id, field, fault }: { id: string; field: Field; fault: string | null }) {
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

const INPUTS: Partial<Record<Field['type'], string>> = { number: 'number', integer: 'number', time: 'time', moment: 'datetime-local', colour: 'color' };

function Input({ id, field: { name, type, choices, isRequired, preset }, about }: { id: string; field: Field; about: object }) {
  const common = { id, name, required: isRequired, ...about };
  if (type === 'choice') {
    const chosen = choices.findIndex((one) => one.value === preset);
    return (
      <select {...common}>
        {(!isRequired || chosen < 0) && <option value="">{isRequired ? 'Choose…' : ''}</option>}
        {choices.map(({ title }, at) => <option key={at} value={at} selected={at === chosen}>{seen(title)}</option>)}
      </select>
    );
  }
  if (type === 'text') return <textarea {...common} rows={3} defaultValue={preset as string} />;
  if (type === 'json') return <textarea {...common} rows={3} placeholder="JSON" defaultValue={preset === undefined ? '' : JSON.stringify(preset)} />;
  return <input {...common} type={INPUTS[type] ?? 'text'} step={type === 'number' ? 'any' : undefined} defaultValue={preset as string} />;
}
