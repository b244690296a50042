// A line over a WebSocket: one message a frame.
import { Client } from './client.js';
import { BelfryError } from './errors.js';
import { LineError } from './rpc.js';

/** @import { Line, LineHandlers } from './rpc.js' */

/**
 * A browser's WebSocket cannot send a header: a ticket is got with the token first.
 * @param {string} address
 * @param {number} timeoutMs
 * @param {string} token
 * @param {LineHandlers} handlers
 * @returns {Promise<Line>}
 */
export async function openLine(address, timeoutMs, token, handlers) {
  const end = performance.now() + timeoutMs;
  const url = new URL('/v1/rpc', address);
  if (token) url.searchParams.set('ticket', await ticketFor(address, token, timeoutMs));
  const socket = new WebSocket(url);
  return new Promise((resolve, reject) => {
    let isOpen = false;
    const timer = setTimeout(() => socket.close(), Math.max(end - performance.now(), 0));
    socket.onopen = () => {
      isOpen = true;
      clearTimeout(timer);
      resolve({ send: (text) => socket.send(text), close: () => socket.close() });
    };
    socket.onmessage = (message) => handlers.onText(String(message.data));
    socket.onclose = (event) => {
      clearTimeout(timer);
      const why = `the server closed the connection (${event.code})`;
      if (isOpen) handlers.onClose(why);
      else reject(new LineError(`cannot connect to ${url.origin}`));
    };
  });
}

/**
 * @param {string} address
 * @param {string} token
 * @param {number} answerTimeoutMs
 */
async function ticketFor(address, token, answerTimeoutMs) {
  try {
    return await new Client({ url: address.replace(/^ws/, 'http'), token, answerTimeoutMs }).ticket();
  } catch (failure) {
    if (failure instanceof BelfryError && failure.mayPass) throw new LineError(failure.detail, failure);
    throw failure;
  }
}
