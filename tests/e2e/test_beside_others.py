"""Two agents in one session: each one changes what it holds itself, and nothing of what the other one holds."""

import json
import threading
import unittest

import belfry
import faults
from agents import AgentCase
from belfry import eventually, json_of, unique
from chat_server import DONE, ChatServer, error, finish, stream, text
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

    def visit(self, agent, token, session, **members):
        """The user wakes the agent in the session, and its worker claims the wake."""
        self.wake_now(self.belfry, agent, reason="user_initiated", session_id=session, input={"text": "hello"})
        return self.claim(token, **members)

    def claim(self, token, **members):
        answer = self.post("/v1/wakes/claim", {"wait_s": 30, "lease_s": 600, **members}, token)
        self.assertEqual(answer.status, 200, answer.body)
        return json_of(answer)["wake"]

    def begin(self, at, token, **members):
        self.ok(self.post(at + "/turns", {"event": "start"}, token))
        return self.ok(self.post(at + "/pull", {"point": "turn_start", **members}, token))

    def pull(self, at, token=None, point="after_tool", **members):
        return self.ok(self.post(at + "/pull", {"point": point, **members}, token))

    def say(self, at, token=None):
        self.ok(self.post(at + "/messages", {"role": "assistant", "content": "I tell it"}, token))

    def end_turn(self, at, token=None, **members):
        return self.ok(self.post(at + "/turns", {"event": "end", **members}, token))

    def end_wake(self, wake, token, **members):
        return self.ok(self.post(f"/v1/wakes/{wake['id']}/end", {"fence": wake["fence"], **members}, token))

    def slow_model(self):
        """A model agent whose model answers when the test says so, and fails."""
        gate = threading.Event()

        def slow(answer):
            gate.wait(30)
            error(500, "busy")(answer)

        server = ChatServer(slow, stream(text("Hi."), finish(), DONE))
        self.addCleanup(server.close)
        self.addCleanup(gate.set)
        agent = self.agent(self.belfry, workflow={"kind": "model", "settings": {"base_url": server.url, "model": "m"}})
        return gate, server, agent

    def words(self, at, content):
        self.ok(self.post(at + "/messages", {"role": "user", "content": content, "deliver": True}))

    def heard(self, pulled):
        """What the user said, as a pull returned it."""
        return [one["content"] for one in pulled["user_messages"]]

    def texts(self, pulled):
        return sorted(item["text"] for item in pulled["items"])

    def give_to(self, session, agent):
        self.ok(self.belfry.request("PUT", f"/v1/sessions/{session}", {"agent_id": agent}))

    def guests(self, count):
        """A session of nobody in which so many agents work, and of each its id, its token and its wake."""
        session = self.session_of(None)
        bound = [self.bound() for _ in range(count)]
        return f"/v1/sessions/{session}", session, [(agent, token, self.visit(agent, token, session)) for agent, token in bound]

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
            wake = self.claim(second)
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


class Restarted(BesideCase):
    """What belongs to a guest is still known as the guest's after the daemon has died and begun again."""

    def setUp(self):
        self.belfry = self.daemon(*self.options)

    def restart(self):
        self.belfry.kill()
        self.belfry.start()

    def test_words_of_a_model_are_for_the_new_agent_of_the_session(self):
        gate = threading.Event()
        server = ChatServer(lambda answer: (gate.wait(30), error(500, "busy")(answer)))
        self.addCleanup(server.close)
        self.addCleanup(gate.set)
        old = self.agent(self.belfry, workflow={"kind": "model", "settings": {"base_url": server.url, "model": "m"}})
        new, second = self.bound()
        session = self.session_of(old)
        at = f"/v1/sessions/{session}"
        self.words(at, "buy milk")
        eventually("the model is asked", lambda: server.requests)
        self.give_to(session, new)
        self.restart()
        self.claim(second)
        self.assertEqual(self.heard(self.begin(at, second)), ["buy milk"])

    def test_a_message_of_a_guest_tells_nothing_that_another_holds(self):
        for restarts in (False, True):
            for at, session, first, (other, second) in self.worlds():
                note = self.note("tell it", session_id=session, routing=TELL)
                item = self.begin(at, first)["items"][0]
                self.visit(other, second, session)
                self.say(at, second)
                if restarts:
                    self.restart()
                self.end_turn(at, first, acknowledged=[{"id": item["handle"], "lease": item["lease"]}])
                self.assertEqual(self.row(note)["state"], "escalated")

    def test_a_message_of_a_guest_tells_what_the_guest_holds(self):
        """Another runtime begins its turn twice meanwhile. That takes back what the runtime itself has said, and nothing else."""
        for restarts in (False, True):
            for is_owned in (True, False):
                (one, _), (other, second) = self.bound(), self.bound()
                session = self.session_of(one if is_owned else None)
                at = f"/v1/sessions/{session}"
                self.visit(other, second, session)
                note = self.note("tell it", session_id=session, agent_id=other, routing=TELL)
                pulled = self.begin(at, second)
                self.say(at, second)
                if restarts:
                    self.restart()
                for _ in range(2):
                    self.assertEqual(self.begin(at, None)["items"], [])
                self.end_turn(at, second, pull_id=pulled["pull_id"], acknowledged=[pulled["items"][0]["handle"]])
                self.assertEqual(self.row(note)["state"], "delivered")

    def test_words_of_a_guest_stay_with_it(self):
        at, _, [(_, token, _)] = self.guests(1)
        self.words(at, "buy milk")
        self.assertEqual(self.heard(self.begin(at, token)), ["buy milk"])
        self.restart()
        for _ in range(2):
            self.assertEqual(self.heard(self.begin(at, None)), [])
        self.end_turn(at, None)
        self.end_turn(at, token)
        for who in (token, None):
            self.assertEqual(self.heard(self.begin(at, who)), [], "the words had arrived")


