// A run's stream through the browser's EventSource. It cannot send a header, so each connection has a ticket of its own;
// and it hands on only events whose names were asked for, so what had another name is read from the history. Nor does it tell
// why it failed, or that the server is still there: both are found out by a request.
import { BelfryError } from './errors.js';

/** @import { RunPage } from '../types/wire.js' */
/** @import { SseMessage } from './sse.js' */

// The names that Belfry gives and those that the AG-UI form knows. Any other is found by the gap that it leaves.
const NAMES = ['message', 'gap', 'close', 'tree.opened', 'tree.closed',
  ...['queued', 'started', 'completed', 'failed', 'cancelled'].map((name) => `lifecycle.${name}`),
  'control.paused', 'control.resumed', 'interaction.requested', 'interaction.answered',
  ...['stream', 'message_start', 'message_end', 'tool_call', 'tool_result', 'error'].map((name) => `llm.${name}`),
  'step.started', 'step.finished'];

/**
 * @param {import('./events.js').Events} client
 * @param {import('./cursors.js').RunCursor} cursor
 * @param {((after: number) => Promise<RunPage>) | null} page
 * @param {(after: number) => Promise<RunPage>} look one attempt at the next events, which throws what is final
 * @returns {import('./follow.js').Opener}
 */
export function eventSourceOpener(client, cursor, page, look) {
  return async function* open(target, signal) {
    const ticket = await client.ticket();
    const source = new EventSource(`${client.url}${target}&ticket=${encodeURIComponent(ticket)}`);
    /** @type {(SseMessage | null)[]} */
    const arrived = [];
    let wake = () => {};
    const put = (/** @type {SseMessage | null} */ message) => {
      arrived.push(message);
      wake();
    };
    for (const name of NAMES) {
      source.addEventListener(name, (event) => put({ event: name, data: event.data, id: event.lastEventId }));
    }
    // Whatever the reason, its own attempt to come back would show a ticket that is used up.
    source.onerror = () => put(null);
    signal.addEventListener('abort', () => put(null), { once: true });
    const isDeaf = async () => cursor.last !== null && (await look(cursor.last)).data.length > 0 && arrived.length === 0;
    try {
      for (;;) {
        while (arrived.length === 0) {
          /** @type {any} */
          let timer;
          const isSilent = await new Promise((resolve) => {
            wake = () => resolve(false);
            timer = setTimeout(() => resolve(true), client.silenceMs);
          });
          clearTimeout(timer);
          if (isSilent && await isDeaf()) throw new BelfryError('unavailable', 'the EventSource says nothing, though there is something');
        }
        const message = arrived.shift();
        if (signal.aborted) return;
        if (!message) {
          await look(cursor.last ?? 0); // no access, no such run: that is what it throws
          throw new BelfryError('unavailable', 'the EventSource lost its connection');
        }
        if (page) yield* missing(cursor, message, page);
        yield message;
      }
    } finally {
      source.close();
    }
  };
}

/**
 * What lies between the last event that was handed on and this one.
 * @param {import('./cursors.js').RunCursor} cursor
 * @param {SseMessage} message
 * @param {(after: number) => Promise<RunPage>} page
 * @returns {AsyncGenerator<SseMessage, void, undefined>}
 */
async function* missing(cursor, message, page) {
  if (message.event === 'gap') return;
  const position = Number(message.id || 0); // of a close: that of the last event before it, whatever its name
  const isTree = Boolean(cursor.query.tree); // the positions of a tree are counted: its events carry those of their runs
  if (isTree && cursor.query.agent) return;
  while (position > (cursor.last ?? 0) + (message.event === 'close' ? 0 : 1)) {
    const last = cursor.last ?? 0;
    const { data, next, has_more, gap } = await page(last);
    for (const [index, event] of data.entries()) {
      const at = isTree ? (gap?.to ?? last) + index + 1 : event.sequence;
      if (at >= position && message.event !== 'close') return;
      if (at > last) yield { event: event.event, data: JSON.stringify(event), id: String(at) };
    }
    if (!has_more || !(next > last)) return;
  }
}
