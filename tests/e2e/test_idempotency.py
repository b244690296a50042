"""`Idempotency-Key` on every POST: a repeat changes nothing and gets the stored answer, or the route says 422."""

import json
import signal
import unittest

import belfry
from belfry import event, eventually, json_of, unique
from journal import KINDS
from test_access import BODIES, NO_ID

# Routes that take no key. Each answers 422 and names the header.
KEYLESS = {"/v1/tokens", "/v1/tickets", "/v1/links", "/v1/links/redeem", "/v1/peers", "/v1/peers/pairing",
           "/v1/wakes/claim", "/v1/wakes/{id}/renew", "/v1/tool-calls/claim", "/v1/tool-calls/{id}/renew",
           "/v1/sessions/{id}/heartbeat", "/v1/sessions/{id}/pull", "/v1/agents/{id}/ag-ui", "/v1/subscribers/{id}/test"}
# Routes that take a key and need more of a world than this file makes: the handler is reached, and does not see the key.
OUT_OF_REACH = {"/v1/dead-letters/sinks/{id}/retry", "/v1/notifications/{id}/retry", "/v1/agents/{id}/memory/folds/{job}/restart",
                "/v1/change-sets/{id}/items/{number}/accept", "/v1/change-sets/{id}/items/{number}/reject",
                "/v1/change-sets/{id}/accept", "/v1/change-sets/{id}/reject", "/v1/tool-calls/{id}/end"}


class Case(belfry.SharedCase):
    def send(self, path, body, key, token="admin", **headers):
        return self.belfry.post(path, body, token=token, headers={"Idempotency-Key": key, **headers})

    def assert_once(self, path, body, other, **more):
        """The same request twice under one key: one effect, one answer. Another request under the key: 409."""
        key = unique("key-")
        first, again = self.send(path, body, key, **more), self.send(path, body, key, **more)
        self.assertIn(first.status, (200, 201, 202, 204), first.body)
        self.assertIsNone(first.headers.get("idempotent-replayed"))
        self.assertEqual((again.status, again.body), (first.status, first.body))
        self.assertEqual(again.headers.get("idempotent-replayed"), "true")
        self.assertEqual(again.headers.get("location"), first.headers.get("location"))
        if other is not None:
            self.assert_problem(self.send(path, other, key, **more), 409, "conflict", "Idempotency-Key")
        return first

    def inbox(self, user):
        return [one["text"] for one in json_of(self.belfry.get(f"/v1/inbox?user={user}"))["data"]]


class Keys(Case):
    def test_a_notification_is_made_once(self):
        user = unique("u")
        self.assert_once("/v1/notifications", {"text": "hello", "user_id": user}, {"text": "other", "user_id": user})
        self.assertEqual(self.inbox(user), ["hello"])

    def test_a_ring_is_heard_once_and_its_headers_count(self):
        user = unique("u")
        token, _ = self.belfry.mint("user", user_id=user)
        key = unique("key-")
        for expected in (201, 201):
            answer = self.send("/v1/notify/bell", "ding", key, token=token, Title="door")
            self.assertEqual(answer.status, expected, answer.body)
        self.assert_problem(self.send("/v1/notify/bell", "ding", key, token=token, Title="window"), 409, "conflict", "Idempotency-Key")
        self.assertEqual(self.inbox(user), ["door\nding"])

    def test_a_key_is_one_key_on_all_routes(self):
        key = unique("key-")
        self.assertEqual(self.send("/v1/events", event(), key).status, 201)
        answer = self.send("/v1/notifications", {"text": "x", "user_id": "ada"}, key)
        self.assert_problem(answer, 409, "conflict", "Idempotency-Key")
        answer = self.send("/v1/events?", event(), key)
        self.assertEqual((answer.status, answer.headers.get("idempotent-replayed")), (201, "true"))

    def test_keys_of_two_callers_have_nothing_to_do_with_each_other(self):
        user, key = unique("u"), unique("key-")
        for _ in range(2):
            token, _ = self.belfry.mint("user", user_id=user)
            self.assertEqual(self.send("/v1/notifications", {"text": "x"}, key, token=token).status, 201)
        self.assertEqual(len(self.inbox(user)), 2)

    def test_a_request_that_failed_may_be_corrected_under_its_key(self):
        user, key = unique("u"), unique("key-")
        self.assertEqual(self.send("/v1/notifications", {"user_id": user}, key).status, 422)
        session = unique("s-")
        self.assertEqual(self.send(f"/v1/sessions/{session}/acknowledge", {"pull_id": NO_ID}, key).status, 404)
        self.assertEqual(self.send("/v1/notifications", {"text": "x", "user_id": user}, key).status, 201)

    def test_a_key_that_is_too_long_is_rejected(self):
        answer = self.send("/v1/notifications", {"text": "x", "user_id": "ada"}, "k" * 256)
        self.assert_problem(answer, 413, "too_large", "Idempotency-Key")

    def test_many_at_once_under_one_key_have_one_effect(self):
        user, key, answers = unique("u"), unique("key-"), []

        def send():
            answers.append(self.send("/v1/notifications", {"text": "x", "user_id": user}, key))
        with belfry.threads(*[send] * 8):
            pass
        self.assertEqual({(one.status, one.body) for one in answers}, {(201, answers[0].body)})
        self.assertEqual(self.inbox(user), ["x"])

    def test_a_repeat_after_the_object_has_gone_on_gets_the_answer_of_then(self):
        key = unique("key-")
        made = json_of(self.send("/v1/runs", {"user_id": "ada"}, key))
        self.belfry.post(f"/v1/runs/{made['id']}/cancel", {})
        self.assertEqual(json_of(self.send("/v1/runs", {"user_id": "ada"}, key)), made)


