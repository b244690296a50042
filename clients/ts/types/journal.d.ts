export class Journal extends Tools {
    /**
     * Whether it holds anything, and which timer runs. Where it is switched off this is refused with not_found (`journal_off`).
     * @param {JournalReadAccess} [access]
     * @returns {Promise<JournalState>}
     */
    journal(access?: JournalReadAccess): Promise<JournalState>;
    /**
     * Makes one: `createRecord('task', { title: 'Buy milk' })`. With an `id` of the caller's it may be repeated: the one that is there
     * and is like this is given; another one of this id is refused with conflict (`taken`).
     * @param {JournalKind} kind
     * @param {Json} fields
     * @param {JournalAccess} [access]
     * @returns {Promise<JournalRecord>}
     */
    createRecord(kind: JournalKind, fields: Json, access?: JournalAccess): Promise<JournalRecord>;
    /**
     * One that was deleted is refused with gone.
     * @param {JournalKind} kind
     * @param {string} recordId
     * @param {JournalReadAccess} [access]
     * @returns {Promise<JournalRecord>}
     */
    record(kind: JournalKind, recordId: string, access?: JournalReadAccess): Promise<JournalRecord>;
    /**
     * Newest first, or by due date where that is asked for. What narrows them depends on the kind.
     * @param {JournalKind} kind
     * @param {JournalFilter} [query]
     * @returns {Promise<Page<JournalRecord>>}
     */
    records(kind: JournalKind, query?: JournalFilter): Promise<Page<JournalRecord>>;
    /**
     * What is named changes, null takes away what may be empty. With a `revision` only if it still has that one; else it is refused
     * with conflict (`stale_revision`).
     * @param {JournalKind} kind
     * @param {string} recordId
     * @param {Json} changes
     * @param {JournalAccess} [access]
     * @returns {Promise<JournalRecord>}
     */
    changeRecord(kind: JournalKind, recordId: string, changes: Json, access?: JournalAccess): Promise<JournalRecord>;
    /**
     * For good, and what belongs to it with it.
     * @param {JournalKind} kind
     * @param {string} recordId
     * @param {JournalAccess & {revision?: number}} [access]
     * @returns {Promise<JournalRecord>}
     */
    deleteRecord(kind: JournalKind, recordId: string, access?: JournalAccess & {
        revision?: number;
    }): Promise<JournalRecord>;
    /**
     * Records with all these words, newest first; the last word may be a beginning.
     * @param {string} q
     * @param {JournalReadAccess & {kind?: JournalKind, category?: string, after?: string, limit?: number}} [query]
     * @returns {Promise<Page<JournalRecord>>}
     */
    searchJournal(q: string, query?: JournalReadAccess & {
        kind?: JournalKind;
        category?: string;
        after?: string;
        limit?: number;
    }): Promise<Page<JournalRecord>>;
    /**
     * Makes the link, or changes what is said about it. May be repeated.
     * @param {string} relation
     * @param {string} fromId
     * @param {string} toId
     * @param {{metadata?: Json, hidden?: boolean}} [words]
     * @param {JournalAccess} [access]
     * @returns {Promise<JournalLink>}
     */
    linkRecords(relation: string, fromId: string, toId: string, words?: {
        metadata?: Json;
        hidden?: boolean;
    }, access?: JournalAccess): Promise<JournalLink>;
    /**
     * @param {string} relation
     * @param {string} fromId
     * @param {string} toId
     * @param {JournalAccess} [access]
     * @returns {Promise<JournalLink>}
     */
    unlinkRecords(relation: string, fromId: string, toId: string, access?: JournalAccess): Promise<JournalLink>;
    /**
     * Those that begin (`from_id`) or end (`to_id`) at a record; with `hidden`, hidden ones, too.
     * @param {JournalReadAccess & {from_id?: string, to_id?: string, relation?: string, hidden?: boolean, after?: string, limit?: number}} query
     * @returns {Promise<Page<JournalLink>>}
     */
    recordLinks({ from_id: from, to_id: to, ...query }: JournalReadAccess & {
        from_id?: string;
        to_id?: string;
        relation?: string;
        hidden?: boolean;
        after?: string;
        limit?: number;
    }): Promise<Page<JournalLink>>;
}
import { Tools } from './tools.js';
import type { JournalReadAccess } from '../types/wire.js';
import type { JournalState } from '../types/wire.js';
import type { JournalKind } from '../types/wire.js';
import type { Json } from '../types/wire.js';
import type { JournalAccess } from '../types/wire.js';
import type { JournalRecord } from '../types/wire.js';
import type { JournalFilter } from '../types/wire.js';
import type { Page } from '../types/wire.js';
import type { JournalLink } from '../types/wire.js';
