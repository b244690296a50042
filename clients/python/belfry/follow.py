"""Reading a stream that goes on, over as many connections as it takes."""

from __future__ import annotations

import threading
from typing import Any, Callable, Generator, Generic, Iterator, Protocol, Sequence, TypeVar

from .errors import BelfryError
from .read_json import read_json
from .sse import SseMessage, SseParser
from .transport import Request, Stream, Transport

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

# What another attempt would not mend.
FINAL = frozenset({"unauthenticated", "forbidden", "not_found", "invalid", "malformed", "gone", "unsupported",
                   "not_acceptable"})

OnLost = Callable[[BelfryError, float], None]


class Cursor(Protocol[T_co]):
    """Where a reader is in a stream, and what its messages mean."""

    ended: bool

    def target(self) -> str:
        """Path and query that continue after what was read."""

    def take(self, message: SseMessage) -> Sequence[T_co]:
        """What this message hands on; sets `ended` after the last one."""


class Following(Generic[T]):
    """An iterator that ends with its stream. A lost connection is made again, and goes on after the last item.

    What another attempt would not mend (no access, no such stream) is raised, and so is a daemon that was never
    reached. `close` ends it, from any thread.
    """

    def __init__(self, transport: Transport, cursor: Cursor[T], pauses_s: Sequence[float],
                 on_lost: OnLost | None, wait: Callable[[float], None] | None) -> None:
        self._transport = transport
        self._cursor = cursor
        self._pauses_s = pauses_s
        self._on_lost = on_lost
        self._wait = wait
        self._closed = threading.Event()
        self._stream: Stream | None = None
        self._progressed = False
        self._items: Generator[T, None, None] = self._run()

    def __iter__(self) -> Following[T]:
        return self

    def __next__(self) -> T:
        return next(self._items)

    def __enter__(self) -> Following[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._closed.set()
        stream = self._stream
        if stream is not None:
            stream.stop()
        try:
            self._items.close()
        except ValueError:
            pass  # another thread reads just now, and ends by itself

    def _run(self) -> Generator[T, None, None]:
        attempt = 0
        while not self._closed.is_set():
            self._progressed = False
            try:
                yield from self._read_once()
                why = BelfryError("unavailable", "the server ended the stream")
            except BelfryError as error:
                why = error
            if self._cursor.ended or self._closed.is_set():
                return
            if why.code in FINAL or not self._transport.reached:
                raise why
            attempt = 0 if self._progressed else attempt
            pause_s = max(self._pauses_s[min(attempt, len(self._pauses_s) - 1)], why.retry_after_s)
            attempt += 1
            if self._on_lost is not None:
                self._on_lost(why, pause_s)
            (self._wait or self._closed.wait)(pause_s)

    def _read_once(self) -> Iterator[T]:
        parser = SseParser()
        request = Request("GET", self._cursor.target(), headers={"Accept": "text/event-stream"})
        try:
            stream = self._transport.open(request, self._connected)
            for piece in stream.pieces():
                for message in parser.feed(piece):
                    self._progressed = True
                    for item in self._cursor.take(message):
                        if self._closed.is_set():
                            return
                        yield item
                    if self._cursor.ended:
                        return
        finally:
            made, self._stream = self._stream, None
            if made is not None:
                made.close()

    def _connected(self, stream: Stream) -> None:
        self._stream = stream
        if self._closed.is_set():  # `close` may have looked before this
            raise BelfryError("unavailable", "it was closed")


def data_of(message: SseMessage) -> Any:
    try:
        return read_json(message.data)
    except ValueError:
        raise BelfryError("malformed", "a message of the stream is no JSON") from None


def closed(message: SseMessage) -> str:
    """The reason of a `close` that ends a stream in peace (`ended`); any other one is raised."""
    reason = str(data_of(message).get("reason", ""))
    if reason == "revoked":
        raise BelfryError("unauthenticated", "the token was revoked")
    if reason == "expired":
        raise BelfryError("gone", "the stream is no more")
    if reason != "ended":
        raise BelfryError("unavailable", f"the server closed the stream: {reason}")
    return reason
