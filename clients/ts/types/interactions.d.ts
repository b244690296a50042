export class Interactions extends Journal {
    /**
     * Asks whether a tool may be used, or for a small form to be filled in. Without an answer in time it is denied, or
     * cancelled.
     * @param {string} session
     * @param {'confirmation' | 'elicitation'} kind
     * @param {string} message
     * @param {InteractionInput} [more]
     * @returns {Promise<Interaction>}
     */
    askPerson(session: string, kind: "confirmation" | "elicitation", message: string, more?: InteractionInput): Promise<Interaction>;
    /**
     * As it is now, or when it is answered, but not later than after `wait_s` (60 at the most).
     * @param {string} id
     * @param {{wait_s?: number}} [options]
     * @returns {Promise<Interaction>}
     */
    interaction(id: string, options?: {
        wait_s?: number;
    }): Promise<Interaction>;
    /**
     * Waits until it is answered or has expired.
     * @param {string} id
     * @returns {Promise<Interaction>}
     */
    awaitInteraction(id: string): Promise<Interaction>;
    /**
     * `always_allowed`: only those by which a tool is used in its session without asking.
     * @param {{session?: string, user?: string, state?: string, always_allowed?: true}} [query]
     * @returns {Promise<Page<Interaction>>}
     */
    interactions(query?: {
        session?: string;
        user?: string;
        state?: string;
        always_allowed?: true;
    }): Promise<Page<Interaction>>;
    /**
     * A person's answer: `decision` to a confirmation, `action` (and content) to an elicitation. It needs a person's
     * credential.
     * @param {string} id
     * @param {InteractionAnswer} answer
     * @returns {Promise<Interaction>}
     */
    answerInteraction(id: string, answer: InteractionAnswer): Promise<Interaction>;
    /**
     * The tool that was allowed for good by this answer is asked for again. It needs a person's credential.
     * @param {string} id
     * @returns {Promise<Interaction>}
     */
    takeBackAllowance(id: string): Promise<Interaction>;
}
import { Journal } from './journal.js';
import type { InteractionInput } from '../types/wire.js';
import type { Interaction } from '../types/wire.js';
import type { Page } from '../types/wire.js';
import type { InteractionAnswer } from '../types/wire.js';
