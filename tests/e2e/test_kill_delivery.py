"""kill -9 while notifications are emitted, shown, acknowledged, handed over and narrated: nothing that was answered for is
lost, nothing is shown again after its end, leases only grow, and in the end a person has everything that was meant for him.

KILL_ROUNDS says how often (20 unless told), KILL_SEED repeats the moments of a failing run as far as moments can be repeated.
"""

import contextlib
import os
import random
import time
import unittest

import belfry
from belfry import json_of

ROUNDS = int(os.environ.get("KILL_ROUNDS", "20"))
SEED = int(os.environ.get("KILL_SEED", str(random.SystemRandom().randrange(1 << 32))))
SYSTEM = {"address": "user", "target": "user", "handler": "system"}
AGENT = {"address": "session", "target": "user", "handler": "agent"}
SESSION = "s1"


class Dead(Exception):
    """The daemon was killed; whether the last request counted is not known."""


class Person:
    """Somebody whom we ask for over one connection until the daemon dies."""

    def __init__(self):
        self.trouble = None
        self.connection = None

    def post(self, daemon, path, body):
        try:
            answer = daemon.post(path, body, connection=self.connection)
        except Exception as error:
            raise Dead from error
        return answer.status, json_of(answer)

    def run(self, daemon):
        self.connection = daemon.connect()
        try:
            while self.trouble is None:
                self.step(daemon)
        except Dead:
            return
        finally:
            self.connection.close()

    def step(self, daemon):
        raise NotImplementedError


class Emitter(Person):
    def __init__(self, name, routing):
        super().__init__()
        self.name, self.routing = name, routing
        self.count = 0
        self.made = {}  # id: text, of what was answered

    def step(self, daemon):
        self.count += 1
        text = f"{self.name} {self.count}"
        body = {"text": text, "user_id": "ada", "routing": self.routing, "ttl_s": 3600}
        if self.routing is AGENT:
            body["session_id"] = SESSION
        status, row = self.post(daemon, "/v1/notifications", body)
        if status != 201 or row["lease"] != 1:
            self.trouble = f"{status}: {row}"
        self.made[row["id"]] = text


class Fences:
    """What everybody has seen of leases: of one notification they never go back."""

    def __init__(self):
        self.seen = {}
        self.trouble = None

    def note(self, one, lease):
        if lease < self.seen.setdefault(one, lease):
            self.trouble = f"the lease of {one} went back from {self.seen[one]} to {lease}"
        self.seen[one] = max(lease, self.seen[one])


class Agent(Person):
    """Takes what is due and says most of it in its own words; about the rest it is silent."""

    def __init__(self, fences, chance):
        super().__init__()
        self.fences, self.chance = fences, chance
        self.narrated = {}  # id: words, of what was answered
        self.silent = set()

    def step(self, daemon):
        status, pulled = self.post(daemon, f"/v1/sessions/{SESSION}/pull", {"point": "turn_start", "lease_s": 600})
        if status != 200:
            self.trouble = f"{status}: {pulled}"
            return
        for item in pulled["items"]:
            self.fences.note(item["id"], item["lease"])
            if item["id"] in self.narrated:
                self.trouble = f"{item['id']} was narrated and is handed over again"
            if self.chance.random() < 0.2:
                self.silent.add(item["id"])
                continue
            words = "In my words: " + item["text"]
            status, row = self.post(daemon, f"/v1/notifications/{item['id']}/narrate", {"lease": item["lease"], "text": words})
            if status == 200:
                self.narrated[item["id"]] = words
            elif status != 409:
                self.trouble = f"{status}: {row}"
        status, answer = self.post(daemon, f"/v1/sessions/{SESSION}/turns", {"event": "end", "reason": "done"})
        if status != 201:
            self.trouble = f"{status}: {answer}"


