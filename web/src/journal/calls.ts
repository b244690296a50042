// What the pages of the journal ask of the daemon: the client's own calls, with the types of each kind.
import { BelfryError } from 'belfry-client';
import type { JournalFilter, JournalLink, Page } from 'belfry-client/wire';
import { belfry } from '../access';
import { type Gathered, gathered } from './gather';
import type { AnyRecord, JournalState, Kind, Kinds } from './records';

const PAGE = 500;
const LINKS = 100;

const is = (failure: unknown, ...codes: string[]) => failure instanceof BelfryError && (codes.includes(failure.code) || codes.includes(failure.reason ?? ''));

/** Somebody else has changed it since it was read, or has made what was to be made. */
export const isStale = (failure: unknown) => is(failure, 'stale_revision', 'taken');

const SWITCHED_OFF: JournalState = { enabled: false, holds_anything: false, running: null };

export async function stateOfJournal(): Promise<JournalState> {
  try {
    return await belfry().journal() as JournalState;
  } catch (failure) {
    if (is(failure, 'journal_off')) return SWITCHED_OFF;
    throw failure;
  }
}

export const listOf = async <K extends Kind>(kind: K, query: JournalFilter = {}) => await belfry().records(kind, query) as Page<unknown> as Page<Kinds[K]>;
export const recordOf = async <K extends Kind>(kind: K, id: string) => await belfry().record(kind, id) as unknown as Kinds[K];
export const make = async <K extends Kind>(kind: K, fields: Partial<Kinds[K]>) => await belfry().createRecord(kind, fields) as unknown as Kinds[K];
export const change = async <K extends Kind>(kind: K, id: string, patch: Partial<Kinds[K]>) => await belfry().changeRecord(kind, id, patch) as unknown as Kinds[K];
export const remove = (kind: Kind, id: string, revision?: number) => belfry().deleteRecord(kind, id, { revision });

/** Newest first, as far as one look goes; `isEnough` of what was read so far. */
export const someOf = <K extends Kind>(kind: K, query: JournalFilter = {}, isEnough?: (read: Kinds[K][]) => boolean): Promise<Gathered<Kinds[K]>> =>
  gathered((after) => listOf(kind, { limit: PAGE, ...query, after }), isEnough);
export const allOf = async <K extends Kind>(kind: K, query: JournalFilter = {}): Promise<Kinds[K][]> => (await someOf(kind, query)).data;

/** What has all these words, of one kind or of all; newest first. */
export const foundBy = (words: string, kind: Kind | undefined, category: string | undefined, isEnough: (read: AnyRecord[]) => boolean): Promise<Gathered<AnyRecord>> =>
  gathered(async (after) => await belfry().searchJournal(words, { kind, category, after, limit: PAGE }) as Page<unknown> as Page<AnyRecord>, isEnough);

/** One that may not be there. */
export async function mayBe<K extends Kind>(kind: K, id: string): Promise<Kinds[K] | null> {
  try {
    return await recordOf(kind, id);
  } catch (failure) {
    if (is(failure, 'not_found', 'gone')) return null;
    throw failure;
  }
}

export async function linksOf(id: string): Promise<JournalLink[]> {
  const [from, to] = await Promise.all([belfry().recordLinks({ from_id: id, limit: LINKS }), belfry().recordLinks({ to_id: id, limit: LINKS })]);
  return [...from.data, ...to.data];
}
