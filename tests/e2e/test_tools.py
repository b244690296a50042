"""The tool bed: agents do real work through tools alone, and each call is typed, allowed, in scope, done once and recorded."""

import json
import subprocess

import belfry
from belfry import clean_environment, json_of, unique
from journal import JournalCase

ALL = ["category_read", "task_read", "task_write", "checklist_write", "time_write", "day_plan_read", "day_plan_write",
       "rating_read", "rating_write"]


class ToolCase(JournalCase, belfry.SharedCase):
    """Each test has a journal of its own, with two categories, and an agent that may work in the first."""

    def setUp(self):
        super().setUp()
        self.user = unique("u")
        self.inside = self.make(self.belfry, "categories", user=self.user, name="Inside")["id"]
        self.outside = self.make(self.belfry, "categories", user=self.user, name="Outside")["id"]

    def worker(self, *categories, **members):
        """A grant of an agent that works in these categories, in the first unless told."""
        members = {"capabilities": ALL, **members}
        agent = self.agent(self.belfry, user_id=self.user, allowed_category_ids=list(categories or [self.inside]), **members)
        return self.granted(agent)

    def granted(self, agent):
        self.wake_now(self.belfry, agent)
        grant = self.claim_soon(self.belfry, agent)
        # So many run at once, and no more.
        self.addCleanup(lambda: self.belfry.post(f"/v1/wakes/{grant['wake']['id']}/cancel", {}))
        return grant

    def post_call(self, grant, tool=None, arguments=None, operation=None):
        wake = grant["wake"]
        body = {"fence": wake["fence"]}
        body.update({} if operation is None else {"operation_id": operation})
        body.update({} if tool is None else {"tool_name": tool, "arguments": arguments or {}})
        return self.belfry.post(f"/v1/wakes/{wake['id']}/call", body)

    def call(self, grant, tool, operation="", /, **arguments):
        """The whole answer of a call, under an operation of its own unless told."""
        answer = self.post_call(grant, tool, arguments, unique("o") if operation == "" else operation)
        self.assertEqual(answer.status, 200, answer.body)
        return json_of(answer)

    def does(self, grant, tool, operation="", /, **arguments):
        """What the tool says."""
        result = self.call(grant, tool, operation, **arguments)["result"]
        self.assertEqual(result["tool_result"]["status"], "success", result)
        return result["content"]

    def refuses(self, code, grant, tool, operation="", /, **arguments):
        """What the tool says against it."""
        before = self.records()
        called = self.call(grant, tool, operation, **arguments)
        told = called["result"]["tool_result"]
        self.assertEqual((told["status"], told["error_code"]), ("error", code), told)
        self.assertEqual(called["result"]["metadata"]["operation_id"], called["action"]["metadata"]["operation_id"])
        self.assertEqual(self.records(), before, "what is refused has never happened")
        return told["error_message"]

    def preview(self, grant, tool, **arguments):
        """What would change, of which nothing does."""
        before = self.records()
        told = self.does(grant, tool, previewOnly=True, **arguments)
        self.assertEqual(self.records(), before)
        self.assertIs(told["preview"], True)
        return told

    def does_previewed(self, grant, tool, **arguments):
        token = self.preview(grant, tool, **arguments)["previewToken"]
        return self.does(grant, tool, previewToken=token, **arguments)

    def records(self):
        """The whole journal, as its export has it."""
        answer = self.ask(self.belfry, "GET", "/export", user=self.user)
        self.assertEqual(answer.status, 200, answer.body)
        return sorted(answer.body.decode().splitlines())

    def make_task(self, title="Buy milk", category=None, **members):
        return self.make(self.belfry, "tasks", user=self.user, title=title, category_id=category or self.inside, **members)["id"]

    def tasks(self):
        return [self.read(self.belfry, "tasks", one, user=self.user) for one in self.all(self.belfry, "tasks", user=self.user)]

    def messages(self, grant):
        return json_of(self.belfry.get(f"/v1/agents/{grant['wake']['agent_id']}/messages?limit=100"))["data"]


