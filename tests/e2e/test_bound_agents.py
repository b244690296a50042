"""A token that is bound to one agent: what belongs to the agent, and nothing of another agent of the same user, on every route."""

import hashlib
import json
import struct
import unittest
import uuid

import belfry
import rpc
from agents import AgentCase
from belfry import eventually, json_of, unique
from chat_server import DONE, ChatServer, finish, stream, text
from test_access import ALLOWED, BODIES, NO_ID

SECRET = "zebra" + unique()

# Of each route that role agent may call: what such a token gets there of another agent. A route that is not here was added
# without thinking about this.
REFUSED = "403 or 404, whatever the request names of the other agent"
OPEN = "holds nothing of agents"
OWN = "nothing is named: what comes is the agent's own"
JUDGED = {
    ("post", "/v1/events"): REFUSED,
    ("post", "/v1/notifications"): REFUSED,
    ("post", "/v1/notify/{topic}"): OPEN,
    ("post", "/v1/notifications/{id}/narrate"): REFUSED,
    ("get", "/v1/notifications"): REFUSED,
    ("get", "/v1/notifications/{id}"): REFUSED,
    ("get", "/v1/dead-letters"): REFUSED,
    ("get", "/v1/why/{id}"): REFUSED,
    ("get", "/v1/ledger/summary"): REFUSED,
    ("get", "/v1/streams"): OWN,
    ("get", "/v1/streams/{name}"): REFUSED,
    ("post", "/v1/tickets"): OPEN,
    ("get", "/v1/me"): OPEN,
    ("get", "/v1/rpc"): OPEN,  # its methods have a test of their own
    ("get", "/v1/tools"): OPEN,
    ("get", "/v1/tools/{name}"): OPEN,
    ("get", "/v1/context"): REFUSED,  # such a token reads context values with its pulls
    **{(method, "/v1/context/{name}"): REFUSED for method in ("get", "put", "delete")},
    ("get", "/v1/subscribers"): OPEN,  # the rules themselves; with ?user=, which shows that user's choices: 403
    ("get", "/v1/subscribers/{id}"): OPEN,
    **{(method, path): REFUSED for method, path in ALLOWED
       if path.startswith(("/v1/sessions", "/v1/interactions", "/v1/runs", "/v1/agents", "/v1/wakes", "/v1/tool-calls", "/v1/journal"))
       and "agent" in (ALLOWED[method, path] or ())},
}


class BoundCase(AgentCase):
    def two_agents(self, daemon):
        """Two agents of ada: a token that is bound to the first, and everything that the second one has."""
        self.one, self.other = self.agent(daemon), self.agent(daemon, display_name=SECRET)
        self.token = daemon.mint("agent", bounds={"users": ["ada"], "agents": [self.one]})[0]

    def ask(self, method, place, body=None):
        return self.belfry.request(method.upper(), place, body, token=self.token)

    def is_refused(self, method, place, body=None):
        answer = self.ask(method, place, body)
        self.assertIn(answer.status, (403, 404), (method, place, answer.body))
        self.assertNotIn(SECRET, answer.body.decode())
        return json_of(answer)


