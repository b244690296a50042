"""Agents whose work Belfry does itself: scripts of templates, and language models; whatever dies, every effect is there once."""

import json
import os
import subprocess
import threading

import belfry
from agents import AgentCase
from belfry import eventually, json_of, unique
from chat_server import DONE, ChatServer, call, cut, error, finish, stall, stream, text, usage

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples")
KEY = "sk-never-to-be-seen-0123456789"


def step(tool, condition=None, **arguments):
    return {**({"if": condition} if condition else {}), "do": tool, "with": arguments}


class WorkflowCase(AgentCase):
    def script(self, daemon, *steps, **members):
        return self.agent(daemon, workflow={"kind": "script", "settings": {"steps": list(steps)}}, **members)

    def inbox(self, daemon, agent):
        """What this agent has put into the inbox."""
        listed = json_of(daemon.get("/v1/notifications?user=ada&limit=1000"))["data"]
        return [one["text"] for one in listed if one.get("agent_id") == agent and one["subscriber"] == "agents"]

    def ended(self, daemon, wake, state="completed"):
        now = self.wake(daemon, wake["id"], wait_s=30)
        self.assertEqual(now["state"], state, now)
        return now

    def woken(self, daemon, agent, state="completed", **members):
        return self.ended(daemon, self.wake_now(daemon, agent, **members), state)

    def failed_attempt(self, daemon, wake):
        """The error of the first attempt, after which it waits for the next one."""
        return eventually("a failed attempt", lambda: self.wake(daemon, wake["id"])["error"])

    def said(self, daemon, run):
        """What was heard in a run, message by message."""
        words = {}
        for entry in self.run_events(daemon, run):
            if entry["event"] == "llm.stream":
                words.setdefault(entry["data"]["message_id"], []).append(entry["data"]["delta"])
        return ["".join(pieces) for pieces in words.values()]

    def kinds(self, daemon, agent):
        listed = json_of(daemon.get(f"/v1/agents/{agent}/messages?limit=100"))["data"]
        return [one["kind"] for one in reversed(listed) if one["kind"] != "summary"]  # that of the run comes when it comes


class Shared(WorkflowCase, belfry.SharedCase):
    def history(self, session):
        nodes = json_of(self.belfry.get(f"/v1/sessions/{session}/history"))["data"]
        return [message for node in nodes for message in node["messages"]]


    def category(self):
        answer = self.belfry.post("/v1/journal/categories?user=ada", {"name": unique("Category ")})
        self.assertEqual(answer.status, 201, answer.body)
        return json_of(answer)["id"]


