"""What a user says through AG-UI or with a wake is in the history of the session: once, before the answer, and not handed to the agent twice."""

import unittest

import belfry
from agents import AgentCase
from belfry import json_of, unique


def user(number, text):
    return {"id": number, "role": "user", "content": text}


def assistant(number, text):
    return {"id": number, "role": "assistant", "content": text}


class SpokenCase(AgentCase):
    def history(self, daemon, session):
        answer = daemon.get(f"/v1/sessions/{session}/history")
        self.assertEqual(answer.status, 200, answer.body)
        return [(one["role"], one["content"]) for node in json_of(answer)["data"] for one in node["messages"]]

    def say(self, daemon, session, *messages, run=None, agent=None):
        """One AG-UI request; its stream is open, and the wake is there."""
        words = {"threadId": session, "runId": run or unique("r"), "messages": list(messages), "tools": [], "context": [], "state": {},
                 "forwardedProps": {}}
        stream = daemon.sse(f"/v1/agents/{agent or self.name}/ag-ui", body=words)
        self.addCleanup(stream.close)
        self.assertEqual(stream.status, 200, stream.head)
        return stream

    def answer(self, daemon, session, text):
        grant = self.claim_soon(daemon, self.name)
        self.assertEqual(grant["wake"]["session_id"], session)
        self.assertEqual(daemon.post(f"/v1/sessions/{session}/messages", {"role": "assistant", "content": text}).status, 201)
        self.end(daemon, grant)
        return grant


class WhatAUserSays(SpokenCase, belfry.SharedCase):
    options = ("--wakes-at-once", "50")

    def setUp(self):
        self.name = self.agent(self.belfry)
        self.session = unique("s")

    def test_through_ag_ui_stands_before_the_answer_and_once(self):
        hello, more = user("1", "Hello"), user("3", [{"type": "text", "text": "Two"}, {"type": "text", "text": "lines"}])
        self.say(self.belfry, self.session, hello)
        self.assertEqual(self.history(self.belfry, self.session), [("user", "Hello")])
        self.answer(self.belfry, self.session, "Hi.")
        self.say(self.belfry, self.session, hello, assistant("2", "Hi."), more)
        self.answer(self.belfry, self.session, "Good.")
        self.assertEqual(self.history(self.belfry, self.session),
                         [("user", "Hello"), ("assistant", "Hi."), ("user", "Two\nlines"), ("assistant", "Good.")])

    def test_again_with_the_same_run_or_the_same_message_adds_nothing(self):
        self.say(self.belfry, self.session, user("1", "Hello"), run="r1")
        self.say(self.belfry, self.session, user("1", "Hello"), run="r1")
        self.say(self.belfry, self.session, user("1", "Hello"), user("2", "Are you there?"), run="r2")
        other = self.agent(self.belfry)
        self.say(self.belfry, self.session, user("1", "Hello"), agent=other)
        self.assertEqual(self.history(self.belfry, self.session), [("user", "Hello"), ("user", "Are you there?")])
        elsewhere = unique("s")
        self.say(self.belfry, elsewhere, user("1", "Hello"))
        self.assertEqual(self.history(self.belfry, elsewhere), [("user", "Hello")], "ids are of their session")

    def test_without_words_adds_nothing(self):
        self.say(self.belfry, self.session, user("1", [{"type": "binary", "mimeType": "image/png", "data": "AA=="}]), user("2", "  "))
        self.say(self.belfry, self.session, user("1", "x"), assistant("2", "y"))
        self.wake_now(self.belfry, self.name, reason="user_initiated", session_id=self.session)
        self.assertEqual(self.history(self.belfry, self.session), [])

    def test_with_a_wake_is_its_text_or_its_input(self):
        turn = {"reason": "user_initiated", "session_id": self.session, "turn_id": "t1", "input": {"text": "Start a pomodoro", "at": 1}}
        self.wake_now(self.belfry, self.name, **turn)
        self.wake_now(self.belfry, self.name, status=200, **turn)
        self.answer(self.belfry, self.session, "Started.")
        self.wake_now(self.belfry, self.name, reason="user_initiated", session_id=self.session, turn_id="t2", input={"button": "stop"})
        self.assertEqual(self.history(self.belfry, self.session),
                         [("user", "Start a pomodoro"), ("assistant", "Started."), ("user", '{"button":"stop"}')])

    def test_by_hand_or_of_an_agent_is_not_the_users(self):
        self.wake_now(self.belfry, self.name, session_id=self.session, input={"text": "by hand"})
        answer = self.belfry.get(f"/v1/sessions/{self.session}/history")
        self.assertIn(answer.status, (200, 404))
        self.assertNotIn(b"by hand", answer.body)

    def test_is_not_handed_to_the_agent_again(self):
        self.belfry.request("PUT", f"/v1/sessions/{self.session}", {"user_id": "ada", "agent_id": self.name})
        self.say(self.belfry, self.session, user("1", "Hello"))
        grant = self.claim_soon(self.belfry, self.name, context_messages=10)
        self.assertEqual([one["content"] for one in grant["messages"] if one["kind"] == "user"], ["Hello"])
        pulled = json_of(self.belfry.post(f"/v1/sessions/{self.session}/pull", {"point": "turn_start"}))
        self.assertEqual(pulled.get("user_messages") or [], [])
        self.end(self.belfry, grant)
        self.assertEqual(len(self.wakes(self.belfry, self.name)), 1, "nobody is woken for it a second time")

    def test_is_told_to_whoever_follows_the_session_with_who_said_it(self):
        self.belfry.request("PUT", f"/v1/sessions/{self.session}", {"user_id": "ada"})
        stream = self.belfry.sse(f"/v1/streams/session:{self.session}?after=0")
        self.addCleanup(stream.close)
        self.assertEqual(stream.status, 200, stream.head)
        token, name = self.belfry.mint("user", user_id="ada")
        answer = self.belfry.post(f"/v1/agents/{self.name}/wake", {"reason": "user_initiated", "session_id": self.session, "input": {"text": "Hi"}},
                                  token=token)
        self.assertEqual(answer.status, 201, answer.body)
        told = [stream.frame().data["event"] for _ in range(4)]
        self.assertEqual([(one["type"], one.get("role")) for one in told][-1], ("message", "user"))
        nodes = json_of(self.belfry.get(f"/v1/sessions/{self.session}/history"))["data"]
        said = [one for node in nodes for one in node["messages"]]
        self.assertEqual([(one["metadata"]["by"], one["metadata"]["role"]) for one in said], [(f"token:{name}", "user")])


class AKill(SpokenCase):
    def test_at_any_moment_leaves_it_once(self):
        daemon = self.daemon()
        self.name = self.agent(daemon)
        session = unique("s")
        for turn in range(5):
            words = {"reason": "user_initiated", "session_id": session, "turn_id": f"t{turn}", "input": {"text": f"word {turn}"}}
            self.wake_now(daemon, self.name, **words)
            daemon.kill()
            daemon.start()
            self.wake_now(daemon, self.name, status=200, **words)
        self.assertEqual(self.history(daemon, session), [("user", f"word {turn}") for turn in range(5)])


if __name__ == "__main__":
    unittest.main()
