"""The hooks of Claude Code, with inputs as its documentation of hooks gives them, and `belfry wait`."""

import json
import os
import pty
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import belfry
from belfry import BINARY, clean_environment, eventually, json_of, run, unique

# A hook must not keep its agent waiting: 200 ms without a daemon. On a loaded machine starting a process takes longer than
# that, so the tests allow more, and still far less than the five seconds that a client waits who has not been told.
PROMPT = 3.0


def hook_input(session, event, **members):
    return {"session_id": session, "transcript_path": f"/home/ada/.claude/projects/p/{session}.jsonl",
            "cwd": "/home/ada/my-project", "permission_mode": "default", "hook_event_name": event, **members}


def documented(session):
    """One input of every event that Belfry has something to do at, and some that it has not."""
    return [
        hook_input(session, "SessionStart", source="startup", model="claude-sonnet-4-6"),
        hook_input(session, "UserPromptSubmit", prompt="Write a function to calculate the factorial of a number"),
        hook_input(session, "PreToolUse", tool_name="Bash", tool_input={"command": "npm test"}, tool_use_id="toolu_01"),
        hook_input(session, "PostToolUse", tool_name="Write", tool_use_id="toolu_01", duration_ms=12,
                   tool_input={"file_path": "/path/to/file.txt", "content": "file content"},
                   tool_response={"filePath": "/path/to/file.txt", "success": True}),
        hook_input(session, "PostToolUseFailure", tool_name="Bash", tool_use_id="toolu_02", is_interrupt=False,
                   tool_input={"command": "npm test", "description": "Run test suite"},
                   error="Command exited with non-zero status code 1"),
        hook_input(session, "Notification", message="Claude needs your permission to use Bash",
                   notification_type="permission_prompt"),
        hook_input(session, "SubagentStop", stop_hook_active=False, agent_id="def456", agent_type="Explore",
                   last_assistant_message="Analysis complete."),
        hook_input(session, "Stop", stop_hook_active=False, last_assistant_message="I've completed the refactoring.",
                   background_tasks=[], session_crons=[]),
        hook_input(session, "StopFailure", error="rate_limit"),
        hook_input(session, "SessionEnd", reason="other"),
    ]


