// Agents that wake: records of them, what wakes them, and the work of a worker.
import { withQuery } from './cursors.js';
import { Runs } from './runs.js';

/** @import { Agent, AgentFilter, AgentInput, AgentMessage, AgentMessageInput, AgentPatch, CalledTool, Page, Plan, PlannedActionInput, Tool, ToolCallInput, Wake, WakeFilter, WakeGrant, WakeInput, WakeSignal, WakeSubscription, WakeSubscriptionInput } from '../types/wire.js' */
/** @typedef {{id: number, fence: number}} Claim */

/**
 * @param {string} agentId
 * @param {string} [what]
 */
const path = (agentId, what = '') => `/v1/agents/${encodeURIComponent(agentId)}${what}`;

/**
 * @param {number} wakeId
 * @param {string} [what]
 */
const wakePath = (wakeId, what = '') => `/v1/wakes/${encodeURIComponent(wakeId)}${what}`;

export class Agents extends Runs {
  /**
   * Makes an agent. May be repeated: the one that is there and is like this is given; another one of this id is refused with
   * conflict (`taken`).
   * @param {AgentInput} agent
   * @returns {Promise<Agent>}
   */
  createAgent(agent) {
    return this.ask('POST', '/v1/agents', agent);
  }

  /**
   * @param {string} agentId
   * @returns {Promise<Agent>}
   */
  agent(agentId) {
    return this.ask('GET', path(agentId));
  }

  /**
   * By id.
   * @param {AgentFilter} [query]
   * @returns {Promise<Page<Agent>>}
   */
  agents(query = {}) {
    return this.ask('GET', withQuery('/v1/agents', { ...query }));
  }

  /**
   * What is named changes.
   * @param {string} agentId
   * @param {AgentPatch} patch
   * @returns {Promise<Agent>}
   */
  changeAgent(agentId, patch) {
    return this.once('PATCH', path(agentId), patch);
  }

  /**
   * For good: its wakes end as destroyed, and what its worker still says is refused.
   * @param {string} agentId
   * @returns {Promise<Agent>}
   */
  destroyAgent(agentId) {
    return this.once('DELETE', path(agentId));
  }

  /**
   * Wakes it by these events or changes. May be repeated: the same rule is there once.
   * @param {string} agentId
   * @param {WakeSubscriptionInput} rule
   * @returns {Promise<WakeSubscription>}
   */
  subscribeAgent(agentId, rule) {
    return this.ask('POST', path(agentId, '/subscriptions'), rule);
  }

  /**
   * By id.
   * @param {string} agentId
   * @param {{after?: string, limit?: number}} [query]
   * @returns {Promise<Page<WakeSubscription>>}
   */
  wakeSubscriptions(agentId, query = {}) {
    return this.ask('GET', withQuery(path(agentId, '/subscriptions'), query));
  }

  /**
   * @param {string} agentId
   * @param {string} subscriptionId
   * @returns {Promise<void>}
   */
  async unsubscribeAgent(agentId, subscriptionId) {
    await this.once('DELETE', path(agentId, `/subscriptions/${encodeURIComponent(subscriptionId)}`));
  }

  /**
   * Wakes it now: by hand, or with a `session_id` because its person says something there. With a `request_id`, or a
   * `turn_id`, it may be repeated: the same wakes once.
   * @param {string} agentId
   * @param {WakeInput} [wish]
   * @returns {Promise<Wake>}
   */
  wakeAgent(agentId, wish = {}) {
    const body = wish.session_id === undefined ? wish : { reason: 'user_initiated', ...wish };
    const isNamed = wish.request_id !== undefined || wish.turn_id !== undefined;
    return isNamed ? this.ask('POST', path(agentId, '/wake'), body) : this.once('POST', path(agentId, '/wake'), body);
  }

  /**
   * Newest first.
   * @param {WakeFilter} [query]
   * @returns {Promise<Page<Wake>>}
   */
  wakes(query = {}) {
    return this.ask('GET', withQuery('/v1/wakes', { ...query }));
  }

  /**
   * With `wait_s` (at most 60), when it has ended or so much later.
   * @param {number} wakeId
   * @param {{wait_s?: number}} [query]
   * @returns {Promise<Wake>}
   */
  wake(wakeId, query = {}) {
    return this.ask('GET', withQuery(wakePath(wakeId), query));
  }

  /**
   * Why it is there, in order.
   * @param {number} wakeId
   * @param {{after?: number, limit?: number}} [query]
   * @returns {Promise<Page<WakeSignal>>}
   */
  wakeSignals(wakeId, query = {}) {
    return this.ask('GET', withQuery(wakePath(wakeId, '/signals'), query));
  }

  /**
   * Refused with conflict (`ended`) where it has ended.
   * @param {number} wakeId
   * @param {{reason?: string}} [more]
   * @returns {Promise<Wake>}
   */
  cancelWake(wakeId, more = {}) {
    return this.once('POST', wakePath(wakeId, '/cancel'), more);
  }

