"""Who may do what: every route with every role, bounds, tickets, revocation, secrets, Host and Origin."""

import contextlib
import json
import os
import re
import stat
import unittest

import belfry
from belfry import event, json_of, unique
from journal import KINDS

ROLES = ("admin", "service", "user", "agent", "emitter")

# Who may call a route at all. What is not here is a route that somebody added without thinking about this.
ALLOWED = {
    ("post", "/v1/events"): ROLES,
    ("get", "/v1/streams"): ROLES[:4],
    ("get", "/v1/streams/{name}"): ROLES[:4],  # an agent only inside its bounds
    ("get", "/v1/tokens"): ("admin",),
    ("post", "/v1/tokens"): ("admin", "service"),
    ("delete", "/v1/tokens/{id}"): ("admin",),
    ("post", "/v1/tickets"): ROLES[:4],
    ("post", "/v1/erasures"): ("admin",),
    ("get", "/v1/erasures/{id}"): ("admin",),
    ("get", "/v1/sessions"): ROLES[:4],
    ("put", "/v1/sessions/{id}"): ROLES[:4],
    ("get", "/v1/sessions/{id}"): ROLES[:4],
    ("get", "/v1/sessions/{id}/history"): ROLES[:4],
    ("post", "/v1/sessions/{id}/messages"): ROLES[:4],
    ("post", "/v1/sessions/{id}/turns"): ROLES[:4],
    ("post", "/v1/sessions/{id}/tool-calls"): ROLES[:4],
    ("post", "/v1/sessions/{id}/notify-self"): ROLES[:4],
    ("post", "/v1/sessions/{id}/pull"): ROLES[:4],
    ("post", "/v1/sessions/{id}/acknowledge"): ROLES[:4],
    ("get", "/v1/notifications"): ROLES[:4],
    ("get", "/v1/notifications/{id}"): ROLES[:4],
    ("delete", "/v1/sessions/{id}"): ROLES[:3],
    ("post", "/v1/sessions/{id}/heartbeat"): ROLES[:4],
    ("get", "/v1/sessions/{id}/context"): ROLES[:4],
    ("post", "/v1/notifications"): ROLES,
    ("post", "/v1/notify/{topic}"): ROLES,
    ("post", "/v1/notifications/{id}/ack"): ROLES[:3],
    ("post", "/v1/notifications/{id}/read"): ROLES[:3],
    ("post", "/v1/notifications/{id}/narrate"): ROLES[:4],
    ("post", "/v1/notifications/{id}/retry"): ROLES[:3],
    ("get", "/v1/dead-letters"): ROLES[:4],
    ("get", "/v1/dead-letters/sinks"): ROLES[:2],
    ("post", "/v1/dead-letters/sinks/{id}/retry"): ROLES[:2],
    ("get", "/v1/inbox"): ROLES[:3],  # agents learn of it by what they are handed
    ("get", "/v1/inbox/live"): ROLES[:3],
    ("get", "/v1/why/{id}"): ROLES[:4],
    ("get", "/v1/tools"): ROLES[:4],
    ("get", "/v1/context"): ROLES[:4],
    ("get", "/v1/context/{name}"): ROLES[:4],
    ("put", "/v1/context/{name}"): ROLES,
    ("delete", "/v1/context/{name}"): ROLES,
    ("get", "/v1/tools/{name}"): ROLES[:4],
    ("put", "/v1/tools/{name}"): ROLES[:2],
    ("delete", "/v1/tools/{name}"): ROLES[:2],
    ("post", "/v1/runs"): ROLES[:4],
    ("get", "/v1/runs"): ROLES[:4],
    ("get", "/v1/runs/{id}"): ROLES[:4],
    ("post", "/v1/runs/{id}/start"): ROLES[:4],
    ("post", "/v1/runs/{id}/cancel"): ROLES[:4],
    ("post", "/v1/runs/{id}/finish"): ROLES[:4],
    ("post", "/v1/runs/{id}/pause"): ROLES[:4],
    ("post", "/v1/runs/{id}/resume"): ROLES[:4],
    ("post", "/v1/runs/{id}/events"): ROLES[:4],
    ("get", "/v1/runs/{id}/events"): ROLES[:4],
    ("post", "/v1/agents"): ROLES[:3],
    ("get", "/v1/agents"): ROLES[:3],
    ("get", "/v1/agents/{id}"): ROLES[:3],
    ("patch", "/v1/agents/{id}"): ROLES[:3],
    ("delete", "/v1/agents/{id}"): ROLES[:3],
    ("get", "/v1/agents/{id}/subscriptions"): ROLES[:3],
    ("post", "/v1/agents/{id}/subscriptions"): ROLES[:3],
    ("delete", "/v1/agents/{id}/subscriptions/{sid}"): ROLES[:3],
    ("get", "/v1/agents/{id}/timers"): ROLES[:3],
    ("post", "/v1/agents/{id}/timers"): ROLES[:3],
    ("get", "/v1/agents/{id}/timers/{tid}"): ROLES[:3],
    ("patch", "/v1/agents/{id}/timers/{tid}"): ROLES[:3],
    ("delete", "/v1/agents/{id}/timers/{tid}"): ROLES[:3],
    ("get", "/v1/timers"): ROLES[:3],
    ("post", "/v1/agents/{id}/wake"): ROLES[:4],
    ("post", "/v1/agents/{id}/ag-ui"): ROLES[:3],
    ("get", "/v1/agents/{id}/messages"): ROLES[:4],
    ("get", "/v1/agents/{id}/messages/{mid}"): ROLES[:4],
    ("get", "/v1/agents/{id}/memory"): ROLES[:4],
    ("get", "/v1/agents/{id}/memory/threads"): ROLES[:4],
    ("get", "/v1/agents/{id}/memory/summaries"): ROLES[:4],
    ("get", "/v1/agents/{id}/memory/summaries/{sid}"): ROLES[:4],
    ("get", "/v1/agents/{id}/memory/search"): ROLES[:4],
    ("get", "/v1/agents/{id}/memory/folds"): ROLES[:3],
    ("post", "/v1/agents/{id}/memory/folds"): ROLES[:3],
    ("post", "/v1/agents/{id}/memory/folds/{job}/restart"): ROLES[:3],
    ("post", "/v1/agents/{id}/memory/forget"): ROLES[:3],  # no agent decides what it forgets
    ("get", "/v1/agents/{id}/export"): ROLES[:3],
    ("post", "/v1/agents/import"): ROLES[:3],
    ("get", "/v1/peers"): ROLES[:2],
    ("post", "/v1/peers"): ("admin",),
    ("post", "/v1/peers/pairing"): ("admin",),
    ("delete", "/v1/peers/{id}"): ("admin",),
    ("get", "/v1/sync/status"): ROLES[:2],
    ("get", "/v1/sync/merges"): ROLES[:2],  # it has words of everybody: none that are bound
    ("get", "/v1/sync/digest"): ("admin",),
    ("post", "/v1/wakes/{id}/messages"): ROLES[:4],
    ("post", "/v1/wakes/{id}/plan"): ROLES[:4],
    ("post", "/v1/wakes/{id}/call"): ROLES[:4],
    ("get", "/v1/wakes/{id}/plan"): ROLES[:4],
    ("get", "/v1/wakes"): ROLES[:4],
    ("get", "/v1/wakes/{id}"): ROLES[:4],
    ("get", "/v1/wakes/{id}/signals"): ROLES[:4],
    ("post", "/v1/wakes/claim"): ROLES[:4],
    ("post", "/v1/wakes/{id}/renew"): ROLES[:4],
    ("patch", "/v1/wakes/{id}/state"): ROLES[:4],
    ("post", "/v1/wakes/{id}/end"): ROLES[:4],
    ("post", "/v1/wakes/{id}/cancel"): ROLES[:4],
    ("get", "/v1/journal"): ROLES[:4],  # an agent under a claim only, as in all of the journal
    ("get", "/v1/journal/search"): ROLES[:4],
    ("get", "/v1/journal/links"): ROLES[:4],
    ("put", "/v1/journal/links/{relation}/{from}/{to}"): ROLES[:4],
    ("delete", "/v1/journal/links/{relation}/{from}/{to}"): ROLES[:4],
    ("get", "/v1/journal/export"): ROLES[:3],
    ("post", "/v1/journal/import"): ROLES[:3],
    **{(method, f"/v1/journal/{plural}"): ROLES[:4] for plural in KINDS for method in ("get", "post")},
    **{(method, f"/v1/journal/{plural}/{{id}}"): ROLES[:4] for plural in KINDS for method in ("get", "patch", "delete")},
    ("get", "/v1/sessions/{id}/stream"): ROLES[:4],
    ("post", "/v1/sessions/{id}/interactions"): ROLES[:4],
    ("get", "/v1/interactions"): ROLES[:4],
    ("get", "/v1/interactions/{id}"): ROLES[:4],
    ("post", "/v1/interactions/{id}/answer"): ROLES[:3],
    ("delete", "/v1/interactions/{id}"): ROLES[:4],
    ("get", "/v1/change-sets"): ROLES[:3],  # what other agents propose is no agent's business
    ("get", "/v1/change-sets/{id}"): ROLES[:3],
    ("post", "/v1/change-sets/{id}/items/{number}/accept"): ROLES[:3],
    ("post", "/v1/change-sets/{id}/items/{number}/reject"): ROLES[:3],
    ("post", "/v1/change-sets/{id}/accept"): ROLES[:3],
    ("post", "/v1/change-sets/{id}/reject"): ROLES[:3],
    ("post", "/v1/tool-calls/claim"): ROLES[:4],
    ("post", "/v1/tool-calls/{id}/renew"): ROLES[:4],
    ("post", "/v1/tool-calls/{id}/end"): ROLES[:4],
    ("get", "/v1/tool-calls"): ROLES[:4],
    ("get", "/v1/tool-calls/{id}"): ROLES[:4],
    ("delete", "/v1/interactions/{id}/always-allowed"): ROLES[:3],
    ("get", "/v1/rpc"): ROLES[:4],
    ("get", "/v1/subscribers"): ROLES[:4],
    ("get", "/v1/subscribers/{id}"): ROLES[:4],
    ("put", "/v1/subscribers/{id}"): ROLES[:3],
    ("get", "/v1/users/{id}/settings"): ROLES[:3],
    ("put", "/v1/users/{id}/settings"): ROLES[:3],
    ("post", "/v1/subscribers/{id}/test"): ROLES[:3],
    ("post", "/v1/links"): ("admin",),
    ("post", "/v1/links/redeem"): None,
    ("get", "/v1/me"): ROLES,
    ("get", "/v1/ledger/summary"): ROLES[:4],
    ("get", "/v1/status"): ("admin", "service"),
    ("get", "/metrics"): ("admin", "service"),
    ("get", "/healthz"): None,
    ("get", "/readyz"): None,
    ("get", "/openapi.json"): None,
}
NO_ID = "0" * 8 + "-0000-7000-8000-" + "0" * 12
BODIES = {"/v1/events": event(user_id="ada"), "/v1/tokens": {"name": "x", "role": "user", "user_id": "ada", "ttl_s": 60},
          "/v1/erasures": {"user_id": "nobody-at-all"}, "/v1/sessions/{id}": {"user_id": "ada"},
          "/v1/sessions/{id}/messages": {"role": "user", "content": "x"}, "/v1/sessions/{id}/turns": {"event": "start"},
          "/v1/sessions/{id}/tool-calls": {"status": "pending", "tool_name": "t", "call_id": "1"},
          "/v1/sessions/{id}/notify-self": {"message": "x"}, "/v1/sessions/{id}/pull": {"point": "turn_start"},
          "/v1/sessions/{id}/acknowledge": {"pull_id": NO_ID},
          "/v1/sessions/{id}/heartbeat": {}, "/v1/notifications": {"text": "x", "user_id": "ada"}, "/v1/notify/{topic}": "x",
          "/v1/notifications/{id}/ack": {"lease": 1, "version": 1, "how": "clicked"},
          "/v1/notifications/{id}/read": {"mark": "seen"}, "/v1/notifications/{id}/narrate": {"lease": 1, "text": "x"},
          "/v1/tools/{name}": {"impact": "internal"},
          "/v1/context/{name}": {"content": "x"},
          "/v1/runs": {"user_id": "ada"}, "/v1/runs/{id}/finish": {"state": "completed"},
          "/v1/runs/{id}/events": {"event": "a.b"}, "/v1/interactions/{id}/answer": {"decision": "deny"},
          "/v1/sessions/{id}/interactions": {"kind": "confirmation", "message": "May I?"},
          "/v1/links/redeem": {"code": "none"},
          "/v1/agents": {"id": "access", "user_id": "ada"}, "/v1/agents/{id}": {},
          "/v1/agents/{id}/subscriptions": {"types": ["a.b"]}, "/v1/agents/{id}/wake": {},
          "/v1/agents/{id}/ag-ui": {"threadId": "access", "runId": "1", "messages": []},
          "/v1/agents/{id}/timers": {"name": "t", "schedule": {"kind": "daily", "time": "07:00"}}, "/v1/agents/{id}/timers/{tid}": {},
          "/v1/agents/{id}/memory/folds": {}, "/v1/agents/{id}/memory/forget": {"thread_id": "t"},
          "/v1/agents/import": '{"agent":{"id":"access-imported","user_id":"ada"}}\n{"end":{}}\n',
          "/v1/peers": {"code": "K7QF-92MX-4TRA", "at": "127.0.0.1:1"},
          "/v1/wakes/claim": {"agents": ["access"]}, "/v1/wakes/{id}/renew": {"fence": 1}, "/v1/wakes/{id}/end": {"fence": 1}, "/v1/wakes/{id}/state": {"fence": 1},
          "/v1/wakes/{id}/messages": {"fence": 1, "messages": [{"kind": "thought"}]},
          "/v1/wakes/{id}/plan": {"fence": 1, "actions": [{"tool_name": "t"}]},
          "/v1/wakes/{id}/call": {"fence": 1, "tool_name": "t"},
          "/v1/tool-calls/claim": {"tools": ["access_tool"]}, "/v1/tool-calls/{id}/renew": {"fence": 1},
          "/v1/tool-calls/{id}/end": {"fence": 1, "result": {}},
          "/v1/subscribers/{id}": {"enabled": True, "user_id": "ada"}, "/v1/users/{id}/settings": {"disabled_subscribers": []},
          "/v1/journal/links/{relation}/{from}/{to}": {}, "/v1/journal/import": "",
          **{f"/v1/journal/{plural}": members for plural, (members, _, _) in KINDS.items()},
          **{f"/v1/journal/{plural}/{{id}}": {} for plural in KINDS}}


