"""Agents that a notification wakes and that Belfry runs itself: the agent is given the notification, and one event gives the user one item."""

import json
import threading

import belfry
from agents import AgentCase
from belfry import eventually, json_of, unique
from chat_server import DONE, ChatServer, call, error, finish, stall, stream, text
from test_outside_tools import ToolCase
from test_workflows import step

DECIDE = {"address": "user", "target": "agent", "handler": "agent"}
MUST_TELL = {"address": "user", "target": "user", "handler": "agent"}
MUST_TELL_HERE = {"address": "session", "target": "user", "handler": "agent"}
DECIDE_HERE = {"address": "session", "target": "agent", "handler": "agent"}
TEXT = "Look at build 7"
ENDED = ("completed", "failed", "not_needed", "no_turn", "dormant")


def calls(*words):
    """An answer of a model that calls these tools, each with its arguments."""
    pieces = [call(number, f"c{number}", name, json.dumps(arguments)) for number, (name, arguments) in enumerate(words)]
    return stream(*pieces, finish("tool_calls"), DONE)


def says(words):
    return stream(text(words), finish(), DONE)


class NotifiedCase(AgentCase):
    def setUp(self):
        super().setUp()
        self.user = unique("u")

    def script(self, daemon, *steps, **members):
        return self.agent(daemon, user_id=self.user, workflow={"kind": "script", "settings": {"steps": list(steps)}}, **members)

    def model(self, daemon, *scripts, agent=None, **settings):
        server = ChatServer(*scripts)
        self.addCleanup(server.close)
        workflow = {"kind": "model", "settings": {"base_url": server.url, "model": "m", **settings}}
        return self.agent(daemon, user_id=self.user, workflow=workflow, **(agent or {})), server

    def notify(self, daemon, agent, routing, words=TEXT, **members):
        answer = daemon.post("/v1/notifications", {"user_id": self.user, "agent_id": agent, "routing": routing, "text": words, **members})
        self.assertEqual(answer.status, 201, answer.body)
        return json_of(answer)

    def items(self, daemon):
        """What the user is shown, oldest first: an agent's own text where it narrated, else the text of the notification."""
        shown = json_of(daemon.get(f"/v1/inbox?user={self.user}&limit=1000"))["data"]
        return [one["narration"] if isinstance(one.get("narration"), str) and one["narration"] else one["text"] for one in reversed(shown)]

    def row(self, daemon, one):
        return json_of(daemon.get(f"/v1/notifications/{one['id']}"))

    def ended(self, daemon, agent, state="completed", count=1):
        """The wakes of the agent, when they have ended."""
        def all_ended():
            found = self.wakes(daemon, agent)
            return len(found) == count and all(one["state"] in ENDED for one in found) and found
        found = eventually("the wakes have ended", all_ended, patience=60)
        self.assertEqual([one["state"] for one in found], [state] * count, found)
        return found[0]

    def asked(self, server, number=0):
        """Everything that the model was given at a request."""
        return "\n".join(str(one.get("content")) for one in server.requests[number].body["messages"])

    def fail_often(self, daemon, agent, times):
        """Lets wakes of the agent fail for good, one after the other."""
        for _ in range(times):
            wake = self.wake_now(daemon, agent)
            self.assertEqual(self.wake(daemon, wake["id"], wait_s=30)["state"], "failed")


class Shared(NotifiedCase, belfry.SharedCase):
    options = ("--wakes-at-once", "20")


