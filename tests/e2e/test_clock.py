"""A clock that was ahead and was corrected: timers, wake times and waits go by the clock as it is now, on this device and on others."""

import datetime
import json
import time
import unittest

import belfry
import faults
import test_agent_timers
from agents import instant
from belfry import eventually, json_of
from devices import SyncCase
from test_notifications import Agent

DAILY = {"kind": "daily", "time": "07:00"}
HOURLY = {"kind": "every", "interval": "1h"}


class ClockCase(test_agent_timers.TimerCase, faults.Case):
    """The daemon's wall clock shows what the test says."""

    def begin_at(self, text):
        daemon = self.breakable(start=False)
        self.offset = 0.0
        self.set_clock(text)
        return daemon.start()

    def set_clock(self, text):
        offset = instant(text).timestamp() - time.time()
        self.faults.jump(wall_s=offset - self.offset)
        self.offset = offset

    def start_at(self, daemon, text):
        daemon.stop()
        self.set_clock(text)
        daemon.start()

    def look_at(self, daemon, text, restarts=False):
        """The clock shows another time, and the daemon has seen it."""
        if restarts:
            return self.start_at(daemon, text)
        self.set_clock(text)
        return self.emit(daemon)

    def next_of(self, daemon, timer):
        return self.timer(daemon, timer)["next_run_at"]

    def fires(self, daemon, agent, text):
        eventually(f"it fires for {text}", lambda: text in self.fired(daemon, agent))

    def findings(self, daemon):
        store = {"BELFRY_STORE_BACKEND": "postgres", "BELFRY_STORE_POSTGRES_URL": daemon.database} if daemon.database else {}
        shown = daemon.run("doctor", "--json", environment=store)
        return {finding["check"]: finding for finding in json.loads(shown.out)["findings"]}


