"""Stored timers: agents woken by the clock through the real binary, with clocks that the test moves and daemons that it kills."""

import contextlib
import datetime
import http.client
import json
import random
import re
import signal
import time
import unittest

import belfry
import faults
import schema
from agents import AgentCase, instant
from belfry import eventually, json_of, unique

OK, FAILURE, USAGE = range(3)
BERLIN = "Europe/Berlin"


class TimerCase(AgentCase):
    def add(self, daemon, agent, schedule, status=201, **members):
        answer = daemon.post(f"/v1/agents/{agent}/timers", {"name": "t", "schedule": schedule, **members})
        self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def timer(self, daemon, timer):
        return json_of(daemon.get(f"/v1/agents/{timer['agent_id']}/timers/{timer['id']}"))

    def fired(self, daemon, agent):
        """The instants that an agent was woken for, in order, whichever wakes they have become."""
        numbers = sorted(one["id"] for one in self.wakes(daemon, agent, limit=1000))
        return [one["key"] for number in numbers for one in self.signals(daemon, number) if one["kind"] == "timer"]


class SharedTimers(TimerCase, belfry.SharedCase):
    pass


class ATimer(SharedTimers):
    def test_wakes_its_agent_with_what_it_was_given(self):
        agent = self.agent(self.belfry)
        soon = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=58)
        schedule = {"kind": "every", "interval": "60s", "anchor": soon.isoformat()}
        timer = self.add(self.belfry, agent, schedule, input={"do": "it"}, priority=5)
        grant = self.claim_soon(self.belfry, agent)
        wake = grant["wake"]
        self.assertEqual((wake["reason"], wake["reason_id"], wake["timer_catchup"], wake["priority"]), ("timer", timer["id"], False, 5))
        first = grant["signals"][0]
        self.assertEqual((first["kind"], first["key"], first["rule"]), ("timer", timer["next_run_at"], timer["id"]))
        self.assertEqual(first["body"], {"timer_id": timer["id"], "name": "t", "scheduled_at": timer["next_run_at"],
                                         "timer_catchup": False, "input": {"do": "it"}})
        self.end(self.belfry, grant)
        shown = self.timer(self.belfry, timer)
        self.assertEqual(shown["last_scheduled_at"], timer["next_run_at"])
        self.assertEqual(instant(shown["next_run_at"]) - instant(timer["next_run_at"]), datetime.timedelta(seconds=60))

    def test_that_was_stopped_or_removed_fires_no_more_and_goes_on_from_now(self):
        agent = self.agent(self.belfry)
        timer = self.add(self.belfry, agent, {"kind": "every", "interval": "1s"})
        path = f"/v1/agents/{agent}/timers/{timer['id']}"
        self.end(self.belfry, self.claim_soon(self.belfry, agent))
        stopped = json_of(self.belfry.request("PATCH", path, {"active": False}))
        self.assertEqual((stopped["active"], stopped["next_run_at"], stopped["next"]), (False, None, []))
        before = self.fired(self.belfry, agent)
        witness = self.agent(self.belfry)
        self.add(self.belfry, witness, {"kind": "every", "interval": "1s"})
        eventually("another timer fires twice", lambda: len(self.fired(self.belfry, witness)) >= 2)
        self.assertEqual(self.fired(self.belfry, agent), before)
        goes_on = json_of(self.belfry.request("PATCH", path, {"active": True}))
        self.assertGreater(instant(goes_on["next_run_at"]), instant(goes_on["updated_at"]))
        eventually("it fires again", lambda: len(self.fired(self.belfry, agent)) > len(before))
        self.assertEqual(self.belfry.request("DELETE", path).status, 204)
        self.assert_problem(self.belfry.get(path), 404, "not_found", field="id")
        self.assert_problem(self.belfry.request("DELETE", path), 404, "not_found", field="id")

    def test_is_there_once_under_its_name(self):
        agent = self.agent(self.belfry)
        first = self.add(self.belfry, agent, {"kind": "daily", "time": "07:00"}, zone=BERLIN)
        self.assertEqual(self.add(self.belfry, agent, {"kind": "daily", "time": "07:00"}, 200, zone=BERLIN)["id"], first["id"])
        other = self.belfry.post(f"/v1/agents/{agent}/timers", {"name": "t", "schedule": {"kind": "daily", "time": "08:00"}})
        self.assert_problem(other, 409, "conflict", field="name")
        self.assertEqual(json_of(other)["reason"], "taken")
        self.assertEqual([one["id"] for one in json_of(self.belfry.get(f"/v1/agents/{agent}/timers"))["data"]], [first["id"]])

    def test_is_refused_with_its_reason(self):
        agent = self.agent(self.belfry)
        for schedule, field, says in (
                ({"kind": "cron", "cron": "0 25 * * *"}, "schedule.cron", "the hour is"),
                ({"kind": "cron", "cron": "0 0 30 2 *"}, "schedule.cron", "it never comes"),
                ({"kind": "daily", "time": "7"}, "schedule.time", "must be a time from 00:00 to 23:59"),
                ({"kind": "weekly", "days": ["someday"], "time": "07:00"}, "schedule.days", "must be weekdays"),
                ({"kind": "every", "interval": "0s"}, "schedule.interval", "must be a time from 1s to 3660d"),
                ({"kind": "at"}, "schedule.at", "must be given"),
                ({"kind": "at", "at": "2020-01-01T00:00:00Z"}, "schedule", "never comes after"),
                ({"kind": "soon"}, "schedule.kind", "must be cron, daily, weekly, every or at")):
            answer = self.belfry.post(f"/v1/agents/{agent}/timers", {"name": "t", "schedule": schedule})
            self.assert_problem(answer, 422, "invalid", field=field, says=says)
        zone = self.belfry.post(f"/v1/agents/{agent}/timers",
                                {"name": "t", "schedule": {"kind": "daily", "time": "07:00"}, "zone": "Europe/Berln"})
        self.assert_problem(zone, 422, "invalid", field="zone", says="Europe/Berlin?")
        self.assertEqual(json_of(self.belfry.get(f"/v1/agents/{agent}/timers"))["data"], [])

    def test_is_rehearsed_with_its_next_five_firings_and_stored_only_without_dry_run(self):
        agent = self.agent(self.belfry)
        shown = self.add(self.belfry, agent, {"kind": "weekly", "days": ["mon", "thu"], "time": "18:30"}, 200, zone=BERLIN, dry_run=True)
        self.assertIsNone(shown["id"])
        self.assertEqual({one["local"][11:16] for one in shown["next"]}, {"18:30"})
        self.assertEqual([instant(one["local"]).weekday() in (0, 3) for one in shown["next"]], [True] * 5)
        self.assertEqual(json_of(self.belfry.get(f"/v1/agents/{agent}/timers"))["data"], [])

    def test_keeps_its_wall_time_where_its_zone_changes(self):
        agent = self.agent(self.belfry)
        timer = self.add(self.belfry, agent, {"kind": "daily", "time": "07:00"}, zone=BERLIN)
        moved = json_of(self.belfry.request("PATCH", f"/v1/agents/{agent}/timers/{timer['id']}", {"zone": "America/New_York"}))
        for shown in (timer, moved):
            self.assertEqual({one["local"][11:19] for one in shown["next"]}, {"07:00:00"})
        self.assertNotEqual(timer["next"][0]["at"][11:], moved["next"][0]["at"][11:])
        self.assertEqual(moved["next_run_at"], moved["next"][0]["at"])

    def test_of_an_agent_that_is_kept_from_it_ends_with_why(self):
        sleeper = self.agent(self.belfry)
        self.add(self.belfry, sleeper, {"kind": "every", "interval": "1s"})
        self.belfry.request("PATCH", f"/v1/agents/{sleeper}", {"state": {"sleep_until": "2099-01-01T00:00:00Z"}})
        eventually("a wake that ended as sleeping",
                   lambda: [one for one in self.wakes(self.belfry, sleeper) if one["state"] == "sleeping" and one["reason"] == "timer"])
        talker = self.agent(self.belfry)
        timer = self.add(self.belfry, talker, {"kind": "every", "interval": "1s"})
        self.belfry.request("PATCH", f"/v1/agents/{talker}", {"mode": "interactive"})
        eventually("a wake that was refused", lambda: [one for one in self.wakes(self.belfry, talker) if one["state"] == "refused"])
        refused = self.belfry.post(f"/v1/agents/{talker}/timers", {"name": "u", "schedule": {"kind": "daily", "time": "07:00"}})
        self.assert_problem(refused, 409, "conflict", field="mode")
        for agent in (sleeper, talker):
            self.belfry.request("DELETE", f"/v1/agents/{agent}")
        stopped = self.timer(self.belfry, timer)
        self.assertEqual((stopped["active"], stopped["next_run_at"]), (False, None))
        gone = self.belfry.post(f"/v1/agents/{talker}/timers", {"name": "u", "schedule": {"kind": "daily", "time": "07:00"}})
        self.assert_problem(gone, 410, "gone", field="agent_id")

    def test_is_shown_with_its_agent_and_as_it_is_described(self):
        agent = self.agent(self.belfry)
        later = self.add(self.belfry, agent, {"kind": "every", "interval": "30d"}, name="later")
        sooner = self.add(self.belfry, agent, {"kind": "every", "interval": "1h"}, name="sooner")
        self.assertEqual(json_of(self.belfry.get(f"/v1/agents/{agent}"))["next_wake_at"], sooner["next_run_at"])
        page = json_of(self.belfry.get(f"/v1/agents/{agent}/timers?limit=1"))
        self.assertEqual(([one["id"] for one in page["data"]], page["has_more"]), ([sooner["id"]], True))
        rest = json_of(self.belfry.get(f"/v1/agents/{agent}/timers?after={page['next']}"))
        self.assertEqual(([one["id"] for one in rest["data"]], rest["has_more"]), ([later["id"]], False))
        schemas = schema.Schemas(json_of(self.belfry.get("/openapi.json")))
        for name, value in (("Timer", sooner), ("TimerList", page), ("TimerList", json_of(self.belfry.get("/v1/timers?user=ada"))),
                            ("Agent", json_of(self.belfry.get(f"/v1/agents/{agent}")))):
            self.assertEqual(schemas.named(name, value), [], name)

    def test_goes_with_its_user(self):
        user = unique("u")
        agent = self.agent(self.belfry, user_id=user)
        self.add(self.belfry, agent, {"kind": "every", "interval": "1h"})
        self.assertEqual(len(json_of(self.belfry.get(f"/v1/timers?user={user}"))["data"]), 1)
        asked = self.belfry.post("/v1/erasures", {"user_id": user})
        self.assertIn(asked.status, (200, 201, 202), asked.body)
        eventually("its timers are gone", lambda: json_of(self.belfry.get(f"/v1/timers?user={user}"))["data"] == [])


