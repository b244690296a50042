export class ContextValues extends Memory {
    /**
     * Sets a value, or replaces the one of the same name and scope.
     * @param {string} name
     * @param {string} content
     * @param {ContextValueInput} [more]
     * @returns {Promise<ContextValue>}
     */
    setContextValue(name: string, content: string, more?: ContextValueInput): Promise<ContextValue>;
    /**
     * @param {string} name
     * @param {ContextScope} [scope]
     * @returns {Promise<ContextValue>}
     */
    contextValue(name: string, scope?: ContextScope): Promise<ContextValue>;
    /**
     * The current values of a user by name, at most 100.
     * @param {ContextScope} [scope]
     * @returns {Promise<ContextValue[]>}
     */
    contextValues(scope?: ContextScope): Promise<ContextValue[]>;
    /**
     * @param {string} name
     * @param {ContextScope} [scope]
     * @returns {Promise<void>}
     */
    deleteContextValue(name: string, scope?: ContextScope): Promise<void>;
}
import { Memory } from './memory.js';
import type { ContextValueInput } from '../types/wire.js';
import type { ContextValue } from '../types/wire.js';
import type { ContextScope } from '../types/wire.js';
