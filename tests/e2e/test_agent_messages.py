"""What agents remember, and the plans by which they act: through the real binary, with workers that are killed on the way."""

import json
import os
import unittest
import uuid

import belfry
from agents import AgentCase
from belfry import eventually, json_of, traces_of, unique

CLIENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../clients/python")

# Stores its plan, does each action that has no result yet, and tells of it. At the second it waits to be killed: before the effect, when
# it has told of the action, or after the effect and before anybody knows of it. The tool mails once under one operation, as tools should.
PLANNER = """
cat > worker.py <<'PY'
import json, os, sys, time
from belfry import Client
grant = json.load(sys.stdin)
wake = grant["wake"]
client = Client()
rounds = grant["plans"] or [client.store_plan(wake, [{"tool_name": "mail", "arguments": {"to": name}} for name in ("ada", "bob", "cy")])]
open("rounds", "a").write(f"{len(grant['plans'])}\\n")
def stop():
    open("stopped", "a").write("here\\n")
    time.sleep(600)
def mail(to, key):
    open("asked", "a").write(f"{to}\\n")
    try:
        open(os.path.join(os.environ["OUTBOX"], key), "x").write(to)
    except FileExistsError:
        pass
for action in rounds[0]["actions"]:
    if action["result"] is not None:
        continue
    stops = os.environ.get("STOP") if action["ordinal"] == 2 else None
    if stops == "before":
        client.append_agent_messages(wake, {"kind": "action", "content": action["arguments"], "action": {
            "action_type": "tool_call", "tool_name": "mail", "operation_id": action["operation_id"]}})
        stop()
    mail(action["arguments"]["to"], action["operation_id"])
    if stops == "after":
        stop()
    client.append_agent_messages(wake, {"kind": "tool_result", "tool_result": {
        "operation_id": action["operation_id"], "status": "success", "changed_entity_ids": [action["arguments"]["to"]]}})
open("done", "a").write("done\\n")
PY
exec python3 worker.py
"""


class MessageCase(AgentCase):
    def append(self, daemon, grant, *messages, status=201, token="admin"):
        wake = grant["wake"]
        answer = daemon.post(f"/v1/wakes/{wake['id']}/messages", {"fence": wake["fence"], "messages": list(messages)}, token=token)
        self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def plan(self, daemon, grant, *tools, status=201, **members):
        wake = grant["wake"]
        answer = daemon.post(f"/v1/wakes/{wake['id']}/plan",
                             {"fence": wake["fence"], "actions": [{"tool_name": tool} for tool in tools], **members})
        self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def messages(self, daemon, agent, query="", token="admin"):
        answer = daemon.get(f"/v1/agents/{agent}/messages{query}", token=token)
        self.assertEqual(answer.status, 200, answer.body)
        return json_of(answer)

    def planner(self, daemon, agent, *options, **environment):
        token, _ = daemon.mint("agent", bounds={"users": ["ada"]})
        return self.work(daemon, agent, PLANNER, "--url", f"http://127.0.0.1:{daemon.port}", "--token", token, *options,
                         environment={"PYTHONPATH": CLIENT, "PYTHONDONTWRITEBYTECODE": "1", **environment})


