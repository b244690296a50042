/**
 * @param {import('./events.js').Events} client
 * @param {import('./cursors.js').RunCursor} cursor
 * @param {((after: number) => Promise<RunPage>) | null} page
 * @returns {import('./follow.js').Opener}
 */
export function eventSourceOpener(client: import("./events.js").Events, cursor: import("./cursors.js").RunCursor, page: ((after: number) => Promise<RunPage>) | null): import("./follow.js").Opener;
import type { RunPage } from '../types/wire.js';
