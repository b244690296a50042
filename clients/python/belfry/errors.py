"""What can go wrong, as one exception with a stable code."""

from __future__ import annotations

from typing import Any, Mapping

# Another attempt can succeed: the daemon is busy, restarting, or out of sight.
PASSING = frozenset({"unavailable", "overloaded", "outcome_unknown", "timeout", "rate_limited"})

_OF_STATUS = {
    400: "malformed", 401: "unauthenticated", 403: "forbidden", 404: "not_found", 405: "unsupported",
    406: "not_acceptable", 408: "timeout", 409: "conflict", 410: "gone", 413: "too_large", 415: "unsupported",
    421: "forbidden", 422: "invalid", 429: "rate_limited", 502: "unavailable", 503: "unavailable", 504: "unavailable",
}


class BelfryError(Exception):
    """A refusal of the daemon, or the reason why it was not reached.

    `code` is the code of its problem document (conflict, not_found, invalid, …), or of the client's own making:
    unavailable (it cannot be reached), outcome_unknown (the connection broke before the answer: it may have been done
    or not), timeout, malformed (somebody else than Belfry answers there).
    """

    def __init__(self, code: str, detail: str, *, status: int = 0, field: str | None = None,
                 reason: str | None = None, retry_after_s: float = 0.0,
                 problem: Mapping[str, Any] | None = None) -> None:
        super().__init__(f"{code}: {detail}" + (f" ({field})" if field else ""))
        self.code = code
        self.detail = detail
        self.status = status
        self.field = field
        self.reason = reason
        self.retry_after_s = retry_after_s
        self.problem = dict(problem or {})

    @property
    def may_pass(self) -> bool:
        """Whether another attempt can succeed."""
        return self.code in PASSING


def problem_error(status: int, headers: Mapping[str, str], document: Any) -> BelfryError:
    """The reason in a problem document, or what the status alone tells where there is none."""
    known: Mapping[str, Any] = document if isinstance(document, dict) else {}
    code = known.get("code") or _OF_STATUS.get(status, "internal")
    detail = known.get("detail") or known.get("title") or f"the server answered {status}"
    return BelfryError(str(code), str(detail), status=status, field=known.get("field"), reason=known.get("reason"),
                       retry_after_s=_retry_after(headers), problem=known)


def _retry_after(headers: Mapping[str, str]) -> float:
    """How long the server wishes to be left alone, 30 s at the most."""
    try:
        return min(max(float(headers.get("retry-after", "0")), 0.0), 30.0)
    except ValueError:
        return 0.0
