// Events in, streams out.
import { Base, errorOf, jsonOf, newKey } from './base.js';
import { EntryCursor, withQuery } from './cursors.js';
import { BelfryError } from './errors.js';
import { webSocketOpener } from './websocket_stream.js';

/** @import { Accepted, BatchResult, Entry, EventInput, StreamFilter, StreamState, Page } from '../types/wire.js' */
/** @import { Following, FollowOptions } from './follow.js' */

export class Events extends Base {
  /**
   * Sends an event, or a list of them; resolves when they are durable. It is tried again under one key, so that nothing
   * is taken twice. A refused event is thrown; of a list, the result tells each one.
   * @template {EventInput | EventInput[]} E
   * @param {E} events
   * @param {{idempotencyKey?: string}} [options]
   * @returns {Promise<E extends EventInput[] ? BatchResult : Accepted>}
   */
  async emit(events, options = {}) {
    const answer = await this.again('POST', '/v1/events', events, { 'Idempotency-Key': options.idempotencyKey ?? newKey() });
    if (answer.status < 300) return jsonOf(answer);
    const error = errorOf(answer);
    if (Array.isArray(events) && answer.status === 422 && error.problem.data) return /** @type {any} */ (error.problem);
    throw error;
  }

  /**
   * The streams that the caller may follow.
   * @returns {Promise<StreamState[]>}
   */
  async streams() {
    const all = [];
    for (let after = 0; ; ) {
      const page = await this.ask('GET', withQuery('/v1/streams', { limit: 1000, after: after || undefined }));
      all.push(...page.data);
      if (!page.next || page.next <= after) return all;
      after = page.next;
    }
  }

  /**
   * Entries after a position, oldest first.
   * @param {string} stream
   * @param {StreamFilter & {after?: number, limit?: number}} [query]
   * @returns {Promise<Page<Entry> & {gap?: {from: number, to: number}}>}
   */
  page(stream, query = {}) {
    return this.ask('GET', withQuery(`/v1/streams/${encodeURIComponent(stream)}`, { after: 0, ...query }));
  }

  /**
   * Entries {sequence, event} as they come, each once and in order, from `after` on, or from `start`: `live` (unless told)
   * or `start`. `{gap: {from, to}}` stands where entries are gone for good.
   * @param {string} [stream]
   * @param {StreamFilter & FollowOptions & {after?: number, start?: 'live' | 'start', via?: 'fetch' | 'websocket'}} [options]
   * @returns {Promise<Following<Entry>>}
   */
  async follow(stream = 'events', options = {}) {
    const { after, start = 'live', via, signal, onLost, onOpen, ...query } = options;
    // "From now on" becomes a position at once: what comes while a connection is down would be lost otherwise.
    const begin = after ?? (start === 'live' ? await this.#head(stream) : null);
    return this.following(new EntryCursor(`/v1/streams/${encodeURIComponent(stream)}`, query, begin), { signal, onLost, onOpen },
      via === 'websocket' ? webSocketOpener(this) : undefined);
  }

  /**
   * A one-time ticket for what cannot send a header: `?ticket=` on a stream or on /v1/rpc.
   * @returns {Promise<string>}
   */
  async ticket() {
    return (await this.once('POST', '/v1/tickets')).ticket;
  }

  /** @param {string} stream */
  async #head(stream) {
    const page = await this.ask('GET', withQuery('/v1/streams', { name: stream }));
    const found = page.data.find((/** @type {StreamState} */ one) => one.name === stream);
    if (!found) throw new BelfryError('not_found', `there is no stream "${stream}"`);
    return found.head;
  }
}
