"""What a user says through AG-UI or with a wake is in the history of the session: once, before the answer, and not handed to the agent twice."""

import json
import threading
import time
import unittest
from http.client import HTTPException
from random import Random

import belfry
from agents import AgentCase
from belfry import eventually, json_of, unique
from chat_server import DONE, ChatServer, call, finish, stream, text


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

    def remembered(self, daemon, agent, session):
        """What the user said, as the agent remembers it, the oldest first."""
        found = json_of(daemon.get(f"/v1/agents/{agent}/messages?thread={agent}:session:{session}&limit=200"))["data"]
        return [one["content"] for one in reversed(found) if one["kind"] == "user"]


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

    def test_under_an_id_that_was_used_before_is_another_message(self):
        """A client that counts its messages begins with 1 again in the next process."""
        for run, text in (("a1", "What is next?"), ("b1", "Cancel everything!"), ("b1", "Cancel everything!"), ("b2", "Cancel everything!")):
            self.say(self.belfry, self.session, user("1", text), run=run)
        self.assertEqual(self.history(self.belfry, self.session), [("user", "What is next?"), ("user", "Cancel everything!")])
        self.assertEqual(self.remembered(self.belfry, self.name, self.session), ["What is next?", "Cancel everything!"])

    def test_again_after_an_answer_is_another_message(self):
        """A client that counts its messages asks the same question under the same id the next day."""
        question = user("1", "What is on today?")
        picture = user("2", [{"type": "binary", "mimeType": "image/png", "data": "AA=="}])
        expected = []
        for day in range(3):
            # A retry adds nothing: with the same run, and with another one as long as nothing is answered.
            for run in (f"day {day}", f"day {day}", f"day {day}, again"):
                self.say(self.belfry, self.session, question, picture, run=run)
            expected.append(("user", "What is on today?"))
            self.assertEqual(self.history(self.belfry, self.session), expected)
            self.answer(self.belfry, self.session, f"Answer {day}")
            expected.append(("assistant", f"Answer {day}"))
            self.end(self.belfry, self.claim_soon(self.belfry, self.name))
            self.say(self.belfry, self.session, question, picture, run=f"day {day}, again")
        self.assertEqual(self.history(self.belfry, self.session), expected)
        self.assertEqual(self.remembered(self.belfry, self.name, self.session), [question["content"], picture["content"]] * 3)
        # The whole conversation comes with every turn, and the answers in it say what is old.
        thanks = user("9", "Thanks")
        self.say(self.belfry, self.session, question, assistant("a0", "Answer 0"), question, assistant("a1", "Answer 1"), thanks)
        self.assertEqual(self.history(self.belfry, self.session), [*expected, ("user", "Thanks")])
        self.assertEqual(self.remembered(self.belfry, self.name, self.session)[6:], ["Thanks"])

    def test_again_after_a_failure_is_a_retry(self):
        question = user("1", "What is on today?")
        self.say(self.belfry, self.session, question)
        self.answer(self.belfry, self.session, "Answer")
        self.say(self.belfry, self.session, question, run="second")
        grant = self.claim_soon(self.belfry, self.name)
        stopped = self.belfry.post(f"/v1/wakes/{grant['wake']['id']}/cancel", {})
        self.assertEqual(stopped.status, 200, stopped.body)
        self.say(self.belfry, self.session, question, run="third")
        asked = ("user", "What is on today?")
        self.assertEqual(self.history(self.belfry, self.session), [asked, ("assistant", "Answer"), asked])
        self.assertEqual(self.remembered(self.belfry, self.name, self.session), ["What is on today?"] * 2)

    def test_again_while_its_turn_is_open_is_a_retry(self):
        first, second = user("1", "Hello"), user("2", "Are you there?")
        self.say(self.belfry, self.session, first, run="one")
        self.say(self.belfry, self.session, first, second, run="two")
        self.answer(self.belfry, self.session, "Hi.")
        self.say(self.belfry, self.session, second, run="three")
        self.assertEqual(self.history(self.belfry, self.session), [("user", "Hello"), ("user", "Are you there?"), ("assistant", "Hi.")])
        self.assertEqual(self.remembered(self.belfry, self.name, self.session), ["Hello", "Are you there?"])

    def test_in_several_messages_is_remembered_once_each(self):
        name, hello = user("1", "My name is Bob."), user("2", "Hello?")
        picture = user("3", [{"type": "binary", "mimeType": "image/png", "data": "AA=="}])
        other_picture = user("3", [{"type": "binary", "mimeType": "image/png", "data": "BB=="}])
        said = [one["content"] for one in (name, hello, picture)]
        self.say(self.belfry, self.session, name, hello, hello, user("4", "  "), picture, run="r1")
        grant = self.claim_soon(self.belfry, self.name, context_messages=10)
        self.assertEqual([one["content"] for one in grant["messages"] if one["kind"] == "user"], said)
        # Again, and once more with nobody's answer in between.
        self.say(self.belfry, self.session, name, hello, hello, user("4", "  "), picture, run="r1")
        self.say(self.belfry, self.session, name, hello, picture, other_picture, user("5", "Still there?"), run="r2")
        said += [other_picture["content"], "Still there?"]
        self.assertEqual(self.remembered(self.belfry, self.name, self.session), said)
        other = self.agent(self.belfry)
        self.say(self.belfry, self.session, name, hello, agent=other)
        self.assertEqual(self.remembered(self.belfry, other, self.session), said[:2], "each agent has a memory of its own")
        self.assertEqual(self.history(self.belfry, self.session), [("user", one) for one in ("My name is Bob.", "Hello?", "Still there?")])

    def test_that_was_forgotten_is_not_remembered_again(self):
        secret, more = user("1", "My number is 1234."), user("2", "Go on.")
        self.say(self.belfry, self.session, secret)
        known = json_of(self.belfry.get(f"/v1/agents/{self.name}/messages"))["data"]
        answer = self.belfry.post(f"/v1/agents/{self.name}/memory/forget", {"message_id": known[0]["id"]})
        self.assertEqual(answer.status, 200, answer.body)
        self.say(self.belfry, self.session, secret, more)
        self.assertEqual(self.remembered(self.belfry, self.name, self.session), [more["content"]])
        # Nor if it is said again after an answer.
        self.answer(self.belfry, self.session, "Good.")
        self.say(self.belfry, self.session, secret)
        self.assertEqual(self.remembered(self.belfry, self.name, self.session), [more["content"]])
        self.assertEqual(self.history(self.belfry, self.session)[-1], ("user", secret["content"]))

    def test_to_a_second_agent_of_the_session_stands_there_once(self):
        for name in (self.name, self.agent(self.belfry)):
            self.name = name
            self.say(self.belfry, self.session, user("1", "Hello"))
            self.answer(self.belfry, self.session, "Hi.")
            self.assertEqual(self.remembered(self.belfry, name, self.session), ["Hello"])
        self.assertEqual(self.history(self.belfry, self.session), [("user", "Hello"), ("assistant", "Hi."), ("assistant", "Hi.")])

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
        self.belfry.request("PUT", f"/v1/sessions/{self.session}", {"user_id": "ada", "agent_id": self.name})
        path, token = f"/v1/agents/{self.name}/wake", self.belfry.mint("agent", bounds={"users": ["ada"]})[0]
        made = [self.wake_now(self.belfry, self.name, session_id=self.session, input={"text": "by hand"})]
        answer = self.belfry.post(path, {"request_id": unique("q"), "session_id": self.session, "input": {"text": "of an agent"}}, token=token)
        self.assertEqual(answer.status, 201, answer.body)
        made.append(json_of(answer))
        posing = {"reason": "user_initiated", "session_id": self.session, "turn_id": unique("t"), "input": {"text": "posing"}}
        answer = self.belfry.post(path, posing, token=token)
        self.assertEqual(answer.status, 403, answer.body)
        words = {"threadId": self.session, "runId": unique("r"), "messages": [user("1", "posing")]}
        answer = self.belfry.post(f"/v1/agents/{self.name}/ag-ui", words, token=token, headers={"Accept": "text/event-stream"})
        self.assertEqual(answer.status, 403, answer.body)
        self.assertEqual(self.history(self.belfry, self.session), [])
        found = json_of(self.belfry.get(f"/v1/agents/{self.name}/messages?thread={self.name}:session:{self.session}"))["data"]
        self.assertEqual([(one["kind"], one["content"]["text"]) for one in reversed(found)],
                         [("user", "by hand"), ("observation", "of an agent")])
        self.assertEqual(len(self.wakes(self.belfry, self.name)), 2)

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