class AScript(Shared):
    def test_says_what_its_step_says(self):
        agent = self.script(self.belfry, step("notify_user", text="Hello {{ agent.user_id }}", title="Coach", priority="high"))
        wake = self.woken(self.belfry, agent)
        self.assertEqual(self.inbox(self.belfry, agent), ["Coach: Hello ada"])
        self.assertEqual(self.kinds(self.belfry, agent), ["action", "tool_result"])
        names = [entry["event"] for entry in self.run_events(self.belfry, wake["run_id"])]
        self.assertIn("llm.tool_call", names)
        self.assertEqual(json_of(self.belfry.get(f"/v1/runs/{wake['run_id']}"))["state"], "completed")

    def test_sees_what_woke_it_and_keeps_things_in_mind(self):
        agent = self.script(
            self.belfry,
            step("set_state", goal="green", preferences={"last": "{{ signals[0].body.payload.branch }}"}),
            step("notify_user", "signals|length == 1 and signals[0].body.type == 'red.build'",
                 text="{{ signals[0].body.payload.branch }} is red; before: {{ slots.preferences.last or 'nothing' }}"),
            step("notify_user", "false", text="never"))
        self.subscribe(self.belfry, agent, "red.*", window_ms=0)
        for number, branch in enumerate(("main", "next"), 1):
            self.emit(self.belfry, "red.build", payload={"branch": branch})
            eventually("said", lambda n=number: len(self.inbox(self.belfry, agent)) == n)
        self.assertEqual(sorted(self.inbox(self.belfry, agent)), ["main is red; before: nothing", "next is red; before: main"])
        slots = json_of(self.belfry.get(f"/v1/agents/{agent}"))["state"]["slots"]
        self.assertEqual((slots["primary_goal"], slots["preferences"]), ("green", {"last": "next"}))

    def test_is_refused_with_the_place_of_what_is_wrong(self):
        good = step("say", text="x")
        for settings, field in (({"steps": [good, good, step("say", text="{{ x")]}, "workflow.settings.steps[2].with.text"),
                                ({"steps": [step("rm", text="x")]}, "workflow.settings.steps[0].do"),
                                ({"steps": [step("say", words="x")]}, "workflow.settings.steps[0].with.words"),
                                ({"steps": [step("say", "a b", text="x")]}, "workflow.settings.steps[0].if"),
                                ({}, "workflow.settings.steps")):
            answer = self.belfry.post("/v1/agents", {"id": unique("a"), "workflow": {"kind": "script", "settings": settings}})
            self.assert_problem(answer, 422, "invalid", field=field)
        agent = self.script(self.belfry, good)
        patched = self.belfry.request("PATCH", f"/v1/agents/{agent}", {"workflow": {"kind": "script", "settings": {"steps": []}}})
        self.assert_problem(patched, 422, "invalid", field="workflow.settings.steps")

    def test_that_breaks_when_it_runs_fails_with_the_place(self):
        agent = self.script(self.belfry, step("say", text="{{ 1 / input.n }}"))
        why = self.failed_attempt(self.belfry, self.wake_now(self.belfry, agent, input={"n": 0}))
        self.assertEqual(why["type"], "template")
        self.assertIn("steps[0].with.text", why["message"])

    def test_has_the_refusal_of_a_tool_as_its_result(self):
        agent = self.script(self.belfry, step("emit_event", type="{{ input.type }}"), step("notify_user", text="after"))
        self.woken(self.belfry, agent, input={"type": "nodots"})
        results = [one for one in json_of(self.belfry.get(f"/v1/agents/{agent}/messages"))["data"] if one["kind"] == "tool_result"]
        self.assertEqual([one["tool_result"]["status"] for one in results], ["success", "error"])
        self.assertEqual(self.inbox(self.belfry, agent), ["after"])

    def test_works_on_the_journal_with_any_tool(self):
        category = self.category()
        agent = self.script(self.belfry, step("create_task", title="Look at {{ input.branch }}", priority="p1"),
                            step("list_tasks_in_scope", status="open"), step("update_task_priority", taskId="nowhere", priority="p0"),
                            capabilities=["task_read", "task_write"], allowed_category_ids=[category])
        self.woken(self.belfry, agent, input={"branch": "main"})
        listed = json_of(self.belfry.get(f"/v1/agents/{agent}/messages"))["data"]
        results = [one for one in reversed(listed) if one["kind"] == "tool_result"]
        self.assertEqual([one["tool_result"].get("error_code") for one in results], [None, None, "out_of_scope"])
        self.assertEqual([task["title"] for task in results[1]["content"]["tasks"]], ["Look at main"])

    def test_is_refused_where_a_tool_takes_no_such_argument(self):
        for one, field in ((step("create_task", name="x"), "with.name"), (step("make_task", title="x"), "do")):
            answer = self.belfry.post("/v1/agents", {"id": unique("a"), "workflow": {"kind": "script", "settings": {"steps": [one]}}})
            self.assert_problem(answer, 422, "invalid", field=f"workflow.settings.steps[0].{field}")

    def test_sleeps_from_the_end_of_its_turn_on(self):
        agent = self.script(self.belfry, step("sleep", until="2099-01-01T00:00:00Z"), step("notify_user", text="good night"))
        self.woken(self.belfry, agent)
        self.assertEqual(self.inbox(self.belfry, agent), ["good night"])
        self.assertTrue(json_of(self.belfry.get(f"/v1/agents/{agent}"))["state"]["sleep_until"].startswith("2099-01-01"))
        self.assertEqual(self.wake_now(self.belfry, agent)["state"], "sleeping")

    def test_and_another_do_not_wake_each_other_for_ever(self):
        ping, pong = unique("loop."), unique("loop.")
        one = self.script(self.belfry, step("emit_event", type=pong))
        other = self.script(self.belfry, step("emit_event", type=ping))
        self.subscribe(self.belfry, one, ping, window_ms=0)
        self.subscribe(self.belfry, other, pong, window_ms=0)
        self.emit(self.belfry, ping)

        def the_end():
            results = [message for agent in (one, other)
                       for message in json_of(self.belfry.get(f"/v1/agents/{agent}/messages"))["data"]
                       if message["kind"] == "tool_result" and message["tool_result"]["status"] == "error"]
            wakes = self.wakes(self.belfry, one) + self.wakes(self.belfry, other)  # all of them, where there is the last result
            return results and all(wake["state"] == "completed" for wake in wakes) and (wakes, results)
        wakes, results = eventually("the chain has an end", the_end)
        self.assertEqual(len(wakes), 4)
        self.assertEqual([one["tool_result"]["error_code"] for one in results], ["chain_too_long"])

    def test_answers_its_person_in_his_session(self):
        agent, session = self.script(self.belfry, step("say", text="You said: {{ words|join(', ') }}")), unique("s")
        self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada", "agent_id": agent})
        sent = self.belfry.post(f"/v1/sessions/{session}/messages", {"role": "user", "content": "Hi", "deliver": True})
        self.assertEqual(sent.status, 201, sent.body)
        wake = eventually("a wake", lambda: self.wakes(self.belfry, agent))[0]
        wake = self.ended(self.belfry, wake)
        self.assertEqual(self.said(self.belfry, wake["run_id"]), ["You said: Hi"])
        shown = self.history(session)
        self.assertEqual([(one["role"], one["content"]) for one in shown], [("user", "Hi"), ("assistant", "You said: Hi")])
        types = [entry["event"]["type"] for entry in self.belfry.entries(session=session)]
        self.assertEqual(types, ["agent.turn.start", "tool.call.success", "agent.turn.end"])

    def test_has_said_what_it_was_handed_or_the_person_is_told(self):
        for steps, state in (([step("say", text="{{ notifications[0].text }}")], "delivered"), ([step("set_state", goal="x")], "escalated")):
            agent, session = self.script(self.belfry, *steps), unique("s")
            self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada", "agent_id": agent})
            made = self.belfry.post("/v1/notifications", {
                "user_id": "ada", "session_id": session, "agent_id": agent, "routing": {"address": "session", "target": "user", "handler": "agent"},
                "text": "The door is open"})
            self.assertIn(made.status, (200, 201), made.body)
            wake = eventually("a wake", lambda a=agent: self.wakes(self.belfry, a))[0]
            self.ended(self.belfry, wake)
            number = json_of(made)["id"]
            self.assertEqual(json_of(self.belfry.get(f"/v1/notifications/{number}"))["state"], state)


