// The fields of a small form: what they are, what was typed into them, and what is wrong with them.

export interface Choice { value: unknown; title: string }
export interface Field {
  name: string;
  title: string;
  hint: string;
  type: 'string' | 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'time' | 'moment' | 'colour' | 'json';
  choices: Choice[];
  isRequired: boolean;
  preset: unknown;
}

/** What is wrong with the form, and with which of its fields; null: with none of them. */
export interface Fault { name: string | null; text: string }
export interface Refused { field: string | null; text: string }

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A field of a form that the app itself has. */
export const field = (name: string, title: string, more: Partial<Field> = {}): Field => ({ name, title, hint: '', type: 'string', choices: [], isRequired: false, preset: undefined, ...more });

/** Choices whose value is what they are called by. */
export const choicesOf = (titles: Record<string, string>): Choice[] => Object.entries(titles).map(([value, title]) => ({ value, title }));

/** What was typed; undefined: nothing. A choice is carried by its place, a moment is of the reader's own zone. Throws where JSON is wanted and it is none. */
export function valueOf({ name, type, choices, isRequired }: Field, typed: FormData): unknown {
  if (type === 'boolean') return typed.has(name);
  const chosen = typed.getAll(name).map(String).filter((one) => one !== '');
  if (type === 'choices') return chosen.length > 0 || isRequired ? chosen.map((at) => choices[Number(at)]!.value) : undefined;
  const text = chosen[0];
  if (text === undefined) return undefined;
  if (type === 'choice') return choices[Number(text)]!.value;
  if (type === 'number' || type === 'integer') return Number(text);
  if (type === 'moment') return new Date(text).toISOString();
  return type === 'json' ? JSON.parse(text) : text;
}

/** All that was typed, by the names of the fields; or the first field whose JSON is none. */
export function readFields(fields: Field[], typed: FormData): { content: Record<string, unknown> } | { fault: Fault } {
  const content: Record<string, unknown> = {};
  for (const one of fields) {
    try {
      const value = valueOf(one, typed);
      if (value !== undefined) content[one.name] = value;
    } catch {
      return { fault: { name: one.name, text: 'This is no JSON.' } };
    }
  }
  return { content };
}

/** `address.street must be given` is about the field `address`, where there is one, and says there: `street must be given`. */
export function faultAt(fields: Field[], { field: about, text }: Refused, prefix = ''): Fault {
  const inside = (name: string) => about!.slice(`${prefix}${name}`.length);
  const name = about === null ? undefined : fields.map((one) => one.name)
    .filter((one) => about.startsWith(`${prefix}${one}`) && /^($|[.[])/.test(inside(one)))
    .sort((a, b) => b.length - a.length)[0];
  if (about === null || name === undefined) return { name: null, text };
  const said = (text.startsWith(`${about} `) ? text.slice(about.length + 1) : text).replace(/have a number of (\w+) of (at \w+ \S+)/, 'have $2 $1');
  const part = inside(name).replace(/^\./, '');
  return { name, text: part ? `${part} ${said}` : capital(said) };
}
