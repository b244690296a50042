"""Tools that somebody outside carries out: registered, called under an agent's claim, done by real workers and by a real server, and
once for an operation whatever is killed in between."""

import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import threading
import unittest
import uuid

import belfry
from agents import AgentCase, Worker
from belfry import eventually, json_of, unique

SCHEMA = {"type": "object", "required": ["to"], "properties": {"to": {"type": "string"}}, "additionalProperties": False}


def key_of(agent, operation):
    """By which a tool outside knows a call again: made from the agent and its operation, on whichever device."""
    parts = [part.encode() for part in ("effect.call", agent, operation)]
    made = bytearray(hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).digest()[:16])
    made[6], made[8] = made[6] & 0x0F | 0x80, made[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(made)))


class Hook:
    """A server that carries out a tool. What it answers is `answers` one after the other, the last one for good; an answer is
    (status, body), or an event that it waits for before it hangs up."""

    def __init__(self, *answers):
        self.requests, self.answers = [], list(answers)
        hook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                number = len(hook.requests)
                hook.requests.append((dict((name.lower(), value) for name, value in self.headers.items()), body))
                answer = hook.answers[min(number, len(hook.answers) - 1)]
                if isinstance(answer, threading.Event):
                    answer.wait(belfry.PATIENCE)
                    self.close_connection = True
                    return
                status, said = answer
                said = said if isinstance(said, bytes) else json.dumps(said).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                with contextlib.suppress(OSError):
                    self.wfile.write(said)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/tool"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class ToolCase(AgentCase):
    def put(self, daemon, name=None, status=200, token="admin", **members):
        name = name or unique("tool_")
        answer = daemon.request("PUT", f"/v1/tools/{name}", {"impact": "internal", "schema": SCHEMA, **members}, token=token)
        self.assertEqual(answer.status, status, answer.body)
        return name

    def by_worker(self, daemon, **members):
        return self.put(daemon, execution={"by": "worker"}, **members)

    def by_hook(self, daemon, *answers, execution=None, **members):
        hook = Hook(*answers)
        self.addCleanup(hook.close)
        return hook, self.put(daemon, execution={"by": "webhook", "url": hook.url, **(execution or {})}, **members)

    def held(self, daemon, *tools, **members):
        """An agent that may call these, at work."""
        agent = self.agent(daemon, capabilities=[f"tool:{tool}" for tool in tools])
        self.wake_now(daemon, agent)
        return self.claim_soon(daemon, agent, lease_s=600, **members)

    def call(self, daemon, grant, tool, operation="op1", arguments=None, status=None):
        wake = grant["wake"]
        answer = daemon.post(f"/v1/wakes/{wake['id']}/call",
                             {"fence": wake["fence"], "operation_id": operation, "tool_name": tool,
                              "arguments": {"to": "bob"} if arguments is None else arguments})
        self.assertIn(answer.status, (200, 202), answer.body)
        self.assertIn(status, (None, answer.status), answer.body)
        return json_of(answer)

    def outcome(self, daemon, grant, tool, operation="op1", patience=belfry.PATIENCE):
        """What the call says in the end, or (error code, message)."""
        result = eventually("a result", lambda: self.call(daemon, grant, tool, operation)["result"], patience)
        said = result["metadata"]
        return result["content"] if said["status"] == "success" else (said["error_code"], said["error_message"])

    def claim_call(self, daemon, *tools, token="admin", **members):
        answer = daemon.post("/v1/tool-calls/claim", {"tools": list(tools), **members}, token=token)
        self.assertIn(answer.status, (200, 204), answer.body)
        return json_of(answer) if answer.status == 200 else None

    def end_call(self, daemon, call, status=200, token="admin", **members):
        answer = daemon.post(f"/v1/tool-calls/{call['id']}/end", {"fence": call["fence"], **members}, token=token)
        self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def results(self, daemon, grant):
        thread = grant["wake"]["thread_id"]
        page = json_of(daemon.get(f"/v1/agents/{grant['wake']['agent_id']}/messages?thread={thread}"))["data"]
        return [one for one in page if one["kind"] == "tool_result"]

    def serve(self, daemon, tool, script, *options):
        worker = Worker(daemon, ["tool", "serve", tool, *options], script)
        self.addCleanup(worker.end)
        return worker


class SharedTools(ToolCase, belfry.SharedCase):
    options = ("--wakes-at-once", "50")