class AfterALease(BesideCase, faults.Case):
    """What a guest holds is its own until its lease ends. The clock goes on as the test says."""

    def setUp(self):
        self.belfry = self.breakable(*self.options)

    def pass_time(self, seconds):
        self.faults.jump(seconds, seconds)

    def test_another_runtime_gets_what_a_guest_held(self):
        at, session, [(_, token, _)] = self.guests(1)
        note = self.note("decide", session_id=session, priority="high", routing=DECIDE)
        self.words(at, "buy milk")
        old = self.begin(at, token, lease_s=30)
        self.assertEqual((self.texts(old), self.heard(old)), (["decide"], ["buy milk"]))
        own = self.begin(at, None)
        self.assertEqual((own["items"], own["user_messages"]), ([], []))
        self.pass_time(31)
        taken = self.pull(at, pull_id=own["pull_id"])
        self.assertEqual((self.texts(taken), self.heard(taken)), (["decide"], ["buy milk"]))
        for place, body in (("/heartbeat", {"pull_id": old["pull_id"]}), ("/acknowledge", {"pull_id": old["pull_id"]}),
                            ("/turns", {"event": "end", "pull_id": old["pull_id"]})):
            self.post(at + place, body, token)
            row = self.row(note)
            self.assertEqual((row["state"], row["lease"]), ("locked", taken["items"][0]["lease"]))
        self.assertEqual(self.heard(self.pull(at)), ["buy milk"], "the runtime lost its answer, and the guest confirmed nothing")
        self.end_turn(at, pull_id=taken["pull_id"])
        self.assertEqual(self.row(note)["state"], "delivered")

    def test_reports_of_another_runtime_do_not_keep_words_from_the_user(self):
        """The process of the guest died. Another runtime works on in the session, and must get the words when the lease of the guest ends."""
        at, _, [(_, token, _)] = self.guests(1)
        self.words(at, "buy milk")
        self.assertEqual(self.heard(self.begin(at, token, lease_s=30)), ["buy milk"])
        own = self.begin(at, None)
        self.pass_time(20)
        self.ok(self.post(at + "/tool-calls", {"call_id": unique(), "tool_name": "look", "status": "success", "duration_ms": 1}))
        self.pass_time(11)
        self.assertEqual(self.heard(self.pull(at, pull_id=own["pull_id"])), ["buy milk"])

    def test_words_that_an_agent_has_answered_are_not_said_again(self):
        """Its session is another agent's by now, and it ends its wake without a report of its turn."""
        (old, first), (new, second) = self.bound(), self.bound()
        session = self.session_of(old)
        at = f"/v1/sessions/{session}"
        self.words(at, "buy milk")
        wake = self.claim(first)
        self.assertEqual(self.heard(self.pull(at, first, "turn_start")), ["buy milk"])
        self.give_to(session, new)
        self.say(at, first)
        self.end_wake(wake, first)
        self.pass_time(901)
        self.assertEqual(self.heard(self.begin(at, second)), [])

    def test_words_before_a_long_turn_of_a_guest_are_not_said_again(self):
        at, session, [(_, token, _)] = self.guests(1)
        self.words(at, "buy milk")
        self.assertEqual(self.heard(self.begin(at, token)), ["buy milk"])
        for number in range(70):
            self.note(f"n{number}", session_id=session, priority="high", routing=PASSIVE)
            self.assertEqual(len(self.pull(at, token)["items"]), 1)
        self.end_turn(at, token)
        self.pass_time(901)
        self.assertEqual(self.heard(self.begin(at, None)), [])

    def test_words_that_a_guest_has_answered_are_not_said_again(self):
        """It ends its wake without a report of its turn."""
        at, session, [(agent, token, wake)] = self.guests(1)
        self.begin(at, token)
        self.words(at, "buy milk")
        self.assertEqual(self.heard(self.pull(at, token)), ["buy milk"])
        self.say(at, token)
        self.end_wake(wake, token)
        self.visit(agent, token, session)
        self.assertEqual(self.heard(self.begin(at, token)), [])

    def test_a_guest_that_only_pulls_loses_no_words(self):
        for is_beside in (False, True):
            at, _, [(_, token, _)] = self.guests(1)
            if is_beside:
                self.begin(at, None)
            self.words(at, "buy milk")
            for _ in range(2):
                self.assertEqual(self.heard(self.pull(at, token, "turn_start", lease_s=30)), ["buy milk"])
            self.assertEqual(self.heard(self.pull(at, token)), [], "the words are under way")
            self.pass_time(31)
            again = self.pull(at, token, lease_s=30)
            self.assertEqual(self.heard(again), ["buy milk"])
            named = self.pull(at, token, pull_id=again["pull_id"])
            self.pass_time(31)
            self.assertEqual(self.heard(self.pull(at, token, pull_id=named["pull_id"])), [], "the guest has confirmed them")

    def test_a_claim_that_is_lost_frees_the_words_of_its_agent_alone(self):
        at, session, [(_, first, _)] = self.guests(1)
        other, second = self.bound()
        self.words(at, "one")
        self.assertEqual(self.heard(self.begin(at, first)), ["one"])
        wake = self.visit(other, second, session, lease_s=30)
        self.words(at, "two")
        self.assertEqual(self.heard(self.begin(at, second)), ["two"])
        self.pass_time(31)
        eventually("the claim is lost", lambda: self.wake(self.belfry, wake["id"])["state"] == "queued")
        self.assertEqual(self.heard(self.begin(at, None)), ["two"])

    def test_a_heartbeat_keeps_the_words_of_its_sender_alone(self):
        for beats, dies in (("guest", "other guest"), ("runtime", "guest"), ("guest", "runtime")):
            with self.subTest(f"{beats} and {dies}"):
                at, _, [(_, first, _), (_, second, _)] = self.guests(2)
                tokens = {"guest": first, "other guest": second, "runtime": None}
                self.words(at, "one")
                self.assertEqual(self.heard(self.begin(at, tokens[dies], lease_s=30)), ["one"])
                self.words(at, "two")
                pulled = self.begin(at, tokens[beats], lease_s=30)
                self.assertEqual(self.heard(pulled), ["two"])
                self.pass_time(20)
                self.ok(self.post(at + "/heartbeat", {"lease_s": 600, "pull_id": pulled["pull_id"]}, tokens[beats]))
                self.pass_time(11)
                third = next(token for name, token in tokens.items() if name not in (beats, dies))
                self.assertEqual(self.heard(self.pull(at, third)), ["one"])


