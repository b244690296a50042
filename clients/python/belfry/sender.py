"""Messages of a person or a program to a running agent, with receipts, and a short patience when the line is down."""

from __future__ import annotations

import collections
import datetime
import logging
import threading
import time
import uuid
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Callable, cast

from .errors import BelfryError
from .rpc import UNAVAILABLE, RpcConnection, RpcError, json_bytes
from .types import Receipt

RETRYING = "Connection lost, retrying..."
FAILED = "Failed to send notification"

METHOD = "client/user_message"
PAUSES_S = (0.1, 0.5, 2.0)  # before the second, third and fourth attempt
QUEUE_MAX = 10
WAIT_S_MAX = 10.0
BYTES_MAX = 1048576  # of one message as JSON
CONNECT_S_MAX = 0.8  # with showing the token
ATTEMPT_S_MAX = 1.8  # so that four of them and the pauses fit into ten seconds ...
BYTES_A_SECOND = 262144  # ... of what is small; what is large may take longer
SILENCE_S_MAX = 0.7  # who waits has to hear of a lost connection within a second


@dataclass
class Sending:
    """One message on its way. Its id makes another attempt harmless: the server takes it once."""

    session_id: str
    message_type: str
    payload: Any
    timestamp: str
    message_id: str
    deadline: float
    receipt: Future[Receipt] = field(default_factory=Future)
    told: bool = False  # that it is being tried again
    size: int = 0  # bytes as JSON

    def params(self) -> dict[str, Any]:
        made = {"session_id": self.session_id, "message_type": self.message_type, "timestamp": self.timestamp,
                "message_id": self.message_id}
        return made if self.payload is None else {**made, "payload": self.payload}


