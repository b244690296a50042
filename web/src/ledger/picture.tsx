// The states of the ledger as the way that a notification takes through them, and how many are where.
import { count } from '../parts/time';

type DeliveryState = 'pending' | 'dispatched' | 'locked' | 'escalated' | 'delivered' | 'failed';
export type Counts = Record<string, number>;

interface Box { state: DeliveryState; x: number; y: number; hint: string }

const WIDTH = 132;
const HEIGHT = 54;
const BOXES: Box[] = [
  { state: 'pending', x: 8, y: 18, hint: 'nobody is told yet' },
  { state: 'dispatched', x: 184, y: 18, hint: 'on its way' },
  { state: 'locked', x: 360, y: 18, hint: 'somebody holds it' },
  { state: 'delivered', x: 536, y: 18, hint: 'it was said' },
  { state: 'escalated', x: 360, y: 104, hint: 'no agent spoke' },
  { state: 'failed', x: 536, y: 104, hint: 'a dead letter' },
];
const ARROWS = ['M140 45h40', 'M316 45h40', 'M492 45h40', 'M426 72v28', 'M492 131h40', 'M492 122C515 110 510 72 532 60', 'M492 54C515 66 510 104 532 118', 'M250 18C290 -6 520 -6 580 15'];

interface Props { counts: Counts; chosen: string; onChoose: (state: string) => void }

export function Picture({ counts, chosen, onChoose }: Props) {
  return (
    <div class="picture" role="group" aria-label="How many notifications are in which state">
      <svg viewBox="0 -8 676 172" aria-hidden="true" focusable="false">
        <defs><marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M1 1l6 3-6 3z" /></marker></defs>
        {ARROWS.map((path) => <path key={path} class="arrow" d={path} marker-end="url(#tip)" />)}
        {BOXES.map(({ state, x, y, hint }) => (
          <g key={state} class={`box ${state}${chosen === state ? ' chosen' : ''}${counts[state] ? '' : ' none'}`} onClick={() => onChoose(chosen === state ? '' : state)}>
            <rect x={x} y={y} width={WIDTH} height={HEIGHT} rx="8" />
            <text class="count" x={x + 12} y={y + 24}>{count(counts[state] ?? 0)}</text>
            <text class="name" x={x + WIDTH - 12} y={y + 23} text-anchor="end">{state}</text>
            <text class="hint" x={x + 12} y={y + 43}>{hint}</text>
          </g>
        ))}
      </svg>
      <ul class="picture-list">
        {BOXES.map(({ state }) => (
          <li key={state}><button type="button" class={`state ${state}`} aria-pressed={chosen === state} onClick={() => onChoose(chosen === state ? '' : state)}><i aria-hidden="true" />{state} <strong>{counts[state] ?? 0}</strong></button></li>
        ))}
      </ul>
    </div>
  );
}
