"""Runtimes of agents in the random world: good, silent, dying, late, and two for one session."""

import re
import time
import urllib.parse

from parties import LEASE_S, Emitter, Party, facts_of, left_of


def told_by_prompt(text, handle):
    """Whether the head of an item in the prompt says that the user must be told; None where the item has no such head."""
    found = re.search(rf"^\[{re.escape(handle)} [^\]]*\]", text, re.MULTILINE)
    return "tell the user" in found.group(0) if found else None


def path_of(session, tail=""):
    """The route of a session; a session id may have any sign."""
    return f"/v1/sessions/{urllib.parse.quote(session, safe='')}{tail}"


class Agent:
    """The calls of one runtime, each recorded. `names`: it names pulls and leases; else it names nothing where it can."""

    def __init__(self, party, runtime, token_name, user, names):
        self.party = party
        self.recorder = party.recorder
        self.runtime = runtime
        self.token_name = token_name
        self.user = user
        self.names = names

    def call(self, path, body):
        began = self.recorder.tick()
        status, reason, answer = self.party.caller.call("POST", path, body)
        return began, {"status": status, "reason": reason}, answer

    def start(self, session):
        began, answer, _ = self.call(path_of(session, "/turns"), {"event": "start"})
        self.recorder.add("turn_started", self.runtime, began, runtime=self.runtime, token=self.token_name, session=session,
                          answer=answer)

    def pull(self, session, point="turn_start", lease_s=2, budget=0, used=True, named=""):
        """Returns the answer, empty where there was none."""
        body = {"point": point, "lease_s": lease_s}
        if budget:
            body["budget_tokens"] = budget
        if named:
            body["pull_id"] = named
        began, answer, got = self.call(path_of(session, "/pull"), body)
        items = [{"handle": item["handle"], "id": item["id"], "lease": item["lease"], "version": item["version"],
                  "again": item["again"], "needs_answer": item["needs_answer"], "must_tell": item.get("must_tell"),
                  "text": item["text"], "content": item["content"],
                  "prompt_must_tell": told_by_prompt(got["text"], item["handle"]) if item["needs_answer"] else None, "stands_for": item.get("stands_for", [])}
                 for item in got.get("items", [])]
        for item in items:
            self.party.world.know(item["id"])
        self.recorder.add("pulled", self.runtime, began, runtime=self.runtime, token=self.token_name, user=self.user,
                          session=session, point=point, budget_tokens=budget, lease_ms=lease_s * 1000, named_pull=named,
                          answer=answer, pull_id=got.get("pull_id") or "", items=items, seen=facts_of(got.get("seen", [])),
                          facts_left=left_of(got.get("text", "")), digest=got.get("digest", ""),
                          user_messages=[{"id": one["id"], "text": one["content"]} for one in got.get("user_messages", [])],
                          waiting=got.get("waiting", 0), prompt=got.get("text", ""), used=used)
        return got

    def narrate(self, session, item, lease=None, pull_id=""):
        mark = self.recorder.mark("s")
        body = {"text": f"{mark} says {self.runtime}"}
        if pull_id:
            body["pull_id"] = pull_id
        else:
            body["lease"] = lease or item["lease"]
        began, answer, _ = self.call(f"/v1/notifications/{item['handle']}/narrate?session={session}", body)
        self.recorder.add("narrated", self.runtime, began, runtime=self.runtime, token=self.token_name, session=session,
                          item={"id": item["id"], "lease": body.get("lease")}, pull_id=pull_id, mark=mark, text=body["text"],
                          answer=answer)
        return answer["status"]

    def acknowledge(self, session, items):
        names = [{"id": item["id"], "lease": item["lease"]} for item in items]
        body = {"items": [{"id": item["handle"], "lease": item["lease"]} for item in items]}
        began, answer, got = self.call(path_of(session, "/acknowledge"), body)
        self.recorder.add("acknowledged", self.runtime, began, runtime=self.runtime, token=self.token_name, session=session,
                          items=names, answer=answer, untold=[str(one) for one in got.get("untold", [])])
        return answer["status"]

    def end(self, session, pull_id="", acknowledged=(), leases=True):
        body = {"event": "end", "reason": "answered"}
        if pull_id:
            body["pull_id"] = pull_id
        if acknowledged:
            body["acknowledged"] = [{"id": item["handle"], "lease": item["lease"]} if leases else item["handle"]
                                    for item in acknowledged]
        began, answer, got = self.call(path_of(session, "/turns"), body)
        names = [{"id": item["id"], "lease": item["lease"] if leases else None} for item in acknowledged]
        self.recorder.add("turn_ended", self.runtime, began, runtime=self.runtime, token=self.token_name, session=session,
                          pull_id=pull_id, acknowledged=names, answer=answer,
                          untold=[str(one) for one in got.get("untold", [])],
                          stale=[str(one) for one in got.get("stale", [])])
        return answer["status"]

    def heartbeat(self, session, pull_id="", lease_s=2):
        body = {"lease_s": lease_s, **({"pull_id": pull_id} if pull_id else {})}
        began, answer, got = self.call(path_of(session, "/heartbeat"), body)
        self.recorder.add("heartbeat", self.runtime, began, runtime=self.runtime, token=self.token_name, session=session,
                          pull_id=pull_id, answer=answer, renewed=got.get("renewed", 0))

    def tool(self, session, item, external=True, status="pending", pull_id=""):
        """Reports a call of a tool with a name of its own; returns the name."""
        tool = f"mail_{self.recorder.unique('mail')}" if external else self.party.world.internal_tool()
        self.report_tool(session, item, tool, external, status, pull_id)
        return tool

    def report_tool(self, session, item, tool, external, status, pull_id=""):
        body = {"status": status, "tool_name": tool, "call_id": tool, "arguments": {"for": tool}}
        if item:
            body["handling"] = item["handle"]
        if pull_id:
            body["pull_id"] = pull_id
        if status == "success":
            body["duration_ms"] = 1
        began, answer, _ = self.call(path_of(session, "/tool-calls"), body)
        self.recorder.add("tool_called", self.runtime, began, runtime=self.runtime, token=self.token_name, user=self.user,
                          session=session, tool=tool, external=external, status=status,
                          handling=[{"id": item["id"]}] if item else [], pull_id=pull_id, answer=answer)
        return answer["status"]

    def post(self, session):
        mark = self.recorder.mark("s")
        body = {"role": "assistant", "content": f"{mark} says {self.runtime}"}
        began, answer, got = self.call(path_of(session, "/messages"), body)
        self.recorder.add("message_posted", self.runtime, began, caller=self.token_name, user=self.user, session=session,
                          role="assistant", mark=mark, text=body["content"], answer=answer, id=got.get("id", ""))