class ThePersonAtTheTerminal(SharedTimers):
    def test_adds_lists_and_removes(self):
        agent = self.agent(self.belfry)
        added = self.belfry.run("timer", "add", "--agent", agent, "--daily", "07:00", "--zone", BERLIN)
        self.assertEqual(added.code, OK, added.err)
        lines = added.out.splitlines()
        self.assertEqual(lines[0].split(), ["DAY", "LOCAL", "UTC", "NOTE"])
        self.assertEqual(len(lines), 6)
        for line in lines[1:]:
            self.assertRegex(line, r"^(mon|tue|wed|thu|fri|sat|sun)  \d{4}-\d\d-\d\dT07:00:00\+0[12]:00  \d{4}-\d\d-\d\dT0[56]:00:00Z")
        found = re.fullmatch(rf"timer (\S+) wakes {agent} every day at 07:00, in Europe/Berlin \(by --zone\)\n", added.err)
        self.assertIsNotNone(found, added.err)
        again = self.belfry.run("timer", "add", "--agent", agent, "--daily", "07:00", "--zone", BERLIN, "--json")
        timer = json.loads(again.out)
        self.assertEqual((timer["id"], timer["name"]), (found[1], f"daily 07:00 {BERLIN}"))
        self.assertIn(timer["next_run_at"], self.belfry.run("agent", "show", agent).out)
        listed = self.belfry.run("timer", "list", "--agent", agent)
        self.assertIn("every day at 07:00", listed.out)
        self.assertIn(timer["next"][0]["local"], listed.out)
        removed = self.belfry.run("timer", "remove", timer["name"], "--agent", agent)
        self.assertEqual((removed.code, timer["id"] in removed.err), (OK, True), removed.err)
        self.assertEqual(self.belfry.run("timer", "list", "--agent", agent, "--json").out, "")
        self.assertEqual(self.belfry.run("timer", "remove", timer["id"], "--agent", agent).code, FAILURE)

    def test_is_told_what_is_wrong_before_anything_is_asked_and_by_the_daemon(self):
        agent = self.agent(self.belfry)
        for typed, says in ((["--daily", "07:00"], "--agent is missing"), (["--agent", agent], "give exactly one of --cron"),
                            (["--agent", agent, "--cron", "0 25 * * *"], "--cron: the hour is \"25\""),
                            (["--agent", agent, "--daily", "07:00", "--from", "2026-01-01T00:00:00Z"], "what --every counts from"),
                            (["--agent", agent, "--every", "1h", "--zone", BERLIN], "--zone is of wall times"),
                            (["--agent", agent, "--every", "1h", "--input", "[]"], "--input must be a JSON object")):
            shown = self.belfry.run("timer", "add", *typed)
            self.assertEqual((shown.code, shown.out), (USAGE, ""), typed)
            self.assertIn(says, shown.err)
        nobody = self.belfry.run("timer", "add", "--agent", "nobody", "--every", "1h")
        self.assertIn("there is no such agent", nobody.err)
        zone = self.belfry.run("timer", "add", "--agent", agent, "--daily", "07:00", "--zone", "Mars")
        self.assertIn('there is no zone "Mars"', zone.err)

    def test_has_a_worker_that_the_clock_wakes(self):
        agent = self.agent(self.belfry)
        worker = self.work(self.belfry, agent, """
            echo "$BELFRY_REASON $BELFRY_RUN_KEY" >> ran
        """)
        self.assertEqual(self.belfry.run("timer", "add", "--agent", agent, "--every", "1s").code, OK)
        ran = worker.wait_for("ran", 2)
        self.assertLessEqual({line.split()[0] for line in ran}, {"timer", "recovery_catchup"})  # of a machine that stalls
        self.assertEqual(len({line.split()[1] for line in ran}), len(ran))


