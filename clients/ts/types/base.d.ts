/** @param {Answer} answer */
export function errorOf(answer: Answer): BelfryError;
/** @param {Answer} answer */
export function jsonOf(answer: Answer): any;
export function newKey(): string;
/** crypto.randomUUID exists in secure contexts only, and a page on a local network is none. */
export function newUuid(): string;
/**
 * One daemon.
 *
 * What may be repeated without harm (an emit, a session, an acknowledgement, reading) is tried again after `pausesMs` when
 * the daemon is busy, restarting or out of sight, at most `attempts` times; a daemon that this client never reached is
 * reported at once. Everything else is tried once: after `outcome_unknown` it may have been done.
 */
export class Base {
    /** @param {ClientOptions} [options] */
    constructor(options?: ClientOptions);
    /** @private */
    private exchange;
    url: string;
    /** @protected */
    protected token: string;
    /** @protected */
    protected reached: boolean;
    answerTimeoutMs: number;
    silenceMs: number;
    pausesMs: number[];
    attempts: number;
    wait: (ms: number) => Promise<any>;
    /**
     * One attempt; the answer as JSON.
     * @protected
     * @param {string} method
     * @param {string} target
     * @param {any} [body]
     * @returns {Promise<any>}
     */
    protected once(method: string, target: string, body?: any): Promise<any>;
    /**
     * As many attempts as it takes, for what may be repeated without harm.
     * @protected
     * @param {string} method
     * @param {string} target
     * @param {any} [body]
     * @param {Record<string, string>} [headers]
     * @returns {Promise<any>}
     */
    protected ask(method: string, target: string, body?: any, headers?: Record<string, string>): Promise<any>;
    /**
     * The same; any final status is an answer.
     * @protected
     * @param {string} method
     * @param {string} target
     * @param {any} [body]
     * @param {Record<string, string>} [headers]
     * @returns {Promise<Answer>}
     */
    protected again(method: string, target: string, body?: any, headers?: Record<string, string>): Promise<Answer>;
    /**
     * One attempt; any status is an answer.
     * @protected
     * @param {string} method
     * @param {string} target
     * @param {any} [body] JSON, or an iterable of lines
     * @param {Record<string, string>} [headers]
     * @returns {Promise<Answer>}
     */
    protected send(method: string, target: string, body?: any, headers?: Record<string, string>): Promise<Answer>;
    /**
     * An answer that is read as it comes.
     * @package
     * @param {string} target
     * @param {AbortSignal} signal
     */
    open(target: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array<ArrayBufferLike>>>;
    /**
     * @template T
     * @protected
     * @param {import('./follow.js').Cursor<T>} cursor
     * @param {import('./follow.js').FollowOptions} options
     * @param {import('./follow.js').Opener} [open]
     * @returns {Following<T>}
     */
    protected following<T>(cursor: import("./follow.js").Cursor<T>, options: import("./follow.js").FollowOptions, open?: import("./follow.js").Opener): Following<T>;
    /** Whether an upload can go out while it is made. */
    get canStreamUp(): boolean;
    /** @package */
    get wasReached(): boolean;
    /**
     * @private
     * @param {boolean} hasBody
     * @param {Record<string, string>} more
     */
    private headers;
}
export type ClientOptions = {
    /**
     * `http://host:port`, `https://host:port`, or in Node `unix:/path`. Without it: in a page its own
     * origin, in Node BELFRY_URL, else http://127.0.0.1:7117.
     */
    url?: string | undefined;
    /**
     * an access token; without it, in Node, BELFRY_TOKEN.
     */
    token?: string | undefined;
    /**
     * 75,000 unless told, which is more than any long poll lasts
     */
    answerTimeoutMs?: number | undefined;
    /**
     * how long a stream may say nothing; 45,000 unless told
     */
    silenceMs?: number | undefined;
    /**
     * before the second, third … attempt; the last one is for all further ones
     */
    pausesMs?: number[] | undefined;
    /**
     * 6 unless told
     */
    attempts?: number | undefined;
    /**
     * for tests
     */
    wait?: ((ms: number) => Promise<void>) | undefined;
};
export type Answer = {
    status: number;
    retryAfter: string | null;
    text: string;
};
import { BelfryError } from './errors.js';
import { Following } from './follow.js';