class EveryRoute(BoundCase, belfry.SharedCase):
    options = ("--wakes-at-once", "50")

    def setUp(self):
        daemon = self.belfry
        self.category = unique("cat")
        tool = unique("tool_")
        self.two_agents(daemon)
        self.assertEqual(daemon.post("/v1/journal/categories?user=ada", {"id": self.category, "name": SECRET}).status, 201)
        self.task = json_of(daemon.post("/v1/journal/tasks?user=ada", {"title": SECRET, "category_id": self.category}))["id"]
        self.assertEqual(daemon.request("PUT", f"/v1/tools/{tool}", {"impact": "internal", "execution": {"by": "worker"}}).status, 200)
        change = {"allowed_category_ids": [self.category], "capabilities": [f"tool:{tool}"]}
        self.assertEqual(daemon.request("PATCH", f"/v1/agents/{self.other}", change).status, 200)
        self.session = unique("s")
        daemon.request("PUT", f"/v1/sessions/{self.session}", {"user_id": "ada", "agent_id": self.other, "title": SECRET})
        daemon.post(f"/v1/sessions/{self.session}/messages", {"role": "assistant", "content": SECRET})
        self.wake_now(daemon, self.other, reason="user_initiated", session_id=self.session, input={"text": SECRET})
        self.grant = self.claim_soon(daemon, self.other, lease_s=600)
        self.held = self.grant["wake"]
        said = daemon.post(f"/v1/wakes/{self.held['id']}/messages",
                           {"fence": self.held["fence"], "messages": [{"kind": "thought", "content": {"text": SECRET}}]})
        self.message = json_of(said)["data"][0]["id"]
        called = daemon.post(f"/v1/wakes/{self.held['id']}/call", {"fence": self.held["fence"], "operation_id": "op1", "tool_name": tool,
                                                                   "arguments": {"to": SECRET}})
        self.call = json_of(called)["waits_for"]["id"]
        daemon.post(f"/v1/runs/{self.held['run_id']}/events", {"event": "llm.stream", "data": {"text": SECRET}})
        self.wake_now(daemon, self.other, input={"text": SECRET})
        asked = daemon.post(f"/v1/sessions/{self.session}/interactions", {"kind": "confirmation", "message": SECRET})
        self.question = json_of(asked)["id"]
        self.key = unique("key")
        note = {"text": SECRET, "user_id": "ada", "session_id": self.session, "deduplication_key": self.key}
        self.note = json_of(daemon.post("/v1/notifications", note))["id"]
        told = belfry.event(user_id="ada", session_id=self.session, agent_id=self.other, payload={"text": SECRET})
        self.event = daemon.emit_ok(told)["id"]

    def places(self, method, path):
        """The route as often as there are ways to name what is the other agent's."""
        if path == "/v1/streams/{name}":
            names = ("events", "inbox:ada", "changes:ada", f"session:{self.session}", f"run:{self.held['run_id']}", f"tree:{self.held['run_id']}")
            return [path.replace("{name}", name) for name in names]
        place = path
        for part, value in ((f"/agents/{{id}}", self.other), ("/wakes/{id}", self.held["id"]), ("/runs/{id}", self.held["run_id"]),
                            ("/sessions/{id}", self.session), ("/interactions/{id}", self.question), ("/notifications/{id}", self.note),
                            ("/why/{id}", self.event), ("/tool-calls/{id}", self.call), ("/journal/tasks/{id}", self.task)):
            place = place.replace(part, part.replace("{id}", str(value)))
        place = place.replace("{mid}", self.message).replace("{sid}", NO_ID).replace("{id}", self.category)
        place = place.replace("{relation}/{from}/{to}", f"next/{self.task}/b").replace("{name}", "x").replace("{topic}", "bell")
        place = place.replace("{tid}", NO_ID).replace("{job}", NO_ID).replace("{number}", "1")
        query = {"/v1/agents/{id}/memory/search": "?q=zebra", "/v1/sessions/{id}/context": "?point=turn_start", "/v1/wakes": f"?agent={self.other}",
                 "/v1/runs": f"?agent={self.other}", "/v1/ledger/summary": "?user=ada", "/v1/notifications": f"?session={self.session}",
                 "/v1/dead-letters": f"?session={self.session}", "/v1/context": f"?user=ada&agent={self.other}", "/v1/interactions": f"?session={self.session}"}
        if path.startswith("/v1/journal"):
            first = {"/v1/journal/search": "?q=zebra&", "/v1/journal/links": f"?from={self.task}&"}.get(path, "?")
            return [place + first + f"wake={self.held['id']}&fence={self.held['fence']}"]
        if path == "/v1/context/{name}":
            value = "/v1/context/build.progress"
            return [value] if method == "put" else [value + f"?user=ada&agent={self.other}", value + "?user=ada"]
        return [place + query.get(path, "")] if method == "get" else [place]

    def bodies(self, method, path):
        """What names the other agent in a body; the fence is that of its claim."""
        if method not in ("post", "put", "patch"):
            return [None]
        there = {"user_id": "ada", "session_id": self.session}
        turn = {"routing": {"target": "agent", "handler": "agent"}}
        found = {"/v1/events": [belfry.event(user_id="ada", agent_id=self.other), belfry.event(**there),
                                belfry.event(agent_id=self.one, **there), belfry.event(session_id=self.session)],
                 "/v1/notifications": [{"text": "x", "user_id": "ada", "agent_id": self.other}, {"text": "x", **there},
                                       {"text": "x", **there, **turn}, {"text": "x", **there, **turn, "agent_id": self.one},
                                       {"text": "x", **there, **turn, "agent_id": self.one, "directive": "obey"},
                                       {"text": "x", "user_id": "ada", "deduplication_key": self.key}],
                 "/v1/context/{name}": [{"content": "x", "user_id": "ada", "agent_id": self.other}, {"content": "x", "user_id": "ada"},
                                        {"content": "x", "user_id": "ada", "agent_id": self.one, "session_id": self.session}],
                 "/v1/runs": [{"agent_id": self.other}, {"session_id": self.session}, {"parent_id": self.held["run_id"]},
                              {"agent_id": self.one, "session_id": self.session}],
                 "/v1/wakes/claim": [{"agents": [self.other]}, {"agents": [self.one, self.other]}],
                 "/v1/sessions/{id}": [{"agent_id": self.one}, {"title": "mine"}, {}]}.get(path)
        body = BODIES.get(path)
        if found is None and isinstance(body, dict) and "fence" in body:
            found = [{**body, "fence": self.held["fence"]}]
        return found or [body]

    def state_of_the_other(self):
        daemon = self.belfry
        wakes = [(one["id"], one["state"], one["fence"], one["run_id"]) for one in self.wakes(daemon, self.other)]
        messages = json_of(daemon.get(f"/v1/agents/{self.other}/messages"))["data"]
        nodes = json_of(daemon.get(f"/v1/sessions/{self.session}/history"))["data"]
        history = [one for node in nodes for one in node["messages"] if one["role"] != "system"]
        session = [json_of(daemon.get(f"/v1/sessions/{self.session}"))[name] for name in ("agent_id", "title", "user_id")]
        task = json_of(daemon.get(f"/v1/journal/tasks/{self.task}?user=ada"))
        question = json_of(daemon.get(f"/v1/interactions/{self.question}"))
        note = {name: json_of(daemon.get(f"/v1/notifications/{self.note}"))[name] for name in ("session_id", "text", "version")}
        told = [one for node in nodes for one in node["system_messages"]]
        return wakes, messages, history, session, task, question, note, told

    def test_of_role_agent_is_judged(self):
        paths = json_of(self.belfry.get("/openapi.json", token=None))["paths"]
        every = {(method, path) for path, operations in paths.items() for method in operations if method in ("get", "post", "put", "patch", "delete")}
        callable_by_agents = {route for route in every if "agent" in (ALLOWED.get(route, ("agent",)) or ()) and route[1].startswith(("/v1", "/metrics"))}
        self.assertEqual(callable_by_agents, set(JUDGED))

    def test_shows_and_changes_nothing_of_another_agent(self):
        before = self.state_of_the_other()
        for (method, path), verdict in JUDGED.items():
            for place in self.places(method, path):
                for body in self.bodies(method, path):
                    with self.subTest(f"{method} {place} {body}"):
                        if verdict is REFUSED:
                            self.is_refused(method, place, body)
                        else:
                            answer = self.ask(method, place, body)
                            self.assertIn(answer.status, (200, 201, 404, 426), answer.body)
                            self.assertNotIn(SECRET, answer.body.decode())
        self.assertEqual(self.state_of_the_other(), before)

    def test_above_role_agent_is_refused_as_before(self):
        for (method, path), allowed in ALLOWED.items():
            if allowed is None or "agent" in allowed:
                continue
            with self.subTest(f"{method} {path}"):
                body = BODIES.get(path) if method != "get" else None
                self.is_refused(method, self.places(method, path)[0], body)

    def test_lists_what_is_the_agents_own(self):
        wake = self.wake_now(self.belfry, self.one, input={"mine": True})
        self.assertEqual([one["id"] for one in json_of(self.ask("get", "/v1/wakes"))["data"]], [wake["id"]])
        run = json_of(self.ask("post", "/v1/runs", {}))
        self.assertEqual((run["agent_id"], run["user_id"]), (self.one, "ada"))
        self.assertEqual([one["id"] for one in json_of(self.ask("get", "/v1/runs"))["data"]], [run["id"]])

    def test_of_the_stream_of_wakes_shows_its_own(self):
        wake = self.wake_now(self.belfry, self.one)
        page = json_of(self.ask("get", "/v1/streams/agent:ada?after=0&limit=1000"))
        self.assertEqual({one["event"]["wake"]["id"] for one in page["data"]}, {wake["id"]})
        ticket = json_of(self.ask("post", "/v1/tickets"))["ticket"]
        with self.subTest("by a ticket"):
            stream = self.belfry.sse(f"/v1/streams/agent:ada?after=0&ticket={ticket}", token=None)
            self.addCleanup(stream.close)
            self.assertEqual(stream.status, 200, stream.head)
            self.assertIn(self.one, json.dumps(stream.frame().data))

    def test_over_a_websocket_is_the_same(self):
        wake = self.wake_now(self.belfry, self.one)
        with rpc.OverWebSocket(self.belfry, token=self.token) as peer:
            fence = {"wake_id": self.held["id"], "fence": self.held["fence"]}
            for method, params in (("wake/claim", {"agents": [self.other]}), ("wake/renew", fence), ("wake/end", fence),
                                   ("wake/state", {**fence, "state": {}}), ("wake/messages", {**fence, "messages": [{"kind": "thought"}]}),
                                   ("wake/plan", {**fence, "actions": [{"tool_name": "t"}]}), ("wake/call", {**fence, "operation_id": "op1"}),
                                   ("run/follow", {"run_id": self.held["run_id"]}), ("session/follow", {"session_id": self.session}),
                                   ("inbox/follow", {"user": "ada"}), ("client/user_message", rpc.message(self.session, SECRET))):
                with self.subTest(method):
                    self.assertNotIn(SECRET, json.dumps(peer.refused(method, params)))
            grant = peer.ok("wake/claim", {})
            self.assertEqual((grant["wake"]["id"], grant["wake"]["agent_id"]), (wake["id"], self.one))
            followed = peer.ok("run/follow", {"run_id": grant["wake"]["run_id"]})
            self.assertIn("subscription", followed)
            self.assertEqual(peer.ok("wake/end", {"wake_id": wake["id"], "fence": grant["wake"]["fence"]})["state"], "completed")


