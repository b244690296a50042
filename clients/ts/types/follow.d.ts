/**
 * What the promise brings, or nothing once the signal is there. Leaves no listener behind.
 * @template R
 * @param {Promise<R>} promise
 * @param {AbortSignal} signal
 * @returns {Promise<R | undefined>}
 */
export function unlessAborted<R>(promise: Promise<R>, signal: AbortSignal): Promise<R | undefined>;
/** @param {import('./sse.js').SseMessage} message */
export function dataOf(message: import("./sse.js").SseMessage): any;
/**
 * Whether a `close` ends a stream in peace; any other reason is thrown.
 * @param {import('./sse.js').SseMessage} message
 */
export function endedBy(message: import("./sse.js").SseMessage): boolean;
/**
 * Where a reader is in a stream, and what its messages mean.
 * @template T
 * @typedef {object} Cursor
 * @property {boolean} ended set after the last message
 * @property {() => string} target path and query that continue after what was read
 * @property {(message: import('./sse.js').SseMessage) => T[]} take what this message hands on
 */
/**
 * @typedef {object} FollowOptions
 * @property {AbortSignal} [signal] ends it
 * @property {(why: BelfryError, pauseMs: number) => void} [onLost] the connection was lost; the next attempt comes after the pause
 * @property {() => void} [onOpen] a connection is there (again); not of an EventSource
 */
/**
 * Opens one connection and gives its messages; the default is a request, a browser may use its EventSource.
 * @typedef {(target: string, signal: AbortSignal, onOpen: () => void) => AsyncIterable<import('./sse.js').SseMessage>} Opener
 */
/**
 * An async iterable that ends with its stream. A lost connection is made again, and goes on after the last item.
 * What another attempt would not mend (no access, no such stream) is thrown, and so is a daemon that was never reached.
 * @template T
 * @implements {AsyncIterable<T>}
 */
export class Following<T> implements AsyncIterable<T> {
    /**
     * @param {import('./base.js').Base} client
     * @param {Cursor<T>} cursor
     * @param {FollowOptions} options
     * @param {Opener} [open]
     */
    constructor(client: import("./base.js").Base, cursor: Cursor<T>, options: FollowOptions, open?: Opener);
    /** Ends it; the loop over it ends in peace. */
    close(): void;
    /** @returns {AsyncGenerator<T, void, undefined>} */
    [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
    #private;
}
/**
 * Where a reader is in a stream, and what its messages mean.
 */
export type Cursor<T> = {
    /**
     * set after the last message
     */
    ended: boolean;
    /**
     * path and query that continue after what was read
     */
    target: () => string;
    /**
     * what this message hands on
     */
    take: (message: import("./sse.js").SseMessage) => T[];
};
export type FollowOptions = {
    /**
     * ends it
     */
    signal?: AbortSignal | undefined;
    /**
     * the connection was lost; the next attempt comes after the pause
     */
    onLost?: ((why: BelfryError, pauseMs: number) => void) | undefined;
    /**
     * a connection is there (again); not of an EventSource
     */
    onOpen?: (() => void) | undefined;
};
/**
 * Opens one connection and gives its messages; the default is a request, a browser may use its EventSource.
 */
export type Opener = (target: string, signal: AbortSignal, onOpen: () => void) => AsyncIterable<import("./sse.js").SseMessage>;
import { BelfryError } from './errors.js';