class Hooks(belfry.SharedCase):
    def hook(self, given, *options):
        """Runs the hook and returns its additional context, or nothing; its answer is of the event's own form."""
        done = self.belfry.run("hook", "claude-code", *options, stdin=json.dumps(given).encode())
        self.assertEqual((done.code, done.err), (0, ""), done)
        if not done.out:
            return None
        answer = json.loads(done.out)
        self.assertEqual(list(answer), ["hookSpecificOutput"])
        self.assertEqual(answer["hookSpecificOutput"]["hookEventName"], given["hook_event_name"])
        self.assertEqual(sorted(answer["hookSpecificOutput"]), ["additionalContext", "hookEventName"])
        return answer["hookSpecificOutput"]["additionalContext"]

    def notify(self, session, **members):
        answer = self.belfry.post("/v1/notifications", {"session_id": session, **members})
        self.assertEqual(answer.status, 201, answer.body)
        return json_of(answer)["id"]

    def to_agent(self, session, text, handler="system", **more):
        return self.notify(session, text=text, routing={"address": "session", "target": "agent", "handler": handler}, **more)

    def state(self, notification):
        return json_of(self.belfry.get(f"/v1/notifications/{notification}"))["state"]

    def types(self, session):
        return [entry["event"]["type"] for entry in self.belfry.entries(session=session)]

    def test_every_documented_input_is_taken(self):
        session = unique("s-")
        for given in documented(session):
            with self.subTest(given["hook_event_name"]):
                self.hook(given)
        self.assertEqual([name for name in self.types(session) if name.startswith(("tool.", "agent.turn"))],
                         ["agent.turn.start", "tool.call.success", "tool.call.failure", "agent.turn.end",
                          "agent.turn.end"])
        known = json_of(self.belfry.get(f"/v1/sessions/{session}"))
        self.assertEqual((known["title"], known["agent_id"]), ("my-project", "claude-code"))
        self.assertEqual(known["metadata"]["cwd"], "/home/ada/my-project")

    def test_what_waits_comes_with_the_prompt_once(self):
        session = unique("s-")
        self.hook(hook_input(session, "SessionStart", source="startup"))
        note = self.to_agent(session, "The build on main is red")
        context = self.hook(hook_input(session, "UserPromptSubmit", prompt="go"))
        self.assertIn("The build on main is red", context)
        self.assertIn("<system_notification", context)
        self.assertEqual(self.state(note), "delivered")
        again = self.hook(hook_input(session, "UserPromptSubmit", prompt="and now?"))
        self.assertNotIn("red", again or "")

    def test_facts_are_told_once(self):
        session, user = unique("s-"), unique("ada-")
        self.hook(hook_input(session, "SessionStart", source="startup"), "--for-user", user)
        answer = self.belfry.post("/v1/notifications", {"user_id": user, "text": "The roof leaks",
                                                        "routing": {"address": "user", "target": "user", "handler": "system"}})
        self.assertEqual(answer.status, 201, answer.body)
        acknowledged = self.belfry.run("inbox", "ack", json_of(answer)["id"])
        self.assertEqual(acknowledged.code, 0, acknowledged.err)
        told = []
        for prompt in range(4):
            context = self.hook(hook_input(session, "UserPromptSubmit", prompt=f"prompt {prompt}"))
            told.append("The roof leaks" in (context or ""))
            self.hook(hook_input(session, "Stop", stop_hook_active=False, last_assistant_message="ok"))
        self.assertEqual(told, [True, False, False, False])

    def test_a_user_is_known_though_the_daemon_was_down_at_the_start(self):
        """SessionStart was lost: the session belongs to the named user, and the owner's context stays with the owner."""
        context = {"address": "user", "target": "agent", "handler": "system"}
        self.belfry.post("/v1/notifications", {"text": "secret of the owner", "routing": context})
        tool = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {}, "tool_response": {}}
        for event, more in (("UserPromptSubmit", {"prompt": "go"}), ("PostToolUse", tool),
                            ("Stop", {"stop_hook_active": False, "last_assistant_message": "ok"})):
            with self.subTest(event):
                session, user = unique("s-"), unique("hal-")
                self.belfry.post("/v1/notifications", {"user_id": user, "text": "for hal", "priority": "critical", "routing": context})
                told = self.hook(hook_input(session, event, **more), "--for-user", user) or ""
                self.assertNotIn("secret of the owner", told)
                self.assertIn("for hal", told)
                self.assertEqual(json_of(self.belfry.get(f"/v1/sessions/{session}"))["user_id"], user)

    def test_a_session_of_another_user_stays_with_that_user(self):
        session, user = unique("s-"), unique("hal-")
        self.hook(hook_input(session, "UserPromptSubmit", prompt="go"))  # of the daemon's owner
        owner = json_of(self.belfry.get(f"/v1/sessions/{session}"))["user_id"]
        self.to_agent(session, "for the owner's agent")
        self.assertIsNone(self.hook(hook_input(session, "UserPromptSubmit", prompt="go"), "--for-user", user))
        self.assertEqual(json_of(self.belfry.get(f"/v1/sessions/{session}"))["user_id"], owner)

    def test_an_interrupted_turn_does_not_cost_the_next_one_its_proof(self):
        session, user = unique("s-"), unique("ada-")
        self.hook(hook_input(session, "SessionStart", source="startup"), "--for-user", user)
        answer = self.belfry.post("/v1/notifications", {"user_id": user, "text": "Disk full",
                                                        "routing": {"address": "user", "target": "user", "handler": "agent"}})
        self.assertEqual(answer.status, 201, answer.body)
        self.assertIn("[n1 normal, tell the user]", self.hook(hook_input(session, "UserPromptSubmit", prompt="go")))
        # The user interrupts: no Stop comes. The next prompt begins the turn again.
        self.assertIn("[n1 normal, tell the user]", self.hook(hook_input(session, "UserPromptSubmit", prompt="again")))
        self.hook(hook_input(session, "Stop", stop_hook_active=False, last_assistant_message="Your disk is full. [n1]"))
        shown = json_of(self.belfry.get(f"/v1/inbox?user={user}"))["data"]
        self.assertEqual([item["text"] for item in shown], ["Your disk is full. [n1]"])

    def test_a_failed_tool_is_told_after_it(self):
        session = unique("s-")
        self.hook(hook_input(session, "UserPromptSubmit", prompt="go"))
        context = self.hook(documented(session)[4])
        self.assertIn("Bash", context)
        self.assertIn("non-zero status code 1", context)
        failure = self.belfry.entries(session=session, type="tool.call.failure")[0]["event"]
        self.assertEqual(failure["payload"]["error_type"], "tool_error")
        self.assertEqual((failure["source"], failure["agent_id"]), ("claude-code", "claude-code"))

    def test_a_subagents_call_takes_nothing_from_the_conversation(self):
        session = unique("s-")
        self.hook(hook_input(session, "UserPromptSubmit", prompt="go"))
        given = dict(documented(session)[4], agent_id="agent-7", agent_type="Explore")
        self.assertIsNone(self.hook(given))
        self.assertIn("npm", json.dumps(given))
        self.assertIn("non-zero", self.hook(documented(session)[3]))

    def test_what_needs_an_answer_is_named_or_told_by_the_system(self):
        session = unique("s-")
        self.hook(hook_input(session, "SessionStart", source="startup"))
        named = self.notify(session, text="Mail from Bob", routing={"address": "session", "target": "user", "handler": "agent"})
        silent = self.notify(session, text="Mail from Eve", routing={"address": "session", "target": "user", "handler": "agent"})
        context = self.hook(hook_input(session, "UserPromptSubmit", prompt="go"))
        self.assertIn("Mail from Bob", context)
        handle = next(line.split()[0][1:] for line in context.splitlines() if line.startswith("[n"))
        self.assertIn(f"as [{handle}]", context)
        self.hook(hook_input(session, "Stop", stop_hook_active=False,
                             last_assistant_message=f"Bob has written to you. [{handle}]"))
        self.assertEqual(json_of(self.belfry.get("/v1/notifications/" + named))["narration"],
                         f"Bob has written to you. [{handle}]")
        self.assertEqual(self.state(silent), "escalated")

    def test_one_message_that_tells_two_notifications_is_shown_once(self):
        session = unique("s-")
        self.hook(hook_input(session, "SessionStart", source="startup"))
        routing = {"address": "session", "target": "user", "handler": "agent"}
        rows = [self.notify(session, text=f"Mail from {name}", routing=routing) for name in ("Bob", "Eve")]
        self.hook(hook_input(session, "UserPromptSubmit", prompt="go"))
        message = "Bob [n1] and Eve [n2] have written."
        self.hook(hook_input(session, "Stop", stop_hook_active=False, last_assistant_message=message))
        self.assertEqual(sorted(str(json_of(self.belfry.get("/v1/notifications/" + row))["narration"]) for row in rows),
                         [message, "None"])
        self.assertEqual([self.state(row) for row in rows].count("escalated"), 0)

    def test_what_comes_at_the_end_keeps_the_agent_going_once(self):
        session = unique("s-")
        self.hook(hook_input(session, "UserPromptSubmit", prompt="go"))
        self.to_agent(session, "The disk is almost full", handler="agent", inject_at="turn_end")
        self.assertIn("almost full", self.hook(hook_input(session, "Stop", stop_hook_active=False)))
        self.to_agent(session, "The disk is full", handler="agent", inject_at="turn_end")
        self.assertIsNone(self.hook(hook_input(session, "Stop", stop_hook_active=True)))

    def test_an_odd_part_of_the_input_does_not_cost_the_persons_words(self):
        deep = value = []
        for _ in range(100):
            value.append([])
            value = value[0]
        odd = {"a text that was cut inside a character": {"tool_input": {"text": "\ud83d"}}, "arguments too deep": {"tool_input": {"deep": deep}},
               "an id too long": {"tool_use_id": "i" * 300}, "no name": {"tool_name": ""}}
        for what, members in odd.items():
            with self.subTest(what):
                session = unique("s-")
                self.hook(hook_input(session, "SessionStart", source="startup", cwd="/" + "d" * 100_000))
                self.assertEqual(self.belfry.run("send", session, "Use tabs").code, 0)
                given = {"tool_name": "Read", "tool_input": {}, "tool_response": {}, "tool_use_id": "t", **members}
                self.assertIn("Use tabs", self.hook(hook_input(session, "PostToolUse", **given)) or "")
                self.assertEqual("tool.call.success" in self.types(session), what != "no name")

    def test_a_broken_input_is_no_reason_to_block_the_agent(self):
        for given in (b"", b"{", b"[]", b'{"hook_event_name":"Stop"}'):
            done = self.belfry.run("hook", "claude-code", stdin=given)
            self.assertNotIn(done.code, (2,))
            self.assertEqual(done.out, "")

    def test_a_wrong_command_line_is_none_either(self):
        for wrong in (["--budget", "abc"], ["--not-any-more"]):
            self.assertEqual(self.belfry.run("hook", "claude-code", *wrong, stdin=b"{}").code, 1)


