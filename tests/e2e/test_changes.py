"""Changes of records: recorded with the change, told in batches, and what wakes agents by their tokens."""

import os
import shutil
import time
import unittest

import belfry
import schema
from agents import AgentCase
from belfry import eventually, json_of, unique


class ChangeCase(AgentCase):
    def watch(self, daemon, agent, *tokens, window_ms=0, **members):
        answer = daemon.post(f"/v1/agents/{agent}/subscriptions", {"tokens": list(tokens), "window_ms": window_ms, **members})
        self.assertEqual(answer.status, 200, answer.body)
        return json_of(answer)

    def patch(self, daemon, agent, **members):
        answer = daemon.request("PATCH", f"/v1/agents/{agent}", members)
        self.assertEqual(answer.status, 200, answer.body)
        return json_of(answer)

    def set_goal(self, daemon, agent, goal):
        return self.patch(daemon, agent, state={"slots": {"primary_goal": goal}})

    def patch_own(self, daemon, grant, goal, status=200, token="admin"):
        wake = grant["wake"]
        answer = daemon.request("PATCH", f"/v1/wakes/{wake['id']}/state",
                                {"fence": wake["fence"], "state": {"slots": {"primary_goal": goal}}}, token=token)
        self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def batches(self, daemon, user="ada"):
        names = {one["name"] for one in json_of(daemon.get("/v1/streams?limit=1000"))["data"]}
        return [entry["event"] for entry in daemon.entries(f"changes:{user}")] if f"changes:{user}" in names else []

    def changes_of(self, daemon, record, user="ada"):
        return [change for batch in self.batches(daemon, user) for change in batch["changes"] if change["id"] == record]

    def told(self, daemon, record, count=1, user="ada"):
        return eventually(f"{count} changes of {record}", lambda: len(self.changes_of(daemon, record, user)) >= count
                          and self.changes_of(daemon, record, user))

    def settled_agent(self, daemon, **members):
        """One whose making is told already, so that it wakes nobody who comes later."""
        agent = self.agent(daemon, **members)
        self.told(daemon, agent, 2)
        return agent


