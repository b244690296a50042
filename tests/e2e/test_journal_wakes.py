"""Agents and the journal: what its changes wake, what a predicate sees of them, and that nobody wakes himself."""

import json
import sys
import unittest

import belfry
from belfry import eventually, unique
from journal import JournalCase

# Marks the task that it was woken for as groomed, under its claim, when it may.
GROOMING = f"""
    cat > context
    echo "$BELFRY_WAKE_ID $BELFRY_FENCE" >> begun
    until [ -e go ]; do sleep 0.02; done
    {sys.executable} - <<'PYTHON'
import http.client, json, os
context = json.load(open("context"))
task = context["signals"][0]["body"]["changes"][0]["id"]
where, token = open("door").read().split()
connection = http.client.HTTPConnection(where)
connection.request("PATCH", f"/v1/journal/tasks/{{task}}?wake={{os.environ['BELFRY_WAKE_ID']}}&fence={{os.environ['BELFRY_FENCE']}}",
                   json.dumps({{"status": "groomed"}}), {{"Authorization": "Bearer " + token, "Content-Type": "application/json"}})
answer = connection.getresponse()
with open("answers", "a") as file:
    file.write(f"{{answer.status}} {{answer.read().decode()}}\\n")
PYTHON
    echo done >> done
"""


class Changes(JournalCase, belfry.SharedCase):
    """Each test has a person of its own."""

    def setUp(self):
        self.user = unique("u")
        for name in ("gym", "work"):
            self.make(self.belfry, "categories", user=self.user, id=name, name=name)
            self.told(self.belfry, name, 1, self.user)

    def coach(self, *tokens, **members):
        agent = self.agent(self.belfry, user_id=self.user, allowed_category_ids=["gym", "general"])
        self.watch(self.belfry, agent, *tokens, **members)
        return agent

    def woken_by(self, agent):
        """The ids of the records whose changes woke it, and the wake ended."""
        grant = self.claim_soon(self.belfry, agent)
        self.end(self.belfry, grant)
        return [change["id"] for signal in grant["signals"] for change in signal["body"]["changes"]]

    def add(self, plural, **members):
        return self.make(self.belfry, plural, user=self.user, **members)["id"]

    def alter(self, plural, name, **members):
        return self.change(self.belfry, plural, name, user=self.user, **members)

    def test_match_by_a_semantic_key_and_by_a_subtype(self):
        plain, runner, planner = self.coach("key:TASK"), self.coach("sub:workout.type/running"), self.coach("key:DAY_PLAN", "key:RATING")
        task = self.add("tasks", title="Squats")
        self.add("entries", type="workout", workout_type="cycling")
        run = self.add("entries", type="workout", workout_type="running")
        plan = self.add("day_plans", plan_date="2026-11-16")
        self.assertEqual((self.woken_by(plain), self.woken_by(runner), self.woken_by(planner)), ([task], [run], [plan]))
        self.add("ratings", target="day", target_id="2026-11-16", score=3)
        self.woken_by(planner)
        self.told(self.belfry, "rating:day:2026-11-16", 1, self.user)
        for agent in (plain, runner, planner):
            self.assertIsNone(self.claim(self.belfry, agent))

    def test_match_by_state_category_and_id(self):
        task = self.add("tasks", title="Squats")
        self.told(self.belfry, task, 1, self.user)
        done, gym, one = self.coach("sub:task.status/done"), self.coach("sub:category/gym"), self.coach(f"id:{task}")
        self.alter("tasks", task, priority="p0")
        self.assertEqual(self.woken_by(one), [task])
        self.alter("tasks", task, status="done")
        self.assertEqual((self.woken_by(done), self.woken_by(one)), ([task], [task]))
        self.alter("tasks", task, category_id="gym")
        self.assertEqual((self.woken_by(gym), self.woken_by(one)), ([task], [task]))
        self.alter("tasks", task, category_id="work")
        self.assertEqual(self.woken_by(gym), [task], "what leaves a category touches it, too")

    def test_are_seen_by_a_predicate_in_either_spelling(self):
        seed = self.coach("key:TASK", predicate='task.categoryId == "gym"')
        snake = self.coach("key:TASK", predicate='task.category_id == "gym" and task.priority in ["p0", "p1"] and not task.status == "done"')
        other = self.add("tasks", title="x", category_id="work", priority="p0")
        calm = self.add("tasks", title="x", category_id="gym")
        urgent = self.add("tasks", title="x", category_id="gym", priority="p0")
        seen = []
        while urgent not in seen:
            seen += self.woken_by(seed)
        self.assertEqual((seen[0], other in seen), (calm, False))
        self.assertEqual(self.woken_by(snake), [urgent])
        self.alter("tasks", urgent, status="done")
        self.told(self.belfry, urgent, 2, self.user)
        self.assertIsNone(self.claim(self.belfry, snake))

    def test_are_seen_by_a_predicate_with_their_links(self):
        a, b = self.add("tasks", title="a"), self.add("tasks", title="b")
        for name in (a, b):
            self.told(self.belfry, name, 1, self.user)
        blocked = self.coach("key:TASK", predicate='linked("blocked_by")')
        by_b = self.coach("key:TASK", "key:LINK", predicate=f'linked("blocked_by", "{b}") and task.status == "open"')
        self.alter("tasks", a, title="a, not linked")
        self.told(self.belfry, a, 2, self.user)
        self.assertEqual((self.claim(self.belfry, blocked), self.claim(self.belfry, by_b)), (None, None))
        self.link(self.belfry, "blocked_by", a, b, user=self.user)
        self.assertEqual(len(self.woken_by(by_b)), 1, "the link itself")
        self.alter("tasks", a, title="a, linked")
        self.assertEqual((self.woken_by(blocked), self.woken_by(by_b)), ([a], [a]))
        self.unlink(self.belfry, "blocked_by", a, b, user=self.user)
        self.alter("tasks", a, title="a, not linked any more")
        self.told(self.belfry, a, 4, self.user)
        self.assertEqual((self.claim(self.belfry, blocked), self.claim(self.belfry, by_b)), (None, None))

    def test_of_other_categories_wake_nobody_and_are_not_told(self):
        agent = self.agent(self.belfry, user_id=self.user, allowed_category_ids=["gym"])
        idle = self.agent(self.belfry, user_id=self.user)
        for one in (agent, idle):
            self.watch(self.belfry, one, "key:TASK", "key:LINK", "key:CHECKLIST", "sub:category/work")
        hidden = self.add("tasks", title="Secret", category_id="work")
        seen = self.add("tasks", title="Squats", category_id="gym")
        self.link(self.belfry, "blocked_by", seen, hidden, user=self.user)
        steps = self.add("checklists", title="Steps", task_id=hidden, category_id="gym")
        told = []
        while steps not in told:
            grant = self.claim_soon(self.belfry, agent)
            self.end(self.belfry, grant)
            self.assertNotIn(hidden, json.dumps(grant))
            told += [change["id"] for signal in grant["signals"] for change in signal["body"]["changes"]]
        self.assertEqual(told, [seen, steps])
        self.alter("tasks", seen, category_id="work")
        grant = self.claim_soon(self.belfry, agent)
        self.end(self.belfry, grant)
        changes = {one["id"]: one["tokens"] for signal in grant["signals"] for one in signal["body"]["changes"]}
        self.assertEqual(changes, {seen: ["key:TASK", "sub:category/gym", f"id:{seen}"]})
        self.assertIsNone(self.claim(self.belfry, idle))

    def test_come_in_batches_that_are_named_by_what_they_hold(self):
        agent = self.coach("key:TASK")
        task = self.add("tasks", title="x")
        grant = self.claim_soon(self.belfry, agent)
        self.end(self.belfry, grant)
        batch = next(one for one in self.batches(self.belfry, self.user) if any(change["id"] == task for change in one["changes"]))
        self.assertEqual(grant["signals"][0]["key"], batch["batch_id"])
        self.assertRegex(batch["batch_id"], "^[0-9a-f]{64}$")
        counters = sorted(one["counter"] for one in self.changes(self.belfry, self.user))
        self.assertEqual(len(counters), len(set(counters)))

    def test_of_the_agent_itself_do_not_wake_it_and_a_users_in_mid_run_does_once(self):
        agent = self.coach("sub:category/gym")
        task = self.add("tasks", title="Squats", category_id="gym")
        grant = self.claim_soon(self.belfry, agent)
        claim = {"user": self.user, "query": self.held(grant)}
        self.change(self.belfry, "tasks", task, **claim, status="groomed")
        self.told(self.belfry, task, 2, self.user)
        self.assertEqual([one["id"] for one in self.wakes(self.belfry, agent, open="true")], [grant["wake"]["id"]])
        self.alter("tasks", task, title="Deep squats")
        eventually("one more wake", lambda: len(self.wakes(self.belfry, agent, open="true")) == 2)
        self.change(self.belfry, "tasks", task, **claim, text="by the agent")
        self.end(self.belfry, grant)
        again = self.claim_soon(self.belfry, agent)
        self.assertEqual([(one["id"], one["origin"]) for one in again["signals"][0]["body"]["changes"]], [(task, "user")])
        self.end(self.belfry, again)
        origins = [one["origin"] for one in self.told(self.belfry, task, 4, self.user)]
        self.assertEqual(origins, ["user", f"agent:{agent}", "user", f"agent:{agent}"])
        self.assertEqual(len(self.wakes(self.belfry, agent)), 2)

    def test_of_agents_that_answer_each_other_come_to_an_end(self):
        task = self.add("tasks", title="Squats", category_id="gym")
        self.told(self.belfry, task, 1, self.user)
        pair = [self.coach(f"id:{task}"), self.coach(f"id:{task}")]
        self.alter("tasks", task, title="Squats, slowly")
        # Both are woken by the person; from then on each by the other alone, or, where one is slow, for both at once.
        turns = 0

        def refused():
            return [one for agent in pair for one in self.wakes(self.belfry, agent) if one["state"] == "refused"]

        def come_to_the_end():
            nonlocal turns
            grant = self.claim(self.belfry, *pair, wait_s=1)
            if grant is None:
                return refused()
            turns += 1
            self.assertLessEqual(turns, 8, "each of them four times at the most")
            self.change(self.belfry, "tasks", task, user=self.user, query=self.held(grant), text=f"turn {turns}")
            self.end(self.belfry, grant)
            return None
        ends = eventually("the end of it", come_to_the_end)
        self.assertEqual({one["error"]["type"] for one in ends}, {"chain_too_long"})
        self.assertGreaterEqual(turns, 3)


