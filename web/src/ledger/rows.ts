// The ledger in numbers, and its rows, newest first. The daemon searches: also what is not shown here.
import type { LedgerSummary, Notification } from 'belfry-client/wire';
import { belfry } from '../access';
import { ownOnly } from '../connection';

export const PAGE = 200;
const LOOKS = 3; // of a search, for one page of it: the daemon looks through 10,000 rows each

export interface Ledger { summary: LedgerSummary; rows: Notification[]; hasMore: boolean }

export async function readLedger(pages: number, state: string, search: string): Promise<Ledger> {
  const summary = belfry().ledgerSummary(ownOnly());
  const rows: Notification[] = [];
  let hasMore = true;
  let after: number | undefined;
  for (let looks = 0; hasMore && rows.length < pages * PAGE && (search === '' || looks < pages * LOOKS); ++looks) {
    const page = await belfry().notifications({ order: 'newest', limit: PAGE, after, ...ownOnly(), ...(state ? { state } : {}), ...(search ? { search } : {}) });
    rows.push(...page.data);
    hasMore = page.has_more;
    after = page.next;
  }
  return { summary: await summary, rows, hasMore };
}