class ATimer(ClockCase):
    def test_goes_by_the_clock_that_is_right_again(self):
        for restarts in (False, True):
            with self.subTest(restarts=restarts):
                daemon = self.begin_at("2026-11-16T12:00:00Z")
                morning, hour = self.agent(daemon), self.agent(daemon)
                daily = self.add(daemon, morning, DAILY)
                hourly = self.add(daemon, hour, HOURLY)
                self.start_at(daemon, "2099-01-01T00:00:00Z")  # the battery of its clock is empty
                self.fires(daemon, morning, "2098-12-31T07:00:00Z")
                eventually("the hour fires", lambda: self.fired(daemon, hour))
                self.look_at(daemon, "2026-11-17T06:59:58Z", restarts)
                eventually("it is computed again", lambda: self.next_of(daemon, daily) == "2026-11-17T07:00:00Z")
                self.assertLess(instant(self.next_of(daemon, hourly)), instant("2026-11-17T08:00:00Z"))
                self.fires(daemon, morning, "2026-11-17T07:00:00Z")
                self.assertEqual(self.fired(daemon, morning), ["2098-12-31T07:00:00Z", "2026-11-17T07:00:00Z"])
                self.assertEqual(self.next_of(daemon, daily), "2026-11-18T07:00:00Z")
                daemon.stop()

    def test_fires_for_no_instant_twice_though_the_clock_goes_to_and_fro(self):
        daemon = self.begin_at("2026-11-16T12:30:00Z")
        agent = self.agent(daemon)
        timer = self.add(daemon, agent, {"kind": "cron", "cron": "0 * * * *"}, zone="UTC")
        self.look_at(daemon, "2026-11-16T18:10:00Z")
        self.fires(daemon, agent, "2026-11-16T18:00:00Z")
        self.look_at(daemon, "2026-11-16T19:00:00Z")
        self.fires(daemon, agent, "2026-11-16T19:00:00Z")
        self.look_at(daemon, "2026-11-16T12:40:00Z")
        eventually("it is computed again", lambda: self.next_of(daemon, timer) == "2026-11-16T13:00:00Z")
        self.look_at(daemon, "2026-11-16T13:00:00Z")
        self.fires(daemon, agent, "2026-11-16T13:00:00Z")
        for number, hour in enumerate(range(14, 21)):
            self.look_at(daemon, f"2026-11-16T{hour}:00:01Z", restarts=number % 3 == 2)
            if hour not in (18, 19):
                self.fires(daemon, agent, f"2026-11-16T{hour}:00:00Z")
        hours = [int(text[11:13]) for text in self.fired(daemon, agent)]
        self.assertEqual(sorted(hours), list(range(13, 21)), "each hour once")

    def test_that_was_made_or_changed_meanwhile_goes_by_the_right_clock_too(self):
        daemon = self.begin_at("2099-01-01T00:20:00Z")
        made, changed, turned = self.agent(daemon), self.agent(daemon), self.agent(daemon)
        every = self.add(daemon, made, HOURLY)
        patched = self.add(daemon, changed, DAILY)
        switched = self.add(daemon, turned, HOURLY)
        for timer, change in ((patched, {"schedule": {"kind": "daily", "time": "07:01"}}), (switched, {"active": False}), (switched, {"active": True})):
            answer = daemon.request("PATCH", f"/v1/agents/{timer['agent_id']}/timers/{timer['id']}", change)
            self.assertEqual(answer.status, 200, answer.body)
        self.look_at(daemon, "2026-11-17T06:59:58Z")
        eventually("it is computed again", lambda: self.next_of(daemon, patched) == "2026-11-17T07:01:00Z")
        for timer in (every, switched):
            self.assertRegex(self.next_of(daemon, timer), r"^2026-11-17T07:20:0\d")
        path = f"/v1/agents/{turned}/timers/{switched['id']}"
        for active in (False, True):
            after = json_of(daemon.request("PATCH", path, {"active": active}))
        self.assertRegex(after["next_run_at"], r"^2026-11-17T07:20:0\d")
        later = json_of(daemon.request("PATCH", path, {"schedule": {"kind": "daily", "time": "07:05"}}))
        self.assertEqual(later["next_run_at"], "2026-11-17T07:05:00Z")

    def test_catches_up_with_nothing_after_a_clock_that_was_behind(self):
        daemon = self.begin_at("2026-11-16T12:00:00Z")
        agent = self.agent(daemon)
        timer = self.add(daemon, agent, DAILY)
        self.look_at(daemon, "2026-11-17T07:00:01Z")
        self.fires(daemon, agent, "2026-11-17T07:00:00Z")
        self.start_at(daemon, "2000-01-01T00:00:00Z")
        self.look_at(daemon, "2026-11-17T09:00:00Z")
        eventually("it is computed again", lambda: self.next_of(daemon, timer) == "2026-11-18T07:00:00Z")
        self.assertEqual(self.fired(daemon, agent), ["2026-11-17T07:00:00Z"])

    def test_is_named_by_doctor_with_the_correction(self):
        for restarts in (False, True):
            with self.subTest(restarts=restarts):
                daemon = self.begin_at("2026-11-16T12:00:00Z")
                self.assertNotIn("clock steps", self.findings(daemon))
                agent = self.agent(daemon)
                timer = self.add(daemon, agent, DAILY)
                self.look_at(daemon, "2026-11-25T12:00:00Z")
                self.fires(daemon, agent, "2026-11-25T07:00:00Z")
                self.look_at(daemon, "2026-11-16T12:01:00Z", restarts)
                eventually("it is computed again", lambda: self.next_of(daemon, timer) == "2026-11-17T07:00:00Z")
                found = self.findings(daemon)["clock steps"]
                self.assertEqual(found["state"], "warning")
                self.assertRegex(found["detail"], r"^at 2026-11-16T12:01:\S+Z the clock was set back by (8d 23h|9d);")
                self.assertIn(f"1 timer ({agent}/t, next 2026-11-17T07:00:00Z)", found["detail"])
                self.assertTrue(found["advice"])
                daemon.stop()


    def test_with_another_schedule_fires_for_times_that_only_the_former_one_was_counted_for(self):
        daemon = self.begin_at("2026-11-16T12:30:00Z")
        agent = self.agent(daemon)
        timer = self.add(daemon, agent, {"kind": "cron", "cron": "0 * * * *"}, zone="UTC")
        for hour in range(10, 14):
            self.look_at(daemon, f"2026-11-17T{hour}:00:01Z")
            self.fires(daemon, agent, f"2026-11-17T{hour}:00:00Z")
        self.look_at(daemon, "2026-11-16T12:40:00Z")
        eventually("it is computed again", lambda: self.next_of(daemon, timer) == "2026-11-16T13:00:00Z")
        change = lambda schedule: daemon.request("PATCH", f"/v1/agents/{agent}/timers/{timer['id']}", {"schedule": schedule})
        at = change({"kind": "at", "at": "2026-11-17T11:30:00Z"})
        self.assertEqual(at.status, 200, at.body)
        self.assertEqual(json_of(at)["next_run_at"], "2026-11-17T11:30:00Z")
        self.assertEqual(change({"kind": "at", "at": "2026-11-17T11:00:00Z"}).status, 422, "it has fired")
        self.assertEqual(json_of(change({"kind": "daily", "time": "12:30"}))["next_run_at"], "2026-11-17T12:30:00Z")

    def test_correction_that_is_large_is_reported_also_after_a_small_one(self):
        daemon = self.begin_at("2026-11-16T12:00:00Z")
        self.look_at(daemon, "2026-11-25T12:00:00Z")
        self.look_at(daemon, "2026-11-16T12:05:00Z")
        eventually("it is corrected", lambda: "clock steps" in self.findings(daemon))
        self.look_at(daemon, "2026-11-16T12:05:30Z")
        self.look_at(daemon, "2026-11-16T12:05:27Z")
        eventually("this one, too", lambda: "1 other correction" in self.findings(daemon)["clock steps"]["detail"])
        found = self.findings(daemon)["clock steps"]
        self.assertEqual(found["state"], "warning")
        self.assertRegex(found["detail"], r"was set back by (8d 23h|9d)")


