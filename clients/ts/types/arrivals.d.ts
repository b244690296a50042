/**
 * @template T
 * @implements {AsyncIterable<T>}
 */
export class Arrivals<T> implements AsyncIterable<T> {
    /** @param {AbortSignal} signal ends the loop in peace */
    constructor(signal: AbortSignal);
    /** @param {T} item */
    put(item: T): void;
    /**
     * Nothing more comes; what came before is still handed on.
     * @param {string} why
     */
    lose(why: string): void;
    /** @returns {AsyncGenerator<T, void, undefined>} */
    [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
    #private;
}