class AScript(Shared):
    def test_is_given_the_notification_that_woke_it_and_the_user_sees_one_item(self):
        for routing in (DECIDE, MUST_TELL):
            with self.subTest(routing):
                self.user = unique("u")
                agent = self.script(self.belfry, step("notify_user", text="I looked: {{ notifications[0].text }}"))
                made = self.notify(self.belfry, agent, routing)
                wake = self.ended(self.belfry, agent)
                self.assertEqual((wake["attempts"], wake["error"]), (1, None), wake)
                self.assertEqual(self.items(self.belfry), ["I looked: " + TEXT])
                self.assertNotIn(self.row(self.belfry, made)["state"], ("pending", "dispatched", "escalated"))

    def test_is_woken_from_the_command_line(self):
        self.user = json_of(self.belfry.get("/v1/health")).get("owner", self.user)
        agent = unique("robot")
        steps = json.dumps({"steps": [step("notify_user", text="I looked at it: {{ notifications[0].text }}")]})
        made = self.belfry.run("agent", "create", agent, "--user", self.user, "--workflow", "script", "--settings", steps)
        self.assertEqual(made.code, 0, made.err)
        told = self.belfry.run("notify", TEXT, "--to", f"agent:{agent}", "--user", self.user)
        self.assertEqual(told.code, 0, told.err)
        self.ended(self.belfry, agent)
        self.assertEqual(self.items(self.belfry), ["I looked at it: " + TEXT])

    def test_that_says_nothing_leaves_what_must_be_told_to_belfry(self):
        for routing, items in ((DECIDE, []), (MUST_TELL, [TEXT])):
            with self.subTest(routing):
                self.user = unique("u")
                agent = self.script(self.belfry, step("set_state", goal="{{ notifications[0].handle }} {{ notifications[0].text }}"))
                made = self.notify(self.belfry, agent, routing)
                self.ended(self.belfry, agent)
                self.assertEqual(self.items(self.belfry), items)
                goal = json_of(self.belfry.get(f"/v1/agents/{agent}"))["state"]["slots"]["primary_goal"]
                self.assertEqual(goal, f"n1 {TEXT}")
                self.assertEqual(self.row(self.belfry, made)["state"], "escalated" if items else "delivered")

    def test_tells_the_user_nothing_by_what_only_its_run_hears(self):
        agent = self.script(self.belfry, step("say", text="I looked"))
        self.notify(self.belfry, agent, MUST_TELL)
        self.ended(self.belfry, agent)
        self.assertEqual(self.items(self.belfry), [TEXT])

    def busy(self, text_of_it):
        """A script agent that is at work, and what lets it end that: its notifications join one wake meanwhile."""
        waits = threading.Event()
        self.addCleanup(waits.set)

        def first(answer):
            waits.wait(60)
            says("Done.")(answer)

        agent, server = self.model(self.belfry, first)
        self.wake_now(self.belfry, agent)
        eventually("it is at work", lambda: server.requests)
        workflow = {"kind": "script", "settings": {"steps": [step("notify_user", text=text_of_it)]}}
        patched = self.belfry.request("PATCH", f"/v1/agents/{agent}", {"workflow": workflow})
        self.assertEqual(patched.status, 200, patched.body)
        return agent, waits.set

    def test_tells_of_two_notifications_with_one_item(self):
        for routing in (MUST_TELL, DECIDE):
            with self.subTest(routing):
                self.user = unique("u")
                agent, go_on = self.busy("{{ notifications|length }}: {{ notifications|map(attribute='text')|join(', ') }}")
                for words in ("first", "second"):
                    self.notify(self.belfry, agent, routing, words)
                go_on()
                self.ended(self.belfry, agent, count=2)
                self.assertEqual(self.items(self.belfry), ["2: first, second"])

    def test_is_given_more_than_one_pull_holds(self):
        agent, go_on = self.busy("{{ notifications|length }}")
        rows = [self.notify(self.belfry, agent, MUST_TELL, f"build {number}") for number in range(203)]
        go_on()
        self.ended(self.belfry, agent, count=3)
        self.assertEqual(self.items(self.belfry), ["200", "3"])
        self.assertNotIn(self.row(self.belfry, rows[-1])["state"], ("pending", "dispatched", "escalated"))

    def test_in_a_session_tells_the_user_once(self):
        for routing in (MUST_TELL_HERE, DECIDE_HERE):
            with self.subTest(routing):
                self.user, session = unique("u"), unique("s")
                agent = self.script(self.belfry, step("notify_user", text="I looked: {{ notifications[0].text }}"))
                self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": self.user, "agent_id": agent})
                self.notify(self.belfry, agent, routing, session_id=session)
                self.ended(self.belfry, agent)
                self.assertEqual(self.items(self.belfry), ["I looked: " + TEXT])

    def test_that_an_event_wakes_has_no_session(self):
        agent, kind = self.script(self.belfry, step("notify_user", text="{{ notifications|length }} {{ signals[0].body.type }}")), unique("red.")
        self.subscribe(self.belfry, agent, kind, window_ms=0)
        self.emit(self.belfry, kind, user_id=self.user)
        wake = self.ended(self.belfry, agent)
        self.assertIsNone(wake["session_id"])
        self.assertEqual(self.items(self.belfry), ["0 " + kind])
        self.assertEqual(self.belfry.get(f"/v1/sessions/agent:{agent}").status, 404)
        self.assertEqual(self.belfry.entries(session=f"agent:{agent}"), [])

    def test_is_given_it_though_its_session_is_gone_or_anothers(self):
        for taken in ("deleted", "anothers"):
            with self.subTest(taken):
                self.user = unique("u")
                agent = self.script(self.belfry, step("notify_user", text="I looked: {{ notifications[0].text }}"))
                home = f"/v1/sessions/agent:{agent}"
                owner = self.user if taken == "deleted" else unique("u")
                self.assertIn(self.belfry.request("PUT", home, {"user_id": owner}).status, (200, 201))
                if taken == "deleted":
                    self.assertIn(self.belfry.request("DELETE", home).status, (200, 204))
                self.notify(self.belfry, agent, MUST_TELL)
                self.ended(self.belfry, agent)
                self.assertEqual(self.items(self.belfry), ["I looked: " + TEXT])
                self.assertEqual(json_of(self.belfry.get(f"/v1/inbox?user={owner}"))["data"] if owner != self.user else [], [])

    def test_leaves_alone_what_is_not_for_it(self):
        agent = self.script(self.belfry, step("notify_user", text="{{ notifications|map(attribute='text')|join(', ') }}"))
        answer = self.belfry.post("/v1/notifications", {"user_id": self.user, "routing": MUST_TELL, "text": "for the assistant"})
        self.notify(self.belfry, agent, MUST_TELL)
        self.ended(self.belfry, agent)
        self.assertEqual(self.items(self.belfry), [TEXT])
        self.assertEqual(self.row(self.belfry, json_of(answer))["state"], "pending")