class Changes(ChangeCase, belfry.SharedCase):
    def test_of_a_user_wake_who_watches_and_are_told(self):
        coach, pupil = self.settled_agent(self.belfry), self.settled_agent(self.belfry, kind="student")
        self.watch(self.belfry, coach, "key:agentChanged", predicate=f'agent.id == "{pupil}"')
        self.patch(self.belfry, pupil, display_name="Pip")
        grant = self.claim_soon(self.belfry, coach)
        self.assertEqual((grant["wake"]["reason"], [one["kind"] for one in grant["signals"]]), ("subscription", ["change"]))
        signal = grant["signals"][0]
        change = self.told(self.belfry, pupil, 3)[-1]
        self.assertEqual((change["kind"], change["origin"]), ("agent", "user"))
        self.assertEqual(change["tokens"], ["key:agentChanged", "sub:agent/student", f"id:{pupil}"])
        self.assertEqual(change["clock"], {change["host"]: change["counter"]})
        self.assertEqual(signal["body"]["changes"], [change])
        self.assertIn(signal["key"], [batch["batch_id"] for batch in self.batches(self.belfry)])
        self.end(self.belfry, grant)
        state = json_of(self.belfry.get(f"/v1/agents/{coach}"))["state"]
        self.assertGreaterEqual(state["processed_counter_by_host"][change["host"]], change["counter"])
        self.assertIsNone(self.claim(self.belfry, coach))

    def test_are_counted_without_a_gap(self):
        agent = self.settled_agent(self.belfry)
        for number in range(5):
            self.patch(self.belfry, agent, display_name=f"n{number}")
        self.told(self.belfry, agent, 7)
        counters = sorted(change["counter"] for batch in self.batches(self.belfry) for change in batch["changes"])
        self.assertEqual(counters, list(range(1, len(counters) + 1)))

    def test_of_the_agent_itself_do_not_wake_it_and_a_users_in_mid_run_does_once(self):
        coach = self.settled_agent(self.belfry)
        self.watch(self.belfry, coach, f"id:{coach}")
        self.set_goal(self.belfry, coach, "begin")
        grant = self.claim_soon(self.belfry, coach)
        self.patch_own(self.belfry, grant, "mine")
        own = lambda: [one for one in self.changes_of(self.belfry, coach) if one["tokens"] and one["origin"] == f"agent:{coach}"]
        eventually("its own change is told", own)
        self.assertEqual(self.wakes(self.belfry, coach, open="true")[0]["id"], grant["wake"]["id"], "nobody else is awake")
        self.set_goal(self.belfry, coach, "theirs")
        eventually("one more wake", lambda: len(self.wakes(self.belfry, coach, open="true")) == 2)
        self.patch_own(self.belfry, grant, "mine again")
        self.end(self.belfry, grant)
        again = self.claim_soon(self.belfry, coach)
        self.assertEqual([one["origin"] for one in again["signals"][0]["body"]["changes"]], ["user"])
        self.end(self.belfry, again)
        eventually("both of its own changes are told", lambda: len(own()) == 2)
        self.assertEqual(len(self.wakes(self.belfry, coach)), 2)
        self.assertEqual(self.patch_own(self.belfry, again, "late", status=409)["reason"], "stale_claim")

    def test_of_agents_that_watch_each_other_wake_three_times_and_no_more(self):
        coach, pupil = self.settled_agent(self.belfry), self.settled_agent(self.belfry)
        self.watch(self.belfry, coach, f"id:{pupil}")
        self.watch(self.belfry, pupil, f"id:{coach}")
        self.set_goal(self.belfry, pupil, "begin")
        for depth in range(4):
            grant = self.claim_soon(self.belfry, (coach, pupil)[depth % 2])
            self.assertEqual(grant["signals"][0]["body"].get("chain_depth", 0), depth)
            self.patch_own(self.belfry, grant, f"goal {depth}")
            self.end(self.belfry, grant)
        ended = eventually("the chain ends", lambda: self.wakes(self.belfry, coach, state="refused"))
        self.assertEqual([(one["error"]["type"], one["run_id"]) for one in ended], [("chain_too_long", None)])
        self.assertEqual([one["body"]["chain_depth"] for one in self.signals(self.belfry, ended[0]["id"])], [4])
        told = [entry["event"]["wake"]["state"] for entry in self.belfry.entries("agent:ada")
                if entry["event"]["type"] == "wake" and entry["event"]["wake"]["id"] == ended[0]["id"]]
        self.assertEqual(told, ["queued", "refused"])
        self.assertEqual((len(self.wakes(self.belfry, coach)), len(self.wakes(self.belfry, pupil))), (3, 2))

    def test_of_agents_whose_workers_emit_are_followed_through_events(self):
        kind = unique("k")
        coach, pupil = self.settled_agent(self.belfry), self.settled_agent(self.belfry)
        self.subscribe(self.belfry, coach, f"{kind}.coach", window_ms=0)
        self.subscribe(self.belfry, pupil, f"{kind}.pupil", window_ms=0)
        self.emit(self.belfry, f"{kind}.coach")
        for depth in range(4):
            agent, other = ((coach, "pupil"), (pupil, "coach"))[depth % 2]
            grant = self.claim_soon(self.belfry, agent)
            self.assertEqual(grant["signals"][0]["body"].get("chain_depth", 0), depth)
            by = {"agent_id": agent} if depth < 2 else {"run_id": grant["wake"]["run_id"]}
            self.emit(self.belfry, f"{kind}.{other}", **by)
            self.end(self.belfry, grant)
        ended = eventually("the chain ends", lambda: self.wakes(self.belfry, coach, state="refused"))
        self.assertEqual([one["error"]["type"] for one in ended], ["chain_too_long"])
        self.emit(self.belfry, f"{kind}.coach", agent_id=pupil)
        self.end(self.belfry, self.claim_soon(self.belfry, coach))

    def test_of_agents_that_notify_each_other_are_followed_through_notifications(self):
        agents, third = [self.settled_agent(self.belfry), self.settled_agent(self.belfry)], self.settled_agent(self.belfry)
        tokens = [self.belfry.mint("agent", bounds={"users": ["ada"]})[0] for _ in agents]

        def tell(agent, token="admin"):
            return json_of(self.belfry.post("/v1/notifications", {
                "user_id": "ada", "agent_id": agent, "text": "your turn",
                "routing": {"address": "user", "target": "agent", "handler": "agent"}}, token=token))
        last = tell(agents[0])
        for depth in range(3):
            agent, token = agents[depth % 2], tokens[depth % 2]
            self.assertEqual((last["depth"], last["handler"]), (depth, "agent"))
            grant = self.claim_soon(self.belfry, agent, token=token)
            self.assertEqual(grant["signals"][0]["body"].get("chain_depth", 0), depth)
            self.assertEqual(tell(third)["depth"], 0, "another's words")
            last = tell(agents[(depth + 1) % 2], token)
            self.assertEqual(self.belfry.post(f"/v1/wakes/{grant['wake']['id']}/cancel", {}).status, 200)
        self.assertEqual((last["depth"], last["handler"], last["target"]), (3, "system", "user"))

    def test_are_written_by_a_worker_with_a_token_of_an_agent(self):
        coach = self.settled_agent(self.belfry)
        token, _ = self.belfry.mint("agent", bounds={"users": ["ada"]})
        strange, _ = self.belfry.mint("agent", bounds={"users": ["bob"]})
        self.wake_now(self.belfry, coach)
        grant = self.claim(self.belfry, coach)
        self.patch_own(self.belfry, grant, "x", status=404, token=strange)
        agent = self.patch_own(self.belfry, grant, "x", token=token)
        self.assertEqual(agent["state"]["slots"]["primary_goal"], "x")
        self.assertEqual(self.belfry.get("/v1/streams/changes:ada?after=0", token=token).status, 403, "it has all categories")
        self.assertNotIn("changes:ada", self.belfry.get("/v1/streams?limit=1000", token=token).body.decode())
        self.assertEqual(self.belfry.get("/v1/streams/changes:ada?after=0", token=strange).status, 403)
        self.end(self.belfry, grant)

    def test_ask_the_predicate_about_what_was_changed(self):
        coach, pupil, other = (self.settled_agent(self.belfry) for _ in range(3))
        self.watch(self.belfry, coach, f"id:{pupil}", f"id:{other}", predicate='agent_state.slots.primary_goal == "run"')
        self.set_goal(self.belfry, pupil, "walk")
        self.patch(self.belfry, other, display_name="x")
        self.told(self.belfry, pupil, 3)
        self.told(self.belfry, other, 3)
        self.assertEqual(self.wakes(self.belfry, coach), [])
        self.set_goal(self.belfry, pupil, "run")
        self.end(self.belfry, self.claim_soon(self.belfry, coach))

    def test_of_what_an_agent_remembers_wake_who_watches_by_kind_and_pass_no_predicate(self):
        coach, sceptic, pupil = (self.settled_agent(self.belfry) for _ in range(3))
        self.watch(self.belfry, coach, "sub:agent_message/thought")
        self.watch(self.belfry, sceptic, "key:agentMessageAppended", predicate="agent.id != null")
        self.wake_now(self.belfry, pupil, input={"text": "look"})
        grant = self.claim_soon(self.belfry, pupil)
        wake = grant["wake"]
        answer = self.belfry.post(f"/v1/wakes/{wake['id']}/messages", {
            "fence": wake["fence"], "messages": [{"kind": kind, "content": "hm"} for kind in ("observation", "thought")]})
        seen, thought = json_of(answer)["data"]
        said = json_of(self.belfry.get(f"/v1/agents/{pupil}/messages"))["data"][-1]
        for message, kind, origin in ((said, "user", "user"), (seen, "observation", f"agent:{pupil}"), (thought, "thought", f"agent:{pupil}")):
            change = self.told(self.belfry, message["id"])[0]
            self.assertEqual((change["kind"], change["origin"]), ("agent_message", origin))
            self.assertEqual(change["tokens"], ["key:agentMessageAppended", f"sub:agent_message/{kind}", f"id:{message['id']}"])
        woken = self.claim_soon(self.belfry, coach)
        self.assertEqual([one["id"] for one in woken["signals"][0]["body"]["changes"]], [thought["id"]])
        self.assertEqual(self.wakes(self.belfry, sceptic), [], "what a predicate could ask, a message has not")
        for one in (woken, grant):
            self.end(self.belfry, one)

    def test_are_described_as_they_are_told(self):
        agent = self.settled_agent(self.belfry)
        schemas = schema.Schemas(json_of(self.belfry.get("/openapi.json")))
        self.assertTrue(self.changes_of(self.belfry, agent))
        for batch in self.batches(self.belfry):
            self.assertEqual(schemas.named("ChangeBatch", batch), [])

    def test_are_followed_as_any_stream_is(self):
        self.settled_agent(self.belfry)
        after = self.belfry.head("changes:ada")
        with self.belfry.sse(f"/v1/streams/changes:ada?after={after}") as reader:
            agent = self.agent(self.belfry)
            self.assertEqual(reader.entries(1)[0]["event"]["changes"][0]["id"], agent)

    def test_refuse_tokens_that_are_none(self):
        agent = self.agent(self.belfry)
        for tokens in (["agentChanged"], ["sub:student"], ["key:a/b"], []):
            answer = self.belfry.post(f"/v1/agents/{agent}/subscriptions", {"tokens": tokens})
            self.assert_problem(answer, 422, "invalid", field="tokens" if tokens else "types")

    def test_wake_from_the_command_line(self):
        coach, pupil = unique("a"), self.settled_agent(self.belfry)
        done = self.belfry.run("wake", "on", "--changed", f"id:{pupil}", "--agent", coach, "--user", "ada", "--immediate")
        self.assertEqual(done.code, 0, done.err)
        self.told(self.belfry, coach, 2)
        self.patch(self.belfry, pupil, display_name="x")
        self.end(self.belfry, self.claim_soon(self.belfry, coach))
        for words in (("ci.*", "--changed", "id:x"), ("--synced", "ci.*"), ("--changed", "id:x", "--source", "s"), ()):
            self.assertEqual(self.belfry.run("wake", "on", *words, "--agent", coach).code, 2, words)
        self.assertEqual(self.belfry.run("wake", "off", "--changed", f"id:{pupil}", "--agent", coach).code, 0)
        self.assertEqual(json_of(self.belfry.get(f"/v1/agents/{coach}/subscriptions"))["data"], [])