class AClockThatWasBehind(ClockCase):
    """A daemon starts with a clock that shows the year 2000. Then the clock is set right."""

    def test_ends_no_wait_and_wakes_nobody(self):
        for restarts in (False, True):
            with self.subTest(restarts=restarts):
                daemon = self.begin_at("2026-11-16T12:00:00Z")
                agents = {field: self.agent(daemon) for field in ("next_wake_at", "sleep_until")}
                day = "2026-11-20T08:00:00Z"
                for field, agent in agents.items():
                    self.say(daemon, agent, field, day)
                waiting = [self.notify(daemon, target="user", handler="system"), self.notify(daemon, target="agent", handler="agent", ttl_s=86400)]
                self.start_at(daemon, "2000-01-01T00:00:00Z")
                state = lambda field: json_of(daemon.get(f"/v1/agents/{agents[field]}"))["state"].get(field)
                eventually("the start is corrected", lambda: state("sleep_until") < "2001")
                waiting.append(self.notify(daemon, target="user", handler="system"))
                hour = self.agent(daemon)
                self.say(daemon, hour, "next_wake_at", "2000-01-01T01:00:00Z")
                self.look_at(daemon, "2026-11-16T12:02:00Z", restarts)
                for field in agents:
                    eventually(f"{field} is what it was", lambda field=field: state(field) == day)
                moved = lambda: json_of(daemon.get(f"/v1/agents/{hour}"))["state"].get("next_wake_at", "")
                eventually("an hour is an hour", lambda: moved()[:15] in ("2026-11-16T13:0", "2026-11-16T12:5"))
                self.emit(daemon)
                for one in waiting:
                    shown = json_of(daemon.get(f"/v1/notifications/{one['id']}"))
                    self.assertIn(shown["state"], ("pending", "dispatched"), shown)
                for agent in (*agents.values(), hour):
                    self.assertEqual(self.wakes(daemon, agent), [])
                daemon.stop()

    def test_and_is_put_right_in_two_steps_ends_no_wait_and_loses_no_context(self):
        for restarts in (False, True):
            with self.subTest(restarts=restarts):
                daemon = self.begin_at("2026-11-16T12:00:00Z")
                agent = self.agent(daemon)
                self.say(daemon, agent, "next_wake_at", "2026-11-16T13:00:00Z")
                value = {"content": "71 %", "user_id": "ada", "ttl_s": 86400}
                self.assertEqual(daemon.request("PUT", "/v1/context/build.progress", value).status, 200)
                waiting = [self.notify(daemon, target="user", handler="system"), self.notify(daemon, target="agent", handler="agent", ttl_s=86400)]
                self.start_at(daemon, "2020-01-01T00:00:00Z")
                for text in ("2026-11-16T11:52:00Z", "2026-11-16T12:02:00Z"):
                    self.look_at(daemon, text, restarts)
                    self.emit(daemon)
                    for one in waiting:
                        shown = json_of(daemon.get(f"/v1/notifications/{one['id']}"))
                        self.assertIn(shown["state"], ("pending", "dispatched"), f"{text}: {shown}")
                    self.assertEqual(self.wakes(daemon, agent), [], text)
                    self.assertEqual(daemon.get("/v1/context/build.progress?user=ada").status, 200, text)
                state = lambda: json_of(daemon.get(f"/v1/agents/{agent}"))["state"]
                eventually("the wake time is what it was", lambda: state().get("next_wake_at") == "2026-11-16T13:00:00Z")
                self.assertEqual(self.findings(daemon)["clock steps"]["state"], "warning", "the clock was wrong a minute ago")
                daemon.stop()

    def say(self, daemon, agent, field, text):
        answer = daemon.request("PATCH", f"/v1/agents/{agent}", {"state": {field: text}})
        self.assertEqual(answer.status, 200, answer.body)

    def notify(self, daemon, target, handler, **more):
        answer = daemon.post("/v1/notifications", {"user_id": "ada", "text": "hello", **more,
                                                   "routing": {"address": "user", "target": target, "handler": handler}})
        self.assertEqual(answer.status, 201, answer.body)
        return json_of(answer)


