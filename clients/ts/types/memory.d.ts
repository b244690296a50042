export class Memory extends ChangeSets {
    /**
     * What an agent would be told of what it remembers, were it woken now; in the thread that was spoken in last unless
     * one is named. With `explain`, its `choices` say what was left out, and why.
     * @param {string} agentId
     * @param {{thread_id?: string, explain?: boolean}} [query]
     * @returns {Promise<AssembledMemory>}
     */
    memory(agentId: string, { explain, ...query }?: {
        thread_id?: string;
        explain?: boolean;
    }): Promise<AssembledMemory>;
    /**
     * The one that was spoken in last first.
     * @param {string} agentId
     * @param {{after?: string, limit?: number}} [query]
     * @returns {Promise<Page<MemoryThread>>}
     */
    memoryThreads(agentId: string, query?: {
        after?: string;
        limit?: number;
    }): Promise<Page<MemoryThread>>;
    /**
     * Those that nothing has folded yet, or that the summary `folded` has.
     * @param {string} agentId
     * @param {{folded?: string}} [query]
     * @returns {Promise<Page<PlacedSummary>>}
     */
    memorySummaries(agentId: string, query?: {
        folded?: string;
    }): Promise<Page<PlacedSummary>>;
    /**
     * A summary with a page of what it was made of, the oldest first.
     * @param {string} agentId
     * @param {string} summaryId
     * @param {{after?: number, limit?: number}} [query]
     * @returns {Promise<OpenedSummary>}
     */
    openSummary(agentId: string, summaryId: string, query?: {
        after?: number;
        limit?: number;
    }): Promise<OpenedSummary>;
    /**
     * Messages that have most of these words, the newest first.
     * @param {string} agentId
     * @param {string} q
     * @param {{thread_id?: string, kind?: AgentMessageKind, limit?: number}} [query]
     * @returns {Promise<Page<RecalledMessage>>}
     */
    searchMemory(agentId: string, q: string, query?: {
        thread_id?: string;
        kind?: AgentMessageKind;
        limit?: number;
    }): Promise<Page<RecalledMessage>>;
    /**
     * The work of folding, newest first.
     * @param {string} agentId
     * @param {{state?: FoldState, after?: string, limit?: number}} [query]
     * @returns {Promise<Page<FoldJob>>}
     */
    folds(agentId: string, query?: {
        state?: FoldState;
        after?: string;
        limit?: number;
    }): Promise<Page<FoldJob>>;
    /**
     * Folds what can be folded now, without waiting until it is due: how many jobs are open. May be repeated.
     * @param {string} agentId
     * @param {{thread_id?: string}} [words]
     * @returns {Promise<number>}
     */
    foldMemory(agentId: string, words?: {
        thread_id?: string;
    }): Promise<number>;
    /**
     * Tries one again that was given up. May be repeated.
     * @param {string} agentId
     * @param {string} job
     * @returns {Promise<FoldJob>}
     */
    restartFold(agentId: string, job: string): Promise<FoldJob>;
    /**
     * Takes away for good a message, or what lies in a thread, before a time, or both, with all that was made of it. While
     * there is more: the same once more.
     * @param {string} agentId
     * @param {{message_id?: string, thread_id?: string, before?: string}} words
     * @returns {Promise<{messages: number, summaries: number, has_more: boolean}>}
     */
    forgetMemory(agentId: string, words: {
        message_id?: string;
        thread_id?: string;
        before?: string;
    }): Promise<{
        messages: number;
        summaries: number;
        has_more: boolean;
    }>;
}
import { ChangeSets } from './change_sets.js';
import type { AssembledMemory } from '../types/wire.js';
import type { MemoryThread } from '../types/wire.js';
import type { Page } from '../types/wire.js';
import type { PlacedSummary } from '../types/wire.js';
import type { OpenedSummary } from '../types/wire.js';
import type { AgentMessageKind } from '../types/wire.js';
import type { RecalledMessage } from '../types/wire.js';
import type { FoldState } from '../types/wire.js';
import type { FoldJob } from '../types/wire.js';