class Workers(JournalCase):
    def test_write_to_the_journal_and_wake_once_more_for_a_person_only(self):
        daemon = self.daemon()
        self.make(daemon, "categories", id="gym", name="Gym")
        agent = self.agent(daemon, allowed_category_ids=["gym"])
        self.watch(daemon, agent, "key:TASK", predicate='task.categoryId == "gym"')
        token, _ = daemon.mint("agent", bounds={"users": ["ada"]})
        worker = self.work(daemon, agent, GROOMING)
        with open(worker.file("door"), "w", encoding="utf-8") as file:
            file.write(f"127.0.0.1:{daemon.port} {token}")
        task = self.make(daemon, "tasks", title="Squats", category_id="gym")["id"]
        worker.wait_for("begun")
        self.change(daemon, "tasks", task, title="Deep squats")
        eventually("one more wake", lambda: len(self.wakes(daemon, agent)) == 2)
        worker.touch("go")
        worker.wait_for("done", 2)
        statuses = [line.split(" ", 1) for line in worker.lines("answers")]
        self.assertEqual([one[0] for one in statuses], ["200", "200"], statuses)
        self.assertEqual(json.loads(statuses[0][1])["status"], "groomed")
        origins = [one["origin"] for one in self.told(daemon, task, 3)]
        self.assertEqual(origins, ["user", "user", f"agent:{agent}"], "the second time it changed nothing")
        eventually("both have ended", lambda: not self.wakes(daemon, agent, open="true"))
        self.assertEqual(len(self.wakes(daemon, agent)), 2)
        self.assertEqual([one["state"] for one in self.wakes(daemon, agent)], ["completed", "completed"])


if __name__ == "__main__":
    unittest.main()