class AModel(Shared):
    def test_is_given_the_notification_and_tells_the_user(self):
        for routing in (DECIDE, MUST_TELL):
            with self.subTest(routing):
                self.user = unique("u")
                agent, server = self.model(self.belfry, calls(("notify_user", {"text": "Build 7 is red"}), ("belfry_ack", {"handles": ["n1"]})),
                                           says("Done."))
                self.notify(self.belfry, agent, routing)
                wake = self.ended(self.belfry, agent)
                self.assertEqual(wake["attempts"], 1, wake)
                self.assertIn(TEXT, self.asked(server))
                self.assertIn("[n1 ", self.asked(server))
                self.assertIn("belfry_ack", [one["function"]["name"] for one in server.requests[0].body["tools"]])
                self.assertEqual(self.items(self.belfry), ["Build 7 is red"])

    def test_that_does_not_tell_leaves_it_to_belfry(self):
        for routing, answers, items in ((DECIDE, [says("Nothing to do.")], []),
                                        (DECIDE, [calls(("belfry_ack", {"handles": ["n1"]})), says(".")], []),
                                        (MUST_TELL, [says("Nothing to do.")], [TEXT]),
                                        (MUST_TELL, [calls(("belfry_ack", {"handles": ["n1"]})), says(".")], [TEXT])):
            with self.subTest((routing, len(answers))):
                self.user = unique("u")
                agent, server = self.model(self.belfry, *answers)
                self.notify(self.belfry, agent, routing)
                self.ended(self.belfry, agent)
                self.assertIn(TEXT, self.asked(server))
                self.assertEqual(self.items(self.belfry), items)

    def test_whose_server_fails_leaves_it_to_belfry_when_its_time_is_over(self):
        for routing in (DECIDE, MUST_TELL):
            for answer in (error(500, "burnt down"), stall(head=False)):
                with self.subTest((routing, answer)):
                    self.user = unique("u")
                    agent, _ = self.model(self.belfry, answer, timeout_s=1)
                    self.notify(self.belfry, agent, routing, ttl_s=2)
                    eventually("the user is told", lambda: self.items(self.belfry), patience=60)
                    self.ended(self.belfry, agent, "not_needed")
                    self.assertEqual(self.items(self.belfry), [TEXT])

    def test_that_is_given_up_leaves_it_to_belfry_at_once(self):
        for routing in (DECIDE, MUST_TELL):
            with self.subTest(routing):
                self.user = unique("u")
                agent, _ = self.model(self.belfry, calls(("set_state", {"goal": "x"})), rounds_max=1)
                self.notify(self.belfry, agent, routing)
                self.ended(self.belfry, agent, "failed")
                items = self.items(self.belfry)
                self.assertEqual(len(items), 1, items)
                self.assertTrue(items[0].startswith(TEXT), items)

    def test_that_becomes_dormant_gives_the_user_one_item_that_says_so(self):
        for routing in (DECIDE, MUST_TELL):
            with self.subTest(routing):
                self.user = unique("u")
                agent, _ = self.model(self.belfry, calls(("set_state", {"goal": "x"})), rounds_max=1)
                self.fail_often(self.belfry, agent, 4)
                self.assertEqual(self.items(self.belfry), [])
                self.notify(self.belfry, agent, routing)
                self.ended(self.belfry, agent, "failed", count=5)
                self.assertEqual(json_of(self.belfry.get(f"/v1/agents/{agent}"))["lifecycle"], "dormant")
                items = self.items(self.belfry)
                self.assertEqual(len(items), 1, items)
                self.assertTrue(items[0].startswith(TEXT), items)
                self.assertIn("rests now", items[0])

    def test_that_has_told_the_user_and_fails_then_does_not_give_a_second_item(self):
        for routing in (DECIDE, MUST_TELL):
            with self.subTest(routing):
                self.user = unique("u")
                agent, _ = self.model(self.belfry, calls(("notify_user", {"text": "Build 7 is red"})), rounds_max=1)
                self.notify(self.belfry, agent, routing)
                self.ended(self.belfry, agent, "failed")
                self.assertEqual(self.items(self.belfry), ["Build 7 is red"])


