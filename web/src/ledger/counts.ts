// How many rows are in which state.
import type { Notification } from 'belfry-client/wire';

export const STATES = ['pending', 'dispatched', 'locked', 'escalated', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof STATES)[number];
export type Counts = Record<DeliveryState, number>;

/** Why rows ended, the most frequent reason first. */
export function outcomesOf(rows: Notification[]): [string, number][] {
  const times = new Map<string, number>();
  for (const { outcome } of rows) if (outcome) times.set(outcome, (times.get(outcome) ?? 0) + 1);
  return [...times].sort((a, b) => b[1] - a[1]).slice(0, 5);
}

export function countStates(rows: Notification[]): Counts {
  const counts: Counts = { pending: 0, dispatched: 0, locked: 0, escalated: 0, delivered: 0, failed: 0 };
  for (const { state } of rows) if (state in counts) ++counts[state as DeliveryState];
  return counts;
}
