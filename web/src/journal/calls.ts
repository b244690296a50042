// What the pages of the journal ask of the daemon.
import { BelfryError } from 'belfry-client';
import type { Page } from 'belfry-client/wire';
import { belfry } from '../access';
import type { JournalState, Kind, Kinds, Link } from './records';

const PAGE = 500;
const PAGES_MAX = 20;

export type Query = Record<string, string | number | boolean | undefined>;

const is = (failure: unknown, ...codes: string[]) => failure instanceof BelfryError && (codes.includes(failure.code) || codes.includes(failure.reason ?? ''));

/** Somebody else has changed it since it was read, or has made what was to be made. */
export const isStale = (failure: unknown) => is(failure, 'stale_revision', 'taken');

const SWITCHED_OFF: JournalState = { enabled: false, holds_anything: false, running: null };

export async function stateOfJournal(): Promise<JournalState> {
  try {
    return await raw('ask', 'GET', '');
  } catch (failure) {
    if (is(failure, 'journal_off')) return SWITCHED_OFF;
    throw failure;
  }
}

const raw = (how: 'ask' | 'once', method: string, path: string, body?: unknown): Promise<any> => (belfry() as any)[how](method, `/v1/journal${path}`, body);
const at = (kind: Kind, id: string) => `/${kind}/${encodeURIComponent(id)}`;
const asked = (query: Query) => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '').map(([name, value]) => [name, String(value)]);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
};

export const listOf = <K extends Kind>(kind: K, query: Query = {}): Promise<Page<Kinds[K]>> => raw('ask', 'GET', `/${kind}${asked(query)}`);
export const recordOf = <K extends Kind>(kind: K, id: string): Promise<Kinds[K]> => raw('ask', 'GET', at(kind, id));
export const make = <K extends Kind>(kind: K, fields: Partial<Kinds[K]>): Promise<Kinds[K]> => raw('once', 'POST', `/${kind}`, fields);
export const change = <K extends Kind>(kind: K, id: string, patch: Partial<Kinds[K]>): Promise<Kinds[K]> => raw('once', 'PATCH', at(kind, id), patch);
export const remove = (kind: Kind, id: string, revision?: number): Promise<void> => raw('once', 'DELETE', at(kind, id) + asked({ revision }));

/** Newest first; `isEnough` of what was read so far. */
export async function allOf<K extends Kind>(kind: K, query: Query = {}, isEnough: (read: Kinds[K][]) => boolean = () => false): Promise<Kinds[K][]> {
  const data: Kinds[K][] = [];
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; ++page) {
    const found = await listOf(kind, { limit: PAGE, ...query, after });
    data.push(...found.data);
    if (!found.has_more || isEnough(data)) break;
    after = String(found.next);
  }
  return data;
}

/** One that may not be there. */
export async function mayBe<K extends Kind>(kind: K, id: string): Promise<Kinds[K] | null> {
  try {
    return await recordOf(kind, id);
  } catch (failure) {
    if (is(failure, 'not_found', 'gone')) return null;
    throw failure;
  }
}

export async function linksOf(id: string): Promise<Link[]> {
  const [from, to] = await Promise.all([raw('ask', 'GET', `/links${asked({ from: id })}`), raw('ask', 'GET', `/links${asked({ to: id })}`)]);
  return [...from.data, ...to.data];
}
