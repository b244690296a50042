// The pages in which a history comes, put together. Each has its oldest node first; a path is read from its end backwards, a tree from its
// beginning. A node too large for one answer comes in parts: several neighbours of one id, each with all of its system messages.
import type { Node } from './shapes';

export interface Page { data: Node[]; next: string | null; has_more: boolean }
/** What was read of a path, and the place where the part before it ends. */
export interface Stretch { nodes: Node[]; next: string | null }

export const NO_STRETCH: Stretch = { nodes: [], next: null };
const PAGES_BACK = 5; // that are read again until they meet what is shown

/** Each node once: its parts' messages one after another, its system messages as the last part has them. */
export function joined(parts: Node[]): Node[] {
  const nodes: Node[] = [];
  for (const part of parts) {
    const last = nodes.at(-1);
    if (last?.id === part.id) nodes[nodes.length - 1] = { ...part, messages: [...last.messages, ...part.messages] };
    else nodes.push(part);
  }
  return nodes;
}

/** With the page that lies before it. */
export function lengthened(page: Page, by: Stretch): Stretch {
  return { nodes: joined([...page.data, ...by.nodes]), next: page.has_more ? page.next : null };
}

/** With its end as it was read again; null where the two do not meet, because something may lie between them. */
export function renewed(shown: Stretch, end: Stretch): Stretch | null {
  const first = end.nodes[0];
  if (!first || shown.nodes.length === 0) return end;
  const at = shown.nodes.findIndex((node) => node.id === first.id);
  const was = shown.nodes[at];
  if (!was) return null;
  const before = shown.nodes.slice(0, at);
  const isPart = end.next?.startsWith(`${first.id}.`) ?? false;
  if (!isPart) return { nodes: [...before, ...end.nodes], next: at === 0 ? end.next : shown.next };
  const from = was.messages.findIndex((message) => message.id === first.messages[0]?.id);
  if (from < 0) return null;
  return { nodes: joined([...before, { ...was, messages: was.messages.slice(0, from) }, ...end.nodes]), next: shown.next };
}

/** The end of a path, and as much before it as lets it meet what is shown; where that is far away, so much only. */
export async function readEnd(read: (node: string | null) => Promise<Page>, shown: () => Stretch): Promise<Stretch> {
  let end = lengthened(await read(null), NO_STRETCH);
  for (let pages = 1; pages < PAGES_BACK && end.next !== null && !renewed(shown(), end); ++pages) end = lengthened(await read(end.next), end);
  return end;
}

/** All nodes in the order of their making. Of those known only the last may have grown, so it and what came after it is read. */
export async function readTree(read: (after: string | null) => Promise<Page>, known: Node[]): Promise<Node[]> {
  const last = known.at(-1);
  let after = known.at(-2)?.id ?? null;
  const parts = after === null ? [] : known.slice(0, -1);
  for (let isFirst = after !== null; ; isFirst = false) {
    const page = await read(after);
    if (isFirst && page.data[0]?.id !== last?.id) return readTree(read, []); // it is another tree
    parts.push(...page.data);
    if (!page.has_more) return joined(parts);
    after = page.next;
  }
}