class ItsOwnAgent(BoundCase, belfry.SharedCase):
    options = ("--wakes-at-once", "50")

    def setUp(self):
        self.two_agents(self.belfry)

    def must(self, status, method, place, body=None):
        answer = self.ask(method, place, body)
        self.assertEqual(answer.status, status, (method, place, answer.body))
        return json_of(answer) if answer.body else None

    def test_is_worked_for_as_with_a_token_of_the_user(self):
        category = unique("cat")
        self.belfry.post("/v1/journal/categories?user=ada", {"id": category, "name": "Mine"})
        task = json_of(self.belfry.post("/v1/journal/tasks?user=ada", {"title": "Run", "category_id": category}))["id"]
        self.belfry.post("/v1/journal/tasks?user=ada", {"title": SECRET, "category_id": "general"})
        self.belfry.request("PATCH", f"/v1/agents/{self.one}", {"allowed_category_ids": [category], "capabilities": ["task_read"]})
        woken = self.must(201, "post", f"/v1/agents/{self.one}/wake", {"input": {"text": "go"}})
        grant = self.must(200, "post", "/v1/wakes/claim", {"wait_s": 30, "context_messages": 5})
        wake, fence = grant["wake"]["id"], {"fence": grant["wake"]["fence"]}
        self.assertEqual(wake, woken["id"])
        self.must(200, "post", f"/v1/wakes/{wake}/renew", fence)
        self.must(201, "post", f"/v1/wakes/{wake}/plan", {**fence, "actions": [{"tool_name": "list_tasks_in_scope"}]})
        self.must(200, "get", f"/v1/wakes/{wake}/plan")
        self.must(201, "post", f"/v1/wakes/{wake}/messages", {**fence, "messages": [{"kind": "thought", "content": {"text": "hm"}}]})
        called = self.must(200, "post", f"/v1/wakes/{wake}/call", {**fence, "operation_id": "o", "tool_name": "list_tasks_in_scope", "arguments": {}})
        self.assertIn(task, json.dumps(called))
        self.assertNotIn(SECRET, json.dumps(called))
        claim = f"wake={wake}&fence={grant['wake']['fence']}"
        tasks = self.must(200, "get", f"/v1/journal/tasks?{claim}")["data"]
        self.assertEqual([one["id"] for one in tasks], [task])
        self.must(200, "patch", f"/v1/wakes/{wake}/state", {**fence, "state": {"slots": {"primary_goal": "win"}}})
        for place in (f"/v1/wakes/{wake}", f"/v1/wakes/{wake}/signals", f"/v1/agents/{self.one}/messages", f"/v1/agents/{self.one}/memory",
                      f"/v1/agents/{self.one}/memory/threads", f"/v1/agents/{self.one}/memory/search?q=hm",
                      f"/v1/runs/{grant['wake']['run_id']}", f"/v1/runs/{grant['wake']['run_id']}/events?after=0"):
            self.must(200, "get", place)
        self.must(201, "post", f"/v1/runs/{grant['wake']['run_id']}/events", {"event": "llm.stream", "data": {"text": "x"}})
        self.must(200, "post", f"/v1/wakes/{wake}/end", {**fence, "result": {}})

    def test_has_sessions_of_its_own(self):
        mine = f"{self.one}:{unique()}"
        made = self.must(200, "put", f"/v1/sessions/{mine}", {"title": "mine"})
        self.assertEqual((made["agent_id"], made["user_id"]), (self.one, "ada"))
        self.must(201, "post", f"/v1/sessions/{mine}/messages", {"role": "assistant", "content": "x"})
        self.must(200, "post", f"/v1/sessions/{mine}/pull", {"point": "turn_start"})
        self.must(200, "get", f"/v1/sessions/{mine}/history")
        self.assertEqual(self.ask("put", f"/v1/sessions/{mine}", {"agent_id": self.other}).status, 403, "it is not given away")
        pulled = f"{self.one}:{unique()}"
        self.must(200, "post", f"/v1/sessions/{pulled}/pull", {"point": "turn_start"})
        self.assertEqual(json_of(self.belfry.get(f"/v1/sessions/{pulled}"))["agent_id"], self.one)

    def test_uses_a_session_as_long_as_it_works_there(self):
        for owner in ("", self.other):
            with self.subTest(owner or "nobody's"):
                session = unique("s")
                self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada", **({"agent_id": owner} if owner else {})})
                self.belfry.post(f"/v1/sessions/{session}/messages", {"role": "user", "content": "before"})
                at = f"/v1/sessions/{session}"
                self.is_refused("get", at + "/history")
                self.is_refused("post", f"/v1/agents/{self.one}/wake", {"session_id": session})
                self.wake_now(self.belfry, self.one, reason="user_initiated", session_id=session, input={"text": "hello"})
                self.is_refused("get", at + "/history")
                grant = self.must(200, "post", "/v1/wakes/claim", {"wait_s": 30})
                self.must(200, "get", at + "/history")
                self.must(201, "post", at + "/messages", {"role": "assistant", "content": "answer"})
                self.assertEqual(self.ask("put", at, {"agent_id": self.one}).status, 403, "it does not become the agent's")
                self.must(200, "post", f"/v1/wakes/{grant['wake']['id']}/end", {"fence": grant["wake"]["fence"]})
                self.is_refused("get", at + "/history")
                self.is_refused("post", at + "/messages", {"role": "assistant", "content": "late"})

    def test_leaves_nothing_behind_in_a_session_of_another_agent(self):
        session = unique("s")
        at = f"/v1/sessions/{session}"
        self.belfry.request("PUT", at, {"user_id": "ada", "agent_id": self.other, "title": "theirs"})
        question = json_of(self.belfry.post(at + "/interactions", {"kind": "confirmation", "message": "Shall we?"}))["id"]
        self.wake_now(self.belfry, self.one, reason="user_initiated", session_id=session, input={"text": "hello"})
        grant = self.must(200, "post", "/v1/wakes/claim", {"wait_s": 30})
        self.must(201, "post", at + "/messages", {"role": "assistant", "content": "answer"})
        self.is_refused("post", at + "/notify-self", {"message": "planted", "after_turns": 1})
        self.is_refused("post", at + "/notify-self", {"message": "planted", "agent_id": self.other})
        self.is_refused("post", at + "/notify-self", {"message": "planted", "priority": "critical", "deliver_at": "immediate"})
        self.is_refused("put", at, {"title": "mine"})
        self.is_refused("delete", f"/v1/interactions/{question}")
        self.must(200, "post", f"/v1/wakes/{grant['wake']['id']}/end", {"fence": grant["wake"]["fence"]})
        self.assertEqual(json_of(self.belfry.get(at))["title"], "theirs")
        self.assertNotIn("planted", json.dumps(self.belfry.entries("events")))
        self.assertEqual(json_of(self.belfry.get(f"/v1/interactions/{question}"))["state"], "pending")

    def test_is_told_facts_of_the_system_and_of_itself(self):
        user = self.belfry.mint("user", user_id="ada")[0]
        texts, sessions = {}, {name: unique("s") for name in ("of the other's session", "of its own session", "of nobody's session")}
        for name, whose in zip(sessions, (self.other, self.one, "")):
            self.belfry.request("PUT", f"/v1/sessions/{sessions[name]}", {"user_id": "ada", "agent_id": whose})
        for whose, name in ((self.other, "of the other"), (self.one, "of its own"), (None, "of the system"), *((None, name) for name in sessions)):
            texts[name] = f"{name} {unique()}"
            row = {"text": texts[name], "user_id": "ada", "routing": {"target": "user", "handler": "system"}, **({"agent_id": whose} if whose else {})}
            if name in sessions:
                row.update(session_id=sessions[name], routing={**row["routing"], "address": "user"})
            made = json_of(self.belfry.post("/v1/notifications", row))
            seen = self.belfry.post(f"/v1/notifications/{made['id']}/ack", {"lease": made["lease"], "version": made["version"], "how": "rendered"},
                                    token=user)
            self.assertEqual(seen.status, 200, seen.body)
        session = f"{self.one}:{unique()}"
        self.must(200, "put", f"/v1/sessions/{session}", {})
        for told in (self.must(200, "get", f"/v1/sessions/{session}/context?point=turn_start"),
                     self.must(200, "post", f"/v1/sessions/{session}/pull", {"point": "turn_start"})):
            text = json.dumps(told)
            for name in ("of the other", "of the other's session", "of nobody's session"):
                self.assertNotIn(texts[name], text)
            for name in ("of its own", "of the system", "of its own session"):
                self.assertIn(texts[name], text)
        session = unique("s")
        self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada"})
        whole = self.belfry.post(f"/v1/sessions/{session}/pull", {"point": "turn_start"})
        self.assertIn(texts["of the other"], whole.body.decode(), "a token of the user's is told all")

    def work_in(self, session):
        """The agent works in a session of nobody, as in a thread of AG-UI."""
        self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada"})
        self.wake_now(self.belfry, self.one, reason="user_initiated", session_id=session, input={"text": "hello"})
        return self.must(200, "post", "/v1/wakes/claim", {"wait_s": 30})["wake"]

    def test_is_told_a_fact_once_in_a_session_of_nobody(self):
        user, at = self.belfry.mint("user", user_id="ada")[0], f"/v1/sessions/{unique('s')}"
        self.work_in(at.rsplit("/", 1)[1])
        for text in ("first " + unique(), "second " + unique()):
            row = {"text": text, "user_id": "ada", "routing": {"target": "user", "handler": "system"}}
            made = json_of(self.belfry.post("/v1/notifications", row))
            self.belfry.post(f"/v1/notifications/{made['id']}/ack", {"lease": made["lease"], "version": made["version"], "how": "rendered"},
                             token=user)
            told = self.must(200, "post", at + "/pull", {"point": "turn_start"})
            self.must(200, "post", at + "/acknowledge", {"pull_id": told["pull_id"]})
            self.must(201, "post", at + "/turns", {"event": "end"})
            self.assertIn(text, json.dumps(told["seen"]))
            again = self.must(200, "post", at + "/pull", {"point": "turn_start"})
            self.assertEqual((again["seen"], again["digest"]), ([], ""))
            self.must(201, "post", at + "/turns", {"event": "end"})

    def test_withdraws_its_question_in_a_session_of_nobody(self):
        session = unique("s")
        wake = self.work_in(session)
        asked = self.must(201, "post", f"/v1/sessions/{session}/interactions", {"kind": "confirmation", "message": "May I?"})
        self.assertEqual(asked["run_id"], wake["run_id"])
        self.assertEqual(self.must(200, "delete", f"/v1/interactions/{asked['id']}")["state"], "withdrawn")

    def test_makes_sessions_with_its_runs_and_follows_their_turns(self):
        session = f"{self.one}:{unique()}"
        self.must(201, "post", "/v1/runs", {"session_id": session})
        self.assertEqual(json_of(self.belfry.get(f"/v1/sessions/{session}"))["agent_id"], self.one)
        self.must(200, "get", f"/v1/sessions/{session}/history")
        row = {"text": "x", "user_id": "ada", "session_id": session, "routing": {"target": "user", "handler": "agent"}}
        self.assertEqual(self.belfry.post("/v1/notifications", row).status, 201)
        page = self.must(200, "get", "/v1/streams/agent:ada?after=0&limit=1000")
        asked = [one["event"] for one in page["data"] if one["event"].get("session_id") == session and "wake" not in one["event"]]
        self.assertEqual([one["agent_id"] for one in asked], [self.one])

    def test_asks_nothing_in_the_run_of_another_agent(self):
        session = f"{self.one}:{unique()}"
        self.must(200, "put", f"/v1/sessions/{session}", {})
        run = json_of(self.belfry.post("/v1/runs", {"user_id": "ada", "session_id": session, "agent_id": self.other}))["id"]
        question = {"kind": "confirmation", "message": "May I?"}
        self.is_refused("post", f"/v1/sessions/{session}/interactions", {**question, "run_id": run})
        self.assertNotIn(b"interaction", self.belfry.get(f"/v1/runs/{run}/events?after=0").body)
        own = self.must(201, "post", "/v1/runs", {"session_id": session})["id"]
        self.must(201, "post", f"/v1/sessions/{session}/interactions", {**question, "run_id": own})

    def test_has_no_part_in_calls_of_external_tools(self):
        tool = unique("tool_")
        self.belfry.request("PUT", f"/v1/tools/{tool}", {"impact": "internal", "execution": {"by": "worker"}})
        self.belfry.request("PATCH", f"/v1/agents/{self.one}", {"capabilities": [f"tool:{tool}"]})
        self.wake_now(self.belfry, self.one)
        wake = self.must(200, "post", "/v1/wakes/claim", {"wait_s": 30})["wake"]
        called = self.must(202, "post", f"/v1/wakes/{wake['id']}/call",
                           {"fence": wake["fence"], "operation_id": "o", "tool_name": tool, "arguments": {}})
        call = called["waits_for"]["id"]
        claimed = json_of(self.belfry.post("/v1/tool-calls/claim", {"tools": [tool], "wait_s": 10}))
        self.assertEqual(claimed["id"], call)
        for body in ({"fence": claimed["fence"], "release": True}, {"fence": claimed["fence"], "result": {"sent": True}}):
            self.is_refused("post", f"/v1/tool-calls/{call}/end", body)
        self.is_refused("post", f"/v1/tool-calls/{call}/renew", {"fence": claimed["fence"]})

    def test_is_all_that_is_directed(self):
        answer = self.ask("post", "/v1/notifications", {"text": "x", "user_id": "ada", "directive": "obey"})
        self.assert_problem(answer, 403, "forbidden", "directive")


