"""Agents and wakes of the client against a scripted server: what it sends, what it repeats, what it makes of answers."""

import json
import unittest

from belfry import BelfryError, Client
from scripted import Scripted
from test_client import answering

WAKE = {"id": 7, "fence": 2, "run_id": 3, "state": "running"}


class Agents(unittest.TestCase):
    def ask(self, status, body, call):
        """The one request that a call makes, as (method, target, body), and what came of it."""
        seen = []
        with Scripted(answering((status, body), seen=seen)) as server:
            client = Client(server.url, "bf_secret", wait=lambda _: None)
            self.addCleanup(client.close)
            result = call(client)
        method, target, _, sent = seen[0]
        return (method, target, json.loads(sent) if sent else None), result

    def test_an_agent_is_made_with_only_what_was_given(self):
        sent, made = self.ask(201, {"id": "a/b"}, lambda client: client.create_agent(
            "a/b", mode="hybrid", capabilities=("x",), workflow="script", settings={"template": "t"}))
        self.assertEqual(sent, ("POST", "/v1/agents", {"id": "a/b", "mode": "hybrid", "capabilities": ["x"],
                                                       "workflow": {"kind": "script", "settings": {"template": "t"}}}))
        self.assertEqual(made, {"id": "a/b"})
        sent, _ = self.ask(201, {"id": "a"}, lambda client: client.create_agent("a"))
        self.assertEqual(sent[2], {"id": "a"})

    def test_policies_of_tools_go_along(self):
        sent, _ = self.ask(201, {"id": "a"}, lambda client: client.create_agent("a", tool_policies={"*": "ask"}))
        self.assertEqual(sent[2], {"id": "a", "tool_policies": {"*": "ask"}})

    def test_what_is_proposed_is_listed_read_and_decided(self):
        for call, method, target in (
                (lambda client: client.change_sets(state="all", agent="a/b"), "GET", "/v1/change-sets?state=all&agent=a%2Fb"),
                (lambda client: client.change_set("c"), "GET", "/v1/change-sets/c"),
                (lambda client: client.accept_changes("c"), "POST", "/v1/change-sets/c/accept"),
                (lambda client: client.accept_changes("c", 2), "POST", "/v1/change-sets/c/items/2/accept"),
                (lambda client: client.reject_changes("c"), "POST", "/v1/change-sets/c/reject"),
                (lambda client: client.reject_changes("c", 2), "POST", "/v1/change-sets/c/items/2/reject")):
            sent, answer = self.ask(200, {"id": "c"}, call)
            self.assertEqual(sent, (method, target, None))
            self.assertEqual(answer, {"id": "c"})

    def test_memory_is_read_folded_and_forgotten(self):
        at = "/v1/agents/a%2Fb/memory"
        for call, line, body in (
                (lambda client: client.memory("a/b", thread_id="a:x", explain=True), ("GET", at + "?thread_id=a%3Ax&explain=1"), None),
                (lambda client: client.memory("a/b"), ("GET", at), None),
                (lambda client: client.memory_threads("a/b", limit=2), ("GET", at + "/threads?limit=2"), None),
                (lambda client: client.memory_summaries("a/b", folded="s"), ("GET", at + "/summaries?folded=s"), None),
                (lambda client: client.open_summary("a/b", "s", after=3), ("GET", at + "/summaries/s?after=3"), None),
                (lambda client: client.search_memory("a/b", "door", kind="user"), ("GET", at + "/search?q=door&kind=user"), None),
                (lambda client: client.folds("a/b", state="done"), ("GET", at + "/folds?state=done"), None),
                (lambda client: client.fold_memory("a/b", thread_id="t"), ("POST", at + "/folds"), {"thread_id": "t"}),
                (lambda client: client.restart_fold("a/b", "j"), ("POST", at + "/folds/j/restart"), None),
                (lambda client: client.forget_memory("a/b", before="2026-11-16T07:00:00Z"), ("POST", at + "/forget"),
                 {"before": "2026-11-16T07:00:00Z"})):
            sent, _ = self.ask(200, {"jobs": 1}, call)
            self.assertEqual(sent, (*line, body))

    def test_a_change_can_take_something_away(self):
        sent, _ = self.ask(200, {"id": "a"}, lambda client: client.change_agent("a", dormant=False, state={"sleep_until": None}))
        self.assertEqual(sent, ("PATCH", "/v1/agents/a", {"dormant": False, "state": {"sleep_until": None}}))

    def test_a_subscription_names_its_rule(self):
        sent, _ = self.ask(200, {"id": "s"}, lambda client: client.subscribe_agent("a", "ci.*", severity="error", window_ms=0))
        self.assertEqual(sent, ("POST", "/v1/agents/a/subscriptions", {"types": ["ci.*"], "severity": "error", "window_ms": 0}))

    def test_a_timer_is_added_listed_changed_and_removed(self):
        daily = {"kind": "daily", "time": "07:00"}
        sent, _ = self.ask(201, {"id": "t"}, lambda client: client.add_timer("a/b", "n", daily, zone="Europe/Berlin"))
        self.assertEqual(sent, ("POST", "/v1/agents/a%2Fb/timers", {"name": "n", "schedule": daily, "zone": "Europe/Berlin"}))
        page = {"data": [], "next": None, "has_more": False}
        for call, target in ((lambda client: client.timers(agent="a", limit=5), "/v1/agents/a/timers?limit=5"),
                             (lambda client: client.timers(user="ada"), "/v1/timers?user=ada"),
                             (lambda client: client.timer("a", "t"), "/v1/agents/a/timers/t")):
            self.assertEqual(self.ask(200, page, call)[0], ("GET", target, None))
        sent, _ = self.ask(200, {"id": "t"}, lambda client: client.change_timer("a", "t", active=False))
        self.assertEqual(sent, ("PATCH", "/v1/agents/a/timers/t", {"active": False}))
        sent, gone = self.ask(204, b"", lambda client: client.remove_timer("a", "t"))
        self.assertEqual((sent[:2], gone), (("DELETE", "/v1/agents/a/timers/t"), None))

    def test_a_session_makes_a_wake_a_persons(self):
        sent, _ = self.ask(201, WAKE, lambda client: client.wake_agent("a", session_id="s", turn_id="t", input={"text": "hi"}))
        self.assertEqual(sent[2], {"reason": "user_initiated", "session_id": "s", "turn_id": "t", "input": {"text": "hi"}})
        sent, _ = self.ask(201, WAKE, lambda client: client.wake_agent("a"))
        self.assertEqual(sent, ("POST", "/v1/agents/a/wake", {}))

    def test_nothing_to_do_is_none(self):
        sent, grant = self.ask(204, b"", lambda client: client.claim_wake("a", "b", wait_s=0))
        self.assertEqual(sent, ("POST", "/v1/wakes/claim", {"agents": ["a", "b"], "wait_s": 0}))
        self.assertIsNone(grant)

    def test_a_tool_is_registered_and_its_calls_are_carried_out(self):
        call = {"id": "c-1", "fence": 3}
        sent, _ = self.ask(200, {"name": "a/b"}, lambda client: client.put_tool(
            "a/b", "external", capabilities=("mail",), execution={"by": "worker"}, timeout_s=5))
        self.assertEqual(sent, ("PUT", "/v1/tools/a%2Fb", {"impact": "external", "capabilities": ["mail"],
                                                           "execution": {"by": "worker"}, "timeout_s": 5}))
        sent, got = self.ask(204, b"", lambda client: client.claim_tool_call("a", "b", wait_s=0))
        self.assertEqual((sent, got), (("POST", "/v1/tool-calls/claim", {"tools": ["a", "b"], "wait_s": 0}), None))
        sent, _ = self.ask(200, call, lambda client: client.renew_tool_call(call, lease_s=5))
        self.assertEqual(sent, ("POST", "/v1/tool-calls/c-1/renew", {"fence": 3, "lease_s": 5}))
        sent, _ = self.ask(200, call, lambda client: client.end_tool_call(call, {"ok": True}))
        self.assertEqual(sent, ("POST", "/v1/tool-calls/c-1/end", {"fence": 3, "result": {"ok": True}}))
        sent, _ = self.ask(200, call, lambda client: client.end_tool_call(call, error={"code": "full", "message": "no"}))
        self.assertEqual(sent[2], {"fence": 3, "error": {"code": "full", "message": "no"}})
        sent, _ = self.ask(200, {"data": []}, lambda client: client.tool_calls(state="queued", limit=2))
        self.assertEqual(sent[:2], ("GET", "/v1/tool-calls?state=queued&limit=2"))

    def test_what_a_worker_says_is_under_its_fence(self):
        sent, _ = self.ask(200, WAKE, lambda client: client.renew_wake(WAKE, lease_s=5))
        self.assertEqual(sent, ("POST", "/v1/wakes/7/renew", {"fence": 2, "lease_s": 5}))
        sent, _ = self.ask(200, WAKE, lambda client: client.end_wake(WAKE, result={"ok": True}))
        self.assertEqual(sent, ("POST", "/v1/wakes/7/end", {"fence": 2, "result": {"ok": True}}))
        sent, _ = self.ask(200, WAKE, lambda client: client.end_wake(WAKE, release=True))
        self.assertEqual(sent, ("POST", "/v1/wakes/7/end", {"fence": 2, "release": True}))
        with self.assertRaises(BelfryError) as refused:
            self.ask(409, {"code": "conflict", "reason": "stale_claim", "detail": "not yours"},
                     lambda client: client.end_wake(WAKE))
        self.assertEqual(refused.exception.code, "conflict")

    def test_messages_and_plans_go_with_the_fence_of_the_wake(self):
        wake = {"id": 7, "fence": 3}
        sent, _ = self.ask(201, {"data": [], "added": 1},
                           lambda client: client.append_agent_messages(wake, {"kind": "thought", "content": "hm"}))
        self.assertEqual(sent, ("POST", "/v1/wakes/7/messages",
                                {"fence": 3, "messages": [{"kind": "thought", "content": "hm"}]}))
        sent, _ = self.ask(201, {"actions": []}, lambda client: client.store_plan(wake, [{"tool_name": "t"}], round=2))
        self.assertEqual((sent[1], sent[2]), ("/v1/wakes/7/plan", {"fence": 3, "round": 2, "actions": [{"tool_name": "t"}]}))
        sent, _ = self.ask(200, {"data": []}, lambda client: client.agent_messages("a/b", thread="t", limit=2))
        self.assertEqual(sent[1], "/v1/agents/a%2Fb/messages?thread=t&limit=2")

    def test_tools_are_called_for_the_wake_and_listed(self):
        wake = {"id": 7, "fence": 3}
        sent, _ = self.ask(200, {"result": None},
                           lambda client: client.call_tool(wake, "t", {"a": 1}, operation_id="o"))
        self.assertEqual(sent, ("POST", "/v1/wakes/7/call",
                                {"fence": 3, "operation_id": "o", "tool_name": "t", "arguments": {"a": 1}}))
        sent, _ = self.ask(200, {"result": None}, lambda client: client.call_tool(wake, operation_id="o"))
        self.assertEqual(sent[2], {"fence": 3, "operation_id": "o"})
        sent, _ = self.ask(200, {"data": []}, lambda client: client.tools(after="a", limit=2))
        self.assertEqual(sent[1], "/v1/tools?after=a&limit=2")
        sent, _ = self.ask(200, {"name": "a/b"}, lambda client: client.tool("a/b"))
        self.assertEqual(sent[1], "/v1/tools/a%2Fb")

    def test_lists_ask_for_what_was_given(self):
        page = {"data": [], "next": None, "has_more": False}
        sent, _ = self.ask(200, page, lambda client: client.wakes(agent="a", open=True, limit=5))
        self.assertEqual(sent[1], "/v1/wakes?agent=a&open=true&limit=5")
        sent, _ = self.ask(200, page, lambda client: client.wakes(agent="a"))
        self.assertEqual(sent[1], "/v1/wakes?agent=a")


if __name__ == "__main__":
    unittest.main()
