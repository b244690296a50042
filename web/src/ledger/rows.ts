// The ledger in numbers, and its rows, newest first.
import type { LedgerSummary, Notification } from 'belfry-client/wire';
import { belfry } from '../access';
import { ownOnly } from '../connection';

export const PAGE = 200;

export interface Ledger { summary: LedgerSummary; rows: Notification[]; hasMore: boolean }

export async function readLedger(pages: number, state: string): Promise<Ledger> {
  const summary = belfry().ledgerSummary(ownOnly());
  const rows: Notification[] = [];
  let hasMore = true;
  for (let after: number | undefined; hasMore && rows.length < pages * PAGE;) {
    const page = await belfry().notifications({ order: 'newest', limit: PAGE, after, ...ownOnly(), ...(state ? { state } : {}) });
    rows.push(...page.data);
    hasMore = page.has_more;
    after = page.next;
  }
  return { summary: await summary, rows, hasMore };
}