class AModel(Shared):
    def model(self, daemon, *scripts, agent=None, **settings):
        server = ChatServer(*scripts)
        self.addCleanup(server.close)
        workflow = {"kind": "model", "settings": {"base_url": server.url, "model": "m", **settings}}
        return self.agent(daemon, workflow=workflow, **(agent or {})), server

    def test_says_what_it_says_while_it_says_it(self):
        seen = threading.Event()

        def script(answer):
            answer.begin()
            answer.chunk(text("Hel"))
            seen.wait(60)
            for frame in (text("lo."), finish(), usage(5, 2), DONE):
                answer.chunk(frame)
            answer.end()

        agent, server = self.model(self.belfry, script, system="You are {{ agent.id }}.")
        wake = self.wake_now(self.belfry, agent, input={"text": "Greet me"})
        run = eventually("a run", lambda: self.wake(self.belfry, wake["id"])["run_id"])
        eventually("the first piece", lambda: self.said(self.belfry, run) == ["Hel"])
        seen.set()
        self.ended(self.belfry, wake)
        self.assertEqual(self.said(self.belfry, run), ["Hello."])
        names = [entry["event"] for entry in self.run_events(self.belfry, run) if entry["event"].startswith("llm.")]
        self.assertEqual((names[0], names[-1]), ("llm.message_start", "llm.message_end"))
        asked = server.requests[0].body
        self.assertEqual(asked["messages"][0], {"role": "system", "content": f"You are {agent}."})
        self.assertEqual(asked["messages"][-1], {"role": "user", "content": "Greet me"})
        self.assertNotIn("say", [tool["function"]["name"] for tool in asked["tools"]])

    def test_calls_tools_and_goes_on_with_their_results(self):
        agent, server = self.model(
            self.belfry,
            stream(text("One moment."), call(0, "c1", "notify_user", '{"text":"It '), call(0, arguments='rains"}'),
                   call(1, "c2", "fly", "{}"), call(2, "c3", "set_state", "no json"), finish("tool_calls"), usage(9, 3), DONE),
            stream(text("Done."), finish(), usage(20, 1), DONE))
        wake = self.woken(self.belfry, agent)
        self.assertEqual(self.inbox(self.belfry, agent), ["It rains"])
        self.assertEqual(self.said(self.belfry, wake["run_id"]), ["One moment.", "Done."])
        second = server.requests[1].body["messages"]
        self.assertEqual([one["role"] for one in second[-4:]], ["assistant", "tool", "tool", "tool"])
        self.assertEqual([one["function"]["name"] for one in second[-4]["tool_calls"]], ["notify_user", "fly", "set_state"])
        self.assertIn("notification_id", second[-3]["content"])
        self.assertIn("unknown_tool", second[-2]["content"])
        self.assertIn("invalid", second[-1]["content"])

    def test_calls_a_tool_that_somebody_outside_carries_out(self):
        tool = unique("mail_")
        schema = {"type": "object", "required": ["to"], "properties": {"to": {"type": "string"}}}
        put = self.belfry.request("PUT", f"/v1/tools/{tool}", {
            "impact": "internal", "description": "Sends a mail", "schema": schema, "execution": {"by": "worker"}})
        self.assertEqual(put.status, 200, put.body)
        agent, server = self.model(
            self.belfry,
            stream(call(0, "c1", tool, '{"to":"bob"}'), finish("tool_calls"), usage(9, 3), DONE),
            stream(text("Sent."), finish(), usage(20, 1), DONE), agent={"capabilities": [f"tool:{tool}"]})
        wake = self.wake_now(self.belfry, agent)
        claimed = self.belfry.post("/v1/tool-calls/claim", {"tools": [tool], "wait_s": 60})
        self.assertEqual(claimed.status, 200, claimed.body)
        work = json_of(claimed)
        self.assertEqual(work["arguments"], {"to": "bob"})
        self.belfry.post(f"/v1/tool-calls/{work['id']}/end", {"fence": work["fence"], "result": {"sent": 17}})
        self.ended(self.belfry, wake)
        offered = [one["function"] for one in server.requests[0].body["tools"] if one["function"]["name"] == tool]
        self.assertEqual(offered, [{"name": tool, "description": "Sends a mail", "parameters": schema}])
        self.assertIn("17", server.requests[1].body["messages"][-1]["content"])

    def test_is_offered_what_its_agent_may_use_and_works_on_the_journal(self):
        category = self.category()
        agent, server = self.model(
            self.belfry,
            stream(call(0, "c1", "create_task", '{"title":"Buy milk"}'), call(1, "c2", "create_task", '{"title":"Buy milk"}'),
                   call(2, "c3", "start_task_timer", '{"taskId":"x"}'), call(3, "c4", "create_task", "no json"), finish("tool_calls"), DONE),
            stream(text("Done."), finish(), DONE),
            agent={"capabilities": ["task_read", "task_write"], "allowed_category_ids": [category]})
        self.woken(self.belfry, agent)
        offered = {one["function"]["name"]: one["function"] for one in server.requests[0].body["tools"]}
        self.assertLessEqual({"create_task", "list_tasks_in_scope", "notify_user", "set_state"}, set(offered))
        self.assertFalse({"start_task_timer", "create_or_update_rating", "say", "belfry_ack"} & set(offered))
        told = json_of(self.belfry.get("/v1/tools/create_task"))
        wanted = {name: one for name, one in told["schema"]["properties"].items() if name != "operationId"}
        self.assertEqual(offered["create_task"]["parameters"], {**told["schema"], "properties": wanted})
        self.assertEqual(offered["create_task"]["description"], told["description"])
        said = [json.loads(one["content"]) for one in server.requests[1].body["messages"][-4:]]
        tasks = json_of(self.belfry.get(f"/v1/journal/tasks?user=ada&category={category}"))["data"]
        self.assertEqual([one["title"] for one in tasks], ["Buy milk", "Buy milk"])
        self.assertEqual({said[0]["task"]["taskId"], said[1]["task"]["taskId"]}, {one["id"] for one in tasks})
        self.assertIn("not_permitted", json.dumps(said[2]))
        self.assertIn("invalid", json.dumps(said[3]))

    def test_remembers_the_conversation(self):
        agent, server = self.model(self.belfry, stream(text("I am well."), finish(), DONE), stream(text("Nice."), finish(), DONE))
        session = unique("s")
        self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada", "agent_id": agent})
        for number, words in enumerate(("How are you?", "Me too."), 1):
            self.belfry.post(f"/v1/sessions/{session}/messages", {"role": "user", "content": words, "deliver": True})
            eventually("the answer", lambda n=number: len([wake for wake in self.wakes(self.belfry, agent)
                                                           if wake["state"] == "completed"]) == n)
        self.assertEqual([(one["role"], one["content"]) for one in server.requests[1].body["messages"]],
                         [("user", "How are you?"), ("assistant", "I am well."), ("user", "Me too.")])
        shown = self.history(session)
        self.assertEqual([one["content"] for one in shown], ["How are you?", "I am well.", "Me too.", "Nice."])

    def test_names_what_it_has_dealt_with(self):
        agent, server = self.model(
            self.belfry,
            stream(text("The door is open!"), call(0, "c", "belfry_ack", '{"handles":["n1"]}'), finish("tool_calls"), DONE),
            stream(text("."), finish(), DONE))
        session = unique("s")
        self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada", "agent_id": agent})
        made = json_of(self.belfry.post("/v1/notifications", {
            "user_id": "ada", "session_id": session, "agent_id": agent, "routing": {"address": "session", "target": "user", "handler": "agent"},
            "text": "The door is open"}))
        wake = eventually("a wake", lambda: self.wakes(self.belfry, agent))[0]
        self.ended(self.belfry, wake)
        self.assertIn("[n1 ", server.requests[0].body["messages"][-1]["content"])
        self.assertEqual(json_of(self.belfry.get(f"/v1/notifications/{made['id']}"))["state"], "delivered")

    def test_that_fails_says_why_and_is_asked_again(self):
        for script, kind in ((error(500, "burnt down"), "model_server"), (cut(text("Hal")), "model_unreachable"),
                             (error(401, "wrong key " + KEY), "model_refused")):
            with self.subTest(kind):
                agent, _ = self.model(self.belfry, script, stream(text("Well."), finish(), DONE), timeout_s=30)
                wake = self.wake_now(self.belfry, agent)
                self.assertEqual(self.failed_attempt(self.belfry, wake)["type"], kind)
                now = self.wake(self.belfry, wake["id"], wait_s=60)
                self.assertEqual((now["state"], now["attempts"]), ("completed", 2), now)

    def test_that_does_not_answer_in_time_has_failed(self):
        agent, _ = self.model(self.belfry, stall(text("H")), timeout_s=1)
        self.assertEqual(self.failed_attempt(self.belfry, self.wake_now(self.belfry, agent))["type"], "model_timed_out")

    def test_ends_with_its_budget(self):
        endless = stream(call(0, "c", "set_state", '{"goal":"x"}'), finish("tool_calls"), usage(60, 40), DONE)
        for settings, times in (({"rounds_max": 3}, 3), ({"tokens_max": 200}, 2)):
            agent, server = self.model(self.belfry, endless, **settings)
            wake = self.woken(self.belfry, agent, state="failed")
            self.assertEqual((wake["error"]["type"], len(server.requests)), ("budget", times), wake)

    def test_is_hung_up_on_when_its_run_is_cancelled(self):
        hung_up = threading.Event()

        def script(answer):
            stall(text("H"))(answer)
            hung_up.set()

        agent, _ = self.model(self.belfry, script)
        wake = self.wake_now(self.belfry, agent)
        run = eventually("a run", lambda: self.wake(self.belfry, wake["id"])["run_id"])
        eventually("its words", lambda: self.said(self.belfry, run) == ["H"])
        self.assertEqual(self.belfry.post(f"/v1/runs/{run}/cancel", {}).status, 200)
        self.assertTrue(hung_up.wait(belfry.PATIENCE))
        self.ended(self.belfry, wake, "cancelled")

    def test_is_made_by_whose_key_and_address_it_uses(self):
        settings = {"base_url": "http://127.0.0.1:9/v1", "model": "m"}
        token, _ = self.belfry.mint("user", user_id="ada")
        answer = self.belfry.post("/v1/agents", {"id": unique("a"), "workflow": {"kind": "model", "settings": settings}}, token=token)
        self.assert_problem(answer, 403, "forbidden", field="workflow.kind")
        for wrong, field in (({}, "base_url"), ({**settings, "key": KEY}, "key"), ({**settings, "system": "{{"}, "system")):
            answer = self.belfry.post("/v1/agents", {"id": unique("a"), "workflow": {"kind": "model", "settings": wrong}})
            self.assert_problem(answer, 422, "invalid", field="workflow.settings." + field)


