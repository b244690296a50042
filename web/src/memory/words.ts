// What an agent remembers, in words that a person reads.
import type { AgentMessage, AssembledMemory, MemoryChoice, MemorySummary } from 'belfry-client/wire';

export type Tier = 'hot' | 'warm' | 'cold';
export type Fate = MemoryChoice['fate'];

/** Of raw messages and of summaries: the deeper, the longer ago. */
export const tierOf = (depth: number): Tier => (depth === 0 ? 'hot' : depth === 1 ? 'warm' : 'cold');

export const FATES: Record<Fate, string> = {
  included: 'told', over_budget: 'no room in the budget', over_count: 'more messages than it wants', over_hot: 'more tokens of messages than it wants',
  no_content: 'nothing in it to tell', told_raw: 'its messages are told instead',
};

/** `34 messages`, `1 message`. */
export const many = (count: number, what: string) => `${count.toLocaleString('en-GB')} ${count === 1 ? what : what.endsWith('y') ? `${what.slice(0, -1)}ies` : `${what}s`}`;

/** `session research`, `run 17`; from depth 2 on a summary is of several. */
export function threadWords(agent: string, thread: string): string {
  const own = thread.startsWith(`${agent}:`) ? thread.slice(agent.length + 1) : thread;
  return own === 'memory' ? 'several threads' : own.replace(/^(session|run):/, '$1 ');
}

/** The session that is spoken in there; null: a run's. */
export function sessionOf(agent: string, thread: string): string | null {
  const prefix = `${agent}:session:`;
  return thread.startsWith(prefix) ? thread.slice(prefix.length) : null;
}

const dayOf = (date: Date, now: number) => date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', ...(date.getFullYear() === new Date(now).getFullYear() ? {} : { year: 'numeric' }) });

/** `16 Nov, 14:03 – 15:20`, `14 Nov, 09:00 – 16 Nov, 15:20`, `16 Nov, 14:03:10 – 14:03:50`, `16 Nov 2024, 14:03:10`. */
export function spanWords(from: string, to: string, now: number): string {
  const [first, last] = [new Date(from), new Date(to)];
  const [firstDay, lastDay] = [dayOf(first, now), dayOf(last, now)];
  const time = (date: Date, isExact: boolean) => date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', ...(isExact ? { second: '2-digit' } : {}) });
  if (firstDay !== lastDay) return `${firstDay}, ${time(first, false)} – ${lastDay}, ${time(last, false)}`;
  const isExact = time(first, false) === time(last, false);
  const [begin, end] = [time(first, isExact), time(last, isExact)];
  return `${firstDay}, ${begin === end ? begin : `${begin} – ${end}`}`;
}

/** `20 user, 14 thought`. */
export const countWords = (counts: Record<string, number>) => Object.entries(counts).map(([kind, count]) => `${count.toLocaleString('en-GB')} ${kind.replaceAll('_', ' ')}`).join(', ');

export const sizeOf = ({ counts }: MemorySummary) => Object.values(counts).reduce((sum, one) => sum + one, 0);

/** What a summary says. One by rules begins with its span and its counts, which stand above it anyway. */
export const notesOf = ({ by, text }: MemorySummary) => (by === 'rules' ? text.replace(/^\d+ messages? from \S+ to \S+[^\n]*\n?/, '') : text);

/** The words of a message. Of content that is more than words: the whole of it. */
export function saidIn({ content }: Pick<AgentMessage, 'content'>): string {
  if (typeof content === 'string') return content;
  if (content === null || content === undefined) return '';
  if (typeof content.text === 'string' && Object.keys(content).every((name) => name === 'text' || name === 'mark')) return content.text;
  return Object.keys(content).length === 0 ? '' : JSON.stringify(content);
}

/** Whether all of it stands in a list: long content lies elsewhere. */
export const isWhole = (message: AgentMessage) => message.content_entry_id === null || saidIn(message) !== '';

/** What else it is: the tool of an action, what came of it, a mark. */
export function aboutOf({ action, tool_result, metadata, content }: AgentMessage): string {
  if (action) return action.tool_name || action.action_type.replaceAll('_', ' ');
  const status = tool_result?.status ?? metadata?.status;
  if (status) return [status, tool_result?.error_code ?? metadata?.error_code].filter(Boolean).join(': ');
  return typeof content?.mark === 'string' ? content.mark.replaceAll('_', ' ') : '';
}

const CLIP = 360;

/** Enough of it for a list. */
export const clipped = (text: string) => (text.length > CLIP ? `${text.slice(0, CLIP).trimEnd()}…` : text);

export interface Share { name: string; title: string; tokens: number }

/** What the budget is used for, in the order of the context. */
export function sharesOf({ choices = [], budget_tokens, reserved_tokens, used_tokens }: AssembledMemory): Share[] {
  const told = (part: MemoryChoice['part']) => choices.filter((one) => one.part === part && one.fate === 'included').reduce((sum, one) => sum + one.tokens, 0);
  const shares = [
    { name: 'reserved', title: 'What comes beside it', tokens: reserved_tokens },
    { name: 'slots', title: 'What it has in mind', tokens: told('slots') },
    { name: 'carried', title: 'Goals, decisions, open loops', tokens: told('carried') },
    { name: 'summary', title: 'Summaries', tokens: told('summary') },
    { name: 'message', title: 'Messages', tokens: told('message') },
  ];
  const parts = shares.reduce((sum, one) => sum + one.tokens, 0) - reserved_tokens;
  return [...shares, { name: 'headings', title: 'Headings', tokens: Math.max(0, used_tokens - parts) }, { name: 'free', title: 'Free', tokens: Math.max(0, budget_tokens - reserved_tokens - used_tokens) }];
}

export interface LeftOut { fate: Fate; choices: MemoryChoice[]; tokens: number }

/** What is not told, by the reason. */
export function leftOut({ choices = [] }: AssembledMemory): LeftOut[] {
  const groups = new Map<Fate, LeftOut>();
  for (const one of choices) {
    if (one.fate === 'included') continue;
    const group = groups.get(one.fate) ?? { fate: one.fate, choices: [], tokens: 0 };
    group.choices.push(one);
    group.tokens += one.tokens;
    groups.set(one.fate, group);
  }
  return [...groups.values()];
}

/** `a goal`, `a message`; what somebody would look for. */
export const choiceWords = ({ part, what }: MemoryChoice) => (part === 'carried' ? (what ?? 'carried').replaceAll('_', ' ') : part === 'slots' ? 'what it has in mind' : part);

/** Where the words that were looked for stand. */
export function hitsIn(snippet: string, query: string): { text: string; isHit: boolean }[] {
  const wanted = new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  return snippet.split(/([\p{L}\p{N}]+)/u).filter((text) => text !== '').map((text) => ({ text, isHit: wanted.has(text.toLowerCase()) }));
}