class WithoutADaemon(belfry.Case):
    def run_all(self, *where):
        slowest = 0.0
        for given in documented(unique("s-")):
            begin = time.monotonic()
            done = run("hook", "claude-code", *where, stdin=json.dumps(given).encode())
            slowest = max(slowest, time.monotonic() - begin)
            self.assertEqual((done.code, done.out, done.err), (0, "", ""), given["hook_event_name"])
        return slowest

    def test_every_hook_ends_at_once_and_says_nothing(self):
        self.assertLess(self.run_all("--socket", "/nonexistent/belfry.sock"), PROMPT)
        self.assertLess(self.run_all("--url", "http://127.0.0.1:1"), PROMPT)

    def test_also_where_the_daemon_is_stopped(self):
        daemon = self.daemon()
        daemon.process.send_signal(signal.SIGSTOP)
        self.addCleanup(daemon.process.send_signal, signal.SIGCONT)
        begin = time.monotonic()
        done = daemon.run("hook", "claude-code", stdin=json.dumps(hook_input("s", "UserPromptSubmit", prompt="go")).encode())
        self.assertEqual((done.code, done.out, done.err), (0, "", ""))
        self.assertLess(time.monotonic() - begin, 2 + PROMPT)  # one request, which may take two seconds

    def test_also_where_connecting_would_hang(self):
        # A listener whose queue is full answers no more: the next connection hangs until its own limit of time.
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(0)
            address = listener.getsockname()
            waiting = []
            self.addCleanup(lambda: [one.close() for one in waiting])
            while True:
                one = socket.socket()
                one.settimeout(0.3)
                waiting.append(one)
                try:
                    one.connect(address)
                except TimeoutError:
                    break
                self.assertLess(len(waiting), 64, "the queue does not fill up")
            given = hook_input("s", "UserPromptSubmit", prompt="go")
            begin = time.monotonic()
            done = run("hook", "claude-code", "--url", f"http://127.0.0.1:{address[1]}", "--token", "x",
                       stdin=json.dumps(given).encode())
            self.assertEqual((done.code, done.out, done.err), (0, "", ""))
            self.assertLess(time.monotonic() - begin, PROMPT)


