/**
 * @param {(batch: RunEventInput[]) => Promise<{first: number, last: number, state: string}>} emit
 * @param {AsyncIterable<RunEventInput> | Iterable<RunEventInput>} events
 */
export function uploadInBatches(emit: (batch: RunEventInput[]) => Promise<{
    first: number;
    last: number;
    state: string;
}>, events: AsyncIterable<RunEventInput> | Iterable<RunEventInput>): Promise<{
    accepted: number;
    first: number;
    last: number;
    state: string;
}>;
export class Runs extends Sessions {
    /**
     * Creates a run and, unless `start` is false, starts it; over capacity it is `pending` with a queue_position and starts
     * by itself. With a `run_key` it may be repeated: the run that is there is given.
     * @param {RunInput} [run]
     * @returns {Promise<Run>}
     */
    createRun(run?: RunInput): Promise<Run>;
    /**
     * @param {number} runId
     * @returns {Promise<Run>}
     */
    run(runId: number): Promise<Run>;
    /**
     * Newest first.
     * @param {RunFilter} [query]
     * @returns {Promise<Page<Run>>}
     */
    runs(query?: RunFilter): Promise<Page<Run>>;
    /**
     * @param {number} runId
     * @returns {Promise<Run>}
     */
    startRun(runId: number): Promise<Run>;
    /**
     * Refused with conflict where it has ended.
     * @param {number} runId
     * @param {{reason?: string}} [more]
     * @returns {Promise<Run>}
     */
    cancelRun(runId: number, more?: {
        reason?: string;
    }): Promise<Run>;
    /**
     * Ends a running run. A failure has an error.
     * @param {number} runId
     * @param {'completed' | 'failed'} [state]
     * @param {{result?: any, error?: {type: string, message: string}}} [more]
     * @returns {Promise<Run>}
     */
    finishRun(runId: number, state?: "completed" | "failed", more?: {
        result?: any;
        error?: {
            type: string;
            message: string;
        };
    }): Promise<Run>;
    /**
     * @param {number} runId
     * @returns {Promise<Run>}
     */
    pauseRun(runId: number): Promise<Run>;
    /**
     * @param {number} runId
     * @returns {Promise<Run>}
     */
    resumeRun(runId: number): Promise<Run>;
    /**
     * Adds an event, or a list of them, to the run's stream. A run that is not running refuses them with conflict, which is
     * how a producer learns of a cancellation.
     * @param {number} runId
     * @param {OneOrMany} events
     * @returns {Promise<{first: number, last: number, state: string, paused: boolean}>}
     */
    emitRun(runId: number, events: OneOrMany): Promise<{
        first: number;
        last: number;
        state: string;
        paused: boolean;
    }>;
    /**
     * The same for a stream of events: readers see each as it is given here, not at the end. Where one is refused the upload
     * ends; what was accepted before it stays. In Node it is one request, and the error's `problem` names the `line`; a
     * browser cannot stream a request, so there it sends what has gathered while the request before was under way.
     * @param {number} runId
     * @param {AsyncIterable<RunEventInput> | Iterable<RunEventInput>} events
     * @returns {Promise<{accepted: number, first: number, last: number, state: string}>}
     */
    uploadRun(runId: number, events: AsyncIterable<RunEventInput> | Iterable<RunEventInput>): Promise<{
        accepted: number;
        first: number;
        last: number;
        state: string;
    }>;
    /**
     * A page of what happened, oldest first.
     * @param {number} runId
     * @param {{after?: number, limit?: number, tree?: boolean, agent?: string}} [query]
     * @returns {Promise<RunPage>}
     */
    runEvents(runId: number, query?: {
        after?: number;
        limit?: number;
        tree?: boolean;
        agent?: string;
    }): Promise<RunPage>;
    /**
     * The run's events, each once and in order, until it ends: all, or those after a position, or from now on.
     * @param {number} runId
     * @param {FollowRunOptions & FollowOptions} [options]
     * @returns {Promise<Following<RunEvent>>}
     */
    followRun(runId: number, options?: FollowRunOptions & FollowOptions): Promise<Following<RunEvent>>;
}
export type FollowRunOptions = {
    /**
     * the last position that the reader has
     */
    after?: number | undefined;
    /**
     * where to begin without it; `start` unless told
     */
    start?: "start" | "live" | undefined;
    /**
     * its children too; then positions are the tree's
     */
    tree?: boolean | undefined;
    /**
     * the events of one agent only
     */
    agent?: string | undefined;
    /**
     * AG-UI events instead
     */
    format?: "ag-ui" | undefined;
    /**
     * through the browser's EventSource or WebSocket, each with a one-time ticket
     */
    via?: "fetch" | "websocket" | "eventsource" | undefined;
};
export type OneOrMany = RunEventInput | RunEventInput[];
import type { RunEventInput } from '../types/wire.js';
import { Sessions } from './sessions.js';
import type { RunInput } from '../types/wire.js';
import type { Run } from '../types/wire.js';
import type { RunFilter } from '../types/wire.js';
import type { Page } from '../types/wire.js';
import type { RunPage } from '../types/wire.js';
import type { FollowOptions } from './follow.js';
import { Following } from './follow.js';
import type { RunEvent } from '../types/wire.js';