class ACall(ToolCase):
    def test_does_what_it_is_asked_for_and_is_recorded_as_a_pair(self):
        grant = self.worker()
        called = self.call(grant, "create_task", "o1", title="Buy milk", priority="p1", dueDate="2026-11-20")
        task = called["result"]["content"]["task"]
        self.assertEqual((task["title"], task["priority"], task["dueDate"], task["categoryId"]),
                         ("Buy milk", "p1", "2026-11-20", self.inside))
        stored = self.read(self.belfry, "tasks", task["taskId"], user=self.user)
        self.assertEqual((stored["title"], stored["category_id"]), ("Buy milk", self.inside))
        told = called["result"]["tool_result"]
        self.assertIn(task["taskId"], told["changed_entity_ids"])
        self.assertIn("key:TASK", told["changed_tokens"])
        result, action = self.messages(grant)[:2]
        self.assertEqual((action["kind"], result["kind"]), ("action", "tool_result"))
        self.assertEqual((action["action"]["tool_name"], action["metadata"]["operation_id"]), ("create_task", "o1"))
        self.assertEqual(action["metadata"]["operation_id"], result["metadata"]["operation_id"])

    def test_that_is_refused_is_recorded_and_does_nothing(self):
        grant = self.worker(capabilities=["task_read"])
        self.assertIn("task_write", self.refuses("not_permitted", grant, "create_task", title="x"))
        self.refuses("unknown_tool", grant, "rm")
        writer = self.worker()
        self.assertIn("title", self.refuses("invalid_arguments", writer, "create_task"))
        self.assertIn("priority", self.refuses("invalid_arguments", writer, "create_task", title="x", priority="p9"))
        self.assertIn("colour", self.refuses("invalid_arguments", writer, "create_task", title="x", colour="red"))
        self.refuses("missing_operation_id", writer, "create_task", None, title="x")
        self.refuses("missing_operation_id", writer, "notify_user", None, text="x")
        self.refuses("out_of_scope", writer, "create_task", title="x", categoryId=self.outside)
        self.assertEqual([one["kind"] for one in self.messages(writer)], ["tool_result", "action"] * 6)
        self.assertEqual(self.tasks(), [])

    def test_under_the_same_operation_is_done_once_with_the_same_answer(self):
        grant = self.worker()
        first = self.call(grant, "create_task", "o1", title="Buy milk")
        again = self.call(grant, "create_task", "o1", title="Buy milk")
        self.assertEqual((first["is_new"], again["is_new"]), (True, False))
        self.assertEqual(again["result"]["content"], first["result"]["content"])
        self.assertEqual(len(self.tasks()), 1)
        answer = self.post_call(grant, "create_task", {"title": "Buy bread"}, "o1")
        self.assert_problem(answer, 409, "conflict", field="operation_id")
        self.assertEqual(json_of(answer)["reason"], "operation_taken")
        own = self.call(grant, "create_task", None, title="Buy tea", operationId="o2")
        self.assertFalse(self.call(grant, "create_task", None, title="Buy tea", operationId="o2")["is_new"])
        self.assertEqual(own["action"]["metadata"]["operation_id"], "o2")
        self.assertEqual(len(self.tasks()), 2)

    def test_of_two_actions_of_a_plan_that_look_the_same_are_two(self):
        grant = self.worker()
        wake = grant["wake"]
        action = {"tool_name": "create_task", "arguments": {"title": "Buy milk"}}
        plan = json_of(self.belfry.post(f"/v1/wakes/{wake['id']}/plan", {"fence": wake["fence"], "actions": [action, action]}))
        for one in plan["actions"] * 2:
            answer = self.post_call(grant, operation=one["operation_id"])
            self.assertEqual(json_of(answer)["result"]["tool_result"]["status"], "success", answer.body)
        self.assertEqual([task["title"] for task in self.tasks()], ["Buy milk", "Buy milk"])

    def test_of_a_claim_that_is_lost_does_nothing(self):
        grant = self.worker()
        self.end(self.belfry, grant, release=True)
        answer = self.post_call(grant, "create_task", {"title": "x"}, "o")
        self.assert_problem(answer, 409, "conflict", field="fence")
        self.assertEqual(json_of(answer)["reason"], "stale_claim")
        self.assertEqual(self.tasks(), [])

    def test_after_a_crash_of_the_worker_is_known_to_the_next(self):
        grant = self.worker()
        self.call(grant, "create_task", "o1", title="Buy milk")
        self.end(self.belfry, grant, release=True)
        next_one = self.claim_soon(self.belfry, grant["wake"]["agent_id"])
        self.assertEqual(next_one["wake"]["run_key"], grant["wake"]["run_key"])
        self.assertFalse(self.call(next_one, "create_task", "o1", title="Buy milk")["is_new"])
        self.assertEqual(len(self.tasks()), 1)


