// One request and its answer: by `fetch` where there is a host, by Node's own HTTP over a Unix socket.
import { BelfryError } from './errors.js';

/**
 * @typedef {object} Outgoing
 * @property {string} method
 * @property {string} target path and query
 * @property {Record<string, string>} headers
 * @property {string | AsyncIterable<Uint8Array> | null} body an iterable goes out as it comes
 * @property {AbortSignal} signal
 */
/**
 * @typedef {object} Reply
 * @property {number} status
 * @property {(name: string) => string | null} header
 * @property {() => Promise<string>} text
 * @property {() => AsyncIterable<Uint8Array>} pieces
 */
/** @typedef {(request: Outgoing) => Promise<Reply>} Exchange */

/** Whether a request's body can go out as it comes. Browsers could only over HTTP/2, which Belfry does not speak. */
export const canStreamUp = typeof globalThis.process?.versions?.node === 'string';

/**
 * @param {string} url `http://host:port`, `https://host:port`, or in Node `unix:/path`
 * @returns {Exchange}
 */
export function exchangeWith(url) {
  if (url.startsWith('unix:')) {
    const path = url.slice('unix:'.length).replace(/^\/\/+/, '/');
    return async (request) => (await import('./node_exchange.js')).exchange(path, request);
  }
  const base = new URL(url);
  if (base.protocol !== 'http:' && base.protocol !== 'https:') {
    throw new TypeError(`"${url}" is none of http://host:port, https://host:port and unix:/path`);
  }
  return (request) => exchangeByFetch(base.origin, request);
}

/**
 * @param {string} origin
 * @param {Outgoing} request
 * @returns {Promise<Reply>}
 */
async function exchangeByFetch(origin, request) {
  /** @type {RequestInit & {duplex?: 'half'}} */
  const options = { method: request.method, headers: request.headers, signal: request.signal, cache: 'no-store' };
  if (typeof request.body === 'string') options.body = request.body;
  else if (request.body) {
    options.body = streamOf(request.body);
    options.duplex = 'half';
  }
  const answer = await fetch(origin + request.target, options);
  return {
    status: answer.status,
    header: (name) => answer.headers.get(name),
    text: () => answer.text(),
    pieces: () => piecesOf(answer.body),
  };
}

/** @param {AsyncIterable<Uint8Array>} pieces */
function streamOf(pieces) {
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

/** @param {ReadableStream<Uint8Array> | null} body */
async function* piecesOf(body) {
  if (!body) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

const NEVER_THERE = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EACCES',
  'UND_ERR_CONNECT_TIMEOUT']);

/**
 * What a failed exchange means. A browser does not tell why; then only reading is known to have done nothing.
 * @param {any} failure
 * @param {string} url
 * @param {string} method
 */
export function explain(failure, url, method) {
  const code = failure?.code ?? failure?.cause?.code;
  const words = failure?.cause?.message ?? failure?.message ?? String(failure);
  if (NEVER_THERE.has(code)) {
    return new BelfryError('unavailable', `cannot connect to ${url}: ${words}; is the daemon running? start it with \`belfry serve\``,
      { cause: failure });
  }
  if (method === 'GET') return new BelfryError('unavailable', `the connection broke: ${words}`, { cause: failure });
  return new BelfryError('outcome_unknown', `the connection broke before the answer: ${words}`, { cause: failure });
}
