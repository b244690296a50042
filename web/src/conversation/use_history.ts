// A conversation as it grows. The daemon tells when a session has changed; then its end is read again.
import { useEffect, useRef, useState } from 'preact/hooks';
import { effect, untracked } from '@preact/signals';
import type { Session } from 'belfry-client/wire';
import { belfry, words } from '../access';
import { line } from '../connection';
import { changed } from '../inbox/store';
import { takeInteraction } from './questions';
import type { Node } from './shapes';

const LOOK_MS = 1500;
const END_NODES = 60;
const TREE_NODES = 500;

export interface History {
  session: Session | null;
  /** From the root, or from where reading began, to the chosen node. */
  path: Node[];
  /** Whether there is more before it. */
  earlier: (() => Promise<void>) | null;
  tree: Node[];
  /** Messages of the person that no agent was handed yet, and how many notifications wait for its next turn. */
  waiting: { messages: Set<string>; items: number };
  trouble: string | null;
}

const NOTHING: History = { session: null, path: [], earlier: null, tree: [], waiting: { messages: new Set(), items: 0 }, trouble: null };

async function wholeTree(id: string): Promise<Node[]> {
  const nodes: Node[] = [];
  for (let after: string | undefined; ;) {
    const page = await belfry().history(id, { shape: 'tree', limit: TREE_NODES, after });
    nodes.push(...page.data);
    if (!page.has_more) return nodes;
    after = page.next;
  }
}

export function useHistory(id: string, leaf: string | null): History {
  const [shown, setShown] = useState<History>(NOTHING);
  const seen = useRef({ stamp: '', head: '', before: [] as Node[], next: null as string | null, isWhole: false });

  useEffect(() => {
    let isOver = false;
    let isReading = false;
    seen.current = { stamp: '', head: '', before: [], next: null, isWhole: false };
    setShown(NOTHING);

    const earlier = async () => {
      const mine = seen.current;
      if (mine.next === null) return;
      const page = await belfry().history(id, { shape: 'path', node: mine.next, limit: END_NODES });
      if (isOver) return;
      mine.before = [...page.data, ...mine.before];
      mine.next = page.has_more ? page.next : null;
      setShown((was) => ({ ...was, path: [...page.data, ...was.path], earlier: mine.next === null ? null : earlier }));
    };

    const read = async (session: Session) => {
      const mine = seen.current;
      const [page, context, asked] = await Promise.all([
        belfry().history(id, { shape: 'path', limit: END_NODES, ...(leaf ? { node: leaf } : {}) }),
        belfry().context(id, { point: 'turn_start' }),
        belfry().interactions({ session: id, state: 'pending' }),
      ]);
      const head = String(session.head);
      const tree = head === mine.head ? null : await wholeTree(id);
      if (isOver) return;
      asked.data.forEach(takeInteraction);
      const end: Node[] = page.data;
      // What was read before stays in front, as far as it still lies before the end.
      const first = mine.before.findIndex((node) => node.id === end[0]?.id);
      if (mine.before.length === 0) mine.next = page.has_more ? page.next : null;
      const path = [...(first < 0 ? mine.before : mine.before.slice(0, first)), ...end];
      mine.before = path.slice(0, Math.max(0, path.length - END_NODES));
      mine.head = head;
      mine.stamp = stampOf(session);
      const waiting = { messages: new Set<string>(context.user_messages.map((one: any) => one.id)), items: context.items.length };
      setShown((was) => ({ session, path, earlier: mine.next === null ? null : earlier, tree: tree ?? was.tree, waiting, trouble: null }));
    };

    const look = async () => {
      if (isReading || isOver) return;
      isReading = true;
      try {
        const session = await belfry().session(id);
        if (stampOf(session) !== seen.current.stamp) await read(session);
      } catch (failure) {
        if (!isOver) setShown((was) => ({ ...was, trouble: words(failure) }));
      }
      isReading = false;
    };

    void look();
    const timer = setInterval(() => { if (!document.hidden && line.value === 'live') void look(); }, LOOK_MS);
    // What rings may also stand in this conversation: then it is read at once.
    const stop = effect(() => {
      void changed.value;
      if (line.value === 'live') untracked(() => void look());
    });
    return () => {
      isOver = true;
      clearInterval(timer);
      stop();
    };
  }, [id, leaf]);

  return shown;
}

const stampOf = (session: Session) => `${session.updated_at}|${session.head}|${session.last_turn_started_at}|${session.last_turn_ended_at}|${session.progress?.tokens_used}`;
