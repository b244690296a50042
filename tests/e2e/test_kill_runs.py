"""kill -9 while agents emit into their runs and a person speaks into a session: every event and every message that was answered
for is there, once and in its order, and nothing was shown to a reader that is not.

KILL_ROUNDS says how often (10 unless told), KILL_SEED repeats the moments of a failing run as far as moments can be repeated.
"""

import os
import random
import time
import unittest
import uuid

import belfry
import rpc
from belfry import json_of

ROUNDS = int(os.environ.get("KILL_ROUNDS", "10"))
SEED = int(os.environ.get("KILL_SEED", str(random.SystemRandom().randrange(1 << 32))))
SESSION = "s1"
RUN_EVENTS_MAX = 5000  # then a new run: all of one can be read


class Dead(Exception):
    """The daemon was killed; whether the last request counted is not known."""


class Worker:
    """Somebody who works on one connection until the daemon dies."""

    trouble = None

    def run(self, daemon):
        try:
            self.work(daemon)
        except (Dead, OSError, AttributeError):
            return

    def work(self, daemon):
        raise NotImplementedError


class Producer(Worker):
    """Emits numbers into a run, alone and in batches, as fast as it is answered. It counts what it was answered for; of what it
    sent last it does not know."""

    def __init__(self, chance):
        self.chance = chance
        self.run_id = None
        self.answered = 0  # numbers 1 to this are there
        self.sent = 0

    def open_run(self, daemon):
        self.run_id = json_of(daemon.post("/v1/runs", {"title": "kill"}))["id"]
        self.answered = self.sent = 0

    def work(self, daemon):
        connection = daemon.connect()
        try:
            while self.trouble is None and self.sent < RUN_EVENTS_MAX:
                self.step(daemon, connection)
        finally:
            connection.close()

    def step(self, daemon, connection):
        first = self.sent + 1
        count = self.chance.choice((1, 1, 5))
        self.sent += count
        events = [{"event": "test.number", "data": number} for number in range(first, first + count)]
        # The first event of all is that it was started.
        path = f"/v1/runs/{self.run_id}/events?expect_first={first + 1}"
        try:
            answer = daemon.post(path, events if count > 1 else events[0], connection=connection)
        except Exception as error:
            raise Dead from error
        if answer.status != 201 or json_of(answer)["last"] != self.sent + 1:
            self.trouble = f"{answer.status}: {answer.body[:300]}"
            return
        self.answered = self.sent

    def check(self, case, daemon):
        """Its numbers stand in the run, in order; what was not answered for may be there as a whole, or not at all."""
        numbers, after = [], 0
        while True:
            page = json_of(daemon.get(f"/v1/runs/{self.run_id}/events?after={after}&limit=1000"))
            numbers += [one["data"] for one in page["data"] if one["event"] == "test.number"]
            after = page["next"]
            if not page["has_more"]:
                break
        case.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        case.assertIn(len(numbers), (self.answered, self.sent), "an acknowledged event is gone, or half a batch is there")
        self.answered = self.sent = len(numbers)
        return len(numbers)


class Reader(Worker):
    """Follows a producer's run from where it was; what it was shown must be in the run."""

    def __init__(self, producer):
        self.producer = producer
        self.run_id = None
        self.last = 0

    def work(self, daemon):
        if self.run_id != self.producer.run_id:
            self.run_id, self.last = self.producer.run_id, 0
        with daemon.sse(f"/v1/runs/{self.run_id}/events?after={self.last}") as reader:
            while self.trouble is None:
                frame = reader.frame(patience=60)
                if frame is None:
                    return
                if frame.comment is not None:
                    continue
                if frame.id != self.last + 1:
                    self.trouble = f"{frame.id} came after {self.last}"
                self.last = frame.id

    def check(self, case, count):
        case.assertLessEqual(self.last, count + 1, "it was shown what is not recorded")


class Speaker(Worker):
    """Sends a person's words, each again under its id until it has a receipt."""

    def __init__(self):
        self.words = []  # [message_id, text] in the order in which they were first sent
        self.receipts = {}  # text: notification_id

    def work(self, daemon):
        while self.trouble is None:
            # A connection without a token is a client of its own, with a bucket of a hundred.
            with rpc.over_unix(daemon) as peer:
                for _ in range(80):
                    self.step(peer)

    def step(self, peer):
        if not self.words or self.words[-1][1] in self.receipts:
            self.words.append([str(uuid.uuid4()), f"word {len(self.words) + 1}"])
        message_id, text = self.words[-1]
        asked = peer.request("client/user_message", rpc.message(SESSION, text, message_id=message_id))
        got = peer.receive()
        if got is None:
            raise Dead
        if got.get("id") != asked:
            self.trouble = f"{got} is no answer to {asked}"
            return
        if got.get("error", {}).get("code") == -32004 and "waiting" in got["error"]["message"]:
            return  # the agent has to take some first
        if "result" not in got:
            self.trouble = str(got)
            return
        self.receipts[text] = got["result"]["notification_id"]


