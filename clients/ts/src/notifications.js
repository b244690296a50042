// Notifications to people and agents, and a person's inbox.
import { newKey } from './base.js';
import { InboxCursor, withQuery } from './cursors.js';
import { Events } from './events.js';
import { webSocketOpener } from './websocket_stream.js';

/** @import { InboxMessage, Json, Notification, NotificationInput, Page } from '../types/wire.js' */
/** @import { Following, FollowOptions } from './follow.js' */

/**
 * @param {string} id
 * @param {string} [what]
 * @param {string} [session]
 */
const path = (id, what = '', session = undefined) => withQuery(`/v1/notifications/${encodeURIComponent(id)}${what}`, { session });

export class Notifications extends Events {
  /**
   * Notifies a user or an agent directly. The request is repeated under one idempotency key, by default a new one, so that
   * the notification is made once.
   * @param {string} text
   * @param {NotificationInput & {idempotencyKey?: string}} [more]
   * @returns {Promise<Notification>}
   */
  notify(text, { idempotencyKey = newKey(), ...more } = {}) {
    return this.ask('POST', '/v1/notifications', { text, ...more }, { 'Idempotency-Key': idempotencyKey });
  }

  /**
   * By id, or in a session by handle.
   * @param {string} id
   * @param {{session?: string}} [options]
   * @returns {Promise<Notification>}
   */
  notification(id, options = {}) {
    return this.ask('GET', path(id, '', options.session));
  }

  /**
   * The ledger, oldest first unless told.
   * @param {{user?: string, session?: string, subscriber?: string, state?: string, outcome?: string, search?: string, older_than_s?: number,
   *   open?: boolean, order?: 'oldest' | 'newest', after?: number, limit?: number}} [query]
   * @returns {Promise<Page<Notification>>}
   */
  notifications(query = {}) {
    return this.ask('GET', withQuery('/v1/notifications', query));
  }

  /**
   * A person's interface has shown it. Lease and version are those of what was shown; stale ones are refused.
   * @param {string} id
   * @param {{lease: number, version: number, how?: string, session?: string}} shown
   * @returns {Promise<Notification>}
   */
  acknowledgeNotification(id, { lease, version, how = 'rendered', session }) {
    return this.once('POST', path(id, '/ack', session), { lease, version, how });
  }

  /**
   * What the person has done with it.
   * @param {string} id
   * @param {'seen' | 'acted' | 'dismissed'} mark
   * @param {{session?: string}} [options]
   * @returns {Promise<Notification>}
   */
  markNotification(id, mark, options = {}) {
    return this.once('POST', path(id, '/read', options.session), { mark });
  }

  /**
   * The agent tells the user in its own text. It is delivered when an interface of the user has shown it. A stale lease,
   * or a version that is not the newest, is rejected.
   * @param {string} session
   * @param {string} id a handle of the session, or an id
   * @param {{lease: number, text: string, version?: number}} words
   * @returns {Promise<Notification>}
   */
  narrate(session, id, { lease, text, version }) {
    return this.once('POST', path(id, '/narrate', session), { lease, text, version });
  }

  /**
   * Sends a dead letter again, as a new notification.
   * @param {string} id
   * @param {{session?: string}} [options]
   * @returns {Promise<Notification>}
   */
  retryNotification(id, options = {}) {
    return this.once('POST', path(id, '/retry', options.session));
  }

  /**
   * Newest first, with the counts of unread and waiting.
   * @param {{user?: string, session?: string, unread?: boolean, before?: number, limit?: number}} [query]
   * @returns {Promise<{data: Notification[], unread: number, waiting: number} & Json>}
   */
  inbox(query = {}) {
    return this.ask('GET', withQuery('/v1/inbox', query));
  }

  /**
   * Is an interface of this person: what waits, oldest first, then {type: 'caught_up'}, then what comes. After a lost
   * connection what still waits comes again: acknowledge what you have shown.
   * @param {{user?: string, session?: string, via?: 'fetch' | 'websocket'} & FollowOptions} [options]
   * @returns {Following<InboxMessage>}
   */
  followInbox({ user, session, via, ...options } = {}) {
    return this.following(new InboxCursor({ user, session }), options, via === 'websocket' ? webSocketOpener(this) : undefined);
  }

  /**
   * The whole way of an event or a notification.
   * @param {string} id
   * @param {{session?: string}} [options]
   * @returns {Promise<Json>}
   */
  why(id, options = {}) {
    return this.ask('GET', withQuery(`/v1/why/${encodeURIComponent(id)}`, { session: options.session }));
  }
}
