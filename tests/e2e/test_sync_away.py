"""Devices that were off for weeks or a year: what was destroyed or deleted meanwhile stays so, and all know the same afterwards."""

import os
import unittest

import belfry
from belfry import eventually, json_of
from devices import SyncCase

DAY = 86400.0
# Of `make check`: all of them.
DAYS = tuple(int(one) for one in os.environ.get("BELFRY_SYNC_AWAY_DAYS", "45,120,400").split(","))


class Away(SyncCase):
    def setUp(self):
        if belfry.is_sanitized():
            self.skipTest("a sanitizer wants to be loaded first")

    def clocked(self, name, **more):
        return self.device(name, clock_s=0.0, **more)

    def filled_agent(self, device, name):
        """An agent with something of every kind that an agent can have."""
        self.agent(device, name, allowed_category_ids=["general"])
        rule = json_of(device.post(f"/v1/agents/{name}/subscriptions", {"types": ["ci.*"]}))["id"]
        timer = json_of(device.post(f"/v1/agents/{name}/timers", {"name": "daily", "schedule": {"kind": "daily", "time": "07:00"}}))["id"]
        self.wake_now(device, name)
        grant = self.claim_soon(device, name)
        said = json_of(device.post(f"/v1/wakes/{grant['wake']['id']}/messages", {"fence": grant["wake"]["fence"], "messages": [
            {"kind": "thought", "content": {"text": "one"}}, {"kind": "thought", "content": {"text": "two"}}]}))
        self.end(device, grant)
        return rule, timer, said["data"][0]["id"]

    def lifecycle(self, device, agent):
        answer = device.get(f"/v1/agents/{agent}")
        return json_of(answer)["lifecycle"] if answer.status == 200 else answer.status

    def same_digest(self, *devices):
        def is_same():
            taken = [one.digest() for one in devices]
            return all((one["digest"], one["records"]) == (taken[0]["digest"], taken[0]["records"]) for one in taken)
        eventually(f"the digests are equal: {[one.digest() for one in devices]} {[one.status() for one in devices]}", is_same, pause=0.1)

    def pass_days(self, device, days, gone=None):
        """The device lives through so many days; an agent that was destroyed goes after 90."""
        device.faults.jump(wall_s=days * DAY)
        if gone and days > 90:
            eventually(f"{gone} is removed", lambda: device.get(f"/v1/agents/{gone}").status == 404)

    def forget_all(self, device, agents):
        """A device that came to a timer of the agent keeps that wake for 90 days, and the agent's record as long."""
        device.faults.jump(wall_s=91 * DAY)
        for agent in agents:
            eventually(f"{agent} is removed", lambda one=agent: device.get(f"/v1/agents/{one}").status == 404)

    def test_for_long_learn_of_all_that_was_destroyed_and_deleted(self):
        for days in DAYS:
            with self.subTest(days=days):
                desk, laptop = self.clocked("desk"), self.clocked("laptop", listen=None)
                self.pair(desk, laptop)
                self.filled_agent(desk, "z")
                rule, timer, message = self.filled_agent(desk, "keeper")
                task, other = (self.make(desk, "tasks", title=title)["id"] for title in ("Milk", "Bread"))
                label = self.make(desk, "labels", name="shop")["id"]
                self.link(desk, "next", task, other)
                self.converged(desk, laptop)
                laptop.stop()
                for path in ("/v1/agents/z", f"/v1/agents/keeper/subscriptions/{rule}", f"/v1/agents/keeper/timers/{timer}"):
                    self.assertIn(desk.request("DELETE", path).status, (200, 204))
                self.assertEqual(desk.post("/v1/agents/keeper/memory/forget", {"message_id": message}).status, 200)
                self.unlink(desk, "next", task, other)
                self.remove(desk, "tasks", task)
                self.remove(desk, "labels", label)
                self.pass_days(desk, days, "z")
                laptop.faults.jump(wall_s=days * DAY)
                laptop.start()
                laptop.request("PATCH", "/v1/agents/z", {"display_name": "written on the device that was away"})
                self.same_digest(desk, laptop)
                for one in (desk, laptop):
                    self.assertIn(self.lifecycle(one, "z"), ("destroyed", 404), one.name)
                    self.assertIn(one.request("PATCH", "/v1/agents/z", {"display_name": "again"}).status, (404, 410))
                    self.assertEqual(json_of(one.get("/v1/agents/keeper/subscriptions"))["data"], [])
                    self.assertEqual(json_of(one.get("/v1/agents/keeper/timers"))["data"], [])
                    self.assertEqual(one.get(f"/v1/agents/keeper/messages/{message}").status, 404)
                    self.read(one, "tasks", task, 410)
                    self.read(one, "labels", label, 410)
                self.assertEqual([wake["state"] for wake in self.wakes(laptop, "z") if wake["reason"] != "manual"
                                  and wake["state"] not in ("destroyed", "not_needed")], [], "its timer is caught up with by nobody")
                if days > 90:
                    self.forget_all(laptop, ["z"])
                    for one in (desk, laptop):
                        problem = self.assert_problem(one.post("/v1/agents", {"id": "z", "user_id": "ada"}), 409, "conflict", "id")
                        self.assertEqual(problem["reason"], "taken")
                self.converged(desk, laptop)

    def test_hear_of_it_from_a_relay_that_has_heard_of_it_long_ago(self):
        desk, relay = self.clocked("desk", listen=None), self.clocked("relay")
        laptop = self.clocked("laptop", listen=None)
        self.pair(relay, desk)
        self.pair(relay, laptop)
        self.filled_agent(desk, "z")
        self.converged(desk, relay, laptop)
        laptop.stop()
        desk.request("DELETE", "/v1/agents/z")
        self.same_digest(desk, relay)
        for one in (desk, relay):
            self.pass_days(one, 120, "z")
        self.same_digest(desk, relay)
        laptop.faults.jump(wall_s=120 * DAY)
        laptop.start()
        self.same_digest(desk, relay, laptop)
        self.assertIn(self.lifecycle(laptop, "z"), ("destroyed", 404))
        self.forget_all(laptop, ["z"])
        self.converged(desk, relay, laptop)

    def test_and_revoked_meanwhile_hear_of_it_when_they_are_paired_again(self):
        desk, laptop = self.clocked("desk"), self.clocked("laptop", listen=None)
        self.pair(desk, laptop)
        self.filled_agent(desk, "z")
        self.converged(desk, laptop)
        self.assertEqual(desk.run("peer", "revoke", "laptop").code, 0)
        laptop.stop()
        desk.request("DELETE", "/v1/agents/z")
        self.pass_days(desk, 120, "z")
        laptop.faults.jump(wall_s=120 * DAY)
        laptop.start()
        self.pair(desk, laptop)
        self.same_digest(desk, laptop)
        for one in (desk, laptop):
            self.assertIn(self.lifecycle(one, "z"), ("destroyed", 404), one.name)

    def test_and_paired_later_see_nothing_of_it(self):
        desk, laptop = self.clocked("desk"), self.clocked("laptop", listen=None)
        self.pair(desk, laptop)
        self.filled_agent(desk, "z")
        self.converged(desk, laptop)
        desk.request("DELETE", "/v1/agents/z")
        self.same_digest(desk, laptop)
        for one in (desk, laptop):
            self.pass_days(one, 95, "z")
        late = self.clocked("late", listen=None)
        late.faults.jump(wall_s=95 * DAY)
        self.pair(desk, late)
        self.same_digest(desk, laptop, late)
        self.assertEqual(late.get("/v1/agents/z").status, 404)
        self.assertEqual(self.agents_of(late, "ada"), [])


if __name__ == "__main__":
    unittest.main()
