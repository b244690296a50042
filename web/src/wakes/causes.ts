// The first signals of the wakes that are in sight: a wake itself says how many it carries, not what they were.
import { signal } from '@preact/signals';
import type { Wake, WakeSignal } from 'belfry-client/wire';
import { belfry } from '../access';
import { whenLookedAt } from '../parts/looked_at';

const FIRST = 5;
const AT_ONCE = 3;
const KEPT_MAX = 2000;

const known = new Map<number, WakeSignal[]>(); // the first ones of a wake never change, more may come
const asked = new Map<number, number>(); // how many signals it had when it was asked
const waiting: number[] = [];
const changed = signal(0);
let underWay = 0;

async function read(id: number) {
  ++underWay;
  try {
    await whenLookedAt();
    known.set(id, (await belfry().wakeSignals(id, { limit: FIRST })).data);
    ++changed.value;
  } catch {
    asked.delete(id); // the list is drawn again when it is read again
  }
  --underWay;
  next();
}

function next() {
  while (underWay < AT_ONCE && waiting.length > 0) void read(waiting.shift()!);
}

/** What is known of them; the rest comes, and is drawn then. */
export function firstSignals({ id, signals }: Wake): WakeSignal[] {
  void changed.value;
  const wanted = Math.min(signals, FIRST);
  if (wanted > (asked.get(id) ?? 0)) {
    if (asked.size > KEPT_MAX) {
      asked.clear();
      known.clear();
    }
    asked.set(id, wanted);
    waiting.push(id);
    queueMicrotask(next);
  }
  return known.get(id) ?? [];
}
