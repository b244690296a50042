// A thing counts as shown when at least half of it was in sight for half a second, in a page that somebody can see.
import { useEffect, useRef } from 'preact/hooks';
import { acknowledge } from './store';

const HALF = 0.5;
const LONG_ENOUGH_MS = 500;

const waiting = new Map<Element, ReturnType<typeof setTimeout>>();
const inSight = new Set<Element>();

function begin(element: Element) {
  if (waiting.has(element) || document.hidden) return;
  waiting.set(element, setTimeout(() => {
    waiting.delete(element);
    const id = (element as HTMLElement).dataset.notification;
    if (id) acknowledge(id);
  }, LONG_ENOUGH_MS));
}

function end(element: Element) {
  clearTimeout(waiting.get(element));
  waiting.delete(element);
}

const observer = typeof IntersectionObserver === 'undefined' ? null : new IntersectionObserver((entries) => {
  for (const { target, intersectionRatio } of entries) {
    if (intersectionRatio >= HALF) {
      inSight.add(target);
      begin(target);
    } else {
      inSight.delete(target);
      end(target);
    }
  }
}, { threshold: [HALF] });

globalThis.document?.addEventListener('visibilitychange', () => {
  for (const element of inSight) {
    if (document.hidden) end(element);
    else begin(element);
  }
});

/** The element's data-notification is acknowledged when it was shown. */
export function useInSight(id: string, version: number) {
  const element = useRef<HTMLElement & HTMLDivElement>(null);
  useEffect(() => {
    const seen = element.current;
    if (!seen) return undefined;
    observer?.observe(seen);
    return () => {
      observer?.unobserve(seen);
      inSight.delete(seen);
      end(seen);
    };
  }, [id, version]);
  return element;
}
