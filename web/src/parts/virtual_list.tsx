// A list of any length, of which only the rows in sight are in the page.
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { Heights } from './heights';

const MORE_ROWS = 6; // beyond both ends, so that a scroll finds them there

interface Props {
  label: string;
  count: number;
  /** Of a row that was not seen yet; of all, where `fixed`. */
  height: number;
  fixed?: boolean;
  keyOf: (row: number) => string | number;
  row: (row: number) => ComponentChildren;
  /** The row with the cursor; -1: none. */
  current: number;
  onChoose: (row: number) => void;
  /** Where the list has a cursor of its own, for the arrows while it has the focus. */
  onMove?: (row: number) => void;
  /** Stays at the end while more comes, as long as the reader is there. */
  follow?: boolean;
  empty?: ComponentChildren;
}

export function VirtualList(props: Props) {
  const { count, height, fixed = false, current, follow = false } = props;
  const box = useRef<HTMLDivElement>(null);
  const heights = useRef<Heights>();
  heights.current ??= new Heights(height);
  if (heights.current.count !== count) heights.current.resize(count);
  const view = useRef({ top: 0, height: 800 });
  const isAtEnd = useRef(true);
  const [, redraw] = useReducer((n: number) => n + 1, 0);

  const look = useCallback(() => {
    const at = box.current;
    if (!at) return;
    view.current = { top: at.scrollTop, height: at.clientHeight };
    isAtEnd.current = at.scrollTop + at.clientHeight >= at.scrollHeight - 4;
    redraw(0);
  }, []);

  useEffect(() => {
    const watch = new ResizeObserver(look);
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);

  const { first, last } = heights.current.span(view.current.top, view.current.top + view.current.height, MORE_ROWS);

  useLayoutEffect(() => {
    const at = box.current!;
    if (!fixed) {
      let isNews = false;
      for (const element of at.querySelectorAll<HTMLElement>(':scope > .rows > [data-row]')) {
        if (heights.current!.set(Number(element.dataset.row), element.offsetHeight)) isNews = true;
      }
      if (isNews) redraw(0);
    }
    if (follow && isAtEnd.current && at.scrollTop + at.clientHeight < at.scrollHeight - 1) at.scrollTop = at.scrollHeight;
  });

  // The cursor is brought into sight when it moves, not when the list changes around it.
  useLayoutEffect(() => {
    if (current < 0 || current >= count) return;
    const at = box.current!;
    const top = heights.current!.offset(current);
    const bottom = heights.current!.offset(current + 1);
    if (top < at.scrollTop) at.scrollTop = top;
    else if (bottom > at.scrollTop + at.clientHeight) at.scrollTop = bottom - at.clientHeight;
  }, [current]);

  const onKeyDown = (event: KeyboardEvent) => {
    const { onMove } = props;
    if (!onMove || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' && current >= 0) props.onChoose(current);
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const { first: top } = heights.current!.span(box.current!.scrollTop, box.current!.scrollTop, 0);
      onMove(current < 0 ? top : Math.min(count - 1, Math.max(0, current + (event.key === 'ArrowDown' ? 1 : -1))));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const rows = [];
  for (let row = first; row <= last; ++row) {
    rows.push(
      <div key={props.keyOf(row)} id={`row-${props.keyOf(row)}`} data-row={row} role="option" class={`row${row === current ? ' current' : ''}`}
        aria-selected={row === current} aria-setsize={count} aria-posinset={row + 1} onClick={() => props.onChoose(row)}>
        {props.row(row)}
      </div>,
    );
  }
  const isShown = current >= first && current <= last;
  return (
    <div class="virtual" ref={box} onScroll={look} onKeyDown={onKeyDown} tabIndex={0} role={count > 0 ? 'listbox' : 'region'} aria-label={props.label}
      aria-activedescendant={isShown ? `row-${props.keyOf(current)}` : undefined}>
      {count === 0 && props.empty}
      <div class="before" role="presentation" style={{ height: `${heights.current.offset(first)}px` }} />
      <div class="rows" role="presentation">{rows}</div>
      <div class="after" role="presentation" style={{ height: `${Math.max(0, heights.current.total - heights.current.offset(last + 1))}px` }} />
    </div>
  );
}
