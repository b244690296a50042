"""Parties of the world of devices: workers, a planner whose model never plans alike, and editors of one journal."""

import json
import re
import threading

from devices_machines import until

import chat_server

MARK = re.compile(r"#[a-z]\d+#")
USER = "ada"
TICK_SECONDS = 3
PLAN_SECONDS = 5
INBOX_SECONDS_MAX = 5  # a device may correct its inbox a little later than its records


def first_mark(text):
    found = MARK.search(text)
    return found.group(0) if found else ""


class Worker(threading.Thread):
    """Works for agents on one device: claims a wake, ends it, and claims the next."""

    def __init__(self, world, machine, agents):
        super().__init__(daemon=True)
        self.world, self.machine, self.agents, self.recorder = world, machine, agents, world.recorder

    def run(self):
        while not self.world.ended.is_set():
            began, answer, grant = self.machine.ask("POST", "/v1/wakes/claim", {"agents": self.agents, "wait_s": 3})
            if answer["status"] == 200:
                self.work(began, grant)
            elif answer["status"] != 204:
                self.world.ended.wait(0.3)

    def work(self, began, grant):
        wake = grant["wake"]
        instants = [f"{one['rule']}@{one['key']}" for one in grant["signals"] if one["kind"] == "timer"]
        self.recorder.add("granted", f"worker-{self.machine.name}", began, device=self.machine.name, agent=wake["agent_id"],
                          reason=wake["reason"], run_key=wake["run_key"], instants=instants)
        began, answer, _ = self.machine.ask("POST", f"/v1/wakes/{wake['id']}/end", {"fence": wake["fence"], "result": {}})
        self.recorder.add("grant_ended", f"worker-{self.machine.name}", began, device=self.machine.name,
                          run_key=wake["run_key"], answer=answer)


