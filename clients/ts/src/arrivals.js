// What a browser's event handlers bring, as something to loop over.
import { BelfryError } from './errors.js';

/**
 * @template T
 * @implements {AsyncIterable<T>}
 */
export class Arrivals {
  /** @type {T[]} */
  #waiting = [];
  /** @type {BelfryError | null} */
  #end = null;
  #wake = () => {};
  #signal;

  /** @param {AbortSignal} signal ends the loop in peace */
  constructor(signal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  /** @param {T} item */
  put(item) {
    this.#waiting.push(item);
    this.#wake();
  }

  /**
   * Nothing more comes; what came before is still handed on.
   * @param {string} why
   */
  lose(why) {
    this.#end ??= new BelfryError('unavailable', why);
    this.#wake();
  }

  /** @returns {AsyncGenerator<T, void, undefined>} */
  async* [Symbol.asyncIterator]() {
    while (!this.#signal.aborted) {
      if (this.#waiting.length > 0) {
        const arrived = this.#waiting;
        this.#waiting = [];
        for (const item of arrived) {
          if (this.#signal.aborted) return;
          yield item;
        }
      } else if (this.#end) {
        throw this.#end;
      } else {
        await new Promise((resolve) => { this.#wake = () => resolve(undefined); });
      }
    }
  }
}
