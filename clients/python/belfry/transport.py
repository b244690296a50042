"""One address of a daemon, and requests to it over TCP, TLS or a Unix socket."""

from __future__ import annotations

import http.client
import select
import socket
import ssl
import threading
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Iterator

from .errors import BelfryError, problem_error
from .read_json import read_json


@dataclass(frozen=True)
class Address:
    """`http://host:port`, `https://host:port` or `unix:/path`."""

    scheme: str
    host: str = "localhost"
    port: int = 0
    path: str = ""

    @staticmethod
    def parse(url: str) -> Address:
        if url.startswith("unix:"):
            path = url.removeprefix("unix:")
            return Address("unix", path="/" + path.lstrip("/") if path.startswith("//") else path)
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is none of http://host:port, https://host:port and unix:/path")
        return Address(parts.scheme, parts.hostname, parts.port or (443 if parts.scheme == "https" else 80))

    def __str__(self) -> str:
        return f"unix:{self.path}" if self.scheme == "unix" else f"{self.scheme}://{self.host}:{self.port}"


@dataclass
class Request:
    method: str
    target: str
    body: bytes | Iterable[bytes] | None = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        try:
            return read_json(self.body) if self.body else None
        except ValueError:
            if self.status >= 400:
                return None
            raise BelfryError("malformed", "the answer is no JSON; is this address Belfry's?",
                              status=self.status) from None

    def error(self) -> BelfryError:
        return problem_error(self.status, self.headers, self.json())


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.settimeout(self.timeout)
        try:
            made.connect(self._path)
        except BaseException:
            made.close()
            raise
        self.sock = made


def is_stale(connection: socket.socket | None) -> bool:
    """A connection that nobody was asked on and that is readable was closed by the other side."""
    if connection is None:
        return True
    watch = select.poll()
    watch.register(connection, select.POLLIN)
    return bool(watch.poll(0))


def clean_token(token: str) -> str:
    """A token as it was read from a file, with or without the end of the line. An error never shows it."""
    token = token.strip()
    if not token.isascii() or not token.isprintable() or " " in token:
        raise ValueError("the token has characters that no access token has")
    return token


def tls_context(ca_file: str | None) -> ssl.SSLContext:
    made = ssl.create_default_context()
    if ca_file:
        made.load_verify_locations(ca_file)
    return made


class Transport:
    """Requests to one daemon, from any thread: each has a connection for itself, kept for the next."""

    def __init__(self, address: Address, token: str, *, ca_file: str | None, connect_timeout_s: float,
                 answer_timeout_s: float, silence_s: float) -> None:
        self.address = address
        self.reached = False  # an answer has come from there before
        self._token = clean_token(token)
        self._connect_timeout_s = connect_timeout_s
        self._answer_timeout_s = answer_timeout_s
        self._silence_s = silence_s
        self._tls = tls_context(ca_file) if address.scheme == "https" else None
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def send(self, request: Request) -> Answer:
        """One attempt; any status is an answer here."""
        connection = self._take()
        try:
            response = self._ask(connection, request, self._answer_timeout_s)
            answer = Answer(response.status, _fields(response), response.read())
        except TimeoutError as error:
            connection.close()
            raise BelfryError("timeout", f"no answer in {self._answer_timeout_s:g} s") from error
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise BelfryError("outcome_unknown", f"the connection broke before the answer: {error!r}") from error
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            with self._lock:
                self._idle.append(connection)
        return answer

    def open(self, request: Request, on_connected: Callable[[Stream], None]) -> Stream:
        """An answer that is read as it comes. A refusal is raised. `on_connected` gets it before anything is asked, so that
        somebody else can stop the waiting."""
        connection = self._connect()
        stream = Stream(connection)
        try:
            on_connected(stream)
            response = self._ask(connection, request, self._silence_s)
            if response.status != 200:
                raise Answer(response.status, _fields(response), response.read()).error()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise BelfryError("unavailable", f"the stream was not opened: {error!r}") from error
        except BaseException:
            connection.close()
            raise
        stream.response = response
        return stream

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _take(self) -> http.client.HTTPConnection:
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                return self._connect()
            if not is_stale(connection.sock):
                return connection
            connection.close()

    def _connect(self) -> http.client.HTTPConnection:
        where, timeout = self.address, self._connect_timeout_s
        made: http.client.HTTPConnection
        if where.scheme == "unix":
            made = _UnixConnection(where.path, timeout)
        elif self._tls:
            made = http.client.HTTPSConnection(where.host, where.port, timeout=timeout, context=self._tls)
        else:
            made = http.client.HTTPConnection(where.host, where.port, timeout=timeout)
        try:
            made.connect()
        except OSError as error:
            made.close()
            raise BelfryError("unavailable", f"cannot connect to {where}: {error}; is the daemon running? "
                                             "start it with `belfry serve`") from error
        return made

    def _ask(self, connection: http.client.HTTPConnection, request: Request,
             timeout_s: float) -> http.client.HTTPResponse:
        headers = {"User-Agent": "belfry-python", "Accept": "application/json", **request.headers}
        if self._token:
            headers["Authorization"] = "Bearer " + self._token
        connection.sock.settimeout(timeout_s)
        body = request.body
        if body is not None and not isinstance(body, bytes):
            body = _until_answered(body, connection.sock)
        try:
            connection.request(request.method, request.target, body=body, headers=headers)
        except (BrokenPipeError, ConnectionResetError):
            # A server that refuses a body answers before its end, and closes: the answer says why.
            if body is None:
                raise
        response = connection.getresponse()
        self.reached = True
        return response


class Stream:
    """The body of an answer, piece by piece. `stop` is for any thread, everything else for the one that reads: closing a
    connection that another thread reads from breaks its reader."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self.response: http.client.HTTPResponse | None = None
        self._socket: socket.socket = connection.sock
        self._connection = connection

    def pieces(self) -> Iterator[bytes]:
        """Ends where the server ends the answer; a broken or silent connection is raised as unavailable."""
        assert self.response is not None
        while True:
            try:
                piece = self.response.read1(1 << 16)
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise BelfryError("unavailable", f"the stream broke: {error!r}") from error
            if not piece:
                return
            yield piece

    def stop(self) -> None:
        try:
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
        except OSError:
            pass

    def close(self) -> None:
        self.stop()
        if self.response is not None:
            self.response.close()
        self._connection.close()


def _until_answered(pieces: Iterable[bytes], link: socket.socket) -> Iterator[bytes]:
    """An upload ends early where the server answers before its end: it refuses the rest."""
    can_tell = not isinstance(link, ssl.SSLSocket)  # a TLS connection is also readable for reasons of its own
    for piece in pieces:
        if can_tell and is_stale(link):
            return
        yield piece


def _fields(response: http.client.HTTPResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in response.getheaders()}
