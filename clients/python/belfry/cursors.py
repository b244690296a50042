"""The streams that can be followed: entries of a log, a run, an inbox."""

from __future__ import annotations

import urllib.parse
from typing import Any, Mapping, Sequence

from .follow import closed, data_of
from .sse import SseMessage


def with_query(path: str, members: Mapping[str, Any]) -> str:
    """The path with what is given of a query."""
    given = {name: _text(value) for name, value in members.items() if value is not None}
    return path + "?" + urllib.parse.urlencode(given) if given else path


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(one) for one in value)
    return str(value)


def quote(text: str | int) -> str:
    return urllib.parse.quote(str(text), safe="")


class EntryCursor:
    """Entries of a stream: each once and in order."""

    def __init__(self, path: str, query: Mapping[str, Any], after: int | None) -> None:
        self.ended = False
        self._path = path
        self._query = query
        self._last = after

    def target(self) -> str:
        start: dict[str, Any] = {"from": "start"} if self._last is None else {"after": self._last}
        return with_query(self._path, {**start, **self._query})

    def take(self, message: SseMessage) -> Sequence[dict[str, Any]]:
        if message.event == "close":
            self.ended = closed(message) == "ended"
            return []
        data = data_of(message)
        last = self._last or 0
        if message.event == "gap":
            self._last = max(last, int(data["to"]))
            return [{"gap": data}]
        if message.event != "message" or int(data["sequence"]) <= last:
            return []
        self._last = int(data["sequence"])
        return [data]


class RunCursor:
    """Events of a run or a tree of runs. The position is the id of the message, which is the stream's own sequence.

    In another format one event may become several messages, of which the last one has the id. Where a connection breaks
    between them, the next one brings them all again: as many as were handed on already are passed over.
    """

    def __init__(self, path: str, query: Mapping[str, Any], after: int | None) -> None:
        self.ended = False
        self._path = path
        self._query = query
        self._last = after
        self._is_native = query.get("format") is None
        self._since = 0  # messages that came after the last position
        self._skip = 0

    def target(self) -> str:
        self._skip, self._since = self._since, 0
        start: dict[str, Any] = {"from": "start"} if self._last is None else {"after": self._last}
        return with_query(self._path, {**start, **self._query})

    def take(self, message: SseMessage) -> Sequence[dict[str, Any]]:
        if message.event == "close":
            self.ended = closed(message) == "ended"
            return []
        if message.event == "store":
            return []  # a word about the server, no event of the run
        data: dict[str, Any] = data_of(message)
        if message.event == "gap":
            self._last = max(self._last or 0, int(data["to"]))
            return [{"event": "gap", "data": data}]
        position = int(message.id) if message.id else self._last
        is_new = position is not None and (self._last is None or position > self._last)
        if self._is_native:
            self._last = position if is_new else self._last
            return [data] if is_new else []
        self._since += 1
        is_known = self._since <= self._skip
        if is_new:
            self._last, self._since, self._skip = position, 0, 0
        return [] if is_known else [data]


class InboxCursor:
    """A person's inbox. There is no position: whoever comes back is sent what still waits."""

    def __init__(self, user: str | None, session: str | None) -> None:
        self.ended = False
        self._target = with_query("/v1/inbox/live", {"user": user, "session": session})

    def target(self) -> str:
        return self._target

    def take(self, message: SseMessage) -> Sequence[dict[str, Any]]:
        if message.event == "close":
            self.ended = closed(message) == "ended"
            return []
        data: dict[str, Any] = data_of(message)
        return [data] if "type" in data else []