class Routes(Case):
    """Every POST of the OpenAPI document: whoever adds one says here what it does with a key."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        paths = json_of(cls.belfry.get("/openapi.json", token=None))["paths"]
        cls.operations = {path: methods["post"] for path, methods in paths.items() if "post" in methods}

    def test_are_described(self):
        for path, operation in self.operations.items():
            with self.subTest(path):
                takes = any(one["name"] == "Idempotency-Key" for one in operation.get("parameters", []))
                self.assertEqual(takes, path not in KEYLESS)
                if not takes:
                    self.assertIn("Idempotency-Key", operation["responses"]["422"]["description"])

    def test_without_a_stored_answer_reject_the_key(self):
        for path in sorted(KEYLESS):
            with self.subTest(path):
                place = path.replace("/v1/wakes/{id}", "/v1/wakes/1").replace("/v1/tool-calls/{id}", "/v1/tool-calls/" + NO_ID)
                answer = self.send(place.replace("{id}", "x"), BODIES.get(path), unique("key-"))
                self.assert_problem(answer, 422, "invalid", "Idempotency-Key", "Idempotency-Key")
        self.assertEqual([one["name"] for one in json_of(self.belfry.get("/v1/tokens"))["data"] if one["name"] == "x"], [])

    def test_out_of_reach_pass_the_key_on(self):
        for path in sorted(OUT_OF_REACH):
            with self.subTest(path):
                place = path.replace("/agents/{id}", "/agents/none").replace("{number}", "1").replace("{job}", NO_ID).replace("{id}", NO_ID)
                self.assert_problem(self.send(place, BODIES.get(path), unique("key-")), 404, "not_found",
                                    json.loads(self.send(place, BODIES.get(path), unique("key-")).body).get("field"))

    def test_do_what_they_do_once(self):
        agent, session, user = unique("agent"), unique("s-"), unique("u")
        self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": user})
        self.belfry.post("/v1/agents", {"id": agent, "user_id": user})
        wake = json_of(self.belfry.post(f"/v1/agents/{agent}/wake", {}))
        grant = json_of(self.belfry.post("/v1/wakes/claim", {"agents": [agent]}))["wake"]
        fence = grant["fence"]
        self.assertEqual(grant["id"], wake["id"])
        run = json_of(self.belfry.post("/v1/runs", {"user_id": user, "start": False}))["id"]
        for_inbox = json_of(self.belfry.post("/v1/notifications", {"text": "n", "user_id": user}))
        asked = json_of(self.belfry.post(f"/v1/sessions/{session}/interactions", {"kind": "confirmation", "message": "May I?"}))
        self.belfry.post("/v1/notifications", {"text": "note", "user_id": user, "session_id": session,
                                               "routing": {"address": "session", "target": "user", "handler": "agent"}})
        pulled = json_of(self.belfry.post(f"/v1/sessions/{session}/pull", {"point": "turn_start"}))
        held = pulled["items"][0]
        cancelled = json_of(self.belfry.post(f"/v1/agents/{agent}/wake", {}))
        task = json_of(self.belfry.post(f"/v1/journal/tasks?user={user}", {"title": "t"}))["id"]
        checklist = json_of(self.belfry.post(f"/v1/journal/checklists?user={user}", {"title": "c", "task_id": task}))["id"]
        steps = [
            ("/v1/events", event(), event(source="other")),
            ("/v1/notifications", {"text": "x", "user_id": user}, {"text": "y", "user_id": user}),
            ("/v1/notify/{topic}", "ding", "dong"),
            ("/v1/notifications/{id}/ack", {"lease": for_inbox["lease"], "version": for_inbox["version"], "how": "clicked"},
             {"lease": 99, "version": 99}),
            ("/v1/notifications/{id}/read", {"mark": "seen"}, {"mark": "acted"}),
            ("/v1/notifications/{id}/narrate", {"lease": held["lease"], "text": "I tell it"}, {"lease": held["lease"], "text": "?"}),
            ("/v1/sessions/{id}/acknowledge", {"pull_id": pulled["pull_id"]}, {"pull_id": NO_ID}),
            ("/v1/sessions/{id}/messages", {"role": "user", "content": "one"}, {"role": "user", "content": "two"}),
            ("/v1/sessions/{id}/turns", {"event": "start"}, {"event": "end"}),
            ("/v1/sessions/{id}/tool-calls", {"status": "pending", "tool_name": "t", "call_id": "1"},
             {"status": "pending", "tool_name": "t", "call_id": "2"}),
            ("/v1/sessions/{id}/notify-self", {"message": "x"}, {"message": "y"}),
            ("/v1/sessions/{id}/interactions", {"kind": "confirmation", "message": "May I?"}, {"kind": "confirmation", "message": "?"}),
            ("/v1/interactions/{id}/answer", {"decision": "deny"}, {"decision": "allow_once"}),
            ("/v1/runs", {"user_id": user}, {"user_id": "other"}),
            ("/v1/runs/{id}/start", {}, None),
            ("/v1/runs/{id}/events", {"event": "a.b"}, {"event": "a.c"}),
            ("/v1/runs/{id}/pause", {}, None),
            ("/v1/runs/{id}/resume", {}, None),
            ("/v1/runs/{id}/finish", {"state": "completed"}, {"state": "failed"}),
            ("/v1/agents", {"id": unique("agent"), "user_id": user}, {"id": unique("agent"), "user_id": user}),
            ("/v1/agents/{id}/subscriptions", {"types": ["a.b"]}, {"types": ["a.c"]}),
            ("/v1/agents/{id}/timers", {"name": "t", "schedule": {"kind": "daily", "time": "07:00"}},
             {"name": "t2", "schedule": {"kind": "daily", "time": "07:00"}}),
            ("/v1/agents/{id}/wake", {}, None),
            ("/v1/agents/{id}/memory/folds", {}, None),
            ("/v1/agents/{id}/memory/forget", {"thread_id": "t"}, {"thread_id": "u"}),
            ("/v1/agents/import", '{"agent":{"id":"%s","user_id":"%s"}}\n{"end":{}}\n' % (unique("agent"), user), None),
            ("/v1/wakes/{id}/messages", {"fence": fence, "messages": [{"kind": "thought", "content": "hm"}]},
             {"fence": fence, "messages": [{"kind": "thought", "content": "ah"}]}),
            ("/v1/wakes/{id}/plan", {"fence": fence, "actions": [{"tool_name": "t"}]}, {"fence": fence, "actions": [{"tool_name": "u"}]}),
            ("/v1/wakes/{id}/call", {"fence": fence, "tool_name": "list_allowed_categories", "arguments": {}},
             {"fence": fence, "tool_name": "list_allowed_categories"}),
            ("/v1/wakes/{id}/end", {"fence": fence}, {"fence": fence + 1}),
            ("/v1/wakes/{id}/cancel", {}, None),
            ("/v1/journal/import", "", None),
            *[(f"/v1/journal/{plural}", json.loads(json.dumps(members).replace("{task}", task).replace("{checklist}", checklist)), None)
              for plural, (members, _, _) in KINDS.items()],
        ]
        # The run that is cancelled is another than the one that is finished.
        victim = json_of(self.belfry.post("/v1/runs", {"user_id": user}))["id"]
        steps.append(("/v1/runs/{id}/cancel", {}, None))
        self.assertEqual({path for path, _, _ in steps} | KEYLESS | OUT_OF_REACH | {"/v1/erasures"}, set(self.operations))
        places = {"/v1/notifications/{id}/narrate": f"/v1/notifications/{held['id']}/narrate",
                  "/v1/runs/{id}/cancel": f"/v1/runs/{victim}/cancel",
                  "/v1/wakes/{id}/cancel": f"/v1/wakes/{cancelled['id']}/cancel",
                  "/v1/journal/import": f"/v1/journal/import?user={user}",
                  **{f"/v1/journal/{plural}": f"/v1/journal/{plural}?user={user}" for plural in KINDS}}
        for path, body, other in steps:
            with self.subTest(path):
                place = places.get(path) or (
                    path.replace("/notifications/{id}", "/notifications/" + for_inbox["id"]).replace("{topic}", "bell")
                    .replace("/sessions/{id}", "/sessions/" + session).replace("/interactions/{id}", "/interactions/" + asked["id"])
                    .replace("/runs/{id}", f"/runs/{run}").replace("/agents/{id}", "/agents/" + agent)
                    .replace("/wakes/{id}", f"/wakes/{wake['id']}"))
                self.assert_once(place, body, other)
        history = json_of(self.belfry.get(f"/v1/sessions/{session}/history"))
        self.assertEqual(json.dumps(history).count('"one"'), 1)

    def test_that_take_chunks_as_they_come_reject_the_key_for_those(self):
        run = json_of(self.belfry.post("/v1/runs", {"user_id": "ada"}))["id"]
        connection = self.belfry.connect()
        connection.request("POST", f"/v1/runs/{run}/events", body=iter([b'{"event":"a.b"}\n']), encode_chunked=True, headers={
            "Transfer-Encoding": "chunked", "Content-Type": "application/x-ndjson", "Idempotency-Key": "k",
            "Authorization": "Bearer " + self.belfry.admin_token})
        response = connection.getresponse()
        self.assertEqual((response.status, json.loads(response.read())["field"]), (422, "Idempotency-Key"))
        connection.close()


class Storage(belfry.Case):
    def test_an_answer_outlives_a_crash_and_the_effect_is_not_doubled(self):
        daemon = self.daemon()
        for round_ in range(5):
            key, answers = unique("key-"), []

            def send():
                try:
                    answers.append(daemon.post("/v1/notifications", {"text": key, "user_id": "ada"}, headers={"Idempotency-Key": key}))
                except OSError:
                    pass  # the daemon was killed before it answered
            with belfry.threads(send):
                if round_ % 2:
                    eventually("it was answered", lambda: answers)
                daemon.process.send_signal(signal.SIGKILL)
                daemon.process.wait()
            daemon.start()
            again = daemon.post("/v1/notifications", {"text": key, "user_id": "ada"}, headers={"Idempotency-Key": key})
            self.assertEqual(again.status, 201, again.body)
            for first in answers:
                self.assertEqual(first.body, again.body)
            found = [one for one in json_of(daemon.get("/v1/inbox?user=ada&limit=1000"))["data"] if one["text"] == key]
            self.assertEqual([one["id"] for one in found], [json_of(again)["id"]])

    def test_an_erasure_removes_what_answers_repeat_and_keeps_the_keys(self):
        daemon = self.daemon()
        mark = unique("secret-of-ada-")
        headers = {"Idempotency-Key": "k1"}
        self.assertEqual(daemon.post("/v1/notifications", {"text": mark, "user_id": "ada"}, headers=headers).status, 201)
        self.assertEqual(daemon.emit(event(), headers={"Idempotency-Key": "k2"}).status, 201)
        erasure = json_of(daemon.post("/v1/erasures", {"user_id": "ada"}))["id"]
        eventually("erased", lambda: json_of(daemon.get(f"/v1/erasures/{erasure}"))["finished_at"])
        eventually("nothing of it is on disk", lambda: not belfry.traces_of(daemon, mark))
        answer = daemon.post("/v1/notifications", {"text": mark, "user_id": "ada"}, headers=headers)
        self.assert_problem(answer, 410, "gone", "Idempotency-Key")
        self.assertEqual(json_of(daemon.get("/v1/inbox?user=ada"))["data"], [])
        # The erasure itself is answered as before: its answer names nobody.
        first = daemon.post("/v1/erasures", {"user_id": "ada"}, headers={"Idempotency-Key": "k3"})
        erasure = json_of(first)["id"]
        eventually("erased again", lambda: json_of(daemon.get(f"/v1/erasures/{erasure}"))["finished_at"])
        again = daemon.post("/v1/erasures", {"user_id": "ada"}, headers={"Idempotency-Key": "k3"})
        self.assertEqual((again.status, again.body), (202, first.body))
        self.assertEqual(again.headers["location"], first.headers["location"])
        # An answer that holds nothing of a user stays.
        self.assertEqual(daemon.emit(event(), headers={"Idempotency-Key": "k2"}).headers.get("idempotent-replayed"), "true")


if __name__ == "__main__":
    unittest.main()
