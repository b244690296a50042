"""The programs of examples/ against the real binary: what they print is what their readers are promised."""

import os
import subprocess
import sys
import unittest

import belfry
from belfry import json_of

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples")


class AgentLoop(belfry.SharedCase):
    """A tool fails, the model reads of it at the after_tool point and takes another; the next turn begins with the budget."""

    def run_loop(self, session, *command):
        token, _ = self.belfry.mint("agent", bounds={"users": ["ada"]})
        environment = belfry.clean_environment(BELFRY_URL=f"http://127.0.0.1:{self.belfry.port}", BELFRY_TOKEN=token)
        done = subprocess.run([*command, session], capture_output=True, timeout=belfry.PATIENCE, check=False,
                              env=environment, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        fenced = [line.split(" fence=")[0] if "fence=" in line else line for line in lines]
        self.assertEqual(fenced, [
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
        self.assertEqual(lines[2].split("fence=")[1], lines[6].split("fence=")[1])
        listed = json_of(self.belfry.get(f"/v1/notifications?session={session}"))["data"]
        self.assertIn("delivered", {one["state"] for one in listed})
        self.assertNotIn("locked", {one["state"] for one in listed})

    def test_in_python(self):
        self.run_loop("python", sys.executable, os.path.join(EXAMPLES, "agent_loop.py"))

    def test_in_cpp(self):
        self.run_loop("cpp", os.path.join(os.path.dirname(belfry.BINARY), "example_agent_loop"))


if __name__ == "__main__":
    unittest.main()
