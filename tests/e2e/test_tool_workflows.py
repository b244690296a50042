"""Four agents that work through tools alone, as examples/ has them, against the real binary."""

import datetime
import os
import subprocess
import sys
import unittest

import belfry
from belfry import eventually, json_of, unique
from journal import JournalCase

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples")

# The planner, killed where it would end its wake.
KILLED_PLANNER = """
import os, signal
import belfry, planner
belfry.Client.end_wake = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
planner.main()
"""

# The planner, whose person checks an item between the preview and what it wants to do then.
RACED_PLANNER = """
import os
import planner, turns
said, previews = turns.Turn.said, []
def interrupted(turn, operation_id):
    content = said(turn, operation_id)
    if "previewToken" in content and not previews:
        turn.client.change_record("checklist_item", os.environ["ITEM"], {"checked": True})
    previews.append(content)
    return content
turns.Turn.said = interrupted
planner.main()
"""


class WorkflowCase(JournalCase, belfry.SharedCase):
    """Each test has a person of its own, with a category and an agent whose work is done by a program of examples/."""

    def setUp(self):
        super().setUp()
        self.user, self.name = unique("u"), unique("a")
        self.token, _ = self.belfry.mint("user", user_id=self.user)
        self.category = self.add("categories", name="Inside")

    def add(self, plural, **members):
        return self.make(self.belfry, plural, user=self.user, **members)["id"]

    def task(self, title, **members):
        return self.add("tasks", title=title, category_id=self.category, **members)

    def found(self, plural, name):
        return self.read(self.belfry, plural, name, user=self.user)

    def listed(self, plural, **query):
        return self.page(self.belfry, plural, user=self.user, **query)["data"]

    def alter(self, plural, name, **members):
        return self.change(self.belfry, plural, name, user=self.user, **members)

    def program(self, *command, wakes=1, **environment):
        """The program, up to where it waits; it ends by itself after so many wakes."""
        environment = belfry.clean_environment(**{
            "BELFRY_URL": f"unix:{self.belfry.socket_path}", "BELFRY_TOKEN": self.token, "AGENT": self.name,
            "CATEGORY": self.category, "WAKES": str(wakes), "TZ": "CET-1", "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join((os.path.join(EXAMPLES, "../clients/python"), EXAMPLES)), **environment})
        process = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=environment, cwd=self.belfry.folder, preexec_fn=belfry.end_with_parent)
        self.addCleanup(self.close, process)
        first = process.stdout.readline()
        self.assertEqual(first, f"{self.name} waits\n", process.stderr.read() if not first else "")
        return process

    def example(self, file, **more):
        return self.program(os.path.join(EXAMPLES, file), **more)

    def close(self, process):
        process.kill()
        if process.returncode is None:
            process.communicate()

    def said_by(self, process, code=0):
        """What it said about its work, once it has ended."""
        said, complaints = process.communicate(timeout=belfry.PATIENCE)
        self.assertEqual(process.returncode, code, complaints)
        return [line for line in said.splitlines() if not line.startswith("wake ")]

    def woken(self, count=1):
        """Its newest wake, which has ended, when there were so many."""
        wakes = eventually(f"{count} wakes", lambda: len(self.wakes(self.belfry, self.name)) >= count and self.wakes(self.belfry, self.name))
        return self.wake(self.belfry, wakes[0]["id"], wait_s=30)

    def inbox(self):
        notifications = json_of(self.belfry.get(f"/v1/notifications?user={self.user}&limit=100"))["data"]
        return [one["text"] for one in notifications]

    def tools_called(self):
        """In order, each with what became of it."""
        messages = json_of(self.belfry.get(f"/v1/agents/{self.name}/messages?limit=100"))["data"]
        results = {one["metadata"]["operation_id"]: one["tool_result"].get("error_code") or one["tool_result"]["status"]
                   for one in messages if one["kind"] == "tool_result"}
        return [(one["action"]["tool_name"], results[one["metadata"]["operation_id"]])
                for one in reversed(messages) if one["kind"] == "action"]

    def records(self):
        """The whole journal, as its export has it."""
        return sorted(self.export(self.belfry, self.user).decode().splitlines())

    def call(self, grant, tool, **arguments):
        wake = grant["wake"]
        answer = self.belfry.post(f"/v1/wakes/{wake['id']}/call", {"fence": wake["fence"], "operation_id": unique("o"),
                                                                   "tool_name": tool, "arguments": arguments})
        self.assertEqual(answer.status, 200, answer.body)
        return json_of(answer)["result"]["tool_result"]


    def decide(self, **policies):
        """From now on its person decides about some of its calls."""
        self.assertEqual(self.belfry.request("PATCH", f"/v1/agents/{self.name}", {"tool_policies": policies}).status, 200)


class TheGymCoach(WorkflowCase):
    def write(self, text, written="2025-03-03T17:30:00Z", category=None):
        return self.add("entries", type="text", text=text, started_at=written, category_id=category or self.category)

    def spans(self):
        return sorted((one["task_id"], one["started_at"], one["ended_at"]) for one in self.listed("time_entries"))

    def test_records_what_its_person_wrote_of_his_training(self):
        legs, _ = self.task("Leg day"), self.task("Swim")
        coach = self.example("gym_coach.py")
        entry = self.write("leg day 16:00 to 18:00")
        self.assertEqual(self.said_by(coach), ["leg day: recorded, 2025-03-03T15:00:00Z to 2025-03-03T17:00:00Z"])
        self.assertEqual(self.woken()["state"], "completed")
        [time_entry] = self.listed("time_entries")
        self.assertEqual((time_entry["task_id"], time_entry["note"], time_entry["source_entry_id"], time_entry["category_id"]),
                         (legs, "leg day 16:00 to 18:00", entry, self.category))
        self.assertEqual(self.told(self.belfry, time_entry["id"], user=self.user)[0]["origin"], f"agent:{self.name}")
        self.assertEqual(self.tools_called(), [("resolve_task_reference", "success"), ("create_retrospective_time_entry", "success")])
        resolving, recording = [one["actions"][0] for one in json_of(self.belfry.get(f"/v1/wakes/{self.woken()['id']}/plan"))["data"]]
        self.assertEqual((resolving["tool_name"], recording["arguments"]["taskId"]), ("resolve_task_reference", legs))
        self.assertEqual(self.inbox(), [])

    def test_asks_where_it_is_not_clear_which_task_is_meant_and_writes_nothing(self):
        heavy, _ = self.task("Leg day heavy"), self.task("Leg day light")
        coach = self.example("gym_coach.py", wakes=2)
        entry = self.write("leg day 16:00 to 18:00")
        self.assertEqual(self.woken()["state"], "completed")
        self.assertEqual(self.listed("time_entries"), [])
        [question] = self.inbox()
        for words in ("leg day 16:00 to 18:00", "Leg day heavy", "Leg day light"):
            self.assertIn(words, question)
        self.alter("entries", entry, text="leg day heavy 16:00 to 18:00")
        self.assertEqual(self.said_by(coach), ["leg day: asks", "leg day heavy: recorded, 2025-03-03T15:00:00Z to 2025-03-03T17:00:00Z"])
        self.assertEqual(self.spans(), [(heavy, "2025-03-03T15:00:00Z", "2025-03-03T17:00:00Z")])
        self.assertEqual(len(self.inbox()), 1)

    def test_records_a_training_once_however_often_its_entry_changes(self):
        legs = self.task("Leg day")
        coach = self.example("gym_coach.py", wakes=2)
        entry = self.write("leg day 16:00 to 18:00", written="2025-03-03T08:00:00Z")
        self.assertEqual(self.woken()["state"], "completed")
        self.alter("entries", entry, text="leg day 16:00 to 18:00, with Bob")
        self.assertEqual(len(self.said_by(coach)), 1)
        self.assertEqual(self.woken(2)["state"], "completed")
        self.assertEqual(self.spans(), [(legs, "2025-03-02T15:00:00Z", "2025-03-02T17:00:00Z")], "that of the day before is meant")

    def test_proposes_where_its_person_wants_to_decide(self):
        legs = self.task("Leg day")
        coach = self.example("gym_coach.py")
        self.decide(create_retrospective_time_entry="propose")
        self.write("leg day 16:00 to 18:00")
        self.assertEqual(self.said_by(coach), [])
        run = json_of(self.belfry.get(f"/v1/runs/{self.woken()['run_id']}"))
        self.assertEqual((run["state"], run["result"]["not_done"]), ("completed", "proposed"))
        self.assertEqual(self.spans(), [])
        [proposed] = json_of(self.belfry.get(f"/v1/change-sets?agent={self.name}"))["data"]
        self.assertEqual(self.belfry.post(f"/v1/change-sets/{proposed['id']}/accept", token=self.token).status, 200)
        self.assertEqual(self.spans(), [(legs, "2025-03-03T15:00:00Z", "2025-03-03T17:00:00Z")])

    def test_sees_neither_entries_nor_tasks_of_other_categories(self):
        outside = self.add("categories", name="Outside")
        self.add("tasks", title="Leg day", category_id=outside)
        coach = self.example("gym_coach.py")
        elsewhere = self.write("leg day 16:00 to 18:00", category=outside)
        self.told(self.belfry, elsewhere, user=self.user)
        self.write("leg day 10:00 to 11:00")
        self.assertEqual(self.said_by(coach), ["leg day: asks"])
        self.assertEqual([(one["reason"], one["signals"]) for one in self.wakes(self.belfry, self.name)], [("subscription", 1)])
        [question] = self.inbox()
        self.assertNotIn("Leg day", question)
        self.assertEqual(self.listed("time_entries"), [])


class ThePlanner(WorkflowCase):
    def half_done(self):
        """A task with a label and two items, of which one is open."""
        self.label = self.add("labels", name="home")
        self.moving = self.task("Move house", label_ids=[self.label])
        checklist = self.add("checklists", task_id=self.moving, title="Boxes")
        self.packed, self.unpacked = [self.add("checklist_items", checklist_id=checklist, title=title, checked=checked)
                                      for title, checked in (("kitchen", True), ("books", False))]

    def place_of(self, item):
        checklist = self.found("checklists", self.found("checklist_items", item)["checklist_id"])
        return checklist["task_id"], checklist["title"]

    def assert_rolled_over(self):
        """Acceptance 21: the open items are in the follow-up task, both are linked, category and labels are kept."""
        self.assertEqual(self.found("tasks", self.moving)["status"], "done")
        [rest] = [one for one in self.listed("tasks") if one["id"] != self.moving]
        self.assertEqual((rest["title"], rest["status"], rest["category_id"], rest["label_ids"]),
                         ("Move house", "open", self.category, [self.label]))
        self.assertEqual([self.place_of(item) for item in (self.packed, self.unpacked)], [(self.moving, "Boxes"), (rest["id"], "Boxes")])
        self.assertFalse(self.found("checklist_items", self.unpacked)["checked"])
        links = self.must(200, self.belfry, "GET", "/links", user=self.user, **{"from": self.moving})["data"]
        self.assertEqual([(one["relation"], one["to_id"]) for one in links], [("follow_up", rest["id"])])
        return rest["id"]

    def test_rolls_over_what_is_open_of_a_task_that_is_done(self):
        self.half_done()
        planner = self.example("planner.py")
        self.alter("tasks", self.moving, status="done")
        said = self.said_by(planner)
        self.assertEqual(said[-1], f"{self.moving}: 1 open rolled over to “Move house”")
        self.assertIn("would be made: task Move house", said)
        rest = self.assert_rolled_over()
        self.assertEqual(self.tools_called(), [("conclude_task_with_rollover", "success")] * 2, "a preview, and what it told of")
        run = json_of(self.belfry.get(f"/v1/runs/{self.woken()['run_id']}"))
        self.assertEqual(run["result"], {"rolled_over": {self.moving: rest}})
        self.told(self.belfry, rest, user=self.user)
        self.assertEqual(len(self.wakes(self.belfry, self.name)), 1, "what it does itself does not wake it")

    def test_closes_a_task_that_it_is_told_of_by_hand(self):
        self.half_done()
        planner = self.example("planner.py")
        self.wake_now(self.belfry, self.name, input={"taskId": self.moving})
        self.assertIn("would be changed: task Move house", self.said_by(planner))
        self.assert_rolled_over()

    def test_finds_nothing_to_do_where_nothing_is_open(self):
        task = self.task("Buy milk")
        planner = self.example("planner.py")
        self.alter("tasks", task, status="done")
        before = self.records()
        self.assertEqual(self.said_by(planner), [f"{task}: nothing is open"])
        self.assertEqual(self.records(), before)

    def test_that_was_killed_when_all_was_done_changes_nothing_more(self):
        self.half_done()
        killed = self.program("-c", KILLED_PLANNER)
        self.alter("tasks", self.moving, status="done")
        self.said_by(killed, code=-9)
        self.assert_rolled_over()
        after = self.records()
        [wake] = self.wakes(self.belfry, self.name)
        self.assertEqual(wake["state"], "running")
        self.end(self.belfry, {"wake": wake}, release=True)  # what becomes of it when its lease has run out, without the wait
        again = self.said_by(self.example("planner.py"))
        self.assertEqual(again[-1], f"{self.moving}: 1 open rolled over to “Move house”", "as it was told then")
        self.assertEqual(self.woken()["state"], "completed")
        self.assertEqual(self.records(), after)
        self.assertEqual(self.tools_called(), [("conclude_task_with_rollover", "success")] * 2)

    def test_looks_again_where_its_person_was_faster(self):
        self.half_done()
        planner = self.program("-c", RACED_PLANNER, ITEM=self.unpacked)
        self.alter("tasks", self.moving, status="done")
        self.assertEqual(self.said_by(planner)[-1], f"{self.moving}: nothing is open")
        self.assertEqual([outcome for _, outcome in self.tools_called()], ["success", "preview_required", "success"])
        self.assertEqual([one["id"] for one in self.listed("tasks")], [self.moving])

    def test_leaves_a_task_of_another_category_alone(self):
        self.half_done()
        outside = self.add("categories", name="Outside")
        self.alter("tasks", self.moving, category_id=outside)
        before = self.records()
        planner = self.example("planner.py")
        self.wake_now(self.belfry, self.name, input={"taskId": self.moving})
        self.assertEqual(self.said_by(planner), [f"{self.moving}: out_of_scope"])
        self.assertEqual(self.records(), before)


class TheStrategist(WorkflowCase):
    DAY = "2025-03-10"

    def fill(self):
        for date, score in (("2025-03-02", 1), ("2025-03-03", 5), ("2025-03-09", 4), (self.DAY, 1)):
            self.add("ratings", target="day", target_id=date, score=score, category_id=self.category)
        task = self.task("Write")
        block = {"id": "b1", "category_id": self.category, "start_at": self.DAY + "T09:00:00Z", "end_at": self.DAY + "T11:00:00Z"}
        self.add("day_plans", plan_date=self.DAY, blocks=[block], pinned_task_ids=[task])

    def test_says_how_the_week_was_and_what_the_day_has(self):
        self.fill()
        strategist = self.example("strategy.py")
        before = self.records()
        self.wake_now(self.belfry, self.name, input={"date": self.DAY})
        text = "The last week was 4.5 of 5 in 2 ratings; today has 1 block and 1 pinned task."
        self.assertEqual(self.said_by(strategist), [text])
        self.assertEqual([one for one in self.inbox() if text in one], self.inbox())
        self.assertEqual(len(self.inbox()), 1)
        self.assertEqual(self.tools_called(), [(tool, "success") for tool in ("get_ratings_summary", "get_or_create_day_plan", "notify_user")])
        self.assertEqual(self.records(), before, "it has only read")
        rounds = json_of(self.belfry.get(f"/v1/wakes/{self.woken()['id']}/plan"))["data"]
        self.assertEqual([len(one["actions"]) for one in rounds], [2, 1])

    def test_is_woken_by_the_clock(self):
        strategist = self.example("strategy.py", ZONE="Europe/Berlin")
        [morning] = json_of(self.belfry.get(f"/v1/agents/{self.name}/timers"))["data"]
        self.assertEqual((morning["schedule"], morning["zone"]), ({"kind": "daily", "time": "06:30"}, "Europe/Berlin"))
        almost = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=58)
        schedule = {"kind": "every", "interval": "60s", "anchor": almost.isoformat()}
        made = self.belfry.post(f"/v1/agents/{self.name}/timers", {"name": "soon", "schedule": schedule})
        self.assertIn(made.status, (200, 201), made.body)
        [text] = self.said_by(strategist)
        self.assertEqual(text, "Nothing of the last week was rated; today has no blocks and no pinned tasks.")
        self.assertEqual(self.woken()["reason"], "timer")

    def test_may_not_change_tasks_nor_the_plan(self):
        self.fill()
        self.close(self.example("strategy.py"))
        before = self.records()
        self.wake_now(self.belfry, self.name)
        grant = self.claim_soon(self.belfry, self.name)
        task = self.listed("tasks")[0]["id"]
        for tool, arguments in (("create_task", {"title": "Rest"}), ("update_task_priority", {"taskId": task, "priority": "p0"}),
                                ("upsert_day_plan_blocks", {"planDate": self.DAY, "upserts": []}),
                                ("pin_day_plan_tasks", {"planDate": self.DAY, "taskIds": [task]}),
                                ("create_or_update_rating", {"target": "day", "targetId": self.DAY, "score": 5})):
            told = self.call(grant, tool, **arguments)
            self.assertEqual((told["status"], told["error_code"]), ("error", "not_permitted"), told)
        self.assertEqual(self.call(grant, "list_tasks_in_scope")["status"], "success")
        self.end(self.belfry, grant)
        self.assertEqual(self.records(), before)


