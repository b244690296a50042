// Which items of the inbox are shown.
import { type Item, isUnread, spoken } from './item';

export interface Filter { show: string; priority: string; text: string }

const haystacks = new WeakMap<Item, string>();

/** What a search looks through. Items are replaced, never changed, so it is made once for each. */
function haystack(item: Item): string {
  let made = haystacks.get(item);
  if (made === undefined) {
    made = `${spoken(item)}\n${item.content}\n${item.session_id ?? ''}\n${item.metadata.title ?? ''}\n${item.metadata.topic ?? ''}`.toLowerCase();
    haystacks.set(item, made);
  }
  return made;
}

function isShown(item: Item, show: string): boolean {
  switch (show) {
    case 'unread': return isUnread(item);
    case 'acted': return item.acted_at !== null;
    case 'dismissed': return item.dismissed_at !== null;
    default: return item.dismissed_at === null;
  }
}

/** `kept` are those that this list has shown before: they do not vanish under the reader's eyes because they were read. */
export function chosen(items: Item[], { show, priority, text }: Filter, kept: Set<string>): Item[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return items.filter((item) => {
    const stays = show === 'unread' && kept.has(item.id) && item.dismissed_at === null;
    if (!stays && !isShown(item, show)) return false;
    if (priority && item.priority !== priority) return false;
    if (words.length > 0 && !words.every((word) => haystack(item).includes(word))) return false;
    if (show === 'unread') kept.add(item.id);
    return true;
  });
}
