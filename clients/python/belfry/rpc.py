"""JSON-RPC 2.0 with Belfry over a Unix socket or TCP, one call after the other."""

from __future__ import annotations

import itertools
import json
import logging
import socket
import ssl
import time
import urllib.parse
from typing import Any, Callable

from .read_json import read_json
from .transport import clean_token, is_stale, tls_context

HEAD_BYTES_MAX = 4096
BODY_BYTES_MAX = 16 << 20
HEAD_END = b"\r\n\r\n"
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
    """One connection, for one thread at a time (`abort` is for any). `address` is `unix:/path`, `tcp://host:port` or, where
    the daemon has a certificate, `tcps://host:port`; `ca_file` is trusted besides the system's certificates. A token is
    shown before anything else; connecting and showing it last `connect_timeout_s` together. A connection that broke raises
    OSError, and so does a time-out (TimeoutError)."""

    def __init__(self, address: str, token: str = "", *, connect_timeout_s: float = 5.0, ca_file: str | None = None,
                 on_notification: OnNotification | None = None) -> None:
        self._on_notification = on_notification
        self._ids = itertools.count(1)
        self._buffer = bytearray()
        end = time.monotonic() + connect_timeout_s
        self._socket = _connect(address, end, ca_file)
        if token:
            try:
                self.call("authenticate", {"token": clean_token(token)}, timeout_s=end - time.monotonic())
            except BaseException:
                self.close()
                raise

    def call(self, method: str, params: Any = None, *, timeout_s: float | None = 60.0,
             call_id: str | None = None) -> Any:
        """The result; notifications that come before it are handed on."""
        number = next(self._ids) if call_id is None else call_id
        end = None if timeout_s is None else time.monotonic() + timeout_s
        self._write({"jsonrpc": "2.0", "id": number, "method": method, **_params(params)}, end)
        while True:
            message = self._read(end)
            if message.get("method") is not None:
                self._hand_on(message)
                continue
            # An error without an id is about what could not be read, and only this call is under way.
            is_unread = message.get("id") is None and "error" in message
            if not is_unread and message.get("id") != number:
                continue
            if "error" in message:
                error = message["error"]
                raise RpcError(int(error["code"]), str(error["message"]), error.get("data"))
            return message.get("result")

    def notify(self, method: str, params: Any = None) -> None:
        """Says something that is not answered."""
        self._write({"jsonrpc": "2.0", "method": method, **_params(params)}, time.monotonic() + 60.0)

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
            return not self._buffer and is_stale(self._socket) and not socket.socket.recv(self._socket, 1, socket.MSG_PEEK)
        except OSError:
            return True

    def abort(self) -> None:
        """Ends it from another thread: whoever waits for an answer hears that it broke."""
        try:
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
        except OSError:
            pass

    def close(self) -> None:
        self._socket.close()

    def _hand_on(self, message: dict[str, Any]) -> None:
        if self._on_notification is None or "id" in message:
            return
        try:
            self._on_notification(str(message["method"]), message.get("params"))
        except Exception:  # pylint: disable=broad-except
            logging.getLogger("belfry").exception("on_notification failed")  # the call that waits is not to blame

    def _write(self, message: dict[str, Any], end: float | None) -> None:
        body = json_bytes(message)
        self._socket.settimeout(_left(end))
        self._socket.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def _read(self, end: float | None) -> dict[str, Any]:
        """Takes a whole frame or nothing: whoever ran out of time finds what came so far the next time."""
        while (head := self._buffer.find(HEAD_END)) < 0:
            if len(self._buffer) > HEAD_BYTES_MAX:
                raise ConnectionError("the server's message has no head; is this address Belfry's?")
            self._fill(end)
        begin = head + len(HEAD_END)
        size = _content_length(bytes(self._buffer[:head]))
        while len(self._buffer) < begin + size:
            self._fill(end)
        body = bytes(self._buffer[begin:begin + size])
        del self._buffer[:begin + size]
        message = read_json(body)
        if not isinstance(message, dict):
            raise ConnectionError("the server's message is no object; is this address Belfry's?")
        return message

    def _fill(self, end: float | None) -> None:
        self._socket.settimeout(_left(end))
        piece = self._socket.recv(1 << 16)
        if not piece:
            raise ConnectionResetError("the server closed the connection")
        self._buffer += piece


def json_bytes(message: Any) -> bytes:
    """Refuses (ValueError) what JSON has no word for: NaN and the infinities."""
    return json.dumps(message, ensure_ascii=False, allow_nan=False).encode()


def _left(end: float | None) -> float | None:
    left = None if end is None else end - time.monotonic()
    if left is not None and left <= 0:
        raise TimeoutError("no answer in time")
    return left


def _params(params: Any) -> dict[str, Any]:
    return {} if params is None else {"params": params}


def _connect(address: str, end: float, ca_file: str | None) -> socket.socket:
    if address.startswith("unix:"):
        path = address.removeprefix("unix:")
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            made.settimeout(_left(end))
            made.connect("/" + path.lstrip("/") if path.startswith("//") else path)
        except BaseException:
            made.close()
            raise
        return made
    parts = urllib.parse.urlsplit(address)
    if parts.scheme not in ("tcp", "tcps") or not parts.hostname or not parts.port:
        raise ValueError(f"{address!r} is none of unix:/path, tcp://host:port and tcps://host:port")
    made = socket.create_connection((parts.hostname, parts.port), timeout=_left(end))
    try:
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if parts.scheme == "tcp":
            return made
        made.settimeout(_left(end))
        return tls_context(ca_file).wrap_socket(made, server_hostname=parts.hostname)
    except BaseException:
        made.close()
        raise


def _content_length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            size = int(value)
            if size <= BODY_BYTES_MAX:
                return size
    raise ConnectionError("the server's message has no usable Content-Length; is this address Belfry's?")
