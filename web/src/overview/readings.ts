// The figures of the last minutes, gathered from the moment that the app is opened: whoever comes to the overview finds a picture.
import { computed, effect, signal, untracked } from '@preact/signals';
import type { Status } from 'belfry-client/wire';
import { belfry, token, words } from '../access';
import { line, me } from '../connection';
import { whenLookedAt } from '../parts/looked_at';
import type { Moment } from './figures';
import { parseMetrics } from './metrics';

const LOOK_MS = 2000;
export const KEPT = 150; // readings: five minutes

export const moments = signal<Moment[]>([]);
export const status = signal<Status | null>(null);
export const trouble = signal<string | null>(null);

async function look() {
  const mine = token.peek();
  try {
    const [text, found] = await Promise.all([belfry().metrics(), belfry().status()]);
    if (token.peek() !== mine) return;
    const next = { at: Date.now(), samples: parseMetrics(text), fileBytes: found.store.file_bytes, walBytes: found.store.wal_bytes };
    status.value = found;
    moments.value = [...moments.value, next].slice(-KEPT - 1);
    trouble.value = null;
  } catch (failure) {
    if (token.peek() !== mine) return;
    trouble.value = words(failure);
  }
}

const role = computed(() => me.value?.role ?? null);

/** Somebody else may not see them. */
function forget() {
  moments.value = [];
  status.value = null;
  trouble.value = null;
}

export function startReadings() {
  effect(() => {
    void token.value;
    untracked(forget);
  });
  effect(() => {
    if (!role.value) return undefined;
    if (role.value !== 'admin' && role.value !== 'service') {
      trouble.value = 'Figures need a token of role service or admin.';
      return undefined;
    }
    untracked(() => void whenLookedAt().then(look));
    const timer = setInterval(() => { if (!document.hidden && line.value === 'live') void look(); }, LOOK_MS);
    return () => clearInterval(timer);
  });
}
