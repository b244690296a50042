// Questions of an agent to a person.
import { withQuery } from './cursors.js';
import { Journal } from './journal.js';

/** @import { Interaction, InteractionAnswer, InteractionInput, Page } from '../types/wire.js' */

const WAIT_S = 30; // of one long poll; the daemon allows 60

export class Interactions extends Journal {
  /**
   * Asks whether a tool may be used, or for a small form to be filled in. Without an answer in time it is denied, or
   * cancelled.
   * @param {string} session
   * @param {'confirmation' | 'elicitation'} kind
   * @param {string} message
   * @param {InteractionInput} [more]
   * @returns {Promise<Interaction>}
   */
  askPerson(session, kind, message, more = {}) {
    return this.once('POST', `/v1/sessions/${encodeURIComponent(session)}/interactions`, { kind, message, ...more });
  }

  /**
   * As it is now, or when it is answered, but not later than after `wait_s` (60 at the most).
   * @param {string} id
   * @param {{wait_s?: number}} [options]
   * @returns {Promise<Interaction>}
   */
  interaction(id, options = {}) {
    return this.ask('GET', withQuery(`/v1/interactions/${encodeURIComponent(id)}`, { wait_s: options.wait_s }));
  }

  /**
   * Waits until it is answered or has expired.
   * @param {string} id
   * @returns {Promise<Interaction>}
   */
  async awaitInteraction(id) {
    for (;;) {
      const found = await this.interaction(id, { wait_s: WAIT_S });
      if (found.state !== 'pending') return found;
    }
  }

  /**
   * `always_allowed`: only those by which a tool is used in its session without asking.
   * @param {{session?: string, user?: string, state?: string, always_allowed?: true}} [query]
   * @returns {Promise<Page<Interaction>>}
   */
  interactions(query = {}) {
    return this.ask('GET', withQuery('/v1/interactions', query));
  }

  /**
   * A person's answer: `decision` to a confirmation, `action` (and content) to an elicitation. It needs a person's
   * credential.
   * @param {string} id
   * @param {InteractionAnswer} answer
   * @returns {Promise<Interaction>}
   */
  answerInteraction(id, answer) {
    return this.once('POST', `/v1/interactions/${encodeURIComponent(id)}/answer`, answer);
  }

  /**
   * The tool that was allowed for good by this answer is asked for again. It needs a person's credential.
   * @param {string} id
   * @returns {Promise<Interaction>}
   */
  takeBackAllowance(id) {
    return this.once('DELETE', `/v1/interactions/${encodeURIComponent(id)}/always-allowed`);
  }
}
