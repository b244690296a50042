/** @import { Receipt } from '../types/wire.js' */
export const RETRYING: "Connection lost, retrying...";
export const FAILED: "Failed to send notification";
/**
 * One message on its way. Its id makes another attempt harmless: the server takes it once.
 * @typedef {object} Sending
 * @property {string} session_id
 * @property {string} message_type
 * @property {any} [payload]
 * @property {string} timestamp
 * @property {string} message_id
 */
/** @typedef {{message: Sending, bytes: number, deadline: number, told: boolean, resolve: (receipt: Receipt) => void, reject: (error: Error) => void}} Queued */
/**
 * @typedef {object} SenderOptions
 * @property {string} [token]
 * @property {string} [caFile] for `tcps:`, a PEM file of certificates to trust besides those of Node
 * @property {(words: string, message: Sending) => void} [onFeedback] gets the words for the person, RETRYING and FAILED, with
 *   the message that they are about: every message that is given up is reported
 * @property {() => number} [clock] for tests
 * @property {(ms: number) => Promise<void>} [wait] for tests
 */
/**
 * Sends `client/user_message` in order. Each message is tried at once, then after 100 ms, 500 ms and 2 s. At most ten wait,
 * none longer than ten seconds; the eleventh is refused at once. Every attempt of a message carries the same id, and the server
 * takes an id once: so what arrives, arrives exactly once, in the order in which it was given here. docs/clients.md says when
 * which words come.
 */
export class Sender {
    /**
     * @param {string} address in Node `unix:/path` (the daemon's belfry-rpc.sock), `tcp://host:port`, or `tcps://host:port` where the
     *   daemon has a certificate; `ws://host:port` or `wss://host:port`
     * @param {SenderOptions} [options]
     */
    constructor(address: string, options?: SenderOptions);
    /**
     * Resolves with the receipt. A refusal of the server is thrown as RpcError; a message that was given up, or not taken
     * (ten wait already, too large), as BelfryError: unavailable, overloaded, too_large.
     * @param {string} sessionId
     * @param {string} [messageType]
     * @param {any} [payload]
     * @param {{timestamp?: string, messageId?: string}} [more]
     * @returns {Promise<Receipt>}
     */
    send(sessionId: string, messageType?: string, payload?: any, more?: {
        timestamp?: string;
        messageId?: string;
    }): Promise<Receipt>;
    /** Ends it. What still waits is given up, and reported. */
    close(): void;
    #private;
}
/**
 * One message on its way. Its id makes another attempt harmless: the server takes it once.
 */
export type Sending = {
    session_id: string;
    message_type: string;
    payload?: any;
    timestamp: string;
    message_id: string;
};
export type Queued = {
    message: Sending;
    bytes: number;
    deadline: number;
    told: boolean;
    resolve: (receipt: Receipt) => void;
    reject: (error: Error) => void;
};
export type SenderOptions = {
    token?: string | undefined;
    /**
     * for `tcps:`, a PEM file of certificates to trust besides those of Node
     */
    caFile?: string | undefined;
    /**
     * gets the words for the person, RETRYING and FAILED, with
     * the message that they are about: every message that is given up is reported
     */
    onFeedback?: ((words: string, message: Sending) => void) | undefined;
    /**
     * for tests
     */
    clock?: (() => number) | undefined;
    /**
     * for tests
     */
    wait?: ((ms: number) => Promise<void>) | undefined;
};
import type { Receipt } from '../types/wire.js';
