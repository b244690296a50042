"""kill -9 while notifications are emitted, shown, acknowledged, handed over and narrated: nothing that was answered for is
lost, nothing is shown again after its end, leases only grow, and in the end a person has everything that was meant for him.

KILL_ROUNDS says how often (20 unless told), KILL_SEED repeats the moments of a failing run as far as moments can be repeated.
"""

import contextlib
import hashlib
import itertools
import json
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
TELL_EVERY = 50  # rounds
WAITING_MAX = 100  # for the person: were there ever more of them, each round would take longer than the one before


class Dead(Exception):
    """The daemon was killed; whether the last request counted is not known."""


class Answered(dict):
    """By id what somebody was answered for. Those that came since they were last taken are to be found in the ledger now; all
    of them are where it is looked at from its beginning."""

    def __init__(self):
        super().__init__()
        self.taken = 0

    def take(self, after):
        # A dictionary keeps the order in which ids came.
        news = list(itertools.islice(self.items(), 0 if after == 0 else self.taken, None))
        self.taken = len(self)
        return news


class Person:
    """Somebody whom we ask for over one connection until the daemon dies."""

    def __init__(self):
        self.trouble = None
        self.connection = None

    def ask(self, daemon, method, path, body=None):
        try:
            answer = daemon.request(method, path, body, connection=self.connection)
        except Exception as error:
            raise Dead from error
        return answer.status, json_of(answer)

    def post(self, daemon, path, body):
        return self.ask(daemon, "POST", path, body)

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
    """Emits as fast as it is answered, unless the person has too much to read: then it only asks how much."""

    def __init__(self, name, routing):
        super().__init__()
        self.name, self.routing = name, routing
        self.count = 0
        self.room = 0
        self.made = Answered()  # id: text

    def step(self, daemon):
        if self.room <= 0:
            _, inbox = self.ask(daemon, "GET", "/v1/inbox?user=ada&limit=1")
            self.room = (WAITING_MAX - inbox["waiting"]) // 4
            return
        self.room -= 1
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
        self.narrated = Answered()  # id: words

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
                continue
            words = "In my words: " + item["text"]
            status, row = self.post(daemon, f"/v1/notifications/{item['id']}/narrate", {"lease": item["lease"], "text": words})
            if status == 200:
                self.narrated[item["id"]] = words
            elif status != 409:
                self.trouble = f"{status}: {row}"
        status, answer = self.post(daemon, f"/v1/sessions/{SESSION}/turns",
                                   {"event": "end", "reason": "done", "pull_id": pulled["pull_id"]})
        if status != 201:
            self.trouble = f"{status}: {answer}"


class Interface:
    """Shows what comes over server-sent events, once by lease and version, and acknowledges it over HTTP."""

    def __init__(self, fences):
        self.fences = fences
        self.shown = {}  # id: (lease, version)
        self.ended = Answered()  # what it acknowledged
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
        if kind != "notification":
            return
        one, place = said["id"], (said["owner_lease"], said["version"])
        self.fences.note(one, said["owner_lease"])
        if one in self.ended:
            self.trouble = f"{one} is shown after its end"
        if self.narrated.setdefault(one, said["narrated"]) != said["narrated"]:
            self.trouble = f"{one} is told by the system and by an agent"
        if place < self.shown.get(one, place):
            self.trouble = f"{one} is shown as {place} after {self.shown[one]}"
        self.shown[one] = place
        try:
            answer = daemon.post(f"/v1/notifications/{one}/ack",
                                 {"lease": place[0], "version": place[1], "how": "rendered"}, connection=connection)
        except Exception as error:
            raise Dead from error
        if answer.status == 200:
            self.ended[one] = place
        elif answer.status != 409:
            self.trouble = f"{answer.status}: {answer.body[:300]}"


class People:
    """Everybody who has to do with the notifications."""

    def __init__(self, chance):
        self.fences = Fences()
        self.emitters = [Emitter("inbox", SYSTEM), Emitter("said", AGENT)]
        self.agent, self.interface = Agent(self.fences, chance), Interface(self.fences)

    def workers(self):
        return (*self.emitters, self.agent, self.interface)

    def all(self):
        return (*self.workers(), self.fences)

    def made(self):
        return sum(emitter.count for emitter in self.emitters)


