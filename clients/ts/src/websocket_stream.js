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
    socket.onopen = onOpen;
    socket.onmessage = (message) => arrivals.put(messageOf(String(message.data)));
    socket.onclose = (event) => arrivals.lose(`the WebSocket was closed (${event.code})`);
    try {
      yield* arrivals;
    } finally {
      socket.close();
    }
  };
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
