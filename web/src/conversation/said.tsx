import { useInSight } from '../inbox/in_sight';
import { Icon } from '../parts/icons';
import { Severity } from '../parts/marks';
import { clock } from '../parts/time';
import { Content } from '../parts/toon_view';
import { hrefOf } from '../route';
import type { Message, SystemMessage } from './shapes';

const WHO = { user: 'You', assistant: 'Agent', tool: 'Tool', system: 'System' };

export function MessageView({ message, isReceived, isWaiting }: { message: Message; isReceived: boolean; isWaiting: boolean }) {
  const isText = message.role === 'user' || message.role === 'assistant';
  return (
    <article class={`message ${message.role}`}>
      <header><span class="who">{WHO[message.role]}</span><time dateTime={message.created_at}>{clock(message.created_at)}</time>
        {isWaiting ? <span class="receipt waiting">waits for the agent</span> : isReceived && <span class="receipt"><Icon name="check" />received</span>}
      </header>
      {isText ? <p class="said">{message.content}</p> : <Content text={message.content} />}
    </article>
  );
}

/** What the system told the agent: quiet, with its source and how bad it is; the whole of it on demand. */
export function Pill({ message }: { message: SystemMessage }) {
  const element = useInSight(message.notification_id, 1);
  return (
    <details class={`pill ${message.severity}`}>
      <summary ref={element} data-notification={message.notification_id}>
        <i aria-hidden="true" /><span class="pill-source">{message.source}</span><Severity level={message.severity} />
        <span class="pill-text">{message.text}</span><time dateTime={message.timestamp}>{clock(message.timestamp)}</time>
      </summary>
      <div class="pill-body">
        <Content text={message.content} more={<a href={hrefOf('ledger', message.notification_id)}>Its whole way</a>} />
      </div>
    </details>
  );
}
