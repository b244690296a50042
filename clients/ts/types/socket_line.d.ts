/**
 * @param {string} address
 * @param {number} timeoutMs
 * @param {string} _token
 * @param {LineHandlers} handlers
 * @param {string} [caFile]
 * @returns {Promise<Line>}
 */
export function openLine(address: string, timeoutMs: number, _token: string, handlers: LineHandlers, caFile?: string): Promise<Line>;
import type { LineHandlers } from './rpc.js';
import type { Line } from './rpc.js';
