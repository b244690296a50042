"""`belfry send`: a person's word into a session, with a receipt, also when the daemon is away for a moment."""

import json
import os
import subprocess
import time
import unittest
import urllib.parse
import uuid

import belfry
from belfry import BINARY, json_of, run, unique

RETRYING = "Connection lost, retrying..."
FAILED = "Failed to send notification"


class Send(belfry.SharedCase):
    def session(self):
        session = unique("s-")
        answer = self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": unique("u-")})
        self.assertEqual(answer.status, 200, answer.body)
        return session

    def send(self, *typed, **more):
        return self.belfry.run("send", *typed, **more)

    def words(self, session):
        """What an agent is handed of the person, and that it has it."""
        pulled = json_of(self.belfry.post(f"/v1/sessions/{session}/pull", {"point": "turn_start"}))
        return [message["content"] for message in pulled["user_messages"]]

    def test_the_word_reaches_the_agent_and_the_receipt_names_it(self):
        session = self.session()
        done = self.send(session, "Yes, go on")
        self.assertEqual(done.code, 0, done)
        receipt = done.out.strip()
        pulled = json_of(self.belfry.post(f"/v1/sessions/{session}/pull", {"point": "after_tool"}))
        self.assertEqual([(one["id"], one["content"]) for one in pulled["user_messages"]], [(receipt, "Yes, go on")])
        piped = self.send(session, "-", "--json", stdin="Grüße\n von hier\n".encode())
        self.assertEqual(piped.code, 0, piped)
        self.assertTrue(json.loads(piped.out)["success"])

    def test_every_name_of_a_session_is_reached(self):
        for name in (unique("slack:C042."), unique("a b"), unique("x" * 120)):
            answer = self.belfry.request("PUT", "/v1/sessions/" + urllib.parse.quote(name, safe=""), {"user_id": unique("u-")})
            self.assertEqual(answer.status, 200, answer.body)
            done = self.send(name, "hi")
            self.assertEqual(done.code, 0, done)
            self.assertEqual(self.words(urllib.parse.quote(name, safe="")), ["hi"])

    def test_the_same_id_is_taken_once(self):
        session = self.session()
        own = str(uuid.uuid4())
        first = self.send(session, "Once", "--id", own)
        self.assertEqual(first.code, 0, first)
        self.assertEqual(self.send(session, "Once", "--id", own).out, first.out)
        self.assertEqual(self.send(session, "Something else", "--id", own).code, 1)
        self.assertEqual(self.words(session), ["Once"])

    def test_order_is_kept_in_each_session(self):
        one, other = self.session(), self.session()
        for n in range(5):
            self.assertEqual(self.send(one, f"one {n}").code, 0)
            self.assertEqual(self.send(other, f"other {n}").code, 0)
        self.assertEqual(self.words(one), [f"one {n}" for n in range(5)])
        self.assertEqual(self.words(other), [f"other {n}" for n in range(5)])

    def test_other_types_become_events(self):
        session = self.session()
        self.assertEqual(self.send(session, "--type", "status_update", "--payload", '{"state": "away"}').code, 0)
        self.assertEqual(self.send(session, "--type", "control_signal").code, 0)
        kinds = [entry["event"]["type"] for entry in self.belfry.entries(session=session)]
        self.assertIn("client.status_update", kinds)
        self.assertIn("client.control_signal", kinds)

    def test_a_refusal_is_told_at_once(self):
        begin = time.monotonic()
        done = self.send(unique("no-"), "Hello?")
        self.assertEqual((done.code, done.out), (1, ""))
        self.assertIn("Session ID not found or invalid", done.err)
        self.assertNotIn(RETRYING, done.err)
        wrong = self.send(self.session(), "--type", "Not A Type", "x")
        self.assertEqual(wrong.code, 1, wrong)
        self.assertLess(time.monotonic() - begin, belfry.PATIENCE)

    def test_without_a_daemon_it_is_tried_four_times_and_reported(self):
        begin = time.monotonic()
        done = run("send", "s1", "Hello?", "--rpc", "unix:/nonexistent/belfry-rpc.sock")
        self.assertGreater(time.monotonic() - begin, 2.6)
        self.assertEqual((done.code, done.out), (3, ""))
        lines = done.err.splitlines()
        self.assertEqual(lines[:2], [RETRYING, FAILED])
        self.assertIn("cannot connect", lines[2])
        quiet = run("send", "s1", "Hello?", "--rpc", "unix:/nonexistent/belfry-rpc.sock", "--json")
        self.assertEqual(json.loads(quiet.err)["error"]["code"], "unavailable")

    def test_a_daemon_that_is_back_in_time_gets_it_once(self):
        daemon = self.daemon()
        session = unique("s-")
        self.assertEqual(daemon.request("PUT", f"/v1/sessions/{session}", {}).status, 200)
        path = os.path.join(daemon.data, "belfry-rpc.sock")
        os.rename(path, path + ".away")
        process = subprocess.Popen([BINARY, "send", session, "Still there?", "--data", daemon.data], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=daemon.environment,
                                   preexec_fn=belfry.end_with_parent)
        self.addCleanup(lambda: (process.poll() is None and process.kill(), process.communicate()))
        self.assertEqual(process.stderr.readline(), RETRYING + "\n")
        os.rename(path + ".away", path)
        out, err = process.communicate(timeout=belfry.PATIENCE)
        self.assertEqual(process.returncode, 0, err)
        self.assertNotIn(FAILED, err)
        pulled = json_of(daemon.post(f"/v1/sessions/{session}/pull", {"point": "turn_start"}))
        self.assertEqual([(one["id"], one["content"]) for one in pulled["user_messages"]], [(out.strip(), "Still there?")])

    def test_a_waiting_agent_is_told_the_persons_words(self):
        for begins_first in (True, False):
            with self.subTest(begins_first):
                session = self.session()
                if not begins_first:
                    self.assertEqual(self.send(session, "Use tabs").code, 0)
                process = subprocess.Popen([BINARY, "wait", "--session", session, "--data", self.belfry.data],
                                           stdout=subprocess.PIPE, env=self.belfry.environment, text=True,
                                           preexec_fn=belfry.end_with_parent)
                self.addCleanup(lambda one=process: (one.poll() is None and one.kill(), one.communicate()))
                if begins_first:
                    self.assertEqual(self.send(session, "Use tabs").code, 0)
                out, _ = process.communicate(timeout=belfry.PATIENCE)
                self.assertEqual(process.returncode, 2)
                self.assertIn("in his own words:\nUse tabs", out)
                self.assertEqual(self.words(session), [])

    def test_a_coding_agent_gets_them_with_its_next_step(self):
        session = self.session()
        self.assertEqual(self.send(session, "Not in that file").code, 0)
        given = {"session_id": session, "hook_event_name": "PostToolUse", "cwd": "/w", "tool_name": "Read",
                 "tool_input": {}, "tool_response": {}, "tool_use_id": "toolu_1"}
        done = self.belfry.run("hook", "claude-code", stdin=json.dumps(given).encode())
        self.assertIn("Not in that file", json.loads(done.out)["hookSpecificOutput"]["additionalContext"])
        self.assertEqual(self.belfry.run("hook", "claude-code", stdin=json.dumps(given).encode()).out, "")

    def test_much_that_is_piped_in_is_all_answered(self):
        asked = 60_000  # far more than the buffers in between hold
        ping = b'Content-Length: 40\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"ping"}'
        done = subprocess.run([BINARY, "rpc", "--data", self.belfry.data], input=ping * asked, capture_output=True,
                              check=True, timeout=belfry.PATIENCE, env=self.belfry.environment)
        self.assertEqual(done.stdout.count(b'"pong":true'), asked)


if __name__ == "__main__":
    unittest.main()
