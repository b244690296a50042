// What agents propose to a person instead of doing it.
import { withQuery } from './cursors.js';
import { Interactions } from './interactions.js';

/** @import { ChangeSet, ChangeSetHead, Page } from '../types/wire.js' */

/**
 * @param {string} id
 * @param {number} [item]
 */
function pathOf(id, item) {
  const path = `/v1/change-sets/${encodeURIComponent(id)}`;
  return item === undefined ? path : `${path}/items/${item}`;
}

export class ChangeSets extends Interactions {
  /**
   * Oldest first, without their items; only those of which something is open, unless `state` is `all`.
   * @param {{state?: 'open' | 'all', agent?: string, user?: string, after?: number, limit?: number}} [query]
   * @returns {Promise<Page<ChangeSetHead>>}
   */
  changeSets(query = {}) {
    return this.ask('GET', withQuery('/v1/change-sets', query));
  }

  /**
   * With its items.
   * @param {string} id
   * @returns {Promise<ChangeSet>}
   */
  changeSet(id) {
    return this.ask('GET', pathOf(id));
  }

  /**
   * Has an item done in the agent's name, or all that is open, each with its own outcome. May be repeated: it is done
   * once. It needs a person's credential.
   * @param {string} id
   * @param {number} [item]
   * @returns {Promise<ChangeSet>}
   */
  acceptChanges(id, item) {
    return this.ask('POST', `${pathOf(id, item)}/accept`);
  }

  /**
   * An item, or all that is open, is not done. May be repeated. It needs a person's credential.
   * @param {string} id
   * @param {number} [item]
   * @returns {Promise<ChangeSet>}
   */
  rejectChanges(id, item) {
    return this.ask('POST', `${pathOf(id, item)}/reject`);
  }
}
