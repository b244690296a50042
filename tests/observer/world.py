"""A random world against the real binary, judged by what users, models and callers saw.

    BELFRY=build-test/belfry python3 tests/observer/world.py --observe build-test/observe --seconds 60 --seed 7

BELFRY_TEST_STORE=postgres runs it on PostgreSQL (tests/with_postgres.py starts one). Exit code 0: every promise was kept.
--keep writes the recorded observations of a failed seed there; a run is not repeatable to the byte, because threads and the
daemon race, so the file is the evidence.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from recorder import Caller, Recorder
from context import ContextScenes, LateLow, write_subscribers
from harness import DevDaemon, HookHarness
from intake import Fumbler, KeySender, Speaker, Strangers, TimeKeeper
from parties import Emitter, Follower, Interface, Talker
from runtimes import ChainEmitter, ChainRuntime, Closer, Runtime, ToolServer, Worker, path_of
from scenes import Scenes

import belfry
import faults

USERS = ["ada", "ben"]
CHAIN_USER = "cyd"
AGENT_USER = "rob"
INTAKE_USER = "eve"
HOOK_USER = "hal"
ALL_USERS = [*USERS, CHAIN_USER, AGENT_USER, INTAKE_USER, HOOK_USER]
QUIET_SECONDS_MAX = 75


class World:
    """One seed: a daemon, its parties, the end."""

    def __init__(self, seed, seconds, kills, steps):
        self.seed = seed
        self.steps = 0 if belfry.is_sanitized() else steps  # of the clock; a sanitizer wants to be loaded first
        self.seconds = seconds
        self.kills = kills
        self.random = random.Random(seed)
        self.recorder = Recorder()
        self.stopping = threading.Event()  # no new work
        self.ended = threading.Event()     # nothing more to read
        self.users = USERS
        self.agents = []
        self.ids = set()
        self.lock = threading.Lock()
        self.sessions = {}
        self.live = {}  # session → user
        self.folder = tempfile.mkdtemp(prefix="belfry-world-")
        self.bell = os.path.join(self.folder, "rang.jsonl")
        self.restarts = 0  # odd: the daemon is down
        subscribers = os.path.join(self.folder, "subscribers")
        self.subscribers = write_subscribers(subscribers)
        self.daemon = belfry.Daemon("--sinks", self.folder, "--subscribers", subscribers, "--events-per-second", "0")
        if self.steps:
            self.faults = faults.Faults(self.folder)
            self.daemon.environment.update(LD_PRELOAD=faults.library(), BELFRY_FAULTS=self.faults.path)
        self.tokens = {}
        self.belfry_tools = [f"post_{number}" for number in range(1, 81)]
        self.parties = []

    # -- what parties ask of the world ---------------------------------------------------------------------------

    def know(self, note):
        with self.lock:
            self.ids.add(note)

    def session(self, user, index):
        with self.lock:
            return self.sessions[user][index]

    def any_session(self, user, chooser):
        with self.lock:
            return chooser.choice(self.sessions[user])

    def make_session(self, user, prefix):
        session = f"{user}-{prefix}-{self.recorder.unique('session')}"
        began = self.recorder.tick()
        status, reason, _ = self.admin.call("PUT", path_of(session), {"user_id": user})
        self.recorder.add("session_made", "admin", began, session=session, user=user,
                          answer={"status": status, "reason": reason})
        if status in (200, 201):
            with self.lock:
                self.live[session] = user
            return session
        return None

    def delete_session(self, session, user, replace=True):
        began = self.recorder.tick()
        status, reason, _ = Caller(self.daemon, self.tokens["user", user]).call("DELETE", path_of(session))
        self.recorder.add("session_deleted", user, began, session=session, user=user,
                          answer={"status": status, "reason": reason})
        with self.lock:
            if status:
                self.live.pop(session, None)
        if replace:
            made = None
            while not made and not self.stopping.is_set():
                made = self.make_session(user, "talk")
            if made:
                with self.lock:
                    self.sessions[user] = [made if one == session else one for one in self.sessions[user]]

    def internal_tool(self):
        return f"look_{self.recorder.unique('look') % 40}"

    def belfry_tool(self):
        number = self.recorder.unique("post")
        return f"post_{number}" if number <= len(self.belfry_tools) else None

    # -- its life ------------------------------------------------------------------------------------------------

    def prepare(self):
        users = ALL_USERS
        for user in users:
            with open(os.path.join(self.folder, f"{user}.toml"), "w", encoding="utf-8") as file:
                file.write(f'[sink]\nid = "bell_{user}"\nkind = "command"\n[when]\nusers = ["{user}"]\n'
                           f'[command]\nargv = ["/bin/sh", "-c", "cat >> {self.bell}"]\n')
        self.daemon.start()
        self.admin = Caller(self.daemon, self.daemon.admin_token)
        for user in users:
            self.tokens["user", user] = self.daemon.mint("user", user_id=user)[0]
            for name in ("r1", "r2", "closer"):
                self.tokens[name, user] = self.daemon.mint("agent", bounds={"users": [user]})[0]
            self.recorder.add("sink_made", "admin", sink=f"bell_{user}", user=user)
        self.tokens["emitter"] = self.daemon.mint("emitter")[0]
        for made in self.subscribers:
            self.recorder.add("subscriber_made", "admin", **made)
        self.owner = self.admin.call("GET", "/v1/me")[2]["owner"]
        for number in range(40):
            self.admin.call("PUT", f"/v1/tools/look_{number}", {"impact": "internal"})
        for name in self.belfry_tools:
            self.admin.call("PUT", f"/v1/tools/{name}", {"impact": "external", "capabilities": [], "description": "Posts it",
                                                         "schema": {"type": "object"}, "execution": {"by": "worker"}})
        for user in users:
            self.sessions[user] = [self.make_session(user, "talk") for _ in range(1 if user == CHAIN_USER else 3)]
        self.make_agents()

    def make_agents(self):
        """Agents that Belfry runs: one that says what it was given, one that says nothing; and one of a worker."""
        said = "{% for n in notifications %}{{ n.text }} {% endfor %}"
        mark = self.recorder.mark("a")
        scripts = {"robot": ("script", {"steps": [{"do": "notify_user", "with": {"text": f"{mark} robot read: {said}"}}]}),
                   "mute": ("script", {"steps": [{"do": "set_state", "with": {"goal": "none"}}]}),
                   "coder": ("worker", {})}
        for name, (kind, settings) in scripts.items():
            began = self.recorder.tick()
            workflow = {"kind": kind, **({"settings": settings} if settings else {})}
            status, reason, _ = self.admin.call("POST", "/v1/agents", {"id": name, "user_id": AGENT_USER, "workflow": workflow})
            self.recorder.add("agent_made", "admin", began, agent=name, user=AGENT_USER, workflow=kind,
                              mark=mark if name == "robot" else "", tells=name == "robot", repeats_given=name == "robot",
                              answer={"status": status, "reason": reason})
            self.agents.append((name, AGENT_USER))
        # Conversations of the two scripted agents: what is said there wakes them, too.
        for name in ("robot", "mute"):
            self.admin.call("PUT", f"/v1/sessions/{name}-talk", {"user_id": AGENT_USER, "agent_id": name})
        session = "coder-home"
        self.admin.call("PUT", f"/v1/sessions/{session}", {"user_id": AGENT_USER, "agent_id": "coder"})
        self.coder_session = session
        self.live[session] = AGENT_USER

    def cast(self):
        parties = [Emitter(self, f"emitter{number}", self.tokens["emitter"]) for number in range(2)]
        for user in USERS:
            mine = self.tokens["user", user]
            parties += [Interface(self, f"{user}-device{number}", mine, user) for number in range(2)]
            if user == USERS[0]:  # an interface that stays; the other user is often without any
                parties.append(Interface(self, f"{user}-desk", mine, user, lives=(30.0,)))
            parties.append(Talker(self, f"{user}-talker", mine, user))
            one, two = self.tokens["r1", user], self.tokens["r2", user]
            parties += [Runtime(self, f"{user}-run1", one, f"{user}-r1", user, [0, 1], True),
                        Runtime(self, f"{user}-run2", one, f"{user}-r1", user, [1], True),
                        Runtime(self, f"{user}-run3", two, f"{user}-r2", user, [1, 2], True),
                        Runtime(self, f"{user}-run4", two, f"{user}-r2", user, [2], False)]
            parties.append(Follower(self, f"{user}-follower", one, user))
            parties.append(Scenes(self, f"{user}-scenes", one, f"{user}-r1", two if user == "ben" else None, user))
        chain = self.tokens["r1", CHAIN_USER]
        self.chain_emitter = ChainEmitter(self, "cyd-r1", chain, role="agent")
        self.chain_root = ChainEmitter(self, "chain-root", self.tokens["emitter"])
        parties += [ChainRuntime(self, "cyd-run", chain, "cyd-r1", CHAIN_USER, [0], True), self.chain_root,
                    Follower(self, "cyd-follower", chain, CHAIN_USER)]
        parties += [Interface(self, f"{user}-device0", self.tokens["user", user], user) for user in (CHAIN_USER, AGENT_USER)]
        parties += [Worker(self, "coder-worker", self.tokens["r1", AGENT_USER], AGENT_USER, "coder", self.coder_session),
                    ToolServer(self, "tool-server", self.tokens["r1", AGENT_USER])]
        self.parties = parties + self.cast_intake()
        return self.parties

    def cast_intake(self):
        """The parties that try the API. Some have a user of their own, so that no other party disturbs their sessions."""
        homes = {user: self.make_session(user, "home") for user in (*USERS, INTAKE_USER)}
        runtime, hooked = self.tokens["r1", INTAKE_USER], self.tokens["user", HOOK_USER]
        self.key_sender = KeySender(self, "eve-keys", INTAKE_USER, homes[INTAKE_USER])
        return [Strangers(self, "strangers", USERS, homes), Fumbler(self, "eve-fumbler", INTAKE_USER, homes[INTAKE_USER]),
                self.key_sender, TimeKeeper(self, "time-keeper"), Speaker(self, "eve-speaker", INTAKE_USER),
                ContextScenes(self, "eve-context", runtime, "eve-r1", INTAKE_USER), HookHarness(self, "hal-code", HOOK_USER),
                Interface(self, "hal-desk", hooked, HOOK_USER, lives=(30.0,)), Interface(self, "hal-device0", hooked, HOOK_USER),
                Interface(self, "eve-device0", self.tokens["user", INTAKE_USER], INTAKE_USER), DevDaemon(self, "dev")]

    def run(self):
        self.prepare()
        tail = threading.Thread(target=self.follow_sinks, daemon=True)
        tail.start()
        for party in self.cast():
            party.start()
        end = time.monotonic() + self.seconds
        kills = sorted(self.random.uniform(0.1, 0.95) * self.seconds for _ in range(self.kills))
        steps = sorted(self.random.uniform(0.1, 0.9) * self.seconds for _ in range(self.steps))
        began = time.monotonic()
        while time.monotonic() < end:
            time.sleep(min(0.2, max(0.0, end - time.monotonic())))
            if kills and time.monotonic() - began > kills[0]:
                kills.pop(0)
                self.crash()
            elif steps and time.monotonic() - began > steps[0]:
                steps.pop(0)
                self.step_clock(self.random.choice([-3600, -60, 60, 3600]))
            elif self.random.random() < 0.06:
                user = self.random.choice(USERS)
                self.delete_session(self.any_session(user, self.random), user)
        self.quiesce()

    def step_clock(self, by_s):
        """The wall clock of the daemon goes on from so much later or earlier."""
        self.faults.jump(wall_s=by_s)
        self.recorder.add("clock_stepped", "world", by_ms=by_s * 1000)

    def crash(self):
        self.restarts += 1
        self.recorder.add("crashed", "world", node="one")
        self.daemon.kill()
        time.sleep(self.random.choice([0.0, 0.05, 0.5]))
        self.daemon.start()
        self.recorder.add("restarted", "world", node="one")
        self.restarts += 1

    def follow_sinks(self):
        """Records the calls of sinks as they come."""
        rest, place = "", 0
        while not self.ended.is_set():
            if os.path.exists(self.bell):
                with open(self.bell, encoding="utf-8") as file:
                    file.seek(place)
                    rest += file.read()
                    place = file.tell()
            while "\n" in rest:
                line, rest = rest.split("\n", 1)
                said = json.loads(line)
                self.recorder.add("rang", "sink", sink=f"bell_{said['user_id']}", user=said["user_id"], id=said["id"],
                                  version=said["version"], lease=said["owner_lease"], text=said["text"])
            time.sleep(0.02)

    # -- the end -------------------------------------------------------------------------------------------------

    def quiesce(self):
        self.stopping.set()
        for party in self.parties:
            if not isinstance(party, Follower):
                party.join(60)
                if party.error or party.is_alive():
                    raise AssertionError(f"{party.name} did not end well: {party.error}")
        users = ALL_USERS
        self.stopping = threading.Event()
        self.steady = [Interface(self, f"{user}-steady", self.tokens["user", user], user, steady=True) for user in users]
        closers = {user: Closer(self, f"{user}-closer", self.tokens["closer", user], user) for user in users}
        for interface in self.steady:
            interface.start()
        late = None
        if self.steps:
            late = LateLow(self, "eve-late", self.tokens["r1", INTAKE_USER], "eve-r1", INTAKE_USER)
            late.prepare()
            self.step_clock(2 * 3600 * (self.steps + 1))  # beyond every step back, so that all TTLs run out
            late.start()
        end = time.monotonic() + QUIET_SECONDS_MAX
        calm = 0
        while time.monotonic() < end and calm < 3:
            busy = False
            with self.lock:
                live = {session: user for session, user in self.live.items() if not late or session != late.session}
            for session, user in live.items():
                busy = closers[user].sweep(session) or busy
            still_open = self.open_notes()
            calm = 0 if busy or still_open else calm + 1
            time.sleep(0.3)
        if late:
            late.join(60)
            closers[INTAKE_USER].sweep(late.session)
        time.sleep(0.5)
        self.recorder.add("quiet", "world")
        self.stopping.set()
        self.ended.set()
        self.collect(users)

    def open_notes(self):
        """How many notifications of the world have not ended."""
        status, _, answer = self.admin.call("GET", "/v1/notifications?open=true&limit=100")
        if status != 200:
            return 1
        with self.lock:
            return sum(note["id"] in self.ids for note in answer["data"])

    def collect(self, users):
        """Asks for the reasons, the inboxes and the conversations."""
        for note in sorted(self.ids):
            status, _, why = self.admin.call("GET", f"/v1/why/{note}")
            if status != 200 or not why["notifications"]:
                self.recorder.add("why_said", "admin", id=note, state="missing")
                continue
            found = why["notifications"][0]["notification"]
            steps = [step["reason"] for step in why["notifications"][0]["steps"]]
            changes = [step["reason"] for step in why["notifications"][0]["steps"] if step["from"] != step["to"]]
            self.recorder.add("why_said", "admin", id=note, user=found["user_id"] or "", state=found["state"],
                              reason=found["outcome"] or (changes[-1] if changes else ""), reasons=steps, text=found["text"],
                              version=found["version"])
        for user in users:
            self.list_inbox(user)
        for session in self.live:
            self.read_history(session)
        self.key_sender.count_records()

    def list_inbox(self, user):
        caller = Caller(self.daemon, self.tokens["user", user])
        before = ""
        while True:
            status, _, page = caller.call("GET", f"/v1/inbox?limit=100{before}")
            assert status == 200, status
            for item in page["data"]:
                self.recorder.add("listed", user, user=user, id=item["id"], text=item["text"], state=item["state"],
                                  unread=not item["seen_at"])
            if not page["has_more"]:
                return
            before = f"&before={page['next']}"

    def read_history(self, session):
        marks, node = [], ""
        while True:
            status, _, page = self.admin.call("GET", path_of(session, f"/history{node}"))
            if status != 200:
                return
            part = []
            for one in page["data"]:
                told = sorted(one["messages"] + one["system_messages"], key=lambda entry: entry["ordinal"])
                part += [found for entry in told for found in self.marks_of(entry.get("content", ""))]
            marks = part + marks
            if not page["has_more"]:
                break
            node = f"?node={page['next']}"
        self.recorder.add("history_read", "admin", session=session, marks=marks)

    @staticmethod
    def marks_of(text):
        return re.findall(r"#[a-z]\d+#", text)


def play(seed, arguments):
    """Runs one seed and judges it; returns whether every promise was kept."""
    world = World(seed, arguments.seconds, arguments.kills if arguments.kills >= 0 else max(1, int(arguments.seconds // 10)),
                  arguments.steps if arguments.steps >= 0 else (2 if seed % 3 == 0 else 0))
    path = os.path.join(arguments.keep or world.folder, f"world-{seed}.jsonl")
    try:
        world.run()
        world.recorder.write(path)
    finally:
        world.ended.set()
        world.stopping.set()
        world.daemon.close()
    done = subprocess.run([arguments.observe, path], check=False)
    if done.returncode == 0 or arguments.keep:
        shutil.rmtree(world.folder, ignore_errors=True)
    else:
        print(f"recorded observations: {path}")
    print(f"seed {seed}: {len(world.recorder.lines)} observations, {len(world.ids)} notifications, exit {done.returncode}",
          flush=True)
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--observe", default=os.path.join(os.path.dirname(__file__), "../../build-test/observe"))
    parser.add_argument("--seconds", type=float, default=10, help="length of the busy part of a seed (default 10)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", default="", help="several seeds, comma separated")
    parser.add_argument("--until", type=float, default=0, help="further seeds until so many seconds have passed")
    parser.add_argument("--kills", type=int, default=-1, help="kill -9 in a seed (default: one each 10 s, at least one)")
    parser.add_argument("--steps", type=int, default=-1, help="steps of the clock in a seed (default: 2 in every third seed)")
    parser.add_argument("--stop", action="store_true", help="stop after the first seed with a violation")
    parser.add_argument("--keep", default="", help="folder for the recorded observations")
    arguments = parser.parse_args()
    if arguments.keep:
        os.makedirs(arguments.keep, exist_ok=True)
    seeds = [int(seed) for seed in arguments.seeds.split(",")] if arguments.seeds else [arguments.seed]
    began = time.monotonic()
    kept = True
    while seeds:
        seed = seeds.pop(0)
        kept = play(seed, arguments) and kept
        if arguments.stop and not kept:
            break
        if not seeds and time.monotonic() - began < arguments.until:
            seeds.append(seed + 1)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
