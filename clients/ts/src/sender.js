// Messages of a person or a program to a running agent, with receipts, and a short patience when the line is down.
import { newUuid } from './base.js';
import { BelfryError } from './errors.js';
import { LineError, RpcConnection, RpcError, UNAVAILABLE } from './rpc.js';

/** @import { Receipt } from '../types/wire.js' */

export const RETRYING = 'Connection lost, retrying...';
export const FAILED = 'Failed to send notification';

const PAUSES_MS = [100, 500, 2000]; // before the second, third and fourth attempt
const QUEUE_MAX = 10;
const WAIT_MS_MAX = 10000;
const BYTES_MAX = 1048576; // of one message as JSON
const CONNECT_MS_MAX = 800; // with showing the token
const ATTEMPT_MS_MAX = 1800; // so that four of them and the pauses fit into ten seconds ...
const BYTES_A_MS = 262.144; // ... of what is small; what is large may take longer
const SILENCE_MS_MAX = 700; // who waits has to hear of a lost connection within a second
const METHOD = 'client/user_message';

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
  #address;
  #token;
  #caFile;
  #onFeedback;
  #clock;
  #wait;
  /** @type {Queued[]} the first is the one that is being sent */
  #queue = [];
  #isWorking = false;
  #isLost = false; // the line is down, as far as is known
  #isClosed = false;
  /** @type {RpcConnection | null} */
  #connection = null;
  #endPause = () => {};

  /**
   * @param {string} address in Node `unix:/path` (the daemon's belfry-rpc.sock), `tcp://host:port`, or `tcps://host:port` where the
   *   daemon has a certificate; `ws://host:port` or `wss://host:port`
   * @param {SenderOptions} [options]
   */
  constructor(address, options = {}) {
    this.#address = address;
    this.#token = options.token ?? '';
    this.#caFile = options.caFile;
    this.#onFeedback = options.onFeedback;
    this.#clock = options.clock ?? (() => performance.now());
    this.#wait = options.wait ?? ((ms) => this.#sleep(ms));
  }

  /**
   * Resolves with the receipt. A refusal of the server is thrown as RpcError; a message that was given up, or not taken
   * (ten wait already, too large), as BelfryError: unavailable, overloaded, too_large.
   * @param {string} sessionId
   * @param {string} [messageType]
   * @param {any} [payload]
   * @param {{timestamp?: string, messageId?: string}} [more]
   * @returns {Promise<Receipt>}
   */
  send(sessionId, messageType = 'user_input', payload = undefined, more = {}) {
    const message = {
      session_id: sessionId,
      message_type: messageType,
      payload,
      timestamp: more.timestamp ?? new Date().toISOString(),
      message_id: more.messageId ?? newUuid(),
    };
    if (this.#isClosed) return Promise.reject(new BelfryError('unavailable', 'this sender is closed'));
    return new Promise((resolve, reject) => {
      const queued = { message, bytes: bytesOf(message), deadline: this.#clock() + WAIT_MS_MAX, told: false, resolve, reject };
      if (queued.bytes > BYTES_MAX) throw new BelfryError('too_large', 'Notification payload exceeds 1MB size limit', { field: 'payload' });
      if (this.#queue.length >= QUEUE_MAX) throw new BelfryError('overloaded', `${QUEUE_MAX} messages wait already`);
      this.#queue.push(queued);
      if (this.#isLost) queueMicrotask(() => { if (this.#isLost) this.#tellWaiting(); });
      this.#work();
    });
  }

  /** Ends it. What still waits is given up, and reported. */
  close() {
    this.#isClosed = true;
    const waiting = this.#queue.splice(0);
    this.#drop();
    this.#endPause();
    for (const queued of waiting) this.#giveUp(queued, new BelfryError('unavailable', `${FAILED}: the sender was closed`));
  }

  async #work() {
    if (this.#isWorking) return;
    this.#isWorking = true;
    while (this.#queue.length > 0) {
      const first = this.#queue[0];
      /** @type {any} */
      let outcome;
      /** @type {any} */
      let refusal = null; // of the server, or what else another attempt would not mend
      try {
        outcome = await this.#deliver(first);
      } catch (failure) {
        refusal = failure;
      }
      if (this.#queue[0] !== first) break; // closed meanwhile
      this.#queue.shift();
      if (this.#queue.length === 0) this.#isLost = false;
      if (refusal) first.reject(refusal);
      else if (outcome instanceof BelfryError) this.#giveUp(first, outcome);
      else first.resolve(outcome);
    }
    this.#isWorking = false;
  }

  /**
   * The receipt, or why it was given up. The server's refusal is thrown.
   * @param {Queued} queued
   * @returns {Promise<Receipt | BelfryError>}
   */
  async #deliver(queued) {
    let why = '';
    for (const pauseMs of [...PAUSES_MS, null]) {
      const leftMs = queued.deadline - this.#clock();
      if (this.#isClosed) break;
      if (leftMs <= 0) return new BelfryError('unavailable', `${FAILED}: it has waited too long`);
      try {
        const receipt = await this.#attempt(queued, leftMs);
        this.#isLost = false;
        return receipt;
      } catch (failure) {
        const isLine = failure instanceof LineError || (failure instanceof RpcError && failure.code === UNAVAILABLE);
        if (!isLine) {
          this.#isLost = false;
          throw failure;
        }
        why = failure.message;
        if (failure instanceof LineError) this.#drop();
      }
      if (pauseMs === null || this.#isClosed) break;
      this.#tellWaiting();
      await this.#wait(Math.min(pauseMs, Math.max(queued.deadline - this.#clock(), 0)));
    }
    return new BelfryError('unavailable', `${FAILED}: ${why}`);
  }

  /**
   * @param {Queued} queued
   * @param {number} leftMs
   * @returns {Promise<Receipt>}
   */
  async #attempt({ message, bytes }, leftMs) {
    const begin = performance.now();
    const timeMs = Math.min(ATTEMPT_MS_MAX + bytes / BYTES_A_MS, leftMs);
    const timer = setTimeout(() => this.#tellWaiting(), SILENCE_MS_MAX);
    try {
      if (this.#connection?.isLost) this.#drop();
      this.#connection ??= await this.#connect(Math.min(CONNECT_MS_MAX, timeMs));
      const timeoutMs = Math.max(timeMs - (performance.now() - begin), 0);
      return await this.#connection.call(METHOD, message, { timeoutMs, id: message.message_id });
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {number} connectTimeoutMs */
  async #connect(connectTimeoutMs) {
    const made = await RpcConnection.open(this.#address, { token: this.#token, caFile: this.#caFile, connectTimeoutMs });
    if (!this.#isClosed) return made;
    made.close(); // what was given up must not be sent any more
    throw new LineError('the sender was closed');
  }

  /**
   * @param {number} ms
   * @returns {Promise<void>}
   */
  #sleep(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #drop() {
    this.#connection?.close();
    this.#connection = null;
  }

  #tellWaiting() {
    this.#isLost = true;
    for (const queued of this.#queue) {
      if (queued.told) continue;
      queued.told = true;
      this.#say(RETRYING, queued.message);
    }
  }

  /**
   * @param {Queued} queued
   * @param {BelfryError} why
   */
  #giveUp(queued, why) {
    this.#say(FAILED, queued.message);
    queued.reject(why);
  }

  /**
   * @param {string} words
   * @param {Sending} message
   */
  #say(words, message) {
    try {
      this.#onFeedback?.(words, message);
    } catch (failure) {
      console.error('onFeedback failed', failure);
    }
  }
}

/** @param {Sending} message */
function bytesOf(message) {
  const call = { jsonrpc: '2.0', id: message.message_id, method: METHOD, params: message };
  return new TextEncoder().encode(JSON.stringify(call)).length;
}