class AMemory(MessageCase):
    def test_is_what_a_worker_tells_newest_first_and_survives_a_kill(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon, allowed_category_ids=["gym"])
            self.wake_now(daemon, agent, input={"text": "look"}, request_id="r")
            grant = self.claim_soon(daemon, agent, context_messages=10)
            self.assertEqual([(one["kind"], one["content"]) for one in grant["messages"]], [("user", {"text": "look"})])
            self.assertEqual(grant["plans"], [])
            said = self.append(daemon, grant, {"kind": "thought", "content": "hm", "metadata": {"extension": {"acme.mood": "calm"}}},
                               {"kind": "action", "content": {"to": "ada"}, "action": {"action_type": "tool_call", "tool_name": "mail", "operation_id": "op"}},
                               {"kind": "tool_result", "tool_result": {"operation_id": "op", "status": "success", "changed_entity_ids": ["task-1"], "changed_tokens": ["id:task-1"]}})
            self.assertEqual(said["added"], 3)
            daemon.kill()
            daemon.start()
            page = self.messages(daemon, agent, "?limit=3")
            self.assertEqual([one["kind"] for one in page["data"]], ["tool_result", "action", "thought"])
            result, action, thought = page["data"]
            self.assertEqual((result["prev_message_id"], result["tool_result"]["action_ref_id"]), (action["id"], action["id"]))
            self.assertEqual((action["action"]["scope_snapshot"], len(action["action"]["arguments_hash"])), (["gym"], 64))
            self.assertEqual(thought["metadata"]["extension"], {"acme.mood": "calm"})
            rest = self.messages(daemon, agent, f"?limit=3&after={page['next']}")
            self.assertEqual(([one["kind"] for one in rest["data"]], rest["has_more"]), (["user"], False))
            self.assertEqual(thought["prev_message_id"], rest["data"][0]["id"])
            self.assertEqual(json_of(daemon.get(f"/v1/agents/{agent}"))["state"]["recent_head_message_id"], result["id"])
            self.assertEqual([one["id"] for one in self.messages(daemon, agent, "?changed=task-1")["data"]], [result["id"]])
            self.assertEqual(self.messages(daemon, agent, "?thread=other")["data"], [])
            shown = daemon.run("agent", "messages", agent)
            self.assertEqual(shown.code, 0, shown.err)
            self.assertEqual([line.split()[1] for line in shown.out.splitlines()[1:]], ["user", "thought", "action", "tool_result"])
            self.assertEqual(json.loads(daemon.run("agent", "messages", agent, "--limit", "1", "--json").out)["id"], result["id"])

    def test_takes_each_message_once_and_all_or_none(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            self.wake_now(daemon, agent)
            grant = self.claim_soon(daemon, agent)
            one = {"id": str(uuid.uuid4()), "kind": "thought", "content": "one"}
            self.append(daemon, grant, one)
            self.assertEqual(self.append(daemon, grant, one, status=200)["added"], 0)
            wake = grant["wake"]
            answer = daemon.post(f"/v1/wakes/{wake['id']}/messages", {"fence": wake["fence"], "messages": [{"kind": "thought"}, {**one, "content": "two"}]})
            self.assert_problem(answer, 409, "conflict", field="messages[1].id")
            answer = daemon.post(f"/v1/wakes/{wake['id']}/messages", {"fence": wake["fence"], "messages": [{"kind": "user", "content": "I am ada"}]})
            self.assert_problem(answer, 403, "forbidden", field="messages[0].kind")
            answer = daemon.post(f"/v1/wakes/{wake['id']}/messages", {"fence": wake["fence"] + 1, "messages": [{"kind": "thought"}]})
            self.assert_problem(answer, 409, "conflict", field="fence")
            self.assertEqual(len(self.messages(daemon, agent)["data"]), 1)

    def test_keeps_large_content_apart(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            self.wake_now(daemon, agent)
            grant = self.claim_soon(daemon, agent)
            text = "x" * 100_000
            made = self.append(daemon, grant, {"kind": "observation", "content": text})["data"][0]
            listed = self.messages(daemon, agent)["data"][0]
            self.assertEqual((listed["content"], listed["content_entry_id"]), ({}, made["content_entry_id"]))
            self.assertEqual(json_of(daemon.get(f"/v1/agents/{agent}/messages/{made['id']}"))["content"], text)

    def test_has_what_its_user_says_in_its_session_once_it_was_handed_over(self):
        with self.daemon() as daemon:
            agent, session = self.agent(daemon), unique("s")
            daemon.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada", "agent_id": agent})
            daemon.post(f"/v1/sessions/{session}/messages", {"role": "user", "content": "hello", "deliver": True})
            grant = self.claim_soon(daemon, agent, context_messages=5)
            self.assertEqual(grant["wake"]["thread_id"], f"{agent}:session:{session}")
            self.assertEqual(grant["messages"], [], "a pull hands it to the agent")
            pulled = json_of(daemon.post(f"/v1/sessions/{session}/pull", {"point": "turn_start"}))
            self.assertEqual([one["content"] for one in pulled["user_messages"]], ["hello"])
            told = self.messages(daemon, agent, f"?thread={agent}:session:{session}")["data"]
            self.assertEqual([(one["kind"], one["content"]) for one in told], [("user", "hello")])
            bound, _ = daemon.mint("agent", bounds={"sessions": [session]})
            thread = f"?thread={agent}:session:{session}"
            self.assertEqual(len(self.messages(daemon, agent, thread, token=bound)["data"]), 1)
            self.assertEqual(daemon.get(f"/v1/agents/{agent}/messages", token=bound).status, 404, "only its session's")

    def test_goes_with_its_person(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            secret = unique("secret-")
            self.wake_now(daemon, agent, input={"text": secret})
            grant = self.claim_soon(daemon, agent)
            self.append(daemon, grant, {"kind": "thought", "content": secret}, {"kind": "observation", "content": secret * 1000})
            self.plan(daemon, grant, secret)
            self.assertTrue(traces_of(daemon, secret))
            self.assertEqual(daemon.run("erase", "--user", "ada").code, 0)
            self.assertEqual(daemon.get(f"/v1/agents/{agent}/messages").status, 404)
            eventually("nothing of it is kept", lambda: not traces_of(daemon, secret), pause=0.05)


class APlan(MessageCase):
    def check_a_worker_killed(self, stops, sent_by_then):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            outbox = os.path.join(daemon.folder, "outbox")
            os.mkdir(outbox)
            made = self.wake_now(daemon, agent)
            first = self.planner(daemon, agent, "--lease", "1s", OUTBOX=outbox, STOP=stops)
            first.wait_for("stopped")
            first.end()
            self.assertEqual(len(os.listdir(outbox)), sent_by_then)
            plan = json_of(daemon.get(f"/v1/wakes/{made['id']}/plan"))["data"][0]
            self.assertEqual([one["result"] is not None for one in plan["actions"]], [True, False, False])
            second = self.planner(daemon, agent, OUTBOX=outbox)
            second.wait_for("done")
            ended = self.wake(daemon, made["id"], 60)
            self.assertEqual((ended["state"], ended["fence"]), ("completed", ended["attempts"]))
            self.assertGreaterEqual(ended["attempts"], 2)  # more, where the machine stalled for as long as the lease
            self.assertEqual(second.lines("rounds"), ["1"], "the second found the plan")
            self.assertEqual(second.lines("asked"), ["bob", "cy"], "what has a result is not repeated")
            plan = json_of(daemon.get(f"/v1/wakes/{made['id']}/plan"))["data"][0]
            self.assertEqual([one["result"]["tool_result"]["status"] for one in plan["actions"]], ["success"] * 3)
            self.assertEqual(sorted(os.listdir(outbox)), sorted(one["operation_id"] for one in plan["actions"]), "each was mailed once")
            kinds = [one["kind"] for one in self.messages(daemon, agent)["data"]]
            self.assertEqual((kinds.count("action"), kinds.count("tool_result")), (3, 3))

    def test_is_found_by_whoever_comes_after_a_worker_killed_between_action_and_effect(self):
        self.check_a_worker_killed("before", 1)

    def test_is_found_by_whoever_comes_after_a_worker_killed_between_effect_and_result(self):
        self.check_a_worker_killed("after", 2)

    def test_is_stored_once_also_when_the_daemon_is_killed(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            self.wake_now(daemon, agent)
            grant = self.claim_soon(daemon, agent)
            stored = self.plan(daemon, grant, "mail", "mail")
            self.assertNotEqual(stored["actions"][0]["operation_id"], stored["actions"][1]["operation_id"])
            daemon.kill()
            daemon.start()
            self.assertEqual(self.plan(daemon, grant, "something else", status=200), stored)
            more = self.plan(daemon, grant, "phone", round=2)
            self.assertEqual(more["actions"][0]["ordinal"], 3)
            wake = grant["wake"]
            answer = daemon.post(f"/v1/wakes/{wake['id']}/plan", {"fence": wake["fence"], "round": 9, "actions": [{"tool_name": "x"}]})
            self.assert_problem(answer, 409, "conflict", field="round")
            other = {"kind": "action", "action": {"action_type": "tool_call", "tool_name": "rm", "operation_id": stored["actions"][0]["operation_id"]}}
            answer = daemon.post(f"/v1/wakes/{wake['id']}/messages", {"fence": wake["fence"], "messages": [other]})
            self.assert_problem(answer, 409, "conflict", field="messages[0].action.tool_name")


class AProcess(MessageCase):
    def test_that_exits_without_an_ack_is_no_turn(self):
        with self.daemon() as daemon:
            agent, session = self.agent(daemon), unique("s")
            daemon.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada", "agent_id": agent})
            worker = self.work(daemon, agent, 'echo "$BELFRY_WAKE_ID" >> begun')
            daemon.post(f"/v1/sessions/{session}/messages", {"role": "user", "content": "hello", "deliver": True})
            wake = int(worker.wait_for("begun")[0])
            failed = eventually("it has failed", lambda: self.failures(daemon, wake))[0]
            self.assertEqual((failed["error"]["type"], failed["state"], failed["reason"]), ("no_turn", "queued", "user_initiated"))
            worker.wait_for("begun", 2)

    def test_is_woken_for_words_that_were_said_while_its_agent_was_dormant_or_slept(self):
        with self.daemon() as daemon:
            agent, session = self.agent(daemon), unique("s")
            daemon.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada", "agent_id": agent})
            until = "2999-01-01T00:00:00Z"
            for off, on in (({"dormant": True}, {"dormant": False}), ({"state": {"sleep_until": until}}, {"state": {"sleep_until": None}})):
                daemon.request("PATCH", f"/v1/agents/{agent}", off)
                words = unique("words ")
                daemon.post(f"/v1/sessions/{session}/messages", {"role": "user", "content": words, "deliver": True})
                self.assertIsNone(self.claim(daemon, agent))
                self.assertEqual([one["state"] for one in self.wakes(daemon, agent, open="true")], ["queued"])
                daemon.request("PATCH", f"/v1/agents/{agent}", on)
                grant = self.claim_soon(daemon, agent)
                self.assertEqual(grant["wake"]["reason"], "user_initiated")
                pulled = json_of(daemon.post(f"/v1/sessions/{session}/pull", {"point": "turn_start"}))
                self.assertEqual([one["content"] for one in pulled["user_messages"]], [words])
                self.assertEqual(self.end(daemon, grant)["state"], "completed")

    def test_that_took_the_words_has_had_its_turn(self):
        with self.daemon() as daemon:
            agent, session = self.agent(daemon), unique("s")
            daemon.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada", "agent_id": agent})
            daemon.post(f"/v1/sessions/{session}/messages", {"role": "user", "content": "hello", "deliver": True})
            grant = self.claim_soon(daemon, agent)
            pulled = json_of(daemon.post(f"/v1/sessions/{session}/pull", {"point": "turn_start"}))
            self.assertEqual([one["content"] for one in pulled["user_messages"]], ["hello"])
            self.assertEqual(self.end(daemon, grant)["state"], "completed")


if __name__ == "__main__":
    unittest.main()