class Agent(Worker):
    """Takes the person's words and acknowledges each hand-over."""

    def __init__(self):
        self.heard = []  # texts, in the order in which they came first
        self.known = set()
        self.confirmed = set()

    def work(self, daemon):
        connection = daemon.connect()
        try:
            while self.trouble is None:
                self.step(daemon, connection)
        finally:
            connection.close()

    def post(self, daemon, what, body, connection):
        try:
            answer = daemon.post(f"/v1/sessions/{SESSION}/{what}", body, connection=connection)
        except Exception as error:
            raise Dead from error
        if answer.status != 200:
            self.trouble = f"{answer.status}: {answer.body[:300]}"
        return json_of(answer)

    def step(self, daemon, connection=None):
        pulled = self.post(daemon, "pull", {"point": "turn_start", "lease_s": 600}, connection)
        texts = [one["content"] for one in pulled.get("user_messages", [])]
        for text in texts:
            if text in self.confirmed:
                self.trouble = f"{text!r} was confirmed and is handed over again"
            if text not in self.known:
                self.known.add(text)
                self.heard.append(text)
        if texts and self.trouble is None:
            self.post(daemon, "acknowledge", {"pull_id": pulled["pull_id"]}, connection)
            self.confirmed.update(texts)
        return len(texts)


class Killed(belfry.Case):
    def words_in_history(self, daemon):
        found, after = [], ""
        while True:
            page = json_of(daemon.get(f"/v1/sessions/{SESSION}/history?shape=tree&limit=1000{after}"))
            found += [message["content"] for node in page["data"] for message in node["messages"] if message["role"] == "user"]
            if not page["has_more"]:
                return found
            after = f"&after={page['next']}"

    def check(self, daemon, producers, readers, speaker, agent):
        for one in (*producers, *readers, speaker, agent):
            self.assertIsNone(one.trouble)
        for producer, reader in zip(producers, readers):
            count = producer.check(self, daemon)
            reader.check(self, count)
        words = [text for _, text in speaker.words]
        self.assertIn(self.words_in_history(daemon), (words, words[:-1]), "a word is gone, doubled or out of its order")
        self.assertLessEqual(len(words) - len(speaker.receipts), 1)
        self.assertEqual(agent.heard, words[:len(agent.heard)], "out of order")

    def test_keeps_every_event_and_every_word_once(self):
        chance = random.Random(SEED)
        print(f"KILL_SEED={SEED} KILL_ROUNDS={ROUNDS}")
        daemon = self.daemon()
        daemon.request("PUT", f"/v1/sessions/{SESSION}", {"user_id": "ada"})
        producers = [Producer(chance) for _ in range(3)]
        readers = [Reader(producer) for producer in producers]
        speaker, agent = Speaker(), Agent()
        events = 0
        for turn in range(ROUNDS):
            with self.subTest(round=turn, seed=SEED):
                for producer in producers:
                    if producer.run_id is None or producer.sent >= RUN_EVENTS_MAX // 2:
                        events += producer.answered
                        producer.open_run(daemon)
                works = [lambda one=one: one.run(daemon) for one in (*producers, *readers, speaker, agent)]
                before = len(speaker.words)
                with belfry.threads(*works):
                    if turn % 2 == 1:  # in full flight; else right after the start
                        belfry.eventually("load", lambda: len(speaker.words) > before + 3)  # pylint: disable=W0640
                    time.sleep(chance.choice((0.02, 0.1, 0.2, 0.4)) * chance.random() + 0.01)  # the moment of the kill
                    daemon.kill()
                daemon.start()
                self.check(daemon, producers, readers, speaker, agent)
        with rpc.over_unix(daemon) as peer:
            while speaker.words and speaker.words[-1][1] not in speaker.receipts:
                speaker.step(peer)
        belfry.eventually("the agent to have everything",
                          lambda: agent.step(daemon) == 0 and len(agent.heard) >= len(speaker.words), pause=0.05)
        self.check(daemon, producers, readers, speaker, agent)
        events += sum(producer.answered for producer in producers)
        self.assertEqual(agent.heard, [text for _, text in speaker.words])
        self.assertGreater(events, ROUNDS, "there was no load to speak of")
        self.assertGreater(len(speaker.words), ROUNDS, "there was no load to speak of")
        print(f"{ROUNDS} rounds, {events} events, {len(speaker.words)} words")


if __name__ == "__main__":
    unittest.main()