class ATokenOfTwoAgents(BesideCase, belfry.SharedCase):
    """The token works for the agent of the session, and for another one that the user brings in."""

    def in_turn(self, agents):
        """The token has the words of the first agent, and a wake of each."""
        one, other = agents
        bounds = {"users": ["ada"]} if self.is_unbound else {"users": ["ada"], "agents": agents}
        token = self.belfry.mint("agent", bounds=bounds)[0]
        session = self.session_of(one)
        at = f"/v1/sessions/{session}"
        self.words(at, "buy milk")
        own = self.claim(token, agents=[one])
        pulled = self.begin(at, token)
        self.assertEqual(self.heard(pulled), ["buy milk"])
        return at, token, pulled, own, self.visit(other, token, session, agents=[other])

    def ways(self):
        for self.is_unbound in (True, False):
            with self.subTest(is_unbound=self.is_unbound):
                yield self.in_turn([self.agent(self.belfry), self.agent(self.belfry)])

    def test_loses_no_words_when_the_other_wake_ends_well(self):
        for at, token, _, own, other in self.ways():
            self.end_wake(other, token)
            self.end_wake(own, token, error={"type": "x", "message": "no"})
            self.assertEqual(self.heard(self.begin(at, token)), ["buy milk"])

    def test_is_not_told_twice_when_the_other_wake_fails(self):
        for at, token, pulled, _, other in self.ways():
            self.end_wake(other, token, error={"type": "x", "message": "no"})
            self.assertEqual(self.heard(self.pull(at, token, pull_id=pulled["pull_id"])), [])


class ManyPulls(BesideCase, belfry.SharedCase):
    """A session remembers a limited number of pulls."""

    def test_of_the_agent_do_not_take_what_a_guest_holds(self):
        for content in ("words", "items"):
            with self.subTest(content):
                (one, first), (other, second) = self.bound(), self.bound()
                session = self.session_of(one)
                at = f"/v1/sessions/{session}"
                self.visit(other, second, session)
                note = self.note("tell it", session_id=session, routing=TELL)
                self.assertEqual(self.texts(self.begin(at, second)), ["tell it"])
                begun = self.begin(at, first)
                for number in range(66):
                    if content == "words":
                        self.words(at, f"w{number}")
                    else:
                        self.note(f"n{number}", session_id=session, priority="high", routing=PASSIVE)
                    begun = self.pull(at, first, pull_id=begun["pull_id"])
                    self.assertEqual(len(self.heard(begun)) + len(begun["items"]), 1)
                self.assertNotIn("tell it", self.texts(self.begin(at, first)))
                self.assertEqual(self.row(note)["state"], "locked")


class AWakeThatIsCancelled(BesideCase, belfry.SharedCase):
    def test_gives_its_words_to_the_agent_of_the_session(self):
        for ends in ("wakes/{id}/cancel", "runs/{run_id}/cancel", "agents/{agent_id}"):
            for is_model in (False, True):
                with self.subTest(ends=ends, is_model=is_model):
                    old, first = self.bound()
                    if is_model:
                        _, server, old = self.slow_model()
                    new, second = self.bound()
                    session = self.session_of(old)
                    at = f"/v1/sessions/{session}"
                    self.words(at, "buy milk")
                    if is_model:
                        eventually("the model is asked", lambda: server.requests)
                        wake = self.wakes(self.belfry, old)[0]
                    else:
                        wake = self.claim(first)
                        self.assertEqual(self.heard(self.begin(at, first)), ["buy milk"])
                    self.give_to(session, new)
                    place = "/v1/" + ends.format(**wake)
                    self.ok(self.post(place, {}) if ends.endswith("cancel") else self.belfry.request("DELETE", place))
                    self.claim(second)
                    self.assertEqual(self.heard(self.begin(at, second)), ["buy milk"])

    def test_leaves_the_agent_to_the_next_words_of_the_user(self):
        for is_owned in (True, False):
            for kind in ("wakes", "runs"):
                with self.subTest(is_owned=is_owned, kind=kind):
                    gate, server, agent = self.slow_model()
                    session = self.session_of(agent if is_owned else None)
                    self.wake_now(self.belfry, agent, reason="user_initiated", session_id=session, input={"text": "hello"})
                    eventually("the model is asked", lambda: server.requests)
                    wake = self.wakes(self.belfry, agent)[0]
                    self.ok(self.post(f"/v1/{kind}/{wake['id' if kind == 'wakes' else 'run_id']}/cancel", {}))
                    gate.set()
                    self.words(f"/v1/sessions/{session}", "do this instead")
                    eventually("the model is asked again", lambda: len(server.requests) > 1)
                    asked = [one["content"] for one in server.requests[-1].body["messages"] if one["role"] == "user"]
                    self.assertEqual(asked[-1], "do this instead")

    def test_is_not_begun_again_for_the_words_that_it_took(self):
        for is_owned in (True, False):
            with self.subTest(is_owned=is_owned):
                agent, token = self.bound()
                session = self.session_of(agent if is_owned else None)
                at = f"/v1/sessions/{session}"
                wake = self.visit(agent, token, session)
                self.begin(at, token)
                self.words(at, "buy milk")
                self.assertEqual(self.heard(self.pull(at, token)), ["buy milk"])
                self.ok(self.post(f"/v1/wakes/{wake['id']}/cancel", {}))
                self.assertEqual([one["state"] for one in self.wakes(self.belfry, agent)], ["cancelled"])
                self.assertEqual(self.heard(self.begin(at, None)), [])


