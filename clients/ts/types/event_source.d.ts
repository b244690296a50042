/**
 * @param {import('./events.js').Events} client
 * @param {import('./cursors.js').RunCursor} cursor
 * @param {((after: number) => Promise<Page<RunEvent>>) | null} page
 * @returns {import('./follow.js').Opener}
 */
export function eventSourceOpener(client: import("./events.js").Events, cursor: import("./cursors.js").RunCursor, page: ((after: number) => Promise<Page<RunEvent>>) | null): import("./follow.js").Opener;
import type { RunEvent } from '../types/wire.js';
import type { Page } from '../types/wire.js';
