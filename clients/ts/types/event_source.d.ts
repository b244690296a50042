/**
 * @param {import('./events.js').Events} client
 * @param {import('./cursors.js').RunCursor} cursor
 * @param {((after: number) => Promise<RunPage>) | null} page
 * @param {(after: number) => Promise<RunPage>} look one attempt at the next events, which throws what is final
 * @returns {import('./follow.js').Opener}
 */
export function eventSourceOpener(client: import("./events.js").Events, cursor: import("./cursors.js").RunCursor, page: ((after: number) => Promise<RunPage>) | null, look: (after: number) => Promise<RunPage>): import("./follow.js").Opener;
import type { RunPage } from '../types/wire.js';
