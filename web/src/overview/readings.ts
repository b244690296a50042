// The figures of the last minutes, gathered from the moment that the app is opened: whoever comes to the overview finds a picture.
import { computed, effect, signal, untracked } from '@preact/signals';
import type { Status } from 'belfry-client/wire';
import { belfry, words } from '../access';
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
  try {
    const [text, found] = await Promise.all([belfry().metrics(), belfry().status()]);
    const next = { at: Date.now(), samples: parseMetrics(text), fileBytes: found.store.file_bytes, walBytes: found.store.wal_bytes };
    status.value = found;
    moments.value = [...moments.value, next].slice(-KEPT - 1);
    trouble.value = null;
  } catch (failure) {
    trouble.value = words(failure);
  }
}

const role = computed(() => me.value?.role ?? null);

export function startReadings() {
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