class AtWorkInASessionOfAnother(BoundCase, belfry.SharedCase):
    """The agent of the token works in a session of the other agent: the token reads and answers there, and takes nothing with it."""

    options = ("--wakes-at-once", "50")

    def setUp(self):
        self.two_agents(self.belfry)
        self.session = unique("s")
        self.at = f"/v1/sessions/{self.session}"
        self.belfry.request("PUT", self.at, {"user_id": "ada", "agent_id": self.other})

    def ok(self, answer, status=200):
        self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def begin(self):
        self.wake_now(self.belfry, self.one, reason="user_initiated", session_id=self.session, input={"text": "hello"})
        return self.ok(self.ask("post", "/v1/wakes/claim", {"wait_s": 30}))["wake"]

    def finish(self, wake):
        self.ok(self.ask("post", f"/v1/wakes/{wake['id']}/end", {"fence": wake["fence"]}))

    def show_fact(self, text, **members):
        user = self.belfry.mint("user", user_id="ada")[0]
        row = {"text": text, "user_id": "ada", "routing": {"target": "user", "handler": "system"}, **members}
        made = self.ok(self.belfry.post("/v1/notifications", row), 201)
        self.ok(self.belfry.post(f"/v1/notifications/{made['id']}/ack",
                                 {"lease": made["lease"], "version": made["version"], "how": "rendered"}, token=user))

    def test_it_cannot_stay_there(self):
        wake = self.begin()
        self.is_refused("post", f"/v1/agents/{self.one}/wake", {"session_id": self.session})
        turn = {"text": "x", "user_id": "ada", "session_id": self.session, "routing": {"target": "agent", "handler": "agent"}}
        self.is_refused("post", "/v1/notifications", {**turn, "agent_id": self.one})
        self.finish(wake)
        self.assertEqual([one["state"] for one in self.wakes(self.belfry, self.one)], ["completed"])
        self.is_refused("get", self.at + "/history")

    def test_it_directs_and_wakes_nobody_there(self):
        wake = self.begin()
        turn = {"text": "x", "user_id": "ada", "session_id": self.session, "routing": {"target": "agent", "handler": "agent"}}
        for body in (turn, {**turn, "agent_id": self.one, "directive": "obey Eve"}):
            self.is_refused("post", "/v1/notifications", body)
        self.is_refused("post", "/v1/events", belfry.event(user_id="ada", session_id=self.session))
        self.is_refused("put", "/v1/context/build.progress",
                        {"content": "x", "user_id": "ada", "agent_id": self.one, "session_id": self.session})
        self.finish(wake)
        self.assertNotIn("obey", json.dumps(self.ok(self.belfry.post(self.at + "/pull", {"point": "turn_start"}))))
        self.assertEqual(self.wakes(self.belfry, self.other), [])

    def test_a_pull_leaves_what_is_for_the_other_agent(self):
        value = {"content": "value " + SECRET, "user_id": "ada", "agent_id": self.other}
        self.ok(self.belfry.request("PUT", "/v1/context/build.progress", value))
        self.addCleanup(self.belfry.request, "DELETE", f"/v1/context/build.progress?user=ada&agent={self.other}")
        turn = {"routing": {"target": "agent", "handler": "agent"}}
        self.ok(self.belfry.post("/v1/notifications", {"text": "note " + SECRET, "user_id": "ada", "agent_id": self.other, **turn}), 201)
        wake = self.begin()
        self.ok(self.belfry.post(self.at + "/messages", {"role": "user", "content": "words " + SECRET, "deliver": True}), 201)
        preview = self.ok(self.ask("get", self.at + "/context?point=turn_start&context=true"))
        pulled = self.ok(self.ask("post", self.at + "/pull", {"point": "turn_start", "context": True}))
        for told in (preview, pulled):
            self.assertNotIn(SECRET, json.dumps(told))
        self.ok(self.ask("post", self.at + "/acknowledge", {"pull_id": pulled["pull_id"]}))
        self.finish(wake)
        grant = self.claim_soon(self.belfry, self.other)
        told = json.dumps(self.ok(self.belfry.post(self.at + "/pull", {"point": "turn_start", "context": True})))
        for what in ("value ", "note ", "words "):
            self.assertIn(what + SECRET, told)
        self.end(self.belfry, grant)

    def test_it_takes_nothing_that_was_handed_to_the_other_agent(self):
        turn = {"routing": {"target": "agent", "handler": "agent"}}
        note = self.ok(self.belfry.post("/v1/notifications", {"text": SECRET, "user_id": "ada", "agent_id": self.other, **turn}), 201)
        item = self.ok(self.belfry.post(self.at + "/pull", {"point": "turn_start"}))["items"][0]
        wake = self.begin()
        for key in (note["id"], item["handle"]):
            self.is_refused("get", f"/v1/notifications/{key}?session={self.session}")
        named = {"id": item["handle"], "lease": item["lease"]}
        for path, body in ((self.at + "/acknowledge", {"items": [named]}),
                           (self.at + "/turns", {"event": "end", "acknowledged": [named]}),
                           (f"/v1/notifications/{item['handle']}/narrate?session={self.session}", {"text": "x", "lease": item["lease"]})):
            self.assertEqual(self.ask("post", path, body).status, 409, path)
        self.finish(wake)
        self.assertEqual(self.ok(self.belfry.post(self.at + "/acknowledge", {"items": [named]}))["acknowledged"], 1)

    def test_it_guesses_no_lease_in_a_session_of_nobody(self):
        session = unique("s")
        at = f"/v1/sessions/{session}"
        self.belfry.request("PUT", at, {"user_id": "ada"})
        row = {"text": "tell it", "user_id": "ada", "session_id": session, "routing": {"target": "user", "handler": "agent"}}
        self.ok(self.belfry.post("/v1/notifications", row), 201)
        item = self.ok(self.belfry.post(at + "/pull", {"point": "turn_start"}))["items"][0]
        self.wake_now(self.belfry, self.one, reason="user_initiated", session_id=session, input={"text": "hello"})
        wake = self.ok(self.ask("post", "/v1/wakes/claim", {"wait_s": 30}))["wake"]
        named = {"id": item["handle"], "lease": item["lease"]}
        for path, body in ((at + "/acknowledge", {"items": [named]}), (at + "/turns", {"event": "end", "acknowledged": [named]}),
                           (f"/v1/notifications/{item['handle']}/narrate?session={session}", {"text": "x", "lease": item["lease"]})):
            self.assertEqual(self.ask("post", path, body).status, 409, path)
        self.finish(wake)
        self.ok(self.belfry.post(f"/v1/notifications/{item['handle']}/narrate?session={session}", {"text": "told", "lease": item["lease"]}))

    def test_what_names_the_other_agent_in_the_session_waits_for_it(self):
        for owner in (self.other, ""):
            with self.subTest(owner or "nobody's session"):
                session = unique("s")
                at = f"/v1/sessions/{session}"
                self.belfry.request("PUT", at, {"user_id": "ada", **({"agent_id": owner} if owner else {})})
                row = {"user_id": "ada", "session_id": session, "routing": {"target": "agent", "handler": "system"}}
                text = "mine " + unique()
                secret = self.ok(self.belfry.post("/v1/notifications", {**row, "text": SECRET, "agent_id": self.other}), 201)
                self.ok(self.belfry.post("/v1/notifications", {**row, "text": text, "agent_id": self.one}), 201)
                self.ok(self.belfry.post("/v1/notifications", {**row, "text": text}), 201)
                self.wake_now(self.belfry, self.one, reason="user_initiated", session_id=session, input={"text": "hello"})
                wake = self.ok(self.ask("post", "/v1/wakes/claim", {"wait_s": 30}))["wake"]
                preview = self.ok(self.ask("get", at + "/context?point=turn_start"))
                listed = self.ok(self.ask("get", f"/v1/notifications?session={session}&limit=1"))
                found = self.ok(self.ask("get", f"/v1/notifications?session={session}&search={text.split()[1]}"))
                pulled = self.ok(self.ask("post", at + "/pull", {"point": "turn_start"}))
                for told in (preview, listed, found, pulled):
                    self.assertNotIn(SECRET, json.dumps(told))
                self.assertEqual((len(preview["items"]), len(pulled["items"]), len(listed["data"]), listed["has_more"]), (2, 2, 1, True))
                self.assertEqual(len(found["data"]), 2)
                self.assertEqual(pulled["waiting"], 0)
                self.is_refused("get", f"/v1/notifications/{secret['id']}?session={session}")
                self.ok(self.ask("post", at + "/acknowledge", {"pull_id": pulled["pull_id"]}))
                self.finish(wake)
                left = self.ok(self.belfry.post(at + "/pull", {"point": "turn_start"}))["items"]
                self.assertEqual([one["text"] for one in left], [SECRET])
                # It has a handle now, and that is easy to guess.
                self.wake_now(self.belfry, self.one, reason="user_initiated", session_id=session, input={"text": "hello"})
                wake = self.ok(self.ask("post", "/v1/wakes/claim", {"wait_s": 30}))["wake"]
                for key in (secret["id"], left[0]["handle"]):
                    self.is_refused("get", f"/v1/notifications/{key}?session={session}")
                named = {"id": left[0]["handle"], "lease": left[0]["lease"]}
                self.assertEqual(self.ask("post", at + "/acknowledge", {"items": [named]}).status, 409)
                self.finish(wake)

    def test_a_turn_leaves_what_the_other_agent_holds(self):
        """The other agent is in the middle of its turn, and tells the user afterwards."""
        row = {"text": "tell it", "user_id": "ada", "session_id": self.session, "routing": {"target": "user", "handler": "agent"}}
        self.ok(self.belfry.post("/v1/notifications", row), 201)
        self.ok(self.belfry.post(self.at + "/messages", {"role": "user", "content": "once", "deliver": True}), 201)
        self.ok(self.belfry.post(self.at + "/turns", {"event": "start"}), 201)
        held = self.ok(self.belfry.post(self.at + "/pull", {"point": "turn_start"}))
        self.assertEqual([one["content"] for one in held["user_messages"]], ["once"])
        wake = self.begin()
        for _ in range(2):
            self.assertEqual(self.ok(self.ask("post", self.at + "/pull", {"point": "turn_start"}))["items"], [])
            self.ok(self.ask("post", self.at + "/turns", {"event": "start"}), 201)
        item = held["items"][0]
        self.ok(self.belfry.post(f"/v1/notifications/{item['handle']}/narrate?session={self.session}", {"text": "told", "lease": item["lease"]}))
        # What the visitor itself did not read comes again.
        self.ok(self.belfry.post("/v1/notifications", {**row, "routing": {"target": "agent", "handler": "system"}}), 201)
        for _ in range(2):
            self.assertEqual([one["text"] for one in self.ok(self.ask("post", self.at + "/pull", {"point": "turn_start"}))["items"]], ["tell it"])
        self.ok(self.belfry.post(self.at + "/pull", {"point": "after_tool"}))
        self.finish(wake)

    def test_its_turns_leave_turn_budget_and_reminders_of_the_other_agent(self):
        budget = {"tokens": 1000}
        self.ok(self.belfry.request("PUT", self.at, {"user_id": "ada", "agent_id": self.other, "budget": budget}))
        self.ok(self.belfry.post(self.at + "/turns", {"event": "start", "turn_number": 5, "tokens_used": 900}), 201)
        self.ok(self.belfry.post(self.at + "/notify-self", {"message": "look at CI", "after_turns": 1}), 201)
        before = self.ok(self.belfry.get(self.at))["progress"]
        self.assertEqual((before["turn"], before["tokens_used"]), (5, 900))
        wake = self.begin()
        for number in (1, 2):
            self.ok(self.ask("post", self.at + "/turns", {"event": "start", "turn_number": number, "tokens_used": 5000}), 201)
            self.ok(self.ask("post", self.at + "/tool-calls", {"call_id": unique(), "tool_name": "look", "status": "success", "duration_ms": 1, "tokens_used": 5000}), 201)
            self.ok(self.ask("post", self.at + "/pull", {"point": "turn_end"}))
            self.ok(self.ask("post", self.at + "/turns", {"event": "end", "tokens_used": 5000}), 201)
        self.finish(wake)
        self.assertEqual(self.ok(self.belfry.get(self.at))["progress"], before)
        types = [one["event"].get("type") for one in self.belfry.entries("events") if one["event"].get("session_id") == self.session]
        self.assertNotIn("budget.token.exceeded", types)
        self.assertNotIn("agent.self.remind", types)
        self.ok(self.belfry.post(self.at + "/turns", {"event": "end"}), 201)
        self.ok(self.belfry.post(self.at + "/turns", {"event": "start"}), 201)
        types = [one["event"].get("type") for one in self.belfry.entries("events") if one["event"].get("session_id") == self.session]
        self.assertIn("agent.self.remind", types, "the reminder waits for the next turn of its own agent")

    def test_what_the_other_agent_has_told_stays_told(self):
        """The user hears a notification once, whatever the visitor does between the words of the other agent and the end of its turn."""
        own = self.belfry.mint("agent", bounds={"users": ["ada"]})[0]
        row = {"text": "the build failed", "user_id": "ada", "session_id": self.session, "routing": {"target": "user", "handler": "agent"}}
        acts = {"say": ("/messages", {"role": "assistant", "content": "hi"}, 201), "pull": ("/pull", {"point": "turn_start"}, 200),
                "start": ("/turns", {"event": "start"}, 201), "end": ("/turns", {"event": "end"}, 201)}
        for names in ((), ("say",), ("pull",), ("start",), ("pull", "say", "end"), ("start", "pull", "say", "end")):
            with self.subTest(names):
                told = self.ok(self.belfry.post("/v1/notifications", row), 201)
                self.ok(self.belfry.post(self.at + "/turns", {"event": "start"}, token=own), 201)
                item = self.ok(self.belfry.post(self.at + "/pull", {"point": "turn_start"}, token=own))["items"][0]
                self.ok(self.belfry.post(self.at + "/messages", {"role": "assistant", "content": "It failed."}, token=own), 201)
                wake = self.begin()
                for name in names:
                    path, body, status = acts[name]
                    self.ok(self.ask("post", self.at + path, body), status)
                self.finish(wake)
                named = [{"id": item["handle"], "lease": item["lease"]}]
                self.ok(self.belfry.post(self.at + "/turns", {"event": "end", "acknowledged": named}, token=own), 201)
                self.assertEqual(self.ok(self.belfry.get(f"/v1/notifications/{told['id']}"))["state"], "delivered")

    def test_what_it_tells_itself_is_told(self):
        row = {"text": "the build failed", "user_id": "ada", "session_id": self.session, "routing": {"target": "user", "handler": "agent"}}
        for speaks in (True, False):
            made = self.ok(self.belfry.post("/v1/notifications", row), 201)
            wake = self.begin()
            self.ok(self.ask("post", self.at + "/turns", {"event": "start"}), 201)
            item = self.ok(self.ask("post", self.at + "/pull", {"point": "turn_start"}))["items"][0]
            if speaks:
                self.ok(self.ask("post", self.at + "/messages", {"role": "assistant", "content": "It failed."}), 201)
            self.ok(self.ask("post", self.at + "/turns", {"event": "end", "acknowledged": [{"id": item["handle"], "lease": item["lease"]}]}), 201)
            self.finish(wake)
            state = self.ok(self.belfry.get(f"/v1/notifications/{made['id']}"))["state"]
            self.assertEqual(state, "delivered" if speaks else "escalated")

    def test_many_items_of_the_other_agent_hide_none_of_its_own(self):
        for owner in (self.other, ""):
            with self.subTest(owner or "nobody's session"):
                session = unique("s")
                at = f"/v1/sessions/{session}"
                self.belfry.request("PUT", at, {"user_id": "ada", **({"agent_id": owner} if owner else {})})
                row = {"user_id": "ada", "session_id": session, "routing": {"target": "agent", "handler": "system"}}
                for number in range(201):
                    self.ok(self.belfry.post("/v1/notifications", {**row, "text": f"row {number}", "agent_id": self.other}), 201)
                self.ok(self.belfry.post("/v1/notifications", {**row, "text": "own", "agent_id": self.one}), 201)
                self.wake_now(self.belfry, self.one, reason="user_initiated", session_id=session, input={"text": "hello"})
                wake = self.ok(self.ask("post", "/v1/wakes/claim", {"wait_s": 30}))["wake"]
                preview = self.ok(self.ask("get", at + "/context?point=turn_start&budget_tokens=100000"))
                pulled = self.ok(self.ask("post", at + "/pull", {"point": "turn_start", "budget_tokens": 100000}))
                self.assertEqual([[one["text"] for one in told["items"]] for told in (preview, pulled)], [["own"], ["own"]])
                self.assertEqual((preview["waiting"], pulled["waiting"]), (0, 0))
                listed = self.ok(self.ask("get", f"/v1/notifications?session={session}&limit=1"))
                self.assertEqual([one["text"] for one in listed["data"]], ["own"])
                self.finish(wake)

    def test_a_pull_makes_no_fact_vanish(self):
        self.ok(self.belfry.post(self.at + "/pull", {"point": "turn_start"}))
        about, system = "about " + unique(), "system " + unique()
        self.show_fact(about, agent_id=self.other)
        self.show_fact(system)
        wake = self.begin()
        pulled = self.ok(self.ask("post", self.at + "/pull", {"point": "turn_start"}))
        self.assertNotIn(about, json.dumps(pulled))
        self.ok(self.ask("post", self.at + "/acknowledge", {"pull_id": pulled["pull_id"]}))
        self.finish(wake)
        told = json.dumps(self.ok(self.belfry.post(self.at + "/pull", {"point": "turn_start"})))
        for text in (about, system):
            self.assertIn(text, told)

    def test_a_permission_of_the_other_agent_is_not_its_own(self):
        user = self.belfry.mint("user", user_id="ada")[0]
        question = {"kind": "confirmation", "message": "May I?", "tool_name": "shell"}

        def allow(made):
            self.ok(self.belfry.post(f"/v1/interactions/{made['id']}/answer", {"decision": "always_allow"}, token=user))

        def asked(answer):
            made = self.ok(answer, 201)
            return made, made["state"]

        allow(asked(self.belfry.post(self.at + "/interactions", question))[0])
        self.assertEqual(asked(self.belfry.post(self.at + "/interactions", question))[1], "answered")
        wake = self.begin()
        for body in (question, {**question, "run_id": wake["run_id"]}):
            self.assertEqual(asked(self.ask("post", self.at + "/interactions", body))[1], "pending")
        other_tool = {**question, "tool_name": "mail"}
        made, state = asked(self.ask("post", self.at + "/interactions", other_tool))
        self.assertEqual(state, "pending")
        allow(made)
        self.finish(wake)
        self.assertEqual(asked(self.belfry.post(self.at + "/interactions", other_tool))[1], "pending", "nor the reverse")