class TheScope(ToolCase):
    def test_is_all_that_is_read(self):
        here, _ = self.make_task("here"), self.make_task("there", self.outside)
        found = self.does(self.worker(), "list_tasks_in_scope", None)
        self.assertEqual([one["taskId"] for one in found["tasks"]], [here])
        both = self.does(self.worker(self.inside, self.outside), "list_tasks_in_scope", None)
        self.assertEqual({one["title"] for one in both["tasks"]}, {"here", "there"})
        self.refuses("out_of_scope", self.worker(), "list_tasks_in_scope", None, categoryId=self.outside)

    def test_that_is_empty_is_nothing(self):
        self.make_task()
        agent = self.agent(self.belfry, user_id=self.user, allowed_category_ids=[], capabilities=ALL)
        grant = self.granted(agent)
        self.assertEqual(self.does(grant, "list_tasks_in_scope", None)["tasks"], [])
        self.refuses("out_of_scope", grant, "create_task", title="x")
        self.refuses("out_of_scope", grant, "create_task", title="x", categoryId=self.inside)

    def test_does_not_tell_what_is_there_from_what_is_not(self):
        grant = self.worker()
        there = self.refuses("out_of_scope", grant, "create_task", title="x", categoryId=self.outside)
        nowhere = self.refuses("out_of_scope", grant, "create_task", title="x", categoryId="no-such-category")
        self.assertEqual(there, nowhere.replace("no-such-category", self.outside))


class AToolOfBelfrysOwn(ToolCase):
    def test_is_listed_beside_those_that_are_registered(self):
        name = unique("zz-tool-")
        self.assertEqual(self.belfry.request("PUT", f"/v1/tools/{name}", {"impact": "internal"}).status, 200)
        listed, after = [], ""
        while True:
            page = json_of(self.belfry.get(f"/v1/tools?limit=3{after}"))
            listed += page["data"]
            if not page["has_more"]:
                break
            after = f"&after={page['next']}"
        names = [one["name"] for one in listed]
        self.assertEqual(names, sorted(set(names)))
        by_name = {one["name"]: one for one in listed}
        self.assertEqual((by_name[name]["origin"], by_name["create_task"]["origin"]), ("registered", "belfry"))
        told = subprocess.run([belfry.BINARY, "tool", "contract", "--json"], capture_output=True, text=True, check=True)
        own = {one["name"]: one for one in map(json.loads, told.stdout.splitlines())}
        self.assertEqual({one["name"] for one in listed if one["origin"] == "belfry"}, set(own))
        one = json_of(self.belfry.get("/v1/tools/create_task"))
        self.assertEqual(one, by_name["create_task"])
        self.assertEqual((one["impact"], one["risk"], one["capabilities"], one["read_only"]),
                         ("internal", "low", ["task_write"], False))
        self.assertEqual((one["schema"], one["output_schema"]),
                         (own["create_task"]["inputSchema"], own["create_task"]["outputSchema"]))
        self.assertIs(json_of(self.belfry.get("/v1/tools/list_tasks_in_scope"))["read_only"], True)

    def test_has_a_name_that_nobody_else_can_have(self):
        for method, body in (("PUT", {"impact": "external"}), ("DELETE", None)):
            answer = self.belfry.request(method, "/v1/tools/create_task", body)
            self.assert_problem(answer, 409, "conflict", field="name")
            self.assertEqual(json_of(answer)["reason"], "reserved")


class TheCommand(ToolCase):
    def run_tool(self, grant, *words, text=None):
        environment = {} if grant is None else {"BELFRY_WAKE_ID": str(grant["wake"]["id"]), "BELFRY_FENCE": str(grant["wake"]["fence"])}
        return subprocess.run([belfry.BINARY, "tool", *words, "--data", self.belfry.data], capture_output=True, text=True, input=text,
                              env=clean_environment(HOME=self.belfry.folder, **environment))

    def test_lists_shows_and_calls(self):
        listed = self.run_tool(None, "list")
        self.assertIn("create_task", listed.stdout)
        shown = self.run_tool(None, "show", "create_task")
        self.assertIn("capabilities: task_write\n", shown.stdout)
        self.assertIn('"maxLength"', shown.stdout)
        grant = self.worker()
        made = self.run_tool(grant, "call", "create_task", "--operation", "o1", "--arguments", "-", text='{"title": "Buy milk"}')
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual([task["id"] for task in self.tasks()], [json.loads(made.stdout)["task"]["taskId"]])
        again = self.run_tool(grant, "call", "create_task", "--operation", "o1", "--arguments", '{"title": "Buy milk"}')
        self.assertEqual(again.stdout, made.stdout)
        refused = self.run_tool(grant, "call", "create_task", "--operation", "o2", "--arguments", '{"title": ""}')
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertIn("invalid_arguments: title", refused.stderr)
        self.assertEqual(self.run_tool(None, "call", "create_task").returncode, 2)



