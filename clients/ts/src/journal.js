// The journal: records of nine kinds, and links between them. In every request `user` is whose journal, the caller's own unless
// told, and `wake` the wake that an agent works for: its changes are the agent's then, and reach no further than its categories.
import { withQuery } from './cursors.js';
import { Tools } from './tools.js';

/** @import { JournalAccess, JournalFilter, JournalKind, JournalLink, JournalReadAccess, JournalRecord, JournalState, Json, Page } from '../types/wire.js' */

/** @type {Partial<Record<JournalKind, string>>} */
const plurals = { category: 'categories', entry: 'entries', time_entry: 'time_entries' };

/**
 * @param {JournalKind} kind
 * @param {string} [recordId]
 */
const path = (kind, recordId) =>
  `/v1/journal/${plurals[kind] ?? `${kind}s`}${recordId === undefined ? '' : `/${encodeURIComponent(recordId)}`}`;

/** @param {string[]} parts */
const linkPath = (...parts) => `/v1/journal/links/${parts.map(encodeURIComponent).join('/')}`;

/** @param {JournalReadAccess} access */
const accessOf = ({ wake, ...access }) => ({ ...access, ...(wake ? { wake: wake.id, fence: wake.fence } : {}) });

export class Journal extends Tools {
  /**
   * Whether it holds anything, and which timer runs. Where it is switched off this is refused with not_found (`journal_off`).
   * @param {JournalReadAccess} [access]
   * @returns {Promise<JournalState>}
   */
  journal(access = {}) {
    return this.ask('GET', withQuery('/v1/journal', accessOf(access)));
  }

  /**
   * Makes one: `createRecord('task', { title: 'Buy milk' })`. With an `id` of the caller's it may be repeated: the one that is there
   * and is like this is given; another one of this id is refused with conflict (`taken`).
   * @param {JournalKind} kind
   * @param {Json} fields
   * @param {JournalAccess} [access]
   * @returns {Promise<JournalRecord>}
   */
  createRecord(kind, fields, access = {}) {
    const target = withQuery(path(kind), accessOf(access));
    return fields.id === undefined ? this.once('POST', target, fields) : this.ask('POST', target, fields);
  }

  /**
   * One that was deleted is refused with gone.
   * @param {JournalKind} kind
   * @param {string} recordId
   * @param {JournalReadAccess} [access]
   * @returns {Promise<JournalRecord>}
   */
  record(kind, recordId, access = {}) {
    return this.ask('GET', withQuery(path(kind, recordId), accessOf(access)));
  }

  /**
   * Newest first, or by due date where that is asked for. What narrows them depends on the kind.
   * @param {JournalKind} kind
   * @param {JournalFilter} [query]
   * @returns {Promise<Page<JournalRecord>>}
   */
  records(kind, query = {}) {
    return this.ask('GET', withQuery(path(kind), accessOf(query)));
  }

  /**
   * What is named changes, null takes away what may be empty. With a `revision` only if it still has that one; else it is refused
   * with conflict (`stale_revision`).
   * @param {JournalKind} kind
   * @param {string} recordId
   * @param {Json} changes
   * @param {JournalAccess} [access]
   * @returns {Promise<JournalRecord>}
   */
  changeRecord(kind, recordId, changes, access = {}) {
    return this.once('PATCH', withQuery(path(kind, recordId), accessOf(access)), changes);
  }

  /**
   * For good, and what belongs to it with it.
   * @param {JournalKind} kind
   * @param {string} recordId
   * @param {JournalAccess & {revision?: number}} [access]
   * @returns {Promise<JournalRecord>}
   */
  deleteRecord(kind, recordId, access = {}) {
    return this.once('DELETE', withQuery(path(kind, recordId), accessOf(access)));
  }

  /**
   * Records with all these words, newest first; the last word may be a beginning.
   * @param {string} q
   * @param {JournalReadAccess & {kind?: JournalKind, category?: string, after?: string, limit?: number}} [query]
   * @returns {Promise<Page<JournalRecord>>}
   */
  searchJournal(q, query = {}) {
    return this.ask('GET', withQuery('/v1/journal/search', { q, ...accessOf(query) }));
  }

  /**
   * Makes the link, or changes what is said about it. May be repeated.
   * @param {string} relation
   * @param {string} fromId
   * @param {string} toId
   * @param {{metadata?: Json, hidden?: boolean}} [words]
   * @param {JournalAccess} [access]
   * @returns {Promise<JournalLink>}
   */
  linkRecords(relation, fromId, toId, words = {}, access = {}) {
    return this.ask('PUT', withQuery(linkPath(relation, fromId, toId), accessOf(access)), words);
  }

  /**
   * @param {string} relation
   * @param {string} fromId
   * @param {string} toId
   * @param {JournalAccess} [access]
   * @returns {Promise<JournalLink>}
   */
  unlinkRecords(relation, fromId, toId, access = {}) {
    return this.once('DELETE', withQuery(linkPath(relation, fromId, toId), accessOf(access)));
  }

  /**
   * Those that begin (`from_id`) or end (`to_id`) at a record; with `hidden`, hidden ones, too.
   * @param {JournalReadAccess & {from_id?: string, to_id?: string, relation?: string, hidden?: boolean, after?: string, limit?: number}} query
   * @returns {Promise<Page<JournalLink>>}
   */
  recordLinks({ from_id: from, to_id: to, ...query }) {
    return this.ask('GET', withQuery('/v1/journal/links', { from, to, ...accessOf(query) }));
  }
}
