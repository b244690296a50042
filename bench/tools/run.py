#!/usr/bin/env python3
"""What calls of tools cost: calls a second over HTTP, and what the executor adds to the mutation itself.

    bench/tools/run.py [--belfry build/belfry] [--workers 16] [--rounds 5] [--seconds 2]

Each worker holds a wake of an agent of its own and has a connection of its own, a closed loop: a call, its answer, the next; the answer means
that what was done, the call and its result are on the disk. Each tool has a peer: the same request to the journal by the same worker under
the same claim, or, of a preview, the same call without it. Tool and peer take turns within each round, with the same daemon. Prints one line
of JSON: medians of requests a second and of the daemon's processor time for one, and of the rounds' ratios of these: how many times as
long, and as much processor time, the tool needs.
"""
import argparse
import itertools
import json
import os
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
sys.path.insert(0, str(ROOT / "bench/journal"))

import mutations  # noqa: E402, the folders must be known first
from run import Person  # noqa: E402
from servers.belfry import Belfry  # noqa: E402

CATEGORY = "gym"
OTHER = "home"
CAPABILITIES = ["task_read", "task_write", "checklist_write"]
LEASE_SECONDS = 300
TASKS = 50      # of each worker, before anything is measured
PAGE = 20       # tasks of one list
ITEMS = 5       # of one call


