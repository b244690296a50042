// Context values: states that programs keep up to date and that agents read with a pull that asks.
import { withQuery } from './cursors.js';
import { Memory } from './memory.js';

/** @import { ContextScope, ContextValue, ContextValueInput } from '../types/wire.js' */

/** @param {string} name */
const path = (name) => `/v1/context/${encodeURIComponent(name)}`;

export class ContextValues extends Memory {
  /**
   * Sets a value, or replaces the one of the same name and scope.
   * @param {string} name
   * @param {string} content
   * @param {ContextValueInput} [more]
   * @returns {Promise<ContextValue>}
   */
  setContextValue(name, content, more = {}) {
    return this.ask('PUT', path(name), { content, ...more });
  }

  /**
   * @param {string} name
   * @param {ContextScope} [scope]
   * @returns {Promise<ContextValue>}
   */
  contextValue(name, scope = {}) {
    return this.ask('GET', withQuery(path(name), { ...scope }));
  }

  /**
   * The current values of a user by name, at most 100.
   * @param {ContextScope} [scope]
   * @returns {Promise<ContextValue[]>}
   */
  async contextValues(scope = {}) {
    return (await this.ask('GET', withQuery('/v1/context', { ...scope }))).data;
  }

  /**
   * @param {string} name
   * @param {ContextScope} [scope]
   * @returns {Promise<void>}
   */
  async deleteContextValue(name, scope = {}) {
    await this.once('DELETE', withQuery(path(name), { ...scope }));
  }
}
