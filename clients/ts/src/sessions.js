// For an agent's runtime: it reports what its agent does and pulls what the agent must know.
import { EntryCursor, withQuery } from './cursors.js';
import { Notifications } from './notifications.js';
import { webSocketOpener } from './websocket_stream.js';

/** @import { ItemLease, Json, MessageInput, Page, Point, PullInput, Pulled, Report, SelfNote, Session, SessionEntry, SessionInput, StreamState, ToolCallReport, TurnReport } from '../types/wire.js' */
/** @import { Following, FollowOptions } from './follow.js' */

/**
 * @param {string} session
 * @param {string} [what]
 */
const path = (session, what = '') => `/v1/sessions/${encodeURIComponent(session)}${what}`;

export class Sessions extends Notifications {
  /** The last hand-over that was got, by session.
   * @type {Map<string, string>} */
  #pulls = new Map();

  /**
   * With the last hand-over that was got in this session, unless the caller says which.
   * @template {{pull_id?: string}} T
   * @param {string} session
   * @param {T} body
   * @returns {T & {pull_id?: string}}
   */
  #naming(session, body) {
    const last = this.#pulls.get(session);
    return last === undefined ? body : { pull_id: last, ...body };
  }

  /**
   * Makes a session, or changes what is given of it. A budget sets the count back.
   * @param {string} session
   * @param {SessionInput} [given]
   * @returns {Promise<Session>}
   */
  putSession(session, given = {}) {
    return this.ask('PUT', path(session), given);
  }

  /**
   * @param {string} session
   * @returns {Promise<Session>}
   */
  session(session) {
    return this.ask('GET', path(session));
  }

  /**
   * @param {{user?: string, after?: string, limit?: number}} [query]
   * @returns {Promise<Page<Session>>}
   */
  sessions(query = {}) {
    return this.ask('GET', withQuery('/v1/sessions', query));
  }

  /**
   * Forgets it. What it still had to be told goes to its user.
   * @param {string} session
   * @returns {Promise<void>}
   */
  async removeSession(session) {
    await this.once('DELETE', path(session));
  }

  /**
   * Adds a message. With `deliver` a user's message waits for the agent like one sent by `Sender`.
   * @param {string} session
   * @param {string} role
   * @param {string} content
   * @param {MessageInput} [more]
   * @returns {Promise<Json>}
   */
  postMessage(session, role, content, more = {}) {
    return this.once('POST', path(session, '/messages'), { role, content, ...more });
  }

  /**
   * @param {string} session
   * @param {{shape?: 'path' | 'tree', node?: string, after?: string, limit?: number}} [query]
   * @returns {Promise<Json>}
   */
  history(session, query = {}) {
    return this.ask('GET', withQuery(path(session, '/history'), query));
  }

  /**
   * What happens in a conversation, an entry each: which message, node, turn or question, without its words. From `after` on,
   * or from `start`: `live` (unless told) or `start`. Ends when the session is deleted. `{gap: {from, to}}` stands where
   * entries are gone for good.
   * @param {string} session
   * @param {FollowOptions & {after?: number, start?: 'live' | 'start', via?: 'fetch' | 'websocket'}} [options]
   * @returns {Promise<Following<SessionEntry>>}
   */
  async followSession(session, { after, start = 'live', via, ...options } = {}) {
    // "From now on" becomes a position at once: what comes while a connection is down would be lost otherwise.
    const begin = after ?? (start === 'live' ? await this.#headOf(session) : null);
    /** @type {any} */
    const cursor = new EntryCursor(path(session, '/stream'), {}, begin);
    return this.following(cursor, options, via === 'websocket' ? webSocketOpener(this) : undefined);
  }

  /**
   * Of a session that nobody has followed yet, and where nothing happened since its daemon tells of sessions, 0.
   * @param {string} session
   */
  async #headOf(session) {
    const page = await this.ask('GET', withQuery('/v1/streams', { name: `session:${session}` }));
    return page.data.map((/** @type {StreamState} */ one) => one.head)[0] ?? 0;
  }

  /**
   * A turn begins or ends.
   * @param {string} session
   * @param {'start' | 'end'} event
   * @param {TurnReport} [more]
   * @returns {Promise<Report>}
   */
  async reportTurn(session, event, more = {}) {
    const report = await this.once('POST', path(session, '/turns'), this.#naming(session, { event, ...more }));
    if (event === 'end') this.#pulls.delete(session);
    return report;
  }

  /**
   * A tool is called, or was. success needs `duration_ms`, failure its error's type and message, timeout `timeout_ms`.
   * @param {string} session
   * @param {'pending' | 'success' | 'failure' | 'timeout'} status
   * @param {ToolCallReport} call
   * @returns {Promise<Report>}
   */
  reportToolCall(session, status, call) {
    return this.once('POST', path(session, '/tool-calls'), this.#naming(session, { status, ...call }));
  }

  /**
   * The agent's note to itself, now or later.
   * @param {string} session
   * @param {string} message
   * @param {SelfNote} [more]
   * @returns {Promise<{event_id: string | null, reminder_id: string | null}>}
   */
  notifySelf(session, message, more = {}) {
    return this.once('POST', path(session, '/notify-self'), { message, ...more });
  }

  /**
   * What is due at this point of the agent's turn, under a lease. With a format, `messages` is ready for that model
   * interface.
   * @param {string} session
   * @param {Point} point
   * @param {PullInput} [more]
   * @returns {Promise<Pulled>}
   */
  async pull(session, point, { format, ...more } = {}) {
    const body = this.#naming(session, { point, ...more });
    const pulled = await this.once('POST', withQuery(path(session, '/pull'), { format }), body);
    this.#pulls.set(session, pulled.pull_id);
    return pulled;
  }

  /**
   * What was handed over has arrived: all of a pull, or single items. Resolves to how many ended with it.
   * @param {string} session
   * @param {{pull_id: string} | {items: ItemLease[]}} what
   * @returns {Promise<number>}
   */
  async acknowledge(session, what) {
    return (await this.ask('POST', path(session, '/acknowledge'), what)).acknowledged;
  }

  /**
   * A turn goes on: what the caller holds stays held.
   * @param {string} session
   * @param {{lease_s?: number, pull_id?: string, leases?: ItemLease[]}} [more]
   * @returns {Promise<Json>}
   */
  heartbeat(session, more = {}) {
    return this.ask('POST', path(session, '/heartbeat'), this.#naming(session, more));
  }

  /**
   * A preview of a pull; it changes nothing.
   * @param {string} session
   * @param {{point?: Point, budget_tokens?: number, context?: boolean | string[]}} [query]
   * @returns {Promise<Json>}
   */
  context(session, query = {}) {
    const { context: wanted, ...more } = query;
    const context = Array.isArray(wanted) ? wanted.join(',') || undefined : wanted ? 'true' : undefined;
    return this.ask('GET', withQuery(path(session, '/context'), { ...more, context }));
  }
}
