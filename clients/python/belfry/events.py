"""Events in, streams out."""

from __future__ import annotations

from typing import Any, Sequence, cast, overload

from .base import Base, new_key
from .cursors import EntryCursor, quote, with_query
from .errors import BelfryError
from .follow import Following, OnLost
from .types import Accepted, BatchResult, EventInput, Severity


class Events(Base):
    @overload
    def emit(self, events: EventInput, *, idempotency_key: str | None = None) -> Accepted: ...

    @overload
    def emit(self, events: Sequence[EventInput], *, idempotency_key: str | None = None) -> BatchResult: ...

    def emit(self, events: EventInput | Sequence[EventInput], *,
             idempotency_key: str | None = None) -> Accepted | BatchResult:
        """Sends an event, or a list of them, and returns when they are durable.

        It is tried again under one key, so that nothing is taken twice. A refused event is raised; of a list, the
        result tells each one.
        """
        answer = self._again("POST", "/v1/events", events, {"Idempotency-Key": idempotency_key or new_key()})
        document = answer.json()
        is_list = not isinstance(events, dict)
        if answer.status < 300 or (is_list and answer.status == 422 and "data" in (document or {})):
            return cast("Accepted | BatchResult", document)
        raise answer.error()

    def streams(self) -> list[dict[str, Any]]:
        """The streams that the caller may follow: name, head, floor."""
        found: list[dict[str, Any]] = []
        after = None
        while True:
            page = self._ask("GET", with_query("/v1/streams", {"limit": 1000, "after": after}))
            found += page["data"]
            if not page.get("next"):
                return found
            after = page["next"]

    def page(self, stream: str, *, after: int = 0, limit: int | None = None, type: str | Sequence[str] | None = None,
             severity: Severity | None = None, user: str | None = None, session: str | None = None) -> dict[str, Any]:
        """Entries after a position, oldest first: {data, next, has_more, gap?}."""
        query = {"after": after, "limit": limit, "type": type, "severity": severity, "user": user, "session": session}
        return cast("dict[str, Any]", self._ask("GET", with_query("/v1/streams/" + quote(stream), query)))

    def follow(self, stream: str = "events", *, after: int | None = None, start: str = "live",
               type: str | Sequence[str] | None = None, severity: Severity | None = None, user: str | None = None,
               session: str | None = None, on_lost: OnLost | None = None) -> Following[dict[str, Any]]:
        """Entries {sequence, event} as they come, each once and in order, from `after` on, or from `start`: "live" or
        "start". `{"gap": {"from", "to"}}` stands where entries are gone for good."""
        query = {"type": type, "severity": severity, "user": user, "session": session}
        if after is None and start == "live":
            # "From now on" becomes a position at once: what comes while a connection is down would be lost otherwise.
            after = self._head(stream)
        return self._follow(EntryCursor("/v1/streams/" + quote(stream), query, after), on_lost)

    def ticket(self) -> str:
        """A one-time ticket for what cannot send a header: `?ticket=` on a stream."""
        return cast(str, self._once("POST", "/v1/tickets")["ticket"])

    def _head(self, stream: str) -> int:
        for one in self._ask("GET", with_query("/v1/streams", {"name": stream}))["data"]:
            if one["name"] == stream:
                return int(one["head"])
        raise BelfryError("not_found", f'there is no stream "{stream}"')
