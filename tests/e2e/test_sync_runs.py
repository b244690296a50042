"""One run for one cause on devices that are linked, and one story where they were not: three daemons of the real binary with equal clocks."""

import collections
import datetime
import itertools
import os
import threading
import time
import unittest

import belfry
from agents import instant
from belfry import eventually, json_of
from devices import SyncCase

ROUNDS = int(os.environ.get("BELFRY_SYNC_ROUNDS", "4"))
CLAIM_STEP_S = 0.4  # by which a device waits longer than the one before it (docs/sync.md)


def soon(seconds):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


class Stalls:
    """Notes the times in which the machine stood still: a sleep of 50 ms took more than 250 ms longer."""
    SLEEP_S = 0.05
    LATE_S = 0.25

    def __init__(self):
        self.spans = []

    def watch(self, is_over):
        while not is_over.is_set():
            began, steady = datetime.datetime.now(datetime.timezone.utc), time.monotonic()
            time.sleep(self.SLEEP_S)
            if time.monotonic() - steady > self.SLEEP_S + self.LATE_S:
                self.spans.append((began, datetime.datetime.now(datetime.timezone.utc)))

    def are_between(self, one, other):
        return any(began <= other and ended >= one for began, ended in self.spans)


class Linked(SyncCase):
    def mesh(self, *names):
        """Devices that are each paired with all others."""
        made = [self.device(name) for name in names]
        for one, other in itertools.combinations(made, 2):
            self.pair(one, other)
        return made

    def lines(self, devices):
        """Pairs the devices through proxies, which can cut the links."""
        lines = []
        for one, other in itertools.combinations(devices, 2):
            lines.append(self.proxy(one.address))
            self.pair(one, other, at=lines[-1].address)
        return lines

    def workers(self, devices, agent, is_over):
        """On each device one that claims whatever there is for the agent, and ends it at once."""
        def work(device):
            while not is_over.is_set():
                grant = self.claim(device, agent, wait_s=1)
                if grant is not None:
                    self.end(device, grant)
        return [lambda one=one: work(one) for one in devices]

    def completed(self, devices, agent):
        """When each run was begun, over all devices that have gone through it."""
        runs = collections.defaultdict(list)
        for one in devices:
            after = ""
            while True:
                page = json_of(one.get(f"/v1/wakes?agent={agent}&limit=200{after}"))
                for wake in page["data"]:
                    if wake["state"] == "completed":
                        runs[wake["run_key"]].append(instant(wake["started_at"]))
                if not page["has_more"]:
                    break
                after = f"&after={page['next']}"
        return runs

    def test_run_each_instant_of_a_timer_and_each_synced_change_once(self):
        devices = self.mesh("desk", "laptop", "phone")
        self.agent(devices[0], "ticker")
        self.agent(devices[0], "watcher", allowed_category_ids=["general"])
        rule = {"tokens": ["key:TASK"], "window_ms": 0, "synced": True}
        self.assertEqual(devices[0].post("/v1/agents/watcher/subscriptions", rule).status, 200)
        self.converged(*devices)
        is_over, stalls = threading.Event(), Stalls()
        with belfry.threads(lambda: stalls.watch(is_over), *self.workers(devices, "ticker", is_over),
                            *self.workers(devices, "watcher", is_over)):
            try:
                timer = {"name": "tick", "schedule": {"kind": "every", "interval": "1s"}}
                self.assertEqual(devices[1].post("/v1/agents/ticker/timers", timer).status, 201)
                self.same_count("ticker", devices, ROUNDS, lambda: None)
                changes = iter(range(10 * ROUNDS))
                self.same_count("watcher", devices, ROUNDS, lambda: self.make(
                    devices[next(changes) % 3], "tasks", title="Milk", category_id="general"))
            finally:
                is_over.set()
        for agent in ("ticker", "watcher"):
            runs = self.completed(devices, agent)
            self.assertGreaterEqual(len(runs), ROUNDS, agent)
            twice = {key: sorted(begun) for key, begun in runs.items() if len(begun) > 1}
            # On a machine that stands still a claim may come after the next device's turn; it is never begun at the same time.
            for begun in twice.values():
                for one, other in itertools.pairwise(begun):
                    self.assertGreaterEqual((other - one).total_seconds(), CLAIM_STEP_S - 0.05, twice)
                    self.assertTrue(stalls.are_between(one, other), (agent, twice, stalls.spans))

    def test_without_links_run_an_instant_each_and_its_effect_is_there_once(self):
        devices = [self.device(name) for name in ("desk", "laptop", "phone")]
        lines = self.lines(devices)
        agent = self.agent(devices[0], "ticker", allowed_category_ids=["general"], capabilities=["task_read", "task_write"])
        timer = {"name": "tick", "schedule": {"kind": "every", "interval": "1s"}}
        self.assertEqual(devices[0].post(f"/v1/agents/{agent}/timers", {**timer, "active": False}).status, 201)
        self.converged(*devices)
        self.assertEqual(self.switch(devices[0], agent, True), 200)
        eventually("all devices know that the timer is on", lambda: all(self.is_on(one, agent) for one in devices))
        for line in lines:
            line.cut()
        is_over = threading.Event()
        with belfry.threads(*(lambda one=one: self.act(one, agent, is_over) for one in devices)):
            try:
                eventually("each instant was run on each device", lambda: self.run_by_all(devices, agent) >= ROUNDS,
                           60 + 3 * ROUNDS, pause=0.2)
                for line in lines:
                    line.heal()
                eventually("the links are back", lambda: all(
                    one.is_connected(other.name) for one, other in itertools.permutations(devices, 2)), 60)
                self.assertEqual(self.switch(devices[0], agent, False), 200)
                eventually("the timer is off", lambda: not any(self.is_on(one, agent) for one in devices))
                eventually("no run is open", lambda: not any(self.wakes(one, agent, open="true") for one in devices), 60)
            finally:
                is_over.set()
        self.converged(*devices)
        runs = self.completed(devices, agent)
        for one in devices:
            made = collections.Counter(self.read(one, "tasks", name)["title"] for name in self.all(one, "tasks"))
            self.assertEqual(made, collections.Counter(runs.keys()), f"{one.name}: one task for each run, and no other")
            told = collections.Counter(item["text"] for item in self.inbox(one))
            self.assertEqual([text for text, times in told.items() if times > 1], [], one.name)

    def inbox(self, device):
        """All notifications of the user."""
        items, after = [], ""
        while True:
            page = json_of(device.get(f"/v1/notifications?user=ada&limit=200{after}"))
            items += page["data"]
            if not page["has_more"]:
                return items
            after = f"&after={page['next']}"

    def switch(self, device, agent, is_on):
        [timer] = self.timers(device, agent)
        return device.request("PATCH", f"/v1/agents/{agent}/timers/{timer['id']}", {"active": is_on}).status

    def timers(self, device, agent):
        return json_of(device.get(f"/v1/agents/{agent}/timers"))["data"]

    def is_on(self, device, agent):
        return any(one["active"] for one in self.timers(device, agent))

    def run_by_all(self, devices, agent):
        """The number of instants that every device has run."""
        return sum(len(begun) == len(devices) for begun in self.completed(devices, agent).values())

    def act(self, device, agent, is_over):
        """Claims each wake, makes a task of the name of its run, and tells the user."""
        while not is_over.is_set():
            grant = self.claim(device, agent, wait_s=1)
            if grant is None:
                continue
            wake = grant["wake"]
            actions = [{"tool_name": "create_task", "arguments": {"title": wake["run_key"], "categoryId": "general"}},
                       {"tool_name": "notify_user", "arguments": {"text": f"done {wake['run_key']}"}}]
            answer = device.post(f"/v1/wakes/{wake['id']}/plan", {"fence": wake["fence"], "actions": actions})
            self.assertIn(answer.status, (200, 201), answer.body)
            for action in json_of(answer)["actions"]:
                done = device.post(f"/v1/wakes/{wake['id']}/call", {"fence": wake["fence"], "operation_id": action["operation_id"]})
                self.assertEqual(done.status, 200, done.body)
                self.assertNotIn(b'"status":"error"', done.body)
            self.end(device, grant)

    def same_count(self, agent, devices, count, cause):
        """Causes one run after the other, each when the one before it is done."""
        for number in range(1, count + 1):
            cause()
            eventually(f"{agent} has had {number} runs", lambda: len(self.completed(devices, agent)) >= number, 30, pause=0.1)


