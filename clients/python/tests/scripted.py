"""A server that does what a test tells it, over real sockets: each connection runs the next part of the script."""

import contextlib
import json
import os
import socket
import tempfile
import threading
import time


class Talk:
    """The server's side of one connection."""

    def __init__(self, connection):
        self.socket = connection
        self.buffer = b""
        self.size = 0  # bytes of the last call

    def _until(self, mark):
        while mark not in self.buffer:
            piece = self.socket.recv(1 << 16)
            if not piece:
                return None
            self.buffer += piece
        taken, _, self.buffer = self.buffer.partition(mark)
        return taken

    def _exactly(self, count):
        while len(self.buffer) < count:
            piece = self.socket.recv(1 << 16)
            if not piece:
                return None
            self.buffer += piece
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def request(self):
        """(method, target, headers, body) of the next HTTP request; None at the end."""
        head = self._until(b"\r\n\r\n")
        if head is None:
            return None
        lines = head.decode().split("\r\n")
        method, target, _ = lines[0].split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        if headers.get("transfer-encoding") == "chunked":
            return method, target, headers, b""
        return method, target, headers, self._exactly(int(headers.get("content-length", "0")))

    def chunk(self):
        """The next chunk of a body; empty: the last."""
        chunk = self._exactly(int(self._until(b"\r\n"), 16))
        self._exactly(2)
        return chunk

    def answer(self, status, body, headers=""):
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.socket.sendall(f"HTTP/1.1 {status} X\r\nContent-Length: {len(text)}\r\n{headers}\r\n".encode() + text)

    def chunked_events(self):
        """As a proxy frames them."""
        self.socket.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")

    def chunked_event(self, data):
        text = f"data: {json.dumps(data)}\n\n".encode()
        self.socket.sendall(b"%x\r\n" % len(text) + text + b"\r\n")

    def events(self):
        self.socket.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")

    def event(self, data, event_id=None, kind=None):
        text = (f"id: {event_id}\n" if event_id is not None else "") + (f"event: {kind}\n" if kind else "")
        self.socket.sendall((text + f"data: {json.dumps(data)}\n\n").encode())

    def call(self):
        """The next JSON-RPC message; None at the end."""
        head = self._until(b"\r\n\r\n")
        if head is None:
            return None
        self.size = int(head.split(b":")[1])
        return json.loads(self._exactly(self.size))

    def say(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.socket.sendall(b"content-length: %d\r\n\r\n" % len(body) + body)

    def receipt(self, call, number="r"):
        self.say({"id": call["id"], "result": {"success": True, "message": "ok", "notification_id": number}})


class Scripted:
    """Takes one connection after the other and runs `parts` on them, the last one for all further ones."""

    def __init__(self, *parts, unix=False, port=0, path=None):
        self.parts = list(parts)
        self.failure = None
        self.connections = 0
        self.running = 0  # parts that have not ended
        self._open = []
        unix = unix or path is not None
        self._folder = os.path.dirname(path) if path else tempfile.mkdtemp() if unix else None
        self.path = os.path.join(self._folder, "s") if unix else None
        self._listener = socket.socket(socket.AF_UNIX if unix else socket.AF_INET, socket.SOCK_STREAM)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(self.path or ("127.0.0.1", port))
        self._listener.listen(16)
        self.port = None if unix else self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def url(self):
        return f"unix:{self.path}" if self.path else f"http://127.0.0.1:{self.port}"

    @property
    def rpc(self):
        return f"unix:{self.path}" if self.path else f"tcp://127.0.0.1:{self.port}"

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                connection.settimeout(30)
                part = self.parts[min(self.connections, len(self.parts) - 1)]
                self.connections += 1
                self.running += 1
                self._open.append(connection)
                threading.Thread(target=self._run, args=(part, connection), daemon=True).start()

    def _run(self, part, connection):
        try:
            with connection:
                part(Talk(connection))
        except (OSError, TypeError) as error:  # a client that goes away in the middle is no failure of the test
            self.failure = error
        finally:
            self.running -= 1

    def close(self):
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(30)
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        if self._folder:
            with contextlib.suppress(OSError):
                os.remove(self.path)
            os.rmdir(self._folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def eventually(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "this did not become true"
        time.sleep(0.002)


def free_port():
    """A port at which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