class ATask(ToolCase):
    def concluded(self):
        """A task with two items, one of them open, and a worker."""
        label = self.make(self.belfry, "labels", user=self.user, name="home")["id"]
        task = self.make_task("Move house", label_ids=[label])
        checklist = self.make(self.belfry, "checklists", user=self.user, task_id=task, title="Boxes")["id"]
        items = [self.make(self.belfry, "checklist_items", user=self.user, checklist_id=checklist, title=title, checked=checked)["id"]
                 for title, checked in (("kitchen", True), ("books", False))]
        return task, label, items, self.worker()

    def test_is_concluded_and_what_is_open_of_it_rolls_over(self):
        task, label, (packed, unpacked), grant = self.concluded()
        self.refuses("preview_required", grant, "conclude_task_with_rollover", taskId=task)
        told = self.preview(grant, "conclude_task_with_rollover", taskId=task)
        self.assertEqual(told["changeCount"], len(told["changes"]))
        self.assertIn({"change": "changed", "kind": "task", "id": task, "title": "Move house"}, told["changes"])
        self.assertRegex(told["result"]["followUpTask"]["taskId"], "^new-[0-9]+$", "the task does not exist yet")
        done = self.does(grant, "conclude_task_with_rollover", taskId=task, previewToken=told["previewToken"])
        self.assertEqual((done["task"]["status"], done["movedItemIds"]), ("done", [unpacked]))
        rest = self.read(self.belfry, "tasks", done["followUpTask"]["taskId"], user=self.user)
        self.assertEqual((rest["title"], rest["category_id"], rest["label_ids"], rest["status"]), ("Move house", self.inside, [label], "open"))
        where = {name: self.read(self.belfry, "checklist_items", name, user=self.user)["checklist_id"] for name in (packed, unpacked)}
        lists = {name: self.read(self.belfry, "checklists", where[name], user=self.user) for name in where}
        self.assertEqual([(lists[name]["task_id"], lists[name]["title"]) for name in (packed, unpacked)],
                         [(task, "Boxes"), (rest["id"], "Boxes")])
        links = self.must(200, self.belfry, "GET", "/links", user=self.user, **{"from": task})["data"]
        self.assertEqual([(one["relation"], one["from_id"], one["to_id"]) for one in links], [("follow_up", task, rest["id"])])

    def test_that_has_changed_since_its_preview_is_previewed_again(self):
        task, _, (_, unpacked), grant = self.concluded()
        token = self.preview(grant, "conclude_task_with_rollover", taskId=task)["previewToken"]
        self.change(self.belfry, "checklist_items", unpacked, user=self.user, checked=True)
        self.refuses("preview_required", grant, "conclude_task_with_rollover", taskId=task, previewToken=token)
        done = self.does_previewed(grant, "conclude_task_with_rollover", taskId=task)
        self.assertEqual((done["followUpTask"], done["movedItemIds"]), (None, []))

    def test_needs_a_preview_of_the_same_agent(self):
        task, _, _, grant = self.concluded()
        token = self.preview(self.worker(), "conclude_task_with_rollover", taskId=task)["previewToken"]
        self.refuses("preview_required", grant, "conclude_task_with_rollover", taskId=task, previewToken=token)
        self.does_previewed(grant, "conclude_task_with_rollover", taskId=task)

    def test_is_concluded_once(self):
        task, _, _, grant = self.concluded()
        token = self.preview(grant, "conclude_task_with_rollover", taskId=task)["previewToken"]
        first = self.does(grant, "conclude_task_with_rollover", "o1", taskId=task, previewToken=token)
        after = self.records()
        self.assertEqual(self.does(grant, "conclude_task_with_rollover", "o1", taskId=task, previewToken=token), first)
        self.assertEqual(self.records(), after)

    def test_is_moved_only_where_both_sides_are_in_scope(self):
        here, there = self.make_task("here"), self.make_task("there", self.outside)
        grant = self.worker()
        self.refuses("out_of_scope", grant, "update_task_fields", taskId=here, categoryId=self.outside)
        self.refuses("out_of_scope", grant, "update_task_fields", taskId=there, categoryId=self.inside)
        both = self.worker(self.inside, self.outside)
        self.refuses("preview_required", both, "update_task_fields", taskId=here, categoryId=self.outside)
        moved = self.does_previewed(both, "update_task_fields", taskId=here, categoryId=self.outside)
        self.assertEqual(moved["task"]["categoryId"], self.outside)

    def test_outside_is_as_if_it_were_not_there(self):
        there = self.make_task("there", self.outside)
        grant = self.worker()
        said = self.refuses("out_of_scope", grant, "update_task_priority", taskId=there, priority="p0")
        nowhere = self.refuses("out_of_scope", grant, "update_task_priority", taskId="no-such-task", priority="p0")
        self.assertEqual(said, nowhere.replace("no-such-task", there))


