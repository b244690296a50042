// For whoever looks after a daemon: its figures, its subscribers, its peers, and what could not be delivered.
import { errorOf, jsonOf } from './base.js';
import { Client } from './client.js';
import { withQuery } from './cursors.js';

/** @import { Json, LedgerSummary, Me, MergeNote, Notification, Page, PairingCode, Peer, Rehearsal, SinkCall, Status, Subscriber, SubscriberProblem, SyncStatus } from '../types/wire.js' */

export class Operator extends Client {
  /**
   * Who the caller is, and which daemon answers.
   * @returns {Promise<Me>}
   */
  me() {
    return this.once('GET', '/v1/me');
  }

  /**
   * Whether events can be taken in: `ready`, or what is in the way. It needs no token.
   * @returns {Promise<Status['readiness']>}
   */
  async readiness() {
    return jsonOf(await this.send('GET', '/readyz')).status;
  }

  /**
   * What the daemon knows about itself.
   * @returns {Promise<Status>}
   */
  status() {
    return this.once('GET', '/v1/status');
  }

  /**
   * Its figures, in the text form of Prometheus.
   * @returns {Promise<string>}
   */
  async metrics() {
    const answer = await this.send('GET', '/metrics');
    if (answer.status >= 300) throw errorOf(answer);
    return answer.text;
  }

  /**
   * The subscribers, whether they are on for a user, and what is wrong with their files.
   * @param {{user?: string, after?: string, limit?: number}} [query]
   * @returns {Promise<Page<Subscriber> & {user_id: string | null, problems: SubscriberProblem[]}>}
   */
  subscribers(query = {}) {
    return this.ask('GET', withQuery('/v1/subscribers', query));
  }

  /**
   * Switches one on or off for a user. Core ones stay on: conflict.
   * @param {string} id
   * @param {boolean} enabled
   * @param {{user_id?: string}} [more]
   * @returns {Promise<Subscriber>}
   */
  switchSubscriber(id, enabled, more = {}) {
    return this.ask('PUT', `/v1/subscribers/${encodeURIComponent(id)}`, { enabled, ...more });
  }

  /**
   * What it would make of these events, or of made-up ones. Nothing is changed by it.
   * @param {string} id
   * @param {{events?: Json[]}} [more]
   * @returns {Promise<Rehearsal>}
   */
  testSubscriber(id, more = {}) {
    return this.once('POST', `/v1/subscribers/${encodeURIComponent(id)}/test`, more);
  }

  /**
   * How many notifications are in which state.
   * @param {{user?: string}} [query]
   * @returns {Promise<LedgerSummary>}
   */
  ledgerSummary(query = {}) {
    return this.ask('GET', withQuery('/v1/ledger/summary', query));
  }

  /**
   * Notifications that failed, and why, oldest first unless told.
   * @param {{user?: string, session?: string, subscriber?: string, outcome?: string, search?: string, older_than_s?: number, order?: 'oldest' | 'newest', after?: number, limit?: number}} [query]
   * @returns {Promise<Page<Notification>>}
   */
  deadLetters(query = {}) {
    return this.ask('GET', withQuery('/v1/dead-letters', query));
  }

  /**
   * Calls of sinks that were given up, the latest first.
   * @param {{after?: string, limit?: number}} [query]
   * @returns {Promise<Page<SinkCall>>}
   */
  givenUpCalls(query = {}) {
    return this.ask('GET', withQuery('/v1/dead-letters/sinks', query));
  }

  /**
   * Makes such a call again.
   * @param {string} id
   * @returns {Promise<void>}
   */
  async retryCall(id) {
    await this.once('POST', `/v1/dead-letters/sinks/${encodeURIComponent(id)}/retry`);
  }

  /**
   * The devices that share what is here, how the link with each stands, and what is behind.
   * @returns {Promise<Page<Peer>>}
   */
  peers() {
    return this.ask('GET', '/v1/peers');
  }

  /**
   * A code to type on another device; the one before it is worth nothing any more. Where this device does not listen: conflict.
   * @returns {Promise<PairingCode>}
   */
  beginPairing() {
    return this.once('POST', '/v1/peers/pairing');
  }

  /**
   * Pairs this device with the one that shows this code, `at` its host and port.
   * @param {string} code
   * @param {string} at
   * @param {{name?: string}} [more]
   * @returns {Promise<Peer>}
   */
  pair(code, at, more = {}) {
    return this.once('POST', '/v1/peers', { code, at, ...more });
  }

  /**
   * Tells a device nothing any more, and does not listen to it.
   * @param {string} peer its id, the beginning of it that only one has, or its name
   * @returns {Promise<Peer>}
   */
  revokePeer(peer) {
    return this.ask('DELETE', `/v1/peers/${encodeURIComponent(peer)}`);
  }

  /**
   * How this device and its peers stand.
   * @returns {Promise<SyncStatus>}
   */
  syncStatus() {
    return this.ask('GET', '/v1/sync/status');
  }

  /**
   * What was decided between two devices, the newest first.
   * @param {{before?: number, limit?: number}} [query]
   * @returns {Promise<Page<MergeNote>>}
   */
  merges(query = {}) {
    return this.ask('GET', withQuery('/v1/sync/merges', query));
  }

  /**
   * One number for all that devices have in common. It reads everything.
   * @returns {Promise<{digest: string, records: number, has: Record<string, number>}>}
   */
  syncDigest() {
    return this.once('GET', '/v1/sync/digest');
  }

  /**
   * The access token behind a one-time link; it can be had once.
   * @param {string} code
   * @returns {Promise<{token: string, role: string, user_id: string | null, expires_at: string | null}>}
   */
  redeemLink(code) {
    return this.once('POST', '/v1/links/redeem', { code });
  }
}