class AKey(WorkflowCase):
    def test_comes_from_the_environment_and_is_seen_nowhere(self):
        daemon = self.daemon(environment={"KEY_OF_TEST": KEY})
        server = ChatServer(error(401, "no such key: " + KEY), stream(text("Hi."), finish(), DONE))
        self.addCleanup(server.close)
        settings = {"base_url": server.url, "model": "m", "key_env": "KEY_OF_TEST"}
        agent = self.agent(daemon, workflow={"kind": "model", "settings": settings})
        wake = self.wake_now(daemon, agent)
        why = self.failed_attempt(daemon, wake)
        self.assertEqual(why["type"], "model_refused")
        self.assertEqual(server.requests[0].headers["authorization"], "Bearer " + KEY)
        run = self.wake(daemon, wake["id"])["run_id"]
        everything = [daemon.log(), json.dumps(why), json.dumps(self.run_events(daemon, run)), daemon.get(f"/v1/agents/{agent}").body,
                      daemon.get(f"/v1/agents/{agent}/messages").body]
        for place in everything:
            self.assertNotIn(KEY, place if isinstance(place, str) else place.decode())
        other = self.agent(daemon, workflow={"kind": "model", "settings": {**settings, "key_env": "KEY_THAT_IS_NOT"}})
        self.assertIn("KEY_THAT_IS_NOT", self.failed_attempt(daemon, self.wake_now(daemon, other))["message"])