class Ledger:
    """The ledger as it was found at each look. What has ended never changes, so a look begins behind the rows before which
    all have ended; only the last one goes over everything."""

    def __init__(self):
        self.ended = {}  # id: the row's fingerprint
        self.floor = 0  # the ordinal up to which all have ended
        self.known = set()

    @staticmethod
    def pages(daemon, after):
        more = True
        while more:
            page = json_of(daemon.get(f"/v1/notifications?user=ada&limit=1000&after={after}"))
            yield from page["data"]
            more, after = page["has_more"], page.get("next")

    def look(self, daemon, after):
        """The rows behind this ordinal. Raises where one that had ended is not as it was."""
        rows, is_whole = {}, True
        for row in self.pages(daemon, after):
            one = row["id"]
            rows[one] = row
            self.known.add(one)
            if row["state"] in ("delivered", "failed"):
                if self.ended.setdefault(one, fingerprint(row)) != fingerprint(row):
                    raise AssertionError(f"had ended and has changed: {row}")
            elif one in self.ended:
                raise AssertionError(f"had ended and is open again: {row}")
            else:
                is_whole = False
            if is_whole:
                self.floor = max(self.floor, row["ordinal"])
        return rows


def fingerprint(row):
    return hashlib.sha256(json.dumps(row, sort_keys=True).encode()).digest()


class Killed(belfry.Case):
    def check(self, daemon, people, ledger, after):
        """What is behind this ordinal in the ledger is what everybody was answered since the look before."""
        for one in people.all():
            self.assertIsNone(one.trouble)
        rows = ledger.look(daemon, after)
        for emitter in people.emitters:
            for one, text in emitter.made.take(after):
                self.assertIn(one, rows, "an acknowledged notification is gone")
                self.assertEqual(rows[one]["text"], text)
        for one, words in people.agent.narrated.take(after):
            self.assertEqual(rows[one]["narration"], words)
            self.assertIn(rows[one]["state"], ("locked", "delivered"))
        for one, _ in people.interface.ended.take(after):
            self.assertEqual(rows[one]["state"], "delivered")
        for one, row in rows.items():
            people.fences.note(one, row["lease"])
        self.assertIsNone(people.fences.trouble)
        return rows

    def test_shows_everything_once(self):
        chance = random.Random(SEED)
        print(f"KILL_SEED={SEED} KILL_ROUNDS={ROUNDS}")
        daemon = self.daemon()
        daemon.request("PUT", f"/v1/sessions/{SESSION}", {"user_id": "ada"})
        people, ledger, begun = People(chance), Ledger(), time.monotonic()
        for turn in range(ROUNDS):
            with self.subTest(round=turn, seed=SEED):
                works = [lambda one=one: one.run(daemon) for one in people.workers()]
                before = people.made()
                with belfry.threads(*works):
                    # Every other time right after the start, else in full flight.
                    if turn % 2 == 1:
                        belfry.eventually("load", lambda: people.made() > before + 3)  # pylint: disable=W0640
                    time.sleep(chance.choice((0.02, 0.1, 0.2, 0.3)) * chance.random() + 0.005)
                    daemon.kill()
                daemon.start()
                rows = self.check(daemon, people, ledger, ledger.floor)
            if (turn + 1) % TELL_EVERY == 0:
                pace = (time.monotonic() - begun) / TELL_EVERY
                print(f"round {turn + 1}: {pace:.3f} s a round, {len(ledger.known)} notifications, {len(rows)} looked at",
                      flush=True)
                begun = time.monotonic()
        # Somebody is there to the end: everything reaches the person, once.
        with belfry.threads(lambda: people.interface.run(daemon)):
            belfry.eventually("nothing to be open", lambda: self.settle(daemon, people.agent), pause=0.05)
            rows = self.check(daemon, people, ledger, 0)
            daemon.kill()
        self.assertEqual(set(rows), ledger.known, "what an earlier round saw is gone")
        for one, row in rows.items():
            self.assertEqual((row["state"], row["target"]), ("delivered", "user"), row)
            self.assertIn(one, people.interface.shown, f"told by nobody: {row}")
            self.assertEqual(bool(row["narration"]), people.interface.narrated[one], f"told by another: {row}")
        self.assertGreater(len(rows), ROUNDS, "there was no load to speak of")
        print(f"{ROUNDS} rounds, {len(rows)} notifications, {len(people.agent.narrated)} narrated")

    def settle(self, daemon, agent):
        agent.connection = daemon.connect()
        agent.step(daemon)
        agent.connection.close()
        return not json_of(daemon.get("/v1/notifications?user=ada&open=true&limit=1"))["data"]


if __name__ == "__main__":
    unittest.main()
