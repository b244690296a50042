// The whole way of a notification or an event: who made it, who was told, and why.
import { useState } from 'preact/hooks';
import type { Notification } from 'belfry-client/wire';
import { belfry, words } from '../access';
import { Icon } from '../parts/icons';
import { Empty, Id, Priority, Severity, State, Trouble } from '../parts/marks';
import { duration, moment } from '../parts/time';
import { Content } from '../parts/toon_view';
import { useReading } from '../parts/use_reading';
import { Values } from '../parts/values';
import { go, hrefOf } from '../route';

interface Step { at: string; from: string; to: string; lease: number; holder: string | null; reason: string }
interface Told { notification: Notification; as_repeat: boolean; steps: Step[] }

export function Way({ id, back, again: reread }: { id: string; back: string; again: () => void }) {
  const { value, trouble, again } = useReading(() => belfry().why(id), [id], 3000);
  return (
    <article class="way">
      <a class="back" href={back}><Icon name="back" />Ledger</a>
      {!value && (trouble ? <Trouble text={trouble} retry={again} /> : <p class="reading">Reading…</p>)}
      {value && (
        <>
          {value.event && <EventFacts event={value.event} sequence={value.sequence} />}
          {value.reached_nobody && <p class="trouble">It reached nobody: {value.reached_nobody}</p>}
          {value.subscribers.length > 0 && (
            <section><h3>Subscribers</h3><ul class="verdicts">{value.subscribers.map((one: any) => <li key={one.id}><code>{one.id}</code> <span class={one.verdict === 'wants' ? 'good' : 'quiet'}>{one.verdict.replaceAll('_', ' ')}</span></li>)}</ul></section>
          )}
          {value.waiting.map((one: any) => <p key={one.subscriber} class="quiet">Waits with {one.subscriber} ({one.count}) until {moment(one.until)}</p>)}
          {value.notifications.map((told: Told) => <OneWay key={told.notification.id} told={told} reread={reread} />)}
          {value.notifications.length === 0 && !value.event && <Empty title="Nothing is known of it" />}
        </>
      )}
    </article>
  );
}

function EventFacts({ event, sequence }: { event: any; sequence: number }) {
  return (
    <section class="event-facts">
      <h2>{event.type}</h2>
      <p class="facts"><Severity level={event.severity} /><span>{event.source}</span><span>#{sequence}</span><time dateTime={event.timestamp}>{moment(event.timestamp)}</time></p>
      {Object.keys(event.payload).length > 0 && <Values value={event.payload} />}
    </section>
  );
}

function OneWay({ told: { notification: row, as_repeat, steps }, reread }: { told: Told; reread: () => void }) {
  return (
    <section class="one-way">
      <header>
        <h2>{row.narration ?? row.text.split('\n')[0]}</h2>
        <p class="facts"><State of={row.state} /><Priority level={row.priority} /><Severity level={row.severity} /><span>for the {row.target}, said by the {row.handler}</span>{row.session_id && <a href={hrefOf('conversation', row.session_id)}>{row.session_id}</a>}</p>
        {as_repeat && <p class="quiet">This event is in it as a repeat.</p>}
      </header>
      {row.state === 'failed' && <Retry row={row} reread={reread} />}
      {row.content && row.content !== row.text && <Content text={row.content} />}
      <ol class="steps" aria-label="Steps">
        {steps.map((step, at) => (
          <li key={at} class={step.to}>
            <i aria-hidden="true" />
            <p><strong>{step.from === step.to ? step.to : `${step.from} → ${step.to}`}</strong> <span class="reason">{step.reason.replaceAll('_', ' ')}</span></p>
            <p class="quiet"><time dateTime={step.at}>{moment(step.at)}</time>{at > 0 && ` · ${duration(Date.parse(step.at) - Date.parse(steps[at - 1]!.at))} later`}{step.holder && ` · ${step.holder}`} · lease {step.lease}</p>
          </li>
        ))}
      </ol>
      <dl class="particulars">
        {row.subscriber && <div><dt>Made by</dt><dd><a href={hrefOf('subscribers', row.subscriber)}>{row.subscriber}</a></dd></div>}
        {!row.subscriber && row.emitter && <div><dt>Made by</dt><dd>{row.emitter}</dd></div>}
        {row.user_id && <div><dt>User</dt><dd>{row.user_id}</dd></div>}
        {row.deadline && <div><dt>Deadline</dt><dd>{moment(row.deadline)}</dd></div>}
        {row.directive && <div><dt>Directive</dt><dd>{row.directive}</dd></div>}
        {row.retry_of && <div><dt>Retry of</dt><dd><a href={hrefOf('ledger', row.retry_of)}>…{row.retry_of.slice(-8)}</a></dd></div>}
        {row.caused_by && <div><dt>Caused by</dt><dd><a href={hrefOf('ledger', row.caused_by)}>…{row.caused_by.slice(-8)}</a></dd></div>}
        {row.events.length > 0 && <div><dt>Events</dt><dd>{row.events.map((event: any) => <a key={event.id} class="event-link" href={hrefOf('ledger', event.id)}>#{event.sequence}{event.count > 1 && ` ×${event.count}`}</a>)}</dd></div>}
        <div><dt>Id</dt><dd><Id id={row.id} /> version {row.version}</dd></div>
      </dl>
    </section>
  );
}

export function Retry({ row, reread }: { row: Notification; reread: () => void }) {
  const [trouble, setTrouble] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    try {
      const made = await belfry().retryNotification(row.id);
      reread();
      go('ledger', made.id);
    } catch (failure) {
      setTrouble(words(failure));
    }
    setBusy(false);
  };
  return (
    <div class="retry">
      <p>{row.outcome ? `It failed: ${row.outcome.replaceAll('_', ' ')}.` : 'It failed.'}</p>
      <button type="button" class="primary" disabled={isBusy} onClick={() => void send()}>Send it again</button>
      {trouble && <Trouble text={trouble} />}
    </div>
  );
}
