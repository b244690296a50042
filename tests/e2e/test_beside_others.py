"""Two agents in one session: each one changes what it holds itself, and nothing of what the other one holds."""

import json
import unittest

import belfry
from agents import AgentCase
from belfry import eventually, json_of, unique
from chat_server import DONE, ChatServer, call, finish, stream, text
from test_workflows import step

TELL = {"address": "session", "target": "user", "handler": "agent"}
DECIDE = {"address": "session", "target": "agent", "handler": "agent"}
PASSIVE = {"address": "session", "target": "agent", "handler": "system"}


class BesideCase(AgentCase):
    options = ("--wakes-at-once", "50")

    def ok(self, answer):
        self.assertIn(answer.status, (200, 201, 202, 204), answer.body)
        return json_of(answer) if answer.body else None

    def bound(self):
        """An agent of ada and a token that is bound to it."""
        agent = self.agent(self.belfry)
        return agent, self.belfry.mint("agent", bounds={"users": ["ada"], "agents": [agent]})[0]

    def post(self, place, body, token=None):
        return self.belfry.post(place, body, **({"token": token} if token else {}))

    def note(self, words, **members):
        return self.ok(self.post("/v1/notifications", {"text": words, "user_id": "ada", **members}))

    def row(self, note):
        return self.ok(self.belfry.get(f"/v1/notifications/{note['id']}"))

    def session_of(self, agent):
        session = unique("s")
        self.ok(self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada", **({"agent_id": agent} if agent else {})}))
        return session

    def visit(self, agent, token, session):
        """The user wakes the agent in the session, and its worker claims the wake."""
        self.wake_now(self.belfry, agent, reason="user_initiated", session_id=session, input={"text": "hello"})
        return self.ok(self.post("/v1/wakes/claim", {"wait_s": 30}, token))["wake"]

    def begin(self, at, token, **members):
        self.ok(self.post(at + "/turns", {"event": "start"}, token))
        return self.ok(self.post(at + "/pull", {"point": "turn_start", **members}, token))

    def words(self, at, content):
        self.ok(self.post(at + "/messages", {"role": "user", "content": content, "deliver": True}))

    def worlds(self):
        """A session of the first agent, and one of nobody in which both agents work."""
        for is_owned in (True, False):
            (one, first), (other, second) = self.bound(), self.bound()
            session = self.session_of(one if is_owned else None)
            if not is_owned:
                self.visit(one, first, session)
            yield f"/v1/sessions/{session}", session, first, (other, second)


class WhatAnotherHolds(BesideCase, belfry.SharedCase):
    def narrate(self, item, session, token):
        return self.post(f"/v1/notifications/{item['handle']}/narrate?session={session}",
                         {"lease": item["lease"], "text": f"told in {session}"}, token)

    def test_is_not_told_by_notify_user(self):
        for at, session, first, (other, second) in self.worlds():
            fire, decide = (self.note(words, session_id=session, routing=routing) for words, routing in (("fire", TELL), ("decide", DECIDE)))
            items = {item["text"]: item for item in self.begin(at, first)["items"]}
            wake = self.visit(other, second, session)
            self.ok(self.post(f"/v1/wakes/{wake['id']}/call", {"fence": wake["fence"], "operation_id": "o1", "tool_name": "notify_user",
                                                              "arguments": {"text": "Hello"}}, second))
            self.assertEqual([self.row(one)["state"] for one in (fire, decide)], ["locked", "locked"])
            self.ok(self.narrate(items["fire"], session, first))
            self.assertEqual(self.row(fire)["narration"], f"told in {session}")
            inbox = self.ok(self.belfry.get("/v1/inbox?user=ada&limit=100"))["data"]
            self.assertEqual(len([one for one in inbox if f"told in {session}" in json.dumps(one)]), 1)

    def test_is_not_told_by_a_script(self):
        one, first = self.bound()
        session = self.session_of(one)
        fire = self.note("fire", session_id=session, routing=TELL)
        item = self.begin(f"/v1/sessions/{session}", first)["items"][0]
        script = self.agent(self.belfry, workflow={"kind": "script", "settings": {"steps": [step("notify_user", text="Hello")]}})
        self.wake_now(self.belfry, script, reason="user_initiated", session_id=session, input={"text": "hello"})
        eventually("its turn", lambda: [wake["state"] for wake in self.wakes(self.belfry, script)] == ["completed"])
        self.assertEqual(self.row(fire)["state"], "locked")
        self.ok(self.narrate(item, session, first))

    def test_stays_with_it_when_the_other_one_fails(self):
        for at, session, first, (other, second) in self.worlds():
            fire = self.note("fire", session_id=session, routing=TELL)
            self.words(at, "buy milk")
            pulled = self.begin(at, first)
            self.assertEqual([one["content"] for one in pulled["user_messages"]], ["buy milk"])
            wake = self.visit(other, second, session)
            self.ok(self.post(f"/v1/wakes/{wake['id']}/end", {"fence": wake["fence"], "error": {"type": "x", "message": "no"}}, second))
            later = self.ok(self.post(at + "/pull", {"point": "after_tool", "pull_id": pulled["pull_id"]}, first))
            self.assertEqual(later["user_messages"], [], "the words were given out again")
            self.assertEqual(self.row(fire)["state"], "locked")
            self.ok(self.narrate(pulled["items"][0], session, first))

    def test_stays_with_it_when_the_other_one_rests_after_failures(self):
        (one, first), (other, second) = self.bound(), self.bound()
        session = self.session_of(one)
        for attempt in range(4):
            self.wake_now(self.belfry, other)
            wake = self.ok(self.post("/v1/wakes/claim", {"wait_s": 30}, second))["wake"]
            self.ok(self.post(f"/v1/wakes/{wake['id']}/end", {"fence": wake["fence"], "error": {"type": "x", "message": "no"}}, second))
            self.ok(self.post(f"/v1/runs/{wake['run_id']}/cancel", {}))
        fire = self.note("fire", session_id=session, routing=TELL)
        item = self.begin(f"/v1/sessions/{session}", first)["items"][0]
        wake = self.visit(other, second, session)
        self.ok(self.post(f"/v1/wakes/{wake['id']}/end", {"fence": wake["fence"], "error": {"type": "x", "message": "no"}}, second))
        self.assertEqual(self.ok(self.belfry.get(f"/v1/agents/{other}"))["lifecycle"], "dormant")
        self.assertEqual((self.row(fire)["state"], self.row(fire)["text"]), ("locked", "fire"))
        self.ok(self.narrate(item, session, first))

    def test_is_not_proven_by_its_pull_id(self):
        for call_of in (lambda at, pull: (at + "/acknowledge", {"pull_id": pull}),
                        lambda at, pull: (at + "/pull", {"point": "after_tool", "pull_id": pull}),
                        lambda at, pull: (at + "/pull", {"point": "turn_start", "acknowledge": pull}),
                        lambda at, pull: (at + "/turns", {"event": "end", "pull_id": pull})):
            for at, session, first, (other, second) in self.worlds():
                passive = self.note("passive", session_id=session, routing=PASSIVE)
                decide = self.note("decide", session_id=session, routing=DECIDE)
                self.words(at, "buy milk")
                pull = self.begin(at, first)["pull_id"]
                self.visit(other, second, session)
                known = [one["pull_id"] for one in self.ok(self.belfry.get(f"/v1/notifications?session={session}", token=second))["data"]]
                self.assertIn(pull, known, "this test is about a token that knows the pull")
                self.post(*call_of(at, pull), second)
                self.assertEqual([self.row(one)["state"] for one in (passive, decide)], ["locked", "locked"])
                # The process of the first agent died before it read its pull, and begins again.
                again = self.begin(at, first)
                self.assertEqual([one["content"] for one in again["user_messages"]], ["buy milk"])
                self.assertEqual(sorted(one["text"] for one in again["items"]), ["decide", "passive"])

    def test_is_not_renewed_and_not_promoted_by_its_pull_id(self):
        for at, session, first, (other, second) in self.worlds():
            decide = self.note("decide", session_id=session, routing=DECIDE)
            pulled = self.begin(at, first, lease_s=30)
            self.visit(other, second, session)
            beat = self.post(at + "/heartbeat", {"lease_s": 3600, "pull_id": pulled["pull_id"]}, second)
            self.assertEqual(beat.status, 409, beat.body)
            self.post(at + "/tool-calls", {"call_id": unique(), "tool_name": "send_mail", "status": "pending", "pull_id": pulled["pull_id"]}, second)
            row = self.row(decide)
            self.assertEqual((row["lease_until"], row["target"], row["used_tools"]), (pulled["lease_until"], "agent", []))


class Beside(BesideCase, belfry.SharedCase):
    def test_a_pull_of_one_does_not_end_the_chain_of_the_other(self):
        for pulls_again in (False, True):
            for at, session, first, (other, second) in self.worlds():
                note = self.note("tell it", session_id=session, routing=TELL)
                pulled = self.begin(at, first)
                if pulls_again:  # lease 2, which a chain of named pulls proves
                    pulled = self.ok(self.post(at + "/pull", {"point": "turn_start"}, first))
                self.visit(other, second, session)
                self.ok(self.post(at + "/pull", {"point": "after_tool"}, second))
                name = {"pull_id": pulled["pull_id"]} if pulls_again else {}
                later = self.ok(self.post(at + "/pull", {"point": "after_tool", **name}, first))
                self.ok(self.post(at + "/messages", {"role": "assistant", "content": "I tell it"}, first))
                self.ok(self.post(at + "/turns", {"event": "end", "pull_id": later["pull_id"], "acknowledged": [pulled["items"][0]["handle"]]},
                                  first))
                self.assertEqual(self.row(note)["state"], "delivered")

    def test_one_uses_tools_while_the_other_decides(self):
        for at, session, first, (other, second) in self.worlds():
            decide = self.note("decide", session_id=session, routing=DECIDE)
            self.begin(at, first)
            self.visit(other, second, session)
            for report in ({"status": "pending"}, {"status": "success", "duration_ms": 5}):
                self.ok(self.post(at + "/tool-calls", {"call_id": unique(), "tool_name": "send_mail", **report}, second))
            row = self.row(decide)
            self.assertEqual((row["state"], row["target"], row["used_tools"]), ("locked", "agent", []))
            inbox = self.ok(self.belfry.get("/v1/inbox?user=ada&limit=100"))["data"]
            self.assertEqual([one["text"] for one in inbox if one["session_id"] == session], [])

    def test_an_effect_of_its_own_decision_is_told(self):
        for at, session, first, (other, second) in self.worlds():
            wake = self.visit(other, second, session)
            note = self.note("decide " + session, session_id=session, agent_id=other, routing=DECIDE)
            item = self.begin(at, second)["items"][0]
            self.ok(self.post(at + "/acknowledge", {"items": [{"id": item["handle"], "lease": item["lease"]}]}, second))
            self.ok(self.post(at + "/tool-calls", {"call_id": unique(), "tool_name": "send_mail", "status": "pending"}, second))
            self.assertEqual(self.row(note)["state"], "delivered")
            inbox = self.ok(self.belfry.get("/v1/inbox?user=ada&limit=100"))["data"]
            self.assertEqual(len([one for one in inbox if session in one["text"] and "send_mail" in one["text"]]), 1, inbox)
            self.ok(self.post(f"/v1/wakes/{wake['id']}/end", {"fence": wake["fence"]}, second))

    def test_in_a_session_of_nobody_each_has_its_own_items_and_words(self):
        (one, first), (other, second) = self.bound(), self.bound()
        session = self.session_of(None)
        at = f"/v1/sessions/{session}"
        self.visit(one, first, session)
        self.visit(other, second, session)
        self.note("tell once", session_id=session, routing=TELL)
        self.words(at, "buy milk")
        pulled = self.begin(at, first)
        self.assertEqual(([item["text"] for item in pulled["items"]], [word["content"] for word in pulled["user_messages"]]),
                         (["tell once"], ["buy milk"]))
        beside = self.begin(at, second)
        self.assertEqual((beside["items"], beside["user_messages"]), ([], []))
        self.ok(self.post(at + "/turns", {"event": "end"}, second))
        self.ok(self.post(at + "/messages", {"role": "assistant", "content": "I tell once"}, first))
        self.ok(self.post(at + "/turns", {"event": "end", "pull_id": pulled["pull_id"], "acknowledged": [pulled["items"][0]["handle"]]}, first))
        again = self.begin(at, first)
        self.assertEqual((again["items"], again["user_messages"]), ([], []), "they had arrived")

    def test_a_heartbeat_says_until_when_it_renewed(self):
        (one, _), (other, second) = self.bound(), self.bound()
        session = self.session_of(one)
        at = f"/v1/sessions/{session}"
        note = self.note("decide", session_id=session, agent_id=other, routing=DECIDE)
        self.visit(other, second, session)
        pulled = self.ok(self.post(at + "/pull", {"point": "turn_start", "lease_s": 30}, second))
        beat = self.ok(self.post(at + "/heartbeat", {"lease_s": 60, "pull_id": pulled["pull_id"]}, second))
        self.assertEqual(beat["lease_until"], self.row(note)["lease_until"])


class WhatAGuestHolds(BesideCase, belfry.SharedCase):
    """A runtime whose token is bound to no agent works beside an agent that visits its session."""

    def held_by_guest(self):
        """A session of an agent, and one of nobody, in which a visiting agent holds a notification for its decision."""
        for is_owned in (True, False):
            (one, first), (other, second) = self.bound(), self.bound()
            session = self.session_of(one if is_owned else None)
            wake = self.visit(other, second, session)
            note = self.note("decide " + session, session_id=session, agent_id=other, routing=DECIDE)
            pulled = self.begin(f"/v1/sessions/{session}", second)
            self.assertEqual([item["text"] for item in pulled["items"]], ["decide " + session])
            yield f"/v1/sessions/{session}", session, wake, note, pulled, second

    def assert_held(self, note, at, pulled, token):
        row = self.row(note)
        self.assertEqual((row["state"], row["lease"], row["target"]), ("locked", pulled["items"][0]["lease"], "agent"))
        beat = self.ok(self.post(at + "/heartbeat", {"pull_id": pulled["pull_id"]}, token))
        self.assertEqual(beat["renewed"], 1)

    def test_stays_with_it_when_another_runtime_begins_and_ends_its_turn(self):
        for at, session, _, note, pulled, second in self.held_by_guest():
            self.begin(at, None)
            own = self.begin(at, None)  # its process died and began again
            self.assert_held(note, at, pulled, second)
            self.ok(self.post(at + "/pull", {"point": "after_tool", "pull_id": own["pull_id"]}))
            self.ok(self.post(at + "/turns", {"event": "end", "pull_id": own["pull_id"]}))
            self.assert_held(note, at, pulled, second)
            self.ok(self.post(at + "/turns", {"event": "end", "pull_id": pulled["pull_id"]}, second))
            self.assertEqual(self.row(note)["state"], "delivered")

    def test_is_not_in_the_way_of_another_runtime(self):
        for at, session, _, note, pulled, second in self.held_by_guest():
            self.ok(self.post(at + "/turns", {"event": "start"}))
            self.assertEqual(self.ok(self.post(at + "/heartbeat", {"lease_s": 60}))["renewed"], 0)
            own = self.note("mine", session_id=session, priority="high", routing=DECIDE)
            mine = self.ok(self.post(at + "/pull", {"point": "after_tool"}))
            self.assertEqual([item["text"] for item in mine["items"]], ["mine"])
            self.assertEqual(self.ok(self.post(at + "/heartbeat", {"pull_id": mine["pull_id"]}))["renewed"], 1)
            self.ok(self.post(at + "/turns", {"event": "end"}))
            self.assertEqual(self.row(own)["state"], "delivered")
            self.assert_held(note, at, pulled, second)

    def test_is_not_proven_by_its_pull_id(self):
        for at, session, _, note, pulled, second in self.held_by_guest():
            for place, body in ((at + "/acknowledge", {"pull_id": pulled["pull_id"]}),
                                (at + "/acknowledge", {"items": [{"id": pulled["items"][0]["handle"], "lease": 1}]}),
                                (at + "/pull", {"point": "turn_start", "pull_id": pulled["pull_id"]}),
                                (at + "/turns", {"event": "end", "pull_id": pulled["pull_id"]})):
                self.post(place, body)
                self.assert_held(note, at, pulled, second)

    def test_words_of_a_guest_stay_with_it_when_another_runtime_begins(self):
        (other, second) = self.bound()
        session = self.session_of(None)
        at = f"/v1/sessions/{session}"
        wake = self.visit(other, second, session)
        self.words(at, "buy milk")
        self.assertEqual([one["content"] for one in self.begin(at, second)["user_messages"]], ["buy milk"])
        self.assertEqual(self.begin(at, None)["user_messages"], [])
        self.assertEqual(self.begin(at, None)["user_messages"], [], "another agent has the message")
        self.ok(self.post(f"/v1/wakes/{wake['id']}/end", {"fence": wake["fence"], "error": {"type": "x", "message": "no"}}, second))
        self.assertEqual([one["content"] for one in self.begin(at, None)["user_messages"]], ["buy milk"], "the agent has failed")


class ALongTurn(BesideCase, belfry.SharedCase):
    def test_tells_nothing_by_a_message_that_came_before(self):
        """A turn with more pulls than a session remembers: the user is told of an item that was not told, however many there were."""
        one, first = self.bound()
        for pulls in (10, 70):
            session = self.session_of(one)
            at = f"/v1/sessions/{session}"
            last = self.begin(at, first)["pull_id"]
            self.ok(self.post(at + "/messages", {"role": "assistant", "content": "I am working."}, first))
            for _ in range(pulls):
                last = self.ok(self.post(at + "/pull", {"point": "after_tool", "pull_id": last}, first))["pull_id"]
            note = self.note("the disk is full " + session, session_id=session, priority="high", routing=TELL)
            pulled = self.ok(self.post(at + "/pull", {"point": "after_tool", "pull_id": last}, first))
            self.ok(self.post(at + "/turns", {"event": "end", "acknowledged": [pulled["items"][0]["handle"]], "pull_id": pulled["pull_id"]}, first))
            self.assertEqual(self.row(note)["state"], "escalated", f"after {pulls} pulls")


class AThreadOfNobody(BesideCase, belfry.SharedCase):
    """An agent that Belfry runs answers in a thread that a user began: the thread belongs to no agent."""

    def setUp(self):
        self.server = ChatServer(stream(text("Hi."), finish(), DONE))
        self.addCleanup(self.server.close)
        self.model = self.agent(self.belfry, workflow={"kind": "model", "settings": {"base_url": self.server.url, "model": "m"}})
        self.thread = unique("t")

    def asked(self):
        return json.dumps([request.body for request in self.server.requests])

    def speak(self, number):
        body = {"threadId": self.thread, "runId": f"r{number}", "messages": [{"id": str(number), "role": "user", "content": f"hello {number}"}]}
        with self.belfry.sse(f"/v1/agents/{self.model}/ag-ui", body=body) as answer:
            self.assertEqual(answer.status, 200)
            eventually("its turn", lambda: [one["state"] for one in self.wakes(self.belfry, self.model)] == ["completed"] * number)

    def test_gives_it_its_own_passive_context(self):
        note = self.note("passive for the model", agent_id=self.model, routing={"address": "user", "target": "agent", "handler": "system"})
        self.speak(1)
        self.assertIn("passive for the model", self.asked())
        self.assertEqual(self.row(note)["state"], "delivered")

    def test_wakes_the_agent_that_answered_last(self):
        self.speak(1)
        self.words(f"/v1/sessions/{self.thread}", "and now?")
        eventually("the second turn", lambda: [one["state"] for one in self.wakes(self.belfry, self.model)] == ["completed"] * 2)
        self.assertIn("and now?", self.asked())
        note = self.note("done in the background", session_id=self.thread, routing=TELL)
        eventually("the third turn", lambda: [one["state"] for one in self.wakes(self.belfry, self.model)] == ["completed"] * 3)
        self.assertIn("done in the background", self.asked())
        self.assertNotEqual(self.row(note)["state"], "pending")


if __name__ == "__main__":
    unittest.main()
