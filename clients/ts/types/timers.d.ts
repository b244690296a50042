export class Timers extends Agents {
    /**
     * Wakes an agent by a schedule. May be repeated: the timer that is there under its name and is like this is given; another
     * one of this name is refused with conflict (`taken`). With `dry_run` it is only said what would be.
     * @param {string} agentId
     * @param {TimerInput} timer
     * @returns {Promise<Timer>}
     */
    addTimer(agentId: string, timer: TimerInput): Promise<Timer>;
    /**
     * @param {string} agentId
     * @param {string} timerId
     * @returns {Promise<Timer>}
     */
    timer(agentId: string, timerId: string): Promise<Timer>;
    /**
     * Those of one agent, or all that the caller may see: whichever fires next comes first.
     * @param {{agent?: string, user?: string, after?: string, limit?: number}} [query]
     * @returns {Promise<Page<Timer>>}
     */
    timers({ agent, ...query }?: {
        agent?: string;
        user?: string;
        after?: string;
        limit?: number;
    }): Promise<Page<Timer>>;
    /**
     * What is named changes; another zone keeps the wall time.
     * @param {string} agentId
     * @param {string} timerId
     * @param {TimerPatch} patch
     * @returns {Promise<Timer>}
     */
    changeTimer(agentId: string, timerId: string, patch: TimerPatch): Promise<Timer>;
    /**
     * @param {string} agentId
     * @param {string} timerId
     * @returns {Promise<void>}
     */
    removeTimer(agentId: string, timerId: string): Promise<void>;
}
import { Agents } from './agents.js';
import type { TimerInput } from '../types/wire.js';
import type { Timer } from '../types/wire.js';
import type { Page } from '../types/wire.js';
import type { TimerPatch } from '../types/wire.js';
