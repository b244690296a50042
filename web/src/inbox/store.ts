// A person's inbox in this tab. The daemon's line tells what comes; lists are read to fill in what was before and what happened
// while the line was down. Nothing is kept twice: an id is one item, whoever told of it.
import { computed, effect, signal, untracked } from '@preact/signals';
import { BelfryError } from 'belfry-client';
import { belfry, isNoAccess, signOut, token } from '../access';
import { askPulse, epoch, line } from '../connection';
import { forgetSets, readOpenSets, takeSets } from '../changes/store';
import { forgetQuestions, takeInteraction } from '../conversation/questions';
import { type Item, isNewer, isUnread, merged, needsAck } from './item';
import { closeToast, forgetToasts, toastFor } from './toasts';

const PAGE = 1000;
const ITEMS_MAX = 20_000; // what lies further back is found in the ledger
const PAUSE_MS = 1500;
const SOON_MS = 200;
const AGAIN_MS = 5000;

const items = new Map<string, Item>();
/** Newest first. Ids grow with time. */
let order: string[] = [];
/** What this tab has shown, and under which lease: it is acknowledged once, and again where the word was lost. */
const shown = new Map<string, Shown>();
interface Shown { lease: number; version: number; how: 'rendered' | 'clicked' }

export const changed = signal(0);
export const isLoaded = signal(false);
export const owner = signal<string | null>(null);
export const unread = computed(() => {
  void changed.value;
  let count = 0;
  for (const item of items.values()) if (isUnread(item)) ++count;
  return count;
});

export const itemOf = (id: string) => items.get(id);
export const allItems = (): Item[] => order.map((id) => items.get(id)!);

// Other tabs hear of marks at once, not only when the daemon has told them.
const tabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('belfry.inbox');

let isDrawing = false;

/** One redraw for all that came together. */
function draw() {
  if (isDrawing) return;
  isDrawing = true;
  const show = () => {
    isDrawing = false;
    ++changed.value;
  };
  if (document.hidden) setTimeout(show, 50);
  else requestAnimationFrame(show);
}

function place(id: string) {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order[middle]! > id) low = middle + 1;
    else high = middle;
  }
  order.splice(low, 0, id);
}

function put(came: Partial<Item> & { id: string }): Item {
  const before = items.get(came.id);
  const item = merged(before, came);
  items.set(item.id, item);
  if (!before) place(item.id);
  if (!needsAck(item) || item.dismissed_at) closeToast(item.id, item);
  draw();
  return item;
}

function takeNotification(came: Item, isNews: boolean) {
  const before = items.get(came.id);
  const isFresh = !before || isNewer(came.owner_lease, came.version, before);
  const item = put(came);
  const mine = shown.get(item.id);
  if (mine && mine.lease === item.owner_lease && mine.version === item.version && needsAck(item)) void sendAck(item.id);
  if (isNews && isFresh && needsAck(item)) toastFor(item);
}

function takeState({ id, ...message }: Record<string, any>) {
  if (!items.has(id)) return catchUpSoon(); // it has just become the person's
  const { state, owner_lease, version, seen_at, acted_at, dismissed_at } = message;
  put({ id, state, owner_lease, version, seen_at, acted_at, dismissed_at });
}

let soon: ReturnType<typeof setTimeout> | undefined;

function catchUpSoon() {
  soon ??= setTimeout(() => {
    soon = undefined;
    catchUp().catch(() => { if (line.value === 'live') setTimeout(catchUpSoon, PAUSE_MS); });
  }, SOON_MS);
}

/** What happened while nobody listened: pages are read until one brings nothing new. */
async function catchUp() {
  const mine = token.peek();
  let before: number | undefined;
  for (let read = 0; read < ITEMS_MAX; read += PAGE) {
    const page = await belfry().inbox({ limit: read === 0 ? 200 : PAGE, before });
    if (token.peek() !== mine) return;
    owner.value = page.user_id;
    const isNews = page.data.map((entry: any) => {
      const known = items.get(entry.id);
      const item = put(entry);
      return !known || known.state !== item.state || known.seen_at !== item.seen_at || known.dismissed_at !== item.dismissed_at;
    }).includes(true);
    if (!page.has_more || (isLoaded.value && !isNews)) break;
    before = page.next;
  }
  isLoaded.value = true;
  if (owner.value !== null) await readOpenSets(owner.value);
}

