import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icons';

/** A modal of the browser's own: it keeps the focus, ends with Escape, and gives the focus back. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => { box.current!.showModal(); }, []); // at once: what is pressed next is meant for it
  return (
    <dialog ref={box} aria-label={title} onClose={onClose} onClick={(event) => { if (event.target === box.current) box.current!.close(); }}>
      <div class="dialog">
        <header><h2>{title}</h2><button type="button" class="plain" aria-label="Close" onClick={() => box.current!.close()}><Icon name="close" /></button></header>
        {children}
      </div>
    </dialog>
  );
}
