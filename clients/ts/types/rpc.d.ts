export const UNAVAILABLE: -32004;
/** The server's refusal of a call: its code, its message and its data. */
export class RpcError extends Error {
    /**
     * @param {number} code
     * @param {string} message
     * @param {any} [data]
     */
    constructor(code: number, message: string, data?: any);
    code: number;
    detail: string;
    data: any;
    /** How long a client that said too much has to wait; 0: this was not the reason. */
    get retryAfterMs(): number;
}
/** The connection broke, was never made, or was silent for too long. */
export class LineError extends Error {
    /**
     * @param {string} message
     * @param {unknown} [cause]
     */
    constructor(message: string, cause?: unknown);
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
    /**
     * @param {string} address `unix:/path`, `tcp://host:port` or `tcps://host:port` in Node, `ws://host:port` or `wss://host:port`
     * @param {RpcOptions} [options]
     * @returns {Promise<RpcConnection>}
     */
    static open(address: string, options?: RpcOptions): Promise<RpcConnection>;
    /** @param {RpcOptions} options use `RpcConnection.open` */
    constructor(options: RpcOptions);
    isLost: boolean;
    /**
     * The result. A refusal is thrown as RpcError, a broken connection and a time-out as LineError.
     * @param {string} method
     * @param {any} [params]
     * @param {{timeoutMs?: number, id?: string}} [options]
     * @returns {Promise<any>}
     */
    call(method: string, params?: any, { timeoutMs, id: own }?: {
        timeoutMs?: number;
        id?: string;
    }): Promise<any>;
    /**
     * Says something that is not answered.
     * @param {string} method
     * @param {any} [params]
     */
    notify(method: string, params?: any): void;
    close(): void;
    #private;
}
/**
 * What carries messages.
 */
export type Line = {
    send: (text: string) => void;
    close: () => void;
};
export type LineHandlers = {
    onText: (text: string) => void;
    onClose: (why: string) => void;
};
export type RpcOptions = {
    /**
     * shown before anything else; for a WebSocket a ticket is got with it
     */
    token?: string | undefined;
    /**
     * for `tcps:`, a PEM file of certificates to trust besides those of Node
     */
    caFile?: string | undefined;
    /**
     * for connecting and showing the token together; 5,000 unless told
     */
    connectTimeoutMs?: number | undefined;
    onNotification?: ((method: string, params: any) => void) | undefined;
};
export type OpenLine = (address: string, timeoutMs: number, token: string, handlers: LineHandlers, caFile?: string) => Promise<Line>;
export type Pending = {
    resolve: (result: any) => void;
    reject: (error: Error) => void;
    timer: any;
};
