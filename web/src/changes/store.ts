// What agents propose to the person whose inbox this is. The line of the inbox tells of each set that grows or is decided; lists fill
// in what was before, and what happened while the line was down.
import { signal } from '@preact/signals';
import { BelfryError } from 'belfry-client';
import type { ChangeSetHead } from 'belfry-client/wire';
import { belfry, token } from '../access';
import { progressOf } from './words';

const PAGE = 1000; // no more of them can be open
const PAGES_MAX = 10;

const heads = signal<ReadonlyMap<string, ChangeSetHead>>(new Map());

export const headOf = (id: string) => heads.value.get(id);
/** Newest first. */
export const allSets = () => [...heads.value.values()].sort((a, b) => b.number - a.number);
export const openSets = () => allSets().filter(({ state }) => state === 'open');

/** In whatever order they come: what is further counts. */
export function takeSets(came: ChangeSetHead[]) {
  const next = new Map(heads.peek());
  for (const one of came) {
    const known = next.get(one.id);
    if (!known || progressOf(one) > progressOf(known)) next.set(one.id, one);
  }
  heads.value = next;
}

/** One that is gone, or that was decided while nobody listened. */
async function lookAfter({ id }: ChangeSetHead) {
  try {
    takeSets([await belfry().changeSet(id)]);
  } catch (failure) {
    if (!(failure instanceof BelfryError) || failure.status !== 404) throw failure;
    const next = new Map(heads.peek());
    next.delete(id);
    heads.value = next;
  }
}

/** What waits for this person now. */
export async function readOpenSets(user: string) {
  const mine = token.peek();
  const { data } = await belfry().changeSets({ user, limit: PAGE });
  if (token.peek() !== mine) return;
  takeSets(data);
  const there = new Set(data.map(({ id }) => id));
  await Promise.all([...heads.peek().values()].filter(({ id, state }) => state === 'open' && !there.has(id)).map(lookAfter));
}

/** Those that were decided, too; whether these are all. */
export async function readAllSets(user: string): Promise<boolean> {
  const mine = token.peek();
  let after: number | undefined;
  for (let page = 0; page < PAGES_MAX; ++page) {
    const found = await belfry().changeSets({ user, state: 'all', limit: PAGE, after });
    if (token.peek() !== mine) return true;
    takeSets(found.data);
    if (!found.has_more) return true;
    after = Number(found.next);
  }
  return false;
}

export function forgetSets() {
  heads.value = new Map();
}
