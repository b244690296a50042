"""Subscriber files of the random world, and scenes in which their context must reach the agent."""

import os
import time

from parties import Party
from runtimes import Agent

# A template that renders nothing that a reader sees, in three ways. The fallback content must take its place.
BLANK_TEMPLATES = {"spaces": "{% if event.payload.bad %}x: 1{% endif %} \n  \n", "comment": "# nothing to say\n",
                   "between": "{# a #} {# b #}"}
WINDOW_MS = 300
FULL_SIZE = 3


def files_of_subscribers():
    """(id, type, priority, max_size, further lines by table) of every subscriber of the world."""
    found = [(f"blank_{name}", f"blank.{name}", "normal", 10,
              {"batching": "window_ms = 0", "output": f'template = "templates/blank_{name}.toon.j2"'})
             for name in BLANK_TEMPLATES]
    found.append(("plain", "plain.failed", "normal", 10, {}))
    # The window ends long before the turn does, and the injection point is not the end of the turn.
    found.append(("low_early", "low.early", "low", 100,
                  {"batching": f"window_ms = {WINDOW_MS}\nmax_size = 100", "output": 'inject_at = "turn_start"'}))
    found.append(("low_full", "low.full", "low", FULL_SIZE,
                  {"batching": f"window_ms = {WINDOW_MS}\nmax_size = {FULL_SIZE}", "output": 'inject_at = "turn_end"'}))
    return found


def write_subscribers(folder):
    """Writes the files and returns what the world records of them."""
    os.makedirs(os.path.join(folder, "templates"))
    for name, text in BLANK_TEMPLATES.items():
        with open(os.path.join(folder, "templates", f"blank_{name}.toon.j2"), "w", encoding="utf-8") as file:
            file.write(text)
    made = []
    for name, kind, priority, size, tables in files_of_subscribers():
        with open(os.path.join(folder, f"{name}.toml"), "w", encoding="utf-8") as file:
            file.write(f'[subscriber]\nid = "{name}"\nname = "{name}"\ndescription = "Of the world."\nversion = "1.0.0"\n'
                       f'[events]\ntypes = ["{kind}"]\n')
            if "batching" in tables:
                file.write(f"[batching]\n{tables['batching']}\n")
            file.write(f'[output]\npriority = "{priority}"\n{tables.get("output", "")}\n')
        made.append({"subscriber": name, "type": kind, "priority": priority, "max_size": size})
    return made


class EventSource:
    """Emits events for subscribers, with a key, until Belfry answers."""

    TRIES = 4

    def __init__(self, party, caller):
        self.party = party
        self.recorder = party.recorder
        self.caller = caller

    def emit(self, kind, user, session, expect="agent"):
        """One event whose payload holds a mark of its own; returns the mark."""
        mark = self.recorder.mark("m")
        body = {"type": kind, "source": "world", "severity": "warning", "user_id": user, "session_id": session,
                "payload": {"branch": "main", "job": mark}}
        key = f"context-{mark[1:-1]}"
        for _ in range(self.TRIES):
            began = self.recorder.tick()
            status, reason, answer = self.caller.call("POST", "/v1/events", body, **{"Idempotency-Key": key})
            self.recorder.add("event_emitted", self.party.name, began, caller=self.party.name, role="emitter", type=kind,
                              source="world", severity="warning", user=user, session=session, mark=mark, expect=expect,
                              idempotency_key=key, answer={"status": status, "reason": reason}, id=answer.get("id", ""))
            if status and status < 500:
                break
            time.sleep(0.1)
        return mark


class ContextScenes(Party):
    """Plays scenes with context in sessions of its own: blank templates, two failures, low context."""

    def __init__(self, world, name, token, token_name, user):
        super().__init__(world, name, world.tokens["emitter"])
        self.user = user
        self.source = EventSource(self, self.caller)
        self.runtime = Party(world, f"{name}-runtime", token)
        self.agent = Agent(self.runtime, f"{name}-r1", token_name, user, True)

    def act(self):
        scene = self.random.choice([self.blank, self.two_failures, self.low, self.low, self.idle_low, self.unpulled_low])
        session = self.world.make_session(self.user, "context")
        if session:
            scene(session)
        self.pause(0.1, 0.6)

    def begin(self, session):
        """Starts a turn; returns the id of its pull, or None where an answer was lost."""
        self.agent.start(session)
        return self.agent.pull(session, lease_s=20).get("pull_id")

    def blank(self, session):
        """The templates of these events render nothing."""
        for name in BLANK_TEMPLATES:
            self.source.emit(f"blank.{name}", self.user, session)
        pull = self.begin(session)
        if pull:
            self.agent.end(session, pull_id=pull)

    def two_failures(self, session):
        """Failures of one type and one source within the window of a batch."""
        for _ in range(self.random.choice([2, 3])):
            self.source.emit("plain.failed", self.user, session)
        pull = self.begin(session)
        if pull:
            self.agent.end(session, pull_id=pull)

    def emit_low(self, session):
        kind = self.random.choice(["low.early", "low.early", "low.full"])
        for _ in range(self.random.choice([1, 2] if kind == "low.early" else [1, 3, 4, 7])):
            self.source.emit(kind, self.user, session)

    def low(self, session):
        """Low context in a turn that lasts longer than the window."""
        last = self.begin(session)
        for _ in range(self.random.choice([1, 2, 3])):
            self.emit_low(session)
            self.world.stopping.wait(self.random.choice([0.0, WINDOW_MS / 1000 + 0.2]))
            if self.random.random() < 0.5:
                last = self.agent.pull(session, point="after_tool", lease_s=20, named=last or "").get("pull_id") or last
        last = self.agent.pull(session, point="turn_end", lease_s=20, named=last or "").get("pull_id") or last
        if last:
            self.agent.end(session, pull_id=last)

    def idle_low(self, session):
        """Low context that comes before the turn waits for its end."""
        self.emit_low(session)
        self.world.stopping.wait(self.random.choice([0.0, WINDOW_MS / 1000 + 0.2]))
        last = self.begin(session)
        last = self.agent.pull(session, point="turn_end", lease_s=20, named=last or "").get("pull_id") or last
        if last:
            self.agent.end(session, pull_id=last)

    def unpulled_low(self, session):
        """A turn that ends without a pull at its end: the context comes with the next turn."""
        last = self.begin(session)
        self.emit_low(session)
        if not last:
            return
        self.agent.end(session, pull_id=last)
        last = self.begin(session)
        if last:
            self.agent.end(session, pull_id=last)


class LateLow(ContextScenes):
    """Low context in a turn that does not end, while the clock passes ten minutes. Belongs to the end of a world."""

    WATCHDOG_S = 13

    def prepare(self):
        self.session = self.world.make_session(self.user, "late")
        self.pull = self.begin(self.session) if self.session else None
        if self.pull:
            for kind in ("low.early", "low.full"):
                self.source.emit(kind, self.user, self.session)

    def run(self):
        """After the step of the clock: the next injection point returns the context."""
        if not self.pull:
            return
        time.sleep(self.WATCHDOG_S)
        pulled = self.agent.pull(self.session, point="after_tool", lease_s=20, named=self.pull)
        self.agent.end(self.session, pull_id=pulled.get("pull_id") or self.pull)
