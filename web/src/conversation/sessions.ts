// The conversations there are. No stream tells of all of them: the open one is followed, and of the others the list is read again
// now and then, the more seldom the longer it is.
import { signal } from '@preact/signals';
import type { Session } from 'belfry-client/wire';
import { belfry } from '../access';

const PAGE = 1000;
const PAGES_MAX = 10;
const LOOK_MS = 10_000; // a page

/** The open conversation as it was heard of last. */
export const opened = signal<Session | null>(null);
/** How often an open conversation has ended under the reader. */
export const deletions = signal(0);

export interface Sessions { all: Session[]; hasMore: boolean }

/** The daemon tells them in the order of their ids, so that the newest may be the last. */
export async function readSessions(): Promise<Sessions> {
  const all: Session[] = [];
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; ++page) {
    const found = await belfry().sessions({ limit: PAGE, after });
    all.push(...found.data);
    if (!found.has_more) return { all, hasMore: false };
    after = found.next;
  }
  return { all, hasMore: true };
}

export const pauseAfter = (found: Sessions | null) => LOOK_MS * Math.max(1, Math.ceil((found?.all.length ?? 0) / PAGE));

/** Newest first, with what was heard since. */
export function newestFirst(sessions: Session[], fresh: Session | null, wanted: string): Session[] {
  return sessions
    .map((one) => (fresh && one.id === fresh.id && one.updated_at <= fresh.updated_at ? fresh : one))
    .filter((one) => `${one.title ?? ''} ${one.id} ${one.user_id ?? ''} ${one.agent_id ?? ''}`.toLowerCase().includes(wanted))
    .sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
}