class AClockThatMoves(TimerCase, faults.Case):
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

    def go_to(self, daemon, text):
        """Time has gone on so far, and whatever was due by then was looked at: a timer of another agent has fired."""
        witness = self.agent(daemon)
        at = instant(text) - datetime.timedelta(microseconds=1)
        self.add(daemon, witness, {"kind": "at", "at": at.isoformat().replace("+00:00", "Z")})
        self.set_clock(text)
        self.emit(daemon)  # it looks at the clock
        eventually("the clock is looked at", lambda: self.fired(daemon, witness))

    def test_three_days_down_is_one_catch_up(self):
        daemon = self.begin_at("2027-05-03T12:00:00Z")
        agent = self.agent(daemon)
        timer = self.add(daemon, agent, {"kind": "daily", "time": "07:00"}, zone=BERLIN)
        self.assertEqual(timer["next_run_at"], "2027-05-04T05:00:00Z")
        daemon.kill()
        self.set_clock("2027-05-06T12:00:00Z")
        daemon.start()
        grant = self.claim_soon(daemon, agent)
        self.assertEqual((grant["wake"]["reason"], grant["wake"]["timer_catchup"]), ("recovery_catchup", True))
        self.assertEqual([(one["key"], one["body"]["timer_catchup"]) for one in grant["signals"]], [("2027-05-06T05:00:00Z", True)])
        self.end(daemon, grant)
        self.assertEqual(self.timer(daemon, timer)["next_run_at"], "2027-05-07T05:00:00Z")
        daemon.kill()
        daemon.start()
        self.go_to(daemon, "2027-05-07T05:00:01Z")
        self.assertEqual(self.fired(daemon, agent), ["2027-05-06T05:00:00Z", "2027-05-07T05:00:00Z"])
        self.assertEqual([one["timer_catchup"] for one in self.wakes(daemon, agent)], [False, True])

    def test_a_wall_time_in_the_gap_of_spring_fires_once_at_the_first_valid_instant(self):
        daemon = self.begin_at("2027-03-27T12:00:00Z")
        agent = self.agent(daemon)
        timer = self.add(daemon, agent, {"kind": "daily", "time": "02:30"}, zone=BERLIN)
        self.assertEqual([(one["at"], one["note"]) for one in timer["next"][:2]],
                         [("2027-03-28T01:00:00Z", "gap"), ("2027-03-29T00:30:00Z", None)])
        for text in ("2027-03-28T00:59:59Z", "2027-03-28T01:00:01Z", "2027-03-28T01:30:01Z", "2027-03-29T00:30:01Z"):
            self.go_to(daemon, text)
        self.assertEqual(self.fired(daemon, agent), ["2027-03-28T01:00:00Z", "2027-03-29T00:30:00Z"])

    def test_a_wall_time_that_comes_twice_in_autumn_fires_once(self):
        daemon = self.begin_at("2027-10-30T12:00:00Z")
        agent = self.agent(daemon)
        timer = self.add(daemon, agent, {"kind": "cron", "cron": "30 2 * * *"}, zone=BERLIN)
        self.assertEqual([(one["at"], one["note"]) for one in timer["next"][:2]],
                         [("2027-10-31T00:30:00Z", "repeated"), ("2027-11-01T01:30:00Z", None)])
        for text in ("2027-10-31T00:30:01Z", "2027-10-31T01:30:01Z", "2027-11-01T01:30:01Z"):
            self.go_to(daemon, text)
        self.assertEqual(self.fired(daemon, agent), ["2027-10-31T00:30:00Z", "2027-11-01T01:30:00Z"])

    def test_set_back_two_hours_fires_nothing_twice(self):
        daemon = self.begin_at("2027-05-04T04:59:00Z")
        agent = self.agent(daemon)
        self.add(daemon, agent, {"kind": "daily", "time": "07:00"}, zone=BERLIN)
        self.go_to(daemon, "2027-05-04T05:00:01Z")
        self.assertEqual(self.fired(daemon, agent), ["2027-05-04T05:00:00Z"])
        self.set_clock("2027-05-04T03:00:01Z")
        self.emit(daemon)
        daemon.kill()
        daemon.start()
        for text in ("2027-05-04T05:00:02Z", "2027-05-05T04:59:00Z"):
            self.go_to(daemon, text)
        self.assertEqual(self.fired(daemon, agent), ["2027-05-04T05:00:00Z"])
        self.go_to(daemon, "2027-05-05T05:00:01Z")
        self.assertEqual(self.fired(daemon, agent), ["2027-05-04T05:00:00Z", "2027-05-05T05:00:00Z"])

    @unittest.skipIf(belfry.STORE != "sqlite", "the embedded store only")
    def test_a_daemon_that_dies_at_any_write_of_a_firing_fires_once(self):
        daemon = self.begin_at("2027-05-04T04:00:00Z")
        agent = self.agent(daemon)
        hours = [f"2027-05-04T{hour:02}:00:00Z" for hour in range(5, 13)]
        self.add(daemon, agent, {"kind": "cron", "cron": "0 * * * *"}, zone="UTC")
        died = 0

        def has_fired_or_died(hour):
            try:
                return daemon.process.poll() is not None or hour in self.fired(daemon, agent)
            except (OSError, http.client.HTTPException):  # it dies
                return False

        for skip, hour in enumerate(hours):
            self.faults.arm("write", "-wal", skip=skip, times=1, error=signal.SIGKILL)
            self.set_clock(hour.replace(":00:00Z", ":00:01Z"))
            with contextlib.suppress(OSError, http.client.HTTPException):
                self.emit(daemon)
            eventually("it fires or dies", lambda hour=hour: has_fired_or_died(hour))
            died += daemon.process.poll() is not None
            self.faults.heal()
            daemon.kill()
            daemon.start()
            eventually("it has fired", lambda hour=hour: hour in self.fired(daemon, agent))
        self.assertEqual(self.fired(daemon, agent), hours)
        self.assertGreater(died, 0)