class WhatAFailedAttemptHeld(BesideCase, belfry.SharedCase):
    def two_with_words(self):
        """Each of two guests in a session of nobody holds a message of the user: "one" and "two"."""
        at, _, found = self.guests(2)
        for (_, token, _), content in zip(found, ("one", "two")):
            self.words(at, content)
            self.assertEqual(self.heard(self.begin(at, token)), [content])
        return at, found

    def test_comes_again_to_the_next_one_that_pulls(self):
        for how in ({"error": {"type": "x", "message": "no"}}, {"release": True}):
            at, [(_, first, _), (_, second, wake)] = self.two_with_words()
            self.end_wake(wake, second, **how)
            self.assertEqual(self.heard(self.begin(at, None)), ["two"])
            self.end_turn(at, None)
            self.end_turn(at, first)
            for who in (first, None):
                self.assertEqual(self.heard(self.begin(at, who)), [], "both have arrived")

    def test_comes_again_to_the_next_attempt(self):
        at, [_, (_, second, wake)] = self.two_with_words()
        self.end_wake(wake, second, release=True)
        self.claim(second)
        self.assertEqual(self.heard(self.pull(at, second)), ["two"])

    def test_of_an_agent_that_belfry_runs_comes_again(self):
        at, session, [(_, first, _)] = self.guests(1)
        self.words(at, "one")
        self.assertEqual(self.heard(self.begin(at, first)), ["one"])
        server = ChatServer(error(400, "it does not answer"))
        self.addCleanup(server.close)
        model = self.agent(self.belfry, workflow={"kind": "model", "settings": {"base_url": server.url, "model": "m"}})
        self.words(at, "two")
        wake = self.wake_now(self.belfry, model, reason="user_initiated", session_id=session, input={"text": "hello"})
        eventually("its attempt fails", lambda: self.failures(self.belfry, wake["id"]))
        self.assertIn("two", json.dumps(server.requests[0].body))
        self.assertEqual(self.heard(self.begin(at, None)), ["two"])


class AHeartbeat(BesideCase, belfry.SharedCase):
    def test_renews_what_its_sender_holds_and_nothing_of_another(self):
        for at, session, first, (other, second) in self.worlds():
            self.visit(other, second, session)
            mine = self.note("mine", session_id=session, routing=DECIDE)
            held = self.begin(at, first, lease_s=30)
            beside = self.note("beside", session_id=session, agent_id=other, routing=DECIDE)
            pulled = self.begin(at, second, lease_s=30)
            self.assertEqual((self.texts(held), self.texts(pulled)), (["mine"], ["beside"]))
            until = self.row(mine)["lease_until"]
            for name in ({"pull_id": pulled["pull_id"]}, {}):
                beat = self.ok(self.post(at + "/heartbeat", {"lease_s": 600, **name}, second))
                self.assertEqual((beat["renewed"], beat["lease_until"]), (1, self.row(beside)["lease_until"]))
                self.assertEqual(self.row(mine)["lease_until"], until)
            untils = [self.row(note)["lease_until"] for note in (mine, beside)]
            for token, name in ((second, held["pull_id"]), (first, pulled["pull_id"]), (None, pulled["pull_id"])):
                refused = self.post(at + "/heartbeat", {"lease_s": 600, "pull_id": name}, token)
                self.assertEqual((refused.status, json_of(refused)["reason"]), (409, "stale_lease"))
                self.assertEqual([self.row(note)["lease_until"] for note in (mine, beside)], untils)


class WhatAVisitorHolds(BesideCase, belfry.SharedCase):
    def test_stays_with_it_when_the_owner_begins_its_turn_again(self):
        (one, first), (other, second) = self.bound(), self.bound()
        session = self.session_of(one)
        at = f"/v1/sessions/{session}"
        self.visit(other, second, session)
        note = self.note("tell it", session_id=session, routing=TELL)
        pulled = self.begin(at, second)
        self.say(at, second)
        for again in (self.begin(at, first), self.begin(at, first), self.pull(at, first, "turn_start")):
            self.assertEqual(again["items"], [])
        self.end_turn(at, first)
        self.assertEqual(self.row(note)["state"], "locked")
        self.end_turn(at, second, pull_id=pulled["pull_id"], acknowledged=[pulled["items"][0]["handle"]])
        self.assertEqual(self.row(note)["state"], "delivered")


class OnlyNamed(BesideCase, belfry.SharedCase):
    """A turn ends with `only_named`: what its guest did not acknowledge comes again, and others are not asked."""

    def test_settles_what_the_guest_has_acknowledged(self):
        for is_owned, (at, session, first, (other, second)) in zip((True, False), self.worlds()):
            of_first = self.note("of the first", session_id=session, routing=PASSIVE)
            self.begin(at, first)
            self.visit(other, second, session)
            self.words(at, "one")
            known = self.note("known", session_id=session, agent_id=other, routing=PASSIVE)
            read = self.begin(at, second)
            self.words(at, "two")
            unread = self.note("unread", session_id=session, agent_id=other, priority="high", routing=PASSIVE)
            self.ok(self.post(at + "/acknowledge", {"pull_id": read["pull_id"]}, second))
            lost = self.pull(at, second)
            self.assertEqual((self.texts(read), self.texts(lost)), (["known"], ["unread"]))
            self.assertEqual((self.heard(read), self.heard(lost)), ([], []) if is_owned else (["one"], ["two"]))
            self.end_turn(at, second, only_named=True)
            self.assertEqual([self.row(note)["state"] for note in (known, of_first)], ["delivered", "locked"])
            again = self.begin(at, second)
            self.assertEqual((self.texts(again), self.heard(again)), (["unread"], [] if is_owned else ["two"]))
            self.end_turn(at, first)
            self.assertEqual(self.row(of_first)["state"], "delivered", "its own turn named nothing")
            self.end_turn(at, second, pull_id=again["pull_id"])
            self.assertEqual(self.row(unread)["state"], "delivered")
            self.assertEqual(self.heard(self.begin(at, second)), [])

    def test_of_another_does_not_ask_the_guest(self):
        for at, session, first, (other, second) in self.worlds():
            self.visit(other, second, session)
            self.begin(at, first)
            note = self.note("beside", session_id=session, agent_id=other, routing=PASSIVE)
            self.assertEqual(self.texts(self.begin(at, second)), ["beside"])
            self.end_turn(at, first, only_named=True)
            self.assertEqual(self.row(note)["state"], "locked")
            self.end_turn(at, second)
            self.assertEqual(self.row(note)["state"], "delivered")


