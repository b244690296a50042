// Why an agent is woken, and how far that is, in words that a person reads.
import type { Wake, WakeSignal } from 'belfry-client/wire';
import { wallTime } from '../parts/time';

export const OPEN = ['queued', 'running'];
export const ENDS = ['completed', 'failed', 'cancelled', 'coalesced', 'no_turn', 'sleeping', 'dormant', 'destroyed', 'refused', 'not_needed'];

export const isOver = (wake: Wake) => !OPEN.includes(wake.state);

const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** `3 events of ci.failed`, `3 events: ci.failed, ci.slow`, `12 events: ci.failed, …`. Of many signals the first few are known. */
function eventWords(signals: WakeSignal[], count: number): string {
  const types = [...new Set(signals.filter(({ kind }) => kind === 'event').map(({ body }) => String(body.type ?? '')))].filter(Boolean);
  if (types.length === 0) return plural(count, signals.length > 0 ? 'event' : 'signal');
  if (types.length === 1 && signals.length >= count) return `${plural(count, 'event')} of ${types[0]}`;
  return `${plural(count, 'event')}: ${types.join(', ')}${signals.length < count ? ', …' : ''}`;
}

/** `2 changes of coach`, `2 changes of coach, fixer, 1 new message`. A signal carries the changes of a batch; of a large one nothing is known. */
function changeWords(signals: WakeSignal[], count: number): string {
  const changes = signals.flatMap(({ body }) => (body.changes ?? []) as { kind: string; id: string }[]);
  const records = changes.filter(({ kind }) => kind !== 'agent_message');
  const messages = changes.length - records.length;
  const ids = [...new Set(records.map(({ id }) => id))];
  const said = [records.length > 0 && `${plural(records.length, 'change')} of ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ', …' : ''}`,
    messages > 0 && plural(messages, 'new message')].filter(Boolean).join(', ');
  return said ? `${said}${signals.length < count ? ', …' : ''}` : plural(count, 'change');
}

/** Of events, of changes, or of both where they have come together. */
function ruleWords(signals: WakeSignal[], count: number): string {
  const changes = signals.filter(({ kind }) => kind === 'change');
  if (changes.length === 0) return eventWords(signals, count);
  if (changes.length === signals.length) return changeWords(changes, count);
  return `${eventWords(signals.filter(({ kind }) => kind !== 'change'), count - changes.length)}, and ${changeWords(changes, changes.length)}`;
}

/** `daily brief, 16 Nov, 07:00`. A wish of its own has no name. */
function clockWords(signal: WakeSignal | undefined, isCatchUp: boolean): string {
  const name = signal?.body.name ? `: ${signal.body.name}` : '';
  const at = signal?.body.scheduled_at ? `${name ? ', ' : ': '}${wallTime(String(signal.body.scheduled_at))}` : '';
  return `the clock${name}${at}${isCatchUp ? ', catch-up' : ''}`;
}

function causeWords(wake: Wake, signals: WakeSignal[], asker: string): string {
  switch (wake.reason) {
    case 'manual': return 'asked for by hand';
    case 'user_initiated': return `${asker} spoke to it`;
    case 'recovery_catchup': return 'what was missed while Belfry was away';
    case 'timer': return clockWords(signals.find(({ kind }) => kind === 'timer'), wake.timer_catchup);
    case 'subscription': return wake.reason_id === 'notifications' ? `${plural(wake.signals, 'notification')} for it to say` : ruleWords(signals, wake.signals);
  }
}

/** Why it came. `signals`: as many of the first as were read; `me`: who reads this. */
export function reasonWords(wake: Wake, signals: WakeSignal[], me: string | null): string {
  const cause = causeWords(wake, signals, wake.user_id === me ? 'you' : wake.user_id);
  const own = wake.reason === 'subscription' ? wake.signals : Math.min(1, wake.signals);
  return wake.signals > own ? `${cause}, and ${wake.signals - own} more that waited` : cause;
}

/** What one signal was. */
export function signalWords(signal: WakeSignal, asker: string): string {
  const { kind, body } = signal;
  switch (kind) {
    case 'event': return String(body.type ?? 'an event');
    case 'change': return changeWords([signal], 1);
    case 'timer': return clockWords(signal, body.timer_catchup === true);
    case 'user': return `${asker} spoke`;
    case 'manual': return 'asked for by hand';
    case 'notification': return 'a notification for it to say';
  }
}

const ENDED: Record<string, string> = {
  coalesced: 'Folded into another wake.',
  no_turn: 'It ran, and did not acknowledge what it was woken for.',
  sleeping: 'Its agent slept when its time came.',
  dormant: 'Its agent was dormant when its time came.',
  destroyed: 'Its agent was destroyed.',
  refused: 'The mode of its agent does not take such a wake.',
  not_needed: 'What it was to see to was seen to before it began.',
};

/** Why it ended so, where its state alone does not say it. */
export const endWords = (wake: Wake): string | null => ENDED[wake.state] ?? null;
