"""What the tests of runs share."""

import belfry
from belfry import json_of

WORKER = {"agent_id": "w1", "agent_type": "worker", "agent_name": "Wanda", "team_name": "north"}


class RunCase(belfry.SharedCase):
    """With the words for runs."""

    def make(self, **members):
        answer = self.belfry.post("/v1/runs", members)
        self.assertEqual(answer.status, 201, answer.body)
        return json_of(answer)

    def run_now(self, run_id):
        return json_of(self.belfry.get(f"/v1/runs/{run_id}"))

    def emit(self, run_id, body, status=201, **more):
        answer = self.belfry.post(f"/v1/runs/{run_id}/events", body, **more)
        self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def emit_texts(self, run_id, texts):
        return self.emit(run_id, [{"event": "llm.stream", "data": {"delta": text}} for text in texts])

    def act(self, run_id, what, body=None, status=200):
        answer = self.belfry.post(f"/v1/runs/{run_id}/{what}", body or {})
        self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def finish(self, run_id, **members):
        return self.act(run_id, "finish", {"state": "completed", **members})

    def follow(self, run_id, query="", **headers):
        reader = self.belfry.sse(f"/v1/runs/{run_id}/events{query}", headers=headers)
        self.addCleanup(reader.close)
        return reader

    def frames(self, reader, until="close", patience=belfry.PATIENCE):
        """The frames up to one of this kind, heartbeats passed over."""
        found = []
        while True:
            frame = reader.frame(patience)
            self.assertIsNotNone(frame, f"the stream ended after {len(found)} frames")
            if frame.comment is not None:
                continue
            found.append(frame)
            if frame.kind == until:
                return found

    def deltas(self, frames):
        return [frame.data["data"]["delta"] for frame in frames if frame.kind == "llm.stream"]

    def page(self, run_id, **query):
        text = "&".join(f"{name}={value}" for name, value in query.items())
        return json_of(self.belfry.get(f"/v1/runs/{run_id}/events?{text}"))