class AnAgent(ClockCase):
    def test_that_said_a_date_before_the_clock_was_ahead_keeps_it(self):
        daemon = self.begin_at("2026-11-16T12:00:00Z")
        day = "2026-12-24T08:00:00Z"
        agents = {field: self.agent(daemon) for field in ("next_wake_at", "sleep_until")}
        for field, agent in agents.items():
            self.assertEqual(daemon.request("PATCH", f"/v1/agents/{agent}", {"state": {field: day}}).status, 200)
        self.look_at(daemon, "2026-11-25T12:00:00Z")
        for agent in agents.values():
            self.assertEqual(daemon.request("PATCH", f"/v1/agents/{agent}", {"state": {"slots": {"primary_goal": "sea"}}}).status, 200)
        self.look_at(daemon, "2026-11-16T12:05:00Z")
        eventually("it is corrected", lambda: "clock steps" in self.findings(daemon))
        for field, agent in agents.items():
            self.assertEqual(json_of(daemon.get(f"/v1/agents/{agent}"))["state"][field], day)

    def test_has_idle_threads_by_the_right_clock(self):
        daemon = self.begin_at("2027-11-16T12:00:00Z")
        agent = self.agent(daemon)

        def talk(session):
            daemon.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada"})
            self.wake_now(daemon, agent, reason="user_initiated", session_id=session, input={"text": "hello"})
            grant = self.claim_soon(daemon, agent)
            wake = grant["wake"]
            said = {"fence": wake["fence"], "messages": [{"kind": "thought", "content": {"text": "Goal: see the sea"}}]}
            self.assertLess(daemon.post(f"/v1/wakes/{wake['id']}/messages", said).status, 300)
            self.end(daemon, grant)

        talk("s1")
        self.look_at(daemon, "2026-11-16T12:01:00Z")
        threads = lambda: json_of(daemon.get(f"/v1/agents/{agent}/memory/threads"))["data"]
        eventually("it is corrected", lambda: all(one["last_at"] < "2026-11-17" for one in threads()))
        talk("s2")
        self.assertEqual(len(threads()), 2)
        for one in threads():
            self.assertLess(one["last_at"], "2026-11-17")

    def test_that_wanted_to_be_woken_in_an_hour_or_to_sleep_for_one_is_awake_then(self):
        daemon = self.begin_at("2099-01-01T00:00:00Z")
        for field in ("next_wake_at", "sleep_until"):
            agent = self.agent(daemon, name=field.replace("_", "-"))
            answer = daemon.request("PATCH", f"/v1/agents/{agent}", {"state": {field: "2099-01-01T01:00:00Z"}})
            self.assertEqual(answer.status, 200, answer.body)
        self.look_at(daemon, "2026-11-17T06:00:00Z")
        state = lambda field: json_of(daemon.get(f"/v1/agents/{field.replace('_', '-')}"))["state"][field]
        for field in ("next_wake_at", "sleep_until"):
            eventually(f"{field} is computed again", lambda field=field: state(field)[:15] in ("2026-11-17T07:0", "2026-11-17T06:5"))

    def test_gets_a_notification_again_whose_lease_was_given_by_a_clock_that_was_ahead(self):
        daemon = self.begin_at("2026-11-16T12:00:00Z")
        agent, other = Agent(daemon), Agent(daemon)
        for one in (agent, other):
            self.assertEqual(daemon.request("PUT", f"/v1/sessions/{one.session}", {"user_id": "ada"}).status, 200)
        self.set_clock("2026-11-25T12:00:00Z")
        answer = daemon.post("/v1/notifications", {"user_id": "ada", "text": "hello", "ttl_s": 86400,
                                                   "routing": {"address": "user", "target": "user", "handler": "agent"}})
        self.assertEqual(answer.status, 201, answer.body)
        self.assertEqual([item["content"] for item in agent.pull()["items"]], ["hello"])
        self.assertEqual(other.pull()["items"], [], "it is leased")
        self.look_at(daemon, "2026-11-16T12:01:00Z")
        eventually("it comes again", lambda: [item["content"] for item in other.pull()["items"]] == ["hello"])


