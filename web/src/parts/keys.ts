// Keys of the whole app. A page says what its keys do; the newest word counts, so that a dialog comes before its page.
import { useEffect, useRef } from 'preact/hooks';

export type KeyMap = Record<string, () => void>;

const maps: { current: KeyMap }[] = [];

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Where a button or link has the focus, Enter and the space bar are its own. */
function isItsOwn(event: KeyboardEvent): boolean {
  return (event.key === 'Enter' || event.key === ' ') && event.target instanceof HTMLElement && event.target.closest('button, a, summary, [role=switch]') !== null;
}

let pending: string | null = null;
let forget: ReturnType<typeof setTimeout>;

function onKey(event: KeyboardEvent) {
  if (document.querySelector('dialog[open]')) return; // a modal has its own keys
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (isTyping(event.target) && event.key !== 'Escape') return;
  if (isItsOwn(event)) return;
  const name = pending ? `${pending} ${event.key}` : event.key;
  pending = null;
  clearTimeout(forget);
  for (let at = maps.length - 1; at >= 0; --at) {
    const act = maps[at]!.current[name];
    if (!act) continue;
    event.preventDefault();
    act();
    return;
  }
  if (event.key === 'g') {
    pending = 'g';
    forget = setTimeout(() => { pending = null; }, 1200);
  }
}

globalThis.addEventListener?.('keydown', onKey);

export function useKeys(keys: KeyMap) {
  const mine = useRef(keys);
  mine.current = keys;
  useEffect(() => {
    maps.push(mine);
    return () => { maps.splice(maps.indexOf(mine), 1); };
  }, []);
}
