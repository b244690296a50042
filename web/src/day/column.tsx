// The hours of a day and its blocks. A block is moved with the mouse, or with the arrows while it has the focus; a click or Enter opens it.
import { useRef, useState } from 'preact/hooks';
import { type Names, categoryOf } from '../journal/names';
import type { PlanBlock } from '../journal/records';
import type { KnownTasks } from '../journal/tasks';
import { colourOf, midnight, weekdayWords } from '../journal/words';
import { minute } from '../parts/marks';
import { seen } from '../parts/seen';
import { type Placed, STEP_MS, type Span, blockHours, hoursOf, placed, replaced, shifted, spanOf } from './plan';
import type { Plan } from './use_plan';

const HOUR_PX = 48;
const PX_MS = HOUR_PX / 3_600_000;
const MIN_PX = 22; // a line of text
const DRAG_PX = 4; // less is a click

interface Props { date: string; plan: Plan; names: Names; tasks: KnownTasks; onOpen: (block: PlanBlock) => void; onAdd: (at: number) => void }

export const blockWords = (block: PlanBlock, tasks: KnownTasks) => block.note || tasks.titles.get(block.task_id ?? '')?.title || 'Block';

export function Column({ date, plan, names, tasks, onOpen, onAdd }: Props) {
  const blocks = plan.part?.blocks ?? [];
  const span = spanOf(date, blocks);
  const now = minute.value;
  const move = (block: PlanBlock, by: number) => {
    const next = shifted(block, by, date);
    if (next.start_at === block.start_at) return;
    plan.attempt(`${blockWords(block, tasks)} to ${blockHours(next)}`, ({ blocks: present }) => ({ blocks: replaced(present, next) }));
  };
  const add = (event: MouseEvent) => {
    if (event.target !== event.currentTarget) return;
    const at = span.from + event.offsetY / PX_MS;
    if (at < midnight(date) || at >= midnight(date, 1)) return; // another day has a plan of its own
    onAdd(Math.floor(at / STEP_MS / 2) * STEP_MS * 2);
  };
  return (
    <div class="day-column" style={{ height: `${(span.to - span.from) * PX_MS}px` }}>
      <ol class="hours" aria-hidden="true">{hoursOf(span).map(({ at, words, isMidnight }) => <li key={at} class={isMidnight && at > span.from ? 'midnight' : undefined} style={{ top: `${(at - span.from) * PX_MS}px` }}>{words}{isMidnight && at > span.from && <span>{weekdayWords(at)}</span>}</li>)}</ol>
      {now >= span.from && now < span.to && <i class="now" aria-hidden="true" style={{ top: `${(now - span.from) * PX_MS}px` }} />}
      <div class="blocks" onClick={add}>
        {placed(blocks).map((one) => <Block key={one.block.id} of={one} span={span} colour={colourOf(categoryOf(names, one.block.category_id)?.color)} words={blockWords(one.block, tasks)} onOpen={onOpen} onMove={move} />)}
      </div>
    </div>
  );
}

function Block({ of: { block, lane, lanes }, span, colour, words, onOpen, onMove }: { of: Placed; span: Span; colour: string | undefined; words: string; onOpen: (block: PlanBlock) => void; onMove: (block: PlanBlock, by: number) => void }) {
  const [by, setBy] = useState<number | null>(null); // while it is dragged
  const drag = useRef({ from: 0, isMoved: false });
  const stepsOf = (event: PointerEvent) => Math.round((event.clientY - drag.current.from) / PX_MS / STEP_MS) * STEP_MS;
  const grab = (event: PointerEvent) => {
    drag.current = { from: event.clientY, isMoved: false };
    if (event.pointerType === 'touch' || event.button !== 0) return; // a finger scrolls
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    setBy(0);
  };
  const pull = (event: PointerEvent) => {
    if (by === null) return;
    if (Math.abs(event.clientY - drag.current.from) > DRAG_PX) drag.current.isMoved = true;
    if (drag.current.isMoved) setBy(stepsOf(event));
  };
  const drop = (event: PointerEvent) => {
    if (by !== null && drag.current.isMoved) onMove(block, stepsOf(event));
    setBy(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    onMove(block, event.key === 'ArrowUp' ? -STEP_MS : STEP_MS);
  };
  const start = Date.parse(block.start_at);
  const length = Date.parse(block.end_at) - start;
  const shown = by ? { ...block, start_at: new Date(start + by).toISOString(), end_at: new Date(start + by + length).toISOString() } : block;
  const height = Math.max(MIN_PX, length * PX_MS - 2);
  return (
    <button type="button" class={`plan-block${by ? ' dragged' : ''}${height < 40 ? ' flat' : ''}`} onPointerDown={grab} onPointerMove={pull} onPointerUp={drop} onPointerCancel={() => setBy(null)} onKeyDown={onKeyDown}
      onClick={() => { if (!drag.current.isMoved) onOpen(block); drag.current.isMoved = false; }}
      style={{ top: `${(start + (by ?? 0) - span.from) * PX_MS}px`, height: `${height}px`, left: `${(lane / lanes) * 100}%`, width: `calc(${100 / lanes}% - 3px)`, borderLeftColor: colour }}>
      <span class="block-words">{seen(words)}</span><span class="number">{blockHours(shown)}</span>
    </button>
  );
}
