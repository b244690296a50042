// The streams that can be followed: entries of a log, a run, an inbox.
import { dataOf, endedBy } from './follow.js';

/** @typedef {import('./sse.js').SseMessage} SseMessage */

/**
 * The path with what is given of a query.
 * @param {string} path
 * @param {Record<string, unknown>} members
 */
export function withQuery(path, members) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined && value !== null) query.set(name, String(value)); // a list becomes words with commas
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

/** Entries of a stream: each once and in order. */
export class EntryCursor {
  ended = false;

  /**
   * @param {string} path
   * @param {Record<string, unknown>} query
   * @param {number | null} after
   */
  constructor(path, query, after) {
    this.path = path;
    this.query = query;
    this.last = after;
  }

  target() {
    return withQuery(this.path, { ...(this.last === null ? { from: 'start' } : { after: this.last }), ...this.query });
  }

  /**
   * @param {SseMessage} message
   * @returns {import('../types/wire.js').Entry[]}
   */
  take(message) {
    if (message.event === 'close') {
      this.ended = endedBy(message);
      return [];
    }
    const data = dataOf(message);
    const last = this.last ?? 0;
    if (message.event === 'gap') {
      this.last = Math.max(last, data.to);
      return [{ gap: data }];
    }
    if (message.event !== 'message' || data.sequence <= last) return [];
    this.last = data.sequence;
    return [data];
  }
}

/**
 * Events of a run or a tree of runs. The position is the id of the message, which is the stream's own sequence.
 *
 * In another format one event may become several messages, of which the last one has the id. Where a connection breaks
 * between them, the next one brings them all again: as many as were handed on already are passed over.
 */
export class RunCursor {
  ended = false;
  #since = 0; // messages that came after the last position
  #skip = 0;

  /**
   * @param {string} path
   * @param {Record<string, unknown>} query
   * @param {number | null} after
   */
  constructor(path, query, after) {
    this.path = path;
    this.query = query;
    this.last = after;
    this.isNative = !query.format;
  }

  target() {
    this.#skip = this.#since;
    this.#since = 0;
    return withQuery(this.path, { ...(this.last === null ? { from: 'start' } : { after: this.last }), ...this.query });
  }

  /**
   * @param {SseMessage} message
   * @returns {any[]}
   */
  take(message) {
    if (message.event === 'close') {
      this.ended = endedBy(message);
      return [];
    }
    if (message.event === 'store') return []; // a word about the server, no event of the run
    const data = dataOf(message);
    if (message.event === 'gap') {
      this.last = Math.max(this.last ?? 0, data.to);
      return [{ event: 'gap', data }];
    }
    const position = message.id === '' ? this.last : Number(message.id);
    const isNew = position !== null && (this.last === null || position > this.last);
    if (isNew) this.last = position;
    if (this.isNative) return isNew ? [data] : [];
    const isKnown = ++this.#since <= this.#skip;
    if (isNew) this.#since = this.#skip = 0;
    return isKnown ? [] : [data];
  }
}

/** A person's inbox. There is no position: whoever comes back is sent what still waits. */
export class InboxCursor {
  ended = false;

  /** @param {Record<string, unknown>} query */
  constructor(query) {
    this.query = query;
  }

  target() {
    return withQuery('/v1/inbox/live', this.query);
  }

  /**
   * @param {SseMessage} message
   * @returns {import('../types/wire.js').InboxMessage[]}
   */
  take(message) {
    if (message.event === 'close') {
      this.ended = endedBy(message);
      return [];
    }
    const data = dataOf(message);
    return data.type === undefined ? [] : [data];
  }
}
