"""Programs of the random world that run the real command line: a coding agent with hooks, and `serve --dev`."""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from context import EventSource
from parties import Emitter, Party, facts_of, left_of

import belfry

COMMAND_SECONDS_MAX = 40


def run_command(world, *arguments, stdin=b""):
    """Runs the binary; (exit code, output, errors, whether the daemon lived all the time). Code -1: it took too long."""
    restarts = world.restarts
    try:
        done = subprocess.run([belfry.BINARY, *arguments], input=stdin, capture_output=True, timeout=COMMAND_SECONDS_MAX,
                              check=False, env=belfry.clean_environment(HOME=world.daemon.folder), cwd=world.daemon.folder)
        code, out, err = done.returncode, done.stdout.decode(), done.stderr.decode()
    except subprocess.TimeoutExpired:
        code, out, err = -1, "", ""
    return code, out, err, world.restarts == restarts and restarts % 2 == 0


class HookHarness(Party):
    """A coding agent that calls `belfry hook claude-code` at its events, and gives its model what the hook writes."""

    def __init__(self, world, name, user):
        super().__init__(world, name, world.tokens["emitter"])
        self.user = user
        self.emitter = Emitter(world, f"{name}-emitter", world.tokens["emitter"])
        self.source = EventSource(self, self.caller)

    def act(self):
        session = f"{self.user}-code-{self.recorder.unique('hooked')}"
        self.call_hook(session, "SessionStart", source="startup", model="m")
        for _ in range(self.random.choice([2, 4, 6])):
            if self.world.stopping.is_set():
                return
            self.let_things_happen(session)
            self.call_hook(session, "UserPromptSubmit", prompt="go on")
            self.pause(0.0, 0.3)
            given = self.call_hook(session, "Stop", stop_hook_active=False, last_assistant_message="Done.")
            if given:  # the agent goes on with what it was given and stops again
                self.call_hook(session, "Stop", stop_hook_active=True, last_assistant_message="Done.")

    def let_things_happen(self, session):
        for _ in range(self.random.choice([0, 1, 1, 3])):
            code = self.random.choice(["uus", "uus", "sus"])
            self.emitter.emit(self.user, code, session=session if code == "sus" else "")
        if self.random.random() < 0.4:
            # The hook's text has no ids of items, so only the text is judged.
            self.source.emit("plain.failed", self.user, session, expect="")
        self.pause(0.2, 1.0)

    def call_hook(self, session, event, **members):
        """Calls the hook and records what the model was given; returns that text."""
        given = {"session_id": session, "transcript_path": f"/t/{session}.jsonl", "cwd": "/p", "permission_mode": "default",
                 "hook_event_name": event, **members}
        began = self.recorder.tick()
        code, out, err, lived = run_command(self.world, "hook", "claude-code", "--data", self.world.daemon.data, "--for-user",
                                            self.user, "--verbose", stdin=json.dumps(given).encode())
        text = json.loads(out)["hookSpecificOutput"]["additionalContext"] if out else ""
        # The hook says with --verbose what went wrong. Its silence in a daemon's life means that every call was answered.
        is_whole = code == 0 and not err and lived
        whole = {"status": 200 if is_whole else 0}
        if event == "SessionStart":
            self.recorder.add("session_made", self.name, began, session=session, user=self.user, answer=whole)
            with self.world.lock:
                self.world.live[session] = self.user
        if event == "UserPromptSubmit":
            self.recorder.add("turn_started", self.name, began, runtime=self.name, token="socket", session=session,
                              answer=whole)
        self.record_text(session, event, began, text, is_whole)
        if event == "Stop" and not text:
            self.recorder.add("turn_ended", self.name, began, runtime=self.name, token="socket", session=session,
                              only_named=True, answer=whole)
        return text

    def record_text(self, session, event, began, text, is_whole):
        pull = f"hook-{self.recorder.unique('hook')}"
        lines = [line.strip() for line in text.splitlines()]
        facts = facts_of([line for line in lines if line.startswith(("[SEEN", "[SHOWN"))])
        self.recorder.add("pulled", self.name, began, runtime=self.name, token="socket", user=self.user, session=session,
                          point="turn_end" if event == "Stop" else "turn_start", pull_id=pull, seen=facts,
                          facts_left=left_of(text), prompt=text, answer={"status": 200 if text or is_whole else 0})
        if text:  # "The hook writes its text to standard output and then acknowledges the pull."
            self.recorder.add("acknowledged", self.name, runtime=self.name, token="socket", session=session, pull_id=pull,
                              answer={"status": 200 if is_whole else 0})


