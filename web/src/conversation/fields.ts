// The fields of a small form, from a JSON schema: texts, numbers, choices and yes or no. Anything else is written as JSON.

export interface Field { name: string; title: string; hint: string; type: string; choices: string[] | null; isRequired: boolean; preset: unknown }

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
