"""kill -9 while people write into the journal: every mutation that was answered for is there, with exactly one change of its own,
and what was not answered for is there whole or not at all.

KILL_ROUNDS says how often (10 unless told), KILL_SEED repeats the moments of a failing run as far as moments can be repeated.
"""

import collections
import json
import os
import random
import time
import unittest

import belfry
from belfry import json_of, unique
from journal import JournalCase

ROUNDS = int(os.environ.get("KILL_ROUNDS", "10"))
SEED = int(os.environ.get("KILL_SEED", str(random.SystemRandom().randrange(1 << 32))))


class Writer:
    """Makes tasks, changes, links and deletes them on one connection, as fast as it is answered, until the daemon dies."""

    def __init__(self, user, chance):
        self.user = user
        self.chance = chance
        self.revisions = {}  # of each task: the last one that was answered for
        self.links = {}      # of each link, likewise
        self.unsure = set()  # of what it sent last it does not know
        self.gone = set()
        self.trouble = None

    def run(self, daemon):
        connection = daemon.connect()
        try:
            while self.trouble is None:
                self.step(daemon, connection)
        except Exception:  # pylint: disable=broad-except
            return  # it is dead
        finally:
            connection.close()

    def step(self, daemon, connection):
        live = [name for name in self.revisions if name not in self.gone]
        act = self.chance.choice(("make", "change", "change", "link", "delete")) if len(live) > 3 else "make"
        name = unique("t") if act == "make" else self.chance.choice(live)
        path, method, body, key = f"/tasks/{name}", "PATCH", {"text": unique("x")}, name
        if act == "make":
            path, method, body = "/tasks", "POST", {"id": name, "title": "x"}
        elif act == "delete":
            method, body = "DELETE", None
        elif act == "link":
            other = self.chance.choice([one for one in live if one != name])
            path, method, body = f"/links/next/{name}/{other}", "PUT", {"metadata": {"n": unique()}}
            key = (name, other)
        self.unsure = {key}
        answer = daemon.request(method, f"/v1/journal{path}?user={self.user}", body, connection=connection)
        if answer.status not in (200, 201):
            self.trouble = f"{method} {path}: {answer.status} {answer.body[:300]}"
            return
        kept = self.links if act == "link" else self.revisions
        kept[key] = json_of(answer)["revision"]
        if act == "delete":
            self.gone.add(name)
        self.unsure = set()

    def check(self, case, lines, changes):
        case.assertIsNone(self.trouble)
        there = {one["id"]: one for one in lines if one["kind"] == "task"}
        linked = {(one["from_id"], one["to_id"]): one for one in lines if one["kind"] == "link"}
        for kept, found in ((self.revisions, there), (self.links, linked)):
            for key, revision in kept.items():
                late = 1 if key in self.unsure else 0
                case.assertIn(found[key]["revision"], range(revision, revision + late + 1), key)
            case.assertLessEqual({key for key in found if key not in kept}, self.unsure)
        for name in self.gone:
            case.assertIsNotNone(there[name]["deleted_at"])
        counted = collections.Counter(one["id"] for one in changes if one["kind"] == "task")
        case.assertEqual(counted, collections.Counter({name: one["revision"] for name, one in there.items()}), "a change for each revision")
        case.assertEqual(sum(one["kind"] == "link" for one in changes), sum(one["revision"] for one in linked.values()))
        counters = [one["counter"] for one in changes]
        case.assertEqual(len(counters), len(set(counters)))
        for name, one in there.items():
            self.revisions[name] = one["revision"]
            if one["deleted_at"]:
                self.gone.add(name)
        self.links = {key: one["revision"] for key, one in linked.items()}
        self.unsure = set()


class Killed(JournalCase):
    def test_in_a_burst_it_has_lost_nothing_and_told_everything_once(self):
        print(f"KILL_SEED={SEED} KILL_ROUNDS={ROUNDS}", flush=True)
        chance = random.Random(SEED)
        daemon = self.daemon()
        writers = [Writer(f"u{number}", random.Random(SEED + number)) for number in range(4)]
        for number in range(ROUNDS):
            with belfry.threads(*[lambda one=one: one.run(daemon) for one in writers]):
                time.sleep(chance.uniform(0.05, 0.5))  # the moment is what is tried
                daemon.kill()
            daemon.start()
            for one in writers:
                lines = [json.loads(line) for line in self.export(daemon, one.user).splitlines()]
                wanted = sum(line["revision"] for line in lines)
                belfry.eventually("all changes are told", lambda one=one, wanted=wanted: len(self.changes(daemon, one.user)) >= wanted)
                with self.subTest(f"round {number}, {one.user}"):
                    one.check(self, lines, self.changes(daemon, one.user))
        self.assertGreater(sum(len(one.revisions) for one in writers), ROUNDS)


if __name__ == "__main__":
    unittest.main()
