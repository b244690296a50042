"""What /openapi.json says is so: answers of the real daemon held against its schemas."""

import os
import re
import unittest

import belfry
import schema
from belfry import event, json_of, unique

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
# Where words are kept that a daemon may say: a name for each list, up to what ends it.
PYTHON_WORDS = r"^(\w+) = Literal\[([^\]]*)\]"
TYPESCRIPT_WORDS = r"^export type (\w+) =\s*([^;{]*);"


class TheDescription(belfry.SharedCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.document = json_of(cls.belfry.get("/openapi.json"))
        cls.schemas = schema.Schemas(cls.document)

    def assert_fits(self, name, value):
        self.assertEqual(self.schemas.named(name, value), [], value)

    def contents(self, method, path, status):
        return self.document["paths"][path][method]["responses"][str(status)]["content"]

    def test_knows_the_entries_of_every_stream(self):
        user = unique("u")
        self.belfry.emit_ok(event(user_id=user))
        self.belfry.post("/v1/notifications", {"text": "hello", "user_id": user})
        self.belfry.post("/v1/notifications", {"content": "look", "user_id": user, "routing": {
            "address": "user", "target": "agent", "handler": "agent"}})
        self.belfry.mint("agent")
        kinds = {"events": "Event", "audit": "AuditRecord", f"inbox:{user}": "InboxMessage", f"agent:{user}": "TurnRequest"}
        for stream, kind in kinds.items():
            page = self.belfry.page(stream)
            self.assertTrue(page["data"], stream)
            self.assert_fits("StreamPage", page)
            for entry in page["data"]:
                self.assert_fits(kind, entry["event"])

    def words(self, path, pattern):
        """The lists of quoted words in a file of ours, by their names."""
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            found = re.findall(pattern, file.read(), re.MULTILINE)
        return {name: re.findall(r"[\"'](\w+)[\"']", words) for name, words in found}

    def test_has_the_words_that_the_clients_and_the_web_app_know(self):
        enums = {name: one["enum"] for name, one in self.document["components"]["schemas"].items() if "enum" in one}
        for path, pattern in (("clients/python/belfry/types.py", PYTHON_WORDS), ("clients/ts/types/wire.d.ts", TYPESCRIPT_WORDS)):
            words = self.words(path, pattern)
            for name in ("Severity", "Priority", "Point", "RunState", "AgentLifecycle", "AgentMode", "WakeReason", "WakeState", "FoldState",
                         "JournalKind", "EntryType", "TaskStatus", "TaskPriority", "RatingTarget"):
                self.assertEqual(sorted(words[name]), sorted(enums[name]), f"{name} in {path}")
        web = self.words("web/src/wakes/words.ts", r"^export const (\w+) = \[([^\]]*)\];")
        self.assertEqual(sorted(web["OPEN"] + web["ENDS"]), sorted(enums["WakeState"]))

    def test_asks_for_what_an_event_needs(self):
        self.assert_fits("NewEvent", event())
        for missing in ("type", "source"):
            body = event()
            del body[missing]
            self.assertEqual(self.belfry.emit(body).status, 422)
            self.assertTrue(self.schemas.named("NewEvent", body), missing)

    def test_knows_what_problems_of_runs_tell(self):
        run = json_of(self.belfry.post("/v1/runs", {}))["id"]
        path = f"/v1/runs/{run}/events"
        taken = json_of(self.belfry.post(path + "?expect_first=9", {"event": "a.b"}))
        lines = json_of(self.belfry.post(path, '{"event":"a.b"}\n{"event":"b"}\n',
                                         headers={"Content-Type": "application/x-ndjson"}))
        known = self.document["components"]["schemas"]["Problem"]["properties"]
        for problem in (taken, lines):
            self.assert_fits("Problem", problem)
            self.assertEqual([name for name in problem if name not in known], [])
        self.assertIn("head", taken)
        self.assertIn("line", lines)

    def test_knows_that_streams_are_server_sent_events_too(self):
        for path in ("/v1/streams/{name}", "/v1/runs/{id}/events", "/v1/inbox/live"):
            self.assertIn("text/event-stream", self.contents("get", path, 200), path)

    def test_knows_the_messages_of_a_runs_websocket(self):
        run = json_of(self.belfry.post("/v1/runs", {"agent_id": "w1"}))["id"]
        self.belfry.post(f"/v1/runs/{run}/events", {"event": "a.b"})
        self.belfry.post(f"/v1/runs/{run}/finish", {"state": "completed"})
        with self.belfry.websocket(f"/v1/runs/{run}/events") as reader:
            messages = [reader.message() for _ in range(4)]
        self.assertEqual([message["type"] for message in messages], ["entry", "entry", "entry", "close"])
        for message in messages:
            self.assert_fits("RunStreamMessage", message)


if __name__ == "__main__":
    unittest.main()