class AWorker(Shared):
    def test_that_tells_the_user_before_it_pulls_has_told(self):
        for routing in (DECIDE, MUST_TELL):
            for pulls in (False, True):
                with self.subTest((routing, pulls)):
                    self.user = unique("u")
                    agent = self.agent(self.belfry, user_id=self.user)
                    self.notify(self.belfry, agent, routing)
                    grant = self.claim_soon(self.belfry, agent)
                    wake, session = grant["wake"], unique("s")
                    if pulls:
                        self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": self.user, "agent_id": agent})
                        pulled = json_of(self.belfry.post(f"/v1/sessions/{session}/pull", {"point": "turn_start"}))
                        self.assertEqual(len(pulled["items"]), 1)
                    told = self.belfry.post(f"/v1/wakes/{wake['id']}/call", {
                        "fence": wake["fence"], "operation_id": "op", "tool_name": "notify_user", "arguments": {"text": "I looked"}})
                    self.assertEqual(told.status, 200, told.body)
                    if pulls:
                        self.belfry.post(f"/v1/sessions/{session}/turns", {"event": "end", "pull_id": pulled["pull_id"]})
                    self.assertEqual(self.end(self.belfry, grant)["state"], "completed")
                    self.assertEqual(self.items(self.belfry), ["I looked"])


