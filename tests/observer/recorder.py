"""Records observations of a world against the real binary, in the form of observation.hpp."""

import json
import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))

ROUTES = {"u": "user", "s": "session", "a": "agent"}
HANDLERS = {"s": "system", "a": "agent"}


def routing_of(code):
    """The routing of a request for a short code such as `uua`."""
    return {"address": ROUTES[code[0]], "target": ROUTES[code[1]], "handler": HANDLERS[code[2]]}


def code_of(routing):
    """The short code of a routing in an answer."""
    return routing["address"][0] + routing["target"][0] + routing["handler"][0]


class Recorder:
    """One order for everything that all parties see."""

    def __init__(self):
        self.lock = threading.Lock()
        self.order = 0
        self.lines = []
        self.began = time.monotonic()
        self.counters = {}

    def now_ms(self):
        return int((time.monotonic() - self.began) * 1000)

    def tick(self):
        """The order and the time of a request that is about to leave."""
        with self.lock:
            self.order += 1
            return self.order, self.now_ms()

    def add(self, kind, actor, began=None, **body):
        with self.lock:
            self.order += 1
            line = {"kind": kind, "order": self.order, "at_ms": self.now_ms(), "actor": actor}
            if began:
                line["began"], line["began_ms"] = began
            self.lines.append({**line, **body})
            return self.order

    def unique(self, prefix):
        with self.lock:
            self.counters[prefix] = self.counters.get(prefix, 0) + 1
            return self.counters[prefix]

    def mark(self, letter):
        return f"#{letter}{self.unique(letter)}#"

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            for line in self.lines:
                file.write(json.dumps(line) + "\n")


class Caller:
    """A party that calls the daemon; an answer that does not come has status 0."""

    def __init__(self, daemon, token):
        self.daemon = daemon
        self.token = token

    def call(self, method, path, body=None, **headers):
        """Returns the status, the reason of a rejection, and the answer."""
        status, document = self.exchange(method, path, body, **headers)
        reason = document.get("reason") or document.get("code") or "" if status >= 400 else ""
        return status, reason, document if status < 400 else {}

    def exchange(self, method, path, body=None, **headers):
        """Returns the status and the document of the answer, which may be a problem."""
        connection = None
        try:
            connection = self.daemon.connect(timeout=20)
            answer = self.daemon.request(method, path, body, headers=headers, token=self.token, connection=connection)
            return answer.status, json.loads(answer.body) if answer.body else {}
        except (OSError, ValueError, EOFError, AssertionError, __import__("http.client").client.HTTPException):
            time.sleep(0.02)
            return 0, {}
        finally:
            if connection:
                connection.close()
