"""Readers of sockets for the end-to-end tests: plain HTTP answers, server-sent events, WebSockets."""

import base64
import collections
import json
import os
import select
import ssl
import struct
import time

PATIENCE = 90.0  # seconds that anything may take on a busy machine before it counts as broken

Answer = collections.namedtuple("Answer", "status headers body")


class Bytes:
    """A socket that is read up to what is wanted, or up to a time."""

    def __init__(self, connection):
        self.socket = connection
        self.buffer = b""
        self.ended = False

    def fill(self, until):
        left = until - time.monotonic()
        pending = isinstance(self.socket, ssl.SSLSocket) and self.socket.pending()
        if not pending and (left <= 0 or not select.select([self.socket], [], [], left)[0]):
            return False
        try:
            got = self.socket.recv(1 << 16)
        except (ConnectionResetError, BrokenPipeError):
            got = b""
        self.ended = not got
        self.buffer += got
        return bool(got)

    def until(self, mark, patience=PATIENCE):
        """The bytes up to and with the mark; None at the end of the connection or of the patience."""
        end = time.monotonic() + patience
        while mark not in self.buffer:
            if not self.fill(end):
                return None
        at = self.buffer.index(mark) + len(mark)
        taken, self.buffer = self.buffer[:at], self.buffer[at:]
        return taken

    def exactly(self, count, patience=PATIENCE):
        end = time.monotonic() + patience
        while len(self.buffer) < count:
            if not self.fill(end):
                return None
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def rest(self, patience=PATIENCE):
        """Everything until the peer closes."""
        end = time.monotonic() + patience
        while not self.ended and self.fill(end):
            pass
        return self.buffer


def read_response(stream, patience=PATIENCE):
    """One HTTP answer with a Content-Length from a Bytes; None where the connection ended instead."""
    head = stream.until(b"\r\n\r\n", patience)
    if head is None:
        return None
    lines = head.decode("latin-1").split("\r\n")
    fields = {}
    for line in lines[1:]:
        if line:
            name, value = line.split(":", 1)
            fields[name.strip().lower()] = value.strip()
    body = stream.exactly(int(fields.get("content-length", "0")), patience)
    return Answer(int(lines[0].split()[1]), fields, body)


Frame = collections.namedtuple("Frame", "kind id data comment")


class Sse:
    """A reader of server-sent events over a socket of its own."""

    def __init__(self, daemon, path, token, headers=None):
        self.socket = daemon.raw()
        fields = {"Host": "127.0.0.1", "Accept": "text/event-stream", **(headers or {})}
        if token:
            fields["Authorization"] = "Bearer " + token
        text = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.socket.sendall(f"GET {path} HTTP/1.1\r\n{text}\r\n".encode())
        self.stream = Bytes(self.socket)
        self.answer = None
        head = self.stream.until(b"\r\n\r\n").decode("latin-1")
        self.status = int(head.split()[1])
        self.head = head.lower()
        self.last_id = None

    def frame(self, patience=PATIENCE):
        """The next frame that is more than `retry:`; None at the end of the stream or of the patience."""
        while True:
            text = self.stream.until(b"\n\n", patience)
            if text is None:
                return None
            kind, frame_id, data, comment = "message", None, [], None
            for line in text.decode().splitlines():
                name, _, value = line.partition(":")
                value = value.removeprefix(" ")
                if name == "event":
                    kind = value
                elif name == "id":
                    frame_id = int(value)
                elif name == "data":
                    data.append(value)
                elif name == "" and line:
                    comment = value
            if frame_id is not None:
                self.last_id = frame_id
            if data or comment is not None:
                return Frame(kind, frame_id, json.loads("\n".join(data)) if data else None, comment)

    def entries(self, count, patience=PATIENCE):
        """The next so many entries, heartbeats passed over."""
        found = []
        while len(found) < count:
            frame = self.frame(patience)
            assert frame is not None, f"the stream ended after {len(found)} of {count} entries"
            if frame.comment is None:
                assert frame.kind == "message", frame
                found.append(frame.data)
        return found

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class WebSocket:
    """As much of RFC 6455 as a reader needs."""

    def __init__(self, daemon, path, token, headers=None):
        self.socket = daemon.raw()
        key = base64.b64encode(os.urandom(16)).decode()
        fields = {"Host": "127.0.0.1", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": key,
                  "Sec-WebSocket-Version": "13", **(headers or {})}
        if token:
            fields["Authorization"] = "Bearer " + token
        text = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.socket.sendall(f"GET {path} HTTP/1.1\r\n{text}\r\n".encode())
        self.stream = Bytes(self.socket)
        head = self.stream.until(b"\r\n\r\n").decode("latin-1")
        self.status = int(head.split()[1])
        self.head = head.lower()
        self.key = key

    def frame(self, patience=PATIENCE):
        """(opcode, payload) of the next frame; None at the end."""
        head = self.stream.exactly(2, patience)
        if head is None:
            return None
        assert head[0] & 0x80, "a fragmented message"
        assert not head[1] & 0x80, "a server does not mask"
        size = head[1] & 0x7F
        if size == 126:
            size = struct.unpack(">H", self.stream.exactly(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self.stream.exactly(8))[0]
        return head[0] & 0x0F, self.stream.exactly(size) if size else b""

    def message(self, patience=PATIENCE):
        """The next text message as JSON; pings are answered. None when the server closes."""
        while True:
            frame = self.frame(patience)
            if frame is None or frame[0] == 8:
                return None
            if frame[0] == 9:
                self.send(10, frame[1])
            elif frame[0] == 1:
                return json.loads(frame[1])

    def send(self, opcode, payload=b""):
        mask = os.urandom(4)
        key = (mask * (len(payload) // 4 + 1))[:len(payload)]
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(len(payload), "big")
        if len(payload) < 126:
            size = bytes([0x80 | len(payload)])
        elif len(payload) < 1 << 16:
            size = bytes([0x80 | 126]) + len(payload).to_bytes(2, "big")
        else:
            size = bytes([0x80 | 127]) + len(payload).to_bytes(8, "big")
        self.socket.sendall(bytes([0x80 | opcode]) + size + mask + masked)

    def say(self, message):
        self.send(1, json.dumps(message).encode())

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
