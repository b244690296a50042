// Reading a stream that goes on, over as many connections as it takes.
import { BelfryError } from './errors.js';
import { explain } from './exchange.js';
import { SseParser } from './sse.js';

// What another attempt would not mend.
const FINAL = new Set(['unauthenticated', 'forbidden', 'not_found', 'invalid', 'malformed', 'gone', 'unsupported', 'not_acceptable']);

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
export class Following {
  #stop = new AbortController();
  #client;
  #cursor;
  #options;
  #open;

  /**
   * @param {import('./base.js').Base} client
   * @param {Cursor<T>} cursor
   * @param {FollowOptions} options
   * @param {Opener} [open]
   */
  constructor(client, cursor, options, open) {
    this.#client = client;
    this.#cursor = cursor;
    this.#options = options;
    this.#open = open ?? ((target, signal, onOpen) => messagesOf(client, target, signal, onOpen));
    const { signal } = options;
    if (signal?.aborted) this.close();
    else signal?.addEventListener('abort', this.#end, { once: true });
  }

  #end = () => this.close();

  /** Ends it; the loop over it ends in peace. */
  close() {
    this.#forget();
    this.#stop.abort();
  }

  #forget() {
    this.#options.signal?.removeEventListener('abort', this.#end);
  }

  /** @returns {AsyncGenerator<T, void, undefined>} */
  async* [Symbol.asyncIterator]() {
    try {
      yield* this.#items();
    } catch (failure) {
      this.#forget();
      throw failure;
    }
    this.#forget(); // not where the reader breaks off: it may come back, and goes on
  }

  /** @returns {AsyncGenerator<T, void, undefined>} */
  async* #items() {
    const stop = this.#stop.signal;
    for (let attempt = 0; !stop.aborted;) {
      let progressed = false;
      let why = new BelfryError('unavailable', 'the server ended the stream');
      const connection = new AbortController();
      const end = () => connection.abort();
      stop.addEventListener('abort', end, { once: true });
      try {
        for await (const message of this.#open(this.#cursor.target(), connection.signal, () => this.#options.onOpen?.())) {
          progressed = true;
          yield* this.#cursor.take(message);
          if (this.#cursor.ended || stop.aborted) return;
        }
      } catch (failure) {
        if (stop.aborted) return;
        why = failure instanceof BelfryError ? failure : explain(failure, this.#client.url, 'GET');
      } finally {
        stop.removeEventListener('abort', end);
        connection.abort();
      }
      if (FINAL.has(why.code) || !this.#client.wasReached) throw why;
      if (progressed) attempt = 0;
      const pauses = this.#client.pausesMs;
      const pauseMs = Math.max(pauses[Math.min(attempt++, pauses.length - 1)], why.retryAfterMs);
      this.#options.onLost?.(why, pauseMs);
      await unlessAborted(this.#client.wait(pauseMs), stop);
    }
  }
}

/**
 * @param {import('./base.js').Base} client
 * @param {string} target
 * @param {AbortSignal} signal
 * @param {() => void} onOpen
 */
async function* messagesOf(client, target, signal, onOpen) {
  const silence = new AbortController();
  const any = () => silence.abort();
  signal.addEventListener('abort', any, { once: true });
  const parser = new SseParser();
  // Only while it waits for the server: how long the reader works on an item says nothing about the connection.
  const inTime = async (/** @type {Promise<any>} */ promise) => {
    const timer = setTimeout(any, client.silenceMs);
    return promise.finally(() => clearTimeout(timer));
  };
  try {
    const pieces = (await inTime(client.open(target, silence.signal)))[Symbol.asyncIterator]();
    onOpen();
    for (;;) {
      const { done, value } = await inTime(pieces.next());
      if (done) return;
      yield* parser.feed(value);
    }
  } finally {
    signal.removeEventListener('abort', any);
    silence.abort();
  }
}

/**
 * What the promise brings, or nothing once the signal is there. Leaves no listener behind.
 * @template R
 * @param {Promise<R>} promise
 * @param {AbortSignal} signal
 * @returns {Promise<R | undefined>}
 */
export function unlessAborted(promise, signal) {
  return new Promise((resolve, reject) => {
    const end = () => resolve(undefined);
    signal.addEventListener('abort', end, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
    if (signal.aborted) end();
  });
}

/** @param {import('./sse.js').SseMessage} message */
export function dataOf(message) {
  try {
    return JSON.parse(message.data);
  } catch {
    throw new BelfryError('malformed', 'a message of the stream is no JSON');
  }
}

/**
 * Whether a `close` ends a stream in peace; any other reason is thrown.
 * @param {import('./sse.js').SseMessage} message
 */
export function endedBy(message) {
  const reason = String(dataOf(message).reason ?? '');
  if (reason === 'revoked') throw new BelfryError('unauthenticated', 'the token was revoked');
  if (reason === 'expired') throw new BelfryError('gone', 'the stream is no more');
  if (reason !== 'ended') throw new BelfryError('unavailable', `the server closed the stream: ${reason}`);
  return true;
}
