// A stream through a WebSocket. Browsers allow six requests at once to one host, for all of its pages together, and a stream
// takes one of them for good; WebSockets have a limit of their own, of some hundred. Each connection has a ticket of its own.
import { Arrivals } from './arrivals.js';

/** @import { SseMessage } from './sse.js' */

/**
 * @param {import('./events.js').Events} client
 * @returns {import('./follow.js').Opener}
 */
export function webSocketOpener(client) {
  return async function* open(target, signal, onOpen) {
    const url = new URL(target, client.url.replace(/^http/, 'ws'));
    url.searchParams.set('ticket', await client.ticket());
    const socket = new WebSocket(url);
    /** @type {Arrivals<SseMessage>} */
    const arrivals = new Arrivals(signal);
    let isOpen = false;
    /** @type {any} */
    let timer;
    // A script does not see the pings. The server also says that it is there, and a line on which nothing comes is dead.
    const hear = () => {
      clearTimeout(timer);
      timer = setTimeout(() => arrivals.lose(`the WebSocket said nothing for ${client.silenceMs} ms`), client.silenceMs);
    };
    hear();
    socket.onopen = () => {
      isOpen = true;
      hear();
      onOpen();
    };
    socket.onmessage = (message) => {
      hear();
      const text = String(message.data);
      if (!isBeat(text)) arrivals.put(messageOf(text));
    };
    socket.onclose = (event) => arrivals.lose(`the WebSocket was closed (${event.code})`);
    try {
      yield* arrivals;
    } catch (failure) {
      if (!isOpen) await look(client, target, signal);
      throw failure;
    } finally {
      clearTimeout(timer);
      socket.close();
    }
  };
}

/** @param {string} text */
const isBeat = (text) => text.length < 32 && JSON.parse(text).type === 'beat';

/**
 * Why a WebSocket was refused no script is told: a plain request for the same throws it (no access, no such stream).
 * @param {import('./events.js').Events} client
 * @param {string} target
 * @param {AbortSignal} signal
 */
async function look(client, target, signal) {
  const enough = new AbortController();
  const end = () => enough.abort();
  signal.addEventListener('abort', end, { once: true });
  const timer = setTimeout(end, client.answerTimeoutMs);
  try {
    await client.open(target, enough.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    end();
  }
}

/**
 * What server-sent events would have said. An entry of a run has a name of its own there, one of another log has none.
 * @param {string} text
 * @returns {SseMessage}
 */
export function messageOf(text) {
  const { type, sequence, event } = JSON.parse(text);
  if (type !== 'entry') return { event: type === 'gap' || type === 'close' || type === 'store' ? type : 'message', data: text, id: '' };
  if (event?.run_id === undefined || event?.event === undefined) return { event: 'message', data: text, id: String(sequence) };
  return { event: event.event, data: JSON.stringify(event), id: String(sequence) };
}
