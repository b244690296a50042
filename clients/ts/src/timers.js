// What wakes agents by the clock.
import { Agents } from './agents.js';
import { withQuery } from './cursors.js';

/** @import { Page, Timer, TimerInput, TimerPatch } from '../types/wire.js' */

/**
 * @param {string} agentId
 * @param {string} [timerId]
 */
const path = (agentId, timerId) =>
  `/v1/agents/${encodeURIComponent(agentId)}/timers${timerId === undefined ? '' : `/${encodeURIComponent(timerId)}`}`;

export class Timers extends Agents {
  /**
   * Wakes an agent by a schedule. May be repeated: the timer that is there under its name and is like this is given; another
   * one of this name is refused with conflict (`taken`). With `dry_run` it is only said what would be.
   * @param {string} agentId
   * @param {TimerInput} timer
   * @returns {Promise<Timer>}
   */
  addTimer(agentId, timer) {
    return this.ask('POST', path(agentId), timer);
  }

  /**
   * @param {string} agentId
   * @param {string} timerId
   * @returns {Promise<Timer>}
   */
  timer(agentId, timerId) {
    return this.ask('GET', path(agentId, timerId));
  }

  /**
   * Those of one agent, or all that the caller may see: whichever fires next comes first.
   * @param {{agent?: string, user?: string, after?: string, limit?: number}} [query]
   * @returns {Promise<Page<Timer>>}
   */
  timers({ agent, ...query } = {}) {
    return this.ask('GET', withQuery(agent === undefined ? '/v1/timers' : path(agent), query));
  }

  /**
   * What is named changes; another zone keeps the wall time.
   * @param {string} agentId
   * @param {string} timerId
   * @param {TimerPatch} patch
   * @returns {Promise<Timer>}
   */
  changeTimer(agentId, timerId, patch) {
    return this.once('PATCH', path(agentId, timerId), patch);
  }

  /**
   * @param {string} agentId
   * @param {string} timerId
   * @returns {Promise<void>}
   */
  async removeTimer(agentId, timerId) {
    await this.once('DELETE', path(agentId, timerId));
  }
}