class AnAnswerThatIsLost(BesideCase, belfry.SharedCase):
    def report(self, at, token=None):
        self.ok(self.post(at + "/tool-calls", {"call_id": unique(), "tool_name": "look", "status": "success", "duration_ms": 1}, token))

    def test_comes_again_to_an_unbound_runtime_in_the_turn_of_a_guest(self):
        for point in ("after_tool", "turn_end"):
            at, _, [(_, token, _)] = self.guests(1)
            self.begin(at, token)
            self.words(at, "buy milk")
            self.assertEqual(self.heard(self.pull(at, None, point)), ["buy milk"])
            self.assertEqual(self.heard(self.pull(at, token)), [])
            self.report(at, token)
            self.assertEqual(self.heard(self.pull(at, None, point)), ["buy milk"])
            self.report(at)
            self.assertEqual(self.heard(self.pull(at, None, point)), [], "it was reported that the turn goes on")

    def test_comes_again_to_its_guest_alone(self):
        at, _, [(_, first, _), (_, second, _)] = self.guests(2)
        for token, content in ((first, "one"), (second, "two")):
            self.begin(at, token)
            self.words(at, content)
            self.assertEqual(self.heard(self.pull(at, token)), [content])
        for token, content in ((first, "one"), (second, "two"), (first, "one")):
            self.assertEqual(self.heard(self.pull(at, token)), [content])
        self.report(at, first)
        self.assertEqual(self.heard(self.pull(at, first)), [], "it was reported that the turn goes on")
        self.assertEqual(self.heard(self.pull(at, second)), ["two"])

    def test_is_not_repeated_at_another_point(self):
        at, _, [(_, token, _)] = self.guests(1)
        self.begin(at, token)
        self.words(at, "buy milk")
        self.assertEqual(self.heard(self.pull(at, token)), ["buy milk"])
        for point in ("immediate", "turn_end", "after_tool"):
            self.assertEqual(self.heard(self.pull(at, token, point)), [], point)


class WhatAnAgentRemembers(BesideCase, belfry.SharedCase):
    """An agent that Belfry runs remembers the words that it was given, and no others."""

    def model(self, *answers):
        server = ChatServer(*answers)
        self.addCleanup(server.close)
        return server, self.agent(self.belfry, workflow={"kind": "model", "settings": {"base_url": server.url, "model": "m"}})

    def asked(self, server):
        return [one["content"] for one in server.requests[-1].body["messages"] if one["role"] == "user"]

    def fails_while(self, is_owned, act):
        """The model is asked in a session, and fails after `act`. Returns what its next attempt is asked."""
        gate, server, agent = self.slow_model()
        session = self.session_of(agent if is_owned else None)
        self.wake_now(self.belfry, agent, reason="user_initiated", session_id=session, input={"text": "hello"})
        eventually("the model is asked", lambda: server.requests)
        act(f"/v1/sessions/{session}", session)
        gate.set()
        eventually("the model is asked again", lambda: len(server.requests) > 1)
        return self.asked(server)

    def test_has_no_words_that_another_guest_took(self):
        def act(at, session):
            other, second = self.bound()
            wake = self.visit(other, second, session)
            self.begin(at, second)
            self.words(at, "buy milk")
            self.assertEqual(self.heard(self.pull(at, second)), ["buy milk"])
            self.end_turn(at, second)
            self.end_wake(wake, second)

        self.assertNotIn("buy milk", self.fails_while(False, act))

    def test_has_no_words_that_the_new_agent_took(self):
        def act(at, session):
            other, second = self.bound()
            self.words(at, "buy milk")
            self.give_to(session, other)
            wake = self.claim(second)
            self.assertEqual(self.heard(self.begin(at, second)), ["buy milk"])
            self.end_turn(at, second)
            self.end_wake(wake, second)

        self.assertNotIn("buy milk", self.fails_while(True, act))

    def test_has_what_was_said_before_the_session_was_its_own(self):
        server, agent = self.model(stream(text("Bought."), finish(), DONE))
        old, _ = self.bound()
        session = self.session_of(old)
        at = f"/v1/sessions/{session}"
        self.words(at, "buy milk")
        self.give_to(session, agent)
        eventually("the model has answered", lambda: [one["state"] for one in self.wakes(self.belfry, agent)] == ["completed"])
        self.words(at, "and bread")
        eventually("the model is asked again", lambda: len(server.requests) > 1)
        self.assertEqual(self.asked(server)[-2:], ["buy milk", "and bread"])

    def test_twice_handed_is_remembered_once_by_each(self):
        at, session, [(one, first, _), (other, second, wake)] = self.guests(2)
        self.words(at, "buy milk")
        self.begin(at, second)
        self.end_wake(wake, second, error={"type": "x", "message": "no"})
        for _ in range(2):
            self.assertEqual(self.heard(self.begin(at, first)), ["buy milk"])
        for agent in (one, other):
            known = json_of(self.belfry.get(f"/v1/agents/{agent}/messages"))["data"]
            self.assertEqual([message["content"] for message in known if message["content"] == "buy milk"], ["buy milk"])


