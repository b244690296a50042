// What agents remember, and what it is folded into.
import { ChangeSets } from './change_sets.js';
import { withQuery } from './cursors.js';

/** @import { AgentMessageKind, AssembledMemory, FoldJob, FoldState, MemoryThread, OpenedSummary, Page, PlacedSummary, RecalledMessage } from '../types/wire.js' */

/**
 * @param {string} agentId
 * @param {string} [what]
 */
function pathOf(agentId, what = '') {
  return `/v1/agents/${encodeURIComponent(agentId)}/memory${what}`;
}

export class Memory extends ChangeSets {
  /**
   * What an agent would be told of what it remembers, were it woken now; in the thread that was spoken in last unless
   * one is named. With `explain`, its `choices` say what was left out, and why.
   * @param {string} agentId
   * @param {{thread_id?: string, explain?: boolean}} [query]
   * @returns {Promise<AssembledMemory>}
   */
  memory(agentId, { explain, ...query } = {}) {
    return this.ask('GET', withQuery(pathOf(agentId), { ...query, explain: explain ? '1' : undefined }));
  }

  /**
   * The one that was spoken in last first.
   * @param {string} agentId
   * @param {{after?: string, limit?: number}} [query]
   * @returns {Promise<Page<MemoryThread>>}
   */
  memoryThreads(agentId, query = {}) {
    return this.ask('GET', withQuery(pathOf(agentId, '/threads'), query));
  }

  /**
   * Those that nothing has folded yet, or that the summary `folded` has.
   * @param {string} agentId
   * @param {{folded?: string}} [query]
   * @returns {Promise<Page<PlacedSummary>>}
   */
  memorySummaries(agentId, query = {}) {
    return this.ask('GET', withQuery(pathOf(agentId, '/summaries'), query));
  }

  /**
   * A summary with a page of what it was made of, the oldest first.
   * @param {string} agentId
   * @param {string} summaryId
   * @param {{after?: number, limit?: number}} [query]
   * @returns {Promise<OpenedSummary>}
   */
  openSummary(agentId, summaryId, query = {}) {
    return this.ask('GET', withQuery(pathOf(agentId, `/summaries/${encodeURIComponent(summaryId)}`), query));
  }

  /**
   * Messages that have most of these words, the newest first.
   * @param {string} agentId
   * @param {string} q
   * @param {{thread_id?: string, kind?: AgentMessageKind, limit?: number}} [query]
   * @returns {Promise<Page<RecalledMessage>>}
   */
  searchMemory(agentId, q, query = {}) {
    return this.ask('GET', withQuery(pathOf(agentId, '/search'), { q, ...query }));
  }

  /**
   * The work of folding, newest first.
   * @param {string} agentId
   * @param {{state?: FoldState, after?: string, limit?: number}} [query]
   * @returns {Promise<Page<FoldJob>>}
   */
  folds(agentId, query = {}) {
    return this.ask('GET', withQuery(pathOf(agentId, '/folds'), query));
  }

  /**
   * Folds what can be folded now, without waiting until it is due: how many jobs are open. May be repeated.
   * @param {string} agentId
   * @param {{thread_id?: string}} [words]
   * @returns {Promise<number>}
   */
  async foldMemory(agentId, words = {}) {
    return (await this.ask('POST', pathOf(agentId, '/folds'), words)).jobs;
  }

  /**
   * Tries one again that was given up. May be repeated.
   * @param {string} agentId
   * @param {string} job
   * @returns {Promise<FoldJob>}
   */
  restartFold(agentId, job) {
    return this.ask('POST', pathOf(agentId, `/folds/${encodeURIComponent(job)}/restart`));
  }

  /**
   * Takes away for good a message, or what lies in a thread, before a time, or both, with all that was made of it. While
   * there is more: the same once more.
   * @param {string} agentId
   * @param {{message_id?: string, thread_id?: string, before?: string}} words
   * @returns {Promise<{messages: number, summaries: number, has_more: boolean}>}
   */
  forgetMemory(agentId, words) {
    return this.once('POST', pathOf(agentId, '/forget'), words);
  }
}
