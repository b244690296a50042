"""Agents and what wakes them, over HTTP: windows, joining, folding, ends that say why, claims under a fence."""

import concurrent.futures
import contextlib
import datetime
import json
import threading
import time
import unittest

import belfry
import schema
from agents import AgentCase, instant
from belfry import eventually, json_of, unique

WINDOW_MS = 4000


class SharedAgents(AgentCase, belfry.SharedCase):
    pass


class AnAgent(SharedAgents):
    def test_has_all_its_members_and_is_made_once(self):
        name = unique("a")
        wish = {"id": name, "user_id": "ada", "kind": "gym_coach", "display_name": "Coach", "mode": "autonomous",
                "allowed_category_ids": ["gym", "diet", "gym"], "capabilities": ["plan"],
                "config": {"model_id": "m", "extension": {"acme.colour": "red"}},
                "workflow": {"kind": "worker", "settings": {"a": 1}}}
        made = self.belfry.post("/v1/agents", wish)
        self.assertEqual(made.status, 201, made.body)
        agent = json_of(made)
        self.assertEqual((agent["lifecycle"], agent["mode"], agent["allowed_category_ids"]), ("created", "autonomous", ["diet", "gym"]))
        self.assertEqual(agent["config"], {"schema_version": 1, "model_id": "m", "prompt_id": None, "extension": {"acme.colour": "red"}})
        self.assertEqual(self.belfry.post("/v1/agents", wish).status, 200)
        self.assert_problem(self.belfry.post("/v1/agents", {**wish, "mode": "hybrid"}), 409, "conflict", field="id")
        self.assertEqual(json_of(self.belfry.get(f"/v1/agents/{name}")), agent)
        self.assertIn(name, [one["id"] for one in json_of(self.belfry.get("/v1/agents?user=ada&limit=1000"))["data"]])

    def test_refuses_what_breaks_a_rule_and_names_the_field(self):
        for wish, field in (({"id": "x", "mode": "lazy"}, "mode"), ({"id": "x", "config": {"extension": {"colour": 1}}}, "config.extension"),
                            ({"id": "x", "workflow": {"kind": "magic"}}, "workflow.kind"), ({"id": "x", "strange": 1}, "strange"),
                            ({}, "id")):
            self.assert_problem(self.belfry.post("/v1/agents", wish), 422, "invalid", field=field)
        agent = self.agent(self.belfry)
        for rule, field in (({"types": ["no type"]}, "types"), ({}, "types"), ({"types": ["a.b"], "window_ms": -1}, "window_ms"),
                            ({"types": ["a.b"], "predicate": "payload.x =="}, "predicate")):
            self.assert_problem(self.belfry.post(f"/v1/agents/{agent}/subscriptions", rule), 422, "invalid", field=field)

    def test_changes_what_is_named_under_a_guard(self):
        agent = self.agent(self.belfry)
        path = f"/v1/agents/{agent}"
        changed = json_of(self.belfry.request("PATCH", path, {
            "display_name": "New", "state": {"revision": 1, "slots": {"primary_goal": "rest", "preferences": {"tone": "dry"}}}}))
        self.assertEqual((changed["display_name"], changed["state"]["slots"]["primary_goal"]), ("New", "rest"))
        stale = self.belfry.request("PATCH", path, {"state": {"revision": 1, "sleep_until": None}})
        self.assert_problem(stale, 409, "conflict", field="revision")
        self.assertEqual(json_of(stale)["reason"], "stale_revision")

    def test_has_each_rule_once(self):
        agent = self.agent(self.belfry)
        first = self.subscribe(self.belfry, agent, "ci.*")
        self.assertEqual(self.subscribe(self.belfry, agent, "ci.*")["id"], first["id"])
        self.assertEqual(first["window_ms"], 120000)
        other = self.subscribe(self.belfry, agent, "ci.*", window_ms=0)
        path = f"/v1/agents/{agent}/subscriptions"
        self.assertEqual({one["id"] for one in json_of(self.belfry.get(path))["data"]}, {first["id"], other["id"]})
        self.assertEqual(self.belfry.request("DELETE", f"{path}/{first['id']}").status, 204)
        self.assertEqual(self.belfry.request("DELETE", f"{path}/{first['id']}").status, 404)

    def test_is_described_as_it_answers(self):
        agent = self.agent(self.belfry)
        self.subscribe(self.belfry, agent, "desc.*", window_ms=0)
        self.emit(self.belfry, "desc.a", payload={"n": 1})
        grant = self.claim_soon(self.belfry, agent)
        self.end(self.belfry, grant, result={"ok": True})
        schemas = schema.Schemas(json_of(self.belfry.get("/openapi.json")))
        wake = grant["wake"]["id"]
        for name, value in (("WakeGrant", grant), ("Agent", json_of(self.belfry.get(f"/v1/agents/{agent}"))),
                            ("WakeSubscriptionList", json_of(self.belfry.get(f"/v1/agents/{agent}/subscriptions"))),
                            ("Wake", self.wake(self.belfry, wake)), ("WakeList", json_of(self.belfry.get("/v1/wakes"))),
                            ("WakeSignalList", json_of(self.belfry.get(f"/v1/wakes/{wake}/signals"))),
                            ("AgentList", json_of(self.belfry.get("/v1/agents")))):
            self.assertEqual(schemas.named(name, value), [], name)
        for entry in self.belfry.entries("agent:ada"):
            if entry["event"]["type"] == "wake":
                self.assertEqual(schemas.named("WakeNews", entry["event"]), [])