class WhoIsWokenByWords(BesideCase, belfry.SharedCase):
    def follow(self, session):
        """Another agent has a turn in the session. Then it is the one whom words of the user wake."""
        at = f"/v1/sessions/{session}"
        other, second = self.bound()
        wake = self.visit(other, second, session)
        self.begin(at, second)
        self.end_turn(at, second)
        self.end_wake(wake, second)
        self.words(at, "and one more thing")
        self.assertEqual([one["state"] for one in self.wakes(self.belfry, other)], ["queued", "completed"])

    def test_is_the_agent_after_one_whose_attempt_has_failed(self):
        at, session, [(_, token, wake)] = self.guests(1)
        self.begin(at, token)
        self.end_wake(wake, token, error={"type": "x", "message": "no"})
        self.ok(self.post(f"/v1/runs/{wake['run_id']}/cancel", {}))
        self.follow(session)

    def test_is_the_agent_after_a_model_that_has_failed(self):
        server = ChatServer(error(400, "no such model"))
        self.addCleanup(server.close)
        agent = self.agent(self.belfry, workflow={"kind": "model", "settings": {"base_url": server.url, "model": "m"}})
        session = self.session_of(None)
        wake = self.wake_now(self.belfry, agent, reason="user_initiated", session_id=session, input={"text": "hello"})
        eventually("its attempt fails", lambda: self.failures(self.belfry, wake["id"]))
        self.post(f"/v1/runs/{wake['run_id']}/cancel", {})
        self.follow(session)

    def test_is_the_agent_after_one_that_only_pulled(self):
        at, session, [(_, token, wake)] = self.guests(1)
        self.pull(at, token, "turn_start")
        self.end_wake(wake, token)
        self.follow(session)

    def test_is_the_agent_whose_second_worker_has_ended_the_turn(self):
        agent = self.agent(self.belfry)
        one, two = (self.belfry.mint("agent", bounds={"users": ["ada"], "agents": [agent]})[0] for _ in range(2))
        session = self.session_of(None)
        at = f"/v1/sessions/{session}"
        wake = self.visit(agent, one, session)
        self.begin(at, one)
        self.end_wake(wake, one, release=True)
        wake = self.claim(two)
        self.begin(at, two)
        self.end_turn(at, two)
        self.end_wake(wake, two)
        self.words(at, "follow up")
        self.assertEqual([wake["state"] for wake in self.wakes(self.belfry, agent)], ["queued", "completed"])

    def test_is_no_guest_whose_turn_another_runtime_followed(self):
        for is_taken_over in (False, True):
            at, _, [(agent, token, wake)] = self.guests(1)
            self.begin(at, token)
            self.end_turn(at, token)
            self.end_wake(wake, token)
            if is_taken_over:
                self.begin(at, None)
                self.words(at, "in the turn")
                self.assertEqual(self.heard(self.pull(at)), ["in the turn"])
                self.end_turn(at, only_named=True)  # its answer was lost: the words wait again
            self.words(at, "after the turn")
            self.assertEqual(len(self.wakes(self.belfry, agent)), 1 if is_taken_over else 2)


class ASessionGetsItsAgent(BesideCase, belfry.SharedCase):
    """The user gives a session of nobody to an agent while a guest works there."""

    def ways(self):
        """To the guest itself and to another agent; and the guest names its pulls, or does not."""
        for is_given_to_guest in (True, False):
            for names in (True, False):
                at, session, [(agent, token, wake)] = self.guests(1)
                owner, owners = (agent, token) if is_given_to_guest else self.bound()
                note = self.note("decide", session_id=session, agent_id=agent, routing=DECIDE)
                self.words(at, "buy milk")
                pulled = self.begin(at, token)
                self.assertEqual((self.texts(pulled), self.heard(pulled)), (["decide"], ["buy milk"]))
                self.give_to(session, owner)
                name = {"pull_id": pulled["pull_id"]} if names else {}
                with self.subTest(is_given_to_guest=is_given_to_guest, names=names):
                    yield at, (token, wake, name), owners, note

    def test_and_the_guest_keeps_and_settles_what_it_holds(self):
        for at, (token, _, name), owners, note in self.ways():
            self.assertEqual(self.ok(self.post(at + "/heartbeat", name, token))["renewed"], 1)
            if owners != token:
                begun = self.begin(at, owners)
                self.assertEqual((begun["items"], begun["user_messages"]), ([], []))
            self.end_turn(at, token, **name)
            self.assertEqual(self.row(note)["state"], "delivered")
            again = self.begin(at, owners)
            self.assertEqual((again["items"], again["user_messages"]), ([], []), "said twice")

    def test_and_the_words_of_a_guest_that_fails_are_for_the_agent(self):
        for at, (token, wake, _), owners, _ in self.ways():
            self.end_wake(wake, token, error={"type": "x", "message": "no"})
            self.assertEqual(self.heard(self.begin(at, owners)), ["buy milk"])

    def test_and_what_the_guest_has_told_stays_told(self):
        for is_given_to_guest in (True, False):
            at, session, [(agent, token, _)] = self.guests(1)
            note = self.note("tell it", session_id=session, routing=TELL)
            pulled = self.begin(at, token)
            self.say(at, token)
            owner, owners = (agent, token) if is_given_to_guest else self.bound()
            self.give_to(session, owner)
            if not is_given_to_guest:
                self.begin(at, owners)
            self.end_turn(at, token, pull_id=pulled["pull_id"], acknowledged=[pulled["items"][0]["handle"]])
            self.assertEqual(self.row(note)["state"], "delivered")

    def test_and_the_agent_is_woken_when_the_turn_of_the_guest_has_ended(self):
        for is_given_to_guest in (True, False):
            at, session, [(agent, token, wake)] = self.guests(1)
            self.begin(at, token)
            owner, owners = (agent, token) if is_given_to_guest else self.bound()
            self.give_to(session, owner)
            self.end_turn(at, token)
            self.end_wake(wake, token)
            self.words(at, "buy milk")
            self.assertEqual([one["reason"] for one in self.wakes(self.belfry, owner, state="queued")], ["user_initiated"])
            self.claim(owners)
            self.assertEqual(self.heard(self.begin(at, owners)), ["buy milk"])


