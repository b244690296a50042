"""kill -9 while workers call tools: whatever the moment, each call is done once. What was refused or only previewed has left nothing,
and of what was not answered for the worker hears when he calls again, after the restart.

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
CAPABILITIES = ["task_read", "task_write", "checklist_write", "time_write"]


class Contradiction(Exception):
    """What a worker was told cannot be."""


class Worker:
    """Does one run of its agent after the other on one connection, as fast as it is answered, until the daemon dies. The next one knows
    the run, and what it was told of each operation; where the run stands it has to find out."""

    def __init__(self, user, category, task, agent, chance):
        self.user, self.category, self.task, self.agent, self.chance = user, category, task, agent, chance
        self.number = 0
        self.wishes = []
        self.answers = {}  # of each operation the id of its result
        self.repeats = 0
        self.trouble = None
        self.begin()

    def begin(self):
        self.number += 1
        self.wishes = [self.wish() for _ in range(self.chance.randint(1, 6))]
        if self.chance.random() < 0.3:
            self.wishes.append(self.wishes[-1])

    def wish(self):
        mark = unique("mark")
        kind = self.chance.choice(("task", "task", "list", "items", "title", "title", "refused", "half", "preview", "note"))
        here = {"taskId": self.task}
        return {
            "task": ("create_task", {"title": mark, "categoryId": self.category}),
            "list": ("create_checklist", {**here, "title": mark, "items": [{"title": f"{mark} 1"}, {"title": f"{mark} 2", "checked": True}]}),
            "items": ("add_multiple_checklist_items", {**here, "items": [{"title": f"{mark} {number}"} for number in range(3)]}),
            "title": ("update_task_fields", {**here, "title": mark}),
            "refused": ("create_task", {"title": mark, "categoryId": "elsewhere"}),
            "half": ("create_checklist", {**here, "title": mark, "items": [{"title": mark}, {"title": "\u202e"}]}),
            "preview": ("conclude_task_with_rollover", {**here, "followUpTitle": mark, "previewOnly": True}),
            "note": ("notify_self", {"message": mark}),
        }[kind]

    def run(self, daemon):
        connection = daemon.connect()

        def ask(method, path, body=None, expected=(200, 201)):
            answer = daemon.request(method, path, body, connection=connection)
            if answer.status not in expected:
                raise Contradiction(f"{method} {path}: {answer.status} {answer.body[:300]}")
            return json_of(answer) if answer.status in (200, 201) else None

        try:
            while True:
                self.work(ask)
        except Contradiction as why:
            self.trouble = str(why)
        except Exception:  # pylint: disable=broad-except
            return  # it is dead
        finally:
            connection.close()

    def work(self, ask):
        wake = ask("POST", f"/v1/agents/{self.agent}/wake", {"request_id": f"run {self.number}"})
        grant = ask("POST", "/v1/wakes/claim", {"agents": [self.agent], "lease_s": 600}, (200, 204))
        wake = grant["wake"] if grant else ask("GET", f"/v1/wakes/{wake['id']}")  # one before has claimed it, or ended it
        if wake["state"] == "queued":
            wake = ask("POST", "/v1/wakes/claim", {"agents": [self.agent], "lease_s": 600, "wait_s": 30})["wake"]
        if wake["state"] != "running":
            if wake["state"] != "completed":
                raise Contradiction(f"the run is {wake['state']}")
            return self.begin()
        at = f"/v1/wakes/{wake['id']}"
        actions = [{"tool_name": tool, "arguments": arguments} for tool, arguments in self.wishes]
        if self.chance.random() < 0.2:
            actions.reverse()  # where there is a plan, it stays
        plan = ask("POST", f"{at}/plan", {"fence": wake["fence"], "actions": actions})
        for action in plan["actions"]:
            for _ in range(2 if self.chance.random() < 0.2 else 1):
                self.call(ask, wake, action["operation_id"])
        follow = f"follow {self.number}"
        made = self.call(ask, wake, f"{follow} a", "create_task", title=f"{self.agent} {follow} a", categoryId=self.category)["task"]["taskId"]
        wish = {"taskId": made, "followUpTitle": f"{self.agent} {follow} b"}
        token = self.call(ask, wake, f"{follow} preview", "conclude_task_with_rollover", **wish, previewOnly=True)["previewToken"]
        self.call(ask, wake, f"{follow} b", "conclude_task_with_rollover", **wish, previewToken=token)
        ask("POST", f"{at}/end", {"fence": wake["fence"]})
        return self.begin()

    def call(self, ask, wake, operation, tool=None, **arguments):
        body = {"fence": wake["fence"], "operation_id": operation}
        body.update({} if tool is None else {"tool_name": tool, "arguments": arguments})
        result = ask("POST", f"/v1/wakes/{wake['id']}/call", body)["result"]
        self.repeats += operation in self.answers
        if self.answers.setdefault(operation, result["id"]) != result["id"]:
            raise Contradiction(f"{operation} has another result")
        if tool and result["tool_result"]["status"] != "success":
            raise Contradiction(f"{operation}: {result}")
        return result["content"]


def titles_of(tool, arguments):
    """What a call that goes well makes, by its titles."""
    if tool == "conclude_task_with_rollover":
        return [] if "previewOnly" in arguments else [arguments["followUpTitle"]]
    if tool in ("create_task", "create_checklist", "add_multiple_checklist_items"):
        return [arguments[name] for name in ("title",) if name in arguments] + [one["title"] for one in arguments.get("items", [])]
    return []


class Killed(JournalCase):
    def test_each_call_of_a_tool_is_done_once(self):
        print(f"KILL_SEED={SEED} KILL_ROUNDS={ROUNDS}", flush=True)
        chance = random.Random(SEED)
        daemon = self.daemon()
        workers = [self.settle(daemon, number) for number in range(4)]
        for number in range(ROUNDS):
            with belfry.threads(*[lambda one=one: one.run(daemon) for one in workers]):
                time.sleep(chance.uniform(0.05, 0.5))  # the moment is what is tried
                daemon.kill()
            daemon.start()
            for one in workers:
                self.assertIsNone(one.trouble, f"round {number}")
            if number % 10 == 9 or number == ROUNDS - 1:
                for one in workers:
                    with self.subTest(f"round {number}, {one.user}"):
                        self.compare(daemon, one)
        calls = sum(len(self.pairs(daemon, one)) for one in workers)
        mutations = sum(len(self.by_agent(daemon, one)) for one in workers)
        print(f"{ROUNDS} kills, {sum(one.number for one in workers)} runs, {calls} calls, {sum(one.repeats for one in workers)} repeated, "
              f"{mutations} mutations", flush=True)
        self.assertGreater(calls, ROUNDS)
        self.assertGreater(sum(one.repeats for one in workers), ROUNDS // 10)

    def settle(self, daemon, number):
        user = f"u{number}"
        category = self.make(daemon, "categories", user=user, name="Work")["id"]
        task = self.make(daemon, "tasks", user=user, title="before", category_id=category)["id"]
        agent = self.agent(daemon, f"agent{number}", user_id=user, allowed_category_ids=[category], capabilities=CAPABILITIES)
        return Worker(user, category, task, agent, random.Random(SEED + number))

    def pairs(self, daemon, worker):
        """Each call with its result, the oldest first: every operation has one of each."""
        found, after = [], ""
        while True:
            page = json_of(daemon.get(f"/v1/agents/{worker.agent}/messages?limit=200{after}"))
            found += page["data"]
            if not page["has_more"]:
                break
            after = f"&after={page['next']}"
        actions = {one["id"]: one for one in found if one["kind"] == "action"}
        results = [one for one in reversed(found) if one["kind"] == "tool_result"]
        operations = [one["metadata"]["operation_id"] for one in actions.values()]
        self.assertEqual(len(operations), len(set(operations)), "an operation is recorded once")
        answered = [one["metadata"]["action_ref_id"] for one in results]
        self.assertEqual(sorted(answered), sorted(actions), "one result for each call")
        return [(actions[one["metadata"]["action_ref_id"]], one) for one in results]

    def by_agent(self, daemon, worker):
        return [one for one in self.changes(daemon, worker.user) if one["origin"] == f"agent:{worker.agent}" and not one["kind"].startswith("agent")]

    def compare(self, daemon, worker):
        pairs = self.pairs(daemon, worker)
        recorded = {action["metadata"]["operation_id"]: result["id"] for action, result in pairs}
        self.assertLessEqual(worker.answers.items(), recorded.items(), "what was answered for is there")
        done = [(action["action"]["tool_name"], action["content"], result) for action, result in pairs
                if result["tool_result"]["status"] == "success"]
        lines = [json.loads(line) for line in self.export(daemon, worker.user).splitlines()]

        titles = collections.Counter(one["title"] for one in lines if one["kind"] in ("task", "checklist", "checklist_item"))
        wanted = collections.Counter(title for tool, arguments, _ in done for title in titles_of(tool, arguments))
        names = [arguments["title"] for tool, arguments, _ in done if tool == "update_task_fields"]
        wanted[names[-1] if names else "before"] += 1
        if any(tool == "add_multiple_checklist_items" for tool, _, _ in done) and titles["Checklist"]:
            wanted["Checklist"] = 1  # where the task had none
        self.assertEqual(titles, wanted)

        # An agent that says the same title twice in a row has changed nothing the second time.
        renamed = sum(1 for before, after in zip(["before", *names], names) if before != after)
        there = {one["id"]: one for one in lines if one["kind"] != "link"}
        self.assertEqual(there[worker.task]["revision"], 1 + renamed)
        changed = collections.Counter(name for _, _, result in done for name in result["tool_result"]["changed_entity_ids"])
        belfry.eventually("all changes are told", lambda: len(self.by_agent(daemon, worker)) >= changed.total())
        told = collections.Counter(one["id"] for one in self.by_agent(daemon, worker))
        self.assertEqual(told, changed, "a change for each that a result tells of")
        notes = [one["event"]["payload"]["message"] for one in daemon.entries() if one["event"]["type"] == "agent.self.notify"
                 and one["event"].get("user_id") == worker.user]
        self.assertEqual(sorted(notes), sorted(arguments["message"] for tool, arguments, _ in done if tool == "notify_self"))


if __name__ == "__main__":
    unittest.main()
