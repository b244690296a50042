#!/usr/bin/env python3
"""What the journal costs: mutations a second over HTTP, and lists and searches with few tasks there and with many.

    bench/journal/run.py [--belfry build/belfry] [--tasks 1000000] [--rounds 5] [--seconds 5]

Mutations: 64 connections, each a closed loop, make tasks and then change them; each answer means that it is on the disk. Their peers, in
turn with them: one fdatasync after the other on the same disk, and plain SQLite that writes the same rows (those that a task has left in the
store), in a transaction each and in one for 64.
Lists and searches: two daemons run at once, one with a thousand tasks and one with many, and the rounds alternate between them. The tasks
are written into the stores while the daemons are down, as the daemon writes them, which is checked. Prints one line of JSON: medians in
microseconds, and their ratios. Goal: within 1.5.
"""
import argparse
import contextlib
import http.client
import json
import os
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import mutations  # noqa: E402, the folders must be known first
import tasks  # noqa: E402
from servers.belfry import Belfry  # noqa: E402

FEW = 1000
REQUESTS = 100  # of a round, of each question
PAGE = 20

# Each has more than a page of answers among a thousand tasks already.
QUESTIONS = {
    "list": f"/v1/journal/tasks?limit={PAGE}",
    "list of a category": f"/v1/journal/tasks?category=gym&limit={PAGE}",
    "list of a status in a category": f"/v1/journal/tasks?category=gym&status=done&limit={PAGE}",
    "list of what is due": f"/v1/journal/tasks?due_from=2027-01-01&due_to=2027-12-31&limit={PAGE}",
    "list in allowed categories": f"/v1/journal/tasks?categories=gym,home&limit={PAGE}",
    "search for a word": f"/v1/journal/search?q=milk&limit={PAGE}",
    "search for two words": f"/v1/journal/search?q=bread%20milk&limit={PAGE}",
    "search for a beginning": f"/v1/journal/search?q=mil&limit={PAGE}",
    "search for a word and a beginning": f"/v1/journal/tasks?q=bread%20mil&limit={PAGE}",
    "search for a rare word and a beginning": f"/v1/journal/tasks?q=rare3%20mil&limit={PAGE}",
}


class Person:
    """A connection of the one whose journal it is."""

    def __init__(self, server):
        self.link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        self.headers = {"Authorization": "Bearer " + server.token()}

    def ask(self, method, path, body=None):
        self.link.request(method, path, None if body is None else json.dumps(body), self.headers)
        answer = self.link.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:500]}")
        return json.loads(text)

    def page(self, path):
        found = self.ask("GET", path)["data"]
        if len(found) != PAGE:
            raise RuntimeError(f"{path}: {len(found)} records")


def microseconds(person, path):
    times = []
    for _ in range(REQUESTS):
        begun = time.perf_counter()
        person.page(path)
        times.append((time.perf_counter() - begun) * 1e6)
    return statistics.median(times)


def read(folder, binary, count, rounds):
    """The medians of the rounds of each question, with few and with many."""
    times = {name: {FEW: [], count: []} for name in QUESTIONS}
    with contextlib.ExitStack() as stack:
        people = {}
        for one in (FEW, count):
            server = stack.enter_context(Belfry(folder, binary))
            tasks.fill(server, Person(server), one)
            people[one] = Person(server)
        for _ in range(rounds):
            for name, path in QUESTIONS.items():
                for one, person in people.items():
                    times[name][one].append(microseconds(person, path))
    few_and_many = {name: [statistics.median(all_) for all_ in by_count.values()] for name, by_count in times.items()}
    return {name: {"few_us": round(few, 1), "many_us": round(many, 1), "ratio": round(many / few, 2)}
            for name, (few, many) in few_and_many.items()}


def write(folder, binary, rounds, seconds):
    """The medians of the rounds: how many a second."""
    speeds = {}
    for _ in range(rounds):
        with Belfry(folder, binary) as server:
            for name, speed in mutations.measure(server, seconds).items():
                speeds.setdefault(name, []).append(speed)
            Person(server).ask("GET", "/v1/journal")
            server.stop()
            for name, speed in mutations.peers(server, folder, seconds).items():
                speeds.setdefault(name, []).append(speed)
    medians = {name: round(statistics.median(all_), 1) for name, all_ in speeds.items()}
    medians["create_to_fdatasync"] = round(medians["create"] / medians["fdatasync"], 2)
    medians["create_to_sqlite_each"] = round(medians["create"] / medians["sqlite_each"], 2)
    medians["create_to_sqlite_64"] = round(medians["create"] / medians["sqlite_64"], 2)
    return medians


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--belfry", default=os.environ.get("BELFRY") or str(ROOT / "build/belfry"))
    parser.add_argument("--tasks", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement of mutations")
    parser.add_argument("--folder", default="/var/tmp", help="a folder on the disk to measure")
    parser.add_argument("--only", choices=["read", "write"])
    options = parser.parse_args()
    binary = pathlib.Path(options.belfry).resolve()
    folder = pathlib.Path(options.folder)
    found = {"tasks": [FEW, options.tasks], "rounds": options.rounds}
    if options.only != "read":
        found["a_second"] = write(folder, binary, options.rounds, options.seconds)
    if options.only != "write":
        found["read"] = read(folder, binary, options.tasks, options.rounds)
    print(json.dumps({**found, "load": os.getloadavg()}))


if __name__ == "__main__":
    main()
