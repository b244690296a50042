import { useState } from 'preact/hooks';
import { words } from '../access';
import { Icon } from '../parts/icons';
import { Id, Priority, Severity, State, Trouble } from '../parts/marks';
import { moment } from '../parts/time';
import { Content } from '../parts/toon_view';
import { Values } from '../parts/values';
import { hrefOf } from '../route';
import { type Item, sourceOf, spoken, titleOf } from './item';
import { mark } from './store';

export function Detail({ item, back }: { item: Item; back: string }) {
  const [trouble, setTrouble] = useState<string | null>(null);
  const put = (what: 'acted' | 'dismissed') => {
    setTrouble(null);
    mark(item.id, what).catch((failure) => setTrouble(words(failure)));
  };
  const said = spoken(item);
  const title = titleOf(item);
  const hasContent = item.content && item.content !== item.text;
  const metadata = Object.fromEntries(Object.entries(item.metadata).filter(([name]) => name !== 'title' && name !== 'topic'));
  return (
    <article class="notification">
      <a class="back" href={back}><Icon name="back" />Inbox</a>
      <header>
        <h2>{title}</h2>
        <p class="facts"><Priority level={item.priority} /><Severity level={item.severity} /><span>{sourceOf(item)}</span><time dateTime={item.timestamp}>{moment(item.timestamp)}</time></p>
      </header>
      {trouble && <Trouble text={trouble} />}
      {said !== title && <p class="said">{said}</p>}
      {hasContent && <section><h3>What the agent reads</h3><Content text={item.content} /></section>}
      {item.narrated && item.replaced_text && <section><h3>Instead of</h3><p class="said quiet">{item.replaced_text}</p></section>}
      <p class="actions">
        <button type="button" class="primary" disabled={item.acted_at !== null} onClick={() => put('acted')}>{item.acted_at ? 'Done' : 'Mark as done'}</button>
        <button type="button" disabled={item.dismissed_at !== null} onClick={() => put('dismissed')}>{item.dismissed_at ? 'Dismissed' : 'Dismiss'}</button>
        {typeof item.metadata.change_set_id === 'string' && <a class="button" href={hrefOf('changes', item.metadata.change_set_id)}>Look at the changes</a>}
        {item.session_id && <a class="button" href={hrefOf('conversation', item.session_id)}>Open the conversation</a>}
        <a class="button" href={hrefOf('ledger', item.id)}>Why did I get this?</a>
      </p>
      <dl class="particulars">
        <div><dt>State</dt><dd><State of={item.state} /></dd></div>
        <div><dt>Seen</dt><dd>{item.seen_at ? moment(item.seen_at) : 'not yet'}</dd></div>
        {item.acted_at && <div><dt>Done</dt><dd>{moment(item.acted_at)}</dd></div>}
        {item.dismissed_at && <div><dt>Dismissed</dt><dd>{moment(item.dismissed_at)}</dd></div>}
        <div><dt>Way</dt><dd>{item.channel === 'inbox' ? 'to the inbox' : 'into the conversation'}, for the {item.routing.target}, said by the {item.routing.handler}</dd></div>
        <div><dt>Id</dt><dd><Id id={item.id} /> lease {item.owner_lease}, version {item.version}</dd></div>
      </dl>
      {Object.keys(metadata).length > 0 && <section><h3>Particulars</h3><Values value={metadata} /></section>}
    </article>
  );
}
