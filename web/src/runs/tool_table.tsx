import { Empty } from '../parts/marks';
import { clock, duration } from '../parts/time';
import { type ToolBlock, brief } from './log';

const SHOWN_MAX = 500; // the newest; the stream has them all

export function ToolTable({ tools, stamp }: { tools: ToolBlock[]; stamp: number }) {
  void stamp;
  if (tools.length === 0) return <Empty title="No tool was called" />;
  const shown = tools.slice(-SHOWN_MAX);
  return (
    <div class="tool-table" role="region" aria-label="Tool calls" tabIndex={0}>
      {shown.length < tools.length && <p class="quiet">The newest {shown.length} of {tools.length}.</p>}
      <table>
        <thead><tr><th scope="col">When</th><th scope="col">Tool</th><th scope="col">Who</th><th scope="col">Given</th><th scope="col">Result</th><th scope="col" class="number">Took</th></tr></thead>
        <tbody>
          {shown.map((tool) => (
            <tr key={tool.key} class={tool.isError ? 'bad' : ''}>
              <td>{clock(tool.at)}</td><td><code>{tool.tool}</code></td><td>{tool.who ?? `#${tool.run}`}</td>
              <td class="clip">{brief(tool.given)}</td><td class="clip">{tool.endedAt ? brief(tool.result) : <span class="running">at work</span>}</td>
              <td class="number">{tool.endedAt ? duration(Date.parse(tool.endedAt) - Date.parse(tool.at)) : ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