class ThePomodoro(WorkflowCase):
    def setUp(self):
        super().setUp()
        self.session = unique("s")

    def pomodoro(self, wakes=1):
        return self.example("pomodoro.py", wakes=wakes, SESSION=self.session)

    def say(self, text):
        answer = self.belfry.post(f"/v1/sessions/{self.session}/messages", {"role": "user", "content": text, "deliver": True}, token=self.token)
        self.assertEqual(answer.status, 201, answer.body)

    def conversation(self):
        nodes = json_of(self.belfry.get(f"/v1/sessions/{self.session}/history"))["data"]
        return [(one["role"], one["content"]) for node in nodes for one in node["messages"]]

    def test_runs_from_one_word_of_its_person_to_another(self):
        report = self.task("Write the report")
        self.task("Buy milk")
        pomodoro = self.pomodoro(wakes=2)
        self.say("start report")
        first = self.woken()
        self.assertEqual((first["state"], first["reason"], first["session_id"]), ("completed", "user_initiated", self.session))
        [running] = self.listed("time_entries", running="true")
        self.assertEqual((running["task_id"], running["ended_at"]), (report, None))
        self.say("stop 4 half of it is there")
        self.said_by(pomodoro)
        second = self.woken(2)
        self.assertEqual((second["state"], second["thread_id"]), ("completed", first["thread_id"]))
        [worked] = self.listed("time_entries")
        self.assertEqual((worked["id"], worked["note"]), (running["id"], "half of it is there"))
        self.assertIsNotNone(worked["ended_at"])
        [rating] = self.listed("ratings")
        self.assertEqual((rating["target"], rating["target_id"], rating["score"]), ("session", worked["id"], 4))
        self.assertEqual(self.conversation(), [("user", "start report"), ("assistant", "The clock runs for “Write the report”."),
                                               ("user", "stop 4 half of it is there"), ("assistant", "Stopped, 4 of 5.")])
        self.assertEqual([tool for tool, outcome in self.tools_called() if outcome == "success"],
                         ["resolve_task_reference", "start_task_timer", "say", "set_state", "stop_task_timer", "create_or_update_rating", "say"])
        progress = json_of(self.belfry.get(f"/v1/sessions/{self.session}"))["progress"]
        self.assertEqual((progress["turn"], progress["in_turn"]), (2, False))

    def test_hears_what_was_said_while_nobody_worked_in_one_turn(self):
        self.task("Write the report")
        self.close(self.pomodoro())
        self.say("start report")
        self.say("stop 2")
        pomodoro = self.pomodoro()
        self.said_by(pomodoro)
        self.assertEqual([text for role, text in self.conversation() if role == "assistant"],
                         ["The clock runs for “Write the report”.", "Stopped, 2 of 5."])
        self.assertEqual([one["score"] for one in self.listed("ratings")], [2])
        self.assertEqual(json_of(self.belfry.get(f"/v1/sessions/{self.session}"))["progress"]["turn"], 1)

    def test_waits_for_a_yes_where_its_person_wants_to_be_asked(self):
        report = self.task("Write the report")
        pomodoro = self.pomodoro()
        self.decide(start_task_timer="ask")
        self.say("start report")
        [question] = eventually("a question", lambda: json_of(
            self.belfry.get(f"/v1/interactions?session={self.session}&state=pending"))["data"])
        self.assertEqual((question["tool_name"], question["arguments"]), ("start_task_timer", {"taskId": report}))
        self.assertEqual(self.listed("time_entries"), [])
        answer = self.belfry.post(f"/v1/interactions/{question['id']}/answer", {"decision": "allow_once"}, token=self.token)
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(self.said_by(pomodoro), ["start report → The clock runs for “Write the report”."])
        self.assertEqual([one["task_id"] for one in self.listed("time_entries", running="true")], [report])

    def test_says_what_does_not_go(self):
        self.task("Report one")
        self.task("Report two")
        pomodoro = self.pomodoro(wakes=3)
        heard = []
        for words in ("stop", "start report", "hello"):
            self.say(words)
            self.assertEqual(self.woken(len(heard) + 1)["state"], "completed")
            heard.append(self.conversation()[-1][1])
        self.said_by(pomodoro)
        self.assertEqual(heard[0], "No clock runs.")
        self.assertIn("“Report one”", heard[1])
        self.assertIn("“Report two”", heard[1])
        self.assertIn("Say “start”", heard[2])
        self.assertEqual(self.listed("time_entries"), [])

    def test_is_woken_by_its_person_only(self):
        self.close(self.pomodoro())
        for path, body in (("subscriptions", {"types": ["ci.*"]}), ("timers", {"name": "t", "schedule": {"kind": "daily", "time": "07:00"}})):
            refused = self.belfry.post(f"/v1/agents/{self.name}/{path}", body)
            self.assert_problem(refused, 409, "conflict", field="mode")
        # What was to wake it while it took such wakes does not any more.
        self.assertEqual(self.belfry.request("PATCH", f"/v1/agents/{self.name}", {"mode": "hybrid"}).status, 200)
        self.subscribe(self.belfry, self.name, "ci.failed", window_ms=0)
        self.assertEqual(self.belfry.request("PATCH", f"/v1/agents/{self.name}", {"mode": "interactive"}).status, 200)
        self.emit(self.belfry, user_id=self.user)
        self.assertEqual(self.woken()["state"], "refused")
        self.assertIsNone(self.claim(self.belfry, self.name))


if __name__ == "__main__":
    unittest.main()
