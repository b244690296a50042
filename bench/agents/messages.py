#!/usr/bin/env python3
"""What it costs to add a message to what an agent remembers, and to read the newest for a context, with few messages there and with many.

    bench/agents/messages.py [--belfry build/belfry] [--messages 1000000] [--rounds 5]

The many are put into the file itself, in one thread. Both daemons run at once, and the rounds alternate between them. Prints one line
of JSON: medians in microseconds, and their ratio. Goal: within 1.2.
"""
import argparse
import http.client
import json
import pathlib
import sqlite3
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from servers.belfry import Belfry  # noqa: E402, the folder must be known first

REQUESTS = 300  # of a round
CONTEXT = 50    # messages of a context


class Worker:
    """One who holds a wake of an agent."""

    def __init__(self, server):
        self.link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        self.token = server.token()

    def ask(self, method, path, body=None):
        self.link.request(method, path, None if body is None else json.dumps(body), {"Authorization": f"Bearer {self.token}"})
        answer = self.link.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text}")
        return json.loads(text) if text else None

    def claim(self):
        self.wake = self.ask("POST", "/v1/wakes/claim", {"agents": ["a"], "lease_s": 600})["wake"]

    def append(self):
        self.ask("POST", f"/v1/wakes/{self.wake['id']}/messages",
                 {"fence": self.wake["fence"], "messages": [{"kind": "thought", "content": "what comes to mind"}]})

    def read(self):
        found = self.ask("GET", f"/v1/agents/a/messages?thread={self.wake['thread_id']}&limit={CONTEXT}")["data"]
        if len(found) != CONTEXT:
            raise RuntimeError(f"{len(found)} messages")


def fill(path, thread, count):
    with sqlite3.connect(path) as file:
        file.execute("PRAGMA synchronous = OFF")
        file.create_function("id_of", 1, lambda number: number.to_bytes(16, "big"), deterministic=True)
        file.create_function("text_of", 1, lambda number: f"{number:036d}".encode(), deterministic=True)
        first = file.execute("SELECT coalesce(max(position), 0) FROM agent_messages").fetchone()[0] + 1
        numbers = "WITH RECURSIVE n(i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?) "
        span = (first, first + count)
        file.execute(numbers + """INSERT INTO agent_messages (position, message_id, agent_id, thread_id, kind, created_at, prev_message_id,
            summary_depth, tokens_approx, extension_json, envelope_json, content_json)
            SELECT i, id_of(i), x'61', ?, 2, i, id_of(i - 1), 0, 5, CAST('{}' AS BLOB), CAST('{}' AS BLOB), CAST('"what comes to mind"' AS BLOB) FROM n""",
                     (*span, thread))
        file.execute(numbers + """INSERT INTO links (user_id, from_id, relation, to_id, metadata_json, hidden, revision, created_at, updated_at)
            SELECT (SELECT user_id FROM agents WHERE agent_id = x'61'), id_of(i), CAST('message_prev' AS BLOB), text_of(i - 1), CAST('{}' AS BLOB), 0, 1, i, i FROM n""", span)


def microseconds(call):
    times = []
    for _ in range(REQUESTS):
        begun = time.perf_counter()
        call()
        times.append((time.perf_counter() - begun) * 1e6)
    return statistics.median(times)


def prepared(server, count):
    worker = Worker(server)
    worker.ask("POST", "/v1/agents", {"id": "a"})
    wake = worker.ask("POST", "/v1/agents/a/wake", {"request_id": "r"})
    server.stop()
    fill(server.data / "belfry.db", wake["thread_id"].encode(), count)
    server.start()
    worker = Worker(server)
    worker.claim()
    for _ in range(CONTEXT):
        worker.append()
    return worker


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--belfry", type=pathlib.Path, default=ROOT / "build" / "belfry")
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Belfry(folder, arguments.belfry) as first, Belfry(folder, arguments.belfry) as second:
        sides = [prepared(first, 10), prepared(second, arguments.messages)]
        figures = {"append": ([], []), "read": ([], [])}
        for _ in range(arguments.rounds):
            for what, seen in figures.items():
                for side, worker in enumerate(sides):
                    seen[side].append(microseconds(getattr(worker, what)))
    shown = {"messages": arguments.messages}
    for what, (few, many) in figures.items():
        shown[what] = {"few_us": round(statistics.median(few)), "many_us": round(statistics.median(many)),
                       "ratio": round(statistics.median(b / a for a, b in zip(few, many)), 2)}
    print(json.dumps(shown))


if __name__ == "__main__":
    main()
