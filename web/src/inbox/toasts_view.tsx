import { answer, openQuestions } from '../conversation/questions';
import { Icon } from '../parts/icons';
import { Ago } from '../parts/marks';
import { go, hrefOf, route } from '../route';
import { useInSight } from './in_sight';
import { type Item, sourceOf, spoken, titleOf } from './item';
import { acknowledge, mark } from './store';
import { dropToast, hiddenToasts, toasts } from './toasts';

export function Toasts() {
  const asked = openQuestions().filter((one) => !(route.value.page === 'conversation' && route.value.id === one.session_id));
  return (
    <div class="toasts" role="region" aria-label="New notifications">
      <div aria-live="assertive">
        {toasts.value.map(({ item, isLeaving }) => <Toast key={`${item.id}.${item.owner_lease}.${item.version}`} item={item} isLeaving={isLeaving} />)}
      </div>
      {hiddenToasts.value > 0 && <a class="more" href={hrefOf('inbox', null, { show: 'unread' })}>{hiddenToasts.value} more in the inbox</a>}
      <div aria-live="polite">
        {asked.slice(0, 2).map((one) => (
          <div key={one.id} class="toast asks">
            <p class="toast-head"><strong>{one.kind === 'confirmation' ? `May ${one.tool_name ?? 'a tool'} be used?` : 'An agent asks'}</strong><a href={hrefOf('conversation', one.session_id)}>Open</a></p>
            <p>{one.message}</p>
            {one.kind === 'confirmation' && (
              <p class="toast-tools">
                <button type="button" class="primary" onClick={() => void answer(one.id, { decision: 'allow_once' }).catch(() => {})}>Allow once</button>
                <button type="button" onClick={() => void answer(one.id, { decision: 'deny' }).catch(() => {})}>Deny</button>
              </p>
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

function Toast({ item, isLeaving }: { item: Item; isLeaving: boolean }) {
  const element = useInSight(item.id, item.version);
  const open = () => {
    acknowledge(item.id, 'clicked');
    dropToast(item.id);
    go('inbox', item.id);
  };
  const title = titleOf(item);
  const said = spoken(item);
  return (
    <div ref={element} data-notification={item.id} class={`toast ${item.priority}${isLeaving ? ' leaving' : ''}`}>
      <p class="toast-head">
        <strong>{title}</strong><Ago at={item.timestamp} />
        <button type="button" class="plain" aria-label={`Dismiss: ${title}`} onClick={() => { dropToast(item.id); void mark(item.id, 'dismissed').catch(() => {}); }}><Icon name="close" /></button>
      </p>
      {said !== title && <p class="toast-text">{said}</p>}
      <p class="toast-tools"><span class="quiet">{item.priority} · {sourceOf(item)}</span><button type="button" class="link" onClick={open}>Open</button></p>
    </div>
  );
}
