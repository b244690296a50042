// Whether the daemon can be heard, in words that a person is shown on every page.
import { computed, effect, signal, untracked } from '@preact/signals';
import { BelfryError, Operator } from 'belfry-client';
import type { Me } from 'belfry-client/wire';
import { isNoAccess, signOut, token } from './access';

const PULSE_MS = 4000;
const PATIENCE_MS = 5000;
const NEWS_MS = 12000; // how long a restart is told
const LOST_AFTER = 2; // pulses without an answer

export type LinkState = 'connecting' | 'live' | 'lost';

/** The line of the inbox, which every page has. */
export const line = signal<LinkState>('connecting');
/** Who we are to the daemon, and which one it is. */
export const me = signal<Me | null>(null);
/** Grows whenever what was open must be opened anew. */
export const epoch = signal(0);
const readiness = signal<string>('ready');
const restartedAt = signal<number | null>(null);
const now = signal(Date.now());

export const connection = computed<{ state: LinkState | 'trouble' | 'news'; text: string }>(() => {
  if (line.value === 'connecting') return { state: 'connecting', text: 'Connecting…' };
  if (line.value === 'lost') return { state: 'lost', text: 'Reconnecting…' };
  if (readiness.value === 'store_down') return { state: 'trouble', text: 'The store is down' };
  if (readiness.value === 'standby') return { state: 'trouble', text: 'On standby' };
  if (readiness.value === 'stopping') return { state: 'trouble', text: 'The daemon is stopping' };
  if (restartedAt.value !== null && now.value - restartedAt.value < NEWS_MS) return { state: 'news', text: 'The daemon restarted' };
  return { state: 'live', text: 'Live' };
});

function take(found: Me, state: string) {
  const before = me.peek();
  if (before && before.started_at !== found.started_at) restartedAt.value = Date.now();
  me.value = found;
  readiness.value = state;
}

/** A person's token sees what is his own, and has to say so. */
export const ownOnly = () => (me.value?.role === 'user' && me.value.user_id ? { user: me.value.user_id } : {});

let missed = 0;

async function pulse(operator: Operator, mine: string) {
  try {
    const [found, state] = await Promise.all([operator.me(), operator.readiness()]);
    if (token.peek() !== mine) return;
    take(found, state);
    missed = 0;
  } catch (failure) {
    if (token.peek() !== mine) return; // somebody else is signed in by now
    if (isNoAccess(failure)) return signOut('This access token is not valid any more.');
    if (failure instanceof BelfryError && failure.status > 0) missed = 0; // a refusal is an answer
    else if (++missed === LOST_AFTER && line.value === 'live') ++epoch.value;
  }
  now.value = Date.now();
}

export let askPulse = () => {};

export function startLive() {
  effect(() => {
    if (!token.value) return undefined;
    const mine = token.value;
    const operator = new Operator({ token: mine, answerTimeoutMs: PATIENCE_MS });
    line.value = 'connecting';
    me.value = null;
    askPulse = () => void pulse(operator, mine);
    untracked(askPulse);
    const timer = setInterval(() => { if (!document.hidden || line.value !== 'live') askPulse(); }, PULSE_MS);
    return () => clearInterval(timer);
  });
}