class AModelAgent(SpokenCase):
    """What the model of an agent is asked, if a client says things again."""

    def serving(self, *scripts):
        server = ChatServer(*scripts)
        self.addCleanup(server.close)
        daemon = self.daemon()
        self.name, self.session = self.agent(daemon, workflow={"kind": "model", "settings": {"base_url": server.url, "model": "m"}}), unique("s")
        return server, daemon

    def ended(self, daemon):
        eventually("all have ended", lambda: all(one["state"] == "completed" for one in self.wakes(daemon, self.name)))

    def turn(self, daemon, *messages, run):
        self.say(daemon, self.session, *messages, run=run)
        self.ended(daemon)

    def forget_last(self, daemon):
        """The user makes the agent forget the newest message of the user."""
        known = [one for one in json_of(daemon.get(f"/v1/agents/{self.name}/messages"))["data"] if one["kind"] == "user"]
        answer = daemon.post(f"/v1/agents/{self.name}/memory/forget", {"message_id": known[0]["id"]})
        self.assertEqual(answer.status, 200, answer.body)

    def asked(self, server, number=-1):
        return [(one["role"], one["content"]) for one in server.requests[number].body["messages"] if one["role"] != "system"]

    def test_is_asked_the_same_question_on_another_day(self):
        server, daemon = self.serving(stream(text("Yes."), finish(), DONE))
        with daemon:
            question, pair = user("1", "What is on today?"), [("user", "What is on today?"), ("assistant", "Yes.")]
            for day in range(3):
                self.turn(daemon, question, run=f"day {day}")
                self.assertEqual(self.asked(server), pair * day + pair[:1])
            self.assertEqual(self.history(daemon, self.session), pair * 3)

    def test_is_asked_what_it_was_made_to_forget(self):
        server, daemon = self.serving(stream(text("Yes."), finish(), DONE))
        with daemon:
            secret = user("1", "My number is 1234.")
            self.turn(daemon, secret, run="day 1")
            self.forget_last(daemon)
            self.turn(daemon, secret, run="day 2")
            self.assertEqual(self.asked(server)[-1], ("user", secret["content"]))
            self.assertEqual(self.remembered(daemon, self.name, self.session), [])
            self.turn(daemon, user("2", "Go on."), run="day 3")
            self.assertNotIn("1234", json.dumps(self.asked(server)))

    def test_is_asked_what_it_was_made_to_forget_beside_new_words(self):
        server, daemon = self.serving(stream(text("Yes."), finish(), DONE))
        with daemon:
            secret = user("1", "My number is 1234.")
            self.turn(daemon, secret, run="day 1")
            self.forget_last(daemon)
            self.turn(daemon, secret, user("2", "Call it."), run="day 2")
            self.assertEqual(self.asked(server)[-2:], [("user", secret["content"]), ("user", "Call it.")])

    def test_is_asked_what_was_said_while_it_answered(self):
        gate = threading.Event()
        self.addCleanup(gate.set)
        def slow(answer):
            gate.wait(30)
            stream(text("Hi."), finish(), DONE)(answer)
        server, daemon = self.serving(slow)
        with daemon:
            self.say(daemon, self.session, user("1", "Hello"), run="one")
            eventually("a question", lambda: server.requests)
            self.say(daemon, self.session, user("1", "Hello"), user("2", "Are you there?"), run="two")
            self.say(daemon, self.session, user("1", "Hello"), user("2", "Are you there?"), run="three")
            gate.set()
            self.ended(daemon)
            said = [("user", "Hello"), ("user", "Are you there?"), ("assistant", "Hi.")]
            self.assertEqual(self.asked(server, 1), [*said, ("user", "Are you there?")])
            self.assertEqual(self.asked(server, 2), [*said, ("assistant", "Hi."), ("user", "Hello\nAre you there?")])
            self.assertEqual(self.history(daemon, self.session), [*said, ("assistant", "Hi."), ("assistant", "Hi.")])

    def test_is_asked_what_came_with_a_wake_while_it_answered(self):
        gate = threading.Event()
        self.addCleanup(gate.set)
        def slow(answer):
            gate.wait(30)
            stream(text("Hi."), finish(), DONE)(answer)
        server, daemon = self.serving(slow)
        with daemon:
            for words in ("Hello", "Are you there?"):
                self.wake_now(daemon, self.name, reason="user_initiated", session_id=self.session, input={"text": words})
                eventually("a question", lambda: server.requests)
            gate.set()
            self.ended(daemon)
            said = [("user", "Hello"), ("user", "Are you there?"), ("assistant", "Hi.")]
            self.assertEqual(self.asked(server), [*said, ("user", "Are you there?")])

    def test_is_not_asked_again_what_was_said_before_it_used_a_tool(self):
        gate = threading.Event()
        self.addCleanup(gate.set)
        tool = stream(call(0, "c1", "notify_user", ""), call(0, arguments='{"text": "working"}'), finish("tool_calls"), DONE)
        def slow(answer):
            gate.wait(30)
            stream(text("Order placed."), finish(), DONE)(answer)
        server, daemon = self.serving(tool, slow, stream(text("Noon."), finish(), DONE))
        with daemon:
            self.say(daemon, self.session, user("1", "Order one pizza"), run="one")
            eventually("the tool has ended", lambda: len(server.requests) == 2)
            self.say(daemon, self.session, user("1", "Order one pizza"), user("2", "What is the time?"), run="two")
            gate.set()
            self.ended(daemon)
            asked = [content for role, content in self.asked(server) if role == "user"]
            self.assertEqual(len([one for one in asked if "Order one pizza" in one]), 1, asked)

    def test_is_asked_a_forgotten_word_that_was_said_before_with_the_same_text(self):
        server, daemon = self.serving(stream(text("Ok."), finish(), DONE))
        with daemon:
            self.turn(daemon, user("1", "Yes"), run="one")
            self.turn(daemon, user("2", "Yes"), run="two")
            self.forget_last(daemon)
            self.turn(daemon, user("2", "Yes"), user("3", "Call it."), run="three")
            self.assertEqual(self.asked(server)[-2:], [("user", "Yes"), ("user", "Call it.")])

    def test_reads_parts_as_their_text(self):
        server, daemon = self.serving(stream(text("Yes."), finish(), DONE))
        with daemon:
            parts = [{"type": "text", "text": "Goal: run a marathon"}, {"type": "text", "text": "Soon"}]
            self.turn(daemon, user("1", parts), run="one")
            self.assertEqual(self.asked(server), [("user", "Goal: run a marathon\nSoon")])
            memory = json_of(daemon.get(f"/v1/agents/{self.name}/memory"))
            self.assertEqual([one["text"] for one in memory["goals"]], ["run a marathon"])


