"""kill -9 under load, again and again on the same folder: what was acknowledged is there, once and in order.

KILL_ROUNDS says how often. KILL_SEED repeats the moments of a failing run, as far as moments can be repeated.
"""

import os
import random
import time
import unittest

import belfry
from belfry import event, json_of

ROUNDS = int(os.environ.get("KILL_ROUNDS", "6"))
SEED = int(os.environ.get("KILL_SEED", str(random.SystemRandom().randrange(1 << 32))))
SINGLES, BATCHES, BATCH = 6, 2, 25


class Producer:
    """Posts as fast as it is answered; after a crash it repeats what it was not answered for, as a good client does."""

    def __init__(self, name, batch):
        self.name, self.batch = name, batch
        self.count = 0
        self.open = None  # the request that has no answer yet
        self.acknowledged = {}  # own id: (id, sequence)
        self.trouble = None

    def next_request(self):
        if self.open is None:
            self.open = []
            for _ in range(self.batch):
                self.count += 1
                self.open.append(event(id=f"{self.name}-{self.count}", source=self.name, payload={"n": self.count}))
        return self.open if self.batch > 1 else self.open[0]

    def run(self, daemon, token):
        connection = daemon.connect()
        try:
            while True:
                request = self.next_request()
                try:
                    answer = daemon.emit(request, token=token, connection=connection)
                except Exception:  # pylint: disable=broad-except
                    return  # the daemon is dead; whether the request counted is not known
                if answer.status != 201:
                    self.trouble = f"{answer.status}: {answer.body[:300]}"
                    return
                self.note(json_of(answer))
        finally:
            connection.close()

    def note(self, answer):
        for sent, entry in zip(self.open, answer["data"] if self.batch > 1 else [answer]):
            before = self.acknowledged.setdefault(sent["id"], (entry["id"], entry["sequence"]))
            if before != (entry["id"], entry["sequence"]):
                self.trouble = f"{sent['id']} was answered as {before} and as {entry}"
        self.open = None


class Reader:
    """A follower that comes again after every crash with the last id that it has."""

    def __init__(self):
        self.seen = []

    def run(self, daemon, token):
        try:
            place = {"Last-Event-ID": str(self.seen[-1]["sequence"])} if self.seen else {}
            with daemon.sse("/v1/streams/events?from=start", token=token, headers=place) as reader:
                while True:
                    frame = reader.frame(patience=60)
                    if frame is None:
                        return
                    if frame.comment is None:
                        self.seen.append(frame.data)
        except (OSError, AttributeError):
            return  # the daemon died before it answered


class Killed(belfry.Case):
    def check(self, daemon, producers, reader, checked):
        """All that was acknowledged is there, once, in order; from `checked` on, which earlier rounds have seen."""
        entries = daemon.entries(after=checked)
        self.assert_whole(entries, first=checked + 1)
        by_id = {}
        for entry in entries:
            name = entry["event"]["source_id"]
            self.assertNotIn(name, by_id, "an event is there twice")
            by_id[name] = entry
        for producer in producers:
            self.assertIsNone(producer.trouble)
            for name, (own, sequence) in producer.acknowledged.items():
                if sequence <= checked:
                    continue
                self.assertIn(name, by_id, f"{name} was acknowledged as {sequence} and is gone")
                self.assertEqual((by_id[name]["event"]["id"], by_id[name]["sequence"]), (own, sequence))
            # One producer's events have the order in which it sent them.
            numbers = [entry["event"]["payload"]["n"] for entry in entries if entry["event"]["source"] == producer.name]
            self.assertEqual(numbers, sorted(numbers))
        self.assertEqual([entry["sequence"] for entry in reader.seen], list(range(1, len(reader.seen) + 1)),
                         "the reader missed something or saw it twice")
        return entries

    def test_loses_nothing_and_doubles_nothing(self):
        chance = random.Random(SEED)
        print(f"KILL_SEED={SEED} KILL_ROUNDS={ROUNDS}")
        daemon = self.daemon()
        token = daemon.admin_token
        producers = [Producer(f"single{n}", 1) for n in range(SINGLES)]
        producers += [Producer(f"batch{n}", BATCH) for n in range(BATCHES)]
        reader = Reader()
        checked, kept = 0, []
        for turn in range(ROUNDS):
            with self.subTest(round=turn, seed=SEED):
                works = [lambda one=one: one.run(daemon, token) for one in producers]
                before = sum(len(one.acknowledged) for one in producers)
                with belfry.threads(*works, lambda: reader.run(daemon, token)):
                    # Every other time right after the start, else in full flight.
                    if turn % 2 == 1:
                        belfry.eventually("load", lambda: sum(len(one.acknowledged) for one in producers) > before + 30)  # pylint: disable=W0640
                    time.sleep(chance.choice((0.02, 0.1, 0.3, 0.6)) * chance.random() + 0.005)
                    daemon.kill()
                daemon.start()
                entries = self.check(daemon, producers, reader, checked)
                checked += len(entries)
                kept += [(entry["sequence"], entry["event"]["id"]) for entry in entries]
        self.assertGreater(checked, ROUNDS * 10, "there was no load to speak of")
        # What has no answer is asked again: it gets one, and nothing of it is there twice.
        for producer in producers:
            if producer.open is not None:
                producer.note(json_of(daemon.emit(producer.next_request(), token=token)))
        entries = self.check(daemon, producers, reader, 0)
        self.assertEqual([(entry["sequence"], entry["event"]["id"]) for entry in entries][:checked], kept,
                         "what an earlier round saw has changed")
        for producer in producers:
            mine = [entry for entry in entries if entry["event"]["source"] == producer.name]
            self.assertEqual(len(mine), len(producer.acknowledged))
            self.assertEqual(len(mine), producer.count)
        # The reader comes a last time and has then seen everything once.
        with daemon.sse(headers={"Last-Event-ID": str(len(reader.seen))}, token=token) as last:
            reader.seen += last.entries(len(entries) - len(reader.seen))
        self.assertEqual(reader.seen, entries)
        self.assertEqual(daemon.stop(), 0)
        print(f"{ROUNDS} rounds, {len(entries)} events")


if __name__ == "__main__":
    unittest.main()
