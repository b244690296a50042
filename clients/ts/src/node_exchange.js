// Requests over a Unix socket, which `fetch` cannot make.
import http from 'node:http';

const agent = new http.Agent({ keepAlive: true, timeout: 4000 });

/**
 * @param {string} socketPath
 * @param {import('./exchange.js').Outgoing} request
 * @returns {Promise<import('./exchange.js').Reply>}
 */
export function exchange(socketPath, { method, target, headers, body, signal }) {
  return new Promise((resolve, reject) => {
    const sent = http.request({ socketPath, agent, method, path: target, headers: { ...headers, ...lengthOf(body) }, signal });
    let isAnswered = false;
    sent.on('error', reject);
    sent.on('response', (answer) => {
      isAnswered = true;
      resolve({
        status: answer.statusCode ?? 0,
        header: (name) => /** @type {string | undefined} */ (answer.headers[name.toLowerCase()]) ?? null,
        text: () => textOf(answer),
        pieces: () => answer,
      });
    });
    if (body === null || typeof body === 'string') sent.end(body ?? undefined);
    else write(sent, body, () => isAnswered).catch((failure) => sent.destroy(failure));
  });
}

/** @param {import('./exchange.js').Outgoing['body']} body */
function lengthOf(body) {
  return typeof body === 'string' ? { 'Content-Length': String(new TextEncoder().encode(body).length) } : {};
}

/**
 * An upload ends early where the server answers before its end: it refuses the rest.
 * @param {http.ClientRequest} sent
 * @param {AsyncIterable<Uint8Array>} pieces
 * @param {() => boolean} isAnswered
 */
async function write(sent, pieces, isAnswered) {
  sent.flushHeaders();
  for await (const piece of pieces) {
    if (isAnswered() || sent.destroyed) break;
    if (!sent.write(piece)) await new Promise((resolve) => { sent.once('drain', resolve); sent.once('close', resolve); });
  }
  sent.end();
}

/** @param {AsyncIterable<Uint8Array>} answer */
async function textOf(answer) {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of answer) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}
