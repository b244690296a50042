// A small chart of some lines over the last minutes: drawn here, so that no library has to be loaded.
import { pathOf } from './curve';

export interface Line { name: string; values: (number | null)[] }

const WIDTH = 240;
const HEIGHT = 56;

export function Chart({ title, lines, shown, isSum, length }: { title: string; lines: Line[]; shown: (value: number) => string; isSum?: boolean; length: number }) {
  const all = lines.flatMap((line) => line.values.filter((value) => value !== null));
  const top = Math.max(...all, 0);
  const last = lines.map((line) => line.values.findLast((value) => value !== null) ?? null);
  const first = isSum ? last.reduce((sum: number | null, one) => (one === null ? sum : (sum ?? 0) + one), null) : last[0] ?? null;
  const said = lines.map((line, at) => `${line.name} ${last[at] === null ? 'nothing' : shown(last[at]!)}`).join(', ');
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <p class="now">{first === null ? '–' : shown(first)}</p>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${title}: ${said}; at the most ${shown(top)}`}>
        <path class="ground" d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
        {lines.map((line, at) => {
          const { stroke, area } = pathOf(line.values, length, top, WIDTH, HEIGHT);
          return <g key={line.name} class={`line-${at}`}>{at === 0 && <path class="area" d={area} />}<path class="stroke" d={stroke} /></g>;
        })}
      </svg>
      <ul class="legend">
        {lines.map((line, at) => <li key={line.name} class={`line-${at}`}><i aria-hidden="true" />{line.name}{(at > 0 || isSum) && last[at] !== null && <span> {shown(last[at]!)}</span>}</li>)}
        <li class="top">top {shown(top)}</li>
      </ul>
    </figure>
  );
}