class Sender:
    """Sends `client/user_message` in order, from any thread.

    `address` is `unix:/path` (the daemon's belfry-rpc.sock), `tcp://host:port`, or `tcps://host:port` where the daemon has a
    certificate (`ca_file`: trusted besides the system's); TCP needs a token. Each message is tried at once, then after
    100 ms, 500 ms and 2 s. At most ten wait, none longer than ten seconds; the eleventh is refused at once. Every attempt of
    a message carries the same id, and the server takes an id once: so what arrives, arrives exactly once, in the order in
    which it was given here. `on_feedback` gets the words for the person, RETRYING and FAILED, with the message that they are
    about, always on the sender's own thread: every message that is given up is reported. docs/clients.md says when which
    words come.
    """

    def __init__(self, address: str, token: str = "", *, ca_file: str | None = None,
                 on_feedback: Callable[[str, Sending], None] | None = None,
                 clock: Callable[[], float] = time.monotonic, wait: Callable[[float], object] | None = None) -> None:
        self._address = address
        self._token = token
        self._ca_file = ca_file
        self._on_feedback = on_feedback
        self._clock = clock
        self._wait = wait
        self._closed = False
        self._queue: collections.deque[Sending] = collections.deque()  # the first is the one that is being sent
        self._changed = threading.Condition()  # of the queue and the two flags
        self._lost = False  # the line is down, as far as is known
        self._connection: RpcConnection | None = None  # of the thread that makes the attempt
        self._worker = threading.Thread(target=self._work, name="belfry-sender", daemon=True)
        self._worker.start()

    def send(self, session_id: str, message_type: str = "user_input", payload: Any = None, *,
             timestamp: str | None = None, message_id: str | None = None) -> Receipt:
        """Sends and waits for the receipt. A refusal of the server is raised as RpcError; a message that was given up, or
        not taken (ten wait already, too large), as BelfryError: unavailable, overloaded, too_large. What cannot be written
        as JSON is a TypeError or ValueError. Not for `on_feedback`, which it would wait for: that may `submit`."""
        if threading.current_thread() is self._worker:
            raise RuntimeError("send() inside a callback of the sender would wait for itself; use submit()")
        return self.submit(session_id, message_type, payload, timestamp=timestamp, message_id=message_id).result()

    def submit(self, session_id: str, message_type: str = "user_input", payload: Any = None, *,
               timestamp: str | None = None, message_id: str | None = None) -> Future[Receipt]:
        """The same without waiting: the receipt comes later. What is not taken is raised at once. A Future that is cancelled
        before its turn is not sent, and nothing is said about it; one that is being sent cannot be cancelled."""
        made = Sending(session_id, message_type, payload, timestamp or _now(), message_id or str(uuid.uuid4()),
                       self._clock() + WAIT_S_MAX)
        made.size = len(json_bytes({"jsonrpc": "2.0", "id": made.message_id, "method": METHOD, "params": made.params()}))
        if made.size > BYTES_MAX:
            raise BelfryError("too_large", "Notification payload exceeds 1MB size limit", field="payload")
        with self._changed:
            if self._closed:
                raise BelfryError("unavailable", "this sender is closed")
            for one in [one for one in self._queue if one.receipt.cancelled()]:
                self._queue.remove(one)
            if len(self._queue) >= QUEUE_MAX:
                raise BelfryError("overloaded", f"{QUEUE_MAX} messages wait already")
            self._queue.append(made)
            self._changed.notify_all()
        return made.receipt

    def close(self) -> None:
        """Ends it, also an attempt that is under way. What still waits is given up, and reported."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        connection = self._connection
        if connection is not None:
            connection.abort()
        if threading.current_thread() is not self._worker:
            self._worker.join()

    def __enter__(self) -> Sender:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _work(self) -> None:
        while (first := self._next()) is not None:
            try:
                outcome: Receipt | Exception = self._deliver(first)
            except Exception as surprise:  # pylint: disable=broad-except
                outcome = surprise  # an address that is none
            with self._changed:
                self._queue.popleft()
                self._lost = self._lost and bool(self._queue)
            if isinstance(outcome, BelfryError):
                self._say(FAILED, first)
            if isinstance(outcome, Exception):
                first.receipt.set_exception(outcome)
            else:
                first.receipt.set_result(outcome)
        self._drop_connection()

    def _next(self) -> Sending | None:
        """Whose turn it is, from now on past cancelling; None: closed, and nobody waits."""
        with self._changed:
            while True:
                self._changed.wait_for(lambda: self._queue or self._closed)
                if not self._queue:
                    return None
                if self._queue[0].receipt.set_running_or_notify_cancel():
                    return self._queue[0]
                self._queue.popleft()

    def _deliver(self, message: Sending) -> Receipt | BelfryError | RpcError:
        """The receipt, the server's refusal, or why it was given up."""
        why: Exception | None = None
        for pause_s in (*PAUSES_S, None):
            left_s = message.deadline - self._clock()
            if self._closed:
                break
            if left_s <= 0:
                return BelfryError("unavailable", f"{FAILED}: it has waited too long")
            outcome = self._attempt(message, left_s)
            is_lost = isinstance(outcome, OSError) or isinstance(outcome, RpcError) and outcome.code == UNAVAILABLE
            if not is_lost:
                self._lost = False
                if isinstance(outcome, Exception) and not isinstance(outcome, RpcError):
                    raise outcome
                return outcome
            if isinstance(outcome, OSError):
                self._drop_connection()
            why = cast(Exception, outcome)
            if pause_s is None:
                break
            self._pause(min(pause_s, max(message.deadline - self._clock(), 0.0)))
        return BelfryError("unavailable", f"{FAILED}: {'the sender was closed' if self._closed else why}")

    def _attempt(self, message: Sending, left_s: float) -> Receipt | Exception:
        """On a thread of its own, so that those who wait can be told meanwhile."""
        outcomes: list[Receipt | Exception] = []

        def attempt() -> None:
            try:
                outcomes.append(self._send_once(message, min(left_s, ATTEMPT_S_MAX + message.size / BYTES_A_SECOND)))
            except Exception as error:  # pylint: disable=broad-except
                outcomes.append(error)
            with self._changed:
                self._changed.notify_all()

        line = threading.Thread(target=attempt, name="belfry-sender-line", daemon=True)
        line.start()
        with self._changed:
            self._changed.wait_for(lambda: outcomes, timeout=0.0 if self._lost else SILENCE_S_MAX)
        while not outcomes:
            self._tell_waiting()
            with self._changed:
                self._changed.wait_for(lambda: outcomes or (self._untold() and not self._closed))
        line.join()
        return outcomes[0]

    def _send_once(self, message: Sending, time_s: float) -> Receipt:
        end = time.monotonic() + time_s
        if self._connection is not None and self._connection.is_lost:
            self._drop_connection()
        if self._connection is None:
            self._connection = RpcConnection(self._address, self._token, ca_file=self._ca_file,
                                             connect_timeout_s=min(CONNECT_S_MAX, time_s))
        if self._closed:  # `close` may have looked for the connection before it was there
            raise ConnectionAbortedError("the sender was closed")
        return cast(Receipt, self._connection.call(METHOD, message.params(), call_id=message.message_id,
                                                    timeout_s=end - time.monotonic()))

    def _drop_connection(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _pause(self, pause_s: float) -> None:
        """Waits; whoever comes meanwhile is told at once."""
        self._tell_waiting()
        if self._wait is not None:
            self._wait(pause_s)
        end = self._clock() + pause_s if self._wait is None else 0.0
        while (left_s := end - self._clock()) > 0 and not self._closed:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._untold(), timeout=left_s)
            self._tell_waiting()
        self._tell_waiting()

    def _untold(self) -> list[Sending]:
        return [message for message in self._queue if not message.told and not message.receipt.cancelled()]

    def _tell_waiting(self) -> None:
        with self._changed:
            if self._closed:
                return
            self._lost = True
            untold = self._untold()
            for message in untold:
                message.told = True
        for message in untold:
            self._say(RETRYING, message)

    def _say(self, words: str, message: Sending) -> None:
        if self._on_feedback is None:
            return
        try:
            self._on_feedback(words, message)
        except Exception:  # pylint: disable=broad-except
            logging.getLogger("belfry").exception("on_feedback failed")


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
