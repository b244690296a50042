"""Facts that were said once among thousands of other things: after all of it was folded, each is found again, and those that were marked are
told. MEMORY_FACTS_MESSAGES says among how many (`make check`: 50,000)."""

import datetime
import itertools
import json
import os
import random
import unittest
import uuid

from agents import AgentCase
from belfry import eventually, json_of

MESSAGES = int(os.environ.get("MEMORY_FACTS_MESSAGES", "5000"))
FACTS = 200
BATCH = 500  # of one request
THREADS = 10
AGENT = "keeper"
PEOPLE = ("Marta", "Oskar", "Ilse", "Bruno", "Greta", "Anton", "Clara", "Emil", "Frieda", "Gustav", "Hanna", "Ivo", "Jana", "Karl", "Lotte",
          "Moritz", "Nele", "Otto", "Paula", "Ruben")
THINGS = ("violin", "ladder", "passport", "kettle", "bicycle", "telescope", "umbrella", "ledger", "compass", "lantern")
PLACES = ("cellar", "attic", "shed", "garage", "office", "hallway")
MARKS = {0: ("Goal: ", "goals"), 3: ("Decision: ", "decisions"), 6: ("Todo: ", "open_loops")}


class Fact:
    def __init__(self, number):
        self.person, self.thing = PEOPLE[number % len(PEOPLE)], THINGS[number // len(PEOPLE)]
        self.says = f"{self.person} keeps the {self.thing} in the {PLACES[number % len(PLACES)]}, box{number * 37 + 11}"
        self.label, self.list = MARKS.get(number % 10, ("", None))

    def content(self):
        return {"text": self.label + self.says}


def idle_words(dice):
    """The same people and the same things, never both: a search for one word is not enough."""
    about = dice.choice(PEOPLE) if dice.random() < 0.5 else f"somebody's {dice.choice(THINGS)}"
    return {"text": f"We spoke with {about} about number {dice.randrange(10**6)}, and nothing came of it in the {dice.choice(PLACES)}."}


class PlantedFacts(AgentCase):
    def history(self, facts):
        """Lines of an export: `MESSAGES` in several threads that take turns, with the facts at random places."""
        dice = random.Random(11)
        planted = dict(zip(sorted(dice.sample(range(MESSAGES), len(facts))), facts))
        begun = datetime.datetime(2026, 3, 1, tzinfo=datetime.timezone.utc)
        thread = 0
        for number in range(MESSAGES):
            if dice.random() < 0.02:
                thread = dice.randrange(THREADS)
            content = planted[number].content() if number in planted else idle_words(dice)
            kind = "thought" if number in planted else dice.choice(("thought", "user", "observation", "system"))
            at = (begun + datetime.timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%S.000000Z")
            yield json.dumps({"message": {"id": str(uuid.UUID(int=dice.getrandbits(128), version=4)), "agent_id": AGENT,
                                          "thread_id": f"{AGENT}:session:s{thread}", "kind": kind, "created_at": at,
                                          "tokens_approx": 20, "content": content}})

    def import_all(self, daemon, lines):
        connection = daemon.connect()
        first = json.dumps({"agent": {"id": AGENT, "user_id": "ada"}})
        query = after = ""
        while batch := list(itertools.islice(lines, BATCH)):
            body = "\n".join(([first] if not query else []) + batch) + "\n"
            answer = daemon.post("/v1/agents/import" + query + after, body, connection=connection,
                                 headers={"Content-Type": "application/x-ndjson"})
            self.assertIn(answer.status, (200, 201), answer.body)
            query, after = f"?agent={AGENT}", "&after=" + json.loads(batch[-1])["message"]["id"]
        connection.close()

    def fold_all(self, daemon):
        """Until nothing can be folded."""
        def is_quiet():
            asked = daemon.post(f"/v1/agents/{AGENT}/memory/folds", {})
            self.assertIn(asked.status, (200, 201, 202), asked.body)
            for state in ("pending", "running"):
                found = json_of(daemon.get(f"/v1/agents/{AGENT}/memory/folds?state={state}"))
                if found["data"]:
                    return False
            return all(one["hot_messages"] == 0 for one in self.threads(daemon))
        eventually(f"all is folded; the log says {daemon.log()[-2000:]}", is_quiet, patience=300, pause=0.05)
        self.assertEqual(json_of(daemon.get(f"/v1/agents/{AGENT}/memory/folds?state=failed_terminal"))["data"], [])

    def threads(self, daemon):
        return json_of(daemon.get(f"/v1/agents/{AGENT}/memory/threads"))["data"]

    def test_are_found_and_those_that_were_marked_are_told(self):
        facts = [Fact(number) for number in range(FACTS)]
        with self.daemon() as daemon:
            self.import_all(daemon, self.history(facts))
            self.assertEqual(sum(one["messages"] for one in self.threads(daemon)), MESSAGES)
            self.fold_all(daemon)
            lost = []
            connection = daemon.connect()
            for fact in facts:
                query = f"/v1/agents/{AGENT}/memory/search?limit=3&q=is+it+{fact.person}+who+keeps+the+{fact.thing}"
                found = json_of(daemon.get(query, connection=connection))["data"]
                if not any(fact.says in one["snippet"] for one in found):
                    lost.append((fact.says, [one["snippet"] for one in found]))
            self.assertEqual(lost, [], f"{len(lost)} of {FACTS} facts are not found")
            told = json_of(daemon.get(f"/v1/agents/{AGENT}/memory?explain=1", connection=connection))
            connection.close()
            marked = [fact for fact in facts if fact.list]
            self.assertGreaterEqual(len(marked), 50)
            missing = [fact.says for fact in marked if fact.says not in [one["text"] for one in told[fact.list]]]
            self.assertEqual(missing, [], f"{len(missing)} of {len(marked)} marked facts are not told")
            self.assertEqual(sum(len(told[name]) for name in ("goals", "decisions", "open_loops")), len(marked), "and nothing else is")
            self.assertLessEqual(told["used_tokens"] + told["reserved_tokens"], told["budget_tokens"])
            # All of it is in the summaries, once.
            heads = json_of(daemon.get(f"/v1/agents/{AGENT}/memory/summaries"))["data"]
            self.assertEqual(sum(sum(one["summary"]["counts"].values()) for one in heads), MESSAGES)
            self.assertLessEqual(max(sum(one["depth"] == depth for one in heads) for depth in range(1, 9)), 8)


if __name__ == "__main__":
    unittest.main()
