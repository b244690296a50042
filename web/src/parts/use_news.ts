// The daemon tells of every change on a stream; whoever shows something of it reads that again then.
import { useEffect, useRef } from 'preact/hooks';
import { belfry } from '../access';
import { epoch } from '../connection';
import { whenLookedAt } from './looked_at';

const TOGETHER_MS = 100;
const PAUSE_MS = 3000;

/** `onNews` once for what came together, if `concerns` says so of one of the events. No stream: nothing is followed. */
export function useNews(stream: string | null, onNews: () => void, concerns: (event: Record<string, any>) => boolean) {
  const heard = useRef({ onNews, concerns });
  heard.current = { onNews, concerns };
  useEffect(() => {
    if (!stream) return undefined;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tell = async () => {
      timer = undefined;
      await whenLookedAt();
      if (!stop.signal.aborted) heard.current.onNews();
    };
    const soon = () => { timer ??= setTimeout(() => void tell(), TOGETHER_MS); };
    const listen = async () => {
      for await (const { event, gap } of await belfry().follow(stream, { via: 'websocket', signal: stop.signal, onOpen: soon })) {
        if (gap || (event && heard.current.concerns(event))) soon();
      }
    };
    void (async () => {
      while (!stop.signal.aborted) {
        await whenLookedAt();
        // There is no such stream before the first entry. What is wrong is said where the list is read, which happens at an interval, too.
        await listen().catch(() => {});
        if (!stop.signal.aborted) await new Promise((resolve) => { setTimeout(resolve, PAUSE_MS); });
      }
    })();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [stream, epoch.value]);
}