class Runtime(Party):
    """Runs turns in the sessions of a user in a way that changes from turn to turn."""

    def __init__(self, world, name, token, token_name, user, sessions, names):
        super().__init__(world, name, token)
        self.agent = Agent(self, name, token_name, user, names)
        self.user = user
        self.sessions = sessions  # which of the user's sessions: indexes
        self.names = names

    def act(self):
        session = self.world.session(self.user, self.random.choice(self.sessions))
        agent = self.agent
        if self.random.random() < 0.7:
            agent.start(session)
        loses = self.names and self.random.random() < 0.1
        lease_s = self.random.choice(LEASE_S)
        budget = self.random.choice([0, 0, 0, 120, 300])
        pull = agent.pull(session, lease_s=lease_s, budget=budget, used=not loses)
        if not pull or loses:
            self.pause(0.0, 0.3)
            return
        way = self.random.choice(["good", "good", "silent", "acknowledge", "die", "late", "tools", "tools", "mixed"])
        getattr(self, way)(session, pull, lease_s)
        self.pause(0.02, 0.4)

    def finish(self, session, pull, acknowledged=()):
        """Ends the turn: with everything named, or in the short form."""
        named = pull["pull_id"] if self.names and pull["pull_id"] else ""
        self.agent.end(session, pull_id=named, acknowledged=acknowledged, leases=self.names)

    @staticmethod
    def matters(pull):
        return [item for item in pull["items"] if item["needs_answer"]]

    def good(self, session, pull, lease_s):
        done = []
        for item in self.matters(pull):
            if item.get("must_tell", True):
                self.agent.narrate(session, item)
            else:
                done.append(item)
        if self.random.random() < 0.3:
            self.agent.post(session)
        self.finish(session, pull, done)

    def silent(self, session, pull, lease_s):
        self.finish(session, pull)

    def acknowledge(self, session, pull, lease_s):
        items = self.matters(pull)
        if items and self.random.random() < 0.5:
            self.agent.acknowledge(session, items)
        self.finish(session, pull, items)

    def die(self, session, pull, lease_s):
        if self.random.random() < 0.3:
            self.agent.heartbeat(session, pull["pull_id"] if self.names else "", lease_s)

    def late(self, session, pull, lease_s):
        self.world.stopping.wait(lease_s + self.random.choice([-0.4, 0.1, 0.4]))
        for item in self.matters(pull):
            self.agent.narrate(session, item)
        if self.random.random() < 0.5:
            self.agent.heartbeat(session, pull["pull_id"] if self.names else "", lease_s)
        self.finish(session, pull, self.matters(pull))

    def tools(self, session, pull, lease_s):
        items = self.matters(pull)
        before = self.random.random() < 0.5
        if items and before:
            self.agent.acknowledge(session, items[:1])
        for item in items[:2]:
            self.agent.tool(session, item, external=self.random.random() < 0.6,
                            status=self.random.choice(["pending", "pending", "success"]),
                            pull_id=pull["pull_id"] if self.names and pull["pull_id"] else "")
        self.finish(session, pull, items if self.random.random() < 0.6 else [])

    def mixed(self, session, pull, lease_s):
        items = self.matters(pull)
        done = []
        for item in items:
            choice = self.random.random()
            if choice < 0.4:
                self.agent.narrate(session, item)
            elif choice < 0.7:
                done.append(item)
        more = self.agent.pull(session, point="after_tool", lease_s=lease_s,
                               named=pull["pull_id"] if self.names and pull["pull_id"] else "")
        self.finish(session, more if more and more["pull_id"] else pull, done)


