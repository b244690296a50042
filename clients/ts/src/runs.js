// Runs: one execution of an agent each, with a stream of its own.
import { errorOf, jsonOf } from './base.js';
import { RunCursor, withQuery } from './cursors.js';
import { eventSourceOpener } from './event_source.js';
import { Following } from './follow.js';
import { Sessions } from './sessions.js';
import { webSocketOpener } from './websocket_stream.js';

/** @import { Page, Run, RunEvent, RunEventInput, RunFilter, RunInput, RunPage } from '../types/wire.js' */
/** @import { FollowOptions } from './follow.js' */

/**
 * @typedef {object} FollowRunOptions
 * @property {number} [after] the last position that the reader has
 * @property {'start' | 'live'} [start] where to begin without it; `start` unless told
 * @property {boolean} [tree] its children too; then positions are the tree's
 * @property {string} [agent] the events of one agent only
 * @property {'ag-ui'} [format] AG-UI events instead
 * @property {'fetch' | 'eventsource' | 'websocket'} [via] through the browser's EventSource or WebSocket, each with a one-time ticket
 */
/** @typedef {RunEventInput | RunEventInput[]} OneOrMany */

const BATCH_MAX = 1000; // events of one request

/**
 * @param {number} runId
 * @param {string} [what]
 */
const path = (runId, what = '') => `/v1/runs/${encodeURIComponent(runId)}${what}`;

export class Runs extends Sessions {
  /**
   * Creates a run and, unless `start` is false, starts it; over capacity it is `pending` with a queue_position and starts
   * by itself. With a `run_key` it may be repeated: the run that is there is given.
   * @param {RunInput} [run]
   * @returns {Promise<Run>}
   */
  createRun(run = {}) {
    return run.run_key === undefined ? this.once('POST', '/v1/runs', run) : this.ask('POST', '/v1/runs', run);
  }

  /**
   * @param {number} runId
   * @returns {Promise<Run>}
   */
  run(runId) {
    return this.ask('GET', path(runId));
  }

  /**
   * Newest first.
   * @param {RunFilter} [query]
   * @returns {Promise<Page<Run>>}
   */
  runs(query = {}) {
    return this.ask('GET', withQuery('/v1/runs', { ...query }));
  }

  /**
   * @param {number} runId
   * @returns {Promise<Run>}
   */
  startRun(runId) {
    return this.once('POST', path(runId, '/start'), {});
  }

  /**
   * Refused with conflict where it has ended.
   * @param {number} runId
   * @param {{reason?: string}} [more]
   * @returns {Promise<Run>}
   */
  cancelRun(runId, more = {}) {
    return this.once('POST', path(runId, '/cancel'), more);
  }

  /**
   * Ends a running run. A failure has an error.
   * @param {number} runId
   * @param {'completed' | 'failed'} [state]
   * @param {{result?: any, error?: {type: string, message: string}}} [more]
   * @returns {Promise<Run>}
   */
  finishRun(runId, state = 'completed', more = {}) {
    return this.once('POST', path(runId, '/finish'), { state, ...more });
  }

  /**
   * @param {number} runId
   * @returns {Promise<Run>}
   */
  pauseRun(runId) {
    return this.once('POST', path(runId, '/pause'), {});
  }

  /**
   * @param {number} runId
   * @returns {Promise<Run>}
   */
  resumeRun(runId) {
    return this.once('POST', path(runId, '/resume'), {});
  }

  /**
   * Adds an event, or a list of them, to the run's stream. A run that is not running refuses them with conflict, which is
   * how a producer learns of a cancellation.
   * @param {number} runId
   * @param {OneOrMany} events
   * @returns {Promise<{first: number, last: number, state: string, paused: boolean}>}
   */
  emitRun(runId, events) {
    return this.once('POST', path(runId, '/events'), events);
  }

