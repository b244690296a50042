"""JSON-RPC 2.0 with Belfry over a Unix socket or TCP, one call after the other."""

from __future__ import annotations

import itertools
import json
import socket
import time
import urllib.parse
from typing import Any, Callable

from .transport import is_stale

BODY_BYTES_MAX = 16 << 20
UNAVAILABLE = -32004  # nothing can be taken now

OnNotification = Callable[[str, Any], None]


class RpcError(Exception):
    """The server's refusal of a call: its code, its message and its data."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.data = data

    @property
    def retry_after_ms(self) -> int:
        """How long a client that said too much has to wait; 0: this was not the reason."""
        found = self.data.get("retry_after_ms", 0) if isinstance(self.data, dict) else 0
        return int(found)


class RpcConnection:
    """One connection, for one thread at a time. `address` is `unix:/path` or `tcp://host:port`; a token is shown before
    anything else. A connection that broke raises OSError, and so does a time-out (TimeoutError)."""

    def __init__(self, address: str, token: str = "", *, connect_timeout_s: float = 5.0,
                 on_notification: OnNotification | None = None) -> None:
        self._on_notification = on_notification
        self._ids = itertools.count(1)
        self._buffer = b""
        self._socket = _connect(address, connect_timeout_s)
        if token:
            try:
                self.call("authenticate", {"token": token}, timeout_s=connect_timeout_s)
            except BaseException:
                self.close()
                raise

    def call(self, method: str, params: Any = None, *, timeout_s: float | None = 60.0) -> Any:
        """The result; notifications that come before it are handed on."""
        number = next(self._ids)
        self._write({"jsonrpc": "2.0", "id": number, "method": method, **_params(params)}, timeout_s)
        end = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            message = self._read(end)
            if message.get("method") is not None:
                self._hand_on(message)
            elif message.get("id") == number:
                if "error" in message:
                    error = message["error"]
                    raise RpcError(int(error["code"]), str(error["message"]), error.get("data"))
                return message.get("result")

    def notify(self, method: str, params: Any = None) -> None:
        """Says something that is not answered."""
        self._write({"jsonrpc": "2.0", "method": method, **_params(params)}, 60.0)

    def next_notification(self, *, timeout_s: float | None = None) -> tuple[str, Any]:
        """Waits for what the server says by itself: method and params."""
        end = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            message = self._read(end)
            if message.get("method") is not None:
                return str(message["method"]), message.get("params")

    @property
    def is_lost(self) -> bool:
        """Whether the other side has closed it while nobody asked."""
        try:
            return not self._buffer and is_stale(self._socket) and not self._socket.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def close(self) -> None:
        self._socket.close()

    def _hand_on(self, message: dict[str, Any]) -> None:
        if self._on_notification is not None and "id" not in message:
            self._on_notification(str(message["method"]), message.get("params"))

    def _write(self, message: dict[str, Any], timeout_s: float | None) -> None:
        body = json.dumps(message, ensure_ascii=False).encode()
        self._socket.settimeout(timeout_s)
        self._socket.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def _read(self, end: float | None) -> dict[str, Any]:
        while b"\r\n\r\n" not in self._buffer:
            self._fill(end)
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        size = _content_length(head)
        while len(self._buffer) < size:
            self._fill(end)
        body, self._buffer = self._buffer[:size], self._buffer[size:]
        message = json.loads(body)
        if not isinstance(message, dict):
            raise ConnectionError("the server's message is no object; is this address Belfry's?")
        return message

    def _fill(self, end: float | None) -> None:
        left = None if end is None else end - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError("no answer in time")
        self._socket.settimeout(left)
        piece = self._socket.recv(1 << 16)
        if not piece:
            raise ConnectionResetError("the server closed the connection")
        self._buffer += piece


def _params(params: Any) -> dict[str, Any]:
    return {} if params is None else {"params": params}


def _connect(address: str, timeout_s: float) -> socket.socket:
    if address.startswith("unix:"):
        path = address.removeprefix("unix:")
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            made.settimeout(timeout_s)
            made.connect("/" + path.lstrip("/") if path.startswith("//") else path)
        except BaseException:
            made.close()
            raise
        return made
    parts = urllib.parse.urlsplit(address)
    if parts.scheme != "tcp" or not parts.hostname or not parts.port:
        raise ValueError(f"{address!r} is none of unix:/path and tcp://host:port")
    made = socket.create_connection((parts.hostname, parts.port), timeout=timeout_s)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def _content_length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            size = int(value)
            if size <= BODY_BYTES_MAX:
                return size
    raise ConnectionError("the server's message has no usable Content-Length; is this address Belfry's?")
