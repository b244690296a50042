// How every call of the client reaches the daemon.
import { BelfryError, problemError } from './errors.js';
import { canStreamUp, exchangeWith, explain } from './exchange.js';
import { Following } from './follow.js';

/**
 * @typedef {object} ClientOptions
 * @property {string} [url] `http://host:port`, `https://host:port`, or in Node `unix:/path`. Without it: in a page its own
 *   origin, in Node BELFRY_URL, else http://127.0.0.1:7117.
 * @property {string} [token] an access token; without it, in Node, BELFRY_TOKEN.
 * @property {number} [answerTimeoutMs] 75,000 unless told, which is more than any long poll lasts
 * @property {number} [silenceMs] how long a stream may say nothing; 45,000 unless told
 * @property {number[]} [pausesMs] before the second, third … attempt; the last one is for all further ones
 * @property {number} [attempts] 6 unless told
 * @property {(ms: number) => Promise<void>} [wait] for tests
 */
/** @typedef {{status: number, retryAfter: string | null, text: string}} Answer */

/** @type {Record<string, string | undefined>} */
const environment = globalThis.process?.env ?? {};

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/**
 * One daemon.
 *
 * What may be repeated without harm (an emit, a session, an acknowledgement, reading) is tried again after `pausesMs` when
 * the daemon is busy, restarting or out of sight, at most `attempts` times; a daemon that this client never reached is
 * reported at once. Everything else is tried once: after `outcome_unknown` it may have been done.
 */
export class Base {
  /** @param {ClientOptions} [options] */
  constructor(options = {}) {
    const here = globalThis.location?.origin;
    const url = options.url ?? environment.BELFRY_URL ?? (here?.startsWith('http') ? here : 'http://127.0.0.1:7117');
    /** @private */
    this.exchange = exchangeWith(url);
    this.url = url.startsWith('unix:') ? url : new URL(url).origin; // whatever else stood in it
    /** @protected */
    this.token = (options.token ?? environment.BELFRY_TOKEN ?? '').trim(); // as it was read from a file
    /** @protected */
    this.reached = false; // an answer has come from there before
    this.answerTimeoutMs = options.answerTimeoutMs ?? 75000;
    this.silenceMs = options.silenceMs ?? 45000;
    this.pausesMs = options.pausesMs ?? [100, 500, 2000];
    this.attempts = options.attempts ?? 6;
    this.wait = options.wait ?? sleep;
  }

  /**
   * One attempt; the answer as JSON.
   * @protected
   * @param {string} method
   * @param {string} target
   * @param {any} [body]
   * @returns {Promise<any>}
   */
  async once(method, target, body) {
    return jsonOf(successful(await this.send(method, target, body)));
  }

  /**
   * As many attempts as it takes, for what may be repeated without harm.
   * @protected
   * @param {string} method
   * @param {string} target
   * @param {any} [body]
   * @param {Record<string, string>} [headers]
   * @returns {Promise<any>}
   */
  async ask(method, target, body, headers) {
    return jsonOf(successful(await this.again(method, target, body, headers)));
  }

  /**
   * The same; any final status is an answer.
   * @protected
   * @param {string} method
   * @param {string} target
   * @param {any} [body]
   * @param {Record<string, string>} [headers]
   * @returns {Promise<Answer>}
   */
  async again(method, target, body, headers) {
    for (let attempt = 0; ; ++attempt) {
      let answer = null;
      let error;
      try {
        answer = await this.send(method, target, body, headers);
        if (answer.status < 400) return answer;
        error = errorOf(answer);
      } catch (failure) {
        if (!(failure instanceof BelfryError)) throw failure;
        error = failure;
      }
      // Nothing was ever sent to a daemon that was never there: the caller should hear of it now.
      const neverThere = !this.reached && error.code === 'unavailable';
      if (!error.mayPass || neverThere || attempt + 1 >= this.attempts) {
        if (!answer) throw error;
        return answer;
      }
      await this.wait(Math.max(this.pausesMs[Math.min(attempt, this.pausesMs.length - 1)], error.retryAfterMs));
    }
  }

  /**
   * One attempt; any status is an answer.
   * @protected
   * @param {string} method
   * @param {string} target
   * @param {any} [body] JSON, or an iterable of lines
   * @param {Record<string, string>} [headers]
   * @returns {Promise<Answer>}
   */
  async send(method, target, body, headers = {}) {
    const isStream = body?.[Symbol.asyncIterator] !== undefined;
    const outgoing = isStream ? body : body === undefined ? null : JSON.stringify(body);
    const patience = new AbortController();
    // An upload lasts as long as whoever makes it likes.
    const timer = isStream ? undefined : setTimeout(() => patience.abort(), this.answerTimeoutMs);
    try {
      const reply = await this.exchange({
        method, target, body: outgoing, signal: patience.signal, headers: this.headers(outgoing !== null, headers),
      });
      this.reached = true;
      return { status: reply.status, retryAfter: reply.header('retry-after'), text: await reply.text() };
    } catch (failure) {
      if (patience.signal.aborted) throw new BelfryError('timeout', `no answer in ${this.answerTimeoutMs} ms`);
      throw explain(failure, this.url, method);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * An answer that is read as it comes.
   * @package
   * @param {string} target
   * @param {AbortSignal} signal
   */
  async open(target, signal) {
    let reply;
    try {
      reply = await this.exchange({
        method: 'GET', target, body: null, signal, headers: this.headers(false, { Accept: 'text/event-stream' }),
      });
    } catch (failure) {
      throw explain(failure, this.url, 'GET');
    }
    this.reached = true;
    if (reply.status !== 200) {
      throw errorOf({ status: reply.status, retryAfter: reply.header('retry-after'), text: await reply.text() });
    }
    return reply.pieces();
  }

  /**
   * @template T
   * @protected
   * @param {import('./follow.js').Cursor<T>} cursor
   * @param {import('./follow.js').FollowOptions} options
   * @param {import('./follow.js').Opener} [open]
   * @returns {Following<T>}
   */
  following(cursor, options, open) {
    return new Following(this, cursor, options, open);
  }

  /** Whether an upload can go out while it is made. */
  get canStreamUp() {
    return canStreamUp;
  }

  /** @package */
  get wasReached() {
    return this.reached;
  }

  /**
   * @private
   * @param {boolean} hasBody
   * @param {Record<string, string>} more
   */
  headers(hasBody, more) {
    /** @type {Record<string, string>} */
    const headers = { Accept: 'application/json' };
    if (hasBody) headers['Content-Type'] = 'application/json';
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    return { ...headers, ...more };
  }
}

/** @param {Answer} answer */
export function errorOf(answer) {
  let document = null;
  try {
    document = JSON.parse(answer.text);
  } catch {
    // The status alone has to tell.
  }
  return problemError(answer.status, answer.retryAfter, document);
}

/** @param {Answer} answer */
export function jsonOf(answer) {
  if (answer.text === '') return null;
  try {
    return JSON.parse(answer.text);
  } catch {
    throw new BelfryError('malformed', 'the answer is no JSON; is this address Belfry\'s?', { status: answer.status });
  }
}

/** @param {Answer} answer */
function successful(answer) {
  if (answer.status >= 300) throw errorOf(answer);
  return answer;
}

export function newKey() {
  return `client-${newUuid()}`;
}

/** crypto.randomUUID exists in secure contexts only, and a page on a local network is none. */
export function newUuid() {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
