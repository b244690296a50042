"""The programs of examples/ against the real binary: what they print is what their readers are promised."""

import os
import subprocess
import sys
import unittest

import belfry
from belfry import json_of
from model_server import ModelServer

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples")


class AgentLoop(belfry.SharedCase):
    """A tool fails, the model reads of it at the after_tool point and takes another; the next turn begins with the budget."""

    def run_loop(self, session, *command):
        self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada"})
        self.assertEqual(self.belfry.post(f"/v1/sessions/{session}/messages",
                                          {"role": "user", "content": "Be quick", "deliver": True}).status, 201)
        token, _ = self.belfry.mint("agent", bounds={"users": ["ada"]})
        environment = belfry.clean_environment(BELFRY_URL=f"http://127.0.0.1:{self.belfry.port}", BELFRY_TOKEN=token)
        done = subprocess.run([*command, session], capture_output=True, timeout=belfry.PATIENCE, check=False,
                              env=environment, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        fenced = [line.split(" fence=")[0] if "fence=" in line else line for line in lines]
        self.assertEqual(fenced, [
            "the person says: Be quick",
            "the model calls vault_search",
            "after_tool: 1 for the model",
            "<system_notification",
            "From the notification system; no person wrote this.",
            "[n1 high tool_failure]",
            '  tool_fail: "vault_search timeout Operation timed out after 5000ms: keys"',
            "</system_notification",
            "the model calls note_search",
            "the agent says: The keys hang beside the door.",
            "turn_start: 1 for the model",
            "<system_notification",
            "From the notification system; no person wrote this.",
            "[n2 high budget_warning]",
            "  budget_warn: 90% tokens consumed (900/1000)",
            "</system_notification",
            "the agent says: The keys hang beside the door.",
        ])
        self.assertEqual(lines[3].split("fence=")[1], lines[7].split("fence=")[1])
        listed = json_of(self.belfry.get(f"/v1/notifications?session={session}"))["data"]
        self.assertIn("delivered", {one["state"] for one in listed})
        self.assertNotIn("locked", {one["state"] for one in listed})

    def test_in_python(self):
        self.run_loop("python", sys.executable, os.path.join(EXAMPLES, "agent_loop.py"))

    def test_in_cpp(self):
        self.run_loop("cpp", os.path.join(os.path.dirname(belfry.BINARY), "example_agent_loop"))


class ModelLoops(belfry.SharedCase):
    """The loops against a server that speaks the interface of their model, and refuses what the real one would."""

    def run_loop(self, program, session, environment, question="Where are the keys?"):
        with ModelServer() as model:
            token, _ = self.belfry.mint("agent", bounds={"users": ["ada"]})
            environment = {name: value.format(model.url) for name, value in environment.items()}
            done = subprocess.run([sys.executable, os.path.join(EXAMPLES, program), question], capture_output=True, check=False,
                                  timeout=belfry.PATIENCE, text=True,
                                  env=belfry.clean_environment(BELFRY_URL=f"http://127.0.0.1:{self.belfry.port}", BELFRY_TOKEN=token,
                                                               SESSION=session, **environment))
            self.assertEqual(model.refused, [])
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout.strip(), model.requests

    def check(self, program, session, environment):
        self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada"})
        said = json_of(self.belfry.post("/v1/notifications", {
            "text": "The backup has failed", "session_id": session,
            "routing": {"address": "session", "target": "user", "handler": "agent"}}))
        self.assertEqual(self.belfry.post(f"/v1/sessions/{session}/messages",
                                          {"role": "user", "content": "Be quick", "deliver": True}).status, 201)
        output, requests = self.run_loop(program, session, environment)
        self.assertEqual(output, "The keys hang beside the door. You said: Be quick")
        # It acknowledges, asks the vault, reads that it does not answer, asks the notes, and speaks.
        self.assertEqual(len(requests), 4)
        ended = json_of(self.belfry.get(f"/v1/notifications/{said['id']}"))
        self.assertEqual(ended["state"], "delivered", "the model has named it as dealt with")
        listed = json_of(self.belfry.get(f"/v1/notifications?session={session}"))["data"]
        self.assertEqual({one["state"] for one in listed}, {"delivered"})
        self.assertIn("tool_failure", {one["subscriber"] for one in listed})
        progress = json_of(self.belfry.get(f"/v1/sessions/{session}"))["progress"]
        self.assertEqual((progress["turn"], progress["in_turn"], progress["tokens_used"]), (1, False, 400))

    def test_openai(self):
        self.check("openai_loop.py", "openai", {"OPENAI_BASE_URL": "{}/v1", "OPENAI_API_KEY": "key"})

    def test_anthropic(self):
        self.check("anthropic_loop.py", "anthropic", {"ANTHROPIC_BASE_URL": "{}", "ANTHROPIC_API_KEY": "key"})


class BuildFixer(belfry.SharedCase):
    def test_is_woken_by_a_build_that_fails_and_ends_its_wake(self):
        user = belfry.unique("u")
        token, _ = self.belfry.mint("user", user_id=user)
        agent = belfry.unique("fixer")
        clients = os.path.join(EXAMPLES, "../clients/python")
        environment = belfry.clean_environment(BELFRY_URL=f"http://127.0.0.1:{self.belfry.port}", BELFRY_TOKEN=token, AGENT=agent,
                                               WINDOW_MS="200", ONCE="1", PYTHONPATH=clients, PYTHONDONTWRITEBYTECODE="1")
        with subprocess.Popen([sys.executable, os.path.join(EXAMPLES, "build_fixer.py")], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env=environment, preexec_fn=belfry.end_with_parent) as fixer:
            self.assertEqual(fixer.stdout.readline(), f"{agent} waits for ci.failed\n")
            self.belfry.emit_ok(belfry.event(type="ci.failed", user_id=user, payload={"branch": "main", "job": "unit tests"}))
            said, complaints = fixer.communicate(timeout=belfry.PATIENCE)
        self.assertEqual(fixer.returncode, 0, complaints)
        wake = json_of(self.belfry.get(f"/v1/wakes?agent={agent}"))["data"][0]
        self.assertEqual(said.splitlines(), [f"wake {wake['id']}: subscription, 1 signals, attempt 1", "looking at unit tests on main",
                                             f"wake {wake['id']}: completed"])
        run = json_of(self.belfry.get(f"/v1/runs/{wake['run_id']}"))
        self.assertEqual((run["state"], run["result"]), ("completed", {"fixed": ["main"]}))


if __name__ == "__main__":
    unittest.main()