class Beside(SyncCase):
    """The run of a timer is held by one device. What concerns another device only does not wait for it there."""

    def held(self):
        one, other = self.pairs("desk", "laptop")
        if one.status()["device"]["host"] < other.status()["device"]["host"]:
            one, other = other, one
        agent = self.agent(one)
        self.subscribe(one, agent, "ci.*", window_ms=0)
        answer = one.post(f"/v1/agents/{agent}/timers", {"name": "once", "schedule": {"kind": "at", "at": soon(3)}})
        self.assertEqual(answer.status, 201, answer.body)
        self.converged(one, other)
        grant = self.claim_soon(one, agent)
        self.assertIsNone(self.claim(other, agent, wait_s=2), "the timer is run by the first device")
        return one, other, agent, grant

    def test_a_request_runs_at_once_under_the_id_that_was_returned(self):
        one, other, agent, grant = self.held()
        asked = self.wake_now(other, agent, request_id="now")
        mine = self.claim(other, agent, wait_s=5)
        self.assertIsNotNone(mine, "the request waits for the other device")
        self.assertEqual(mine["wake"]["id"], asked["id"])
        self.end(other, mine)
        self.end(one, grant)
        eventually("nothing is left to do", lambda: not self.wakes(other, agent, open="true"))
        states = {wake["id"]: wake["state"] for wake in self.wakes(other, agent)}
        self.assertEqual(states.pop(asked["id"]), "completed")
        self.assertEqual(list(states.values()), ["not_needed"])

    def test_an_event_runs_at_once(self):
        one, other, agent, grant = self.held()
        self.emit(other, "ci.failed")
        mine = self.claim(other, agent, wait_s=5)
        self.assertIsNotNone(mine, "the event waits for the other device")
        self.assertEqual(mine["wake"]["reason"], "subscription")
        self.end(other, mine)
        self.end(one, grant)
        eventually("nothing is left to do", lambda: not self.wakes(other, agent, open="true"))


