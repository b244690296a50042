"""Server-sent events: bytes in, messages out."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import BelfryError

MESSAGE_BYTES_MAX = 64 << 20  # whoever sends more without an end is not Belfry


@dataclass(frozen=True)
class SseMessage:
    event: str
    data: str
    id: str  # the last id that was given, also by a message before


class SseParser:
    """Takes bytes as they come, cut anywhere, and gives whole messages; comments are passed over."""

    def __init__(self) -> None:
        self._buffer = b""
        self._event = ""
        self._data: list[str] = []
        self._id = ""
        self._after_return = False
        self._has_begun = False
        self._size = 0  # bytes since the last message

    def feed(self, piece: bytes) -> list[SseMessage]:
        if self._after_return and piece.startswith(b"\n"):
            piece = piece[1:]  # the second half of a line's end that was cut
            self._after_return = False
        if piece:
            self._after_return = piece.endswith(b"\r")
        lines = (self._buffer + piece).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._buffer = lines.pop()
        self._size += len(piece)
        if self._size > MESSAGE_BYTES_MAX:
            raise BelfryError("malformed", "a message of the stream has no end; is this address Belfry's?")
        found = []
        for line in lines:
            if not self._has_begun:
                line, self._has_begun = line.removeprefix(b"\xef\xbb\xbf"), True
            message = self._take(line.decode("utf-8", errors="replace"))
            if message is not None:
                found.append(message)
        return found

    def _take(self, line: str) -> SseMessage | None:
        if not line:
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._id = value
        return None

    def _dispatch(self) -> SseMessage | None:
        event, data = self._event or "message", self._data
        self._size = 0
        self._event, self._data = "", []
        return SseMessage(event, "\n".join(data), self._id) if data else None
