import type { Wake } from 'belfry-client/wire';
import { owner } from '../inbox/store';
import { Ago, State, Until } from '../parts/marks';
import { duration } from '../parts/time';
import { firstSignals } from './causes';
import { isOver, reasonWords } from './words';

/** In a list of wakes: whose, why, and how far. */
export function WakeRow({ wake, name }: { wake: Wake; name: string | null }) {
  const why = reasonWords(wake, firstSignals(wake), owner.value);
  return (
    <div class={`item wake-item ${wake.state}`}>
      <p class="item-title"><span>{name ? <><strong>{name}</strong>: {why}</> : why}</span><Ago at={wake.created_at} /></p>
      <p class="item-second">
        <State of={wake.state} /><span class="item-source">#{wake.id}</span>
        <span class="item-text">{wake.error ? `${wake.error.type}: ${wake.error.message}` : wake.holder && !isOver(wake) ? wake.holder : ''}</span>
        <Progress wake={wake} />
      </p>
    </div>
  );
}

/** `due in 40 s`, `attempt 2`, `3.2 s`. */
export function Progress({ wake }: { wake: Wake }) {
  const attempts = wake.attempts > 1 ? `${wake.attempts} attempts` : '';
  if (wake.state === 'queued') return <span class="quiet number">{attempts && `${attempts}, `}due <Until at={wake.due_at} /></span>;
  if (wake.state === 'running') return <span class="quiet number">attempt {wake.attempts}</span>;
  const lasted = wake.started_at && wake.ended_at ? duration(Date.parse(wake.ended_at) - Date.parse(wake.started_at)) : '';
  return <span class="quiet number">{[attempts, lasted].filter(Boolean).join(', ')}</span>;
}