class AnExternalTool(ToolCase, Shared):
    """A tool that Belfry hands out in a wake without a session: the user sees one item, and it names the tool."""

    def external(self, *answers):
        if answers:
            return self.by_hook(self.belfry, *answers, impact="external")[1]
        return self.by_worker(self.belfry, impact="external")

    def woken(self, tool, **members):
        """A notification for the agent's decision, and the wake that it started, at work."""
        agent = self.agent(self.belfry, user_id=self.user, capabilities=[f"tool:{tool}"])
        made = self.notify(self.belfry, agent, DECIDE, **members)
        grant = self.claim_soon(self.belfry, agent, lease_s=600)
        self.assertIsNone(grant["wake"]["session_id"])
        return agent, made, grant

    def pull(self, agent):
        session = unique("s")
        self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": self.user, "agent_id": agent})
        pulled = json_of(self.belfry.post(f"/v1/sessions/{session}/pull", {"point": "turn_start"}))
        self.assertEqual([one["handle"] for one in pulled["items"]], ["n1"])
        return session, pulled

    def end_turn(self, session, pulled, acknowledged=()):
        """The turn's end; it may be rejected because the row is the user's by now."""
        self.belfry.post(f"/v1/sessions/{session}/turns",
                         {"event": "end", "acknowledged": list(acknowledged), "pull_id": pulled["pull_id"]})

    def told(self, grant, words):
        wake = grant["wake"]
        answer = self.belfry.post(f"/v1/wakes/{wake['id']}/call", {"fence": wake["fence"], "operation_id": unique("op"),
                                                                   "tool_name": "notify_user", "arguments": {"text": words}})
        self.assertEqual(answer.status, 200, answer.body)

    def test_after_the_user_acknowledged_the_agents_text(self):
        tool = self.external()
        _, made, grant = self.woken(tool)
        self.told(grant, "I looked")
        row = self.row(self.belfry, made)
        ack = self.belfry.post(f"/v1/notifications/{made['id']}/ack",
                               {"lease": row["lease"], "version": row["version"], "how": "rendered"})
        self.assertEqual(ack.status, 200, ack.body)
        self.call(self.belfry, grant, tool)
        self.assertEqual(len([one for one in self.items(self.belfry) if tool in one]), 1, self.items(self.belfry))

    def test_of_a_wake_with_several_notifications_is_named_once(self):
        tool = self.external()
        agent, _, grant = self.woken(tool)
        for number in range(3):
            self.notify(self.belfry, agent, DECIDE, f"build {number}")
        self.told(grant, "busy")
        self.end(self.belfry, grant)
        grant = self.claim_soon(self.belfry, agent, lease_s=600)
        self.assertGreater(len(grant["signals"]), 1)
        self.told(grant, "I looked at all builds")
        self.call(self.belfry, grant, tool)
        named = [one for one in self.items(self.belfry) if tool in one]
        self.assertEqual(len(named), 1, self.items(self.belfry))

    def test_is_named_by_the_notification_that_the_agent_still_has(self):
        """One notification of the wake was shown by Belfry when its TTL ended; the agent uses the tool for the other one."""
        tool = self.external()
        agent = self.agent(self.belfry, user_id=self.user, capabilities=[f"tool:{tool}"])
        late = self.notify(self.belfry, agent, MUST_TELL, "late", ttl_s=1)
        made = self.notify(self.belfry, agent, DECIDE, "build 8", ttl_s=60)
        eventually("it escalates", lambda: self.row(self.belfry, late)["state"] == "escalated")
        grant = self.claim_soon(self.belfry, agent, lease_s=600)
        self.assertEqual(len(grant["signals"]), 2)
        session, pulled = self.pull(agent)
        self.call(self.belfry, grant, tool)
        self.end_turn(session, pulled)
        eventually("the user is told", lambda: self.row(self.belfry, made)["state"] in ("escalated", "delivered"))
        self.assertEqual(sorted(self.items(self.belfry)), [f"build 8 (tool used: {tool})", "late"])

    def test_used_again_after_the_agent_has_told_is_named_by_the_same_item(self):
        tool = self.external()
        agent = self.agent(self.belfry, user_id=self.user, capabilities=[f"tool:{tool}"])
        late = self.notify(self.belfry, agent, MUST_TELL, "late", ttl_s=1)
        self.notify(self.belfry, agent, DECIDE, "build 8", ttl_s=60)
        eventually("it escalates", lambda: self.row(self.belfry, late)["state"] == "escalated")
        grant = self.claim_soon(self.belfry, agent, lease_s=600)
        self.pull(agent)
        self.call(self.belfry, grant, tool, operation="op1")
        self.told(grant, "I looked at 8")
        self.call(self.belfry, grant, tool, operation="op2")
        self.assertEqual(sorted(self.items(self.belfry)), [f"I looked at 8 (tool used: {tool})", "late"])

    def assert_one_item(self, made, tool):
        eventually("the user is told", lambda: self.items(self.belfry))
        eventually("nothing of it waits for an agent",
                   lambda: self.row(self.belfry, made)["state"] in ("escalated", "delivered"))
        items = self.items(self.belfry)
        self.assertEqual(len(items), 1, items)
        self.assertIn(TEXT, items[0])
        self.assertIn(tool, items[0])

    def test_is_seen_though_the_worker_never_pulls_and_dies(self):
        tool = self.external()
        _, made, grant = self.woken(tool, ttl_s=1)
        self.call(self.belfry, grant, tool, status=202)
        self.assert_one_item(made, tool)

    def test_is_seen_whatever_the_worker_says_of_the_notification_then(self):
        for acknowledged in ((), ("n1",)):
            with self.subTest(acknowledged):
                self.user, tool = unique("u"), self.external()
                agent, made, grant = self.woken(tool)
                session, pulled = self.pull(agent)
                self.call(self.belfry, grant, tool, status=202)
                work = self.claim_call(self.belfry, tool, wait_s=30)
                self.end_call(self.belfry, work, result={"sent": True})
                self.end_turn(session, pulled, acknowledged)
                self.assertEqual(self.end(self.belfry, grant)["state"], "completed")
                self.assert_one_item(made, tool)

    def test_is_seen_though_the_notification_had_ended_before(self):
        for acknowledged in ((), ("n1",)):
            with self.subTest(acknowledged):
                self.user, tool = unique("u"), self.external()
                agent, made, grant = self.woken(tool)
                session, pulled = self.pull(agent)
                self.end_turn(session, pulled, acknowledged)
                self.assertEqual(self.items(self.belfry), [])
                self.call(self.belfry, grant, tool, status=202)
                self.assertEqual(self.end(self.belfry, grant)["state"], "completed")
                self.assert_one_item(made, tool)

    def test_is_named_once_though_it_is_called_twice(self):
        tool = self.external()
        agent, made, grant = self.woken(tool)
        session, pulled = self.pull(agent)
        for operation in ("op1", "op2"):
            self.call(self.belfry, grant, tool, operation, status=202)
        self.end_turn(session, pulled)
        self.assertEqual(self.end(self.belfry, grant)["state"], "completed")
        self.assert_one_item(made, tool)

    def test_is_seen_though_its_call_fails(self):
        tool = self.external((400, {"error": "no"}))
        _, made, grant = self.woken(tool, ttl_s=1)
        self.assertEqual(self.outcome(self.belfry, grant, tool)[0], "tool_refused")
        self.assert_one_item(made, tool)

    def test_is_seen_when_belfry_runs_the_agent(self):
        tool = self.external((200, {"sent": True}))
        agent = self.script(self.belfry, step(tool, to="bob"), capabilities=[f"tool:{tool}"])
        made = self.notify(self.belfry, agent, DECIDE)
        self.ended(self.belfry, agent)
        self.assert_one_item(made, tool)

    def test_is_named_in_what_the_agent_tells_the_user(self):
        for order in ("tool first", "told first"):
            with self.subTest(order):
                self.user, tool = unique("u"), self.external((200, {"sent": True}))
                steps = [step(tool, to="bob"), step("notify_user", text="I looked")]
                agent = self.script(self.belfry, *(steps if order == "tool first" else reversed(steps)), capabilities=[f"tool:{tool}"])
                self.notify(self.belfry, agent, DECIDE)
                self.ended(self.belfry, agent)
                items = self.items(self.belfry)
                self.assertEqual(len(items), 1, items)
                self.assertTrue(items[0].startswith("I looked"), items)
                self.assertIn(tool, items[0])

    def test_leaves_a_wake_without_notifications_as_it_is(self):
        tool, kind = self.external(), unique("red.")
        agent = self.agent(self.belfry, user_id=self.user, capabilities=[f"tool:{tool}"])
        self.subscribe(self.belfry, agent, kind, window_ms=0)
        self.emit(self.belfry, kind, user_id=self.user)
        grant = self.claim_soon(self.belfry, agent)
        self.call(self.belfry, grant, tool, status=202)
        self.assertEqual(self.end(self.belfry, grant)["state"], "completed")
        self.assertEqual(self.items(self.belfry), [])


