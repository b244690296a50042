import type { Run } from 'belfry-client/wire';
import { State } from '../parts/marks';
import { hrefOf, route } from '../route';
import { familyOf, titleOf } from './family';

export function Family({ family, current }: { family: Run[]; current: number }) {
  const { query } = route.value;
  return (
    <nav class="family" aria-label="Tree of agents">
      <ul>
        {familyOf(family).map(({ run, depth }) => (
          <li key={run.id} class={`step-${Math.min(depth, 8)}`}>
            <a href={hrefOf('runs', run.id, Object.fromEntries(query))} aria-current={run.id === current ? 'true' : undefined}>
              <span class="family-name">{titleOf(run)}</span>
              {run.caller && run.caller.agent_name !== titleOf(run) && <span class="quiet">{run.caller.agent_name}</span>}
              <State of={run.paused ? 'paused' : run.state} /><span class="quiet number">{run.events}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