class AKill(SpokenCase):
    """The daemon dies while a request is under way. The client asks again, and the agent answers."""

    rounds = 25

    def interrupt(self, daemon, path, body, delay):
        """Sends a request, and kills the daemon so long after."""
        def ask():
            try:
                daemon.post(path, body, headers={"Accept": "text/event-stream, application/json"})
            except (OSError, HTTPException):
                pass  # the daemon is gone
        asking = threading.Thread(target=ask)
        asking.start()
        time.sleep(delay)  # the moment of the kill; nothing is waited for
        daemon.kill()
        asking.join(20)
        self.assertFalse(asking.is_alive())

    def check(self, daemon, send, word="word {}"):
        """`send(session, turn, text)` returns path and body of a request, and `again` sends it to its end."""
        self.name, session, expected, random = self.agent(daemon), unique("s"), [], Random(20)
        usual = 0
        for turn in range(self.rounds):
            path, body, again = send(session, f"t{turn}", word.format(turn))
            if turn > 0:
                self.interrupt(daemon, path, body, random.uniform(0, 1.5 * usual))
                daemon.start()
            began = time.monotonic()
            again()
            usual = usual or time.monotonic() - began
            self.answer(daemon, session, f"answer {turn}")
            expected += [("user", word.format(turn)), ("assistant", f"answer {turn}")]
        self.assertEqual(self.history(daemon, session), expected)
        said = [one["text"] if isinstance(one, dict) else one for one in self.remembered(daemon, self.name, session)]
        self.assertEqual(said, [text for role, text in expected if role == "user"])
        self.assertEqual(len(self.wakes(daemon, self.name)), self.rounds)

    def test_at_any_moment_of_a_wake_leaves_its_words_once_and_before_the_answer(self):
        daemon = self.daemon()
        def send(session, turn, text):
            path = f"/v1/agents/{self.name}/wake"
            body = {"reason": "user_initiated", "session_id": session, "turn_id": turn, "input": {"text": text}}
            return path, body, lambda: self.assertIn(daemon.post(path, body).status, (200, 201))
        self.check(daemon, send)

    def test_at_any_moment_of_an_ag_ui_request_leaves_its_words_once_and_before_the_answer(self):
        daemon = self.daemon()
        def send(session, turn, text):
            body = {"threadId": session, "runId": turn, "messages": [user("1", text)]}
            return f"/v1/agents/{self.name}/ag-ui", body, lambda: self.say(daemon, session, user("1", text), run=turn)
        self.check(daemon, send)
        self.rounds = 8
        self.check(daemon, send, word="the same words in every turn")


if __name__ == "__main__":
    unittest.main()
