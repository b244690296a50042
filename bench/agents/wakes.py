#!/usr/bin/env python3
"""From an event that is recorded to the worker that holds the job: a worker waits in a long poll, an event comes that wakes its agent
without a window, and what passes between the answer to the event and the answer to the worker is measured, in this thread, by looking
at both sockets. The claim is a commit of its own: it is on the disk when the worker has it. Beside it, in turn: what this disk needs for
fdatasync of 4 KB appended.

    bench/agents/wakes.py [--belfry build/belfry] [--wakes 2000]

Prints one line of JSON: percentiles in microseconds, and the p99 as a multiple of that of fdatasync.
"""
import argparse
import json
import os
import pathlib
import select
import socket
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from servers.belfry import Belfry  # noqa: E402, the folder must be known first


class Line:
    """One connection; a request and its answer."""

    def __init__(self, server):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.token = server.token()
        self.rest = b""

    def send(self, path, body):
        text = json.dumps(body).encode()
        self.socket.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.token}\r\n"
                            f"Content-Length: {len(text)}\r\n\r\n".encode() + text)

    def read(self):
        """The answer, once it is whole; None before that."""
        self.rest += self.socket.recv(1 << 20)
        head, mark, body = self.rest.partition(b"\r\n\r\n")
        if not mark:
            return None
        sizes = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        size = int(sizes[0].split(b":")[1]) if sizes else 0
        if len(body) < size:
            return None
        self.rest = body[size:]
        if not head.startswith((b"HTTP/1.1 20",)):
            raise RuntimeError(f"{head!r} {body[:500]!r}")
        return json.loads(body[:size]) if size else {}

    def ask(self, path, body):
        self.send(path, body)
        while (answer := self.read()) is None:
            pass
        return answer


def wake_once(emitter, worker):
    """Microseconds between the two answers. One that the worker has first counts as nothing."""
    worker.send("/v1/wakes/claim", {"agents": ["bench"], "wait_s": 30})
    time.sleep(0.001)  # so that it waits; what it would find at once is not what is measured
    emitter.send("/v1/events", {"type": "bench.wake", "source": "bench", "user_id": "ada"})
    times, grant = {}, None
    while len(times) < 2:
        for ready in select.select([emitter.socket, worker.socket], [], [], 60)[0]:
            line = emitter if ready is emitter.socket else worker
            answer = line.read()
            if answer is not None:
                times[line] = time.perf_counter()
                grant = answer if line is worker else grant
    wake = grant["wake"]
    emitter.ask(f"/v1/wakes/{wake['id']}/end", {"fence": wake["fence"]})
    return max(0.0, (times[worker] - times[emitter]) * 1e6)


def sync_once(file):
    begun = time.perf_counter()
    os.write(file, b"x" * 4096)
    os.fdatasync(file)
    return (time.perf_counter() - begun) * 1e6


def percentile(times, part):
    return sorted(times)[min(len(times) - 1, int(len(times) * part))]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--belfry", default=ROOT / "build/belfry", type=pathlib.Path)
    options.add_argument("--wakes", default=2000, type=int)
    told = options.parse_args()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, Belfry(folder, told.belfry.resolve()) as server:
        emitter, worker = Line(server), Line(server)
        emitter.ask("/v1/agents", {"id": "bench", "user_id": "ada"})
        emitter.ask("/v1/agents/bench/subscriptions", {"types": ["bench.wake"], "window_ms": 0})
        file = os.open(os.path.join(folder, "disk"), os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        wakes, syncs = [], []
        for _ in range(told.wakes):
            wakes.append(wake_once(emitter, worker))
            syncs.append(sync_once(file))
        os.close(file)
    print(json.dumps({"wakes": told.wakes, "p50_us": round(percentile(wakes, 0.5)), "p99_us": round(percentile(wakes, 0.99)),
                      "fdatasync_p50_us": round(percentile(syncs, 0.5)), "fdatasync_p99_us": round(percentile(syncs, 0.99)),
                      "p50_ratio": round(percentile(wakes, 0.5) / percentile(syncs, 0.5), 2),
                      "p99_ratio": round(percentile(wakes, 0.99) / percentile(syncs, 0.99), 2)}))


if __name__ == "__main__":
    main()