class ADaemonThatIsKilled(TimerCase):
    def test_at_any_moment_fires_each_instant_at_most_once_and_makes_up_for_the_rest_in_one(self):
        dice = random.Random(7)
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            timer = self.add(daemon, agent, {"kind": "every", "interval": "1s"})
            for _ in range(4):
                before = len(self.fired(daemon, agent))
                eventually("it fires", lambda: len(self.fired(daemon, agent)) > before)
                time.sleep(dice.random())  # where in its second it dies
                daemon.kill()
                last = time.time()
                eventually("two of its instants have passed", lambda: time.time() > last + 2.1)
                daemon.start()
                later = eventually("it fires again", lambda: [
                    one for wake in reversed(self.wakes(daemon, agent)) for one in self.signals(daemon, wake["id"])
                    if one["kind"] == "timer" and instant(one["key"]).timestamp() > last])
                self.assertTrue(later[0]["body"]["timer_catchup"], later)
                self.assertGreater(instant(later[0]["key"]).timestamp(), last + 1, "for the last of those that were missed")
            fired = self.fired(daemon, agent)
            self.assertEqual(sorted(set(fired)), fired)
            self.assertEqual(self.timer(daemon, timer)["last_scheduled_at"] in self.fired(daemon, agent), True)


if __name__ == "__main__":
    unittest.main()