class Apart(SyncCase):
    def run_alone(self, device, agent, idea):
        """The device comes to its timer while nobody else runs, and does what it thinks is right."""
        device.start()
        grant = self.claim_soon(device, agent)
        wake = grant["wake"]
        actions = [{"tool_name": "create_task", "arguments": {"title": idea, "categoryId": "general"}},
                   {"tool_name": "notify_user", "arguments": {"text": idea}},
                   {"tool_name": "set_state", "arguments": {"goal": idea}}]
        answer = device.post(f"/v1/wakes/{wake['id']}/plan", {"fence": wake["fence"], "actions": actions})
        self.assertIn(answer.status, (200, 201), answer.body)
        for action in json_of(answer)["actions"]:
            done = device.post(f"/v1/wakes/{wake['id']}/call", {"fence": wake["fence"], "operation_id": action["operation_id"]})
            self.assertEqual(done.status, 200, done.body)
            self.assertNotIn(b'"status":"error"', done.body)
        self.end(device, grant)
        device.stop()
        return wake["run_key"]

    def test_tell_one_story_of_an_operation_that_both_carried_out(self):
        desk, laptop = self.pairs("desk", "laptop")
        agent = self.agent(desk, allowed_category_ids=["general"], capabilities=["task_read", "task_write"])
        answer = desk.post(f"/v1/agents/{agent}/timers", {"name": "once", "schedule": {"kind": "at", "at": soon(4)}})
        self.assertEqual(answer.status, 201, answer.body)
        self.converged(desk, laptop)
        desk.stop()
        laptop.stop()
        keys = {self.run_alone(desk, agent, "Buy milk"), self.run_alone(laptop, agent, "Call Bob")}
        self.assertEqual(len(keys), 1)
        desk.start()
        laptop.start()
        self.converged(desk, laptop)
        stories = []
        for one in (desk, laptop):
            messages = self.messages(one, agent)
            actions = {message["action"]["tool_name"]: message["content"] for message in messages if message["kind"] == "action"}
            self.assertEqual(len([message for message in messages if message["kind"] == "action"]), 3)
            tasks = [self.read(one, "tasks", name)["title"] for name in self.all(one, "tasks")]
            self.assertEqual(len(tasks), 1, "one effect")
            inbox = [item["text"] for item in json_of(one.get("/v1/notifications?user=ada"))["data"]]
            goal = json_of(one.get(f"/v1/agents/{agent}"))["state"]["slots"]["primary_goal"]
            stories.append({"journal": tasks[0], "memory": actions["create_task"]["title"], "told": actions["notify_user"]["text"],
                            "inbox": inbox[0], "goal": goal, "kept": actions["set_state"]["goal"]})
            self.assertEqual(len(inbox), 1)
        for story in stories:
            self.assertEqual(set(story.values()), {story["journal"]}, story)
        self.assertEqual(stories[0], stories[1])


if __name__ == "__main__":
    unittest.main()
