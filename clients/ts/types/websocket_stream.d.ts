/** @import { SseMessage } from './sse.js' */
/**
 * @param {import('./events.js').Events} client
 * @returns {import('./follow.js').Opener}
 */
export function webSocketOpener(client: import("./events.js").Events): import("./follow.js").Opener;
/**
 * What server-sent events would have said. An entry of a run has a name of its own there, one of another log has none.
 * @param {string} text
 * @returns {SseMessage}
 */
export function messageOf(text: string): SseMessage;
import type { SseMessage } from './sse.js';