class ADaemon(NotifiedCase):
    STEPS = 30

    def test_that_is_killed_in_mid_run_goes_on_and_the_user_sees_one_item(self):
        daemon, interrupted = self.daemon(), 0
        for number in range(20):
            self.user = unique("u")
            steps = [step("notify_user", text="I looked: {{ notifications[0].text }}")]
            steps += [step("set_state", preferences={f"p{one}": "x"}) for one in range(self.STEPS)]
            agent = self.script(daemon, *steps)
            self.notify(daemon, agent, (DECIDE, MUST_TELL)[number % 2])
            eventually("the user is told", lambda: self.items(daemon), pause=0)
            daemon.kill()
            daemon.start()
            wake = self.ended(daemon, agent)
            self.assertEqual(self.items(daemon), ["I looked: " + TEXT])
            preferences = json_of(daemon.get(f"/v1/agents/{agent}"))["state"]["slots"]["preferences"]
            self.assertEqual(len(preferences), self.STEPS)
            interrupted += wake["attempts"] > 1
            if interrupted == 4:
                return
        self.fail(f"only {interrupted} runs were interrupted")

    def test_that_is_killed_while_the_model_is_asked_asks_again_with_the_notification(self):
        for routing in (DECIDE, MUST_TELL):
            with self.subTest(routing):
                daemon = self.daemon()
                agent, server = self.model(daemon, stall(text("I")), calls(("notify_user", {"text": "Build 7 is red"})), says("Done."))
                self.notify(daemon, agent, routing)
                eventually("it is asked", lambda: server.requests)
                daemon.kill()
                daemon.start()
                self.ended(daemon, agent)
                self.assertEqual(self.items(daemon), ["Build 7 is red"])
                for number in range(2):
                    self.assertIn(TEXT, self.asked(server, number))


