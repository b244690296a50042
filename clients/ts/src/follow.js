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
 */
/**
 * Opens one connection and gives its messages; the default is a request, a browser may use its EventSource.
 * @typedef {(target: string, signal: AbortSignal) => AsyncIterable<import('./sse.js').SseMessage>} Opener
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
    this.#open = open ?? ((target, signal) => messagesOf(client, target, signal));
    const { signal } = options;
    if (signal?.aborted) this.close();
    else signal?.addEventListener('abort', () => this.close(), { once: true });
  }

  /** Ends it; the loop over it ends in peace. */
  close() {
    this.#stop.abort();
  }

  /** @returns {AsyncGenerator<T, void, undefined>} */
  async* [Symbol.asyncIterator]() {
    const stop = this.#stop.signal;
    for (let attempt = 0; !stop.aborted;) {
      let progressed = false;
      let why = new BelfryError('unavailable', 'the server ended the stream');
      const connection = new AbortController();
      const end = () => connection.abort();
      stop.addEventListener('abort', end, { once: true });
      try {
        for await (const message of this.#open(this.#cursor.target(), connection.signal)) {
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
      await Promise.race([this.#client.wait(pauseMs), aborted(stop)]);
    }
  }
}

/**
 * @param {import('./base.js').Base} client
 * @param {string} target
 * @param {AbortSignal} signal
 */
async function* messagesOf(client, target, signal) {
  const silence = new AbortController();
  const any = () => silence.abort();
  signal.addEventListener('abort', any, { once: true });
  let timer = setTimeout(any, client.silenceMs);
  const parser = new SseParser();
  try {
    for await (const piece of await client.open(target, silence.signal)) {
      clearTimeout(timer);
      timer = setTimeout(any, client.silenceMs);
      yield* parser.feed(piece);
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', any);
    silence.abort();
  }
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function aborted(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
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
  if (reason !== 'ended') throw new BelfryError('unavailable', `the server closed the stream: ${reason}`);
  return true;
}
