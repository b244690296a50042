/** @import { Json, Notification, Page, SinkCall, Status, Subscriber, SubscriberProblem, SubscriberTest } from '../types/wire.js' */
export class Operator extends Client {
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
     * @returns {Promise<SubscriberTest>}
     */
    testSubscriber(id: string, more?: {
        events?: Json[];
    }): Promise<SubscriberTest>;
    /**
     * Notifications that failed, and why, oldest first.
     * @param {{user?: string, session?: string, subscriber?: string, outcome?: string, older_than_s?: number, after?: number, limit?: number}} [query]
     * @returns {Promise<Page<Notification>>}
     */
    deadLetters(query?: {
        user?: string;
        session?: string;
        subscriber?: string;
        outcome?: string;
        older_than_s?: number;
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
import type { Status } from '../types/wire.js';
import type { Subscriber } from '../types/wire.js';
import type { Page } from '../types/wire.js';
import type { SubscriberProblem } from '../types/wire.js';
import type { Json } from '../types/wire.js';
import type { SubscriberTest } from '../types/wire.js';
import type { Notification } from '../types/wire.js';
import type { SinkCall } from '../types/wire.js';
