// The fields of an agent's question, from a JSON schema: texts, numbers, choices, several of them, and yes or no. Anything else is written as JSON.
import { type Choice, type Fault, type Field, type Refused, capital, faultAt } from '../parts/field';

function choicesOf(schema: any): Choice[] {
  if (Array.isArray(schema?.enum)) return schema.enum.map((value: unknown, at: number) => ({ value, title: String(schema.enumNames?.[at] ?? value) }));
  const named = schema?.oneOf ?? schema?.anyOf;
  if (!Array.isArray(named) || named.length === 0 || !named.every((one) => one !== null && typeof one === 'object' && 'const' in one)) return [];
  return named.map((one) => ({ value: one.const, title: String(one.title ?? one.const) }));
}

function typeOf(schema: any): Field['type'] {
  if (choicesOf(schema).length > 0) return 'choice';
  const types = [schema?.type].flat().filter((one) => one !== 'null');
  if (types.length !== 1) return 'json';
  if (types[0] === 'array' && choicesOf(schema.items).length > 0) return 'choices';
  return ['string', 'number', 'integer', 'boolean'].includes(types[0]) ? types[0] : 'json';
}

export function fieldsOf(schema: any): Field[] {
  const required: string[] = Array.isArray(schema?.required) ? schema.required : [];
  return Object.entries<any>(schema?.properties ?? {}).map(([name, one]) => ({
    name,
    title: one?.title ?? capital(name.replaceAll('_', ' ')),
    hint: one?.description ?? '',
    type: typeOf(one),
    choices: choicesOf(typeOf(one) === 'choices' ? one.items : one),
    isRequired: required.includes(name),
    preset: one?.default,
  }));
}

/** `content.address.street must be given` is about the field `address`, where there is one. */
export const faultOf = (fields: Field[], refused: Refused): Fault => faultAt(fields, refused, 'content.');