class AVisitorBecomesTheAgent(BesideCase, belfry.SharedCase):
    """The user gives the session to a second agent in the middle of what this agent does there."""

    def visitors(self):
        for at, session, first, (other, second) in self.worlds():
            self.begin(at, first)
            self.visit(other, second, session)
            yield at, session, (other, second)

    def test_and_a_tool_that_its_decision_led_to_is_told(self):
        for at, session, (other, second) in self.visitors():
            self.note("decide " + session, session_id=session, agent_id=other, routing=DECIDE)
            item = self.begin(at, second)["items"][0]
            self.ok(self.post(at + "/acknowledge", {"items": [{"id": item["handle"], "lease": item["lease"]}]}, second))
            self.give_to(session, other)
            self.ok(self.post(at + "/tool-calls", {"call_id": unique(), "tool_name": "send_mail", "status": "pending"}, second))
            inbox = self.ok(self.belfry.get("/v1/inbox?user=ada&limit=100"))["data"]
            self.assertEqual(len([one for one in inbox if session in one["text"] and "send_mail" in one["text"]]), 1)

    def test_and_words_whose_answer_was_lost_come_again(self):
        at, session, [(_, first, _), (other, second, _)] = self.guests(2)
        self.begin(at, first)
        self.begin(at, second)
        self.words(at, "buy milk")
        self.assertEqual(self.heard(self.pull(at, second)), ["buy milk"], "the answer is lost")
        self.give_to(session, other)
        self.assertEqual(self.heard(self.pull(at, second)), ["buy milk"])

    def test_and_a_decision_that_it_never_saw_is_no_veto(self):
        for at, session, (other, second) in self.visitors():
            named = self.begin(at, second)
            self.pull(at, second, pull_id=named["pull_id"])
            note = self.note("decide", session_id=session, agent_id=other, priority="high", routing=DECIDE)
            self.assertEqual(self.texts(self.pull(at, second)), ["decide"], "the answer is lost")
            self.give_to(session, other)
            self.end_turn(at, second)
            self.assertNotEqual(self.row(note)["state"], "delivered")


class ASessionChangesItsAgent(BesideCase, belfry.SharedCase):
    """The user gives the session of an agent to another one, and what the user said waits there."""

    def setUp(self):
        (self.old, self.first), (self.new, self.second) = self.bound(), self.bound()
        self.session = self.session_of(self.old)
        self.at = f"/v1/sessions/{self.session}"

    def is_woken_for(self, *contents):
        """The new agent is woken, and gets these words; then nobody gets them any more."""
        woken = self.wakes(self.belfry, self.new)
        self.assertEqual([(one["reason"], one["session_id"]) for one in woken], [("user_initiated", self.session)])
        wake = self.claim(self.second)
        self.assertEqual(self.heard(self.begin(self.at, self.second)), list(contents))
        self.end_turn(self.at, self.second)
        self.end_wake(wake, self.second)
        self.assertEqual(self.heard(self.begin(self.at, self.second)), [])

    def test_the_new_agent_is_woken_and_the_old_one_is_not(self):
        self.words(self.at, "buy milk")
        self.assertEqual(len(self.wakes(self.belfry, self.old)), 1)
        self.give_to(self.session, self.new)
        self.assertEqual(self.post("/v1/wakes/claim", {}, self.first).status, 204, "there is nothing for the old agent to do")
        self.is_woken_for("buy milk")
        self.words(self.at, "and bread")
        self.assertEqual(len(self.wakes(self.belfry, self.old)), 1)

    def test_the_agent_is_woken_when_the_session_is_its_own_again(self):
        for is_tried in (False, True):
            with self.subTest(is_tried=is_tried):
                self.setUp()
                self.words(self.at, "buy milk")
                self.give_to(self.session, self.new)
                self.assertEqual(self.post("/v1/wakes/claim", {}, self.first).status, 204)
                wake = self.claim(self.second)
                if is_tried:
                    self.assertEqual(self.heard(self.begin(self.at, self.second)), ["buy milk"])
                self.give_to(self.session, self.old)
                self.end_wake(wake, self.second, **({"error": {"type": "x", "message": "no"}} if is_tried else {}))
                self.claim(self.first)
                self.assertEqual(self.heard(self.begin(self.at, self.first)), ["buy milk"])

    def test_the_old_agent_is_not_given_the_words(self):
        wake = self.visit(self.old, self.first, self.session)
        self.words(self.at, "buy milk")
        self.give_to(self.session, self.new)
        self.assertEqual(self.heard(self.begin(self.at, self.first)), [])
        self.end_turn(self.at, self.first)
        self.end_wake(wake, self.first)
        self.is_woken_for("buy milk")

    def test_words_that_came_in_the_turn_of_the_old_agent_wake_the_new_one(self):
        wake = self.visit(self.old, self.first, self.session)
        self.begin(self.at, self.first)
        self.words(self.at, "buy milk")
        self.give_to(self.session, self.new)
        self.end_turn(self.at, self.first)
        self.end_wake(wake, self.first)
        self.is_woken_for("buy milk")

    def test_what_the_old_agent_was_given_stays_with_it_and_is_said_once(self):
        wake = self.visit(self.old, self.first, self.session)
        self.words(self.at, "buy milk")
        note = self.note("decide", session_id=self.session, routing=DECIDE)
        held = self.begin(self.at, self.first)
        self.assertEqual((self.texts(held), self.heard(held)), (["decide"], ["buy milk"]))
        self.give_to(self.session, self.new)
        begun = self.begin(self.at, self.second)
        self.assertEqual((self.texts(begun), self.heard(begun)), ([], []))
        self.end_turn(self.at, self.first, pull_id=held["pull_id"])
        self.end_wake(wake, self.first)
        self.assertEqual(self.row(note)["state"], "delivered")
        self.end_turn(self.at, self.second)
        again = self.begin(self.at, self.second)
        self.assertEqual((self.texts(again), self.heard(again)), ([], []))

    def test_words_that_the_old_agent_was_given_and_failed_with_are_for_the_new_one(self):
        wake = self.visit(self.old, self.first, self.session)
        self.words(self.at, "buy milk")
        self.assertEqual(self.heard(self.begin(self.at, self.first)), ["buy milk"])
        self.give_to(self.session, self.new)
        self.end_wake(wake, self.first, error={"type": "x", "message": "no"})
        self.assertEqual(self.heard(self.begin(self.at, self.second)), ["buy milk"])

    def test_words_that_the_old_agent_never_got_wake_the_new_one(self):
        for point in ("turn_start", "after_tool"):
            with self.subTest(point):
                self.setUp()
                self.visit(self.old, self.first, self.session)
                if point == "after_tool":
                    self.begin(self.at, self.first)
                self.words(self.at, "buy milk")
                self.assertEqual(self.heard(self.pull(self.at, self.first, point)), ["buy milk"], "the answer is lost")
                self.give_to(self.session, self.new)
                self.assertEqual(self.heard(self.pull(self.at, self.first, point)), [])
                self.is_woken_for("buy milk")

    def test_words_that_the_old_agent_does_not_name_wake_the_new_one(self):
        for members in ({"only_named": True}, {"pull_id": None}):
            with self.subTest(members):
                self.setUp()
                wake = self.visit(self.old, self.first, self.session)
                begun = self.begin(self.at, self.first)
                self.words(self.at, "buy milk")
                self.assertEqual(self.heard(self.pull(self.at, self.first)), ["buy milk"])
                self.give_to(self.session, self.new)
                if "pull_id" in members:
                    members = {"pull_id": begun["pull_id"]}
                self.end_turn(self.at, self.first, **members)
                self.end_wake(wake, self.first)
                self.is_woken_for("buy milk")

    def test_words_that_the_old_agent_failed_with_wake_the_new_one(self):
        wake = self.visit(self.old, self.first, self.session)
        self.words(self.at, "buy milk")
        self.assertEqual(self.heard(self.pull(self.at, self.first, "turn_start")), ["buy milk"])
        self.give_to(self.session, self.new)
        self.end_wake(wake, self.first, error={"type": "x", "message": "no"})
        self.is_woken_for("buy milk")


