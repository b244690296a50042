"""Agents for those who speak AG-UI: one request says something, and its answer is what the agent does."""

import unittest

import belfry
import schema
from agents import AgentCase
from belfry import json_of, unique


class AnAnswer(AgentCase, belfry.SharedCase):
    def setUp(self):
        self.user = unique("u")
        self.token, _ = self.belfry.mint("user", user_id=self.user)
        self.name = self.agent(self.belfry, user_id=self.user)

    def path(self, agent=None):
        return f"/v1/agents/{agent or self.name}/ag-ui"

    def words(self, **members):
        return {"threadId": unique("t"), "runId": unique("r"), "messages": [{"id": "m", "role": "user", "content": "Hello"}], "tools": [],
                "context": [], "state": {}, "forwardedProps": {}, **members}

    def say(self, words, agent=None, daemon=None):
        stream = (daemon or self.belfry).sse(self.path(agent), token=self.token, body=words)
        self.addCleanup(stream.close)
        self.assertEqual(stream.status, 200, stream.head)
        return stream

    def events(self, stream):
        """All until the stream ends; nothing else may be in it."""
        found = []
        while (frame := stream.frame()) is not None:
            if frame.comment is None:
                self.assertEqual(frame.kind, "message")
                found.append(frame.data)
        return found

    def emit_text(self, run, *texts):
        for text in texts:
            answer = self.belfry.post(f"/v1/runs/{run}/events", {"event": "llm.stream", "data": {"message_id": "m-1", "text": text}})
            self.assertEqual(answer.status, 201, answer.body)

    def refused(self, status, words, agent=None, **more):
        answer = self.belfry.post(self.path(agent), words, token=self.token, headers={"Accept": "text/event-stream", **more})
        self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def test_leaves_what_is_new_in_it_to_be_remembered(self):
        thread = unique("t")
        hello, more = {"id": "1", "role": "user", "content": "Hello"}, {"id": "3", "role": "user", "content": [{"type": "text", "text": "More"}]}
        answer = {"id": "2", "role": "assistant", "content": "Hi."}
        tool = {"id": "4", "role": "tool", "toolCallId": "c", "content": "42"}
        for messages in ([hello], [hello, answer, more], [hello, answer, more, {**answer, "id": "5"}, tool]):
            self.say(self.words(threadId=thread, messages=messages))
            grant = self.claim_soon(self.belfry, self.name)
            self.assertEqual(grant["wake"]["input"]["messages"], messages)
            self.end(self.belfry, grant)
        found = json_of(self.belfry.get(f"/v1/agents/{self.name}/messages?thread={self.name}:session:{thread}"))["data"]
        self.assertEqual([one["content"] for one in found if one["kind"] == "user"], [more["content"], hello["content"]])

    def test_is_the_run_from_its_start_to_its_end(self):
        words = self.words()
        stream = self.say(words)
        grant = self.claim_soon(self.belfry, self.name)
        wake = grant["wake"]
        self.assertEqual((wake["reason"], wake["session_id"], wake["reason_id"]), ("user_initiated", words["threadId"], words["runId"]))
        self.assertEqual(wake["input"], words)
        self.assertEqual(wake["thread_id"], f"{self.name}:session:{words['threadId']}")
        self.emit_text(wake["run_id"], "Good ", "morning.")
        self.end(self.belfry, grant, result={"said": 2})
        events = self.events(stream)
        self.assertEqual([event["type"] for event in events if event["type"] != "CUSTOM"],
                         ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED"])
        for end in (events[0], events[-1]):
            self.assertEqual((end["threadId"], end["runId"]), (words["threadId"], words["runId"]))
        self.assertEqual(events[-1]["result"], {"said": 2})

    def test_to_the_same_words_again_is_the_same_run_from_its_beginning(self):
        words = self.words()
        first = self.say(words)
        grant = self.claim_soon(self.belfry, self.name)
        self.emit_text(grant["wake"]["run_id"], "once")
        second = self.say(words)
        self.end(self.belfry, grant)
        third = self.say(words)
        told = self.events(first)
        self.assertEqual(self.events(second), told)
        self.assertEqual(self.events(third), told)
        self.assertEqual(len(self.wakes(self.belfry, self.name)), 1)

    def test_goes_on_where_a_worker_has_failed_and_another_comes(self):
        stream = self.say(self.words())
        grant = self.claim_soon(self.belfry, self.name)
        self.emit_text(grant["wake"]["run_id"], "first try ")
        self.end(self.belfry, grant, error={"type": "crashed", "message": "no"})
        again = self.claim_soon(self.belfry, self.name)
        self.assertEqual((again["wake"]["id"], again["wake"]["attempts"]), (grant["wake"]["id"], 2))
        self.emit_text(again["wake"]["run_id"], "second try")
        self.end(self.belfry, again)
        events = self.events(stream)
        self.assertEqual((events[0]["type"], events[-1]["type"]), ("RUN_STARTED", "RUN_FINISHED"))
        self.assertEqual(sum(event["type"].startswith("RUN_") for event in events), 2)

    def test_of_an_agent_that_sleeps_or_is_cancelled_says_so(self):
        waiting = self.say(self.words())
        run = self.wakes(self.belfry, self.name)[0]["run_id"]
        self.assertEqual(json_of(self.belfry.get(f"/v1/runs/{run}"))["state"], "pending")
        self.assertEqual(self.belfry.post(f"/v1/runs/{run}/cancel", {"reason": "enough"}).status, 200)
        events = self.events(waiting)
        self.assertEqual([event["type"] for event in events], ["RUN_ERROR"])
        self.assertEqual((events[0]["code"], events[0]["message"]), ("cancelled", "enough"))
        self.assertEqual(self.wakes(self.belfry, self.name)[0]["state"], "cancelled")
        self.belfry.request("PATCH", f"/v1/agents/{self.name}", {"state": {"sleep_until": "2999-01-01T00:00:00Z"}})
        events = self.events(self.say(self.words()))
        self.assertEqual([event["type"] for event in events], ["RUN_ERROR"])
        self.assertIn("sleeping", events[0]["message"])

    def test_is_refused_for_what_is_no_run_agent_input_with_the_field(self):
        for field in ("threadId", "runId", "messages"):
            words = self.words()
            del words[field]
            self.assertEqual(self.refused(422, words)["field"], field)
        self.assertEqual(self.refused(422, self.words(messages={}))["field"], "messages")
        self.assertEqual(self.refused(422, self.words(messages=[{"id": "x"}]))["field"], "messages[0]")
        self.assertEqual(self.refused(422, self.words(tools={}))["field"], "tools")
        self.assertIn("262144", self.refused(422, self.words(state={"x": "y" * 300000}))["detail"])
        self.assertEqual(self.belfry.post(self.path(), self.words(), token=self.token, headers={"Accept": "application/json"}).status, 406)
        self.assertEqual(self.refused(404, self.words(), agent="nobody")["code"], "not_found")
        quiet = self.agent(self.belfry, user_id=self.user, mode="autonomous")
        self.assertEqual(self.refused(409, self.words(), agent=quiet)["reason"], "refused")
        other = self.agent(self.belfry, user_id=unique("u"))
        self.assertEqual(self.refused(404, self.words(), agent=other)["code"], "not_found")

    def test_is_described(self):
        schemas = schema.Schemas(json_of(self.belfry.get("/openapi.json")))
        self.assertEqual(schemas.named("RunAgentInput", self.words()), [])


class AStop(AgentCase):
    def test_of_the_daemon_ends_an_answer_with_an_error_that_says_the_run_goes_on(self):
        daemon = self.daemon()
        agent = self.agent(daemon)
        stream = daemon.sse(f"/v1/agents/{agent}/ag-ui", body={"threadId": "t", "runId": "r", "messages": []})
        self.addCleanup(stream.close)
        self.claim_soon(daemon, agent)
        daemon.stop()
        found = []
        while (frame := stream.frame()) is not None:
            if frame.comment is None:
                found.append(frame.data)
        self.assertEqual((found[0]["type"], found[-1]["type"], found[-1]["code"]), ("RUN_STARTED", "RUN_ERROR", "stopping"))


if __name__ == "__main__":
    unittest.main()
