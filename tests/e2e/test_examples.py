"""The programs of examples/ against the real binary: what they print is what their readers are promised."""

import contextlib
import json
import os
import pwd
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


# The example with a `fix` of the test's: it says that it has begun, and waits until it may go on or has lost its wake.
HELD_FIXER = """
import os, sys, time
import build_fixer
def fix(failures, say, claim):
    print("begun", flush=True)
    while not claim.is_lost and not os.path.exists(sys.argv[1]):
        time.sleep(0.02)
    return failures
build_fixer.fix = fix
build_fixer.LEASE_S = int(sys.argv[2])
build_fixer.main()
"""


class BuildFixer(belfry.Case):
    @contextlib.contextmanager
    def fixer(self, daemon, *command):
        """The example as its first lines tell to start it, up to where it waits."""
        agent = belfry.unique("fixer")
        user = pwd.getpwuid(os.getuid()).pw_name
        made = daemon.run("token", "create", "fixer", "--role", "user", "--user", user)
        self.assertEqual(made.code, 0, made.err)
        environment = belfry.clean_environment(
            BELFRY_URL=f"unix:{daemon.socket_path}", BELFRY_TOKEN=made.out.strip(), AGENT=agent, WINDOW_MS="0", ONCE="1",
            PYTHONPATH=os.pathsep.join((os.path.join(EXAMPLES, "../clients/python"), EXAMPLES)), PYTHONDONTWRITEBYTECODE="1")
        with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment, cwd=daemon.folder, preexec_fn=belfry.end_with_parent) as fixer:
            try:
                self.assertEqual(fixer.stdout.readline(), f"{agent} waits for ci.failed\n")
                yield fixer, agent
            finally:
                fixer.kill()

    def emit(self, daemon, **payload):
        done = daemon.run("emit", "ci.failed", "--payload", json.dumps(payload))
        self.assertEqual(done.code, 0, done.err)

    def held(self, daemon, lease_s):
        return self.fixer(daemon, "-c", HELD_FIXER, os.path.join(daemon.folder, "go"), str(lease_s))

    def rest_of(self, fixer):
        said, complaints = fixer.communicate(timeout=belfry.PATIENCE)
        self.assertEqual(fixer.returncode, 0, complaints)
        return said.splitlines()

    def wake_of(self, daemon, agent):
        return json_of(daemon.get(f"/v1/wakes?agent={agent}"))["data"][0]

    def test_is_woken_by_a_build_that_fails_and_ends_its_wake(self):
        with self.daemon() as daemon, self.fixer(daemon, os.path.join(EXAMPLES, "build_fixer.py")) as (fixer, agent):
            self.emit(daemon, branch="main", job="unit tests")
            said = self.rest_of(fixer)
            wake = self.wake_of(daemon, agent)
            self.assertEqual(said, [f"wake {wake['id']}: subscription, 1 signals, attempt 1", "looking at unit tests on main",
                                    f"wake {wake['id']}: completed"])
            run = json_of(daemon.get(f"/v1/runs/{wake['run_id']}"))
            self.assertEqual((run["state"], run["result"]), ("completed", {"fixed": ["main"]}))

    def test_takes_an_event_that_is_too_large_to_be_carried(self):
        with self.daemon() as daemon, self.fixer(daemon, os.path.join(EXAMPLES, "build_fixer.py")) as (fixer, agent):
            self.emit(daemon, branch="main", job="unit tests", log="x" * 100_000)
            self.assertIn("looking at something on unknown", self.rest_of(fixer))
            self.assertEqual(self.wake_of(daemon, agent)["state"], "completed")

    def test_ends_its_wake_when_the_daemon_is_back(self):
        with self.daemon() as daemon, self.held(daemon, 600) as (fixer, agent):
            self.emit(daemon, branch="main")
            begun, _ = fixer.stdout.readline(), fixer.stdout.readline()
            daemon.kill()
            with open(os.path.join(daemon.folder, "go"), "w", encoding="utf-8"):
                pass
            daemon.start()
            said = self.rest_of(fixer)
            wake = self.wake_of(daemon, agent)
            self.assertEqual((wake["state"], wake["attempts"], said), ("completed", 1, [f"wake {wake['id']}: completed"]), begun)

    def test_stops_when_its_wake_is_not_its_own_any_more(self):
        with self.daemon() as daemon, self.held(daemon, 30) as (fixer, agent):
            self.emit(daemon, branch="main")
            _, begun = fixer.stdout.readline(), fixer.stdout.readline()
            self.assertEqual(begun, "begun\n")
            wake = self.wake_of(daemon, agent)
            self.assertEqual(daemon.post(f"/v1/wakes/{wake['id']}/cancel", {}).status, 200)
            self.assertEqual(self.rest_of(fixer), [f"wake {wake['id']} is not ours any more"])


if __name__ == "__main__":
    unittest.main()