class Registered(SharedTools):
    def test_a_registration_says_what_it_was_told_and_what_was_left_out(self):
        name = self.put(self.belfry, risk="high", capabilities=["mail", "net"], wake_reasons=["timer", "manual"],
                        execution={"by": "webhook", "url": "https://example.org/x", "secret_env": "MAIL_SECRET"}, timeout_s=90)
        answer = self.belfry.get(f"/v1/tools/{name}")
        self.assert_described("get", "/v1/tools/{name}", answer)
        tool = json_of(answer)
        self.assertEqual((tool["risk"], tool["capabilities"], tool["wake_reasons"], tool["timeout_s"]),
                         ("high", ["mail", "net"], ["timer", "manual"], 90))
        self.assertEqual(tool["execution"], {"by": "webhook", "url": "https://example.org/x", "secret_env": "MAIL_SECRET"})
        plain = json_of(self.belfry.get(f"/v1/tools/{self.put(self.belfry, 'plain')}"))
        self.assertEqual((plain["risk"], plain["capabilities"], plain["wake_reasons"], plain["execution"], plain["timeout_s"]),
                         ("low", ["tool:plain"], [], None, 60))

    def test_what_cannot_be_is_refused_by_its_place(self):
        def refused(field, name="x", status=422, code="invalid", **members):
            answer = self.belfry.request("PUT", f"/v1/tools/{name}", {"impact": "internal", **members})
            self.assert_problem(answer, status, code, field)
        refused("risk", risk="none")
        refused("wake_reasons", wake_reasons=["whim"])
        refused("execution.by", execution={})
        refused("execution.url", execution={"by": "webhook"})
        refused("execution.url", execution={"by": "webhook", "url": "ftp://x"})
        refused("execution", execution={"by": "worker", "url": "http://x/"})
        refused("timeout_s", timeout_s=3601)
        refused("schema.properties.a.type", schema={"properties": {"a": {"type": "strange"}}})
        for own in ("create_task", "notify_user"):
            refused("name", name=own, status=409, code="conflict")
        service, _ = self.belfry.mint("service")
        self.put(self.belfry, token=service, execution={"by": "worker"})
        self.put(self.belfry, token=service, status=403, execution={"by": "webhook", "url": "http://127.0.0.1:1/"})

    def test_the_command_line_registers_it_too(self):
        name = unique("tool_")
        done = self.belfry.run("tool", "put", name, "--impact", "external", "--worker", "--risk", "medium", "--timeout", "2m",
                               "--capability", "mail", "--json")
        self.assertEqual(done.code, 0, done.err)
        tool = json.loads(done.out)
        self.assertEqual((tool["execution"], tool["risk"], tool["timeout_s"], tool["capabilities"]),
                         ({"by": "worker"}, "medium", 120, ["mail"]))