class Interface:
    """Shows what comes over server-sent events, once by lease and version, and acknowledges it over HTTP."""

    def __init__(self, fences):
        self.fences = fences
        self.shown = {}  # id: (lease, version)
        self.ended = set()  # what was acknowledged and answered, or told as ended
        self.narrated = {}
        self.trouble = None

    def run(self, daemon):
        try:
            with daemon.sse("/v1/inbox/live?user=ada") as reader, contextlib.closing(daemon.connect()) as connection:
                while self.trouble is None:
                    frame = reader.frame(patience=60)
                    if frame is None:
                        return
                    if frame.comment is None:
                        self.take(frame.data, daemon, connection)
        except (OSError, AttributeError, Dead):
            return

    def take(self, said, daemon, connection):
        kind = said.get("type")
        if kind == "narration":
            if said["id"] in self.narrated:
                self.trouble = f"{said['id']} was narrated twice"
            self.narrated[said["id"]] = said["text"]
        if kind != "notification":
            return
        one, place = said["id"], (said["owner_lease"], said["version"])
        self.fences.note(one, said["owner_lease"])
        if one in self.ended or one in self.narrated:
            self.trouble = f"{one} is shown after its end"
        if place < self.shown.get(one, place):
            self.trouble = f"{one} is shown as {place} after {self.shown[one]}"
        self.shown[one] = place
        try:
            answer = daemon.post(f"/v1/notifications/{one}/ack",
                                 {"lease": place[0], "version": place[1], "how": "rendered"}, connection=connection)
        except Exception as error:
            raise Dead from error
        if answer.status == 200:
            self.ended.add(one)
        elif answer.status != 409:
            self.trouble = f"{answer.status}: {answer.body[:300]}"


class Killed(belfry.Case):
    def check(self, daemon, emitters, agent, interface, fences):
        for one in (*emitters, agent, interface, fences):
            self.assertIsNone(one.trouble)
        rows, after = {}, 0
        while True:
            page = json_of(daemon.get(f"/v1/notifications?user=ada&limit=1000&after={after}"))
            rows.update((row["id"], row) for row in page["data"])
            if not page["has_more"]:
                break
            after = page["next"]
        for emitter in emitters:
            for one, text in emitter.made.items():
                self.assertIn(one, rows, "an acknowledged notification is gone")
                self.assertEqual(rows[one]["text"], text)
        for one, words in agent.narrated.items():
            self.assertEqual((rows[one]["state"], rows[one]["narration"]), ("delivered", words))
        for one in interface.ended:
            self.assertEqual(rows[one]["state"], "delivered")
        for one, row in rows.items():
            fences.note(one, row["lease"])
        self.assertIsNone(fences.trouble)
        return rows

    def test_shows_everything_once(self):
        chance = random.Random(SEED)
        print(f"KILL_SEED={SEED} KILL_ROUNDS={ROUNDS}")
        daemon = self.daemon()
        daemon.request("PUT", f"/v1/sessions/{SESSION}", {"user_id": "ada"})
        fences = Fences()
        emitters = [Emitter("inbox", SYSTEM), Emitter("said", AGENT)]
        agent, interface = Agent(fences, chance), Interface(fences)
        for turn in range(ROUNDS):
            with self.subTest(round=turn, seed=SEED):
                works = [lambda one=one: one.run(daemon) for one in (*emitters, agent, interface)]
                with belfry.threads(*works):
                    # Now and then right after the start, mostly in full flight.
                    time.sleep(chance.choice((0.02, 0.1, 0.2, 0.3)) * chance.random() + 0.005)
                    daemon.kill()
                daemon.start()
                self.check(daemon, emitters, agent, interface, fences)
        # Somebody is there to the end: everything reaches the person, once.
        with belfry.threads(lambda: interface.run(daemon)):
            belfry.eventually("nothing to be open", lambda: self.settle(daemon, agent), pause=0.05)
            rows = self.check(daemon, emitters, agent, interface, fences)
            daemon.kill()
        for one, row in rows.items():
            self.assertEqual((row["state"], row["target"]), ("delivered", "user"), row)
            self.assertEqual(bool(row["narration"]), one not in interface.shown, f"said twice, or by nobody: {row}")
        self.assertGreater(len(rows), ROUNDS, "there was no load to speak of")
        print(f"{ROUNDS} rounds, {len(rows)} notifications, {len(agent.narrated)} narrated")

    def settle(self, daemon, agent):
        agent.connection = daemon.connect()
        agent.step(daemon)
        agent.connection.close()
        return not json_of(daemon.get("/v1/notifications?user=ada&open=true&limit=1"))["data"]


if __name__ == "__main__":
    unittest.main()