class AReference(ToolCase):
    def test_has_ranked_candidates_and_nothing_is_written(self):
        gym, book = self.make_task("Leg day at the gym"), self.make_task("Book the gym trainer")
        self.make_task("Leg day at the gym", self.outside)
        grant = self.worker()
        before = self.records()
        exact = self.does(grant, "resolve_task_reference", None, reference="leg day at the GYM")
        self.assertEqual((exact["resolvedTaskId"], exact["candidates"][0]["confidence"]), (gym, 1))
        vague = self.does(grant, "resolve_task_reference", None, reference="gym", minConfidence=0)
        self.assertEqual({one["taskId"] for one in vague["candidates"]}, {gym, book})
        self.assertIsNone(vague["resolvedTaskId"])
        sure = [one["confidence"] for one in vague["candidates"]]
        self.assertEqual(sure, sorted(sure, reverse=True))
        self.assertEqual(self.does(grant, "resolve_task_reference", None, reference="taxes"), {"candidates": [], "resolvedTaskId": None})
        self.assertEqual(self.records(), before)


class ADay(ToolCase):
    DAY = "2026-11-16"

    def block(self, begin, end, **members):
        return {"categoryId": self.inside, "startTime": f"{self.DAY}T{begin}:00Z", "endTime": f"{self.DAY}T{end}:00Z", **members}

    def test_is_planned_pinned_and_replanned(self):
        task, grant = self.make_task(), self.worker()
        first = self.does(grant, "get_or_create_day_plan", planDate=self.DAY)
        self.assertEqual((first["created"], first["dayPlan"]["blocks"]), (True, []))
        self.assertFalse(self.does(grant, "get_or_create_day_plan", planDate=self.DAY)["created"])
        plan = self.does(grant, "upsert_day_plan_blocks", planDate=self.DAY,
                         upserts=[self.block("08:00", "09:00", note="milk", taskId=task), self.block("10:00", "11:00")])["dayPlan"]
        milk, other = plan["blocks"]
        self.assertEqual((milk["taskId"], milk["note"]), (task, "milk"))
        self.refuses("preview_required", grant, "upsert_day_plan_blocks", planDate=self.DAY, deletes=[other["id"]])
        left = self.does_previewed(grant, "upsert_day_plan_blocks", planDate=self.DAY, deletes=[other["id"]])["dayPlan"]
        self.assertEqual([one["id"] for one in left["blocks"]], [milk["id"]])
        pinned = self.does(grant, "pin_day_plan_tasks", planDate=self.DAY, taskIds=[task])["dayPlan"]
        self.assertEqual(pinned["pinnedTaskIds"], [task])
        self.refuses("preview_required", grant, "replan_day_blocks", planDate=self.DAY, blocks=[])
        anew = self.does_previewed(grant, "replan_day_blocks", planDate=self.DAY, blocks=[self.block("12:00", "13:00")])["dayPlan"]
        self.assertEqual([one["startTime"] for one in anew["blocks"]], [f"{self.DAY}T12:00:00Z"])

    def test_of_others_is_neither_seen_nor_touched(self):
        other = self.worker(self.outside)
        self.does(other, "upsert_day_plan_blocks", planDate=self.DAY,
                  upserts=[{**self.block("08:00", "09:00"), "categoryId": self.outside}])
        grant = self.worker()
        self.assertEqual(self.does(grant, "get_or_create_day_plan", planDate=self.DAY)["dayPlan"]["blocks"], [])
        self.does_previewed(grant, "replan_day_blocks", planDate=self.DAY, blocks=[self.block("10:00", "11:00")])
        kept = self.does(other, "get_or_create_day_plan", planDate=self.DAY)["dayPlan"]["blocks"]
        self.assertEqual([one["categoryId"] for one in kept], [self.outside])
