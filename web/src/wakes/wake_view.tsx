// One wake: why it came, signal by signal, and what became of it.
import { useState } from 'preact/hooks';
import type { Wake, WakeSignal } from 'belfry-client/wire';
import { belfry } from '../access';
import { owner } from '../inbox/store';
import { FormDialog } from '../parts/form_dialog';
import { field } from '../parts/field';
import { Icon } from '../parts/icons';
import { State, Trouble, Until, minute } from '../parts/marks';
import { duration, moment } from '../parts/time';
import { useReading } from '../parts/use_reading';
import { Values } from '../parts/values';
import { hrefOf, route } from '../route';
import { SignalView } from './signal_view';
import { useWakeNews } from './use_news';
import { endWords, isOver, reasonWords } from './words';

const LOOK_MS = 2000;
const SIGNALS = 50;

interface Found { wake: Wake; signals: WakeSignal[] }

async function read(id: number, count: number): Promise<Found> {
  const [wake, { data }] = await Promise.all([belfry().wake(id), belfry().wakeSignals(id, { limit: count })]);
  return { wake, signals: data };
}

export function WakeView({ id, names }: { id: number; names: Map<string, string> }) {
  const [count, setCount] = useState(SIGNALS);
  const { value, trouble, again, nudge } = useReading(() => read(id, count), [id, count], LOOK_MS);
  useWakeNews(nudge, (wake) => wake.id === id);
  if (!value) return trouble ? <Trouble text={trouble} retry={again} /> : <p class="reading">Reading…</p>;
  return <OneWake found={value} name={names.get(value.wake.agent_id) ?? value.wake.agent_id} again={again} onMore={() => setCount(1000)} />;
}

function OneWake({ found: { wake, signals }, name, again, onMore }: { found: Found; name: string; again: () => void; onMore: () => void }) {
  const { query } = route.value;
  const asker = wake.user_id === owner.value ? 'you' : wake.user_id;
  const ended = endWords(wake);
  return (
    <article class="record wake">
      <a class="back" href={hrefOf('wakes', null, { state: query.get('state'), agent: query.get('agent') })}><Icon name="back" />Wakes</a>
      <header>
        <h2>{name}: {reasonWords(wake, signals, owner.value)}</h2>
        <p class="facts"><State of={wake.state} /><span>#{wake.id}</span>
          {wake.state === 'queued' && <span>due <Until at={wake.due_at} /></span>}
          {wake.attempts > 0 && <span>{wake.attempts} {wake.attempts === 1 ? 'attempt' : 'attempts'}</span>}
          {wake.started_at && wake.ended_at && <span>{duration(Date.parse(wake.ended_at) - Date.parse(wake.started_at))}</span>}
          <a href={hrefOf('agents', wake.agent_id)}>Agent</a>
          {wake.run_id && <a href={hrefOf('runs', wake.run_id)}>Run #{wake.run_id}</a>}
          {wake.session_id && <a href={hrefOf('conversation', wake.session_id)}>{wake.session_id}</a>}
          {!isOver(wake) && <Cancel wake={wake} again={again} />}</p>
        {wake.error && <p class="trouble">{wake.error.type}: {wake.error.message}{!isOver(wake) && wake.state === 'queued' && <> It is tried again <Until at={wake.due_at} />.</>}</p>}
        {wake.state === 'queued' && Date.parse(wake.due_at) <= minute.value && <p class="quiet">It is due, and waits until a worker takes it.</p>}
        {ended && <p class="quiet">{ended}{wake.coalesced_into && <> <a href={hrefOf('wakes', wake.coalesced_into)}>Wake #{wake.coalesced_into}</a></>}</p>}
      </header>
      {Object.keys(wake.input).length > 0 && <section><h3>It was given</h3><Values value={wake.input} /></section>}
      <section aria-label="Signals">
        <h3>{wake.signals === 1 ? 'What woke it' : `What woke it, ${wake.signals} signals`}</h3>
        <ol class="signals">{signals.map((one, at) => <SignalView key={at} signal={one} wake={wake} asker={asker} />)}</ol>
        {signals.length === 0 && <p class="quiet">{wake.coalesced_into ? 'Its signals went with it.' : 'Nothing is kept of it.'}</p>}
        {signals.length < wake.signals && signals.length === SIGNALS && <button type="button" class="link" onClick={onMore}>Show more of them</button>}
      </section>
      <dl class="particulars">
        <div><dt>Came</dt><dd>{moment(wake.created_at)}</dd></div>
        <div><dt>Due</dt><dd>{moment(wake.due_at)}</dd></div>
        {wake.started_at && <div><dt>Started</dt><dd>{moment(wake.started_at)}</dd></div>}
        {wake.ended_at && <div><dt>Ended</dt><dd>{moment(wake.ended_at)}</dd></div>}
        {wake.holder && <div><dt>Worker</dt><dd>{wake.holder}{wake.fence > 0 && `, claim ${wake.fence}`}</dd></div>}
        {!isOver(wake) && wake.lease_until && <div><dt>Lease until</dt><dd>{moment(wake.lease_until)}</dd></div>}
        {!isOver(wake) && wake.deadline && <div><dt>Hung from</dt><dd>{moment(wake.deadline)}</dd></div>}
        {wake.priority !== 0 && <div><dt>Priority</dt><dd>{wake.priority}</dd></div>}
        <div><dt>User</dt><dd>{wake.user_id}</dd></div>
        <div><dt>Key</dt><dd><code>{wake.run_key}</code></dd></div>
        <div><dt>Thread</dt><dd><code>{wake.thread_id}</code></dd></div>
      </dl>
    </article>
  );
}

function Cancel({ wake, again }: { wake: Wake; again: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const cancel = async ({ reason }: { reason?: string }) => {
    await belfry().cancelWake(wake.id, reason ? { reason } : {});
    again();
  };
  return (
    <span class="control">
      <button type="button" class="danger" onClick={() => setAsking(true)}>Cancel wake</button>
      {isAsking && (
        <FormDialog title={`Cancel wake #${wake.id}?`} deed="Cancel the wake" leave="Let it be" isDanger fields={[field('reason', 'Why')]} send={cancel} onClose={() => setAsking(false)}>
          <p>{wake.run_id ? 'It ends, and its run with it.' : 'It ends before it has run.'} That cannot be taken back.</p>
        </FormDialog>
      )}
    </span>
  );
}
