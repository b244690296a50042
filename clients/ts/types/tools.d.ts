export class Tools extends Timers {
    /**
     * Registers a tool, or registers it anew. With an `execution` agents call it through Belfry.
     * @param {string} name
     * @param {ToolInput} tool
     * @returns {Promise<Tool>}
     */
    putTool(name: string, tool: ToolInput): Promise<Tool>;
    /**
     * For a worker: the oldest call of these tools that waits for one, or null where there was none in `wait_s` (at most 60). It is
     * the caller's until its lease runs out; `renewToolCall` prolongs it. Tried once: what a lost answer granted is free again when
     * its lease has run out, under the same `operation_id`.
     * @param {string[]} tools
     * @param {{holder?: string, lease_s?: number, wait_s?: number}} [more]
     * @returns {Promise<ToolCall | null>}
     */
    claimToolCall(tools: string[], more?: {
        holder?: string;
        lease_s?: number;
        wait_s?: number;
    }): Promise<ToolCall | null>;
    /**
     * The work goes on. Refused with conflict (`stale_claim`) where it is not the caller's any more: stop then.
     * @param {Pick<ToolCall, 'id' | 'fence'>} call
     * @param {{lease_s?: number}} [more]
     * @returns {Promise<ToolCall>}
     */
    renewToolCall(call: Pick<ToolCall, "id" | "fence">, more?: {
        lease_s?: number;
    }): Promise<ToolCall>;
    /**
     * What came of it: a result or an error, which both end it; or with `release: true` it is given back as if it had not been
     * claimed.
     * @param {Pick<ToolCall, 'id' | 'fence'>} call
     * @param {{result?: Json, error?: {code: string, message?: string}, release?: boolean}} outcome
     * @returns {Promise<ToolCall>}
     */
    endToolCall(call: Pick<ToolCall, "id" | "fence">, outcome: {
        result?: Json;
        error?: {
            code: string;
            message?: string;
        };
        release?: boolean;
    }): Promise<ToolCall>;
    /**
     * @param {string} callId
     * @returns {Promise<ToolCall>}
     */
    toolCall(callId: string): Promise<ToolCall>;
    /**
     * Newest first.
     * @param {{user?: string, agent?: string, tool?: string, state?: ToolCall['state'], after?: string, limit?: number}} [query]
     * @returns {Promise<Page<ToolCall>>}
     */
    toolCalls(query?: {
        user?: string;
        agent?: string;
        tool?: string;
        state?: ToolCall["state"];
        after?: string;
        limit?: number;
    }): Promise<Page<ToolCall>>;
}
import { Timers } from './timers.js';
import type { ToolInput } from '../types/wire.js';
import type { Tool } from '../types/wire.js';
import type { ToolCall } from '../types/wire.js';
import type { Json } from '../types/wire.js';
import type { Page } from '../types/wire.js';
