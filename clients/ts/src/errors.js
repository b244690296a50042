// What can go wrong, as one error with a stable code.

// Another attempt can succeed: the daemon is busy, restarting, or out of sight.
const PASSING = new Set(['unavailable', 'overloaded', 'outcome_unknown', 'timeout', 'rate_limited']);

/** @type {Record<number, string>} */
const OF_STATUS = {
  400: 'malformed', 401: 'unauthenticated', 403: 'forbidden', 404: 'not_found', 405: 'unsupported', 406: 'not_acceptable',
  408: 'timeout', 409: 'conflict', 410: 'gone', 413: 'too_large', 415: 'unsupported', 421: 'forbidden', 422: 'invalid',
  429: 'rate_limited', 502: 'unavailable', 503: 'unavailable', 504: 'unavailable',
};

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
  constructor(code, detail, more = {}) {
    super(`${code}: ${detail}${more.field ? ` (${more.field})` : ''}`, { cause: more.cause });
    this.name = 'BelfryError';
    this.code = code;
    this.detail = detail;
    this.status = more.status ?? 0;
    this.field = more.field ?? null;
    this.reason = more.reason ?? null;
    this.retryAfterMs = more.retryAfterMs ?? 0;
    this.problem = more.problem ?? {};
  }

  /** Whether another attempt can succeed. */
  get mayPass() {
    return PASSING.has(this.code);
  }
}

/**
 * The reason in a problem document, or what the status alone tells where there is none.
 * @param {number} status
 * @param {string | null} retryAfter the header
 * @param {any} document
 */
export function problemError(status, retryAfter, document) {
  const known = document !== null && typeof document === 'object' ? document : {};
  const seconds = Number(retryAfter ?? 0);
  return new BelfryError(known.code ?? OF_STATUS[status] ?? 'internal',
    known.detail ?? known.title ?? `the server answered ${status}`, {
      status,
      field: known.field,
      reason: known.reason,
      retryAfterMs: Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 30) * 1000 : 0,
      problem: known,
    });
}
