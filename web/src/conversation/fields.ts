// The fields of a small form, from a JSON schema: texts, numbers, choices, several of them, and yes or no. Anything else is written as JSON.

export interface Choice { value: unknown; title: string }
export interface Field {
  name: string;
  title: string;
  hint: string;
  type: 'string' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'json';
  choices: Choice[];
  isRequired: boolean;
  preset: unknown;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** What is wrong with the form, and with which of its fields; null: with none of them. */
export interface Fault { name: string | null; text: string }

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

/** What was typed, as the schema wants it; undefined: nothing. A choice is carried by its place. Throws where JSON is wanted and it is none. */
export function valueOf({ name, type, choices, isRequired }: Field, typed: FormData): unknown {
  if (type === 'boolean') return typed.has(name);
  const chosen = typed.getAll(name).map(String).filter((one) => one !== '');
  if (type === 'choices') return chosen.length > 0 || isRequired ? chosen.map((at) => choices[Number(at)]!.value) : undefined;
  const text = chosen[0];
  if (text === undefined) return undefined;
  if (type === 'choice') return choices[Number(text)]!.value;
  if (type === 'number' || type === 'integer') return Number(text);
  return type === 'json' ? JSON.parse(text) : text;
}

/** `content.address.street must be given` is about the field `address`, where there is one, and says there: `street must be given`. */
export function faultOf(fields: Field[], refused: { field: string | null; text: string }): Fault {
  const { field, text } = refused;
  const inside = (name: string) => field!.slice(`content.${name}`.length);
  const name = field === null ? undefined : fields.map((one) => one.name)
    .filter((one) => field.startsWith(`content.${one}`) && /^($|[.[])/.test(inside(one)))
    .sort((a, b) => b.length - a.length)[0];
  if (field === null || name === undefined) return { name: null, text };
  const said = (text.startsWith(`${field} `) ? text.slice(field.length + 1) : text).replace(/have a number of (\w+) of (at \w+ \S+)/, 'have $2 $1');
  const part = inside(name).replace(/^\./, '');
  return { name, text: part ? `${part} ${said}` : capital(said) };
}
