// A line over a Unix socket, TCP or TLS in Node, framed as language servers do it: `Content-Length: N`, an empty line, N bytes.
import { readFileSync } from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';
import { LineError } from './rpc.js';

/** @import { Line, LineHandlers } from './rpc.js' */

const HEAD_END = Buffer.from('\r\n\r\n');
const HEAD_BYTES_MAX = 4096;
const BODY_BYTES_MAX = 16 << 20;

/**
 * @param {string} address
 * @param {number} timeoutMs
 * @param {string} _token
 * @param {LineHandlers} handlers
 * @param {string} [caFile]
 * @returns {Promise<Line>}
 */
export function openLine(address, timeoutMs, _token, handlers, caFile) {
  return new Promise((resolve, reject) => {
    const isSecure = address.startsWith('tcps:');
    const socket = isSecure ? tls.connect(secureOptions(address, caFile)) : net.connect(whereIs(address));
    const frames = new Frames();
    let why = 'the server closed the connection';
    let isOpen = false;
    const timer = setTimeout(() => socket.destroy(new Error(`not connected in ${timeoutMs} ms`)), timeoutMs);
    socket.on(isSecure ? 'secureConnect' : 'connect', () => {
      isOpen = true;
      clearTimeout(timer);
      socket.setNoDelay(true);
      resolve({ send: (text) => { socket.write(framed(text)); }, close: () => { socket.destroy(); } });
    });
    socket.on('data', (piece) => {
      try {
        for (const text of frames.feed(piece)) handlers.onText(text);
      } catch (failure) {
        socket.destroy(/** @type {Error} */ (failure));
      }
    });
    socket.on('error', (error) => { why = error.message; });
    socket.on('end', () => handlers.onClose(why));
    socket.on('close', () => {
      clearTimeout(timer);
      if (isOpen) handlers.onClose(why);
      else reject(new LineError(`cannot connect to ${address}: ${why}`));
    });
  });
}

/** @param {string} address */
function whereIs(address) {
  if (address.startsWith('unix:')) return { path: address.slice('unix:'.length).replace(/^\/\/+/, '/') };
  const { hostname, port } = new URL(address.replace(/^tcps?:/, 'http:'));
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/**
 * @param {string} address
 * @param {string} [caFile]
 */
function secureOptions(address, caFile) {
  const { host, port } = /** @type {{host: string, port: number}} */ (whereIs(address));
  const servername = net.isIP(host) ? '' : host; // the name of a server is never an address
  return { host, port, servername, ...(caFile ? { ca: [...tls.rootCertificates, readFileSync(caFile)] } : {}) };
}

/** @param {string} text */
function framed(text) {
  const body = Buffer.from(text);
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

/** Takes bytes as they come, cut anywhere, and gives whole messages. */
class Frames {
  /** @type {Buffer} */
  #buffer = Buffer.alloc(0);
  #needed = -1; // bytes of the body that is being read; -1: a head comes

  /**
   * @param {Uint8Array} piece
   * @returns {Generator<string, void, undefined>}
   */
  * feed(piece) {
    this.#buffer = Buffer.concat([this.#buffer, piece]);
    for (;;) {
      if (this.#needed < 0) {
        const end = this.#buffer.indexOf(HEAD_END);
        if (end < 0 && this.#buffer.length > HEAD_BYTES_MAX) {
          throw new LineError('the server\'s message has no head; is this address Belfry\'s?');
        }
        if (end < 0) return;
        this.#needed = contentLength(this.#buffer.toString('latin1', 0, end));
        this.#buffer = this.#buffer.subarray(end + HEAD_END.length);
      }
      if (this.#buffer.length < this.#needed) return;
      const text = this.#buffer.toString('utf8', 0, this.#needed);
      this.#buffer = this.#buffer.subarray(this.#needed);
      this.#needed = -1;
      yield text;
    }
  }
}

/** @param {string} head */
function contentLength(head) {
  const found = /^content-length:\s*(\d+)\s*$/im.exec(head);
  const size = found ? Number(found[1]) : -1;
  if (size < 0 || size > BODY_BYTES_MAX) {
    throw new LineError('the server\'s message has no usable Content-Length; is this address Belfry\'s?');
  }
  return size;
}
