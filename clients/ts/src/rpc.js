// JSON-RPC 2.0 with Belfry: in Node over a Unix socket or TCP, in browsers over a WebSocket.

export const UNAVAILABLE = -32004; // nothing can be taken now

/** The server's refusal of a call: its code, its message and its data. */
export class RpcError extends Error {
  /**
   * @param {number} code
   * @param {string} message
   * @param {any} [data]
   */
  constructor(code, message, data) {
    super(`${code}: ${message}`);
    this.name = 'RpcError';
    this.code = code;
    this.detail = message;
    this.data = data;
  }

  /** How long a client that said too much has to wait; 0: this was not the reason. */
  get retryAfterMs() {
    return Number(this.data?.retry_after_ms ?? 0);
  }
}

/** The connection broke, was never made, or was silent for too long. */
export class LineError extends Error {
  /**
   * @param {string} message
   * @param {unknown} [cause]
   */
  constructor(message, cause) {
    super(message, { cause });
    this.name = 'LineError';
  }
}

/**
 * What carries messages.
 * @typedef {object} Line
 * @property {(text: string) => void} send
 * @property {() => void} close
 */
/**
 * @typedef {object} LineHandlers
 * @property {(text: string) => void} onText
 * @property {(why: string) => void} onClose
 */
/**
 * @typedef {object} RpcOptions
 * @property {string} [token] shown before anything else; for a WebSocket a ticket is got with it
 * @property {string} [caFile] for `tcps:`, a PEM file of certificates to trust besides those of Node
 * @property {number} [connectTimeoutMs] for connecting and showing the token together; 5,000 unless told
 * @property {(method: string, params: any) => void} [onNotification]
 */
/** @typedef {(address: string, timeoutMs: number, token: string, handlers: LineHandlers, caFile?: string) => Promise<Line>} OpenLine */
/** @typedef {{resolve: (result: any) => void, reject: (error: Error) => void, timer: any}} Pending */

export class RpcConnection {
  /** @type {Map<number | string, Pending>} */
  #pending = new Map();
  #next = 1;
  /** @type {Line | null} */
  #line = null;
  #onNotification;
  isLost = false;

  /** @param {RpcOptions} options use `RpcConnection.open` */
  constructor(options) {
    this.#onNotification = options.onNotification;
  }

  /**
   * @param {string} address `unix:/path`, `tcp://host:port` or `tcps://host:port` in Node, `ws://host:port` or `wss://host:port`
   * @param {RpcOptions} [options]
   * @returns {Promise<RpcConnection>}
   */
  static async open(address, options = {}) {
    const made = new RpcConnection(options);
    const timeoutMs = options.connectTimeoutMs ?? 5000;
    const open = await lineFor(address);
    const end = performance.now() + timeoutMs;
    made.#line = await open(address, timeoutMs, options.token ?? '', {
      onText: (text) => made.#take(text),
      onClose: (why) => made.#lose(why),
    }, options.caFile);
    try {
      if (options.token && !address.startsWith('ws')) {
        await made.call('authenticate', { token: options.token.trim() }, { timeoutMs: Math.max(end - performance.now(), 0) });
      }
    } catch (failure) {
      made.close();
      throw failure;
    }
    return made;
  }

  /**
   * The result. A refusal is thrown as RpcError, a broken connection and a time-out as LineError.
   * @param {string} method
   * @param {any} [params]
   * @param {{timeoutMs?: number, id?: string}} [options]
   * @returns {Promise<any>}
   */
  call(method, params, { timeoutMs = 60000, id: own } = {}) {
    const id = own ?? this.#next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new LineError(`no answer in ${timeoutMs} ms`));
      }, timeoutMs);
      this.#pending.set(id, { resolve, reject, timer });
      this.#send({ jsonrpc: '2.0', id, method, params });
    });
  }

  /**
   * Says something that is not answered.
   * @param {string} method
   * @param {any} [params]
   */
  notify(method, params) {
    this.#send({ jsonrpc: '2.0', method, params });
  }

  close() {
    this.#lose('this side closed it');
    this.#line?.close();
  }

  /** @param {Record<string, any>} message */
  #send(message) {
    if (this.isLost) this.#lose('the connection is closed');
    else this.#line?.send(JSON.stringify(message));
  }

  /** @param {string} text */
  #take(text) {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      this.#lose('the server\'s message is no JSON; is this address Belfry\'s?');
      this.#line?.close();
      return;
    }
    if (message.method !== undefined) {
      if (message.id === undefined) this.#handOn(message);
      return;
    }
    // An error without an id is about what could not be read: where only one call is under way, about that.
    const isUnread = message.id === null && message.error && this.#pending.size === 1;
    const id = isUnread ? this.#pending.keys().next().value : message.id;
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    const { error } = message;
    if (error) pending.reject(new RpcError(error.code, error.message, error.data));
    else pending.resolve(message.result);
  }

  /** @param {{method: string, params?: any}} message */
  #handOn({ method, params }) {
    try {
      this.#onNotification?.(method, params);
    } catch (failure) {
      console.error('onNotification failed', failure); // the calls that wait are not to blame
    }
  }

  /** @param {string} why */
  #lose(why) {
    this.isLost = true;
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new LineError(why));
    }
    this.#pending.clear();
  }
}

/**
 * @param {string} address
 * @returns {Promise<OpenLine>}
 */
async function lineFor(address) {
  if (/^wss?:\/\//.test(address)) return (await import('./websocket_line.js')).openLine;
  if (/^(unix:|tcps?:\/\/)/.test(address)) return (await import('./socket_line.js')).openLine;
  throw new TypeError(`"${address}" is none of unix:/path, tcp://host:port, tcps://host:port and ws://host:port`);
}