class ADaemon(WorkflowCase):
    STEPS = 48

    def test_that_is_killed_in_mid_run_does_every_step_once(self):
        daemon = self.daemon()
        interrupted = 0
        for least in list(range(1, self.STEPS, 12)) * 5:
            agent = self.script(daemon, *[step("notify_user", text=f"step {number}") for number in range(self.STEPS)])
            wake = self.wake_now(daemon, agent)
            eventually("some steps", lambda a=agent, n=least: len(self.inbox(daemon, a)) >= n, pause=0)
            daemon.kill()
            daemon.start()
            now = self.wake(daemon, wake["id"], wait_s=60)
            self.assertEqual((now["state"], now["run_key"]), ("completed", wake["run_key"]), now)
            self.assertEqual(sorted(self.inbox(daemon, agent)), sorted(f"step {number}" for number in range(self.STEPS)))
            kinds = self.kinds(daemon, agent)
            self.assertEqual((kinds.count("action"), kinds.count("tool_result")), (self.STEPS, self.STEPS))
            interrupted += now["attempts"] > 1
            if interrupted == 3:
                return
        self.fail(f"only {interrupted} runs were interrupted")

    def test_that_is_killed_does_not_ask_the_model_again_for_what_is_planned(self):
        asked_again = threading.Event()
        calls = [call(number, f"c{number}", "notify_user", json.dumps({"text": f"call {number}"})) for number in range(30)]
        waits = threading.Event()

        def second(answer):
            asked_again.set()
            waits.wait(60)
            stream(text("Done."), finish(), DONE)(answer)

        server = ChatServer(stream(*calls, finish("tool_calls"), DONE), second)
        self.addCleanup(server.close)
        self.addCleanup(waits.set)
        daemon = self.daemon()
        agent = self.agent(daemon, workflow={"kind": "model", "settings": {"base_url": server.url, "model": "m"}})
        wake = self.wake_now(daemon, agent)
        eventually("some calls", lambda: len(self.inbox(daemon, agent)) >= 1)
        daemon.kill()
        waits.set()
        daemon.start()
        now = self.wake(daemon, wake["id"], wait_s=60)
        self.assertEqual(now["state"], "completed", now)
        self.assertEqual(sorted(self.inbox(daemon, agent)), sorted(f"call {number}" for number in range(30)))
        for request in server.requests[1:]:
            self.assertEqual(request.body["messages"][-1]["role"], "tool")

    def test_that_is_killed_while_its_model_speaks_answers_the_person_once(self):
        server = ChatServer(stall(text("I am")), stream(text("I am well."), finish(), DONE))
        self.addCleanup(server.close)
        daemon, session = self.daemon(), unique("s")
        agent = self.agent(daemon, workflow={"kind": "model", "settings": {"base_url": server.url, "model": "m"}})
        daemon.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada", "agent_id": agent})
        daemon.post(f"/v1/sessions/{session}/messages", {"role": "user", "content": "How are you?", "deliver": True})
        wake = eventually("a wake", lambda: self.wakes(daemon, agent))[0]
        run = eventually("a run", lambda: self.wake(daemon, wake["id"])["run_id"])
        eventually("its first words", lambda: self.said(daemon, run) == ["I am"])
        daemon.kill()
        daemon.start()
        self.ended(daemon, wake)
        for request in server.requests:
            self.assertEqual([one["content"] for one in request.body["messages"]], ["How are you?"])
        nodes = json_of(daemon.get(f"/v1/sessions/{session}/history"))["data"]
        self.assertEqual([one["content"] for node in nodes for one in node["messages"]], ["How are you?", "I am well."])
        self.assertEqual(len(self.wakes(daemon, agent)), 1)

    def test_that_stops_gives_back_what_it_works_on(self):
        server = ChatServer(stall(text("H")), stream(text("Done."), finish(), DONE))
        self.addCleanup(server.close)
        daemon = self.daemon()
        agent = self.agent(daemon, workflow={"kind": "model", "settings": {"base_url": server.url, "model": "m"}})
        wake = self.wake_now(daemon, agent)
        eventually("it is asked", lambda: server.requests)
        self.assertEqual(daemon.stop(), 0)
        daemon.start()
        now = self.wake(daemon, wake["id"], wait_s=30)
        self.assertEqual((now["state"], now["attempts"]), ("completed", 2), now)
        self.assertEqual(json_of(daemon.get(f"/v1/agents/{agent}"))["runtime"]["failure_streak"], 0)


