#!/usr/bin/env python3
"""What stored timers cost that are not due: the time to start and the memory of a daemon that has a million of them, and what a
firing costs beside them; and the same with a thousand, in turn. Goal: as with a thousand.

    bench/timers/run.py [--belfry build/belfry] [--timers 1000000] [--firings 1000] [--rounds 3]

The timers that are not due are written into the store while the daemon is down, each a copy of one that it has made itself. Those that
fire are added over HTTP, one for each of so many agents, all for the same second. Prints one line of JSON.
"""
import argparse
import contextlib
import datetime
import http.client
import json
import os
import pathlib
import random
import sqlite3
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from sections.footprint import QUIET_SECONDS, resident_kb  # noqa: E402, the folder must be known first
from servers.belfry import Belfry  # noqa: E402

AGENTS = 1000
FEW = 1000
AHEAD_S = 5  # between the last timer that is added and the second in which all of them fire
DAY_US = 86_400_000_000


class Person:
    """A connection of the one whose agents these are."""

    def __init__(self, server):
        self.link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        self.token = server.token()

    def post(self, path, body):
        self.link.request("POST", path, body=json.dumps(body), headers={"Authorization": "Bearer " + self.token})
        answer = self.link.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{path}: {answer.status} {text[:500]}")
        return json.loads(text)


def cpu_seconds(server):
    """Of all its threads, in nanoseconds' steps: the usual figure has steps of ten milliseconds."""
    tasks = pathlib.Path(f"/proc/{server.process.pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def store_of(server):
    return sqlite3.connect(server.data / "belfry.db", timeout=60)


def fill(server, timers):
    """So many timers that are due in a month or later; the daemon is down while they are written."""
    person = Person(server)
    for number in range(AGENTS):
        person.post("/v1/agents", {"id": f"idle{number}", "user_id": "ada"})
    person.post("/v1/agents/idle0/timers", {"name": "0", "schedule": {"kind": "daily", "time": "07:00"}, "zone": "Europe/Berlin"})
    server.stop()
    dice = random.Random(1)
    with contextlib.closing(store_of(server)) as store:
        columns = [row[1] for row in store.execute("PRAGMA table_info(agent_timers)")]
        model = dict(zip(columns, store.execute("SELECT * FROM agent_timers").fetchone()))

        def rows():
            for number in range(1, timers):
                at = model["next_run_at"] + 30 * DAY_US + dice.randrange(700 * DAY_US)
                yield tuple({**model, "timer_id": dice.randbytes(16), "agent_id": b"idle%d" % (number % AGENTS), "name": b"%d" % number,
                             "next_run_at": at, "due_at": at}.values())
        with store:
            store.executemany(f"INSERT INTO agent_timers VALUES ({','.join('?' * len(columns))})", rows())
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    server.start()


def fire(server, number, firings):
    """What all of them cost in seconds of a core, and how long after their second the last one's wake was made."""
    person = Person(server)
    agents = [f"due{number}-{one}" for one in range(firings)]
    for agent in agents:
        person.post("/v1/agents", {"id": agent, "user_id": "ada"})
    at = int(time.time()) + AHEAD_S + firings // 100
    stamp = datetime.datetime.fromtimestamp(at, datetime.timezone.utc).isoformat().replace("+00:00", "Z")
    for agent in agents:
        person.post(f"/v1/agents/{agent}/timers", {"name": "due", "schedule": {"kind": "at", "at": stamp}})
    if time.time() > at - 1:
        raise RuntimeError("the timers were not there in time")
    time.sleep(at - 1 - time.time())
    before = cpu_seconds(server)
    with contextlib.closing(store_of(server)) as store:
        while True:
            time.sleep(0.2)
            woken, last = store.execute("SELECT count(*), max(created_at) FROM wakes WHERE agent_id >= ? AND agent_id < ?",
                                        (b"due%d-" % number, b"due%d." % number)).fetchone()
            if woken == firings:
                break
            if time.time() > at + 60:
                raise RuntimeError(f"{woken} of {firings} timers have fired")
    time.sleep(1)
    return {"cpu_us": (cpu_seconds(server) - before) / firings * 1e6, "last_ms": last / 1000 - at * 1000}


def measure(server, number, firings):
    server.stop()
    begun = server.start()
    time.sleep(QUIET_SECONDS)
    return {"start_ms": begun * 1000, "idle_mb": resident_kb(server.process.pid) / 1024, **fire(server, number, firings),
            "after_mb": resident_kb(server.process.pid) / 1024}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--belfry", default=os.environ.get("BELFRY") or str(ROOT / "build/belfry"))
    parser.add_argument("--timers", type=int, default=1_000_000)
    parser.add_argument("--firings", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", default="/var/tmp", help="a folder on the disk to measure")
    options = parser.parse_args()
    binary = pathlib.Path(options.belfry).resolve()
    rounds = {FEW: [], options.timers: []}
    with contextlib.ExitStack() as stack:
        servers = {}
        for timers in rounds:
            servers[timers] = stack.enter_context(Belfry(pathlib.Path(options.folder), binary))
            fill(servers[timers], timers)
        for number in range(options.rounds):
            for timers, server in servers.items():
                rounds[timers].append(measure(server, number, options.firings))
    medians = {timers: {name: round(statistics.median(one[name] for one in all_), 1) for name in all_[0]} for timers, all_ in rounds.items()}
    print(json.dumps({"firings": options.firings, "medians": medians, "rounds": rounds, "load": os.getloadavg()}))


if __name__ == "__main__":
    main()