class ADaemon(ChangeCase):
    def test_that_is_killed_between_change_and_batch_tells_it_once(self):
        with self.daemon() as daemon:
            coach, pupil = self.settled_agent(daemon), self.settled_agent(daemon)
            self.watch(daemon, coach, f"id:{pupil}")
            for pause in (0, 0, 0.05, 0.1, 0.15):
                before = len(self.changes_of(daemon, pupil))
                self.patch(daemon, pupil, display_name=unique("n"))
                time.sleep(pause)  # no waiting for anything: the moment of the kill is what is varied
                daemon.kill()
                daemon.start()
                self.told(daemon, pupil, before + 1)
                grant = self.claim_soon(daemon, coach)
                self.assertEqual(len(grant["signals"]), 1)
                self.end(daemon, grant)
                self.assertIsNone(self.claim(daemon, coach))
                self.assertEqual(len(self.changes_of(daemon, pupil)), before + 1)
            wakes = self.wakes(daemon, coach)
            self.assertEqual({one["state"] for one in wakes}, {"completed"})
            self.assertEqual(len({one["run_key"] for one in wakes}), 5)


@belfry.sqlite_only
class AHost(ChangeCase):
    def hosts(self, daemon, agent, count):
        return [change["host"] for change in self.told(daemon, agent, count)]

    def test_is_the_same_after_a_start_and_another_in_a_copy_and_after_a_restore(self):
        daemon = self.daemon()
        agent = self.agent(daemon)
        first = self.hosts(daemon, agent, 2)[0]
        daemon.stop()
        daemon.start()
        self.patch(daemon, agent, display_name="again")
        self.assertEqual(set(self.hosts(daemon, agent, 3)), {first})
        backup = os.path.join(daemon.folder, "copy.db")
        self.assertEqual(daemon.run("backup", backup).code, 0)
        daemon.stop()
        copied = self.daemon(start=False)
        shutil.copytree(daemon.data, copied.data, dirs_exist_ok=True)
        for other, how in ((copied, "copied"), (daemon, "restored")):
            with self.subTest(how):
                if how == "restored":
                    self.assertEqual(other.run("restore", backup).code, 0)
                other.start()
                self.patch(other, agent, display_name=how)
                change = self.told(other, agent, 4)[-1]
                self.assertNotEqual(change["host"], first)
                self.assertEqual(change["host"].split(".")[0], first.split(".")[0], "the device, in another life")
                self.assertEqual((change["counter"], change["clock"][first] > 0), (1, True))
        self.assertNotEqual(self.told(copied, agent, 4)[-1]["host"], self.told(daemon, agent, 4)[-1]["host"])


if __name__ == "__main__":
    unittest.main()
