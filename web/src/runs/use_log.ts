// The stream of a run, or of the whole tree that it belongs to, as it comes.
import { useEffect, useRef, useState } from 'preact/hooks';
import { belfry, words } from '../access';
import { epoch } from '../connection';
import { RunLog } from './log';

export interface Stream { log: RunLog; stamp: number; isOver: boolean; isLost: boolean; trouble: string | null }

/** A tree that began with its first child does not have what its root said before. */
async function takeBefore(log: RunLog, root: number, until: number) {
  for (let after = 0; after < until;) {
    const page = await belfry().runEvents(root, { after, limit: 1000 });
    for (const event of page.data) if (event.sequence <= until) log.take(event);
    if (!page.has_more) return;
    after = page.next;
  }
}

export function useLog(run: number, tree: boolean, onEnd: () => void): Stream {
  const [state, setState] = useState({ stamp: 0, isOver: false, isLost: false, trouble: null as string | null });
  const log = useRef(new RunLog());
  const since = epoch.value;
  useEffect(() => {
    const mine = new RunLog();
    log.current = mine;
    const stop = new AbortController();
    let isDrawing = false;
    setState({ stamp: 0, isOver: false, isLost: false, trouble: null });
    const draw = () => {
      if (isDrawing) return;
      isDrawing = true;
      requestAnimationFrame(() => {
        isDrawing = false;
        if (!stop.signal.aborted) setState((was) => ({ ...was, stamp: was.stamp + 1, isLost: false }));
      });
    };
    void (async () => {
      try {
        const following = await belfry().followRun(run, {
          tree, via: 'websocket', signal: stop.signal, onLost: () => setState((was) => ({ ...was, isLost: true })),
        });
        for await (const event of following) {
          if (event.event === 'tree.opened') await takeBefore(mine, run, event.data?.root_sequence ?? 0);
          mine.take(event);
          draw();
        }
        if (stop.signal.aborted) return;
        setState((was) => ({ ...was, stamp: was.stamp + 1, isOver: true, isLost: false }));
        onEnd();
      } catch (failure) {
        if (!stop.signal.aborted) setState((was) => ({ ...was, trouble: words(failure) }));
      }
    })();
    return () => stop.abort();
  }, [run, tree, since]);
  return { log: log.current, ...state };
}