class Workers(SharedTools):
    def test_a_call_is_claimed_renewed_and_ended_and_its_result_is_the_agents(self):
        tool = self.by_worker(self.belfry)
        grant = self.held(self.belfry, tool)
        first = self.call(self.belfry, grant, tool, status=202)
        self.assertEqual(first["waits_for"]["whom"], "outside")
        call = self.claim_call(self.belfry, tool, holder="me", lease_s=30)
        self.assertEqual((call["id"], call["operation_id"], call["arguments"], call["holder"], call["attempts"]),
                         (first["waits_for"]["id"], "op1", {"to": "bob"}, "me", 1))
        self.assertIsNone(self.claim_call(self.belfry, tool))
        answer = self.belfry.post(f"/v1/tool-calls/{call['id']}/renew", {"fence": call["fence"], "lease_s": 600})
        self.assert_described("post", "/v1/tool-calls/{id}/renew", answer)
        self.assertFalse(self.call(self.belfry, grant, tool, status=202)["is_new"])
        self.assertEqual(self.end_call(self.belfry, call, result={"sent": 1})["state"], "done")
        self.assertEqual(self.outcome(self.belfry, grant, tool), {"sent": 1})
        self.assertEqual(len(self.results(self.belfry, grant)), 1)
        self.end_call(self.belfry, call, status=409, result={})
        listed = json_of(self.belfry.get(f"/v1/tool-calls?state=done&tool={tool}"))
        self.assertEqual([one["id"] for one in listed["data"]], [call["id"]])
        self.assertEqual(json_of(self.belfry.get(f"/v1/tool-calls/{call['id']}"))["state"], "done")

    def test_what_is_refused_is_a_result_and_never_goes_out(self):
        tool = self.by_worker(self.belfry)
        grant = self.held(self.belfry, tool)
        said = self.call(self.belfry, grant, tool, "bad", {"to": 1}, status=200)["result"]["metadata"]
        self.assertEqual((said["error_code"], said["status"]), ("invalid_arguments", "error"))
        other = self.by_worker(self.belfry)
        said = self.call(self.belfry, grant, other, "not", status=200)["result"]["metadata"]
        self.assertEqual(said["error_code"], "not_permitted")
        self.assertIsNone(self.claim_call(self.belfry, tool, other))

    def test_a_claim_waits_for_a_call_and_hears_of_it_at_once(self):
        tool = self.by_worker(self.belfry)
        grant = self.held(self.belfry, tool)
        got = []
        waiting = threading.Thread(target=lambda: got.append(self.claim_call(self.belfry, tool, wait_s=30)))
        self.is_read(self.belfry, waiting.start)
        self.call(self.belfry, grant, tool, status=202)
        waiting.join(belfry.PATIENCE)
        self.assertEqual(got[0]["operation_id"], "op1")

    def test_a_token_of_somebody_else_finds_nothing_and_a_wrong_end_says_why(self):
        tool = self.by_worker(self.belfry)
        grant = self.held(self.belfry, tool)
        self.call(self.belfry, grant, tool, status=202)
        stranger, _ = self.belfry.mint("agent", bounds={"users": ["bob"]})
        hers, _ = self.belfry.mint("agent", bounds={"users": ["ada"]})
        self.assertIsNone(self.claim_call(self.belfry, tool, token=stranger))
        call = self.claim_call(self.belfry, tool, token=hers)
        self.end_call(self.belfry, call, status=404, token=stranger, result={})
        path = f"/v1/tool-calls/{call['id']}/end"
        self.assert_problem(self.belfry.post(path, {"fence": call["fence"]}), 422, "invalid", "result")
        self.assert_problem(self.belfry.post(path, {"fence": call["fence"], "result": [1]}), 422, "invalid", "result")
        self.assert_problem(self.belfry.post("/v1/tool-calls/claim", {"tools": ["nobodys"]}), 404, "not_found", "tools")
        self.end_call(self.belfry, call, error={"code": "full", "message": "no room"})
        self.assertEqual(self.outcome(self.belfry, grant, tool), ("full", "no room"))

    def test_the_end_of_the_run_abandons_what_nobody_has_begun(self):
        tool = self.by_worker(self.belfry)
        grant = self.held(self.belfry, tool)
        self.call(self.belfry, grant, tool, "one", status=202)
        self.call(self.belfry, grant, tool, "two", status=202)
        call = self.claim_call(self.belfry, tool)
        self.end(self.belfry, grant)
        said = {one["metadata"]["operation_id"]: one["metadata"] for one in self.results(self.belfry, grant)}
        self.assertEqual([(key, one["error_code"]) for key, one in said.items()], [("two", "abandoned")])
        self.end_call(self.belfry, call, result={"late": True})
        self.assertEqual(len(self.results(self.belfry, grant)), 2)


class Killed(ToolCase):
    def test_a_worker_that_dies_leaves_its_call_to_the_next_under_the_same_operation(self):
        daemon = self.daemon()
        tool = self.by_worker(daemon)
        grant = self.held(daemon, tool)
        script = """
            echo "$BELFRY_OPERATION_ID $BELFRY_TOOL" >> seen
            read -r arguments; echo "$arguments" >> arguments
            while [ ! -e go ]; do sleep 0.05; done
            echo '{"sent":true}'
        """
        first = self.serve(daemon, tool, script, "--lease", "2s")
        self.call(daemon, grant, tool, status=202)
        first.wait_for("seen")
        first.end()  # kill -9
        second = self.serve(daemon, tool, script, "--lease", "2s")
        second.touch("go")
        self.assertEqual(self.outcome(daemon, grant, tool), {"sent": True})
        self.assertEqual((first.lines("seen"), second.lines("seen")), ([f"op1 {tool}"], [f"op1 {tool}"]))
        self.assertEqual(second.lines("arguments"), ['{"to":"bob"}'])
        self.assertEqual(len(self.results(daemon, grant)), 1)

    def test_a_daemon_that_is_killed_while_a_worker_is_at_work_gets_the_result_all_the_same(self):
        daemon = self.daemon()
        tool = self.by_worker(daemon)
        grant = self.held(daemon, tool)
        worker = self.serve(daemon, tool, """
            echo "$BELFRY_OPERATION_ID" >> seen
            while [ ! -e go ]; do sleep 0.05; done
            echo '{"sent":true}'
        """, "--lease", "60s")
        self.call(daemon, grant, tool, status=202)
        worker.wait_for("seen")
        daemon.kill()
        worker.touch("go")
        daemon.start()
        self.assertEqual(self.outcome(daemon, grant, tool), {"sent": True})
        self.assertEqual(worker.lines("seen"), ["op1"])
        self.call(daemon, grant, tool, "op2", status=202)
        worker.wait_for("seen", 2)
        self.assertEqual(self.outcome(daemon, grant, tool, "op2"), {"sent": True})

    def test_what_a_worker_says_wrong_is_an_error(self):
        daemon = self.daemon()
        tool = self.by_worker(daemon)
        grant = self.held(daemon, tool)
        self.serve(daemon, tool, """
            case "$BELFRY_OPERATION_ID" in
                fails) echo "no such address" >&2; exit 3 ;;
                *) echo "this is no JSON" ;;
            esac
        """)
        self.assertEqual(self.outcome(daemon, grant, tool, "fails"), ("exit_3", "no such address"))
        self.assertEqual(self.outcome(daemon, grant, tool, "talks")[0], "invalid_result")

    def test_a_webhook_is_asked_again_after_a_kill_with_the_same_key(self):
        daemon = self.daemon()
        never = threading.Event()
        self.addCleanup(never.set)
        hook, tool = self.by_hook(daemon, never, (200, {"sent": True}))
        grant = self.held(daemon, tool)
        self.call(daemon, grant, tool, status=202)
        eventually("it is asked", lambda: hook.requests)
        daemon.kill()
        daemon.start()
        self.assertEqual(self.outcome(daemon, grant, tool), {"sent": True})
        self.assertEqual([headers["idempotency-key"] for headers, _ in hook.requests],
                         [key_of(grant["agent"]["id"], "op1")] * 2)
        self.assertEqual(len(self.results(daemon, grant)), 1)


