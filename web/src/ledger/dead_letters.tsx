import { useState } from 'preact/hooks';
import { BelfryError } from 'belfry-client';
import type { Notification, SinkCall } from 'belfry-client/wire';
import { belfry, words } from '../access';
import { ownOnly } from '../connection';
import { Ago, Empty, Trouble } from '../parts/marks';
import { useReading } from '../parts/use_reading';
import { hrefOf } from '../route';

const LOOK_MS = 5000;

/** A token of a person may not read the calls of sinks: then there are none to show. */
async function givenUp(): Promise<SinkCall[]> {
  try {
    return (await belfry().givenUpCalls({ limit: 200 })).data;
  } catch (failure) {
    if (failure instanceof BelfryError && failure.code === 'forbidden') return [];
    throw failure;
  }
}

const read = async (search: string) => ({
  letters: (await belfry().deadLetters({ order: 'newest', limit: 500, ...ownOnly(), ...(search ? { search } : {}) })).data,
  calls: await givenUp(),
});

export function DeadLetters({ search, again: reread }: { search: string; again: () => void }) {
  const { value, trouble, again } = useReading(() => read(search), [search], LOOK_MS);
  const letters = value?.letters ?? [];
  const both = () => { again(); reread(); };
  return (
    <div class="dead" tabIndex={0} role="region" aria-label="Dead letters">
      {trouble && <Trouble text={trouble} retry={again} />}
      {value && letters.length === 0 && value.calls.length === 0 && <Empty title={search ? 'No dead letter matches' : 'No dead letters'}>{!search && 'Everything was delivered, or is still on its way.'}</Empty>}
      <ul>{letters.map((row) => <Letter key={row.id} row={row} again={both} />)}</ul>
      {value && value.calls.length > 0 && <><h3>Calls of sinks that were given up</h3><ul>{value.calls.map((call) => <Call key={call.id} call={call} again={both} />)}</ul></>}
    </div>
  );
}

function Letter({ row, again }: { row: Notification; again: () => void }) {
  return (
    <li class="letter">
      <div><a href={hrefOf('ledger', row.id, { tab: 'dead' })}>{row.text.split('\n')[0]}</a><p class="quiet">{(row.outcome ?? 'failed').replaceAll('_', ' ')} · <Ago at={row.ended_at ?? row.created_at} />{row.subscriber && ` · ${row.subscriber}`}</p></div>
      <Again label={`Retry: ${row.text}`} act={async () => { await belfry().retryNotification(row.id); again(); }} />
    </li>
  );
}

function Call({ call, again }: { call: SinkCall; again: () => void }) {
  return (
    <li class="letter">
      <div><a href={hrefOf('ledger', call.notification_id, { tab: 'dead' })}>{call.sink}</a><p class="quiet">{call.error} · {call.attempts} attempts · <Ago at={call.given_up_at} /></p></div>
      <Again label={`Retry the call of ${call.sink}`} act={async () => { await belfry().retryCall(call.id); again(); }} />
    </li>
  );
}

function Again({ label, act }: { label: string; act: () => Promise<void> }) {
  const [state, setState] = useState<'idle' | 'busy' | 'sent'>('idle');
  const [trouble, setTrouble] = useState<string | null>(null);
  const go = async () => {
    setState('busy');
    try {
      await act();
      setState('sent');
    } catch (failure) {
      setTrouble(words(failure));
      setState('idle');
    }
  };
  return <div class="again"><button type="button" aria-label={label} disabled={state !== 'idle'} onClick={() => void go()}>{state === 'sent' ? 'Sent again' : 'Retry'}</button>{trouble && <Trouble text={trouble} />}</div>;
}
