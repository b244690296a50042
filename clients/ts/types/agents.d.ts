export class Agents extends Runs {
    /**
     * Makes an agent. May be repeated: the one that is there and is like this is given; another one of this id is refused with
     * conflict (`taken`).
     * @param {AgentInput} agent
     * @returns {Promise<Agent>}
     */
    createAgent(agent: AgentInput): Promise<Agent>;
    /**
     * @param {string} agentId
     * @returns {Promise<Agent>}
     */
    agent(agentId: string): Promise<Agent>;
    /**
     * By id.
     * @param {AgentFilter} [query]
     * @returns {Promise<Page<Agent>>}
     */
    agents(query?: AgentFilter): Promise<Page<Agent>>;
    /**
     * What is named changes.
     * @param {string} agentId
     * @param {AgentPatch} patch
     * @returns {Promise<Agent>}
     */
    changeAgent(agentId: string, patch: AgentPatch): Promise<Agent>;
    /**
     * For good: its wakes end as destroyed, and what its worker still says is refused.
     * @param {string} agentId
     * @returns {Promise<Agent>}
     */
    destroyAgent(agentId: string): Promise<Agent>;
    /**
     * Wakes it by these events or changes. May be repeated: the same rule is there once.
     * @param {string} agentId
     * @param {WakeSubscriptionInput} rule
     * @returns {Promise<WakeSubscription>}
     */
    subscribeAgent(agentId: string, rule: WakeSubscriptionInput): Promise<WakeSubscription>;
    /**
     * By id.
     * @param {string} agentId
     * @param {{after?: string, limit?: number}} [query]
     * @returns {Promise<Page<WakeSubscription>>}
     */
    wakeSubscriptions(agentId: string, query?: {
        after?: string;
        limit?: number;
    }): Promise<Page<WakeSubscription>>;
    /**
     * @param {string} agentId
     * @param {string} subscriptionId
     * @returns {Promise<void>}
     */
    unsubscribeAgent(agentId: string, subscriptionId: string): Promise<void>;
    /**
     * Wakes it now: by hand, or with a `session_id` because its person says something there. With a `request_id`, or a
     * `turn_id`, it may be repeated: the same wakes once.
     * @param {string} agentId
     * @param {WakeInput} [wish]
     * @returns {Promise<Wake>}
     */
    wakeAgent(agentId: string, wish?: WakeInput): Promise<Wake>;
    /**
     * Newest first.
     * @param {WakeFilter} [query]
     * @returns {Promise<Page<Wake>>}
     */
    wakes(query?: WakeFilter): Promise<Page<Wake>>;
    /**
     * With `wait_s` (at most 60), when it has ended or so much later.
     * @param {number} wakeId
     * @param {{wait_s?: number}} [query]
     * @returns {Promise<Wake>}
     */
    wake(wakeId: number, query?: {
        wait_s?: number;
    }): Promise<Wake>;
    /**
     * Why it is there, in order.
     * @param {number} wakeId
     * @param {{after?: number, limit?: number}} [query]
     * @returns {Promise<Page<WakeSignal>>}
     */
    wakeSignals(wakeId: number, query?: {
        after?: number;
        limit?: number;
    }): Promise<Page<WakeSignal>>;
    /**
     * Refused with conflict (`ended`) where it has ended.
     * @param {number} wakeId
     * @param {{reason?: string}} [more]
     * @returns {Promise<Wake>}
     */
    cancelWake(wakeId: number, more?: {
        reason?: string;
    }): Promise<Wake>;
    /**
     * For a worker: the next wake of these agents, or null where nothing was due in `wait_s` (at most 60). It is the caller's
     * until its lease runs out; `renewWake` prolongs it. Tried once: what a lost answer granted is free again when its lease
     * has run out. With `context_messages` (at most 200) the grant has so many of the newest `messages` of the thread, and the
     * `plans` that an earlier attempt has stored. No agents: those that the token is bound to.
     * @param {string[]} [agents]
     * @param {{holder?: string, lease_s?: number, wait_s?: number, context_messages?: number}} [more]
     * @returns {Promise<WakeGrant | null>}
     */
    claimWake(agents?: string[], more?: {
        holder?: string;
        lease_s?: number;
        wait_s?: number;
        context_messages?: number;
    }): Promise<WakeGrant | null>;
    /**
     * The work goes on. Refused with conflict (`stale_claim`) where it is not the caller's any more: stop then.
     * @param {Claim} wake
     * @param {{lease_s?: number}} [more]
     * @returns {Promise<Wake>}
     */
    renewWake(wake: Claim, more?: {
        lease_s?: number;
    }): Promise<Wake>;
    /**
     * It is done, or with an error it has failed: then it is tried again after a pause. With `release: true`, and nothing else,
     * it is given back as if it had not been claimed.
     * @param {Claim} wake
     * @param {{result?: any, error?: {type: string, message?: string}, release?: boolean, sleep_until?: string, next_wake_at?: string}} [outcome]
     * @returns {Promise<Wake>}
     */
    endWake(wake: Claim, outcome?: {
        result?: any;
        error?: {
            type: string;
            message?: string;
        };
        release?: boolean;
        sleep_until?: string;
        next_wake_at?: string;
    }): Promise<Wake>;
    /**
     * What the worker of this wake thinks and does, into its thread. Those with an `id` of the caller's are added once; where
     * all have one it may be repeated.
     * @param {Claim} wake
     * @param {AgentMessageInput[]} messages
     * @returns {Promise<{data: AgentMessage[], added: number}>}
     */
    appendAgentMessages(wake: Claim, messages: AgentMessageInput[]): Promise<{
        data: AgentMessage[];
        added: number;
    }>;
    /**
     * What the run is going to do, before it does anything. May be repeated: a round has one plan for good, and what is given
     * says which of its actions have a `result` already.
     * @param {Claim} wake
     * @param {PlannedActionInput[]} actions
     * @param {{round?: number}} [more]
     * @returns {Promise<Plan>}
     */
    storePlan(wake: Claim, actions: PlannedActionInput[], more?: {
        round?: number;
    }): Promise<Plan>;
    /**
     * What the run of a wake was going to do, a round after the other.
     * @param {number} wakeId
     * @returns {Promise<{data: Plan[]}>}
     */
    plans(wakeId: number): Promise<{
        data: Plan[];
    }>;
    /**
     * Calls a tool for the wake: by its name, or, with the `operation_id` alone, an action of the stored plan. What it says is
     * `result.content`, what it refuses `result.tool_result.error_code`. With an `operation_id` it may be repeated: it is done
     * once. Without a `result` it waits for somebody (`waits_for`): call it again.
     * @param {Claim} wake
     * @param {ToolCallInput} call
     * @returns {Promise<CalledTool>}
     */
    callTool(wake: Claim, call: ToolCallInput): Promise<CalledTool>;
    /**
     * Belfry's own and those that are registered, by name.
     * @param {{after?: string, limit?: number}} [query]
     * @returns {Promise<Page<Tool>>}
     */
    tools(query?: {
        after?: string;
        limit?: number;
    }): Promise<Page<Tool>>;
    /**
     * One tool, with the schema of its arguments.
     * @param {string} name
     * @returns {Promise<Tool>}
     */
    tool(name: string): Promise<Tool>;
    /**
     * What an agent remembers, newest first.
     * @param {string} agentId
     * @param {{thread?: string, changed?: string, after?: string, limit?: number}} [query]
     * @returns {Promise<Page<AgentMessage>>}
     */
    agentMessages(agentId: string, query?: {
        thread?: string;
        changed?: string;
        after?: string;
        limit?: number;
    }): Promise<Page<AgentMessage>>;
    /**
     * One message with its whole content.
     * @param {string} agentId
     * @param {string} messageId
     * @returns {Promise<AgentMessage>}
     */
    agentMessage(agentId: string, messageId: string): Promise<AgentMessage>;
}
export type Claim = {
    id: number;
    fence: number;
};
import { Runs } from './runs.js';
import type { AgentInput } from '../types/wire.js';
import type { Agent } from '../types/wire.js';
import type { AgentFilter } from '../types/wire.js';
import type { Page } from '../types/wire.js';
import type { AgentPatch } from '../types/wire.js';
import type { WakeSubscriptionInput } from '../types/wire.js';
import type { WakeSubscription } from '../types/wire.js';
import type { WakeInput } from '../types/wire.js';
import type { Wake } from '../types/wire.js';
import type { WakeFilter } from '../types/wire.js';
import type { WakeSignal } from '../types/wire.js';
import type { WakeGrant } from '../types/wire.js';
import type { AgentMessageInput } from '../types/wire.js';
import type { AgentMessage } from '../types/wire.js';
import type { PlannedActionInput } from '../types/wire.js';
import type { Plan } from '../types/wire.js';
import type { ToolCallInput } from '../types/wire.js';
import type { CalledTool } from '../types/wire.js';
import type { Tool } from '../types/wire.js';
