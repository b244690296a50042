import type { TimerFiring } from 'belfry-client/wire';
import { Until } from '../parts/marks';
import { moment } from '../parts/time';
import { firingWords, noteWords } from './words';

/** The next firings in the wall time of the zone; the reader's own on hover. */
export function Firings({ next, zone }: { next: TimerFiring[]; zone: string | null }) {
  if (next.length === 0) return <p class="quiet">It does not fire any more.</p>;
  return (
    <ol class="firings" aria-label={`Next firings, ${zone ?? 'UTC'}`}>
      {next.map((one, at) => (
        <li key={one.at}>
          <time dateTime={one.at} title={`${moment(one.at)} here`}>{firingWords(one)}</time>
          {at === 0 && <span class="quiet"><Until at={one.at} /></span>}
          {one.note && <span class="note">{noteWords(one.note)}</span>}
        </li>
      ))}
    </ol>
  );
}