class Webhooks(ToolCase):
    SECRET = bytes(range(32))

    def test_a_call_is_posted_signed_and_its_answer_is_the_result(self):
        daemon = self.daemon(environment={"HOOK_SECRET": "whsec_" + base64.b64encode(self.SECRET).decode()})
        hook, tool = self.by_hook(daemon, (200, {"sent": 1}), execution={"secret_env": "HOOK_SECRET"})
        grant = self.held(daemon, tool)
        self.call(daemon, grant, tool, status=202)
        self.assertEqual(self.outcome(daemon, grant, tool), {"sent": 1})
        (headers, body), = hook.requests
        said = json.loads(body)
        self.assertEqual((headers["idempotency-key"], headers["webhook-id"]), (key_of(grant["agent"]["id"], "op1"),) * 2)
        self.assertEqual((said["tool_name"], said["arguments"], said["operation_id"]), (tool, {"to": "bob"}, "op1"))
        signed = b".".join([headers["webhook-id"].encode(), headers["webhook-timestamp"].encode(), body])
        right = base64.b64encode(hmac.new(self.SECRET, signed, hashlib.sha256).digest()).decode()
        self.assertEqual(headers["webhook-signature"], "v1," + right)

    def test_what_fails_is_tried_again_and_what_is_refused_is_not(self):
        daemon = self.daemon()
        hook, tool = self.by_hook(daemon, (503, {}), (500, {}), (201, {"sent": 1}))
        refusing, no = self.by_hook(daemon, (422, {"why": "no such address"}))
        talking, words = self.by_hook(daemon, (200, b"hello"))
        moved, away = self.by_hook(daemon, (302, {}))
        grant = self.held(daemon, tool, no, words, away)
        for name in (tool, no, words, away):
            self.call(daemon, grant, name, name, status=202)
        code, message = self.outcome(daemon, grant, no, no)
        self.assertEqual(code, "tool_refused")
        self.assertIn("422", message)
        self.assertEqual(self.outcome(daemon, grant, words, words)[0], "invalid_result")
        self.assertEqual(self.outcome(daemon, grant, away, away)[0], "tool_refused")
        self.assertEqual(self.outcome(daemon, grant, tool, tool), {"sent": 1})
        self.assertEqual([len(one.requests) for one in (hook, refusing, talking, moved)], [3, 1, 1, 1])

    def test_what_never_answers_has_timed_out(self):
        daemon = self.daemon()
        never = threading.Event()
        self.addCleanup(never.set)
        _, tool = self.by_hook(daemon, never, timeout_s=1)
        grant = self.held(daemon, tool)
        self.call(daemon, grant, tool, status=202)
        self.assertEqual(self.outcome(daemon, grant, tool)[0], "timed_out")


class HouseWork(ToolCase):
    def test_belfrys_own_worker_waits_for_the_result(self):
        daemon = self.daemon()
        tool = self.by_worker(daemon)
        agent = self.agent(daemon, capabilities=[f"tool:{tool}"], workflow={
            "kind": "script", "settings": {"steps": [{"do": tool, "with": {"to": "bob"}}]}})
        wake = self.wake_now(daemon, agent)
        call = self.claim_call(daemon, tool, wait_s=30)
        self.assertEqual(self.wake(daemon, wake["id"])["state"], "running")
        self.end_call(daemon, call, result={"sent": 1})
        self.assertEqual(self.wake(daemon, wake["id"], wait_s=30)["state"], "completed")


if __name__ == "__main__":
    unittest.main()
