import { Ago } from '../parts/marks';
import { useInSight } from './in_sight';
import { type Item, isUnread, sourceOf, spoken, titleOf } from './item';

export function ItemRow({ item }: { item: Item }) {
  const element = useInSight(item.id, item.version);
  const title = titleOf(item);
  const said = spoken(item);
  const second = said === title ? '' : said.startsWith(`${title}\n`) ? said.slice(title.length + 1) : said;
  return (
    <div ref={element} data-notification={item.id} class={`item ${item.priority}${isUnread(item) ? ' unread' : ''}${item.dismissed_at ? ' dismissed' : ''}`}>
      <i class="mark" aria-hidden="true" />
      <p class="item-title"><span>{title}</span><Ago at={item.timestamp} /></p>
      <p class="item-second">
        {item.priority !== 'normal' && <span class={`priority ${item.priority}`}>{item.priority}</span>}
        <span class="item-source">{sourceOf(item)}</span>
        {second && <span class="item-text">{second}</span>}
        {item.acted_at && <span class="done">done</span>}
        <span class="sr">{isUnread(item) ? 'unread' : 'seen'}</span>
      </p>
    </div>
  );
}