class PlannerModel:
    """A model that never plans twice alike: each answer has marks of its own. The key says which device asks."""

    def __init__(self, world):
        self.world, self.recorder = world, world.recorder
        self.lock = threading.Lock()
        self.plans = {}  # device → how many plans it was given
        self.server = chat_server.ChatServer(self.answer)
        self.url = self.server.url

    def answer(self, answer):
        request = answer.request
        if request.body["messages"][-1]["role"] == "tool":
            return chat_server.whole({"content": "Done."})(answer)
        device = request.headers.get("authorization", "").removeprefix("Bearer key-")
        with self.lock:
            self.plans[device] = self.plans.get(device, 0) + 1
        number = self.recorder.unique("i")
        calls = [("create_task", {"title": f"idea #i{number}#"}), ("notify_user", {"text": f"note #n{number}#"})]
        message = {"content": None, "tool_calls": [
            {"id": f"call_{number}_{name}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for name, arguments in calls]}
        return chat_server.whole(message, "tool_calls")(answer)

    def count(self, device):
        with self.lock:
            return self.plans.get(device, 0)

    def close(self):
        self.server.close()


class Timers:
    """The agents that the clock wakes on all devices."""

    def __init__(self, world, machine, model):
        self.world, self.recorder, self.model = world, world.recorder, model
        self.ticking = self.make(machine, "tick", {}, TICK_SECONDS)
        settings = {"base_url": model.url, "model": "m", "key_env": "MODEL_KEY", "stream": False}
        self.planning = self.make(machine, "planner", {
            "workflow": {"kind": "model", "settings": settings}, "capabilities": ["task_read", "task_write", "memory_read"],
            "allowed_category_ids": ["general"]}, PLAN_SECONDS)
        machine.must("POST", "/v1/agents", {"id": "clocked", "user_id": USER})
        machine.must("POST", "/v1/agents", {"id": "watch", "user_id": USER, "allowed_category_ids": ["general"]})
        machine.must("POST", f"/v1/journal/tasks?user={USER}", {"id": "watched", "title": "watched"})
        machine.must("POST", "/v1/agents/watch/subscriptions", {"tokens": ["id:watched"], "window_ms": 0, "synced": True})

    def make(self, machine, agent, members, seconds):
        machine.must("POST", "/v1/agents", {"id": agent, "user_id": USER, **members})
        return self.add(machine, agent, {"kind": "every", "interval": f"{seconds}s"}, seconds)

    def add(self, machine, agent, schedule, seconds):
        """A timer whose firings are at most so many seconds apart; returns its agent and its id."""
        began, answer, timer = machine.ask("POST", f"/v1/agents/{agent}/timers", {"name": f"{agent}{seconds}", "schedule": schedule})
        assert answer["status"] == 201, answer
        self.recorder.add("timer_made", machine.name, began, device=machine.name, agent=agent, timer=timer["id"],
                          period_ms=seconds * 1000, answer=answer)
        return agent, timer["id"]

    def switch(self, machine, is_active):
        for agent, timer in (self.ticking, self.planning):
            machine.must("PATCH", f"/v1/agents/{agent}/timers/{timer}", {"active": is_active})

    def edit_watched(self, machine):
        """One change that all devices watch."""
        machine.must("PATCH", f"/v1/journal/tasks/watched?user={USER}", {"title": f"watched {self.recorder.unique('edit')}"})

    # -- what operations did -------------------------------------------------------------------------------------

    def read_story(self, machine):
        """What memory, journal and inbox of one device say of the planner's operations."""
        found = machine.pages("/v1/agents/planner/messages")
        results = {one["tool_result"]["action_ref_id"]: one["tool_result"] for one in found if one["kind"] == "tool_result"}
        told = set()
        for one in found:
            if one["kind"] != "action":
                continue
            result = results.get(one["id"], {})
            mark = first_mark(json.dumps(one["content"]))
            told.add(mark)
            self.recorder.add("operation_read", machine.name, device=machine.name, agent="planner",
                              operation=one["action"]["operation_id"], tool=one["action"]["tool_name"] or "", mark=mark,
                              status=result.get("status", ""), entity=(result.get("changed_entity_ids") or [""])[0])
        for task in machine.pages(f"/v1/journal/tasks?user={USER}"):
            if "#i" in task["title"]:
                self.recorder.add("task_read", machine.name, device=machine.name, record=task["id"], mark=first_mark(task["title"]))
        marks = []

        def is_told():
            items = machine.pages(f"/v1/inbox?user={USER}")
            marks[:] = [first_mark(one["text"]) for one in items if not one.get("dismissed_at") and one["state"] != "failed"]
            return all(mark in told for mark in marks if mark.startswith("#n"))
        until(is_told, INBOX_SECONDS_MAX)
        self.recorder.add("inbox_read", machine.name, device=machine.name, user=USER, marks=[one for one in marks if one],
                          answer={"status": 200})


class Editors:
    """Devices that change one journal: elements of lists, and titles."""

    def __init__(self, world, machine):
        self.world, self.recorder, self.random = world, world.recorder, world.random
        self.tasks, self.days, self.titles = [], [], []
        self.number = 0
        machine.must("POST", f"/v1/journal/labels?user={USER}", {"id": "label0", "name": "label0"})

    def prepare(self, machine):
        """Records of their own for one time without links."""
        self.number += 1
        number = self.number
        self.day, self.task, self.titled = f"2027-{number // 28 + 1:02}-{number % 28 + 1:02}", f"listed{number}", f"titled{number}"
        machine.must("POST", f"/v1/journal/tasks?user={USER}", {"id": self.task, "title": "listed", "label_ids": ["label0"]})
        machine.must("POST", f"/v1/journal/tasks?user={USER}", {"id": self.titled, "title": "titled"})
        machine.must("POST", f"/v1/journal/checklists?user={USER}", {"id": f"{self.task}-list", "task_id": self.task, "title": "list"})
        machine.must("POST", f"/v1/journal/day_plans?user={USER}", {
            "plan_date": self.day, "blocks": [self.block("block0", 6)], "pinned_task_ids": [self.task]})

    def block(self, name, hour):
        return {"id": name, "category_id": "general", "start_at": f"{self.day}T{hour:02}:00:00Z", "end_at": f"{self.day}T{hour:02}:30:00Z"}

    def edit(self, machine, hour):
        """Adds one element to each list on this device."""
        unique = f"{machine.name}{self.recorder.unique('element')}"
        plan = f"/v1/journal/day_plans/day_plan:{self.day}?user={USER}"
        document = machine.must("GET", plan)
        pin = f"pin-{unique}"
        machine.must("POST", f"/v1/journal/tasks?user={USER}", {"id": pin, "title": pin})
        label = f"label-{unique}"
        machine.must("POST", f"/v1/journal/labels?user={USER}", {"id": label, "name": label})
        task = machine.must("GET", f"/v1/journal/tasks/{self.task}?user={USER}")
        block = self.block(f"block-{unique}", hour)
        self.add(machine, "PATCH", plan, {"blocks": document["blocks"] + [block]}, self.day, "blocks", block["id"])
        self.add(machine, "PATCH", plan, {"pinned_task_ids": document["pinned_task_ids"] + [pin]}, self.day, "pins", pin)
        self.add(machine, "PATCH", f"/v1/journal/tasks/{self.task}?user={USER}", {"label_ids": task["label_ids"] + [label]},
                 self.task, "labels", label)
        self.add(machine, "POST", f"/v1/journal/checklist_items?user={USER}",
                 {"id": f"item-{unique}", "checklist_id": f"{self.task}-list", "title": "item"}, self.task, "items", f"item-{unique}")

    def write_title(self, machine):
        mark = self.recorder.mark("v")
        began, answer, _ = machine.ask("PATCH", f"/v1/journal/tasks/{self.titled}?user={USER}", {"title": f"title {mark}"})
        self.recorder.add("value_written", machine.name, began, device=machine.name, record=self.titled, field="title", mark=mark,
                          answer=answer)

    def add(self, machine, method, path, body, record, name, element):
        began, answer, _ = machine.ask(method, path, body)
        self.recorder.add("element_added", machine.name, began, device=machine.name, record=record, list=name, element=element,
                          answer=answer)

    def read(self, machine):
        began, answer, plan = machine.ask("GET", f"/v1/journal/day_plans/day_plan:{self.day}?user={USER}")
        for name, elements in (("blocks", [one["id"] for one in plan.get("blocks", [])]), ("pins", plan.get("pinned_task_ids", []))):
            self.recorder.add("elements_read", machine.name, began, device=machine.name, record=self.day, list=name,
                              elements=elements, answer=answer)
        began, answer, task = machine.ask("GET", f"/v1/journal/tasks/{self.task}?user={USER}")
        self.recorder.add("elements_read", machine.name, began, device=machine.name, record=self.task, list="labels",
                          elements=task.get("label_ids", []), answer=answer)
        began = self.recorder.tick()
        items = machine.pages(f"/v1/journal/checklist_items?user={USER}&checklist={self.task}-list")
        self.recorder.add("elements_read", machine.name, began, device=machine.name, record=self.task, list="items",
                          elements=[one["id"] for one in items], answer={"status": 200})
        began, answer, task = machine.ask("GET", f"/v1/journal/tasks/{self.titled}?user={USER}")
        self.recorder.add("value_read", machine.name, began, device=machine.name, record=self.titled, field="title",
                          mark=first_mark(task.get("title", "")), answer=answer)
        began = self.recorder.tick()
        self.recorder.add("merges_read", machine.name, began, device=machine.name, text=json.dumps(machine.pages("/v1/sync/merges")),
                          answer={"status": 200})
