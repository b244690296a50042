/**
 * @param {string} socketPath
 * @param {import('./exchange.js').Outgoing} request
 * @returns {Promise<import('./exchange.js').Reply>}
 */
export function exchange(socketPath: string, { method, target, headers, body, signal }: import("./exchange.js").Outgoing): Promise<import("./exchange.js").Reply>;