class TheCoach(WorkflowCase):
    def test_of_the_examples_needs_no_code(self):
        daemon = self.daemon()
        environment = belfry.clean_environment(BELFRY_STORE_DATA_DIR=daemon.data, BELFRY=belfry.BINARY, HOME=daemon.folder)
        made = subprocess.run(["sh", os.path.join(EXAMPLES, "coach.sh")], env=environment, capture_output=True, text=True,
                              timeout=belfry.PATIENCE, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        timers = json_of(daemon.get("/v1/agents/coach/timers"))["data"]
        self.assertEqual([(one["schedule"]["kind"], one["schedule"]["time"]) for one in timers], [("daily", "07:00")])
        for input_, words in (({}, "Good morning. What is the one thing for today?"), ({"goal": "run 5 km"}, "Good morning. Today: run 5 km")):
            wake = json_of(daemon.post("/v1/agents/coach/wake", {"input": input_}))
            self.ended(daemon, wake)
            listed = json_of(daemon.get("/v1/notifications?limit=1000"))["data"]
            self.assertEqual([one["text"] for one in listed].count("Coach: " + words), 1, listed)

    def test_is_woken_by_the_clock_alone(self):
        daemon = self.daemon()
        steps = [{"do": "notify_user", "with": {"text": "It is {{ signals[0].kind }} time"}}]
        daemon.post("/v1/agents", {"id": "clock", "user_id": "ada", "workflow": {"kind": "script", "settings": {"steps": steps}}})
        answer = daemon.post("/v1/agents/clock/timers", {"name": "tick", "schedule": {"kind": "every", "interval": "1s"}})
        self.assertEqual(answer.status, 201, answer.body)
        belfry.eventually("it has said so", lambda: [one for one in json_of(daemon.get("/v1/notifications?limit=10"))["data"]
                                                     if one["text"] == "It is timer time"])
