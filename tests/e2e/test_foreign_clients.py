"""Clients that nobody here wrote, against the real binary: npm's vscode-jsonrpc, vscode-ws-jsonrpc and eventsource, the schemas of
@ag-ui/core, and a browser."""

import json
import os
import re
import shutil
import subprocess
import unittest

import belfry
from belfry import json_of, unique
from needs import lack
from sdk import ROOT, need_node

FOREIGN = os.path.join(ROOT, "tests/foreign")
NPM = os.path.join(ROOT, "tests")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NAMES = ["lifecycle.started", "lifecycle.completed", "llm.stream", "llm.tool_call", "a.b"]


class Foreign(belfry.SharedCase):
    options = ("--rpc-listen", "127.0.0.1:0")

    @classmethod
    def setUpClass(cls):
        need_node()
        if not os.path.isdir(os.path.join(NPM, "node_modules")):
            lack("tests/node_modules")
        super().setUpClass()

    def setUp(self):
        self.user = unique("u-")
        self.token, _ = self.belfry.mint("user", user_id=self.user)
        self.session = unique("s-")
        self.belfry.request("PUT", f"/v1/sessions/{self.session}", {"user_id": self.user})

    def node(self, program, **told):
        """Starts a program of tests/foreign; what it reports comes by `report`."""
        started = subprocess.Popen([need_node(), os.path.join(FOREIGN, program), json.dumps(told)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, encoding="utf-8", preexec_fn=belfry.end_with_parent,
                                   env=belfry.clean_environment(BELFRY_NPM=NPM))
        self.addCleanup(started.stderr.close)
        self.addCleanup(started.stdout.close)
        self.addCleanup(started.kill)
        return started

    def report(self, started, patience=90):
        output, errors = started.communicate(timeout=patience)
        self.assertEqual(started.returncode, 0, errors)
        return json.loads(output)

    def create(self, **more):
        answer = self.belfry.post("/v1/runs", {"user_id": self.user, **more})
        self.assertEqual(answer.status, 201, answer.body)
        return json_of(answer)["id"]

    def post(self, run, what, body):
        answer = self.belfry.post(f"/v1/runs/{run}/{what}", body)
        self.assertLess(answer.status, 300, answer.body)
        return json_of(answer)

    def emit(self, run, *events):
        return self.post(run, "events", list(events))

    def finish(self, run, **more):
        return self.post(run, "finish", {"state": "completed", **more})

    def ended_run(self, *events):
        run = self.create(session_id=self.session)
        if events:
            self.emit(run, *events)
        self.finish(run)
        return run


class JsonRpc(Foreign):
    def check(self, facts, run):
        self.assertTrue(facts["receipt"]["success"] and facts["receipt"]["notification_id"])
        self.assertTrue(facts["alias"]["success"])
        self.assertEqual([refusal["code"] for refusal in facts["refusals"]], [-32602, -32602, -32601])
        self.assertTrue(all(refusal["isResponseError"] for refusal in facts["refusals"]))
        self.assertEqual([word["code"] for word in facts["rejected"]], [-32602])
        self.assertEqual([(event["sequence"], event["event"]) for event in facts["events"]],
                         [(1, "lifecycle.started"), (2, "llm.stream"), (3, "lifecycle.completed")])
        self.assertEqual({event["run_id"] for event in facts["events"]}, {run})
        self.assertEqual(facts["events"][1]["data"], {"text": " \n\u00e9\U0001f514"})
        pulled = json_of(self.belfry.post(f"/v1/sessions/{self.session}/pull", {"point": "turn_start"}))
        self.assertEqual([one["content"] for one in pulled["user_messages"]], ["as a request", "by its other name", "as a notification"])

    def run_of_words(self):
        return self.ended_run({"event": "llm.stream", "data": {"text": " \n\u00e9\U0001f514"}})

    def test_vscode_jsonrpc_over_a_unix_socket(self):
        run = self.run_of_words()
        path = os.path.join(self.belfry.data, "belfry-rpc.sock")
        self.check(self.report(self.node("jsonrpc_socket.mjs", path=path, session=self.session, run=run)), run)

    def test_vscode_jsonrpc_over_tcp(self):
        run = self.run_of_words()
        port = int(re.findall(r"rpc_port=(\d+)", self.belfry.log())[-1])
        facts = self.report(self.node("jsonrpc_socket.mjs", port=port, token=self.token, session=self.session, run=run))
        self.assertEqual(facts["before"], -32001, "who are you?")
        self.check(facts, run)

    def test_vscode_ws_jsonrpc_over_a_websocket(self):
        run = self.run_of_words()
        ticket = json_of(self.belfry.post("/v1/tickets", token=self.token))["ticket"]
        self.check(self.report(self.node("jsonrpc_websocket.mjs", url=f"ws://127.0.0.1:{self.belfry.port}", ticket=ticket,
                                         session=self.session, run=run)), run)


class EventSource(Foreign):
    def next(self, started):
        line = started.stdout.readline()
        self.assertTrue(line, started.stderr.read() if not line else "")
        return json.loads(line)

    def test_it_comes_back_by_itself_and_misses_nothing(self):
        daemon = self.daemon()
        run = json_of(daemon.post("/v1/runs", {"user_id": "ada"}))["id"]
        started = self.node("event_source.mjs", url=f"http://127.0.0.1:{daemon.port}/v1/runs/{run}/events", token=daemon.admin_token,
                            names=NAMES)
        self.assertEqual(self.next(started)["name"], "lifecycle.started")
        daemon.post(f"/v1/runs/{run}/events", [{"event": "a.b", "data": number} for number in range(10)])
        self.assertEqual([self.next(started)["data"]["data"] for _ in range(10)], list(range(10)))
        daemon.kill()
        command, port = daemon.command(), str(daemon.port)
        command[command.index("--port") + 1] = port
        daemon.command = lambda: command
        daemon.start()
        daemon.post(f"/v1/runs/{run}/events", [{"event": "a.b", "data": number} for number in range(10, 20)])
        daemon.post(f"/v1/runs/{run}/finish", {"state": "completed"})
        rest = [self.next(started) for _ in range(12)]
        self.assertEqual([one["data"]["data"] for one in rest[:10]], list(range(10, 20)))
        self.assertEqual([one["name"] for one in rest[10:]], ["lifecycle.completed", "close"])
        self.assertEqual(rest[11]["data"], {"reason": "ended"})
        self.assertEqual(rest[11]["headers"][-1], "11", "it said where it was")

    def test_events_of_the_log_and_an_inbox(self):
        inbox = self.node("event_source.mjs", url=f"http://127.0.0.1:{self.belfry.port}/v1/inbox/live?user={self.user}", token=self.token,
                          names=["notification", "caught_up"])
        self.assertEqual(self.next(inbox)["name"], "caught_up")
        self.belfry.post("/v1/notifications", {"text": "hello", "user_id": self.user})
        self.assertEqual(self.next(inbox)["data"]["text"], "hello")


class AgUiAgent(Foreign):
    """An agent as an application sees it that speaks AG-UI."""

    def test_is_spoken_to_by_its_own_client(self):
        agent = unique("a")
        self.assertEqual(self.belfry.post("/v1/agents", {"id": agent, "user_id": self.user}).status, 201)
        person = self.node("ag_ui_agent.mjs", url=f"http://127.0.0.1:{self.belfry.port}/v1/agents/{agent}/ag-ui", token=self.token,
                           threadId=self.session, runId="turn-1", text="Where are my keys?")
        grant = json_of(self.belfry.post("/v1/wakes/claim", {"agents": [agent], "wait_s": 60}))
        said = grant["wake"]["input"]["messages"]
        self.assertEqual([(one["role"], one["content"]) for one in said], [("user", "Where are my keys?")])
        run = grant["wake"]["run_id"]
        self.emit(run, {"event": "llm.tool_call", "data": {"tool_call_id": "c-1", "tool_name": "search", "arguments": {"q": "keys"}}},
                  {"event": "llm.tool_result", "data": {"tool_call_id": "c-1", "content": "beside the door"}},
                  *({"event": "llm.stream", "data": {"message_id": "m-2", "text": word}} for word in ("Beside ", "the door.")))
        self.belfry.post(f"/v1/wakes/{grant['wake']['id']}/end", {"fence": grant["wake"]["fence"]})
        facts = self.report(person)
        self.assertNotIn("failed", facts)
        self.assertEqual((facts["events"][0]["type"], facts["events"][0]["runId"]), ("RUN_STARTED", "turn-1"))
        self.assertEqual(facts["events"][-1]["type"], "RUN_FINISHED")
        self.assertEqual([one.get("content") for one in facts["newMessages"] if one["role"] == "assistant" and one.get("content")],
                         ["Beside the door."])
        self.assertEqual([one["content"] for one in facts["newMessages"] if one["role"] == "tool"], ["beside the door"])


class AgUi(Foreign):
    """Every event against the schemas, and in an order that a reader of AG-UI can follow."""

    def read(self, run, query=""):
        facts = self.report(self.node("ag_ui.mjs", url=f"http://127.0.0.1:{self.belfry.port}/v1/runs/{run}/events?format=ag-ui{query}",
                                      token=self.token))
        self.assertNotIn("failed", facts)
        self.assertEqual(facts["wrong"], [])
        return facts["events"]

    def assert_order(self, events):
        """What a reader needs: the run first and last, nothing said outside of an open message, all closed at the end."""
        self.assertEqual(events[0]["type"], "RUN_STARTED")
        self.assertIn(events[-1]["type"], ("RUN_FINISHED", "RUN_ERROR"))
        self.assertEqual(sum(event["type"].startswith("RUN_") for event in events), 2)
        messages, calls, steps = set(), set(), set()
        for event in events:
            kind = event["type"]
            if kind == "TEXT_MESSAGE_START":
                self.assertNotIn(event["messageId"], messages)
                messages.add(event["messageId"])
            elif kind in ("TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"):
                self.assertIn(event["messageId"], messages, event)
                messages -= {event["messageId"]} if kind.endswith("END") else set()
            elif kind == "TOOL_CALL_START":
                calls.add(event["toolCallId"])
            elif kind in ("TOOL_CALL_ARGS", "TOOL_CALL_END"):
                self.assertIn(event["toolCallId"], calls, event)
                calls -= {event["toolCallId"]} if kind.endswith("END") else set()
            elif kind == "STEP_STARTED":
                steps.add(event["stepName"])
            elif kind == "STEP_FINISHED":
                self.assertIn(event["stepName"], steps, event)
                steps.remove(event["stepName"])
            elif kind == "RUN_FINISHED":
                self.assertEqual((messages, calls, steps), (set(), set(), set()), "all is closed")

    def everything(self):
        """Events of every kind that the form knows, well-behaved and not."""
        return [
            {"event": "step.started", "data": {"name": "plan"}},
            {"event": "llm.message_start", "data": {"message_id": "m-1", "role": "assistant"}},
            {"event": "llm.stream", "data": {"message_id": "m-1", "text": "Hello"}},
            {"event": "llm.stream", "data": {"message_id": "m-1", "text": " \n"}},
            {"event": "llm.stream", "data": {"message_id": "m-1", "text": ""}},
            {"event": "llm.message_end", "data": {"message_id": "m-1"}},
            {"event": "llm.stream", "data": {"text": "no start"}},
            {"event": "llm.stream", "data": {"text": " and \u00e9\U0001f514"}},
            {"event": "llm.tool_call", "data": {"tool_call_id": "c-1", "tool_name": "search", "arguments": {"q": "keys"}}},
            {"event": "llm.tool_call", "data": {"tool_call_id": "c-2", "tool_name": "nothing"}},
            {"event": "llm.tool_result", "data": {"tool_call_id": "c-1", "content": "beside the door"}},
            {"event": "llm.tool_result", "data": {"tool_call_id": "c-2", "content": {"rows": [1, 2]}}},
            {"event": "llm.stream", "data": {"message_id": "m-2", "text": "x"}},
            {"event": "llm.stream", "data": {"message_id": "m-3", "text": "y"}},
            {"event": "llm.stream"}, {"event": "llm.stream", "data": "bare"}, {"event": "llm.stream", "data": [1]},
            {"event": "llm.tool_call"}, {"event": "llm.tool_result", "data": None}, {"event": "llm.message_start"},
            {"event": "llm.message_end", "data": {"message_id": "never-begun"}},
            {"event": "step.finished", "data": {"name": "plan"}}, {"event": "step.finished"}, {"event": "step.started", "data": 7},
            {"event": "agent.thinks", "data": {"deep": [{"x": None}]}}, {"event": "agent.nods"},
        ]

    def test_every_event_of_a_run_that_ended_well(self):
        run = self.create(session_id=self.session)
        self.emit(run, *self.everything())
        self.post(run, "pause", {})
        self.post(run, "resume", {})
        self.finish(run, result={"answer": 42})
        events = self.read(run)
        self.assert_order(events)
        self.assertEqual((events[0]["threadId"], events[0]["runId"]), (self.session, str(run)))
        self.assertEqual(events[-1]["result"], {"answer": 42})
        words = "".join(event["delta"] for event in events if event.get("messageId") == "m-1" and event["type"].endswith("CONTENT"))
        self.assertEqual(words, "Hello \n")
        self.assertLessEqual({"STEP_STARTED", "STEP_FINISHED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END",
                              "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT", "CUSTOM"},
                             {event["type"] for event in events})
        self.assertEqual([event["value"] for event in events if event.get("name") == "agent.thinks"], [{"deep": [{"x": None}]}])

    def test_a_failed_and_a_cancelled_one(self):
        failed, cancelled = self.create(), self.create()
        for run in (failed, cancelled):
            self.emit(run, {"event": "llm.stream", "data": {"text": "half a wo"}})
        self.post(failed, "finish", {"state": "failed", "error": {"type": "ValueError", "message": "no"}})
        self.post(cancelled, "cancel", {"reason": "enough"})
        for run, code in ((failed, "ValueError"), (cancelled, "cancelled")):
            events = self.read(run)
            self.assert_order(events)
            self.assertEqual((events[0]["threadId"], events[-1]["type"], events[-1]["code"]), (f"run-{run}", "RUN_ERROR", code))

    def test_a_reader_may_come_back_anywhere(self):
        run = self.create()
        last = self.emit(run, *self.everything())["last"]
        self.finish(run)
        whole = self.read(run)
        for position in (1, 2, 4, 8, 9, 10, 14, last):
            rest = self.read(run, f"&after={position}")
            self.assertEqual([(event["type"], event.get("messageId")) for event in rest],
                             [(event["type"], event.get("messageId")) for event in whole[len(whole) - len(rest):]], position)
            self.assertTrue(all(int(event["at"] or position) >= position for event in rest))

    def test_a_tree(self):
        root = self.create(tree=True)
        child = self.create(parent_id=root, caller={"agent_id": "w", "agent_type": "worker", "agent_name": "W", "team_name": "t"})
        self.emit(child, *self.everything())
        self.finish(child)
        self.emit(root, *self.everything())
        self.finish(root)
        self.assert_order(self.read(root, "&tree=true"))


class Browser(Foreign):
    def test_its_event_source_and_our_client_in_it(self):
        chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
        if chromium is None:
            lack("chromium")
        words = [{"event": "llm.stream", "data": {"text": " \n\u00e9"}}, {"event": "a.b", "data": 1},
                 {"event": "nobody.asked", "data": 2}, {"event": "a.b", "data": 3}, {"event": "nobody.asked", "data": 4}]
        runs = {"native": self.ended_run(*words), "fetch": self.ended_run(*words), "eventsource": self.ended_run(*words),
                "upload": self.create()}
        facts = self.report(self.node("browser.mjs", chromium=chromium, url=f"http://127.0.0.1:{self.belfry.port}/", token=self.token,
                                      session=self.session, runs=runs, names=NAMES))
        self.assertNotIn("error", facts)
        native, client = facts["native"], facts["client"]
        self.assertNotIn("error", native)
        self.assertNotIn("error", client)
        self.assertEqual(native["first"]["found"][0][:2], ["lifecycle.started", "1"])
        self.assertEqual(native["first"]["found"][1:4], [["llm.stream", "2", {"text": " \n\u00e9"}], ["a.b", "3", 1], ["a.b", "5", 3]])
        self.assertEqual(native["first"]["found"][4][:2], ["lifecycle.completed", "7"])
        self.assertEqual(native["first"]["close"], {"reason": "ended"})
        self.assertEqual(native["usedTicket"], {"found": [], "failed": True}, "a ticket is for once")
        whole = [[1, "lifecycle.started"], [2, "llm.stream"], [3, "a.b"], [4, "nobody.asked"], [5, "a.b"], [6, "nobody.asked"],
                 [7, "lifecycle.completed"]]
        self.assertEqual(client["byFetch"], whole)
        self.assertEqual(client["byEventSource"], whole, "also what has a name that the EventSource did not listen for")
        self.assertEqual(client["tail"], whole[3:])
        self.assertFalse(client["canStreamUp"])
        self.assertEqual((client["uploaded"]["accepted"], client["uploaded"]["last"]), (1500, 1501))
        self.assertTrue(client["receipt"]["success"])
        self.assertEqual(client["refusal"], -32602)
        pulled = json_of(self.belfry.post(f"/v1/sessions/{self.session}/pull", {"point": "turn_start"}))
        self.assertEqual([one["content"] for one in pulled["user_messages"]], ["from the page"])
        self.assertEqual(self.belfry.page("events", type="browser.says")["data"][-1]["event"]["payload"], {"text": "\u00e9"})


if __name__ == "__main__":
    unittest.main()