class Install(belfry.Case):
    def test_who_writes_the_file_while_it_asks_loses_nothing(self):
        with tempfile.TemporaryDirectory() as home:
            settings = os.path.join(home, "settings.json")
            with open(settings, "w", encoding="utf-8") as file:
                file.write('{"model": "opus"}\n')
            ours, theirs = pty.openpty()
            process = subprocess.Popen([BINARY, "hook", "install", "claude-code", "--settings", settings], stdin=theirs,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=clean_environment(HOME=home),
                                       preexec_fn=belfry.end_with_parent)
            self.addCleanup(lambda: (process.poll() is None and process.kill(), process.communicate(), os.close(ours), os.close(theirs)))

            def until(words):
                said = b""
                while not said.endswith(words):
                    said += process.stderr.read(1) or self.fail(said)
                return said

            until(b"[y/N] ")
            with open(settings, "w", encoding="utf-8") as file:
                file.write('{"model": "sonnet", "theme": "dark"}\n')
            os.write(ours, b"y\n")
            self.assertIn(b"changed meanwhile", until(b"[y/N] "))
            os.write(ours, b"y\n")
            self.assertEqual(process.wait(belfry.PATIENCE), 0)
            with open(settings, encoding="utf-8") as file:
                now = json.load(file)
            self.assertEqual((now["model"], now["theme"]), ("sonnet", "dark"))
            self.assertIn("Stop", now["hooks"])

    def test_the_installed_command_is_the_hook(self):
        daemon = self.daemon()
        settings = os.path.join(daemon.folder, ".claude", "settings.json")
        os.makedirs(os.path.dirname(settings))
        before = '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "true"}]}]\n  }\n}\n'
        with open(settings, "w", encoding="utf-8") as file:
            file.write(before)
        refused = daemon.run("hook", "install", "claude-code")
        self.assertEqual(refused.code, 1, "nobody agreed")
        self.assertIn("+ ", refused.out)
        done = daemon.run("hook", "install", "claude-code", "--yes")
        self.assertEqual(done.code, 0, done)
        with open(settings, encoding="utf-8") as file:
            hooks = json.load(file)["hooks"]
        self.assertEqual(hooks["Stop"][0], {"hooks": [{"type": "command", "command": "true"}]})
        for event, groups in hooks.items():
            command = groups[-1]["hooks"][0]["command"]
            given = next(one for one in documented("s-1") if one["hook_event_name"] == event)
            ran = subprocess.run(["sh", "-c", command], input=json.dumps(given).encode(), capture_output=True, check=False,
                                 env=clean_environment(HOME=daemon.folder), timeout=belfry.PATIENCE)
            self.assertEqual((ran.returncode, ran.stderr), (0, b""), event)
        self.assertEqual(json_of(daemon.get("/v1/sessions/s-1"))["title"], "my-project")
        self.assertEqual(daemon.run("hook", "install", "claude-code", "--yes").out, "")
        self.assertEqual(daemon.run("hook", "uninstall", "claude-code", "--yes").code, 0)
        with open(settings, encoding="utf-8") as file:
            self.assertEqual(file.read(), before)


    def test_of_a_project_goes_with_the_folder_that_it_made_and_with_no_other(self):
        daemon = self.daemon(start=False)
        folder = os.path.join(daemon.folder, ".claude")
        for was_there in (False, True):
            if was_there:
                os.makedirs(folder)
            for action in ("install", "install", "uninstall"):
                done = daemon.run("hook", action, "claude-code", "--project", "--yes")
                self.assertEqual(done.code, 0, done)
            self.assertEqual(os.path.exists(folder), was_there)