  /**
   * For a worker: the next wake of these agents, or null where nothing was due in `wait_s` (at most 60). It is the caller's
   * until its lease runs out; `renewWake` prolongs it. Tried once: what a lost answer granted is free again when its lease
   * has run out. With `context_messages` (at most 200) the grant has so many of the newest `messages` of the thread, and the
   * `plans` that an earlier attempt has stored. No agents: those that the token is bound to.
   * @param {string[]} [agents]
   * @param {{holder?: string, lease_s?: number, wait_s?: number, context_messages?: number}} [more]
   * @returns {Promise<WakeGrant | null>}
   */
  async claimWake(agents = [], more = {}) {
    return (await this.once('POST', '/v1/wakes/claim', agents.length === 0 ? more : { agents, ...more })) ?? null;
  }

  /**
   * The work goes on. Refused with conflict (`stale_claim`) where it is not the caller's any more: stop then.
   * @param {Claim} wake
   * @param {{lease_s?: number}} [more]
   * @returns {Promise<Wake>}
   */
  renewWake(wake, more = {}) {
    return this.once('POST', wakePath(wake.id, '/renew'), { fence: wake.fence, ...more });
  }

  /**
   * It is done, or with an error it has failed: then it is tried again after a pause. With `release: true`, and nothing else,
   * it is given back as if it had not been claimed.
   * @param {Claim} wake
   * @param {{result?: any, error?: {type: string, message?: string}, release?: boolean, sleep_until?: string, next_wake_at?: string}} [outcome]
   * @returns {Promise<Wake>}
   */
  endWake(wake, outcome = {}) {
    return this.once('POST', wakePath(wake.id, '/end'), { fence: wake.fence, ...outcome });
  }

  /**
   * What the worker of this wake thinks and does, into its thread. Those with an `id` of the caller's are added once; where
   * all have one it may be repeated.
   * @param {Claim} wake
   * @param {AgentMessageInput[]} messages
   * @returns {Promise<{data: AgentMessage[], added: number}>}
   */
  appendAgentMessages(wake, messages) {
    const body = { fence: wake.fence, messages };
    const isNamed = messages.every((message) => message.id !== undefined);
    return isNamed ? this.ask('POST', wakePath(wake.id, '/messages'), body) : this.once('POST', wakePath(wake.id, '/messages'), body);
  }

  /**
   * What the run is going to do, before it does anything. May be repeated: a round has one plan for good, and what is given
   * says which of its actions have a `result` already.
   * @param {Claim} wake
   * @param {PlannedActionInput[]} actions
   * @param {{round?: number}} [more]
   * @returns {Promise<Plan>}
   */
  storePlan(wake, actions, more = {}) {
    return this.ask('POST', wakePath(wake.id, '/plan'), { fence: wake.fence, ...more, actions });
  }

  /**
   * What the run of a wake was going to do, a round after the other.
   * @param {number} wakeId
   * @returns {Promise<{data: Plan[]}>}
   */
  plans(wakeId) {
    return this.ask('GET', wakePath(wakeId, '/plan'));
  }

  /**
   * Calls a tool for the wake: by its name, or, with the `operation_id` alone, an action of the stored plan. What it says is
   * `result.content`, what it refuses `result.tool_result.error_code`. With an `operation_id` it may be repeated: it is done
   * once. Without a `result` it waits for somebody (`waits_for`): call it again.
   * @param {Claim} wake
   * @param {ToolCallInput} call
   * @returns {Promise<CalledTool>}
   */
  callTool(wake, call) {
    const body = { fence: wake.fence, ...call };
    const target = wakePath(wake.id, '/call');
    return call.operation_id === undefined ? this.once('POST', target, body) : this.ask('POST', target, body);
  }

  /**
   * Belfry's own and those that are registered, by name.
   * @param {{after?: string, limit?: number}} [query]
   * @returns {Promise<Page<Tool>>}
   */
  tools(query = {}) {
    return this.ask('GET', withQuery('/v1/tools', query));
  }

  /**
   * One tool, with the schema of its arguments.
   * @param {string} name
   * @returns {Promise<Tool>}
   */
  tool(name) {
    return this.ask('GET', `/v1/tools/${encodeURIComponent(name)}`);
  }

  /**
   * What an agent remembers, newest first.
   * @param {string} agentId
   * @param {{thread?: string, changed?: string, after?: string, limit?: number}} [query]
   * @returns {Promise<Page<AgentMessage>>}
   */
  agentMessages(agentId, query = {}) {
    return this.ask('GET', withQuery(path(agentId, '/messages'), query));
  }

  /**
   * One message with its whole content.
   * @param {string} agentId
   * @param {string} messageId
   * @returns {Promise<AgentMessage>}
   */
  agentMessage(agentId, messageId) {
    return this.ask('GET', path(agentId, `/messages/${encodeURIComponent(messageId)}`));
  }
}