async function follow(signal: AbortSignal) {
  // What waits when we come is in the list already; only what comes later is called out.
  let isNews = isLoaded.value;
  for await (const message of belfry().followInbox({ via: 'websocket', signal, onLost: () => { line.value = 'lost'; askPulse(); } })) {
    if (line.value !== 'live') {
      line.value = 'live';
      askPulse();
    }
    if (message.type === 'notification') takeNotification(message as unknown as Item, isNews);
    else if (message.type === 'notification_state') takeState(message);
    else if (message.type === 'interaction' || message.type === 'interaction_state') takeInteraction(message);
    else if (message.type === 'change_set') takeSets([message.change_set]);
    else if (message.type === 'caught_up') {
      isNews = true;
      catchUpSoon();
    } else if (message.type === 'gap') catchUpSoon();
  }
}

async function stayWith(signal: AbortSignal) {
  while (!signal.aborted) {
    try {
      await follow(signal);
    } catch (failure) {
      if (signal.aborted) return; // somebody else may be signed in by now
      if (isNoAccess(failure)) return signOut('This access token is not valid any more.');
      line.value = 'lost';
      if (failure instanceof BelfryError && failure.code === 'forbidden') return signOut('This access token has no inbox: it needs the role user, service or admin.');
    }
    if (!signal.aborted) await new Promise((resolve) => { setTimeout(resolve, PAUSE_MS); });
  }
}

function forget() {
  items.clear();
  order = [];
  shown.clear();
  forgetQuestions();
  forgetSets();
  isLoaded.value = false;
  ++changed.value;
  owner.value = null;
  forgetToasts();
}

export function startInbox() {
  effect(() => {
    void token.value;
    untracked(forget);
  });
  effect(() => {
    void epoch.value;
    if (!token.value) return undefined;
    const stop = new AbortController();
    untracked(() => void stayWith(stop.signal));
    return () => stop.abort();
  });
  tabs?.addEventListener('message', ({ data }) => { if (items.has(data.id)) put(data); });
}

async function sendAck(id: string) {
  const mine = shown.get(id)!;
  const { lease, version, how } = mine;
  try {
    put({ ...marksOf(await belfry().acknowledgeNotification(id, { lease, version, how })), id });
  } catch (failure) {
    // A stale one: the newer comes, or has come. A lost one is sent again after a while, as long as it still waits.
    if (failure instanceof BelfryError && failure.status === 409) put({ ...marksOf(await belfry().notification(id)), id });
    else if (failure instanceof BelfryError && failure.mayPass) setTimeout(() => again(id, mine), AGAIN_MS);
  }
}

function again(id: string, mine: Shown) {
  const item = items.get(id);
  if (shown.get(id) === mine && item && needsAck(item)) void sendAck(id).catch(() => {});
}

function marksOf(row: Record<string, any>): Partial<Item> {
  const { state, version, seen_at, acted_at, dismissed_at, narration } = row;
  return { state, version, owner_lease: row.lease, seen_at, acted_at, dismissed_at, narration };
}

/** It was in sight for long enough, or opened. To the daemon `clicked` means that the person has dealt with it: that is a mark here. */
export function acknowledge(id: string) {
  const item = items.get(id);
  if (!item) return;
  if (!needsAck(item)) {
    if (isUnread(item)) void mark(id, 'seen').catch(() => {}); // an agent has said it: nobody waits for a word, but it was read now
    return;
  }
  const mine = shown.get(id);
  if (mine && mine.lease === item.owner_lease && mine.version === item.version) return;
  shown.set(id, { lease: item.owner_lease, version: item.version, how: 'rendered' });
  void sendAck(id).catch(() => {});
}

/** What the person does with it; shown at once, and taken back where the daemon refuses. */
export async function mark(id: string, what: 'seen' | 'acted' | 'dismissed') {
  const before = items.get(id);
  if (!before || before[`${what}_at`]) return;
  const at = new Date().toISOString();
  const change = { id, seen_at: before.seen_at ?? at, ...(what === 'seen' ? {} : { [`${what}_at`]: at }) };
  put(change);
  try {
    if (needsAck(before)) {
      shown.set(id, { lease: before.owner_lease, version: before.version, how: what === 'acted' ? 'clicked' : 'rendered' });
      await sendAck(id);
    }
    await belfry().markNotification(id, what);
    tabs?.postMessage(change);
  } catch (failure) {
    shown.delete(id);
    items.set(id, before);
    draw();
    throw failure;
  }
}