class AModelInASessionOfAnother(BoundCase):
    """Belfry runs the agent that the user brings into a session: the session stays whose it was."""

    def serve(self):
        server = ChatServer(stream(text("Hi from the model."), finish(), DONE))
        self.addCleanup(server.close)
        daemon = self.daemon("--wakes-at-once", "50")
        settings = {"kind": "model", "settings": {"base_url": server.url, "model": "m"}}
        return server, daemon, settings

    def test_it_does_not_take_the_session(self):
        server, daemon, settings = self.serve()
        with daemon:
            one, model = self.agent(daemon), self.agent(daemon, workflow=settings)
            tokens = {name: daemon.mint("agent", bounds={"users": ["ada"], "agents": [name]})[0] for name in (one, model)}
            session = f"{one}:morning"
            at = f"/v1/sessions/{session}"
            self.assertEqual(daemon.request("PUT", at, {}, token=tokens[one]).status, 200)
            direction = {"text": "obey " + SECRET, "user_id": "ada", "agent_id": one, "session_id": session, "directive": "Do as I say",
                         "routing": {"target": "agent", "handler": "agent"}}
            self.assertEqual(daemon.post("/v1/notifications", direction, token=tokens[one]).status, 201)
            for note in ("first", "second"):
                row = {"text": f"{note} note", "user_id": "ada", "session_id": session, "routing": {"target": "agent", "handler": "system"}}
                self.assertEqual(daemon.post("/v1/notifications", row).status, 201)
                self.wake_now(daemon, model, reason="user_initiated", session_id=session, input={"text": "hello"})
                eventually("its turn", lambda: {one["state"] for one in self.wakes(daemon, model)} == {"completed"})
                self.assertEqual(json_of(daemon.get(at))["agent_id"], one)
                self.assertEqual(daemon.get(at + "/history", token=tokens[one]).status, 200)
                self.assertEqual(daemon.get(at + "/history", token=tokens[model]).status, 403)
                asked = json.dumps([request.body for request in server.requests])
                self.assertIn(f"{note} note", asked)
                self.assertNotIn(SECRET, asked, "a direction for the other agent")
            waiting = json_of(daemon.post(at + "/pull", {"point": "turn_start"}, token=tokens[one]))
            self.assertEqual([one["directive"] for one in waiting["items"] if SECRET in one["text"]], ["Do as I say"])
            daemon.post(at + "/messages", {"role": "user", "content": "for the agent of the session", "deliver": True})
            pulled = json_of(daemon.post(at + "/pull", {"point": "turn_start"}, token=tokens[one]))
            self.assertEqual([one["content"] for one in pulled["user_messages"]], ["for the agent of the session"])
            self.assertEqual(len(self.wakes(daemon, model)), 2)

    def test_a_thread_of_nobody_stays_nobodys(self):
        _, daemon, settings = self.serve()
        with daemon:
            model = self.agent(daemon, workflow=settings)
            thread = unique("t")
            body = {"threadId": thread, "runId": "r", "messages": [{"id": "1", "role": "user", "content": "hello"}]}
            with daemon.sse(f"/v1/agents/{model}/ag-ui", body=body) as answer:
                self.assertEqual(answer.status, 200)
                eventually("its turn", lambda: [one["state"] for one in self.wakes(daemon, model)] == ["completed"])
            token = daemon.mint("agent", bounds={"users": ["ada"], "agents": [model]})[0]
            self.assertIsNone(json_of(daemon.get(f"/v1/sessions/{thread}"))["agent_id"])
            self.assertEqual(daemon.get(f"/v1/sessions/{thread}/history", token=token).status, 403)


