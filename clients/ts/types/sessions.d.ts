export class Sessions extends Notifications {
    /**
     * Makes a session, or changes what is given of it. A budget sets the count back.
     * @param {string} session
     * @param {SessionInput} [given]
     * @returns {Promise<Session>}
     */
    putSession(session: string, given?: SessionInput): Promise<Session>;
    /**
     * @param {string} session
     * @returns {Promise<Session>}
     */
    session(session: string): Promise<Session>;
    /**
     * @param {{user?: string, after?: string, limit?: number}} [query]
     * @returns {Promise<Page<Session>>}
     */
    sessions(query?: {
        user?: string;
        after?: string;
        limit?: number;
    }): Promise<Page<Session>>;
    /**
     * Forgets it. What it still had to be told goes to its user.
     * @param {string} session
     * @returns {Promise<void>}
     */
    removeSession(session: string): Promise<void>;
    /**
     * Adds a message. With `deliver` a user's message waits for the agent like one sent by `Sender`.
     * @param {string} session
     * @param {string} role
     * @param {string} content
     * @param {MessageInput} [more]
     * @returns {Promise<Json>}
     */
    postMessage(session: string, role: string, content: string, more?: MessageInput): Promise<Json>;
    /**
     * @param {string} session
     * @param {{shape?: 'path' | 'tree', node?: string, after?: string, limit?: number}} [query]
     * @returns {Promise<Json>}
     */
    history(session: string, query?: {
        shape?: "path" | "tree";
        node?: string;
        after?: string;
        limit?: number;
    }): Promise<Json>;
    /**
     * What happens in a conversation, an entry each: which message, node, turn or question, without its words. From `after` on,
     * or from `start`: `live` (unless told) or `start`. Ends when the session is deleted. `{gap: {from, to}}` stands where
     * entries are gone for good.
     * @param {string} session
     * @param {FollowOptions & {after?: number, start?: 'live' | 'start', via?: 'fetch' | 'websocket'}} [options]
     * @returns {Promise<Following<SessionEntry>>}
     */
    followSession(session: string, { after, start, via, ...options }?: FollowOptions & {
        after?: number;
        start?: "live" | "start";
        via?: "fetch" | "websocket";
    }): Promise<Following<SessionEntry>>;
    /**
     * A turn begins or ends.
     * @param {string} session
     * @param {'start' | 'end'} event
     * @param {TurnReport} [more]
     * @returns {Promise<Report>}
     */
    reportTurn(session: string, event: "start" | "end", more?: TurnReport): Promise<Report>;
    /**
     * A tool is called, or was. success needs `duration_ms`, failure its error's type and message, timeout `timeout_ms`.
     * @param {string} session
     * @param {'pending' | 'success' | 'failure' | 'timeout'} status
     * @param {ToolCallReport} call
     * @returns {Promise<Report>}
     */
    reportToolCall(session: string, status: "pending" | "success" | "failure" | "timeout", call: ToolCallReport): Promise<Report>;
    /**
     * The agent's note to itself, now or later.
     * @param {string} session
     * @param {string} message
     * @param {SelfNote} [more]
     * @returns {Promise<{event_id: string | null, reminder_id: string | null}>}
     */
    notifySelf(session: string, message: string, more?: SelfNote): Promise<{
        event_id: string | null;
        reminder_id: string | null;
    }>;
    /**
     * What is due at this point of the agent's turn, under a lease. With a format, `messages` is ready for that model
     * interface.
     * @param {string} session
     * @param {Point} point
     * @param {PullInput} [more]
     * @returns {Promise<Pulled>}
     */
    pull(session: string, point: Point, { format, ...more }?: PullInput): Promise<Pulled>;
    /**
     * What was handed over has arrived: all of a pull, or single items. Resolves to how many ended with it.
     * @param {string} session
     * @param {{pull_id: string} | {items: ItemLease[]}} what
     * @returns {Promise<number>}
     */
    acknowledge(session: string, what: {
        pull_id: string;
    } | {
        items: ItemLease[];
    }): Promise<number>;
    /**
     * A turn goes on: what the caller holds stays held.
     * @param {string} session
     * @param {{lease_s?: number, pull_id?: string, leases?: ItemLease[]}} [more]
     * @returns {Promise<Json>}
     */
    heartbeat(session: string, more?: {
        lease_s?: number;
        pull_id?: string;
        leases?: ItemLease[];
    }): Promise<Json>;
    /**
     * A preview of a pull; it changes nothing.
     * @param {string} session
     * @param {{point?: Point, budget_tokens?: number, context?: boolean | string[]}} [query]
     * @returns {Promise<Json>}
     */
    context(session: string, query?: {
        point?: Point;
        budget_tokens?: number;
        context?: boolean | string[];
    }): Promise<Json>;
    #private;
}
import { Notifications } from './notifications.js';
import type { SessionInput } from '../types/wire.js';
import type { Session } from '../types/wire.js';
import type { Page } from '../types/wire.js';
import type { MessageInput } from '../types/wire.js';
import type { Json } from '../types/wire.js';
import type { FollowOptions } from './follow.js';
import type { SessionEntry } from '../types/wire.js';
import type { Following } from './follow.js';
import type { TurnReport } from '../types/wire.js';
import type { Report } from '../types/wire.js';
import type { ToolCallReport } from '../types/wire.js';
import type { SelfNote } from '../types/wire.js';
import type { Point } from '../types/wire.js';
import type { PullInput } from '../types/wire.js';
import type { Pulled } from '../types/wire.js';
import type { ItemLease } from '../types/wire.js';
