"""Messages of a person or a program to a running agent, with receipts, and a short patience when the line is down."""

from __future__ import annotations

import collections
import datetime
import json
import logging
import threading
import time
import uuid
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Callable, cast

from .errors import BelfryError
from .rpc import UNAVAILABLE, RpcConnection, RpcError
from .types import Receipt

RETRYING = "Connection lost, retrying..."
FAILED = "Failed to send notification"

PAUSES_S = (0.1, 0.5, 2.0)  # before the second, third and fourth attempt
QUEUE_MAX = 10
WAIT_S_MAX = 10.0
BYTES_MAX = 1048576  # of one message as JSON
ANSWER_S_MAX = 5.0  # after that an attempt has failed
CONNECT_S_MAX = 0.8  # who waits has to hear of a lost connection within a second


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

    def params(self) -> dict[str, Any]:
        made = {"session_id": self.session_id, "message_type": self.message_type, "timestamp": self.timestamp,
                "message_id": self.message_id}
        return made if self.payload is None else {**made, "payload": self.payload}


class Sender:
    """Sends `client/user_message` in order, from any thread.

    `address` is `unix:/path` (the daemon's belfry-rpc.sock) or `tcp://host:port`, which needs a token. Each message is
    tried at once, then after 100 ms, 500 ms and 2 s. At most ten wait, none longer than ten seconds; the eleventh is
    refused at once. Every attempt of a message carries the same id, and the server takes an id once: so what arrives,
    arrives exactly once, in the order in which it was given here. `on_feedback` gets the words for the person, RETRYING
    and FAILED, with the message that they are about: every message that is given up is reported.
    """

    def __init__(self, address: str, token: str = "", *, on_feedback: Callable[[str, Sending], None] | None = None,
                 clock: Callable[[], float] = time.monotonic, wait: Callable[[float], object] | None = None) -> None:
        self._address = address
        self._token = token
        self._on_feedback = on_feedback
        self._clock = clock
        self._closed = threading.Event()
        self._wait = wait or self._closed.wait
        self._queue: collections.deque[Sending] = collections.deque()  # the first is the one that is being sent
        self._changed = threading.Condition()
        self._lost = False  # the last attempt failed
        self._connection: RpcConnection | None = None
        self._worker = threading.Thread(target=self._work, name="belfry-sender", daemon=True)
        self._worker.start()

    def send(self, session_id: str, message_type: str = "user_input", payload: Any = None, *,
             timestamp: str | None = None, message_id: str | None = None) -> Receipt:
        """Sends and waits for the receipt. A refusal of the server is raised as RpcError; a message that was given up, or
        not taken (ten wait already, too large), as BelfryError: unavailable, overloaded, too_large."""
        return self.submit(session_id, message_type, payload, timestamp=timestamp, message_id=message_id).result()

    def submit(self, session_id: str, message_type: str = "user_input", payload: Any = None, *,
               timestamp: str | None = None, message_id: str | None = None) -> Future[Receipt]:
        """The same without waiting: the receipt comes later. What is not taken is raised at once."""
        made = Sending(session_id, message_type, payload, timestamp or _now(), message_id or str(uuid.uuid4()),
                       self._clock() + WAIT_S_MAX)
        if _bytes_of(made) > BYTES_MAX:
            raise BelfryError("too_large", "Notification payload exceeds 1MB size limit", field="payload")
        with self._changed:
            if self._closed.is_set():
                raise BelfryError("unavailable", "this sender is closed")
            if len(self._queue) >= QUEUE_MAX:
                raise BelfryError("overloaded", f"{QUEUE_MAX} messages wait already")
            made.told = self._lost
            self._queue.append(made)
            self._changed.notify()
        if made.told:
            self._say(RETRYING, made)
        return made.receipt

    def close(self) -> None:
        """Ends it. What still waits is given up, and reported."""
        with self._changed:
            self._closed.set()
            self._changed.notify()
        self._worker.join()

    def __enter__(self) -> Sender:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._queue and not self._closed.is_set():
                    self._changed.wait()
                if not self._queue:
                    break
                first = self._queue[0]
            try:
                outcome: Receipt | Exception = self._deliver(first)
            except Exception as surprise:  # pylint: disable=broad-except
                outcome = surprise  # an address that is none
            with self._changed:
                self._queue.popleft()
            if isinstance(outcome, BelfryError):
                self._give_up(first, outcome)
            elif isinstance(outcome, Exception):
                first.receipt.set_exception(outcome)
            else:
                first.receipt.set_result(outcome)
        if self._connection is not None:
            self._connection.close()

    def _deliver(self, message: Sending) -> Receipt | BelfryError | RpcError:
        """The receipt, the server's refusal, or why it was given up."""
        why: Exception
        for pause_s in (*PAUSES_S, None):
            left_s = message.deadline - self._clock()
            if self._closed.is_set():
                return BelfryError("unavailable", f"{FAILED}: the sender was closed")
            if left_s <= 0:
                return BelfryError("unavailable", f"{FAILED}: it has waited too long")
            try:
                receipt = self._attempt(message, left_s)
                self._lost = False
                return receipt
            except (OSError, RpcError) as error:
                if isinstance(error, RpcError) and error.code != UNAVAILABLE:
                    self._lost = False
                    return error
                self._drop_connection()
                why = error
            if pause_s is None:
                break
            self._tell_waiting()
            self._wait(min(pause_s, max(message.deadline - self._clock(), 0.0)))
        return BelfryError("unavailable", f"{FAILED}: {why}")

    def _attempt(self, message: Sending, left_s: float) -> Receipt:
        if self._connection is not None and self._connection.is_lost:
            self._drop_connection()
        if self._connection is None:
            self._connection = RpcConnection(self._address, self._token,
                                             connect_timeout_s=min(CONNECT_S_MAX, left_s))
        return cast(Receipt, self._connection.call("client/user_message", message.params(),
                                                    timeout_s=min(ANSWER_S_MAX, left_s)))

    def _drop_connection(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _tell_waiting(self) -> None:
        with self._changed:
            self._lost = True
            untold = [message for message in self._queue if not message.told]
            for message in untold:
                message.told = True
        for message in untold:
            self._say(RETRYING, message)

    def _give_up(self, message: Sending, why: BelfryError) -> None:
        self._say(FAILED, message)
        message.receipt.set_exception(why)

    def _say(self, words: str, message: Sending) -> None:
        if self._on_feedback is None:
            return
        try:
            self._on_feedback(words, message)
        except Exception:  # pylint: disable=broad-except
            logging.getLogger("belfry").exception("on_feedback failed")


def _bytes_of(message: Sending) -> int:
    call = {"jsonrpc": "2.0", "id": 0, "method": "client/user_message", "params": message.params()}
    return len(json.dumps(call, ensure_ascii=False).encode())


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