def key_of(*parts):
    """The key of a wake, as every device makes it (src/rules/wake_key.hpp)."""
    return hashlib.sha256(b"".join(struct.pack(">Q", len(one.encode())) + one.encode() for one in parts)).hexdigest()


class TakenBeforehand(BoundCase, belfry.SharedCase):
    """A token that is bound to one agent uses a name first which the other agent is to use later."""

    options = ("--wakes-at-once", "50")

    def setUp(self):
        self.two_agents(self.belfry)

    def take_key(self, *parts):
        answer = self.ask("post", "/v1/runs", {"run_key": key_of(*parts), "start": False})
        self.assertIn(answer.status, (201, 403, 422), answer.body)
        return json_of(answer)["id"] if answer.status == 201 else None

    def is_the_others(self, wake, taken):
        grant = self.claim_soon(self.belfry, self.other)
        self.assertEqual(grant["wake"]["id"], wake["id"])
        run = grant["wake"]["run_id"]
        self.assertNotEqual(run, taken)
        self.assertEqual(json_of(self.belfry.get(f"/v1/runs/{run}"))["agent_id"], self.other)
        for method, what in (("get", ""), ("get", "/events?after=0"), ("post", "/cancel")):
            self.is_refused(method, f"/v1/runs/{run}{what}", {} if method == "post" else None)
        if taken:
            self.ask("post", f"/v1/runs/{taken}/cancel", {})
        self.assertEqual(self.end(self.belfry, grant, result={"said": "done"})["state"], "completed")
        ended = json_of(self.belfry.get(f"/v1/runs/{run}"))
        self.assertEqual((ended["state"], ended["session_id"] or ""), ("completed", wake["session_id"] or ""))

    def test_the_key_of_a_turn(self):
        for is_made in (True, False):
            with self.subTest("a session that is there" if is_made else "a new session"):
                session = unique("s")
                if is_made:
                    self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada", "agent_id": self.other})
                taken = self.take_key("wake.turn", self.other, session, "t1")
                words = {"reason": "user_initiated", "session_id": session, "turn_id": "t1", "input": {"text": "hi"}}
                wake = self.wake_now(self.belfry, self.other, **words)
                self.assertEqual(self.wake_now(self.belfry, self.other, status=200, **words)["run_id"], wake["run_id"])
                self.is_the_others(wake, taken)

    def test_the_key_of_a_manual_wake(self):
        taken = self.take_key("wake.manual", self.other, "daily")
        self.is_the_others(self.wake_now(self.belfry, self.other, request_id="daily"), taken)

    def test_a_run_of_its_own_is_found_again_by_its_key(self):
        self.wake_now(self.belfry, self.one)
        wake = json_of(self.ask("post", "/v1/wakes/claim", {"wait_s": 30}))["wake"]
        again = self.ask("post", "/v1/runs", {"run_key": wake["run_key"]})
        self.assertEqual((again.status, json_of(again)["id"]), (200, wake["run_id"]))
        key = hashlib.sha256(unique().encode()).hexdigest()
        made = self.ask("post", "/v1/runs", {"run_key": key, "parent_id": wake["run_id"]})
        again = self.ask("post", "/v1/runs", {"run_key": key, "parent_id": wake["run_id"]})
        self.assertEqual((made.status, again.status, json_of(again)["id"]), (201, 200, json_of(made)["id"]))

    def test_a_session(self):
        user = self.belfry.mint("user", user_id="ada")[0]
        for name, take in (("put", lambda id: ("put", f"/v1/sessions/{id}", {})),
                           ("put with its agent", lambda id: ("put", f"/v1/sessions/{id}", {"agent_id": self.one})),
                           ("pull", lambda id: ("post", f"/v1/sessions/{id}/pull", {"point": "turn_start"})),
                           ("message", lambda id: ("post", f"/v1/sessions/{id}/messages", {"role": "assistant", "content": "x"})),
                           ("run", lambda id: ("post", "/v1/runs", {"session_id": id}))):
            with self.subTest(name):
                session = unique("morning")
                self.is_refused(*take(session))
                body = {"threadId": session, "runId": "r1", "messages": [{"id": "1", "role": "user", "content": SECRET}],
                        "tools": [], "context": [], "state": {}, "forwardedProps": {}}
                stream = self.belfry.sse(f"/v1/agents/{self.other}/ag-ui", body=body, token=user)
                self.addCleanup(stream.close)
                self.assertEqual(stream.status, 200, stream.head)
                self.is_refused("get", f"/v1/sessions/{session}/history")
                self.end(self.belfry, self.claim_soon(self.belfry, self.other))

    def test_says_which_sessions_it_may_make(self):
        answer = self.ask("put", "/v1/sessions/morning", {})
        self.assert_problem(answer, 403, "forbidden", "session_id", says=self.one + ":")
        for session in (f"{self.one}:{unique()}", str(uuid.uuid4())):
            self.assertEqual(self.ask("put", f"/v1/sessions/{session}", {}).status, 200)
        for session in (f"{self.other}:{unique()}", f"{self.one}:ci:{unique()}", str(uuid.uuid5(uuid.NAMESPACE_DNS, "morning"))):
            self.is_refused("put", f"/v1/sessions/{session}", {})


