// One thing that a person is told, as the app keeps it. Pure: what comes, in whatever order and however often, makes one item.
import type { Priority, Severity } from 'belfry-client/wire';

export interface Item {
  id: string;
  session_id: string | null;
  content: string;
  text: string;
  routing: { address: string; target: string; handler: string };
  channel: string;
  metadata: Record<string, any>;
  priority: Priority;
  severity: Severity;
  owner_lease: number;
  version: number;
  state: string;
  timestamp: string;
  seen_at: string | null;
  acted_at: string | null;
  dismissed_at: string | null;
  narration: string | null;
  narrated?: boolean;
  replaced_text?: string;
  used_tools?: string[];
}

/** The greater lease counts, and of one lease the greater version. */
export function isNewer(lease: number, version: number, than: { owner_lease: number; version: number }): boolean {
  return lease > than.owner_lease || (lease === than.owner_lease && version > than.version);
}

const ENDED = new Set(['delivered', 'failed']);

/** What is known of it after this: marks never go back, and neither does an end. */
export function merged(before: Item | undefined, came: Partial<Item> & { id: string }): Item {
  if (!before) return { seen_at: null, acted_at: null, dismissed_at: null, narration: null, metadata: {}, ...came } as Item;
  const lease = came.owner_lease ?? before.owner_lease;
  const version = came.version ?? before.version;
  const isOld = isNewer(before.owner_lease, before.version, { owner_lease: lease, version });
  const told = isOld ? { ...came, ...before } : { ...before, ...came };
  const isSame = lease === before.owner_lease && version === before.version;
  if (isSame && ENDED.has(before.state)) told.state = before.state;
  told.seen_at = before.seen_at ?? came.seen_at ?? null;
  told.acted_at = before.acted_at ?? came.acted_at ?? null;
  told.dismissed_at = before.dismissed_at ?? came.dismissed_at ?? null;
  told.narration = came.narration ?? before.narration;
  return told;
}

export const isUnread = (item: Item) => item.seen_at === null && item.dismissed_at === null;
export const needsAck = (item: Item) => !ENDED.has(item.state);

/** The line above the text, where there is one. */
export function titleOf(item: Item): string {
  if (typeof item.metadata.title === 'string' && item.metadata.title) return item.metadata.title;
  const said = spoken(item);
  const end = said.indexOf('\n');
  return end < 0 ? said : said.slice(0, end);
}

/** What is shown: the agent's words, where it has spoken. */
export const spoken = (item: Item) => item.narration ?? item.text ?? item.content;

export function sourceOf(item: Item): string {
  if (item.narrated || item.narration) return 'said by the agent';
  if (item.state === 'escalated') return 'escalated: no agent spoke';
  const topic = item.metadata.topic ?? item.metadata.source;
  if (typeof topic === 'string' && topic) return topic;
  return item.session_id ? `conversation ${item.session_id}` : 'inbox';
}