class Routes(belfry.SharedCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.paths = json_of(cls.belfry.get("/openapi.json", token=None))["paths"]

    def routes(self):
        for path, operations in self.paths.items():
            for method, operation in operations.items():
                if method in ("get", "post", "put", "patch", "delete"):
                    yield method, path, operation

    def api_routes(self):
        """Those with data behind them: pages of the web app are open, and hold nothing."""
        found = [(method, path) for method, path, operation in self.routes()
                 if path.startswith(("/v1", "/metrics", "/healthz", "/readyz", "/openapi"))]
        return sorted(found, key=lambda one: one[0] == "delete")  # what others use goes last

    def call(self, method, path, token):
        place = path.replace("/context/{name}", "/context/build.progress").replace("{name}", "events").replace("/users/{id}", "/users/ada")
        place = place.replace("/notifications/{id}", "/notifications/" + NO_ID).replace("/why/{id}", "/why/" + NO_ID)
        place = place.replace("/wakes/{id}", "/wakes/999").replace("{sid}", NO_ID).replace("{tid}", NO_ID).replace("{mid}", NO_ID)
        place = place.replace("{job}", NO_ID).replace("/memory/search", "/memory/search?q=x")
        place = place.replace("/runs/{id}", "/runs/999").replace("/interactions/{id}", "/interactions/" + NO_ID)
        place = place.replace("/v1/tool-calls/{id}", "/v1/tool-calls/" + NO_ID)
        place = place.replace("/change-sets/{id}", "/change-sets/" + NO_ID).replace("/items/{number}", "/items/1")
        place = place.replace("{id}", "0" * 12).replace("{topic}", "bell").replace("{relation}/{from}/{to}", "next/a/b")
        if place.startswith("/v1/journal") and "agent" in ALLOWED[(method, path)]:
            place += {"/v1/journal/search": "?q=x&", "/v1/journal/links": "?from=a&"}.get(path, "?") + "wake=999&fence=1"
        if place == "/v1/inbox/live":
            return self.first_of(place, token)
        place += {"/v1/sessions/{id}/context": "?point=turn_start", "/v1/inbox": "?user=ada",
                  "/v1/ledger/summary": "?user=ada"}.get(path, "")
        body = BODIES.get(path) if method in ("post", "put", "patch") else None
        return self.belfry.request(method.upper(), place, body, token=token)

    @contextlib.contextmanager
    def from_address(self, address):
        before = self.belfry.source
        self.belfry.source = (address, 0)
        try:
            yield
        finally:
            self.belfry.source = before

    def first_of(self, place, token):
        """The answer of a route that goes on: as far as it is needed."""
        fields = f"Authorization: Bearer {token}\r\n" if token else ""
        raw = belfry.Bytes(self.belfry.raw())
        raw.socket.sendall(f"GET {place}?user=ada HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                           f"Accept: text/event-stream\r\n{fields}\r\n".encode())
        answer = belfry.read_response(raw)
        raw.socket.close()
        return answer

    def test_are_all_known_here(self):
        self.assertEqual(set(self.api_routes()), set(ALLOWED))

    def test_that_are_not_open_need_a_token(self):
        for method, path in self.api_routes():
            with self.subTest(f"{method} {path}"):
                answer = self.call(method, path, None)
                if ALLOWED[(method, path)] is None:
                    self.assertEqual(answer.status, 410 if path == "/v1/links/redeem" else 200)
                else:
                    self.assert_problem(answer, 401, "unauthenticated")
                    self.assertEqual(answer.headers["www-authenticate"].split()[0], "Bearer")

    def test_refuse_a_wrong_token_in_any_shape(self):
        good, _ = self.belfry.mint("admin")
        wrong = [good[:-1] + ("A" if good[-1] != "A" else "B"), good[:-1], good + "x", "bf_000000000000_" + "A" * 43,
                 "nonsense"]
        closed = [route for route in self.api_routes() if ALLOWED[route] is not None]
        for number, (method, path) in enumerate(closed):
            # Failed logins are counted by address, and they are many here.
            with self.subTest(f"{method} {path}"), self.from_address(f"127.0.0.{2 + number // 40}"):
                self.assert_problem(self.call(method, path, wrong[0]), 401, "unauthenticated")
        for token in wrong:
            with self.subTest(token[:8]):
                self.assert_problem(self.belfry.get("/v1/streams", token=token), 401, "unauthenticated")
        for field in ("Basic YTpi", "Bearer", "Bearer ", good):
            with self.subTest(field):
                answer = self.belfry.get("/v1/streams", token=None, headers={"Authorization": field})
                self.assert_problem(answer, 401, "unauthenticated")

    def test_let_each_role_in_or_not_as_the_table_says(self):
        tokens = {role: self.belfry.mint(role, **({"bounds": {"users": ["ada"]}} if role == "agent" else {}))[0]
                  for role in ROLES}
        self.call("put", "/v1/sessions/{id}", tokens["admin"])
        for method, path in self.api_routes():
            allowed = ALLOWED[(method, path)]
            for role in ROLES:
                with self.subTest(f"{role}: {method} {path}"):
                    answer = self.call(method, path, tokens[role])
                    if allowed is None or role in allowed:
                        nobody_there = (503,) if path == "/v1/peers" else ()
                        self.assertIn(answer.status, (200, 201, 202, 204, 404, 409, 410, 426, *nobody_there), answer.body)
                    else:
                        self.assert_problem(answer, 403, "forbidden")

    def test_reject_a_parameter_that_they_do_not_have(self):
        for method, path, _ in self.routes():
            with self.subTest(f"{method} {path}"):
                place = re.sub(r"\{[a-z]+\}", "1", path) + "?no_such_parameter=1"
                answer = self.belfry.request(method.upper(), place, BODIES.get(path) if method != "get" else None)
                self.assert_problem(answer, 422, "invalid", "no_such_parameter")
        # Encoded, repeated and beside one that is known.
        for query, field in (("no%5Fsuch=1", "no_such"), ("user=ada&user_id=ada", "user_id"), ("User=ada", "User"), ("=1", "query")):
            with self.subTest(query):
                self.assert_problem(self.belfry.get("/v1/subscribers?" + query), 422, "invalid", field)
        self.assert_problem(self.belfry.get("/v1/status?a=%zz"), 400, "malformed")
        self.assertEqual(self.belfry.get("/v1/status?").status, 200)

    def test_switch_nothing_off_for_somebody_else(self):
        before = json_of(self.belfry.get("/v1/users/root/settings")), json_of(self.belfry.get("/v1/users/ada/settings"))
        answer = self.belfry.request("PUT", "/v1/subscribers/subagent?user=ada", {"enabled": False})
        self.assert_problem(answer, 422, "invalid", "user")
        self.assertEqual((json_of(self.belfry.get("/v1/users/root/settings")), json_of(self.belfry.get("/v1/users/ada/settings"))), before)

    def test_with_a_path_that_looks_like_their_pattern_are_no_trap(self):
        for _, path in self.api_routes():
            if "{" in path:
                with self.subTest(path):
                    raw = belfry.Bytes(self.belfry.raw())
                    raw.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
                                       f"{self.belfry.admin_token}\r\n\r\n".encode())
                    answer = belfry.read_response(raw)
                    raw.socket.close()
                    self.assertIsNotNone(answer, "the daemon closed the connection, or is gone")
                    # A user may have any name; he then has chosen nothing.
                    expected = (200,) if path.startswith("/v1/users/") else (400, 404, 405, 422)
                    self.assertIn(answer.status, expected)
        self.assertIsNone(self.belfry.process.poll())

    def test_answer_a_method_that_they_have_not_with_those_that_they_have(self):
        answer = self.belfry.request("DELETE", "/v1/events")
        self.assert_problem(answer, 405, "unsupported")
        self.assertIn("POST", answer.headers["allow"])
        self.assert_problem(self.belfry.get("/v1/nothing"), 404, "not_found")

    def test_answer_head_like_get_without_a_body(self):
        answer = self.belfry.request("HEAD", "/v1/streams")
        self.assertEqual((answer.status, answer.body), (200, b""))
        self.assertGreater(int(answer.headers["content-length"]), 0)


class EventsInSessionsOfOthers(belfry.SharedCase):
    """An event of another user than the session's stays out of the session and goes to that user."""

    def setUp(self):
        self.ada, self.bob, self.session = unique("ada-"), unique("bob-"), unique("s-")
        self.tokens = {name: self.belfry.mint("user", user_id=user)[0] for name, user in (("ada", self.ada), ("bob", self.bob))}
        self.tokens["agent of ada"] = self.belfry.mint("agent", bounds={"users": [self.ada]})[0]
        self.tokens["agent of the session"] = self.belfry.mint("agent", bounds={"sessions": [self.session]})[0]
        self.tokens["agent of bob"] = self.belfry.mint("agent", bounds={"users": [self.bob]})[0]
        self.belfry.request("PUT", f"/v1/sessions/{self.session}", {"user_id": self.ada})

    def test_are_explained_to_their_user_only(self):
        made = self.belfry.emit_ok({"type": "z.e", "source": "s", "severity": "error", "user_id": self.bob,
                                    "session_id": self.session, "payload": {"secret": "BOB-SECRET"}})
        for name, token in self.tokens.items():
            with self.subTest(name):
                answer = self.belfry.get(f"/v1/why/{made['id']}", token=token)
                if name in ("bob", "agent of bob"):
                    self.assertEqual(answer.status, 200, answer.body)
                    self.assertIn(b"BOB-SECRET", answer.body)
                else:
                    self.assert_problem(answer, 403, "forbidden", json.loads(answer.body).get("field"))
                    self.assertNotIn(b"BOB-SECRET", answer.body)

    def test_the_explanation_finds_what_came_of_them(self):
        made = self.belfry.emit_ok({"type": "z.e", "source": "s", "severity": "error", "user_id": self.bob, "session_id": self.session})
        found = belfry.eventually("it became a notification", lambda: json_of(
            self.belfry.get(f"/v1/why/{made['id']}", token=self.tokens["bob"]))["notifications"])
        self.assertEqual([(one["notification"]["user_id"], one["notification"]["session_id"]) for one in found], [(self.bob, None)])

    def test_an_event_of_the_session_is_explained_to_those_of_the_session(self):
        made = self.belfry.emit_ok({"type": "z.e", "source": "s", "user_id": self.ada, "session_id": self.session})
        expected = {"ada": 200, "agent of ada": 200, "agent of the session": 200, "bob": 403, "agent of bob": 403}
        self.assertEqual({name: self.belfry.get(f"/v1/why/{made['id']}", token=token).status for name, token in self.tokens.items()},
                         expected)

    def test_notifications_of_a_session_that_became_anothers_stay_with_their_user(self):
        session = unique("s-")  # of nobody in particular, and so of the daemon's owner for the time being
        row = json_of(self.belfry.post("/v1/notifications", {"text": "OWNERS-SECRET", "session_id": session,
                                                             "routing": {"address": "session", "target": "user", "handler": "system"}}))
        answer = self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": self.ada})
        self.assertEqual(answer.status, 200, answer.body)
        now = json_of(self.belfry.get(f"/v1/notifications/{row['id']}"))
        for path in (f"/v1/notifications/{row['id']}", f"/v1/why/{row['id']}", f"/v1/notifications?session={session}",
                     f"/v1/interactions?session={session}"):
            with self.subTest(path):
                answer = self.belfry.get(path, token=self.tokens["ada"])
                self.assertEqual(b"OWNERS-SECRET" in answer.body, now["user_id"] == self.ada, answer.body)


class Strangers(belfry.SharedCase):
    """Every route with what is somebody else's: whoever adds one says here what of a user it reaches."""

    SECRET = "the-secret-of-bob"
    # A parameter of a path that names nothing of a single user's.
    COMMON = ("/v1/subscribers/{id}", "/v1/tools/{name}", "/v1/notify/{topic}", "/v1/erasures/{id}",
              "/v1/dead-letters/sinks/{id}", "/v1/tokens/{id}", "/v1/peers/{id}",
              "/v1/context/{name}")  # a name of the caller's own user; test_context_values names other users

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        daemon = cls.belfry
        cls.paths = json_of(daemon.get("/openapi.json", token=None))["paths"]
        cls.session, own = unique("bobs-"), unique("alices-")
        put = lambda name, user: daemon.request("PUT", f"/v1/sessions/{name}", {"user_id": user, "title": cls.SECRET})
        put(cls.session, "bob")
        daemon.request("PUT", f"/v1/sessions/{own}", {"user_id": "alice"})
        at = f"/v1/sessions/{cls.session}"
        daemon.post(at + "/messages", {"role": "user", "content": cls.SECRET})
        cls.notification = json_of(daemon.post("/v1/notifications", {"text": cls.SECRET, "user_id": "bob"}))["id"]
        cls.run_id = json_of(daemon.post("/v1/runs", {"user_id": "bob", "session_id": cls.session, "title": cls.SECRET}))["id"]
        daemon.post(f"/v1/runs/{cls.run_id}/start")
        daemon.post(f"/v1/runs/{cls.run_id}/events", {"event": "a.b", "data": {"text": cls.SECRET}})
        asked = daemon.post(at + "/interactions", {"kind": "confirmation", "message": cls.SECRET, "tool_name": "rm"})
        cls.interaction = json_of(asked)["id"]
        daemon.emit_ok(event(user_id="bob", session_id=cls.session, severity="error", payload={"text": cls.SECRET}))
        cls.agent = unique("bobs-agent-")
        daemon.post("/v1/agents", {"id": cls.agent, "user_id": "bob", "display_name": cls.SECRET})
        timer = {"name": cls.SECRET, "schedule": {"kind": "daily", "time": "07:00"}, "input": {"text": cls.SECRET}}
        cls.timer = json_of(daemon.post(f"/v1/agents/{cls.agent}/timers", timer))["id"]
        cls.wake = json_of(daemon.post(f"/v1/agents/{cls.agent}/wake", {"input": {"text": cls.SECRET}}))["id"]
        cls.change_set = cls.proposed_to_bob()
        cls.tool_call = cls.called_by_bob()
        # What is bob's under each path that has a parameter.
        cls.places = {"/v1/sessions/{id}": cls.session, "/v1/notifications/{id}": cls.notification,
                      "/v1/why/{id}": cls.notification, "/v1/runs/{id}": cls.run_id, "/v1/interactions/{id}": cls.interaction,
                      "/v1/users/{id}": "bob", "/v1/streams/{name}": "inbox:bob", "/v1/agents/{id}": cls.agent,
                      "/v1/wakes/{id}": cls.wake, "/v1/change-sets/{id}": cls.change_set,
                      "/v1/tool-calls/{id}": cls.tool_call, **cls.journal_of_bob()}
        cls.strangers = {"user": daemon.mint("user", user_id="alice")[0],
                         "agent by user": daemon.mint("agent", bounds={"users": ["alice"]})[0],
                         "agent by session": daemon.mint("agent", bounds={"sessions": [own]})[0],
                         "agent": daemon.mint("agent")[0],
                         "service by user": daemon.mint("service", bounds={"users": ["alice"]})[0],
                         "service by session": daemon.mint("service", bounds={"sessions": [own]})[0],
                         "emitter by user": daemon.mint("emitter", bounds={"users": ["alice"]})[0]}

    @classmethod
    def proposed_to_bob(cls):
        """A set of changes that an agent of his proposes."""
        agent = unique("bobs-agent-")
        cls.belfry.post("/v1/agents", {"id": agent, "user_id": "bob", "tool_policies": {"*": "propose"}})
        cls.belfry.post(f"/v1/agents/{agent}/wake", {})
        wake = json_of(cls.belfry.post("/v1/wakes/claim", {"agents": [agent], "wait_s": 30}))["wake"]
        called = cls.belfry.post(f"/v1/wakes/{wake['id']}/call", {"fence": wake["fence"], "operation_id": "o", "tool_name": "notify_user",
                                                                "arguments": {"text": cls.SECRET}})
        return json_of(called)["result"]["content"]["changeSetId"]

    @classmethod
    def called_by_bob(cls):
        """A call of a tool that somebody outside is to carry out."""
        agent, tool = unique("bobs-agent-"), unique("bobs_tool_")
        cls.belfry.request("PUT", f"/v1/tools/{tool}", {"impact": "internal", "capabilities": [], "execution": {"by": "worker"}})
        cls.belfry.post("/v1/agents", {"id": agent, "user_id": "bob"})
        cls.belfry.post(f"/v1/agents/{agent}/wake", {})
        wake = json_of(cls.belfry.post("/v1/wakes/claim", {"agents": [agent], "wait_s": 30}))["wake"]
        called = cls.belfry.post(f"/v1/wakes/{wake['id']}/call", {"fence": wake["fence"], "operation_id": "o", "tool_name": tool,
                                                                "arguments": {"text": cls.SECRET}})
        return json_of(called)["waits_for"]["id"]

    @classmethod
    def journal_of_bob(cls):
        """A record of every kind and a link, by the paths that name them."""
        words = {name: cls.SECRET for name in ("name", "title", "text", "note")}
        made = {}
        for plural, (members, _, _) in KINDS.items():
            body = json.dumps({**members, **{name: words[name] for name in members if name in words}})
            body = body.replace("{task}", made.get("tasks", "")).replace("{checklist}", made.get("checklists", ""))
            made[plural] = json_of(cls.belfry.post(f"/v1/journal/{plural}?user=bob", body))["id"]
        link = f"next/{made['tasks']}/{made['entries']}"
        cls.belfry.request("PUT", f"/v1/journal/links/{link}?user=bob", {"metadata": {"text": cls.SECRET}})
        return {"/v1/journal/links/{relation}/{from}/{to}": link, **{f"/v1/journal/{plural}/{{id}}": name for plural, name in made.items()}}

    def routes(self):
        for path, operations in self.paths.items():
            for method, operation in operations.items():
                if path.startswith("/v1/"):
                    yield method, path, operation

    def call(self, method, place, path, token, query="", **changes):
        if path.startswith("/v1/journal/"):
            needed = {"/v1/journal/search": "q=the", "/v1/journal/links": "from=" + self.places["/v1/journal/tasks/{id}"]}.get(path, "")
            query = "&".join(filter(None, (query or ("user=bob" if "{" in path else ""), needed)))
        body = BODIES.get(path) if method in ("post", "put", "patch") else None
        if isinstance(body, dict):
            body = {**body, **changes}
        query = "&".join(filter(None, (query, "point=turn_start" if path.endswith("{id}/context") else "",
                                       "q=x" if path.endswith("/memory/search") else "")))
        return self.belfry.request(method.upper(), place + ("?" + query if query else ""), body, token=token)

    def test_reach_nothing_of_anothers_by_its_id(self):
        for method, path, _ in self.routes():
            if "{" not in path or path.startswith(self.COMMON):
                continue
            pattern = next((one for one in self.places if path.startswith(one)), None)
            self.assertIsNotNone(pattern, f"what of a user is behind {path}? Say it here")
            name = pattern[pattern.index("{"):]
            place = path.replace(name, str(self.places[pattern])).replace("{tid}", self.timer).replace("{number}", "1")
            for who, token in self.strangers.items():
                with self.subTest(f"{who}: {method} {path}"):
                    owned = {"user_id": "alice"} if path == "/v1/sessions/{id}" and method == "put" else {}
                    answer = self.call(method, place, path, token, **owned)
                    if path == "/v1/streams/{name}" and who == "service by session":
                        self.assertEqual(json_of(answer)["data"], [])  # of any inbox it sees what is in its session
                    else:
                        self.assertIn(answer.status, (403, 404), answer.body)
                    self.assertNotIn(self.SECRET.encode(), answer.body)

    def test_reach_nothing_of_anothers_by_asking_for_all_or_for_him(self):
        for method, path, operation in self.routes():
            asked = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"}
            queries = [""] if method == "get" else []
            queries += ["user=bob"] if "user" in asked else []
            queries += [f"session={self.session}"] if "session" in asked else []
            if ("{" in path and path != "/v1/streams/{name}") or path in ("/v1/inbox/live", "/v1/rpc"):
                queries = []  # by its id, or of one's own
            for query in queries:
                for who, token in self.strangers.items():
                    with self.subTest(f"{who}: {method} {path}?{query}"):
                        answer = self.call(method, path.replace("{name}", "events"), path, token, query)
                        self.assertNotIn(self.SECRET.encode(), answer.body)
                        self.assertLess(answer.status, 500)
                        if query == "user=bob" and not who.endswith("by session"):
                            self.assertIn(answer.status, (403, 404), answer.body)

    def test_do_nothing_in_his_name(self):
        for method, path, _ in self.routes():
            body = BODIES.get(path)
            if method not in ("post", "put") or "{" in path or not isinstance(body, dict) or "user_id" not in body:
                continue
            for who, token in self.strangers.items():
                if who == "agent" and path in ("/v1/events", "/v1/notifications"):
                    continue  # without bounds it may tell of anybody, and reads nothing
                if who.endswith("by session") and path in ("/v1/events", "/v1/notifications"):
                    continue  # bound to sessions alone: what names another's is refused, below
                with self.subTest(f"{who}: {method} {path}"):
                    answer = self.call(method, path, path, token, user_id="bob")
                    self.assertEqual(answer.status, 403, answer.body)

    def test_have_changed_nothing(self):
        daemon, at = self.belfry, f"/v1/sessions/{self.session}"
        self.test_reach_nothing_of_anothers_by_its_id()
        self.assertEqual(json_of(daemon.get(at))["user_id"], "bob")
        self.assertEqual(json_of(daemon.get(f"/v1/interactions/{self.interaction}"))["state"], "pending")
        self.assertEqual(json_of(daemon.get(f"/v1/runs/{self.run_id}"))["state"], "running")
        row = json_of(daemon.get(f"/v1/notifications/{self.notification}"))
        self.assertNotIn(row["state"], ("delivered", "failed"))
        history = json_of(daemon.get(at + "/history"))["data"]
        self.assertEqual([one["content"] for node in history for one in node["messages"]], [self.SECRET])
        lines = [json.loads(line) for line in daemon.get("/v1/journal/export?user=bob").body.splitlines()]
        self.assertEqual(len(lines), len(KINDS) + 2, "one of each kind, the category `general` and a link")
        self.assertEqual({(one["revision"], one["deleted_at"]) for one in lines}, {(1, None)})


class Tokens(belfry.SharedCase):
    def test_are_shown_once_and_listed_without_their_secret(self):
        minted = json_of(self.belfry.post("/v1/tokens", {"name": "ci", "role": "emitter", "ttl_s": 3600,
                                                         "events_per_second": 9,
                                                         "bounds": {"users": ["ada"], "severity_max": "error"}}))
        self.assertRegex(minted["token"], f"^bf_{minted['id']}_[A-Za-z0-9_-]{{43}}$")
        self.assertTrue(minted["expires_at"] > minted["created_at"])
        listed = self.belfry.get("/v1/tokens")
        mine = next(token for token in json_of(listed)["data"] if token["id"] == minted["id"])
        self.assertEqual(mine, {key: value for key, value in minted.items() if key != "token"})
        self.assertNotIn(minted["token"].split("_", 2)[2].encode(), listed.body)

    def test_that_make_no_sense_are_refused_with_the_field(self):
        for body, status, field in (({"name": "x"}, 422, "role"), ({"name": "x", "role": "king"}, 422, "role"),
                                    ({"role": "admin"}, 422, "name"), ({"name": "x", "role": "user"}, 422, "user_id"),
                                    ({"name": "x", "role": "admin", "user_id": "a"}, 422, "user_id"),
                                    ({"name": "x", "role": "admin", "ttl_s": 0}, 422, "ttl_s"),
                                    ({"name": "x", "role": "admin", "bounds": {"colour": []}}, 422, "bounds.colour"),
                                    ({"name": "x", "role": "admin", "surprise": 1}, 422, "surprise"),
                                    ({"name": "n" * 101, "role": "admin"}, 422, "name")):
            with self.subTest(body):
                answer = self.belfry.post("/v1/tokens", body)
                self.assertEqual((answer.status, json_of(answer).get("field")), (status, field), answer.body)

    def test_that_were_revoked_end_at_once_also_on_an_open_connection(self):
        token, name = self.belfry.mint("emitter")
        connection = self.belfry.connect()
        self.addCleanup(connection.close)
        self.assertEqual(self.belfry.emit(event(), token=token, connection=connection).status, 201)
        self.assertEqual(self.belfry.request("DELETE", f"/v1/tokens/{name}").status, 200)
        self.assert_problem(self.belfry.emit(event(), token=token, connection=connection), 401, "unauthenticated")
        self.assert_problem(self.belfry.request("DELETE", f"/v1/tokens/{name}"), 404, "not_found", field="id")

    def test_that_were_revoked_close_their_streams_with_the_reason(self):
        token, name = self.belfry.mint("service")
        with self.belfry.sse(token=token) as sse, self.belfry.websocket(token=token) as ws:
            self.belfry.request("DELETE", f"/v1/tokens/{name}")
            frame = sse.frame()
            self.assertEqual((frame.kind, frame.data), ("close", {"reason": "revoked"}))
            self.assertEqual(ws.message(), {"type": "close", "reason": "revoked"})

    def test_that_have_expired_are_refused(self):
        token, _ = self.belfry.mint("emitter", ttl_s=1)
        self.assertEqual(self.belfry.emit(event(), token=token).status, 201)
        belfry.eventually("expired", lambda: self.belfry.emit(event(), token=token).status == 401, patience=5)

    def test_survive_a_restart_and_so_does_their_revocation(self):
        daemon = self.daemon()
        kept, _ = daemon.mint("emitter")
        gone, name = daemon.mint("emitter")
        daemon.request("DELETE", f"/v1/tokens/{name}")
        daemon.kill()
        daemon.start()
        self.assertEqual(daemon.emit(event(), token=kept).status, 201)
        self.assertEqual(daemon.emit(event(), token=gone).status, 401)

    def test_are_minted_and_revoked_in_the_audit(self):
        _, name = self.belfry.mint("emitter")
        self.belfry.request("DELETE", f"/v1/tokens/{name}")
        actions = [(entry["event"]["action"], entry["event"]["by"]) for entry in self.belfry.entries("audit")
                   if entry["event"].get("token") == name]
        self.assertEqual([action for action, _ in actions], ["token.mint", "token.revoke"])
        self.assertTrue(all(by.startswith("token:") for _, by in actions), actions)

    def test_of_a_service_mint_only_short_lived_user_tokens(self):
        service, _ = self.belfry.mint("service")
        mint = lambda **body: self.belfry.post("/v1/tokens", {"name": "x", **body}, token=service)
        self.assertEqual(mint(role="user", user_id="ada", ttl_s=3600).status, 201)
        self.assert_problem(mint(role="user", user_id="ada", ttl_s=3601), 403, "forbidden", field="ttl_s", says="3600")
        self.assert_problem(mint(role="user", user_id="ada"), 403, "forbidden", field="ttl_s")
        self.assert_problem(mint(role="emitter", ttl_s=60), 403, "forbidden", field="role")

    def test_of_a_bounded_service_mint_none_that_may_more_than_it_may_itself(self):
        service, _ = self.belfry.mint("service", bounds={"users": ["ada"], "type_prefixes": ["ci"],
                                                         "severity_max": "warning"})
        wish = {"name": "x", "role": "user", "ttl_s": 60}
        self.assert_problem(self.belfry.post("/v1/tokens", {**wish, "user_id": "bob"}, token=service), 403, "forbidden",
                            field="user_id")
        answer = self.belfry.post("/v1/tokens", {**wish, "user_id": "ada"}, token=service)
        if answer.status == 201:  # then with the maker's bounds
            token = json_of(answer)["token"]
            self.assertEqual(self.belfry.emit(event(type="ci.done"), token=token).status, 201)
            self.assertEqual(self.belfry.emit(event(type="bank.robbed"), token=token).status, 403)
            self.assertEqual(self.belfry.emit(event(type="ci.done", severity="critical"), token=token).status, 403)
        else:
            self.assert_problem(answer, 403, "forbidden", field=json_of(answer).get("field"))

    def test_with_a_rate_are_slowed_down_with_a_time_to_wait(self):
        token, _ = self.belfry.mint("emitter", events_per_second=5)
        answers = [self.belfry.emit(event(), token=token) for _ in range(30)]
        refused = [answer for answer in answers if answer.status != 201]
        self.assertTrue(refused, "30 events at once under a limit of 5 a second")
        self.assert_problem(refused[0], 429, "rate_limited", says="5")
        self.assertGreaterEqual(int(refused[0].headers["retry-after"]), 1)
        belfry.eventually("allowed again", lambda: self.belfry.emit(event(), token=token).status == 201, patience=5)

    def test_of_a_high_rate_are_held_to_that_of_everybody(self):
        daemon = self.daemon("--events-per-second", "5")
        token, _ = daemon.mint("emitter", events_per_second=1000)
        refused = [answer for answer in (daemon.emit(event(), token=token) for _ in range(30)) if answer.status != 201]
        self.assertTrue(refused, "30 events at once under a limit of 5 a second")
        self.assert_problem(refused[0], 429, "rate_limited", says="5")

    def test_that_are_guessed_too_often_are_no_longer_looked_at(self):
        daemon = self.daemon()
        statuses = [daemon.get("/v1/streams", token=f"bf_{n:012x}_{'A' * 43}").status for n in range(70)]
        self.assertEqual(statuses[0], 401)
        self.assertEqual(statuses[-1], 429)
        self.assertEqual(daemon.get("/v1/streams").status, 200, "a good token is not hurt by it")


class Bounds(belfry.SharedCase):
    def test_keep_a_service_from_calls_of_sinks_that_are_everybodys(self):
        token, _ = self.belfry.mint("service", bounds={"users": ["ada"]})
        self.assert_problem(self.belfry.get("/v1/dead-letters/sinks", token=token), 403, "forbidden")
        retry = "/v1/dead-letters/sinks/01a1de5b-0cd8-7662-97ee-c3717c658320/retry"
        self.assert_problem(self.belfry.post(retry, token=token), 403, "forbidden")
        self.assertEqual(self.belfry.get("/v1/dead-letters/sinks", token=self.belfry.mint("service")[0]).status, 200)

    def test_hold_back_what_an_emitter_may_not_say(self):
        token, _ = self.belfry.mint("emitter", bounds={"users": ["ada", "bob"], "sessions": ["s1"],
                                                       "type_prefixes": ["ci"], "severity_max": "warning"})
        good = event(type="ci.done", user_id="bob", session_id="s1", severity="warning")
        self.assertEqual(self.belfry.emit(good, token=token).status, 201)
        self.assertEqual(self.belfry.emit({**good, "type": "ci.deep.er"}, token=token).status, 201)
        for change, field in (({"user_id": "eve"}, "user_id"), ({"session_id": "s2"}, "session_id"),
                              ({"type": "cis.done"}, "type"), ({"type": "other.ci"}, "type"),
                              ({"severity": "error"}, "severity")):
            with self.subTest(change):
                self.assert_problem(self.belfry.emit({**good, **change}, token=token), 403, "forbidden", field=field)
        without = {key: value for key, value in good.items() if key != "user_id"}
        self.assert_problem(self.belfry.emit(without, token=token), 403, "forbidden", field="user_id")

    def test_in_a_batch_refuse_only_the_entry(self):
        token, _ = self.belfry.mint("emitter", bounds={"type_prefixes": ["ci"]})
        answer = self.belfry.emit([event(type="ci.a"), event(type="no.a")], token=token)
        self.assertEqual(answer.status, 207)
        self.assertEqual(json_of(answer)["data"][1]["error"]["code"], "forbidden")

    def test_keep_an_agent_to_its_sessions(self):
        session = unique("s")
        token, _ = self.belfry.mint("agent", bounds={"sessions": [session]})
        self.belfry.emit_ok([event(session_id=session), event(session_id="another")])
        self.assertEqual([entry["event"]["session_id"] for entry in self.belfry.entries(token=token)], [session])
        answer = self.belfry.get("/v1/streams/events?session=another", token=token)
        self.assert_problem(answer, 403, "forbidden", field="session")


class AUser(belfry.SharedCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ada, _ = cls.belfry.mint("user", user_id="ada")
        cls.belfry.emit_ok([event(user_id="ada"), event(user_id="bob"), event()])

    def test_sees_only_what_is_his_in_pages_and_live(self):
        entries = self.belfry.entries(token=self.ada)
        self.assertTrue(entries)
        self.assertEqual({entry["event"].get("user_id") for entry in entries}, {"ada"})
        with self.belfry.sse("/v1/streams/events?from=start", token=self.ada) as sse, \
                self.belfry.websocket("/v1/streams/events?from=start", token=self.ada) as ws:
            sse.entries(len(entries))
            for _ in entries:
                ws.message()
            self.belfry.emit_ok([event(user_id="bob"), event(user_id="ada", payload={"mark": 1})])
            self.assertEqual(sse.entries(1)[0]["event"]["payload"], {"mark": 1})
            self.assertEqual(ws.message()["event"]["payload"], {"mark": 1})

    def test_cannot_ask_for_another(self):
        for headers in ({}, {"Accept": "text/event-stream"}):
            answer = self.belfry.get("/v1/streams/events?user=bob", token=self.ada, headers=headers)
            self.assert_problem(answer, 403, "forbidden", field="user")

    def test_cannot_speak_for_another_and_speaks_for_himself_unasked(self):
        self.assert_problem(self.belfry.emit(event(user_id="bob"), token=self.ada), 403, "forbidden", field="user_id")
        sequence = self.belfry.emit_ok(event(), token=self.ada)["sequence"]
        self.assertEqual(self.belfry.entries(after=sequence - 1)[0]["event"]["user_id"], "ada")

    def test_cannot_see_the_audit(self):
        self.assert_problem(self.belfry.get("/v1/streams/audit", token=self.ada), 403, "forbidden")
        names = [stream["name"] for stream in json_of(self.belfry.get("/v1/streams", token=self.ada))["data"]]
        self.assertEqual(names, ["events"])


class Tickets(belfry.SharedCase):
    def ticket(self, token="admin"):
        answer = self.belfry.post("/v1/tickets", token=token)
        self.assertEqual(answer.status, 201, answer.body)
        self.assertEqual(json_of(answer)["expires_in"], 60)
        return json_of(answer)["ticket"]

    def test_open_a_page_a_stream_or_a_websocket_once(self):
        self.belfry.emit_ok(event())
        for opener in (lambda path: self.belfry.get(path, token=None),
                       lambda path: self.belfry.sse(path, token=None),
                       lambda path: self.belfry.websocket(path, token=None)):
            path = f"/v1/streams/events?ticket={self.ticket()}"
            first, second = opener(path), opener(path)
            for answer in (first, second):
                if hasattr(answer, "close"):
                    answer.close()
            self.assertIn(first.status, (200, 101))
            self.assertEqual(second.status, 401)

    def test_are_worth_what_their_token_is(self):
        token, _ = self.belfry.mint("user", user_id=unique("u"))
        page = self.belfry.get(f"/v1/streams/events?ticket={self.ticket(token)}", token=None)
        self.assertEqual(json_of(page)["data"], [])
        self.assertEqual(self.belfry.get(f"/v1/streams/audit?ticket={self.ticket(token)}", token=None).status, 403)

    def test_open_nothing_but_streams(self):
        for path in ("/v1/status", "/v1/tokens", "/metrics", "/v1/streams"):
            self.assertEqual(self.belfry.get(f"{path}?ticket={self.ticket()}", token=None).status, 401, path)

    def test_end_with_their_token(self):
        token, name = self.belfry.mint("service")
        ticket = self.ticket(token)
        self.belfry.request("DELETE", f"/v1/tokens/{name}")
        self.assertEqual(self.belfry.get(f"/v1/streams/events?ticket={ticket}", token=None).status, 401)

    def test_that_are_wrong_are_refused(self):
        self.assertEqual(self.belfry.get("/v1/streams/events?ticket=nonsense", token=None).status, 401)


class Secrets(belfry.Case):
    def test_are_nowhere_in_the_store_or_in_the_log(self):
        daemon = self.daemon("--log-level", "debug")
        token, _ = daemon.mint("service")
        ticket = json_of(daemon.post("/v1/tickets", token=token))["ticket"]
        daemon.get(f"/v1/streams/events?ticket={ticket}", token=None)
        daemon.get("/v1/streams", token=token[:-1] + "!")
        daemon.run("token", "list")
        secrets = [token, token.split("_", 2)[2], daemon.admin_token.split("_", 2)[2], ticket]
        for stopped in (False, True):
            if stopped:
                daemon.stop()
            for folder, _, names in os.walk(daemon.folder):
                for name in names:
                    path = os.path.join(folder, name)
                    if name == "admin.token" or not stat.S_ISREG(os.stat(path).st_mode):
                        continue
                    with open(path, "rb") as file:
                        content = file.read()
                    for secret in secrets:
                        self.assertNotIn(secret.encode(), content, f"a secret lies in {name}")

    def test_lie_in_files_that_only_their_owner_can_read(self):
        daemon = belfry.Daemon()
        self.addCleanup(daemon.close)
        os.mkdir(daemon.data, 0o755)  # made by somebody who did not think of it
        daemon.start()
        daemon.emit_ok(event())
        for name in os.listdir(daemon.data):
            mode = os.lstat(os.path.join(daemon.data, name)).st_mode
            self.assertEqual(stat.S_IMODE(mode) & 0o077, 0, f"{name} has mode {stat.filemode(mode)}")

    def test_the_first_admin_token_is_made_once(self):
        daemon = self.daemon()
        first = daemon.admin_token
        self.assertRegex(first, r"^bf_[0-9a-f]{12}_[A-Za-z0-9_-]{43}$")
        self.assertEqual(stat.S_IMODE(os.stat(os.path.join(daemon.data, "admin.token")).st_mode), 0o600)
        daemon.stop()
        daemon.start()
        self.assertEqual(daemon.admin_token, first)
        self.assertEqual(len(json_of(daemon.get("/v1/tokens"))["data"]), 1)


class HostAndOrigin(belfry.Case):
    def test_only_names_of_this_machine_and_configured_ones_are_served(self):
        daemon = self.daemon("--allowed-hosts", "bells.example,other.example")
        for host, status in (("127.0.0.1", 200), ("localhost", 200), ("LOCALHOST:99", 200), ("[::1]:7117", 200),
                             ("bells.example", 200), ("other.example:80", 200), ("evil.example", 421),
                             ("127.0.0.1.evil.example", 421), ("localhost.evil.example", 421), ("", 400),
                             ("127.0.0.1:80:80", 421), ("bells.example@evil", 421)):
            with self.subTest(host):
                answer = daemon.get("/v1/streams", headers={"Host": host})
                self.assertEqual(answer.status, status, answer.body)
                if status == 421:
                    self.assertEqual(json_of(answer)["code"], "forbidden")

    def test_pages_of_other_sites_cannot_call(self):
        daemon = self.daemon("--allowed-origins", "https://app.example")
        for origin, status in (("http://127.0.0.1:3000", 200), ("http://localhost", 200), ("https://app.example", 200),
                               ("https://evil.example", 403), ("null", 403), ("http://app.example", 403),
                               ("https://app.example.evil", 403), ("http://localhost.evil", 403)):
            with self.subTest(origin):
                answer = daemon.get("/v1/streams", headers={"Origin": origin})
                self.assertEqual(answer.status, status, answer.body)
        allowed = daemon.get("/v1/streams", headers={"Origin": "https://app.example"})
        self.assertEqual(allowed.headers["access-control-allow-origin"], "https://app.example")
        self.assertIsNone(daemon.get("/v1/streams").headers["access-control-allow-origin"])
        answer = daemon.websocket(headers={"Origin": "https://evil.example"})
        self.assertEqual(answer.status, 403)
        answer.close()

    def test_a_configured_origin_may_ask_first(self):
        daemon = self.daemon("--allowed-origins", "https://app.example")
        ask = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"}
        answer = daemon.request("OPTIONS", "/v1/events", headers=ask, token=None)
        self.assertEqual(answer.status, 204)
        self.assertIn("POST", answer.headers["access-control-allow-methods"])
        self.assertTrue(re.search("authorization", answer.headers["access-control-allow-headers"], re.I))
        answer = daemon.request("OPTIONS", "/v1/events", headers={**ask, "Origin": "https://evil.example"}, token=None)
        self.assertEqual(answer.status, 403)


if __name__ == "__main__":
    unittest.main()
