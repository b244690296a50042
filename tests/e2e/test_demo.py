"""What a newcomer sees: `belfry demo` leaves something on every page of the web app, and nothing twice when it is played again."""

import json
import os
import subprocess
import unittest

import belfry
from belfry import eventually, json_of

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../demo/7-journal.jsonl")
PAGES = {"inbox": "/v1/inbox?limit=1000", "conversation": "/v1/sessions", "agents": "/v1/agents", "wakes": "/v1/wakes", "timers": "/v1/timers",
         "runs": "/v1/runs", "ledger": "/v1/notifications", "subscribers": "/v1/subscribers", "tasks": "/v1/journal/tasks",
         "day plan": "/v1/journal/day_plans", "time": "/v1/journal/time_entries", "journal": "/v1/journal/entries"}


class Demo(belfry.Case):
    def play(self, daemon, *options):
        return subprocess.Popen([belfry.BINARY, "demo", "--url", f"http://127.0.0.1:{daemon.port}", "--token", daemon.admin_token, *options],
                                env=belfry.clean_environment(TZ="Europe/Berlin"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self, playing):
        playing.kill()
        playing.communicate()

    def assert_went_well(self, playing):
        out, err = playing.communicate(timeout=belfry.PATIENCE)
        self.assertEqual((playing.returncode, out, len(err.splitlines())), (0, "", 1), err)

    def told(self, daemon):
        listed = json_of(daemon.get("/v1/notifications?limit=1000"))["data"]
        return [one["text"] for one in listed if one.get("agent_id") == "demo-coach"]

    def journal(self, daemon):
        return sorted(daemon.get("/v1/journal/export?limit=1000").body.decode().splitlines())

    def test_shows_something_on_every_page_and_nothing_twice(self):
        daemon = self.daemon()
        first = self.play(daemon)
        self.addCleanup(self.end, first)
        said = eventually("the coach has spoken", lambda: self.told(daemon))
        self.assertEqual(said, ["Task coach: Well done! “water the plants” is off the list. What comes next?"])
        with open(SCENE, encoding="utf-8") as file:
            wanted = {json.loads(line)["body"].get("id") for line in file if '"POST /v1/journal/' in line} - {None}
        there = {json.loads(line).get("id") for line in self.journal(daemon)}
        self.assertGreater(len(wanted), 15)
        self.assertEqual(wanted - there, set(), "all of the scene was taken")
        task = json_of(daemon.get("/v1/journal/tasks/demo-call-the-dentist"))
        daemon.request("PATCH", "/v1/journal/tasks/demo-call-the-dentist", {"title": "Call the new dentist", "revision": task["revision"]})
        daemon.request("DELETE", "/v1/journal/tasks/demo-write-the-report")
        before = self.journal(daemon)
        second = self.play(daemon)
        self.addCleanup(self.end, second)
        self.assert_went_well(first)
        self.assert_went_well(second)
        self.assertEqual(self.journal(daemon), before, "what the person has changed and deleted stays so")
        self.assertEqual(self.told(daemon), said)
        for path, count in (("/v1/agents", 1), ("/v1/timers", 1), ("/v1/agents/demo-coach/subscriptions", 1), ("/v1/wakes?agent=demo-coach", 1)):
            self.assertEqual(len(json_of(daemon.get(path))["data"]), count, path)
        for page, path in PAGES.items():
            self.assertTrue(json_of(daemon.get(path))["data"], page)

    def test_plans_the_day_by_the_clock_on_the_wall(self):
        daemon = self.daemon()
        playing = self.play(daemon)
        self.addCleanup(self.end, playing)
        plan = eventually("a plan", lambda: json_of(daemon.get("/v1/journal/day_plans"))["data"])[0]
        shown = belfry.run("plan", "show", plan["plan_date"], "--zone", "Europe/Berlin", "--url", f"http://127.0.0.1:{daemon.port}", "--token", daemon.admin_token)
        self.assertIn("09:00", shown.out, shown.err)
        timer = eventually("a timer", lambda: json_of(daemon.get("/v1/timers"))["data"])[0]
        self.assertEqual((timer["schedule"], timer["zone"]), ({"kind": "daily", "time": "18:00"}, "Europe/Berlin"))

    def test_leaves_out_the_journal_where_it_is_switched_off(self):
        daemon = self.daemon("--no-journal")
        playing = self.play(daemon)
        self.addCleanup(self.end, playing)
        self.assert_went_well(playing)
        self.assertEqual([one["id"] for one in json_of(daemon.get("/v1/agents"))["data"]], ["demo-coach"])


if __name__ == "__main__":
    unittest.main()
