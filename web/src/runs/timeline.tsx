// Who worked when: a lane for each run, with its tool calls on it.
import type { Run } from 'belfry-client/wire';
import { duration } from '../parts/time';
import { beganAt, familyOf, isOver, titleOf } from './family';
import type { ToolBlock } from './log';
import { scaleOf } from './scale';

export function Timeline({ family, tools, stamp }: { family: Run[]; tools: ToolBlock[]; stamp: number }) {
  void stamp;
  const now = Date.now();
  const rows = familyOf(family);
  const from = Math.min(...family.map((run) => Date.parse(beganAt(run))));
  const to = Math.max(from + 1000, ...family.map((run) => (run.ended_at ? Date.parse(run.ended_at) : now)));
  const scale = scaleOf(from, to);
  const byRun = new Map<number, ToolBlock[]>();
  for (const tool of tools) byRun.set(tool.run, [...(byRun.get(tool.run) ?? []), tool]);
  return (
    <div class="timeline" role="region" aria-label="Timeline" tabIndex={0}>
      <div class="lanes">
        <div class="ticks" aria-hidden="true">{scale.ticks.map((tick) => <span key={tick.at} style={{ left: `${tick.percent}%` }}>{tick.label}</span>)}</div>
        <ul>
          {rows.map(({ run, depth }) => {
            const begin = Date.parse(beganAt(run));
            const end = run.ended_at ? Date.parse(run.ended_at) : now;
            const mine = byRun.get(run.id) ?? [];
            return (
              <li key={run.id}>
                <p class={`lane-name step-${Math.min(depth, 8)}`}>{titleOf(run)} <span class="quiet">{run.state}, {duration(end - begin)}{mine.length > 0 && `, ${mine.length} tool ${mine.length === 1 ? 'call' : 'calls'}`}</span></p>
                <div class="lane">
                  <span class={`bar ${run.state}${isOver(run) ? '' : ' open'}`} style={scale.place(begin, end)} />
                  {mine.map((tool) => (
                    <span key={tool.key} class={`call${tool.isError ? ' bad' : ''}`} title={`${tool.tool}${tool.endedAt ? `, ${duration(Date.parse(tool.endedAt) - Date.parse(tool.at))}` : ''}`}
                      style={scale.place(Date.parse(tool.at), tool.endedAt ? Date.parse(tool.endedAt) : end)} />
                  ))}
                </div>
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
}
