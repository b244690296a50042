import type { Wake, WakeSignal } from 'belfry-client/wire';
import { Severity } from '../parts/marks';
import { seen } from '../parts/seen';
import { moment } from '../parts/time';
import { Values } from '../parts/values';
import { hrefOf } from '../route';
import { signalWords } from './words';

/** One of the things that woke it: an event, a firing, a word. */
export function SignalView({ signal, wake, asker }: { signal: WakeSignal; wake: Wake; asker: string }) {
  const { kind, key, rule, body } = signal;
  const given = kind === 'event' ? body.payload : kind === 'timer' ? body.input : key === wake.reason_id ? null : body; // what it was asked with stands above
  const hasMore = given !== undefined && given !== null && Object.keys(given).length > 0;
  const words = seen(signalWords(signal, asker));
  const isKnown = kind === 'event' || kind === 'notification'; // its way is in the ledger
  return (
    <li class={kind}>
      <p class="facts">
        <strong>{isKnown ? <a href={hrefOf('ledger', key)}>{words}</a> : words}</strong>
        {kind === 'event' && body.severity && <Severity level={String(body.severity)} />}
        {kind === 'event' && body.source && <span>{seen(String(body.source))}</span>}
        <time dateTime={signal.came_at}>{moment(signal.came_at)}</time>
        {rule && kind === 'event' && <a href={hrefOf('agents', wake.agent_id, { rule })}>by a subscription</a>}
      </p>
      {hasMore && <Values value={given} />}
      {kind === 'event' && !body.type && <p class="quiet">It is too large to be kept here.</p>}
    </li>
  );
}