class DevDaemon(Party):
    """Starts `serve --dev` once, in the home of a user who has a sink and a subscriber."""

    LIFE_SECONDS = 12
    START_SECONDS_MAX = 60
    SINK, SUBSCRIBER = "dev_phone", "dev_mine"

    def __init__(self, world, name):
        super().__init__(world, name, "")
        self.home = tempfile.mkdtemp(prefix="belfry-home-")
        self.rang = os.path.join(self.home, "rang.jsonl")

    def run(self):
        try:
            self.write_own_files()
            self.look_at_demonstration()
        except Exception as error:  # a mistake of the world itself must end it
            self.error = error
            raise
        finally:
            shutil.rmtree(self.home, ignore_errors=True)

    def write_own_files(self):
        own = os.path.join(self.home, ".config", "belfry")
        for folder in ("sinks", "subscribers"):
            os.makedirs(os.path.join(own, folder))
        with open(os.path.join(own, "sinks", "phone.toml"), "w", encoding="utf-8") as file:
            file.write(f'[sink]\nid = "{self.SINK}"\nkind = "command"\n'
                       f'[command]\nargv = ["/bin/sh", "-c", "cat >> {self.rang}"]\n')
        with open(os.path.join(own, "subscribers", "mine.toml"), "w", encoding="utf-8") as file:
            file.write(f'[subscriber]\nid = "{self.SUBSCRIBER}"\nname = "Mine"\ndescription = "My own."\nversion = "1.0.0"\n'
                       '[events]\ntypes = ["mine.*"]\n')

    def look_at_demonstration(self):
        said = os.path.join(self.home, "said")
        with open(said, "wb") as output:
            process = subprocess.Popen([belfry.BINARY, "serve", "--dev", "--port", "0"], stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=subprocess.DEVNULL, preexec_fn=belfry.end_with_parent,
                                       env=belfry.clean_environment(HOME=self.home, TMPDIR=self.home), cwd=self.home)
        self.recorder.add("dev_started", self.name, sinks=[self.SINK], subscribers=[self.SUBSCRIBER])
        try:
            found = self.wait_for_address(process, said)
            if found:
                self.list_subscribers(found)
                # Demonstration or not, this rings every sink that the daemon has.
                self.ask(found, "POST", "/v1/notifications", {"text": "The roof leaks", "priority": "critical"})
                end = time.monotonic() + self.LIFE_SECONDS
                while time.monotonic() < end and not self.world.stopping.wait(0.1):
                    pass
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.record_rings()

    def wait_for_address(self, process, said):
        """(port, token) as the daemon prints them; None where it does not come."""
        end = time.monotonic() + self.START_SECONDS_MAX
        while time.monotonic() < end and process.poll() is None and not self.world.stopping.is_set():
            with open(said, encoding="utf-8", errors="replace") as file:
                found = re.search(r"--url http://127\.0\.0\.1:(\d+)\S* --token (\S+)[^\n]*\n", file.read())
            if found:
                return int(found.group(1)), found.group(2)
            time.sleep(0.05)
        return None

    @staticmethod
    def ask(where, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", where[0], timeout=20)
        try:
            connection.request(method, path, body=json.dumps(body) if body else None,
                               headers={"Authorization": f"Bearer {where[1]}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"{}")
        except (OSError, ValueError, http.client.HTTPException):
            return 0, {}
        finally:
            connection.close()

    def list_subscribers(self, where):
        began = self.recorder.tick()
        status, answer = self.ask(where, "GET", "/v1/subscribers")
        self.recorder.add("dev_listed", self.name, began, answer={"status": status},
                          subscribers=[one["id"] for one in answer.get("data", [])])

    def record_rings(self):
        if not os.path.exists(self.rang):
            return
        with open(self.rang, encoding="utf-8") as file:
            for line in file:
                said = json.loads(line)
                self.recorder.add("rang", self.name, sink=self.SINK, user=said["user_id"], id=said["id"],
                                  version=said["version"], lease=said["owner_lease"], text=said["text"])
