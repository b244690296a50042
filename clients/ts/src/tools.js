// Tools that are registered with Belfry, and the work of whoever carries them out.
import { withQuery } from './cursors.js';
import { Timers } from './timers.js';

/** @import { Json, Page, Tool, ToolCall, ToolInput } from '../types/wire.js' */

/**
 * @param {string} callId
 * @param {string} [what]
 */
const path = (callId, what = '') => `/v1/tool-calls/${encodeURIComponent(callId)}${what}`;

export class Tools extends Timers {
  /**
   * Registers a tool, or registers it anew. With an `execution` agents call it through Belfry.
   * @param {string} name
   * @param {ToolInput} tool
   * @returns {Promise<Tool>}
   */
  putTool(name, tool) {
    return this.ask('PUT', `/v1/tools/${encodeURIComponent(name)}`, tool);
  }

  /**
   * For a worker: the oldest call of these tools that waits for one, or null where there was none in `wait_s` (at most 60). It is
   * the caller's until its lease runs out; `renewToolCall` prolongs it. Tried once: what a lost answer granted is free again when
   * its lease has run out, under the same `operation_id`.
   * @param {string[]} tools
   * @param {{holder?: string, lease_s?: number, wait_s?: number}} [more]
   * @returns {Promise<ToolCall | null>}
   */
  async claimToolCall(tools, more = {}) {
    return (await this.once('POST', '/v1/tool-calls/claim', { tools, ...more })) ?? null;
  }

  /**
   * The work goes on. Refused with conflict (`stale_claim`) where it is not the caller's any more: stop then.
   * @param {Pick<ToolCall, 'id' | 'fence'>} call
   * @param {{lease_s?: number}} [more]
   * @returns {Promise<ToolCall>}
   */
  renewToolCall(call, more = {}) {
    return this.once('POST', path(call.id, '/renew'), { fence: call.fence, ...more });
  }

  /**
   * What came of it: a result or an error, which both end it; or with `release: true` it is given back as if it had not been
   * claimed.
   * @param {Pick<ToolCall, 'id' | 'fence'>} call
   * @param {{result?: Json, error?: {code: string, message?: string}, release?: boolean}} outcome
   * @returns {Promise<ToolCall>}
   */
  endToolCall(call, outcome) {
    return this.once('POST', path(call.id, '/end'), { fence: call.fence, ...outcome });
  }

  /**
   * @param {string} callId
   * @returns {Promise<ToolCall>}
   */
  toolCall(callId) {
    return this.ask('GET', path(callId));
  }

  /**
   * Newest first.
   * @param {{user?: string, agent?: string, tool?: string, state?: ToolCall['state'], after?: string, limit?: number}} [query]
   * @returns {Promise<Page<ToolCall>>}
   */
  toolCalls(query = {}) {
    return this.ask('GET', withQuery('/v1/tool-calls', { ...query }));
  }
}
