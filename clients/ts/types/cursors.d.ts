/** @typedef {import('./sse.js').SseMessage} SseMessage */
/**
 * The path with what is given of a query.
 * @param {string} path
 * @param {Record<string, unknown>} members
 */
export function withQuery(path: string, members: Record<string, unknown>): string;
/** Entries of a stream: each once and in order. */
export class EntryCursor {
    /**
     * @param {string} path
     * @param {Record<string, unknown>} query
     * @param {number | null} after
     */
    constructor(path: string, query: Record<string, unknown>, after: number | null);
    ended: boolean;
    path: string;
    query: Record<string, unknown>;
    last: number | null;
    target(): string;
    /**
     * @param {SseMessage} message
     * @returns {import('../types/wire.js').Entry[]}
     */
    take(message: SseMessage): import("../types/wire.js").Entry[];
}
/**
 * Events of a run or a tree of runs. The position is the id of the message, which is the stream's own sequence.
 *
 * In another format one event may become several messages, of which the last one has the id. Where a connection breaks
 * between them, the next one brings them all again: as many as were handed on already are passed over.
 */
export class RunCursor {
    /**
     * @param {string} path
     * @param {Record<string, unknown>} query
     * @param {number | null} after
     */
    constructor(path: string, query: Record<string, unknown>, after: number | null);
    ended: boolean;
    path: string;
    query: Record<string, unknown>;
    last: number | null;
    isNative: boolean;
    target(): string;
    /**
     * @param {SseMessage} message
     * @returns {any[]}
     */
    take(message: SseMessage): any[];
    #private;
}
/** A person's inbox. There is no position: whoever comes back is sent what still waits. */
export class InboxCursor {
    /** @param {Record<string, unknown>} query */
    constructor(query: Record<string, unknown>);
    ended: boolean;
    query: Record<string, unknown>;
    target(): string;
    /**
     * @param {SseMessage} message
     * @returns {import('../types/wire.js').InboxMessage[]}
     */
    take(message: SseMessage): import("../types/wire.js").InboxMessage[];
}
export type SseMessage = import("./sse.js").SseMessage;