class ChainRuntime(Runtime):
    """Emits a further internal matter while it holds one, wherever it can."""

    def act(self):
        session = self.world.session(self.user, 0)
        pull = self.agent.pull(session, lease_s=5)
        items = self.matters(pull) if pull else []
        for item in items:
            if self.random.random() < 0.85:
                self.world.chain_emitter.emit(self.user, self.random.choice(["uaa", "uaa", "uua"]), ttl_s=10)
        if pull:
            self.agent.end(session, pull_id=pull["pull_id"] or "", acknowledged=items)
        self.pause(0.05, 0.15)


class ChainEmitter(Emitter):
    """Emits with the token of the chain's runtime; it has no acts of its own."""

    def act(self):
        self.pause(0.3, 0.6)
        self.emit("cyd", "uaa", ttl_s=10)


class Worker(Party):
    """Works on the wakes of one agent and has Belfry carry out an external tool."""

    def __init__(self, world, name, token, user, agent_id, session):
        super().__init__(world, name, token)
        self.agent = Agent(self, name, name, user, True)
        self.user = user
        self.agent_id = agent_id
        self.session = session

    def act(self):
        status, _, grant = self.caller.call("POST", "/v1/wakes/claim",
                                            {"agents": [self.agent_id], "wait_s": 1, "lease_s": 10, "holder": self.name})
        if status != 200:
            self.pause(0.05, 0.1)
            return
        wake = grant["wake"]
        pull = self.agent.pull(self.session, lease_s=5)
        items = [item for item in pull.get("items", []) if item["needs_answer"]]
        if items and self.random.random() < 0.8:
            # The tool is about what the wake is about, so it is used where the wake has one matter.
            tool = self.world.belfry_tool()
            if tool and len(items) == 1:
                began = self.recorder.tick()
                status, reason, _ = self.caller.call("POST", f"/v1/wakes/{wake['id']}/call",
                                                     {"fence": wake["fence"], "operation_id": f"op-{tool}",
                                                      "tool_name": tool, "arguments": {}})
                self.recorder.add("tool_called", self.name, began, runtime=self.name, token=self.name, user=self.user,
                                  session=self.session, tool=tool, external=True, status="pending", by_belfry=True,
                                  handling=[{"id": items[0]["id"]}], answer={"status": status, "reason": reason})
        if pull:
            self.agent.end(self.session, pull_id=pull["pull_id"] or "",
                           acknowledged=items if self.random.random() < 0.5 else [])
        self.caller.call("POST", f"/v1/wakes/{wake['id']}/end", {"fence": wake["fence"], "result": {}})


class ToolServer(Party):
    """Carries out the tools that Belfry hands out."""

    def act(self):
        names = self.world.belfry_tools
        status, _, call = self.caller.call("POST", "/v1/tool-calls/claim", {"tools": names[:100], "wait_s": 1, "lease_s": 10})
        if status == 200:
            self.caller.call("POST", f"/v1/tool-calls/{call['id']}/end", {"fence": call["fence"], "result": {"done": True}})
        else:
            self.pause(0.05, 0.1)


class Closer(Party):
    """Ends the world: a runtime that names everything and pulls until nothing is due."""

    def __init__(self, world, name, token, user):
        super().__init__(world, name, token)
        self.agent = Agent(self, name, name, user, True)

    def sweep(self, session):
        """One whole turn. True: it was given something."""
        self.agent.start(session)
        pull = self.agent.pull(session, lease_s=5)
        if not pull:
            return True
        items = [item for item in pull["items"] if item["needs_answer"] and item.get("must_tell") is False]
        status = self.agent.end(session, pull_id=pull["pull_id"] or "", acknowledged=items)
        time.sleep(0.01)
        return status not in (200, 201) or bool(pull["items"] or pull["seen"] or pull["user_messages"] or pull["waiting"])
