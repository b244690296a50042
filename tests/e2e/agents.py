"""What the tests of agents share: agents and wakes over HTTP, and workers as processes of the real binary."""

import datetime
import itertools
import os
import subprocess
import textwrap

import belfry
from belfry import PATIENCE, end_with_parent, eventually, json_of, unique


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


class Worker:
    """One `belfry work` or `belfry wake on` at work, with a script of its own."""

    def __init__(self, daemon, words, script, environment=None):
        self.daemon = daemon
        self.folder = os.path.join(daemon.folder, unique("worker"))
        os.mkdir(self.folder)
        path = os.path.join(self.folder, "work.sh")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/bash\n" + textwrap.dedent(script))
        os.chmod(path, 0o755)
        self.log = os.path.join(self.folder, "said")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [belfry.BINARY, *words, "--data", daemon.data, "--", path], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd=self.folder, preexec_fn=end_with_parent,
                env=belfry.clean_environment(HOME=daemon.folder, **(environment or {})))

    def said(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def file(self, name):
        return os.path.join(self.folder, name)

    def lines(self, name):
        """The whole lines of a file that the script writes; none where it is not there yet."""
        try:
            with open(self.file(name), encoding="utf-8") as file:
                return file.read().split("\n")[:-1]
        except FileNotFoundError:
            return []

    def wait_for(self, name, count=1, patience=PATIENCE):
        return eventually(f"{count} lines in {name}; it said: {self.said()}",
                          lambda: len(self.lines(name)) >= count and self.lines(name), patience)

    def touch(self, name):
        with open(self.file(name), "w", encoding="utf-8"):
            pass

    def end(self, number=None):
        if self.process.poll() is None:
            if number is None:
                self.process.kill()
            else:
                self.process.send_signal(number)
        return self.process.wait(PATIENCE)


class AgentCase(belfry.Case):
    def agent(self, daemon, name=None, **members):
        name = name or unique("a")
        answer = daemon.post("/v1/agents", {"id": name, "user_id": "ada", **members})
        self.assertIn(answer.status, (200, 201), answer.body)
        return name

    def subscribe(self, daemon, agent, *types, **members):
        answer = daemon.post(f"/v1/agents/{agent}/subscriptions", {"types": list(types), **members})
        self.assertEqual(answer.status, 200, answer.body)
        return json_of(answer)

    def emit(self, daemon, kind="ci.failed", **members):
        return daemon.emit_ok(belfry.event(**{"type": kind, "user_id": "ada", **members}))

    def wake_now(self, daemon, agent, status=201, **members):
        answer = daemon.post(f"/v1/agents/{agent}/wake", members)
        self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def claim(self, daemon, *agents, token="admin", **members):
        """The grant, or nothing."""
        answer = daemon.post("/v1/wakes/claim", {"agents": list(agents), **members}, token=token)
        self.assertIn(answer.status, (200, 204), answer.body)
        return json_of(answer) if answer.status == 200 else None

    def claim_soon(self, daemon, *agents, **members):
        grant = self.claim(daemon, *agents, wait_s=30, **members)
        self.assertIsNotNone(grant, "nothing became due")
        return grant

    def end(self, daemon, grant, status=200, **members):
        wake = grant["wake"]
        answer = daemon.post(f"/v1/wakes/{wake['id']}/end", {"fence": wake["fence"], **members})
        self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def wake(self, daemon, number, wait_s=0):
        return json_of(daemon.get(f"/v1/wakes/{number}?wait_s={wait_s}"))

    def wakes(self, daemon, agent, **query):
        text = "".join(f"&{name}={value}" for name, value in query.items())
        return json_of(daemon.get(f"/v1/wakes?agent={agent}{text}"))["data"]

    def signals(self, daemon, number):
        """All of them, page by page."""
        found, after = [], ""
        while True:
            page = json_of(daemon.get(f"/v1/wakes/{number}/signals?limit=1000{after}"))
            found += page["data"]
            if not page["has_more"]:
                return found
            after = f"&after={page['next']}"

    def failures(self, daemon, number):
        """The wake as it was told of each time that an attempt had failed; whatever has become of it since."""
        told = [entry["event"]["wake"] for entry in daemon.entries("agent:ada") if entry["event"]["type"] == "wake"]
        return [wake for wake in told if wake["id"] == number and wake["error"] and wake["state"] != "running"]

    def is_read(self, daemon, send):
        """Sends a request that is not answered yet, and waits until the daemon has it."""
        def count():
            return daemon.metrics()["belfry_http_requests_total"]
        before = count()
        send()
        asked = itertools.count(1)  # each of these requests counts, too
        eventually("the request is read", lambda: count() > before + next(asked))

    def work(self, daemon, agent, script, *options, environment=None):
        worker = Worker(daemon, ["work", "--agent", agent, *options], script, environment)
        self.addCleanup(worker.end)
        return worker

    def run_events(self, daemon, run):
        return json_of(daemon.get(f"/v1/runs/{run}/events?after=0&limit=1000"))["data"]