class Wait(belfry.SharedCase):
    def start(self, *options):
        """`belfry wait`, once it looks."""
        process = subprocess.Popen([BINARY, "wait", *options, "--data", self.belfry.data], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.belfry.environment,
                                   preexec_fn=belfry.end_with_parent)
        self.addCleanup(lambda: (process.poll() is None and process.kill(), process.communicate()))
        return process

    def session(self):
        session = unique("s-")
        answer = self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": unique("u-")})
        self.assertEqual(answer.status, 200, answer.body)
        return session

    def to_agent(self, session, text, handler):
        answer = self.belfry.post("/v1/notifications", {
            "session_id": session, "text": text,
            "routing": {"address": "session", "target": "agent", "handler": handler}})
        self.assertEqual(answer.status, 201, answer.body)
        return json_of(answer)["id"]

    def test_ends_with_2_and_prints_what_is_due(self):
        for handler in ("agent", "system"):
            with self.subTest(handler):
                session = self.session()
                process = self.start("--session", session, "--timeout", "60")
                self.assertIsNone(process.poll())
                note = self.to_agent(session, "Look at the failed build", handler)
                out, err = process.communicate(timeout=belfry.PATIENCE)
                self.assertEqual((process.returncode, err), (2, b""), out)
                self.assertIn(b"Look at the failed build", out)
                state = json_of(self.belfry.get(f"/v1/notifications/{note}"))["state"]
                self.assertEqual(state, "delivered" if handler == "system" else "locked")

    def test_what_waits_already_is_printed_at_once_and_a_look_changes_nothing(self):
        session = self.session()
        note = self.to_agent(session, "Look here", "system")
        for _ in range(2):
            peek = self.belfry.run("wait", "--session", session, "--peek")
            self.assertEqual((peek.code, peek.out), (2, "Look here\n"), peek)
        self.assertNotEqual(json_of(self.belfry.get(f"/v1/notifications/{note}"))["state"], "delivered")
        taken = self.belfry.run("wait", "--session", session, "--json")
        self.assertEqual(taken.code, 2, taken)
        self.assertEqual(json.loads(taken.out)["items"][0]["id"], note)

    def test_ends_with_0_when_the_time_is_over(self):
        done = self.belfry.run("wait", "--session", self.session(), "--timeout", "1ms")
        self.assertEqual((done.code, done.out, done.err), (0, "", ""))
        begin = time.monotonic()
        self.assertEqual(self.belfry.run("wait", "--session", self.session(), "--timeout", "300ms").code, 0)
        self.assertGreater(time.monotonic() - begin, 0.3)

    def test_a_time_that_no_clock_reaches_is_no_end(self):
        session = self.session()
        process = self.start("--session", session, "--timeout", "110000d")
        with self.assertRaises(subprocess.TimeoutExpired):
            process.wait(2)
        self.to_agent(session, "Look here", "system")
        process.wait(belfry.PATIENCE)
        self.assertEqual(process.returncode, 2)

    def test_a_session_that_there_is_not_is_a_failure(self):
        self.assertEqual(self.belfry.run("wait", "--session", unique("s-")).code, 1)
        self.assertEqual(run("wait", "--session", "s", "--socket", "/nonexistent").code, 3)

    def test_a_daemon_that_goes_and_comes_is_waited_for(self):
        daemon = self.daemon()
        session = unique("s-")
        self.assertEqual(daemon.request("PUT", f"/v1/sessions/{session}", {}).status, 200)
        process = subprocess.Popen([BINARY, "wait", "--session", session, "--data", daemon.data], stderr=subprocess.PIPE,
                                   stdout=subprocess.PIPE, env=daemon.environment, preexec_fn=belfry.end_with_parent)
        self.addCleanup(lambda: (process.poll() is None and process.kill(), process.communicate()))
        eventually("it looks and follows", lambda: daemon.metrics()["belfry_connections"] >= 3)
        daemon.stop()
        daemon.start()
        answer = daemon.post("/v1/notifications", {"session_id": session, "text": "Back again", "routing": {
            "address": "session", "target": "agent", "handler": "system"}})
        self.assertEqual(answer.status, 201, answer.body)
        out, _ = process.communicate(timeout=belfry.PATIENCE)
        self.assertEqual(process.returncode, 2, out)
        self.assertIn(b"Back again", out)


if __name__ == "__main__":
    unittest.main()
