// Server-sent events: bytes in, messages out.
import { BelfryError } from './errors.js';

const MESSAGE_BYTES_MAX = 64 << 20; // whoever sends more without an end is not Belfry

/** @typedef {{event: string, data: string, id: string}} SseMessage `id` is the last that was given, also by a message before */

/** Takes bytes as they come, cut anywhere, and gives whole messages; comments are passed over. */
export class SseParser {
  #decoder = new TextDecoder();
  #buffer = '';
  #event = '';
  /** @type {string[]} */
  #data = [];
  #id = '';
  #afterReturn = false;
  #size = 0; // bytes since the last message

  /**
   * @param {Uint8Array} piece
   * @returns {SseMessage[]}
   */
  feed(piece) {
    let text = this.#decoder.decode(piece, { stream: true });
    if (this.#afterReturn && text.startsWith('\n')) {
      text = text.slice(1); // the second half of a line's end that was cut
      this.#afterReturn = false;
    }
    if (text !== '') this.#afterReturn = text.endsWith('\r');
    const lines = (this.#buffer + text).split(/\r\n|\r|\n/);
    this.#buffer = /** @type {string} */ (lines.pop());
    this.#size += piece.length;
    if (this.#size > MESSAGE_BYTES_MAX) throw new BelfryError('malformed', 'a message of the stream has no end; is this address Belfry\'s?');
    const found = [];
    for (const line of lines) {
      const message = this.#take(line);
      if (message) found.push(message);
    }
    return found;
  }

  /** @param {string} line */
  #take(line) {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? '' : line.slice(colon + 1);
    if (value.startsWith(' ')) value = value.slice(1);
    if (name === 'event') this.#event = value;
    else if (name === 'data') this.#data.push(value);
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    return null;
  }

  #dispatch() {
    const message = { event: this.#event || 'message', data: this.#data.join('\n'), id: this.#id };
    const isEmpty = this.#data.length === 0;
    this.#event = '';
    this.#data = [];
    this.#size = 0;
    return isEmpty ? null : message;
  }
}
