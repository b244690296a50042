/**
 * @param {string} url `http://host:port`, `https://host:port`, or in Node `unix:/path`
 * @returns {Exchange}
 */
export function exchangeWith(url: string): Exchange;
/**
 * What a failed exchange means. A browser does not tell why; then only reading is known to have done nothing.
 * @param {any} failure
 * @param {string} url
 * @param {string} method
 */
export function explain(failure: any, url: string, method: string): BelfryError;
/**
 * @typedef {object} Outgoing
 * @property {string} method
 * @property {string} target path and query
 * @property {Record<string, string>} headers
 * @property {string | AsyncIterable<Uint8Array> | null} body an iterable goes out as it comes
 * @property {AbortSignal} signal
 */
/**
 * @typedef {object} Reply
 * @property {number} status
 * @property {(name: string) => string | null} header
 * @property {() => Promise<string>} text
 * @property {() => AsyncIterable<Uint8Array>} pieces
 */
/** @typedef {(request: Outgoing) => Promise<Reply>} Exchange */
/** Whether a request's body can go out as it comes. Browsers could only over HTTP/2, which Belfry does not speak. */
export const canStreamUp: boolean;
export type Outgoing = {
    method: string;
    /**
     * path and query
     */
    target: string;
    headers: Record<string, string>;
    /**
     * an iterable goes out as it comes
     */
    body: string | AsyncIterable<Uint8Array> | null;
    signal: AbortSignal;
};
export type Reply = {
    status: number;
    header: (name: string) => string | null;
    text: () => Promise<string>;
    pieces: () => AsyncIterable<Uint8Array>;
};
export type Exchange = (request: Outgoing) => Promise<Reply>;
import { BelfryError } from './errors.js';
