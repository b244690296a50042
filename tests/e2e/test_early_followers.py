"""Streams that are followed before their first entry: a runtime that starts first hears what calls it."""

import subprocess
import unittest

import belfry
from belfry import eventually, json_of, unique


def next_entry(reader):
    return reader.entries(1)[0] if hasattr(reader, "entries") else reader.message()


class EarlyFollowers(belfry.SharedCase):
    def mint(self, role, **more):
        return self.belfry.mint(role, **more)[0]

    def request_turn(self, user):
        answer = self.belfry.post("/v1/notifications", {"user_id": user, "text": "look at this",
                                                        "routing": {"address": "user", "target": "agent", "handler": "agent"}})
        self.assertEqual(answer.status, 201, answer.body)

    def show(self, user):
        answer = self.belfry.post("/v1/notifications", {"user_id": user, "text": "look at this",
                                                        "routing": {"address": "user", "target": "user", "handler": "system"}})
        self.assertEqual(answer.status, 201, answer.body)

    def names(self):
        return {stream["name"] for stream in json_of(self.belfry.get("/v1/streams?limit=1000"))["data"]}

    def test_an_agents_stream_is_followed_before_the_first_turn_is_requested(self):
        for form in ("sse", "websocket"):
            with self.subTest(form):
                user = unique("ada-")
                token = self.mint("agent", bounds={"users": [user]})
                reader = getattr(self.belfry, form)(f"/v1/streams/agent:{user}", token=token)
                self.addCleanup(reader.close)
                self.request_turn(user)
                entry = next_entry(reader)
                self.assertEqual((entry["sequence"], entry["event"]["type"]), (1, "turn_requested"))
                self.request_turn(user)
                self.assertEqual(next_entry(reader)["sequence"], 2)

    def test_other_streams_of_a_user_are_followed_before_their_first_entry_too(self):
        user = unique("ada-")
        reader = self.belfry.sse(f"/v1/streams/inbox:{user}")
        self.addCleanup(reader.close)
        self.show(user)
        self.assertEqual(next_entry(reader)["sequence"], 1)

    def test_a_page_of_it_is_empty_and_a_position_beyond_it_is_rejected(self):
        user = unique("ada-")
        page = self.belfry.get(f"/v1/streams/agent:{user}")
        self.assertEqual((page.status, json_of(page)), (200, {"data": [], "next": 0, "has_more": False}))
        listed = json_of(self.belfry.get(f"/v1/streams?name=agent:{user}"))["data"]
        self.assertEqual(listed, [{"name": f"agent:{user}", "head": 0, "floor": 0}])
        self.assert_problem(self.belfry.get(f"/v1/streams/agent:{user}?after=1"), 422, "invalid", field="after")

    def test_reading_makes_no_stream(self):
        before = self.names()
        for number in range(20):
            self.belfry.get(f"/v1/streams/agent:{unique('nobody-')}")
            self.belfry.sse(f"/v1/streams/inbox:{unique('nobody-')}").close()
        self.assertEqual(self.names(), before)
        for name in ("agent:", "agent:" + "u" * 201, "agent:%FF", "agents:ada", "nothing"):
            self.assertEqual(self.belfry.get(f"/v1/streams/{name}").status, 404, name)

    def test_a_strangers_token_is_rejected_before_and_after_the_first_entry(self):
        user = unique("ada-")
        strangers = {"user": self.mint("user", user_id=unique("bob-")), "agent": self.mint("agent", bounds={"users": [unique("bob-")]}),
                     "unbound agent": self.mint("agent"), "emitter": self.mint("emitter")}
        own = self.mint("user", user_id=user)
        for moment in ("before", "after"):
            for who, token in strangers.items():
                for stream in ("agent", "inbox"):
                    with self.subTest(f"{who} {stream} {moment}"):
                        self.assertEqual(self.belfry.get(f"/v1/streams/{stream}:{user}", token=token).status, 403)
            for token in (own, "admin"):
                self.assertEqual(self.belfry.get(f"/v1/streams/agent:{user}", token=token).status, 200)
            self.request_turn(user)
            self.show(user)

    def test_the_stream_of_a_session_is_there_as_soon_as_the_session_is(self):
        user, session = unique("ada-"), unique("s-")
        self.assertEqual(self.belfry.get(f"/v1/streams/session:{session}").status, 404)
        self.assertIn(self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": user}).status, (200, 201))
        self.assertEqual(self.belfry.get(f"/v1/streams/session:{session}", token=self.mint("user", user_id=unique("bob-"))).status, 403)
        reader = self.belfry.sse(f"/v1/streams/session:{session}", token=self.mint("user", user_id=user))
        self.addCleanup(reader.close)
        self.assertEqual(self.belfry.post(f"/v1/sessions/{session}/turns", {"event": "start"}).status, 201)
        self.assertEqual(next_entry(reader)["event"]["type"], "turn_began")

    def test_tail_follows_it(self):
        user, session = unique("ada-"), unique("s-")
        self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": user})
        for stream, happen in ((f"agent:{user}", lambda: self.request_turn(user)),
                               (f"session:{session}", lambda: self.belfry.post(f"/v1/sessions/{session}/turns", {"event": "start"}))):
            with self.subTest(stream):
                door = ["--url", f"http://127.0.0.1:{self.belfry.port}", "--token", self.belfry.admin_token]
                before = self.belfry.metrics()["belfry_stream_readers"]
                tail = subprocess.Popen([belfry.BINARY, "tail", stream, "--json", *door], env=belfry.clean_environment(HOME=self.belfry.folder),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                try:
                    eventually("it follows", lambda: tail.poll() is not None or self.belfry.metrics()["belfry_stream_readers"] > before)
                    self.assertIsNone(tail.poll(), tail.stderr.read() if tail.poll() is not None else b"")
                    happen()
                    self.assertIn(b'"sequence":1', tail.stdout.readline().replace(b" ", b""))
                finally:
                    tail.kill()
                    tail.communicate()
        self.assertNotEqual(self.belfry.run("tail", f"session:{unique('none-')}").code, 0)


if __name__ == "__main__":
    unittest.main()
