export class Notifications extends Events {
    /**
     * Notifies a user or an agent directly. The request is repeated under one idempotency key, by default a new one, so that
     * the notification is made once.
     * @param {string} text
     * @param {NotificationInput & {idempotencyKey?: string}} [more]
     * @returns {Promise<Notification>}
     */
    notify(text: string, { idempotencyKey, ...more }?: NotificationInput & {
        idempotencyKey?: string;
    }): Promise<Notification>;
    /**
     * By id, or in a session by handle.
     * @param {string} id
     * @param {{session?: string}} [options]
     * @returns {Promise<Notification>}
     */
    notification(id: string, options?: {
        session?: string;
    }): Promise<Notification>;
    /**
     * The ledger, oldest first unless told.
     * @param {{user?: string, session?: string, subscriber?: string, state?: string, outcome?: string, search?: string, older_than_s?: number,
     *   open?: boolean, order?: 'oldest' | 'newest', after?: number, limit?: number}} [query]
     * @returns {Promise<Page<Notification>>}
     */
    notifications(query?: {
        user?: string;
        session?: string;
        subscriber?: string;
        state?: string;
        outcome?: string;
        search?: string;
        older_than_s?: number;
        open?: boolean;
        order?: "oldest" | "newest";
        after?: number;
        limit?: number;
    }): Promise<Page<Notification>>;
    /**
     * A person's interface has shown it. Lease and version are those of what was shown; stale ones are refused.
     * @param {string} id
     * @param {{lease: number, version: number, how?: string, session?: string}} shown
     * @returns {Promise<Notification>}
     */
    acknowledgeNotification(id: string, { lease, version, how, session }: {
        lease: number;
        version: number;
        how?: string;
        session?: string;
    }): Promise<Notification>;
    /**
     * What the person has done with it.
     * @param {string} id
     * @param {'seen' | 'acted' | 'dismissed'} mark
     * @param {{session?: string}} [options]
     * @returns {Promise<Notification>}
     */
    markNotification(id: string, mark: "seen" | "acted" | "dismissed", options?: {
        session?: string;
    }): Promise<Notification>;
    /**
     * The agent tells the user in its own text. It is delivered when an interface of the user has shown it. A stale lease,
     * or a version that is not the newest, is rejected.
     * @param {string} session
     * @param {string} id a handle of the session, or an id
     * @param {{lease: number, text: string, version?: number}} words
     * @returns {Promise<Notification>}
     */
    narrate(session: string, id: string, { lease, text, version }: {
        lease: number;
        text: string;
        version?: number;
    }): Promise<Notification>;
    /**
     * Sends a dead letter again, as a new notification.
     * @param {string} id
     * @param {{session?: string}} [options]
     * @returns {Promise<Notification>}
     */
    retryNotification(id: string, options?: {
        session?: string;
    }): Promise<Notification>;
    /**
     * Newest first, with the counts of unread and waiting.
     * @param {{user?: string, session?: string, unread?: boolean, before?: number, limit?: number}} [query]
     * @returns {Promise<{data: Notification[], unread: number, waiting: number} & Json>}
     */
    inbox(query?: {
        user?: string;
        session?: string;
        unread?: boolean;
        before?: number;
        limit?: number;
    }): Promise<{
        data: Notification[];
        unread: number;
        waiting: number;
    } & Json>;
    /**
     * Is an interface of this person: what waits, oldest first, then {type: 'caught_up'}, then what comes. After a lost
     * connection what still waits comes again: acknowledge what you have shown.
     * @param {{user?: string, session?: string, via?: 'fetch' | 'websocket'} & FollowOptions} [options]
     * @returns {Following<InboxMessage>}
     */
    followInbox({ user, session, via, ...options }?: {
        user?: string;
        session?: string;
        via?: "fetch" | "websocket";
    } & FollowOptions): Following<InboxMessage>;
    /**
     * The whole way of an event or a notification.
     * @param {string} id
     * @param {{session?: string}} [options]
     * @returns {Promise<Json>}
     */
    why(id: string, options?: {
        session?: string;
    }): Promise<Json>;
}
import { Events } from './events.js';
import type { NotificationInput } from '../types/wire.js';
import type { Notification } from '../types/wire.js';
import type { Page } from '../types/wire.js';
import type { Json } from '../types/wire.js';
import type { FollowOptions } from './follow.js';
import type { InboxMessage } from '../types/wire.js';
import type { Following } from './follow.js';
