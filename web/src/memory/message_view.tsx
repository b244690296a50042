// One message that an agent remembers: in a list, and as a whole.
import type { AgentMessage } from 'belfry-client/wire';
import { belfry } from '../access';
import { Dialog } from '../parts/dialog';
import { Id, Json, Trouble } from '../parts/marks';
import { seen } from '../parts/seen';
import { moment } from '../parts/time';
import { useReading } from '../parts/use_reading';
import { Values } from '../parts/values';
import { FATES, type Fate, aboutOf, clipped, isWhole, saidIn, threadWords } from './words';

/** Whether the agent is told of it, and if not, why. */
export function FateMark({ fate }: { fate: Fate | undefined }) {
  if (!fate) return null;
  return <span class={`fate ${fate === 'included' ? 'told' : 'untold'}`}>{fate === 'included' ? FATES[fate] : `left out: ${FATES[fate]}`}</span>;
}

interface RowProps { message: AgentMessage; fate?: Fate; note?: string; open: (id: string) => void }

export function MessageRow({ message, fate, note, open }: RowProps) {
  const about = aboutOf(message);
  const text = saidIn(message);
  return (
    <li class="remembered" data-entry={message.id} tabIndex={-1}>
      <p class="facts"><strong class="message-kind">{message.kind.replaceAll('_', ' ')}</strong>{about && <code>{seen(about)}</code>}<time dateTime={message.created_at}>{moment(message.created_at)}</time>
        {note && <span>{note}</span>}<FateMark fate={fate} />
        <button type="button" class="link" data-open aria-label={`The whole ${message.kind.replaceAll('_', ' ')} message of ${moment(message.created_at)}`} onClick={() => open(message.id)}>Whole</button></p>
      {isWhole(message) ? text && <p class="said">{seen(clipped(text))}</p> : <p class="quiet">It is long.</p>}
    </li>
  );
}

interface Props { agent: string; id: string; forget: (said: string) => void; onClose: () => void }

export function MessageDialog({ agent, id, forget, onClose }: Props) {
  const { value, trouble, again } = useReading(() => belfry().agentMessage(agent, id), [agent, id]);
  return (
    <Dialog title="A message" onClose={onClose}>
      {!value && (trouble ? <Trouble text={trouble} retry={again} /> : <p class="reading">Reading…</p>)}
      {value && <Whole agent={agent} message={value} />}
      {value && (
        <p class="actions">
          <button type="button" class="danger" onClick={() => forget(saidIn(value))}>Forget it…</button>
          <button type="button" onClick={onClose}>Close it</button>
        </p>
      )}
    </Dialog>
  );
}

function Whole({ agent, message }: { agent: string; message: AgentMessage }) {
  const { content, action, tool_result, metadata } = message;
  const error = tool_result?.error_message ?? metadata?.error_message;
  const isWords = saidIn(message) !== '' && (typeof content === 'string' || typeof content?.text === 'string');
  const about = aboutOf(message);
  const changed = tool_result?.changed_entity_ids ?? [];
  return (
    <div class="whole-message">
      {error && <p class="trouble">{seen(error)}</p>}
      {isWords && <p class="said" tabIndex={0} role="region" aria-label="What it says">{seen(typeof content === 'string' ? content : content.text)}</p>}
      {!isWords && saidIn(message) !== '' && (Array.isArray(content) ? <Json value={content} /> : <Values value={content} />)}
      {saidIn(message) === '' && <p class="quiet">There is nothing in it.</p>}
      <dl class="particulars">
        <div><dt>Kind</dt><dd>{message.kind.replaceAll('_', ' ')}{about && <> <code>{seen(about)}</code></>}</dd></div>
        <div><dt>When</dt><dd>{moment(message.created_at)}</dd></div>
        <div><dt>Thread</dt><dd>{seen(threadWords(agent, message.thread_id))}</dd></div>
        {changed.length > 0 && <div><dt>Changed</dt><dd>{seen(changed.join(', '))}</dd></div>}
        {action?.operation_id && <div><dt>Operation</dt><dd><code>{seen(action.operation_id)}</code></dd></div>}
        {message.tokens_approx !== undefined && <div><dt>Tokens</dt><dd class="number">about {message.tokens_approx}</dd></div>}
        <div><dt>Id</dt><dd><Id id={message.id} /></dd></div>
      </dl>
    </div>
  );
}
