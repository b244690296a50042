// What must be noticed at once, above every page.
import { signal } from '@preact/signals';
import { type Item, needsAck } from './item';

const SHOWN_MAX = 4;
const SHOWN_MS = 12_000; // one of high priority that nobody could see; a critical one waits
const LINGER_MS = { high: 4000, critical: 30_000 }; // after it was shown, here or elsewhere

export interface Toast { item: Item; isLeaving: boolean }

export const toasts = signal<Toast[]>([]);
export const hiddenToasts = signal(0);
const timers = new Map<string, ReturnType<typeof setTimeout>>();

export function toastFor(item: Item) {
  if (item.priority !== 'high' && item.priority !== 'critical') return;
  const others = toasts.value.filter((toast) => toast.item.id !== item.id);
  if (others.length >= SHOWN_MAX) {
    const first = others.findIndex((toast) => toast.item.priority !== 'critical');
    const gone = others.splice(Math.max(first, 0), 1)[0]!;
    stop(gone.item.id);
    ++hiddenToasts.value;
  }
  toasts.value = [...others, { item, isLeaving: false }];
  stop(item.id);
  if (item.priority !== 'critical') timers.set(item.id, setTimeout(() => dropToast(item.id), SHOWN_MS));
}

function stop(id: string) {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

export function dropToast(id: string) {
  stop(id);
  toasts.value = toasts.value.filter((toast) => toast.item.id !== id);
  if (toasts.value.length === 0) hiddenToasts.value = 0;
}

export function forgetToasts() {
  for (const id of [...timers.keys()]) stop(id);
  toasts.value = [];
  hiddenToasts.value = 0;
}

/** It was shown: it may go soon, and at once where somebody has put it away. */
export function closeToast(id: string, item: Item) {
  const found = toasts.value.find((toast) => toast.item.id === id);
  if (!found) return;
  if (item.dismissed_at || item.acted_at) return dropToast(id);
  if (found.isLeaving || needsAck(item)) return;
  toasts.value = toasts.value.map((toast) => (toast === found ? { item, isLeaving: true } : toast));
  stop(id);
  timers.set(id, setTimeout(() => dropToast(id), document.hidden ? 0 : LINGER_MS[item.priority === 'critical' ? 'critical' : 'high']));
}
