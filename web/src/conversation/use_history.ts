// A conversation as it grows. The session's stream tells that something happened; then its end is read again.
import { useEffect, useRef, useState } from 'preact/hooks';
import { BelfryError } from 'belfry-client';
import type { Session } from 'belfry-client/wire';
import { belfry, words } from '../access';
import { epoch } from '../connection';
import { whenLookedAt } from '../parts/looked_at';
import { NO_STRETCH, lengthened, readEnd, readTree, renewed } from './pages';
import type { Page } from './pages';
import { openQuestions, takeInteraction } from './questions';
import { deletions, opened } from './sessions';
import type { Allowing, Node } from './shapes';

const END_NODES = 60;
const TREE_NODES = 500;
const PAUSE_MS = 1500; // before another attempt

export interface History {
  session: Session | null;
  /** From the root, or from where reading began, to the chosen node. */
  path: Node[];
  /** Whether there is more before it. */
  earlier: (() => Promise<void>) | null;
  tree: Node[];
  /** Messages of the person that no agent was handed yet, and how many notifications wait for its next turn. */
  waiting: { messages: Set<string>; items: number };
  /** The answers by which tools are used here without asking. */
  allowing: Allowing[];
  /** Nothing is heard of it now: what is shown may be old. */
  isLost: boolean;
  isDeleted: boolean;
  trouble: string | null;
}

const NOTHING: History = { session: null, path: [], earlier: null, tree: [], waiting: { messages: new Set(), items: 0 }, allowing: [], isLost: false, isDeleted: false, trouble: null };

/** Runs work, and once more where it was asked for meanwhile: never twice at the same time, and only while somebody looks. */
function oneByOne(work: () => Promise<void>) {
  let underWay: Promise<void> | null = null;
  let isWanted = false;
  return () => {
    isWanted = true;
    underWay ??= (async () => {
      while (isWanted) {
        await whenLookedAt();
        isWanted = false;
        await work();
      }
    })().finally(() => { underWay = null; });
    return underWay;
  };
}

/** What was read of a conversation. Whoever has asked for what was before keeps it; for others only the end is shown. */
const unread = (what: string) => ({ what, head: '', tree: [] as Node[], path: NO_STRETCH, isKept: false });

export function useHistory(id: string, leaf: string | null): History {
  const [shown, setShown] = useState<History>(NOTHING);
  const seen = useRef(unread(''));
  const since = epoch.value;

  useEffect(() => {
    const stop = new AbortController();
    // A line that is laid anew shows on what was there.
    if (seen.current.what !== `${id} ${leaf}`) {
      seen.current = unread(`${id} ${leaf}`);
      setShown(NOTHING);
    }
    const mine = seen.current;
    const change = (by: Partial<History>) => { if (!stop.signal.aborted) setShown((was) => ({ ...was, ...by })); };

    const history = async (query: { shape: 'path' | 'tree'; limit: number; node?: string; after?: string }) => (await belfry().history(id, query)) as Page;
    const pathTo = (node: string | null) => history({ shape: 'path', limit: END_NODES, ...(node ? { node } : {}) });
    const treeAfter = (after: string | null) => history({ shape: 'tree', limit: TREE_NODES, ...(after ? { after } : {}) });
    const kept = () => (mine.isKept ? mine.path : NO_STRETCH);
    const showPath = (more: Partial<History> = {}) => change({ path: mine.path.nodes, earlier: mine.path.next === null ? null : earlier, ...more });

    const earlier = async () => {
      const { next } = mine.path;
      if (next === null) return;
      mine.isKept = true;
      const page = await pathTo(next);
      if (stop.signal.aborted || mine.path.next !== next) return;
      mine.path = lengthened(page, mine.path);
      showPath();
    };

    const read = oneByOne(async () => {
      if (stop.signal.aborted) return;
      const [session, end, context, asked, allowed] = await Promise.all([
        belfry().session(id),
        readEnd((node) => pathTo(node ?? leaf), kept),
        belfry().context(id, { point: 'turn_start' }),
        belfry().interactions({ session: id, state: 'pending' }),
        belfry().interactions({ session: id, always_allowed: true }),
      ]);
      const head = String(session.head);
      const tree = head === mine.head ? mine.tree : await readTree(treeAfter, mine.tree);
      const open = new Set(asked.data.map((one) => one.id));
      const ended = await Promise.all(openQuestions().filter((one) => one.session_id === id && !open.has(one.id)).map((one) => belfry().interaction(one.id)));
      if (stop.signal.aborted) return;
      [...asked.data, ...ended].forEach(takeInteraction);
      mine.path = renewed(kept(), end) ?? end;
      mine.tree = tree;
      mine.head = head;
      opened.value = session;
      const waiting = { messages: new Set<string>(context.user_messages.map((one: any) => one.id)), items: context.items.length };
      showPath({ session, tree, waiting, allowing: allowed.data as Allowing[], isLost: false, trouble: null });
    });

    const close = () => {
      change({ isDeleted: true, isLost: false });
      opened.value = null;
      ++deletions.value;
    };

    /** Its place in the stream is fixed before anything is read: what happens meanwhile comes after it. */
    const follow = async () => {
      const following = await belfry().followSession(id, {
        via: 'websocket', signal: stop.signal, onLost: () => change({ isLost: true }), onOpen: () => change({ isLost: false }),
      });
      await read();
      for await (const entry of following) {
        if (entry.event?.type === 'session_deleted') return close();
        void read().catch((failure) => change({ trouble: words(failure) }));
      }
    };

    void (async () => {
      while (!stop.signal.aborted) {
        try {
          await follow();
          return;
        } catch (failure) {
          if (failure instanceof BelfryError && failure.code === 'gone') return close();
          if (failure instanceof BelfryError && ['not_found', 'forbidden', 'unauthenticated'].includes(failure.code)) return change({ trouble: words(failure) });
          change({ isLost: true });
        }
        await new Promise((resolve) => { setTimeout(resolve, PAUSE_MS); });
      }
    })();
    return () => stop.abort();
  }, [id, leaf, since]);

  return shown;
}
