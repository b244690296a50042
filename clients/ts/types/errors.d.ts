/**
 * The reason in a problem document, or what the status alone tells where there is none.
 * @param {number} status
 * @param {string | null} retryAfter the header
 * @param {any} document
 */
export function problemError(status: number, retryAfter: string | null, document: any): BelfryError;
/**
 * A refusal of the daemon, or the reason why it was not reached.
 *
 * `code` is the code of its problem document (conflict, not_found, invalid, …), or of the client's own making:
 * unavailable (it cannot be reached), outcome_unknown (the connection broke before the answer: it may have been done or
 * not), timeout, malformed (somebody else than Belfry answers there).
 */
export class BelfryError extends Error {
    /**
     * @param {string} code
     * @param {string} detail
     * @param {{status?: number, field?: string, reason?: string, retryAfterMs?: number, problem?: Record<string, any>, cause?: unknown}} [more]
     */
    constructor(code: string, detail: string, more?: {
        status?: number;
        field?: string;
        reason?: string;
        retryAfterMs?: number;
        problem?: Record<string, any>;
        cause?: unknown;
    });
    code: string;
    detail: string;
    status: number;
    field: string | null;
    reason: string | null;
    retryAfterMs: number;
    problem: Record<string, any>;
    /** Whether another attempt can succeed. */
    get mayPass(): boolean;
}