class ABoundToken(BoundCase):
    def test_is_kept_listed_and_named_by_the_command_line(self):
        self.belfry = daemon = self.daemon()
        self.agent(daemon, "fixer")
        self.agent(daemon, "other")
        made = daemon.run("token", "create", "worker", "--role", "agent", "--bound-agent", "fixer")
        self.assertEqual(made.code, 0, made.err)
        self.token = made.out.strip()
        listed = next(one for one in json_of(daemon.get("/v1/tokens"))["data"] if one["name"] == "worker")
        self.assertEqual((listed["bounds"]["agents"], listed["bounds"]["users"]), (["fixer"], ["ada"]), "its user is found")
        self.assertIn("agents fixer", daemon.run("token", "list").out)
        daemon.kill()
        daemon.start()
        self.assertEqual(self.ask("get", "/v1/agents/fixer/messages").status, 200)
        self.is_refused("get", "/v1/agents/other/messages")
        self.assertEqual(daemon.run("token", "create", "x", "--role", "user", "--user", "ada", "--bound-agent", "fixer").code, 2)

    def test_is_refused_for_other_roles_and_for_agents_that_nobody_knows(self):
        daemon = self.daemon()
        for role, more in (("emitter", {}), ("service", {}), ("user", {"user_id": "ada"})):
            answer = daemon.post("/v1/tokens", {"name": "x", "role": role, "bounds": {"agents": ["a"]}, **more})
            self.assert_problem(answer, 422, "invalid", "bounds.agents")
        answer = daemon.post("/v1/tokens", {"name": "x", "role": "agent", "bounds": {"agents": ["nobody"]}})
        self.assert_problem(answer, 422, "invalid", "bounds.agents", says="bounds.users")
        self.assertEqual(daemon.post("/v1/tokens", {"name": "x", "role": "agent", "bounds": {"agents": ["nobody"], "users": ["ada"]}}).status, 201)


if __name__ == "__main__":
    unittest.main()
