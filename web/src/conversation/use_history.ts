// A conversation as it grows. The session's stream tells that something happened; then its end is read again.
import { useEffect, useRef, useState } from 'preact/hooks';
import { BelfryError } from 'belfry-client';
import type { Session } from 'belfry-client/wire';
import { belfry, words } from '../access';
import { epoch } from '../connection';
import { whenLookedAt } from '../parts/looked_at';
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

async function wholeTree(id: string): Promise<Node[]> {
  const nodes: Node[] = [];
  for (let after: string | undefined; ;) {
    const page = await belfry().history(id, { shape: 'tree', limit: TREE_NODES, after });
    nodes.push(...page.data);
    if (!page.has_more) return nodes;
    after = page.next;
  }
}

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

export function useHistory(id: string, leaf: string | null): History {
  const [shown, setShown] = useState<History>(NOTHING);
  const seen = useRef({ what: '', head: '', before: [] as Node[], next: null as string | null });
  const since = epoch.value;

  useEffect(() => {
    const stop = new AbortController();
    // A line that is laid anew shows on what was there.
    if (seen.current.what !== `${id} ${leaf}`) {
      seen.current = { what: `${id} ${leaf}`, head: '', before: [], next: null };
      setShown(NOTHING);
    }
    const mine = seen.current;
    const change = (by: Partial<History>) => { if (!stop.signal.aborted) setShown((was) => ({ ...was, ...by })); };

    const earlier = async () => {
      if (mine.next === null) return;
      const page = await belfry().history(id, { shape: 'path', node: mine.next, limit: END_NODES });
      if (stop.signal.aborted) return;
      mine.before = [...page.data, ...mine.before];
      mine.next = page.has_more ? page.next : null;
      setShown((was) => ({ ...was, path: [...page.data, ...was.path], earlier: mine.next === null ? null : earlier }));
    };

    const read = oneByOne(async () => {
      if (stop.signal.aborted) return;
      const [session, page, context, asked, allowed] = await Promise.all([
        belfry().session(id),
        belfry().history(id, { shape: 'path', limit: END_NODES, ...(leaf ? { node: leaf } : {}) }),
        belfry().context(id, { point: 'turn_start' }),
        belfry().interactions({ session: id, state: 'pending' }),
        belfry().interactions({ session: id, always_allowed: true }),
      ]);
      const head = String(session.head);
      const tree = head === mine.head ? null : await wholeTree(id);
      const open = new Set(asked.data.map((one) => one.id));
      const ended = await Promise.all(openQuestions().filter((one) => one.session_id === id && !open.has(one.id)).map((one) => belfry().interaction(one.id)));
      if (stop.signal.aborted) return;
      [...asked.data, ...ended].forEach(takeInteraction);
      const end: Node[] = page.data;
      // What was read before stays in front, as far as it still lies before the end.
      const first = mine.before.findIndex((node) => node.id === end[0]?.id);
      if (mine.before.length === 0) mine.next = page.has_more ? page.next : null;
      const path = [...(first < 0 ? mine.before : mine.before.slice(0, first)), ...end];
      mine.before = path.slice(0, Math.max(0, path.length - END_NODES));
      mine.head = head;
      opened.value = session;
      const waiting = { messages: new Set<string>(context.user_messages.map((one: any) => one.id)), items: context.items.length };
      change({ session, path, earlier: mine.next === null ? null : earlier, waiting, allowing: allowed.data as Allowing[], isLost: false, trouble: null, ...(tree ? { tree } : {}) });
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