class AFailedAttempt(NotifiedCase):
    """A model answers a message of the user, is given a notification beside it, and fails once."""

    def test_answers_the_user_though_belfry_has_shown_the_notification_meanwhile(self):
        daemon = self.daemon()
        may_go_on, has_passed = threading.Event(), threading.Event()
        self.addCleanup(may_go_on.set)
        self.addCleanup(has_passed.set)

        def busy(answer):
            may_go_on.wait(30)
            says("done")(answer)

        def fails(answer):
            has_passed.wait(30)
            error(503, "busy")(answer)
        agent, server = self.model(daemon, busy, calls(("set_state", {"goal": "milk"})), fails, says("Milk is bought."))
        session = unique("s")
        daemon.request("PUT", f"/v1/sessions/{session}", {"user_id": self.user, "agent_id": agent})
        self.wake_now(daemon, agent)
        eventually("the first run is at work", lambda: server.requests)
        daemon.post(f"/v1/sessions/{session}/messages", {"role": "user", "content": "buy milk", "deliver": True})
        side = self.notify(daemon, agent, MUST_TELL_HERE, "side", session_id=session, ttl_s=1)
        may_go_on.set()
        eventually("the second round is asked for", lambda: len(server.requests) == 3)
        later = json_of(daemon.post("/v1/notifications", {"user_id": unique("u"), "text": "nobody comes", "routing": MUST_TELL, "ttl_s": 1}))
        eventually("the TTL of both has passed", lambda: self.row(daemon, later)["state"] == "escalated")
        has_passed.set()
        eventually("Belfry shows the notification", lambda: self.row(daemon, side)["state"] == "escalated")

        def answered():
            nodes = json_of(daemon.get(f"/v1/sessions/{session}/history"))["data"]
            return any(one["content"] == "Milk is bought." for node in nodes for one in node["messages"])
        eventually("the user is answered", answered, patience=60)


class AnInterruptedRun(ToolCase, NotifiedCase):
    def finish_holds(self, daemon, tool):
        """Carries out every call of the tool that waits."""
        while held := self.claim_call(daemon, tool):
            self.end_call(daemon, held, result={})

    def test_tells_what_its_plan_was_made_for_and_no_other_run_tells_it(self):
        daemon = self.daemon()
        tool = self.by_worker(daemon, impact="internal", capabilities=[])
        given = "{% for one in notifications %}{{ one.text }} {% endfor %}"
        agent = self.script(daemon, step(tool, to="bob"), step("notify_user", text=f"I read: {given}"),
                            capabilities=[f"tool:{tool}"])
        session = unique("s")
        daemon.request("PUT", f"/v1/sessions/{session}", {"user_id": self.user, "agent_id": agent})
        self.notify(daemon, agent, DECIDE, "first")
        first = eventually("the first run waits", lambda: self.claim_call(daemon, tool))
        self.notify(daemon, agent, DECIDE_HERE, "second", session_id=session)
        self.notify(daemon, agent, DECIDE, "third")
        self.end_call(daemon, first, result={})
        waiting = eventually("the run in the conversation waits", lambda: self.claim_call(daemon, tool))
        plan = json_of(daemon.get(f"/v1/wakes/{waiting['wake_id']}"))
        self.assertEqual(plan["session_id"], session, "the run of the conversation is the next one")
        daemon.kill()
        daemon.start()
        self.end_call(daemon, waiting, result={})

        def has_ended():
            self.finish_holds(daemon, tool)
            return all(one["state"] in ENDED for one in self.wakes(daemon, agent))
        eventually("the wakes have ended", has_ended, patience=60)
        items = self.items(daemon)
        for words in ("first", "second", "third"):
            self.assertEqual(len([one for one in items if words in one]), 1, items)