  /**
   * The same for a stream of events: readers see each as it is given here, not at the end. Where one is refused the upload
   * ends; what was accepted before it stays. In Node it is one request, and the error's `problem` names the `line`; a
   * browser cannot stream a request, so there it sends what has gathered while the request before was under way.
   * @param {number} runId
   * @param {AsyncIterable<RunEventInput> | Iterable<RunEventInput>} events
   * @returns {Promise<{accepted: number, first: number, last: number, state: string}>}
   */
  async uploadRun(runId, events) {
    if (!this.canStreamUp) return uploadInBatches((batch) => this.emitRun(runId, batch), events);
    const answer = await this.send('POST', path(runId, '/events'), linesOf(events), { 'Content-Type': 'application/x-ndjson' });
    if (answer.status >= 300) throw errorOf(answer);
    return jsonOf(answer);
  }

  /**
   * A page of what happened, oldest first.
   * @param {number} runId
   * @param {{after?: number, limit?: number, tree?: boolean, agent?: string}} [query]
   * @returns {Promise<RunPage>}
   */
  runEvents(runId, query = {}) {
    return this.ask('GET', withQuery(path(runId, '/events'), { after: 0, ...query }));
  }

  /**
   * The run's events, each once and in order, until it ends: all, or those after a position, or from now on.
   * @param {number} runId
   * @param {FollowRunOptions & FollowOptions} [options]
   * @returns {Promise<Following<RunEvent>>}
   */
  async followRun(runId, options = {}) {
    const { after, start = 'start', tree, agent, format, via = 'fetch', signal, onLost, onOpen } = options;
    // "From now on" becomes a position at once: what comes while a connection is down would be lost otherwise.
    const now = async () => (await this.ask('GET', withQuery(path(runId, '/events'), { from: 'live', limit: 1, tree }))).next;
    const begin = after ?? (start === 'live' ? await now() : null);
    const cursor = new RunCursor(path(runId, '/events'), { tree, agent, format }, begin);
    const page = (/** @type {number} */ last) => this.runEvents(runId, { after: last, tree, agent });
    const look = (/** @type {number} */ last) => this.once('GET', withQuery(path(runId, '/events'), { after: last, limit: 1, tree, agent }));
    const open = {
      fetch: undefined,
      eventsource: eventSourceOpener(this, cursor, format ? null : page, look),
      websocket: webSocketOpener(this),
    }[via];
    return new Following(this, cursor, { signal, onLost, onOpen }, open);
  }
}

/** @param {AsyncIterable<RunEventInput> | Iterable<RunEventInput>} events */
async function* linesOf(events) {
  const encoder = new TextEncoder();
  for await (const event of events) yield encoder.encode(`${JSON.stringify(event)}\n`);
}

/**
 * @param {(batch: RunEventInput[]) => Promise<{first: number, last: number, state: string}>} emit
 * @param {AsyncIterable<RunEventInput> | Iterable<RunEventInput>} events
 */
export async function uploadInBatches(emit, events) {
  const result = { accepted: 0, first: 0, last: 0, state: 'running' };
  /** @type {RunEventInput[]} */
  let gathered = [];
  /** @type {unknown} */
  let failure = null;
  /** @type {Promise<void> | null} */
  let under_way = null;
  const flush = async () => {
    while (gathered.length > 0 && failure === null) {
      const batch = gathered.slice(0, BATCH_MAX);
      gathered = gathered.slice(BATCH_MAX);
      try {
        const { first, last, state } = await emit(batch);
        if (result.accepted === 0) result.first = first;
        Object.assign(result, { accepted: result.accepted + batch.length, last, state });
      } catch (error) {
        failure = error;
      }
    }
    under_way = null;
  };
  for await (const event of events) {
    if (failure !== null) break;
    gathered.push(event);
    under_way ??= flush();
    if (gathered.length >= BATCH_MAX) await under_way; // whoever makes them faster than they go out has to wait
  }
  await under_way;
  if (failure !== null) throw failure;
  return result;
}