class AWake(SharedAgents):
    def test_waits_out_its_window_with_what_joins_it_and_never_longer(self):
        agent = self.agent(self.belfry)
        kind = unique("w") + ".x"
        self.subscribe(self.belfry, agent, kind, window_ms=WINDOW_MS)
        for number in range(3):
            self.emit(self.belfry, kind, payload={"n": number})
        queued = self.wakes(self.belfry, agent)
        self.assertEqual([(one["state"], one["signals"]) for one in queued], [("queued", 3)])
        self.assertEqual(instant(queued[0]["due_at"]) - instant(queued[0]["created_at"]), datetime.timedelta(milliseconds=WINDOW_MS))
        grant = self.claim_soon(self.belfry, agent)
        self.assertGreaterEqual(instant(grant["wake"]["started_at"]), instant(queued[0]["due_at"]))
        self.assertEqual([one["body"]["payload"]["n"] for one in grant["signals"]], [0, 1, 2])
        self.emit(self.belfry, kind, payload={"n": 3})
        later = [one for one in self.wakes(self.belfry, agent, open="true") if one["state"] == "queued"]
        self.assertEqual([one["signals"] for one in later], [1], "what comes in mid-run is a wake of its own")
        self.assertEqual(self.end(self.belfry, grant)["state"], "completed")
        again = self.claim_soon(self.belfry, agent)
        self.assertEqual([one["body"]["payload"]["n"] for one in again["signals"]], [3])
        self.end(self.belfry, again)

    def test_by_hand_is_at_once_and_takes_along_what_waits(self):
        agent = self.agent(self.belfry)
        kind = unique("w") + ".x"
        self.subscribe(self.belfry, agent, kind)
        self.emit(self.belfry, kind, payload={"n": 1})
        waiting = self.wakes(self.belfry, agent)[0]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            waiter = pool.submit(self.wake, self.belfry, waiting["id"], 30)
            made = self.wake_now(self.belfry, agent, request_id="r1", input={"why": "now"})
            told = waiter.result()
        self.assertEqual((told["state"], told["coalesced_into"]), ("coalesced", made["id"]))
        self.assertEqual(self.wake_now(self.belfry, agent, status=200, request_id="r1")["id"], made["id"], "the same request wakes once")
        grant = self.claim(self.belfry, agent)
        self.assertEqual((grant["wake"]["id"], grant["wake"]["input"]), (made["id"], {"why": "now"}))
        self.assertEqual([one["kind"] for one in grant["signals"]], ["manual", "event"])
        self.end(self.belfry, grant)
        self.assertIsNone(self.claim(self.belfry, agent))

    def test_of_immediate_subscriptions_is_one_for_a_batch_that_hits_two(self):
        agent = self.agent(self.belfry)
        kind = unique("w")
        self.subscribe(self.belfry, agent, kind + ".*", window_ms=0)
        self.subscribe(self.belfry, agent, kind + ".x", window_ms=0)
        self.emit(self.belfry, kind + ".x")
        grant = self.claim_soon(self.belfry, agent)
        self.assertEqual(grant["wake"]["signals"], 2)
        self.end(self.belfry, grant)
        self.assertIsNone(self.claim(self.belfry, agent))
        self.assertEqual(len(self.wakes(self.belfry, agent)), 1)

    def test_asks_its_predicate_its_severity_and_its_source(self):
        agent = self.agent(self.belfry)
        kind = unique("w") + ".x"
        self.subscribe(self.belfry, agent, kind, window_ms=0, severity="error", sources=["ci"], predicate='payload.branch == "main"')
        good = {"severity": "error", "source": "ci", "payload": {"branch": "main"}}
        for change in ({"severity": "warning"}, {"source": "cd"}, {"payload": {"branch": "dev"}}, {"user_id": "bob"}, {"agent_id": agent}):
            self.emit(self.belfry, kind, **{**good, **change})
        self.assertEqual(self.wakes(self.belfry, agent), [])
        self.emit(self.belfry, kind, **good)
        self.assertEqual(len(self.wakes(self.belfry, agent)), 1)

    def test_ends_with_what_its_agent_was(self):
        sleeping = self.agent(self.belfry)
        until = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)).isoformat()
        self.belfry.request("PATCH", f"/v1/agents/{sleeping}", {"state": {"sleep_until": until}})
        self.assertEqual(self.wake_now(self.belfry, sleeping)["state"], "sleeping")
        dormant = self.agent(self.belfry)
        self.belfry.request("PATCH", f"/v1/agents/{dormant}", {"dormant": True})
        self.assertEqual(self.wake_now(self.belfry, dormant)["state"], "dormant")
        self.belfry.request("PATCH", f"/v1/agents/{dormant}", {"dormant": False})
        self.assertEqual(self.wake_now(self.belfry, dormant)["state"], "queued")
        autonomous = self.agent(self.belfry, mode="autonomous")
        refused = self.belfry.post(f"/v1/agents/{autonomous}/wake", {"reason": "user_initiated", "session_id": "s", "turn_id": "1"})
        self.assert_problem(refused, 409, "conflict", field="mode")
        interactive = self.agent(self.belfry, mode="interactive")
        self.assert_problem(self.belfry.post(f"/v1/agents/{interactive}/subscriptions", {"types": ["a.b"]}), 409, "conflict", field="mode")
        persons = self.wake_now(self.belfry, interactive, reason="user_initiated", session_id=unique("s"), turn_id="1", input={"text": "hi"})
        self.assertEqual((persons["reason"], persons["state"]), ("user_initiated", "queued"))

    def test_of_an_agent_that_is_destroyed_in_mid_run_is_fenced(self):
        agent = self.agent(self.belfry)
        self.wake_now(self.belfry, agent)
        grant = self.claim(self.belfry, agent)
        self.assertEqual(json_of(self.belfry.request("DELETE", f"/v1/agents/{agent}"))["lifecycle"], "destroyed")
        self.assertEqual(self.wake(self.belfry, grant["wake"]["id"])["state"], "destroyed")
        self.assertEqual(self.end(self.belfry, grant, status=409)["reason"], "stale_claim")
        emitted = self.belfry.post(f"/v1/runs/{grant['wake']['run_id']}/events", {"event": "a.b"})
        self.assert_problem(emitted, 409, "conflict")
        self.assert_problem(self.belfry.post("/v1/wakes/claim", {"agents": [agent]}), 410, "gone", field="agents")
        self.assertEqual(json_of(self.belfry.get(f"/v1/agents/{agent}"))["lifecycle"], "destroyed")

    def test_that_fails_five_times_in_a_row_leaves_its_agent_dormant_and_its_person_told_once(self):
        user = unique("u")
        agent = self.agent(self.belfry, user_id=user)
        for number in range(5):
            self.wake_now(self.belfry, agent, request_id=f"r{number}")
            grant = self.claim(self.belfry, agent)
            failed = self.end(self.belfry, grant, error={"type": "boom", "message": "it broke"})
            pause = instant(failed["due_at"]) - instant(grant["wake"]["started_at"]) if failed["state"] == "queued" else None
            if number < 4:
                self.assertEqual(failed["state"], "queued")
                self.assertGreaterEqual(pause, datetime.timedelta(seconds=10 * 2 ** number), "the pause grows")
        self.assertEqual((failed["state"], failed["error"]["type"]), ("failed", "boom"))
        record = json_of(self.belfry.get(f"/v1/agents/{agent}"))
        self.assertEqual((record["lifecycle"], record["runtime"]["failure_streak"]), ("dormant", 5))
        self.assertEqual(self.wake_now(self.belfry, agent, request_id="r9")["state"], "dormant")
        told = eventually("the person is told", lambda: [
            one for one in json_of(self.belfry.get(f"/v1/inbox?user={user}"))["data"] if "rests now" in one["text"]])
        self.assertEqual(len(told), 1)

    def test_runs_one_at_a_time_for_an_agent_and_three_over_all(self):
        with self.daemon() as daemon:
            agents = [self.agent(daemon) for _ in range(4)]
            for agent in agents:
                self.wake_now(daemon, agent, request_id="1")
                self.wake_now(daemon, agent, request_id="2")
            grants = [self.claim(daemon, agent) for agent in agents]
            self.assertEqual([grant is not None for grant in grants], [True, True, True, False])
            self.assertIsNone(self.claim(daemon, agents[0]), "its second waits for the first")
            with concurrent.futures.ThreadPoolExecutor() as pool:
                waiter = pool.submit(self.claim_soon, daemon, agents[3])
                self.end(daemon, grants[0])
                self.assertEqual(waiter.result()["agent"]["id"], agents[3], "a place is free, and whoever waits is told")

    def test_is_cancelled_with_its_run_and_by_itself(self):
        agent = self.agent(self.belfry)
        self.wake_now(self.belfry, agent)
        grant = self.claim(self.belfry, agent)
        cancelled = json_of(self.belfry.post(f"/v1/wakes/{grant['wake']['id']}/cancel", {"reason": "enough"}))
        self.assertEqual(cancelled["state"], "cancelled")
        self.assertEqual(json_of(self.belfry.get(f"/v1/runs/{grant['wake']['run_id']}"))["state"], "cancelled")
        self.assertEqual(json_of(self.belfry.post(f"/v1/wakes/{grant['wake']['id']}/cancel", {}))["reason"], "ended")
        self.wake_now(self.belfry, agent)
        second = self.claim(self.belfry, agent)
        self.belfry.post(f"/v1/runs/{second['wake']['run_id']}/cancel", {})
        self.assertEqual(self.wake(self.belfry, second["wake"]["id"], 30)["state"], "cancelled")


