// The small marks that all pages share.
import type { ComponentChildren } from 'preact';
import { signal } from '@preact/signals';
import { seen } from './seen';
import { ago, moment, stopwatch, until } from './time';

/** Ticks twice a minute, for what tells how long ago something was. */
export const minute = signal(Date.now());
setInterval(() => { if (!document.hidden) minute.value = Date.now(); }, 20_000);
document.addEventListener('visibilitychange', () => { minute.value = Date.now(); });

/** Ticks every second, for what tells how long it still takes. */
const second = signal(Date.now());
setInterval(() => { if (!document.hidden) second.value = Date.now(); }, 1000);

export function Until({ at }: { at: string }) {
  return <time class="until" dateTime={at} title={moment(at)}>{until(at, second.value)}</time>;
}

/** How long something has run. */
export function Elapsed({ since }: { since: string }) {
  return <time class="number" dateTime={since} title={moment(since)}>{stopwatch(second.value - Date.parse(since))}</time>;
}

export function Ago({ at }: { at: string }) {
  return <time class="ago" dateTime={at} title={moment(at)}>{ago(at, minute.value)}</time>;
}

export function Severity({ level }: { level: string }) {
  return <span class={`severity ${level}`}>{level}</span>;
}

export function Priority({ level }: { level: string }) {
  return <span class={`priority ${level}`}>{level}</span>;
}

export function State({ of }: { of: string }) {
  return <span class={`state ${of}`}><i aria-hidden="true" />{of.replaceAll('_', ' ')}</span>;
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return <div class="empty"><p class="empty-title">{title}</p>{children && <p>{children}</p>}</div>;
}

export function Trouble({ text, retry }: { text: string; retry?: () => void }) {
  return (
    <p class="trouble" role="alert">
      {text}
      {retry && <button type="button" class="link" onClick={retry}>Try again</button>}
    </p>
  );
}

/** An id is shown by its end, which tells two of one moment apart, and as a whole on hover. */
export function Id({ id }: { id: string }) {
  return <code class="id" title={id}>…{id.slice(-8)}</code>;
}

export function Json({ value }: { value: unknown }) {
  return <pre class="json">{seen(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}</pre>;
}