class Devices(SyncCase, test_agent_timers.TimerCase):
    def test_that_were_told_of_a_firing_in_the_future_do_not_rest_until_then(self):
        if belfry.is_sanitized():
            self.skipTest("a sanitizer wants to be loaded first")
        desk, laptop = self.device("desk", clock_s=0.0), self.device("laptop", listen=None)
        self.pair(desk, laptop)
        agent = self.agent(desk)
        timer = self.add(desk, agent, {"kind": "every", "interval": "1h"})
        self.converged(desk, laptop)
        year = 365 * 86400.0
        desk.faults.jump(wall_s=year)
        self.emit(desk)
        eventually("it fires a year ahead", lambda: self.fired(desk, agent))
        eventually("the laptop was told", lambda: self.timer(laptop, timer)["last_scheduled_at"])
        desk.faults.jump(wall_s=-year)
        self.emit(desk)
        soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1, minutes=1)
        next_on = lambda device: instant(self.timer(device, timer)["next_run_at"])
        eventually("the desk has computed it again", lambda: next_on(desk) < soon)
        self.assertLess(next_on(laptop), soon)
        tablet = self.device("tablet", listen=None)
        self.pair(desk, tablet)
        self.converged(desk, laptop, tablet)
        self.assertLess(next_on(tablet), soon, "nor does one that is paired later")


if __name__ == "__main__":
    unittest.main()
