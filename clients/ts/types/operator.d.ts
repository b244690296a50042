/** @import { Json, LedgerSummary, Me, MergeNote, Notification, Page, PairingCode, Peer, Rehearsal, SinkCall, Status, Subscriber, SubscriberProblem, SyncStatus } from '../types/wire.js' */
export class Operator extends Client {
    /**
     * Who the caller is, and which daemon answers.
     * @returns {Promise<Me>}
     */
    me(): Promise<Me>;
    /**
     * Whether events can be taken in: `ready`, or what is in the way. It needs no token.
     * @returns {Promise<Status['readiness']>}
     */
    readiness(): Promise<Status["readiness"]>;
    /**
     * What the daemon knows about itself.
     * @returns {Promise<Status>}
     */
    status(): Promise<Status>;
    /**
     * Its figures, in the text form of Prometheus.
     * @returns {Promise<string>}
     */
    metrics(): Promise<string>;
    /**
     * The subscribers, whether they are on for a user, and what is wrong with their files.
     * @param {{user?: string, after?: string, limit?: number}} [query]
     * @returns {Promise<Page<Subscriber> & {user_id: string | null, problems: SubscriberProblem[]}>}
     */
    subscribers(query?: {
        user?: string;
        after?: string;
        limit?: number;
    }): Promise<Page<Subscriber> & {
        user_id: string | null;
        problems: SubscriberProblem[];
    }>;
    /**
     * Switches one on or off for a user. Core ones stay on: conflict.
     * @param {string} id
     * @param {boolean} enabled
     * @param {{user_id?: string}} [more]
     * @returns {Promise<Subscriber>}
     */
    switchSubscriber(id: string, enabled: boolean, more?: {
        user_id?: string;
    }): Promise<Subscriber>;
    /**
     * What it would make of these events, or of made-up ones. Nothing is changed by it.
     * @param {string} id
     * @param {{events?: Json[]}} [more]
     * @returns {Promise<Rehearsal>}
     */
    testSubscriber(id: string, more?: {
        events?: Json[];
    }): Promise<Rehearsal>;
    /**
     * How many notifications are in which state.
     * @param {{user?: string}} [query]
     * @returns {Promise<LedgerSummary>}
     */
    ledgerSummary(query?: {
        user?: string;
    }): Promise<LedgerSummary>;
    /**
     * Notifications that failed, and why, oldest first unless told.
     * @param {{user?: string, session?: string, subscriber?: string, outcome?: string, search?: string, older_than_s?: number, order?: 'oldest' | 'newest', after?: number, limit?: number}} [query]
     * @returns {Promise<Page<Notification>>}
     */
    deadLetters(query?: {
        user?: string;
        session?: string;
        subscriber?: string;
        outcome?: string;
        search?: string;
        older_than_s?: number;
        order?: "oldest" | "newest";
        after?: number;
        limit?: number;
    }): Promise<Page<Notification>>;
    /**
     * Calls of sinks that were given up, the latest first.
     * @param {{after?: string, limit?: number}} [query]
     * @returns {Promise<Page<SinkCall>>}
     */
    givenUpCalls(query?: {
        after?: string;
        limit?: number;
    }): Promise<Page<SinkCall>>;
    /**
     * Makes such a call again.
     * @param {string} id
     * @returns {Promise<void>}
     */
    retryCall(id: string): Promise<void>;
    /**
     * The devices that share what is here, how the link with each stands, and what is behind.
     * @returns {Promise<Page<Peer>>}
     */
    peers(): Promise<Page<Peer>>;
    /**
     * A code to type on another device; the one before it is worth nothing any more. Where this device does not listen: conflict.
     * @returns {Promise<PairingCode>}
     */
    beginPairing(): Promise<PairingCode>;
    /**
     * Pairs this device with the one that shows this code, `at` its host and port.
     * @param {string} code
     * @param {string} at
     * @param {{name?: string}} [more]
     * @returns {Promise<Peer>}
     */
    pair(code: string, at: string, more?: {
        name?: string;
    }): Promise<Peer>;
    /**
     * Tells a device nothing any more, and does not listen to it.
     * @param {string} peer its id, the beginning of it that only one has, or its name
     * @returns {Promise<Peer>}
     */
    revokePeer(peer: string): Promise<Peer>;
    /**
     * How this device and its peers stand.
     * @returns {Promise<SyncStatus>}
     */
    syncStatus(): Promise<SyncStatus>;
    /**
     * What was decided between two devices, the newest first.
     * @param {{before?: number, limit?: number}} [query]
     * @returns {Promise<Page<MergeNote>>}
     */
    merges(query?: {
        before?: number;
        limit?: number;
    }): Promise<Page<MergeNote>>;
    /**
     * One number for all that devices have in common. It reads everything.
     * @returns {Promise<{digest: string, records: number, has: Record<string, number>}>}
     */
    syncDigest(): Promise<{
        digest: string;
        records: number;
        has: Record<string, number>;
    }>;
    /**
     * The access token behind a one-time link; it can be had once.
     * @param {string} code
     * @returns {Promise<{token: string, role: string, user_id: string | null, expires_at: string | null}>}
     */
    redeemLink(code: string): Promise<{
        token: string;
        role: string;
        user_id: string | null;
        expires_at: string | null;
    }>;
}
import { Client } from './client.js';
import type { Me } from '../types/wire.js';
import type { Status } from '../types/wire.js';
import type { Subscriber } from '../types/wire.js';
import type { Page } from '../types/wire.js';
import type { SubscriberProblem } from '../types/wire.js';
import type { Json } from '../types/wire.js';
import type { Rehearsal } from '../types/wire.js';
import type { LedgerSummary } from '../types/wire.js';
import type { Notification } from '../types/wire.js';
import type { SinkCall } from '../types/wire.js';
import type { Peer } from '../types/wire.js';
import type { PairingCode } from '../types/wire.js';
import type { SyncStatus } from '../types/wire.js';
import type { MergeNote } from '../types/wire.js';
