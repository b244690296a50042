/** @import { Line, LineHandlers } from './rpc.js' */
/**
 * A browser's WebSocket cannot send a header: a ticket is got with the token first.
 * @param {string} address
 * @param {number} timeoutMs
 * @param {string} token
 * @param {LineHandlers} handlers
 * @returns {Promise<Line>}
 */
export function openLine(address: string, timeoutMs: number, token: string, handlers: LineHandlers): Promise<Line>;
import type { LineHandlers } from './rpc.js';
import type { Line } from './rpc.js';
