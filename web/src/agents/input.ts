// What an agent is given with a wake: words, or an object in JSON.
import { field } from '../parts/field';
import { Unfit } from '../parts/form_dialog';

export const INPUT = field('input', 'What it is given', { type: 'text', hint: 'Words, or a JSON object' });

/** Words are the member `text`. */
export function inputOf(typed: string | undefined): Record<string, unknown> | undefined {
  const text = typed?.trim();
  if (!text) return undefined;
  if (!text.startsWith('{')) return { text };
  try {
    return JSON.parse(text);
  } catch {
    throw new Unfit('input', 'It begins like JSON, and is none.');
  }
}
