// The tree of a conversation's nodes as rows: a branch is set in by one step, what follows in one line is not.
import type { Node } from './shapes';

export interface TreeRow { node: Node; depth: number; label: string; isFork: boolean; goesOn: boolean }

export function rowsOf(nodes: Node[]): TreeRow[] {
  const known = new Set(nodes.map((node) => node.id));
  const below = new Map<string | null, Node[]>();
  for (const node of nodes) {
    const parent = node.parent_id !== null && known.has(node.parent_id) ? node.parent_id : null;
    const siblings = below.get(parent);
    if (siblings) siblings.push(node);
    else below.set(parent, [node]);
  }
  const rows: TreeRow[] = [];
  // A conversation may be deeper than a stack of calls.
  const open = (below.get(null) ?? []).map((node) => ({ node, depth: 0 })).reverse();
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, depth } = next;
    const children = below.get(node.id) ?? [];
    const isFork = children.length > 1;
    if (!(isEmpty(node) && node.parent_id === null && !isFork)) rows.push({ node, depth, label: labelOf(node), isFork, goesOn: children.length === 1 });
    for (const child of [...children].reverse()) open.push({ node: child, depth: isFork ? depth + 1 : depth });
  }
  return rows;
}

const isEmpty = (node: Node) => node.messages.length === 0 && node.system_messages.length === 0;

export function labelOf(node: Node): string {
  const message = node.messages.find((one) => one.role === 'user') ?? node.messages[0];
  const text = message?.content ?? node.system_messages[0]?.text ?? 'The beginning';
  return text.replace(/\s+/g, ' ').slice(0, 80);
}

/** Whether two nodes have one parent. */
export function isBranched(nodes: Node[]): boolean {
  const parents = nodes.map((node) => node.parent_id).filter((id) => id !== null);
  return new Set(parents).size < parents.length;
}

/** The ids from the root to a node. */
export function pathTo(nodes: Node[], leaf: string | null): Set<string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const path = new Set<string>();
  for (let id = leaf; id !== null && !path.has(id); id = byId.get(id)?.parent_id ?? null) path.add(id);
  return path;
}

/** The newest node below one: where the branch that goes through it ends. */
export function leafBelow(nodes: Node[], from: string): string {
  const newest = new Map<string, Node>();
  for (const node of nodes) if (node.parent_id !== null) newest.set(node.parent_id, node);
  let at = from;
  for (let next = newest.get(at); next; next = newest.get(at)) at = next.id;
  return at;
}