class AClaim(SharedAgents):
    def test_waits_for_something_to_do(self):
        agent = self.agent(self.belfry, user_id=unique("u"))
        with concurrent.futures.ThreadPoolExecutor() as pool:
            waiter = pool.submit(self.claim_soon, self.belfry, agent)
            made = self.wake_now(self.belfry, agent)
            self.assertEqual(waiter.result()["wake"]["id"], made["id"])

    def test_that_finds_nothing_ends_with_204_after_its_wait(self):
        agent = self.agent(self.belfry)
        begun = time.monotonic()
        self.assertIsNone(self.claim(self.belfry, agent, wait_s=1))
        self.assertGreaterEqual(time.monotonic() - begun, 1)

    def test_of_many_gives_each_wake_to_one(self):
        agents = [self.agent(self.belfry) for _ in range(3)]
        grants = []

        def work():
            while len(grants) < len(agents) and not is_over.is_set():
                grant = self.claim(self.belfry, *agents, wait_s=1, lease_s=600)
                if grant:
                    grants.append(grant)

        is_over = threading.Event()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            waiters = [pool.submit(work) for _ in range(8)]
            try:
                made = [self.wake_now(self.belfry, agent)["id"] for agent in agents]
                eventually("all are given", lambda: len(grants) >= len(agents))
            finally:
                is_over.set()
            for waiter in waiters:
                waiter.result()
        self.assertEqual(sorted(grant["wake"]["id"] for grant in grants), sorted(made))
        for grant in grants:
            self.end(self.belfry, grant)

    def test_that_has_run_out_is_stale_and_the_wake_runs_again_under_its_key(self):
        agent = self.agent(self.belfry)
        self.wake_now(self.belfry, agent)
        first = self.claim(self.belfry, agent, lease_s=1)
        again = self.claim_soon(self.belfry, agent, lease_s=60)
        self.assertEqual((again["wake"]["run_key"], again["wake"]["run_id"]), (first["wake"]["run_key"], first["wake"]["run_id"]))
        self.assertEqual((again["wake"]["fence"], again["wake"]["attempts"], again["wake"]["error"]["type"]), (2, 2, "lost"))
        self.assertEqual(self.end(self.belfry, first, status=409)["reason"], "stale_claim")
        renewed = self.belfry.post(f"/v1/wakes/{first['wake']['id']}/renew", {"fence": first["wake"]["fence"]})
        self.assertEqual(json_of(renewed)["reason"], "stale_claim")
        self.assertEqual(self.end(self.belfry, again)["state"], "completed")

    def test_of_a_worker_that_has_died_while_it_waited_takes_nothing(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            body = json.dumps({"agents": [agent], "wait_s": 60, "lease_s": 600}).encode()
            request = (b"POST /v1/wakes/claim HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer "
                       + daemon.admin_token.encode() + b"\r\nContent-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body)
            dead = daemon.raw()
            self.is_read(daemon, lambda: dead.sendall(request))
            dead.close()
            with contextlib.closing(daemon.connect()) as alone:
                eventually("all others have left", lambda: json_of(daemon.get("/v1/status", connection=alone))["connections"] == 1)
            made = self.wake_now(daemon, agent)
            granted = self.claim_soon(daemon, agent)["wake"]
            self.assertEqual((granted["id"], granted["attempts"]), (made["id"], 1))

    def test_that_is_released_was_none(self):
        agent = self.agent(self.belfry)
        made = self.wake_now(self.belfry, agent)
        for number in range(1, 8):
            grant = self.claim(self.belfry, agent)
            self.assertEqual((grant["wake"]["fence"], grant["wake"]["attempts"]), (number, 1))
            free = self.end(self.belfry, grant, release=True)
            self.assertEqual((free["state"], free["attempts"], free["error"], free["due_at"], free["started_at"], free["holder"]),
                             ("queued", 0, None, made["due_at"], None, None))
        now = json_of(self.belfry.get(f"/v1/agents/{agent}"))
        self.assertEqual((now["lifecycle"], now["runtime"]["failure_streak"], now["runtime"]["run_status"]), ("active", 0, "queued"))
        self.end(self.belfry, grant, status=409, release=True)
        grant = self.claim(self.belfry, agent)
        self.assertEqual(self.run_status(agent), "running")
        for more in ({"result": 1}, {"error": {"type": "t"}}, {"sleep_until": None}):
            answer = self.belfry.post(f"/v1/wakes/{made['id']}/end", {"fence": grant["wake"]["fence"], "release": True, **more})
            self.assert_problem(answer, 422, "invalid", field="release")
        self.assertEqual(self.end(self.belfry, grant)["attempts"], 1)
        self.assertEqual(self.run_status(agent), "idle")

    def run_status(self, agent):
        """The status in the record of the agent, which the list of agents repeats."""
        status = json_of(self.belfry.get(f"/v1/agents/{agent}"))["runtime"]["run_status"]
        listed = {one["id"]: one["runtime"]["run_status"] for one in json_of(self.belfry.get("/v1/agents?limit=200"))["data"]}
        self.assertEqual(listed[agent], status)
        return status
        told = [one["event"] for one in self.run_events(self.belfry, grant["wake"]["run_id"])]
        self.assertEqual(told.count("wake.released"), 7)

    def test_that_is_released_counts_what_failed_before_it(self):
        agent = self.agent(self.belfry)
        self.wake_now(self.belfry, agent)
        self.end(self.belfry, self.claim(self.belfry, agent), error={"type": "t"})
        free = self.end(self.belfry, self.claim_soon(self.belfry, agent), release=True)
        self.assertEqual((free["attempts"], free["error"]["type"]), (1, "t"))
        self.assertEqual(json_of(self.belfry.get(f"/v1/agents/{agent}"))["runtime"]["failure_streak"], 1)

    def test_finds_as_many_places_as_the_daemon_was_given(self):
        with self.daemon("--wakes-at-once", "1") as daemon:
            first, second = self.agent(daemon), self.agent(daemon)
            self.wake_now(daemon, first)
            self.wake_now(daemon, second)
            grant = self.claim(daemon, first)
            self.assertIsNone(self.claim(daemon, second))
            self.end(daemon, grant)
            self.end(daemon, self.claim(daemon, second))
        with self.daemon("--wakes-at-once", "5") as daemon:
            for one in [self.agent(daemon) for _ in range(5)]:
                self.wake_now(daemon, one)
                self.assertIsNotNone(self.claim(daemon, one))
            last = self.agent(daemon)
            self.wake_now(daemon, last)
            self.assertIsNone(self.claim(daemon, last))

    def test_that_runs_out_while_the_daemon_is_down_is_nobodys_failure(self):
        with self.daemon(start=False) as daemon:
            daemon.start()
            agent = self.agent(daemon)
            made = self.wake_now(daemon, agent)
            first = self.claim(daemon, agent, lease_s=1)
            daemon.kill()
            eventually("its lease is over", lambda: datetime.datetime.now(datetime.timezone.utc) > instant(first["wake"]["lease_until"]))
            daemon.start()
            again = self.claim_soon(daemon, agent)
            self.assertEqual((again["wake"]["id"], again["wake"]["run_key"], again["wake"]["fence"]), (made["id"], made["run_key"], 2))
            self.assertEqual(again["wake"]["error"]["type"], "down")
            self.assertEqual(again["agent"]["runtime"]["failure_streak"], 0)
            self.assertEqual(self.end(daemon, first, status=409)["reason"], "stale_claim")
            self.end(daemon, again)

    def test_hears_of_a_place_that_is_free_whoevers_wake_is_first_in_line(self):
        with self.daemon() as daemon:
            running = [self.agent(daemon) for _ in range(3)]
            first, theirs = self.agent(daemon), self.agent(daemon, user_id="bob")
            grants = []
            for one in running:
                self.wake_now(daemon, one)
                grants.append(self.claim(daemon, one))
            self.wake_now(daemon, first)  # nobody works for it
            made = self.wake_now(daemon, theirs)
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                waiting = pool.submit(lambda: self.claim(daemon, theirs, wait_s=20))
                # What it asks for at its beginning finds no place; then it waits.
                self.assertIsNone(self.claim(daemon, theirs, wait_s=1))
                self.assertFalse(waiting.done())
                self.end(daemon, grants[0])
                grant = waiting.result()
            self.assertEqual(grant and grant["wake"]["id"], made["id"])

    def test_ends_with_the_token_that_it_was_made_with(self):
        agent = self.agent(self.belfry)
        token, number = self.belfry.mint("agent", bounds={"users": ["ada"]})
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(lambda: self.belfry.post("/v1/wakes/claim", {"agents": [agent], "wait_s": 20}, token=token))
            self.assertIsNone(self.claim(self.belfry, agent, wait_s=1, token=token))
            self.belfry.request("DELETE", f"/v1/tokens/{number}")
            self.assertEqual(waiting.result().status, 401)
        wake = self.wake_now(self.belfry, agent)
        self.assertEqual(self.wake(self.belfry, wake["id"])["state"], "queued")

    def test_that_ends_takes_a_time_back_with_null(self):
        agent = self.agent(self.belfry)
        self.wake_now(self.belfry, agent)
        grant = self.claim(self.belfry, agent)
        wish = {"fence": 1, "state": {"next_wake_at": "2099-01-01T00:00:00Z"}}
        self.belfry.request("PATCH", f"/v1/wakes/{grant['wake']['id']}/state", wish)
        self.assertIsNotNone(json_of(self.belfry.get(f"/v1/agents/{agent}"))["state"]["next_wake_at"])
        self.end(self.belfry, grant, next_wake_at=None)
        self.assertIsNone(json_of(self.belfry.get(f"/v1/agents/{agent}"))["state"]["next_wake_at"])

    def test_that_is_renewed_stays(self):
        agent = self.agent(self.belfry)
        self.wake_now(self.belfry, agent)
        grant = self.claim(self.belfry, agent, lease_s=60)
        renewed = json_of(self.belfry.post(f"/v1/wakes/{grant['wake']['id']}/renew", {"fence": 1, "lease_s": 600}))
        self.assertGreaterEqual(instant(renewed["lease_until"]) - instant(grant["wake"]["lease_until"]), datetime.timedelta(seconds=540))
        self.end(self.belfry, grant)

    def test_needs_an_agent_that_is_there_and_a_worker_for_it(self):
        self.assert_problem(self.belfry.post("/v1/wakes/claim", {"agents": [unique("none")]}), 404, "not_found", field="agents")
        self.assert_problem(self.belfry.post("/v1/wakes/claim", {"agents": []}), 422, "invalid", field="agents")
        steps = [{"do": "say", "with": {"text": "x"}}]
        script = self.agent(self.belfry, workflow={"kind": "script", "settings": {"steps": steps}})  # Belfry does its work
        answer = self.belfry.post("/v1/wakes/claim", {"agents": [script]})
        self.assert_problem(answer, 409, "conflict", field="agents")
        self.assertEqual(json_of(answer)["reason"], "other_workflow")
        for wish, field in (({"lease_s": 601}, "lease_s"), ({"wait_s": 61}, "wait_s"), ({"lease_s": 0}, "lease_s")):
            self.assert_problem(self.belfry.post("/v1/wakes/claim", {"agents": ["a"], **wish}), 422, "invalid", field=field)

    def test_ends_its_waiting_when_the_daemon_stops(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            with concurrent.futures.ThreadPoolExecutor() as pool:
                waiters = []
                self.is_read(daemon, lambda: waiters.append(pool.submit(self.claim, daemon, agent, wait_s=60)))
                daemon.stop()
                self.assertIsNone(waiters[0].result())


class Others(SharedAgents):
    def test_see_nothing_of_a_users_agents(self):
        agent = self.agent(self.belfry)
        subscription = self.subscribe(self.belfry, agent, "a.b")
        wake = self.wake_now(self.belfry, agent)
        bob, _ = self.belfry.mint("user", user_id="bob")
        worker, _ = self.belfry.mint("agent", bounds={"users": ["bob"]})
        for token in (bob, worker):
            for path in (f"/v1/wakes/{wake['id']}", f"/v1/wakes/{wake['id']}/signals"):
                self.assertEqual(self.belfry.get(path, token=token).status, 404, path)
            self.assertEqual(json_of(self.belfry.get("/v1/wakes", token=token))["data"], [])
            self.assertEqual(self.belfry.get("/v1/wakes?user=ada", token=token).status, 403)
            for path, body in ((f"/v1/agents/{agent}/wake", {}), ("/v1/wakes/claim", {"agents": [agent]}),
                               (f"/v1/wakes/{wake['id']}/renew", {"fence": 1}), (f"/v1/wakes/{wake['id']}/end", {"fence": 1}),
                               (f"/v1/wakes/{wake['id']}/cancel", {})):
                self.assertEqual(self.belfry.post(path, body, token=token).status, 404, path)
        self.assertEqual(json_of(self.belfry.get("/v1/agents", token=bob))["data"], [])
        for method, path, body in (("GET", "", None), ("PATCH", "", {"dormant": True}), ("DELETE", "", None), ("GET", "/subscriptions", None),
                                   ("POST", "/subscriptions", {"types": ["a.b"]}), ("DELETE", f"/subscriptions/{subscription['id']}", None)):
            self.assertEqual(self.belfry.request(method, f"/v1/agents/{agent}{path}", body, token=bob).status, 404, (method, path))
        self.assertEqual(self.belfry.get(f"/v1/agents/{agent}", token=worker).status, 403)

    def test_do_not_speak_as_the_person_nor_in_anothers_session(self):
        agent = self.agent(self.belfry)
        theirs = unique("s")
        self.belfry.request("PUT", f"/v1/sessions/{theirs}", {"user_id": "bob"})
        ada, _ = self.belfry.mint("user", user_id="ada")
        worker, _ = self.belfry.mint("agent", bounds={"users": ["ada"]})
        turn = {"reason": "user_initiated", "session_id": unique("s"), "turn_id": "1"}
        path = f"/v1/agents/{agent}/wake"
        self.assertEqual(self.belfry.post(path, turn, token=worker).status, 403)
        self.assert_problem(self.belfry.post(path, {**turn, "session_id": theirs}, token=ada), 409, "conflict", field="session_id")
        self.assertEqual(self.belfry.post(path, turn, token=ada).status, 201)
        self.assertEqual(self.belfry.post(path, {}, token=worker).status, 201, "by hand a worker may")

    def test_that_are_bound_to_a_session_alone_neither_wake_nor_work(self):
        agent = self.agent(self.belfry)
        session = unique("s")
        bound, _ = self.belfry.mint("agent", bounds={"sessions": [session]})
        path = f"/v1/agents/{agent}/wake"
        self.assertEqual(self.belfry.post(path, {"session_id": session}, token=bound).status, 404, "the session is nobody's yet")
        made = self.wake_now(self.belfry, agent, session_id=session)
        grant = self.claim(self.belfry, agent)
        self.assertEqual(grant["wake"]["id"], made["id"])
        wake = f"/v1/wakes/{made['id']}"
        for method, what, body in (("POST", "/renew", {}), ("PATCH", "/state", {"state": {}}), ("POST", "/plan", {"actions": [{"tool_name": "t"}]}),
                                   ("POST", "/messages", {"messages": [{"kind": "thought", "content": "x"}]}), ("POST", "/end", {}),
                                   ("POST", "/end", {"release": True})):
            answer = self.belfry.request(method, wake + what, {"fence": 1, **body}, token=bound)
            self.assert_problem(answer, 404, "not_found", field="id")
        self.assertEqual(self.wake(self.belfry, made["id"])["state"], "running")
        self.end(self.belfry, grant)
        # In a session that is there and the agent's user's, such a token still wakes it.
        self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada"})
        self.assertEqual(self.belfry.post(path, {"session_id": session}, token=bound).status, 201)

    def test_that_are_bound_to_a_session_alone_do_not_say_whose_it_is(self):
        agent = self.agent(self.belfry)
        for role in ("agent", "service"):
            session = unique("s")
            path, wake = f"/v1/sessions/{session}", f"/v1/agents/{agent}/wake"
            bound, _ = self.belfry.mint(role, bounds={"sessions": [session]})
            event = belfry.event(user_id="ada", session_id=session)
            ways = [("PUT", path, {"user_id": "ada"}), ("POST", "/v1/events", event),
                    ("POST", "/v1/notifications", {"user_id": "ada", "session_id": session, "text": "t"}),
                    ("POST", "/v1/runs", {"user_id": "ada", "session_id": session})]
            for method, way, body in ways:
                self.assert_problem(self.belfry.request(method, way, body, token=bound), 403, "forbidden", field="user_id")
                self.assertEqual(self.belfry.get(path).status, 404, way)
                self.assertEqual(self.belfry.post(wake, {"session_id": session}, token=bound).status, 404, way)
            self.assertEqual(self.belfry.request("PUT", path, {"title": "t"}, token=bound).status, 200, "nobody's in particular")
            for method, way, body in ways[:3]:
                self.assert_problem(self.belfry.request(method, way, body, token=bound), 403, "forbidden", field="user_id")
            self.assertEqual(self.belfry.post(wake, {"session_id": session}, token=bound).status, 404)
            self.assertEqual(self.belfry.request("PUT", path, {"user_id": "ada"}).status, 200)
            self.assertEqual(self.belfry.post(wake, {"session_id": session}, token=bound).status, 201)
            for method, way, body in ways:
                self.assertLess(self.belfry.request(method, way, body, token=bound).status, 300, way)

    def test_that_only_emit_into_a_session_do_not_say_whose_it_is(self):
        event = belfry.event(type="nobody.listens", severity="error")  # it is told of nevertheless
        for way, words in (("/v1/events", event), ("/v1/notifications", {"text": "t"})):
            session = unique("s")
            path, body = f"/v1/sessions/{session}", {**words, "session_id": session}
            bound, _ = self.belfry.mint("emitter", bounds={"sessions": [session]})
            self.assert_problem(self.belfry.post(way, {**body, "user_id": "bob"}, token=bound), 403, "forbidden", field="user_id")
            self.assertEqual(self.belfry.get(path).status, 404, way)
            self.assertLess(self.belfry.post(way, body, token=bound).status, 300, "nobody's in particular")
            eventually("the session is there", lambda: self.belfry.get(path).status == 200)
            self.assertNotEqual(json_of(self.belfry.get(path))["user_id"], "bob", way)
            self.assert_problem(self.belfry.post(way, {**body, "user_id": "bob"}, token=bound), 403, "forbidden", field="user_id")

    def test_that_only_emit_into_a_session_go_on_once_somebody_has_said_whose_it_is(self):
        session = unique("s")
        bound, _ = self.belfry.mint("emitter", bounds={"sessions": [session]})
        self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": "bob"})
        for way, words in (("/v1/events", belfry.event()), ("/v1/notifications", {"text": "t"})):
            answer = self.belfry.post(way, {**words, "session_id": session, "user_id": "bob"}, token=bound)
            self.assertLess(answer.status, 300, answer.body)

    def test_that_are_bound_to_a_session_alone_wake_nobody_in_one_whose_user_is_a_guess(self):
        session = unique("s")
        bound, _ = self.belfry.mint("agent", bounds={"sessions": [session]})
        made = json_of(self.belfry.request("PUT", f"/v1/sessions/{session}", {"title": "t"}, token=bound))
        agent = self.agent(self.belfry, user_id=made["user_id"])
        self.assertEqual(self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": made["user_id"]}, token=bound).status, 200)
        self.assertEqual(self.belfry.post(f"/v1/agents/{agent}/wake", {"session_id": session}, token=bound).status, 404)

    def test_that_guess_a_request_are_not_told_of_its_wake(self):
        agent = self.agent(self.belfry)
        session = unique("s")
        self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada"})
        bound, _ = self.belfry.mint("agent", bounds={"sessions": [session]})
        self.wake_now(self.belfry, agent, request_id="r", input={"secret": 1})
        path = f"/v1/agents/{agent}/wake"
        answer = self.belfry.post(path, {"request_id": "r", "session_id": session}, token=bound)
        self.assert_problem(answer, 409, "conflict", field="request_id")
        self.assertEqual(json_of(answer)["reason"], "taken")
        mine = self.belfry.post(path, {"request_id": "r2", "session_id": session}, token=bound)
        again = self.belfry.post(path, {"request_id": "r2", "session_id": session}, token=bound)
        self.assertEqual((mine.status, again.status, json_of(again)["id"]), (201, 200, json_of(mine)["id"]))

    def test_that_have_no_claim_do_not_finish_its_run(self):
        agent = self.agent(self.belfry)
        self.wake_now(self.belfry, agent)
        grant = self.claim(self.belfry, agent)
        run = grant["wake"]["run_id"]
        for body in ({"state": "completed"}, {"state": "failed", "error": {"type": "t", "message": "m"}}):
            answer = self.belfry.post(f"/v1/runs/{run}/finish", body)
            self.assert_problem(answer, 409, "conflict")
            self.assertEqual(json_of(answer)["reason"], "claimed")
        self.assertEqual(self.end(self.belfry, grant, result={"n": 1})["state"], "completed")
        self.assertEqual(json_of(self.belfry.get(f"/v1/runs/{run}"))["result"], {"n": 1})

    def test_that_are_bound_to_the_user_wake_in_a_session_that_is_not_there(self):
        agent = self.agent(self.belfry)
        session = unique("s")
        bound, _ = self.belfry.mint("agent", bounds={"users": ["ada"], "sessions": [session]})
        self.assertEqual(self.belfry.post(f"/v1/agents/{agent}/wake", {"session_id": session}, token=bound).status, 201)

    def test_that_have_lost_their_session_keep_nobody_from_working(self):
        agent = self.agent(self.belfry)
        session = unique("s")
        self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada"})
        lost = self.wake_now(self.belfry, agent, reason="user_initiated", session_id=session, turn_id="1")
        self.belfry.request("DELETE", f"/v1/sessions/{session}")
        next_one = self.wake_now(self.belfry, agent)
        self.assertEqual(self.claim(self.belfry, agent)["wake"]["id"], next_one["id"])
        ended = self.wake(self.belfry, lost["id"])
        self.assertEqual((ended["state"], ended["error"]["type"]), ("failed", "cannot_run"))

    def test_that_are_bound_to_the_user_do_its_work(self):
        agent = self.agent(self.belfry)
        self.wake_now(self.belfry, agent)
        worker, _ = self.belfry.mint("agent", bounds={"users": ["ada"]})
        grant = self.claim(self.belfry, agent, token=worker)
        done = self.belfry.post(f"/v1/wakes/{grant['wake']['id']}/end", {"fence": 1, "result": [1]}, token=worker)
        self.assertEqual(json_of(done)["state"], "completed")
        self.assertEqual(json_of(self.belfry.get(f"/v1/runs/{grant['wake']['run_id']}", token=worker))["result"], [1])


if __name__ == "__main__":
    unittest.main()
