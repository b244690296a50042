// The rows of the ledger, newest first.
import type { Notification } from 'belfry-client/wire';
import { belfry } from '../access';

const PAGE = 1000;
const ROWS_MAX = 10_000;

export interface Ledger { rows: Notification[]; isWhole: boolean }

export async function readLedger(): Promise<Ledger> {
  const rows: Notification[] = [];
  let after: number | undefined;
  while (rows.length < ROWS_MAX) {
    const page = await belfry().notifications({ limit: PAGE, after });
    rows.push(...page.data);
    if (!page.has_more) return { rows: rows.reverse(), isWhole: true };
    after = page.next;
  }
  return { rows: rows.reverse(), isWhole: false };
}
