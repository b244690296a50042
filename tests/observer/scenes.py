"""Scenes: short plays of the audits, each in a session of its own and at random times."""

from parties import Emitter, Party
from runtimes import Agent


class Scenes(Party):
    """Plays one scene after another for a user, with two runtimes that share a token or have two."""

    def __init__(self, world, name, token, token_name, other, user):
        super().__init__(world, name, token)
        self.user = user
        self.first = Agent(self, f"{name}-r1", token_name, user, True)
        self.emitter = Emitter(world, f"{name}-emitter", world.tokens["emitter"])
        self.second_party = Party(world, f"{name}-second", other or token)
        self.second = Agent(self.second_party, f"{name}-r2", f"{name}-other" if other else token_name, user, True)

    def act(self):
        scene = self.random.choice([self.zombie, self.zombie, self.tool, self.tool, self.guess, self.doomed, self.newcomer,
                                    self.many_facts, self.untold])
        session = self.world.make_session(self.user, "scene")
        if session:
            scene(session)
        self.pause(0.05, 0.3)

    def given(self, agent, session, lease_s, code="sua", **more):
        """Emits a matter for the session and has it pulled; returns the pull and the item."""
        answer = self.emitter.emit(self.user, code, session=session, ttl_s=more.pop("ttl_s", 30), **more)
        pull = agent.pull(session, lease_s=lease_s)
        items = [item for item in pull.get("items", []) if item["id"] == answer.get("id")]
        return pull, items[0] if items else None

    def zombie(self, session):
        """R1 lets its lease run out, R2 takes over, R1 reports."""
        code = self.random.choice(["sua", "sua", "saa"])
        pull, item = self.given(self.first, session, 1, code)
        if not item:
            return
        self.world.stopping.wait(1.2)
        taken = self.second.pull(session, lease_s=20)
        now = next((one for one in taken.get("items", []) if one["id"] == item["id"]), None)
        if not now:
            return
        named = pull["pull_id"] if self.random.random() < 0.5 else ""
        way = self.random.choice(["end", "end_with", "heartbeat", "acknowledge", "narrate"])
        if way == "end":
            self.first.end(session, pull_id=named)
        elif way == "end_with":
            self.first.end(session, pull_id=named, acknowledged=[item], leases=self.random.random() < 0.3)
        elif way == "heartbeat":
            self.first.heartbeat(session, pull_id=named, lease_s=20)
        elif way == "acknowledge":
            self.first.acknowledge(session, [item])
        else:
            self.first.narrate(session, item)
        if code == "saa":
            self.second.tool(session, now, pull_id=taken["pull_id"])
            self.second.end(session, pull_id=taken["pull_id"], acknowledged=[now])
        else:
            self.second.narrate(session, now)
            self.second.end(session, pull_id=taken["pull_id"])

    def tool(self, session):
        """An internal turn with a tool before or after the acknowledgement, or without one."""
        pull, item = self.given(self.first, session, 20, self.random.choice(["saa", "uaa"]))
        if not item:
            return
        order = self.random.choice(["tool ack", "ack tool", "tool", "tool done ack", "look ack", "look", "reported"])
        named = pull["pull_id"]
        tool = None
        for step in order.split():
            if step == "tool":
                tool = self.first.tool(session, item, pull_id=named)
            elif step == "done" and tool:
                self.first.report_tool(session, item, tool, True, "success", named)
            elif step == "look":
                self.first.tool(session, item, external=False, pull_id=named)
            elif step == "reported":
                self.first.tool(session, item, status="success", pull_id=named)
            elif step == "ack" and order != "tool ack":
                self.first.acknowledge(session, [item])
        self.first.end(session, pull_id=named, acknowledged=[item] if order == "tool ack" else [])

    def guess(self, session):
        """An emitter updates a held notification with a lease that it guessed."""
        key = f"guess-{session}"
        pull, item = self.given(self.first, session, 20, "sua", key=key)
        if not item:
            return
        self.emitter.emit(self.user, "sua", session=session, key=key, lease=self.random.choice([None, 1, 1, 2]), ttl_s=3)
        self.first.pull(session, point="after_tool", lease_s=20, named=pull["pull_id"])
        self.first.narrate(session, item)
        self.first.end(session)

    def doomed(self, session):
        """The session is deleted while its agent holds something."""
        _, item = self.given(self.first, session, 60, "sua")
        if item:
            self.world.delete_session(session, self.user, replace=False)

    def newcomer(self, session):
        """A session that was made after its user was shown things."""
        pull = self.first.pull(session, lease_s=5)
        self.first.end(session, pull_id=pull.get("pull_id") or "")

    def many_facts(self, session):
        """More facts than a turn has room for."""
        self.first.start(session)
        for _ in range(self.random.choice([3, 25])):
            self.emitter.emit(self.user, "sus", session=session)
        self.world.stopping.wait(self.random.choice([0.0, 0.5, 1.5]))
        for _ in range(4):
            pull = self.first.pull(session, lease_s=5, budget=self.random.choice([0, 60, 400]))
            self.first.end(session, pull_id=pull.get("pull_id") or "")

    def untold(self, session):
        """A model acknowledges everything and tells nothing."""
        pull, item = self.given(self.first, session, 20, self.random.choice(["sua", "uua"]))
        if not item:
            return
        if self.random.random() < 0.5:
            self.first.acknowledge(session, [item])
        self.first.end(session, pull_id=pull["pull_id"], acknowledged=[item])
