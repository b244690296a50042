export class ChangeSets extends Interactions {
    /**
     * Oldest first, without their items; only those of which something is open, unless `state` is `all`.
     * @param {{state?: 'open' | 'all', agent?: string, user?: string, after?: number, limit?: number}} [query]
     * @returns {Promise<Page<ChangeSetHead>>}
     */
    changeSets(query?: {
        state?: "open" | "all";
        agent?: string;
        user?: string;
        after?: number;
        limit?: number;
    }): Promise<Page<ChangeSetHead>>;
    /**
     * With its items.
     * @param {string} id
     * @returns {Promise<ChangeSet>}
     */
    changeSet(id: string): Promise<ChangeSet>;
    /**
     * Has an item done in the agent's name, or all that is open, each with its own outcome. May be repeated: it is done
     * once. It needs a person's credential.
     * @param {string} id
     * @param {number} [item]
     * @returns {Promise<ChangeSet>}
     */
    acceptChanges(id: string, item?: number): Promise<ChangeSet>;
    /**
     * An item, or all that is open, is not done. May be repeated. It needs a person's credential.
     * @param {string} id
     * @param {number} [item]
     * @returns {Promise<ChangeSet>}
     */
    rejectChanges(id: string, item?: number): Promise<ChangeSet>;
}
import { Interactions } from './interactions.js';
import type { ChangeSetHead } from '../types/wire.js';
import type { Page } from '../types/wire.js';
import type { ChangeSet } from '../types/wire.js';