class Daemon(Belfry):
    """Lets all workers work at once."""

    def __init__(self, parent, binary, workers):
        super().__init__(parent, binary)
        self.workers = workers

    def command(self):
        return [*super().command(), "--wakes-at-once", str(self.workers)]

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Worker:
    """Holds a wake of its agent, which works in two categories and has some tasks in the first."""

    def __init__(self, server, person, number):
        self.server = server
        agent = f"worker-{number}"
        person.ask("POST", "/v1/agents", {"id": agent, "user_id": "ada", "capabilities": CAPABILITIES,
                                          "allowed_category_ids": [CATEGORY, OTHER]})
        person.ask("POST", f"/v1/agents/{agent}/wake", {})
        self.wake = person.ask("POST", "/v1/wakes/claim", {"agents": [agent], "lease_s": LEASE_SECONDS, "wait_s": 30})["wake"]
        self.tasks = [self.make(person, "tasks", {"title": f"task {count}", "category_id": CATEGORY}) for count in range(TASKS)]
        self.checklists = itertools.cycle([self.make(person, "checklists", {"task_id": task, "title": "list"}) for task in self.tasks])
        self.turns = itertools.cycle(self.tasks)
        self.operation = itertools.count()
        self.prefix = f"o-{number}-"

    @staticmethod
    def make(person, plural, record):
        return person.ask("POST", f"/v1/journal/{plural}?user=ada", record)["id"]

    def call(self, tool, arguments):
        return mutations.request(self.server, "POST", f"/v1/wakes/{self.wake['id']}/call", {
            "fence": self.wake["fence"], "operation_id": self.prefix + str(next(self.operation)), "tool_name": tool,
            "arguments": arguments})

    def journal(self, method, path, body, query=""):
        claim = f"wake={self.wake['id']}&fence={self.wake['fence']}"
        return mutations.request(self.server, method, f"/v1/journal/{path}?{claim}{query}", body)

    # Each kind of request, for as long as it is asked for.
    def create_task(self):
        return self.call("create_task", {"title": "buy milk and bread", "dueDate": "2027-01-01", "categoryId": CATEGORY})

    def create_bare(self):
        return self.journal("POST", "tasks", {"title": "buy milk and bread", "due_date": "2027-01-01", "category_id": CATEGORY})

    def update_task_priority(self):
        return self.call("update_task_priority", {"taskId": next(self.turns), "priority": self.priority()})

    def update_bare(self):
        return self.journal("PATCH", f"tasks/{next(self.turns)}", {"priority": self.priority()})

    def add_multiple_checklist_items(self):
        items = [{"title": f"item {count}"} for count in range(ITEMS)]
        return self.call("add_multiple_checklist_items", {"checklistId": next(self.checklists), "items": items})

    def add_bare(self):
        return self.journal("POST", "checklist_items", {"checklist_id": next(self.checklists), "title": "item"})

    def list_tasks_in_scope(self):
        return self.call("list_tasks_in_scope", {"limit": PAGE})

    def list_bare(self):
        return self.journal("GET", "tasks", {}, f"&limit={PAGE}")

    def preview(self):
        return self.call("update_task_fields", {"taskId": next(self.turns), "priority": self.priority(), "previewOnly": True})

    def preview_bare(self):
        return self.call("update_task_fields", {"taskId": next(self.turns), "priority": self.priority()})

    def priority(self):
        """Another one than the task has, whenever its turn comes."""
        self.turn = getattr(self, "turn", -1) + 1
        return ("p0", "p1", "p3")[self.turn // TASKS % 3]


# What is measured, its peer, what a good answer of each begins with, and how many requests of the peer do what one of the tool does.
PAIRS = {
    "create_task": ("create_task", "create_bare", b"HTTP/1.1 200", b"HTTP/1.1 201", 1),
    "update_task_priority": ("update_task_priority", "update_bare", b"HTTP/1.1 200", b"HTTP/1.1 200", 1),
    "add_multiple_checklist_items": ("add_multiple_checklist_items", "add_bare", b"HTTP/1.1 200", b"HTTP/1.1 201", ITEMS),
    "list_tasks_in_scope": ("list_tasks_in_scope", "list_bare", b"HTTP/1.1 200", b"HTTP/1.1 200", 1),
    "preview of update_task_fields": ("preview", "preview_bare", b"HTTP/1.1 200", b"HTTP/1.1 200", 1),
}


def measure(server, workers, name, good, seconds):
    """Requests a second, and microseconds of the daemon's processor time for one."""
    must = b'"status":"success"' if good == b"HTTP/1.1 200" and not name.endswith("_bare") else b""
    before = server.processor_seconds()

    def requests(number):
        while True:
            yield getattr(workers[number], name)()

    speed, loops = mutations.run(server, requests, good, seconds, connections=len(workers), must=must)
    used = server.processor_seconds() - before
    return speed, used * 1e6 / sum(loop.done for loop in loops)


def medians(rounds):
    """Of the rounds of one pair: what the tool does, its peer, and their ratios."""
    tool, peer = [[side[place] for side in rounds] for place in (0, 1)]
    time_ratios = [theirs[0] / ours[0] for ours, theirs in rounds]
    cpu_ratios = [ours[1] / theirs[1] for ours, theirs in rounds]
    middle = statistics.median
    return {"a_second": round(middle(one[0] for one in tool), 1), "peer_a_second": round(middle(one[0] for one in peer), 1),
            "time_ratio": round(middle(time_ratios), 2), "time_range": [round(min(time_ratios), 2), round(max(time_ratios), 2)],
            "cpu_us": round(middle(one[1] for one in tool), 1), "peer_cpu_us": round(middle(one[1] for one in peer), 1),
            "cpu_ratio": round(middle(cpu_ratios), 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--belfry", default=os.environ.get("BELFRY") or str(ROOT / "build/belfry"))
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2, help="of each measurement")
    parser.add_argument("--folder", default="/var/tmp", help="a folder on the disk to measure")
    options = parser.parse_args()
    found = {name: [] for name in PAIRS}
    load = os.getloadavg()
    for number in range(options.rounds):
        with Daemon(pathlib.Path(options.folder), pathlib.Path(options.belfry).resolve(), options.workers) as server:
            person = Person(server)
            for category in (CATEGORY, OTHER):
                person.ask("POST", "/v1/journal/categories?user=ada", {"id": category, "name": category})
            workers = [Worker(server, person, one) for one in range(options.workers)]
            for name, (tool, peer, good, peers_good, count) in PAIRS.items():
                sides = [(tool, good), (peer, peers_good)]
                measured = {one: measure(server, workers, one, what, options.seconds)
                            for one, what in (sides if number % 2 == 0 else sides[::-1])}
                speed, cost = measured[peer]
                found[name].append((measured[tool], (speed / count, cost * count)))
    print(json.dumps({"workers": options.workers, "rounds": options.rounds, "seconds": options.seconds, "load": load,
                      "tools": {name: medians(rounds) for name, rounds in found.items()}}))


if __name__ == "__main__":
    main()
