// The daemon tells of every change of a person's wakes; whoever shows some reads them again then.
import { useEffect, useRef } from 'preact/hooks';
import type { Wake } from 'belfry-client/wire';
import { belfry } from '../access';
import { epoch } from '../connection';
import { owner } from '../inbox/store';
import { whenLookedAt } from '../parts/looked_at';

const TOGETHER_MS = 100;
const PAUSE_MS = 3000;

async function listen(whose: string, signal: AbortSignal, soon: () => void, concerns: (wake: Wake) => boolean) {
  for await (const { event, gap } of await belfry().follow(`agent:${whose}`, { via: 'websocket', signal, onOpen: soon })) {
    if (gap || (event?.type === 'wake' && concerns(event.wake))) soon();
  }
}

/** `onNews` once for what came together, if `concerns` says so of one of them. */
export function useWakeNews(onNews: () => void, concerns: (wake: Wake) => boolean = () => true) {
  const heard = useRef({ onNews, concerns });
  heard.current = { onNews, concerns };
  const whose = owner.value;
  useEffect(() => {
    if (!whose) return undefined;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tell = async () => {
      timer = undefined;
      await whenLookedAt();
      if (!stop.signal.aborted) heard.current.onNews();
    };
    const soon = () => { timer ??= setTimeout(() => void tell(), TOGETHER_MS); };
    void (async () => {
      while (!stop.signal.aborted) {
        await whenLookedAt();
        // There is no such stream before the first wake. What is wrong is said where the list is read, which happens at an interval, too.
        await listen(whose, stop.signal, soon, (wake) => heard.current.concerns(wake)).catch(() => {});
        if (!stop.signal.aborted) await new Promise((resolve) => { setTimeout(resolve, PAUSE_MS); });
      }
    })();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [whose, epoch.value]);
}
