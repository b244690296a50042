import { useState } from 'preact/hooks';
import type { Interaction } from 'belfry-client/wire';
import { words } from '../access';
import { answer, openQuestions } from '../conversation/questions';
import { Icon } from '../parts/icons';
import { Ago, Trouble } from '../parts/marks';
import { seen } from '../parts/seen';
import { go, hrefOf, route } from '../route';
import { useInSight } from './in_sight';
import { type Item, sourceOf, spoken, titleOf } from './item';
import { acknowledge, mark } from './store';
import { dropToast, hiddenToasts, toasts } from './toasts';

export function Toasts() {
  const [later, setLater] = useState<string[]>([]);
  // The conversations themselves tell who asks, in their list and above what is said.
  const asked = route.value.page === 'conversation' ? [] : openQuestions().filter((one) => !later.includes(one.id));
  return (
    <div class="toasts" role="region" aria-label="New notifications">
      <div aria-live="assertive">
        {toasts.value.map(({ item }) => <Toast key={`${item.id}.${item.owner_lease}.${item.version}`} item={item} />)}
      </div>
      {hiddenToasts.value > 0 && <a class="more" href={hrefOf('inbox', null, { show: 'unread' })}>{hiddenToasts.value} more in the inbox</a>}
      <div aria-live="polite">
        {asked.slice(0, 2).map((one) => <Asked key={one.id} question={one} later={() => setLater([...later, one.id])} />)}
      </div>
    </div>
  );
}

function Asked({ question, later }: { question: Interaction; later: () => void }) {
  const [trouble, setTrouble] = useState<string | null>(null);
  const give = (decision: 'allow_once' | 'deny') => {
    setTrouble(null);
    answer(question.id, { decision }).catch((failure) => setTrouble(words(failure)));
  };
  const isConfirmation = question.kind === 'confirmation';
  return (
    <div class="toast asks">
      <p class="toast-head"><strong>{isConfirmation ? `May ${seen(question.tool_name ?? 'a tool')} be used?` : 'An agent asks'}</strong><button type="button" class="plain" aria-label="Later" onClick={later}><Icon name="close" /></button></p>
      <p class="toast-text">{seen(question.message)}</p>
      {trouble && <Trouble text={trouble} />}
      <p class="toast-tools">
        {isConfirmation && <button type="button" class="primary" onClick={() => give('allow_once')}>Allow once</button>}
        {isConfirmation && <button type="button" onClick={() => give('deny')}>Deny</button>}
        <a class="button" href={hrefOf('conversation', question.session_id)}>Open</a>
      </p>
    </div>
  );
}

function Toast({ item }: { item: Item }) {
  const element = useInSight(item.id, item.version);
  const open = () => {
    acknowledge(item.id);
    dropToast(item.id);
    go('inbox', item.id);
  };
  const title = titleOf(item);
  const said = spoken(item);
  return (
    <div ref={element} data-notification={item.id} class={`toast ${item.priority}`}>
      <p class="toast-head">
        <strong>{title}</strong><Ago at={item.timestamp} />
        <button type="button" class="plain" aria-label={`Dismiss: ${title}`} onClick={() => { dropToast(item.id); void mark(item.id, 'dismissed').catch(() => {}); }}><Icon name="close" /></button>
      </p>
      {said !== title && <p class="toast-text">{said}</p>}
      <p class="toast-tools"><span class="quiet">{item.priority} · {sourceOf(item)}</span><button type="button" class="link" onClick={open}>Open</button></p>
    </div>
  );
}
