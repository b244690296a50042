"""How every call of the client reaches the daemon."""

from __future__ import annotations

import json
import os
import time
import uuid
from typing import Any, Callable, Sequence, TypeVar

from .errors import BelfryError
from .follow import Cursor, Following, OnLost
from .transport import Address, Answer, Request, Transport

T = TypeVar("T")

JSON = {"Content-Type": "application/json"}


def given(**members: Any) -> dict[str, Any]:
    """Only what the caller has given: None is left out."""
    return {name: value for name, value in members.items() if value is not None}


class Base:
    """One daemon, for any number of threads.

    `url` is `http://host:port`, `https://host:port` or `unix:/path`; without it BELFRY_URL counts, then
    http://127.0.0.1:7117. `token` is an access token; without it BELFRY_TOKEN counts. On a Unix socket none is needed by
    a program of the daemon's own user.

    What may be repeated without harm (an emit, a session, an acknowledgement, reading) is tried again after `pauses_s`
    when the daemon is busy, restarting or out of sight, at most `attempts` times; a daemon that this client never
    reached is reported at once. Everything else is tried once: after `outcome_unknown` it may have been done.
    """

    def __init__(self, url: str | None = None, token: str | None = None, *, ca_file: str | None = None,
                 connect_timeout_s: float = 5.0, answer_timeout_s: float = 75.0, silence_s: float = 45.0,
                 pauses_s: Sequence[float] = (0.1, 0.5, 2.0), attempts: int = 6,
                 wait: Callable[[float], None] | None = None) -> None:
        address = Address.parse(url or os.environ.get("BELFRY_URL") or "http://127.0.0.1:7117")
        self._transport = Transport(address, os.environ.get("BELFRY_TOKEN", "") if token is None else token,
                                    ca_file=ca_file, connect_timeout_s=connect_timeout_s,
                                    answer_timeout_s=answer_timeout_s, silence_s=silence_s)
        self._pauses_s = pauses_s
        self._attempts = attempts
        self._wait = wait
        self._pulls: dict[str, str] = {}  # the last hand-over that was got, by session

    def close(self) -> None:
        """Closes the connections that wait for a next call."""
        self._transport.close()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _once(self, method: str, target: str, body: Any = None) -> Any:
        """One attempt; the answer as JSON."""
        return _successful(self._transport.send(self._request(method, target, body))).json()

    def _again(self, method: str, target: str, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
        """As many attempts as it takes, for what may be repeated without harm; any final status is an answer."""
        request = self._request(method, target, body)
        request.headers.update(headers or {})
        for attempt in range(self._attempts):
            answer = None
            try:
                answer = self._transport.send(request)
                if answer.status < 400:
                    return answer
                error = answer.error()
            except BelfryError as failure:
                error = failure
            # Nothing was ever sent to a daemon that was never there: the caller should hear of it now.
            never_there = error.code == "unavailable" and not self._transport.reached
            if not error.may_pass or never_there or attempt + 1 == self._attempts:
                break
            pause_s = self._pauses_s[min(attempt, len(self._pauses_s) - 1)]
            (self._wait or time.sleep)(max(pause_s, error.retry_after_s))
        if answer is None:
            raise error
        return answer

    def _ask(self, method: str, target: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        return _successful(self._again(method, target, body, headers)).json()

    def _post(self, target: str, body: Any, *, repeatable: bool) -> Any:
        """As many attempts as it takes if the request may be repeated without harm, else one."""
        return self._ask("POST", target, body) if repeatable else self._once("POST", target, body)

    def _follow(self, cursor: Cursor[T], on_lost: OnLost | None) -> Following[T]:
        return Following(self._transport, cursor, self._pauses_s, on_lost, self._wait)

    @staticmethod
    def _request(method: str, target: str, body: Any) -> Request:
        if body is None:
            return Request(method, target)
        return Request(method, target, json.dumps(body, ensure_ascii=False).encode(), dict(JSON))


def _successful(answer: Answer) -> Answer:
    if answer.status >= 300:
        raise answer.error()
    return answer


def new_key() -> str:
    return "client-" + uuid.uuid4().hex