class AGuessedLease(BesideCase, belfry.SharedCase):
    def assert_refused(self, session, token, handle, *, also=(), **body):
        answer = self.post(f"/v1/notifications/{handle}/narrate?session={session}", {"text": "guessed", **body, **({"also": also} if also else {})},
                           token)
        self.assertEqual(answer.status, 409, answer.body)
        self.assertIn(json_of(answer)["reason"], ("stale_lease", "no_lease"))

    def assert_tells(self, session, token, item, note):
        self.assertEqual((self.row(note)["state"], self.row(note)["narration"]), ("locked", None))
        self.ok(self.post(f"/v1/notifications/{item['handle']}/narrate?session={session}", {"lease": item["lease"], "text": "told"}, token))
        self.assertEqual(self.row(note)["narration"], "told")

    def test_of_a_guest_narrates_nothing_that_another_holds(self):
        for at, session, first, (other, second) in self.worlds():
            note = self.note("tell it", session_id=session, routing=TELL)
            pulled = self.begin(at, first)
            item = pulled["items"][0]
            self.visit(other, second, session)
            mine = self.note("mine", session_id=session, agent_id=other, routing=TELL)
            own = self.begin(at, second)["items"][0]
            for proof in ({"lease": item["lease"]}, {"pull_id": pulled["pull_id"]}, {"lease": item["lease"], "pull_id": pulled["pull_id"]}):
                self.assert_refused(session, second, item["handle"], **proof)
            named = {"id": item["handle"], "lease": item["lease"]}
            self.assert_refused(session, second, own["handle"], lease=own["lease"], also=[named])
            self.assert_tells(session, first, item, note)
            self.assert_tells(session, second, own, mine)

    def test_narrates_nothing_that_a_guest_holds(self):
        for is_owned in (True, False):
            (one, _), (other, second) = self.bound(), self.bound()
            session = self.session_of(one if is_owned else None)
            self.visit(other, second, session)
            note = self.note("tell it", session_id=session, agent_id=other, routing=TELL)
            pulled = self.begin(f"/v1/sessions/{session}", second)
            item = pulled["items"][0]
            for proof in ({"lease": item["lease"]}, {"pull_id": pulled["pull_id"]}):
                self.assert_refused(session, None, item["handle"], **proof)
            self.assert_tells(session, second, item, note)


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


class TheEndOfATurn(BesideCase, belfry.SharedCase):
    def test_gathers_what_is_low_for_a_guest(self):
        for is_alone in (True, False):
            at, session, [(_, token, _)] = self.guests(1)
            if not is_alone:
                self.pull(at, None, "turn_start")
                self.pull(at, None, "turn_end")
            self.begin(at, token)
            checkpoint = {"type": "task.checkpoint", "source": "x", "payload": {"turn": 1, "message": "m"}}
            self.belfry.emit_ok({**checkpoint, "session_id": session, "user_id": "ada"})
            self.end_turn(at, token)
            self.assertEqual(self.texts(self.begin(at, token)), ["Turn 1: m"])


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
