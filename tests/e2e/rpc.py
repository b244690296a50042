"""Clients of JSON-RPC for the end-to-end tests: over a Unix socket, TCP, a WebSocket and the standard streams of `belfry rpc`."""

import datetime
import itertools
import json
import re
import socket
import subprocess

import belfry
from readers import PATIENCE, Bytes, WebSocket


def now(hours=0):
    time = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)
    return time.isoformat().replace("+00:00", "Z")


def message(session, text="Yes, proceed with the changes", kind="user_input", **more):
    """The parameters of a client's message."""
    params = {"session_id": session, "message_type": kind, "timestamp": now(), **more}
    if "payload" not in params and text is not None:
        params["payload"] = {"text": text}
    return params


def rpc_port(daemon):
    """The TCP port of JSON-RPC, which the machine has chosen."""
    return int(re.findall(r"rpc_port=(\d+)", daemon.log())[-1])


class Peer:
    """Numbers requests, and keeps notifications apart from answers."""

    def __init__(self):
        self.ids = itertools.count(1)
        self.notifications = []
        self.answers = {}

    def send_text(self, text):
        raise NotImplementedError

    def receive(self, patience=PATIENCE):
        """The next message as it is; None at the end of the connection or of the patience."""
        raise NotImplementedError

    def send(self, document):
        self.send_text(json.dumps(document).encode())

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method, params=None):
        number = next(self.ids)
        self.send({"jsonrpc": "2.0", "id": number, "method": method, **({} if params is None else {"params": params})})
        return number

    def answer(self, number, patience=PATIENCE):
        """The answer to a request; what else comes is kept."""
        while number not in self.answers:
            got = self.receive(patience)
            assert got is not None, f"no answer to {number}"
            if isinstance(got, dict) and "method" in got:
                self.notifications.append(got)
            else:
                self.answers[got["id"]] = got
        return self.answers.pop(number)

    def call(self, method, params=None, patience=PATIENCE):
        return self.answer(self.request(method, params), patience)

    def ok(self, method, params=None):
        got = self.call(method, params)
        assert "result" in got, got
        return got["result"]

    def say(self, *arguments, **more):
        """A client's message as a request; its receipt."""
        return self.ok("client/user_message", message(*arguments, **more))

    def refused(self, method, params=None):
        got = self.call(method, params)
        assert "error" in got, got
        return got["error"]

    def notification(self, patience=PATIENCE):
        if self.notifications:
            return self.notifications.pop(0)
        got = self.receive(patience)
        assert got is None or "method" in got, got
        return got

    def quiet(self, seconds=0.3):
        """Nothing comes."""
        return not self.notifications and self.receive(seconds) is None


class Framed(Peer):
    """Messages with a header of their own over any stream."""

    def __init__(self, connection):
        super().__init__()
        self.socket = connection
        self.stream = Bytes(connection)

    def send_text(self, text):
        self.socket.sendall(b"Content-Length: %d\r\n\r\n" % len(text) + text)

    def send_raw(self, raw):
        self.socket.sendall(raw)

    def receive(self, patience=PATIENCE):
        head = self.stream.until(b"\r\n\r\n", patience)
        if head is None:
            return None
        length = int(re.search(rb"content-length: *(\d+)", head, re.I).group(1))
        return json.loads(self.stream.exactly(length, PATIENCE))

    def ended(self, patience=PATIENCE):
        """The server has closed; what came before that."""
        self.stream.rest(patience)
        return self.stream.ended

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def over_unix(daemon):
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(PATIENCE)
    connection.connect(daemon.data + "/belfry-rpc.sock")
    return Framed(connection)


def over_tcp(daemon, token=None):
    peer = Framed(socket.create_connection(("127.0.0.1", rpc_port(daemon)), timeout=PATIENCE))
    if token:
        peer.ok("authenticate", {"token": token})
    return peer


class OverWebSocket(Peer):
    def __init__(self, daemon, path="/v1/rpc", token="admin"):
        super().__init__()
        self.web = WebSocket(daemon, path, daemon.admin_token if token == "admin" else token)

    def send_text(self, text):
        self.web.send(1, text)

    def receive(self, patience=PATIENCE):
        return self.web.message(patience)

    def close(self):
        self.web.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def over_stdio(daemon, *requests):
    """Everything that `belfry rpc` answers to these messages."""
    text = b"".join(b"Content-Length: %d\r\n\r\n" % len(one) + one
                    for one in (json.dumps(request).encode() for request in requests))
    done = subprocess.run([belfry.BINARY, "rpc", "--data", daemon.data], input=text, capture_output=True, check=True,
                          timeout=PATIENCE, env=daemon.environment)
    found, rest = [], done.stdout
    while rest:
        head, rest = rest.split(b"\r\n\r\n", 1)
        length = int(head.split(b":")[1])
        found.append(json.loads(rest[:length]))
        rest = rest[length:]
    return found
