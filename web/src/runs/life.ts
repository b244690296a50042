// What Belfry itself says about a run, in words.
import { brief } from './log';

/** `started`, `plan: started`, `paused`, `asks`. */
export function lifeWords(name: string, data: any): string {
  const [kind, what = ''] = name.split('.', 2);
  const word = what.replaceAll('_', ' ');
  if (kind === 'step') return `${data?.step_name ?? 'step'}: ${word}`;
  if (kind === 'tree') return `tree ${word}`;
  return kind === 'interaction' ? `question ${word}` : word;
}

/** What is worth a line of it: why it failed, what came out. */
export function lifeMore(data: any): string {
  if (data?.error) return `${data.error.type}: ${data.error.message ?? ''}`;
  if (data?.reason) return String(data.reason);
  if (data?.result !== undefined && data.result !== null) return brief(data.result);
  return data?.message ? String(data.message) : '';
}
