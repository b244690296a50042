/** @import { Json, LedgerSummary, Me, Notification, Page, Rehearsal, SinkCall, Status, Subscriber, SubscriberProblem } from '../types/wire.js' */
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
