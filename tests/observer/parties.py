"""The parties of the random world: emitters, interfaces of users, runtimes of agents, followers."""

import json
import random
import re
import select
import threading
import time

from recorder import Caller, code_of, routing_of
from readers import Sse, WebSocket

TTL_S = (2, 3)
LEASE_S = (1, 2)
FACT_LABELS = (("[SHOWN, escalated]", "shown_escalated"), ("[SHOWN", "shown"), ("[SEEN", "seen"))


class Party(threading.Thread):
    """A thread of its own that acts until the world says stop."""

    def __init__(self, world, name, token):
        super().__init__(daemon=True, name=name)
        self.world = world
        self.recorder = world.recorder
        self.random = random.Random(f"{world.seed}:{name}")
        self.caller = Caller(world.daemon, token)
        self.error = None

    def run(self):
        try:
            while not self.world.stopping.is_set():
                self.act()
        except Exception as error:  # a mistake of the world itself must end it
            self.error = error
            raise

    def pause(self, least, most):
        self.world.stopping.wait(self.random.uniform(least, most))


class Emitter(Party):
    """Emits notifications of every routing, updates by key, events; retries with an idempotency key."""

    def __init__(self, world, name, token, role="emitter"):
        super().__init__(world, name, token)
        self.role = role
        self.keys = {}
        self.last_mark = ""

    def act(self):
        choice = self.random.random()
        if choice < 0.06:
            self.emit_event()
        elif choice < 0.22:
            self.update_by_key()
        elif choice < 0.32 and self.world.agents:
            self.emit_to_agent()
        else:
            self.emit_any()
        self.pause(0.01, 0.15)

    def emit_any(self):
        user = self.random.choice(self.world.users)
        code = self.random.choice(["uus", "sus", "uua", "uua", "sua", "uas", "sas", "saa", "uaa", "uaa"])
        session = self.world.any_session(user, self.random) if code[0] == "s" or self.random.random() < 0.2 else ""
        self.emit(user, code, session=session, idempotent=self.random.random() < 0.3)

    def update_by_key(self):
        user = self.random.choice(self.world.users)
        code = self.random.choice(["uus", "uua", "uaa", "uas"])
        key = f"{code}-{self.random.randrange(3)}"
        lease = self.random.choice([None, None, 1, 2])
        self.emit(user, code, key=key, lease=lease)

    def emit_to_agent(self):
        agent, user = self.random.choice(self.world.agents)
        code = self.random.choice(["uua", "uaa", "sua", "saa"] if agent != "coder" else ["uua", "uaa"])
        self.emit(user, code, agent=agent, ttl_s=40, session=f"{agent}-talk" if code[0] == "s" else "")

    def emit(self, user, code, session="", agent="", key="", lease=None, idempotent=False, ttl_s=None, caused_by=""):
        mark = self.last_mark = self.recorder.mark("m")
        body = {"user_id": user, "text": f"{mark} {code} for {user}", "routing": routing_of(code),
                "priority": self.random.choice(["normal", "normal", "high", "critical", "low"])}
        ttl_s = ttl_s or (30 if code[1:] == "as" else self.random.choice(TTL_S))
        body["ttl_s"] = ttl_s
        if session:
            body["session_id"] = session
        for name, value in (("agent_id", agent), ("deduplication_key", key), ("caused_by", caused_by)):
            if value:
                body[name] = value
        if lease:
            body["lease"] = lease
        headers = {"Idempotency-Key": f"key-{mark[1:-1]}"} if idempotent else {}
        tries = self.random.choice([1, 2, 2]) if idempotent else 1
        for _ in range(6):
            began = self.recorder.tick()
            status, reason, answer = self.caller.call("POST", "/v1/notifications", body, **headers)
            self.recorder.add("emitted", self.name, began, caller=self.name, role=self.role, user=user, session=session,
                              agent=agent, routing=code, mark=mark, text=body["text"], priority=body["priority"],
                              deduplication_key=key, lease=lease, idempotency_key=headers.get("Idempotency-Key", ""),
                              caused_by=caused_by, ttl_ms=ttl_s * 1000, answer={"status": status, "reason": reason},
                              id=answer.get("id", ""), version=answer.get("version", 0))
            if answer.get("id"):
                self.world.know(answer["id"])
                tries -= 1
            if not idempotent or tries <= 0 or 400 <= status < 500:
                break
        return answer

    def emit_event(self):
        user = self.random.choice(self.world.users)
        mark = self.recorder.mark("m")
        # The mark stands early in the text, because facts may be cut where a budget is small.
        body = {"type": "w.f", "source": mark, "severity": "error", "user_id": user, "payload": {"what": "failed"}}
        headers = {"Idempotency-Key": f"event-{mark[1:-1]}"}
        for _ in range(3):
            began = self.recorder.tick()
            status, reason, answer = self.caller.call("POST", "/v1/events", body, **headers)
            self.recorder.add("event_emitted", self.name, began, caller=self.name, role=self.role, type=body["type"],
                              source=body["source"], severity="error", user=user, mark=mark, expect="inbox",
                              idempotency_key=headers["Idempotency-Key"], answer={"status": status, "reason": reason},
                              id=answer.get("id", ""))
            if status:
                break


class Interface(Party):
    """A device of a user that comes and goes, with or without acknowledgements."""

    LIVES = (0.0, 0.002, 0.01, 0.05, 0.3, 1.0, 2.5, 6.0)

    def __init__(self, world, name, token, user, steady=False, lives=LIVES):
        super().__init__(world, name, token)
        self.user = user
        self.lives = lives  # seconds that a connection may last
        self.steady = steady  # stays and acknowledges everything
        self.connection = ""
        self.pending = {}  # acknowledgements of this WebSocket without an answer: id → [(began, lease, version)]

    def act(self):
        self.connection = f"{self.name}-{self.recorder.unique(self.name)}"
        kind = self.random.choice([Sse, WebSocket])
        began = self.recorder.tick()
        try:
            link = kind(self.world.daemon, "/v1/inbox/live", self.caller.token)
        except (OSError, AttributeError, ValueError, AssertionError):
            time.sleep(0.05)
            return
        self.recorder.add("connected", self.name, began, connection=self.connection, user=self.user,
                          transport=kind.__name__.lower(), answer={"status": link.status})
        life = 1e9 if self.steady else self.random.choice(self.lives)
        acks = 1.0 if self.steady else self.random.choice([0.0, 0.0, 0.3, 1.0])
        by_daemon = False
        try:
            if link.status in (101, 200):
                by_daemon = self.read(link, time.monotonic() + life, acks)
        finally:
            link.close()
            for note, waiting in self.pending.items():
                for start, lease, version in waiting:
                    self.record_ack(start, note, lease, version, 0, "", self.connection)
            self.pending = {}
            self.recorder.add("disconnected", self.name, connection=self.connection, by_daemon=by_daemon)
        if not self.steady:
            self.pause(0.0, 0.6)

    def read(self, link, end, acks):
        """Reads frames until the time is over. True: the daemon ended it."""
        stop = self.world.ended if self.steady else self.world.stopping
        try:
            while time.monotonic() < end and not stop.is_set():
                if not link.stream.buffer and not select.select([link.socket], [], [], 0.02)[0]:
                    continue
                message = link.message(20) if isinstance(link, WebSocket) else self.data_of(link.frame(20))
                if message is None:
                    return True
                self.see(link, message, acks)
        except (OSError, ValueError, AssertionError, TypeError):
            return True
        return False

    @staticmethod
    def data_of(frame):
        return None if frame is None else frame.data or {"type": "beat"}

    def see(self, link, message, acks):
        kind = message.get("type")
        if kind == "notification":
            self.see_notification(link, message, acks)
        elif kind == "caught_up":
            self.recorder.add("caught_up", self.name, connection=self.connection, waiting=message["waiting"])
        elif kind == "notification_state":
            self.recorder.add("state_shown", self.name, connection=self.connection, id=message["id"], state=message["state"])
        elif kind == "ack_result" and self.pending.get(message["id"]):
            start, lease, version = self.pending[message["id"]].pop(0)  # answers come in the order of the questions
            status = 200 if message["status"] == "delivered" else 409
            self.record_ack(start, message["id"], lease, version, status, message["status"], self.connection)

    def see_notification(self, link, message, acks):
        lease, version = message.get("owner_lease", 0), message.get("version", 0)
        narration = message.get("narrated") is True or message.get("narration") is True
        self.world.know(message["id"])
        self.recorder.add("shown", self.name, connection=self.connection, user=self.user, id=message["id"], lease=lease,
                          version=version, session=message.get("session_id") or "",
                          channel=message.get("channel") or ("conversation" if message.get("session_id") else "inbox"),
                          routing=code_of(message["routing"]) if "routing" in message else "uua", narration=narration,
                          text=message["text"], content=message.get("content") or "", state=message.get("state") or "",
                          created_at=message.get("timestamp") or "")
        if not version or self.random.random() >= acks:
            return
        if isinstance(link, WebSocket):
            self.pending.setdefault(message["id"], []).append((self.recorder.tick(), lease, version))
            link.say({"type": "ack", "id": message["id"], "lease": lease, "version": version, "how": "rendered"})
        else:
            began = self.recorder.tick()
            status, reason, _ = self.caller.call("POST", f"/v1/notifications/{message['id']}/ack",
                                                 {"lease": lease, "version": version})
            self.record_ack(began, message["id"], lease, version, status, reason, self.connection)

    def record_ack(self, began, note, lease, version, status, reason, connection):
        self.recorder.add("acked", self.name, began, connection=connection, user=self.user, id=note, lease=lease,
                          version=version, answer={"status": status, "reason": reason})


class Follower(Party):
    """Follows the stream agent:<user> from the beginning."""

    def __init__(self, world, name, token, user):
        super().__init__(world, name, token)
        self.user = user

    def act(self):
        follower = f"{self.name}-{self.recorder.unique(self.name)}"
        began = self.recorder.tick()
        try:
            link = Sse(self.world.daemon, f"/v1/streams/agent:{self.user}", self.caller.token)
        except (OSError, AttributeError, ValueError):
            time.sleep(0.05)
            return
        self.recorder.add("followed_agent", self.name, began, follower=follower, user=self.user,
                          answer={"status": link.status})
        try:
            while link.status == 200 and not self.world.ended.is_set():
                if not link.stream.buffer and not select.select([link.socket], [], [], 0.05)[0]:
                    continue
                frame = link.frame(20)
                if frame is None:
                    break
                event = (frame.data or {}).get("event") or {}
                if event.get("type") == "turn_requested":
                    self.recorder.add("turn_requested", self.name, follower=follower, user=self.user,
                                      session=event.get("session_id") or "", agent=event.get("agent_id") or "",
                                      id=event["id"], reason=event.get("reason") or "")
        except (OSError, ValueError, AssertionError):
            pass
        finally:
            link.close()
            self.recorder.add("unfollowed", self.name, follower=follower)
        self.pause(0.05, 0.1)

    def run(self):
        while not self.world.ended.is_set():
            self.act()


class Talker(Party):
    """The user says something to the agents."""

    def __init__(self, world, name, token, user):
        super().__init__(world, name, token)
        self.user = user

    def act(self):
        self.pause(0.2, 0.8)
        session = self.world.any_session(self.user, self.random)
        if self.random.random() < 0.3:
            self.ring()
        mark = self.recorder.mark("u")
        body = {"role": "user", "content": f"{mark} says {self.user}", "deliver": True}
        began = self.recorder.tick()
        status, reason, answer = self.caller.call("POST", f"/v1/sessions/{session}/messages", body)
        self.recorder.add("message_posted", self.name, began, caller=self.name, user=self.user, session=session, role="user",
                          mark=mark, text=body["content"], answer={"status": status, "reason": reason},
                          id=answer.get("id", ""))


    def ring(self):
        """POST /v1/notify, once more under the same key."""
        mark = self.recorder.mark("m")
        text = f"{mark} rings for {self.user}"
        for _ in range(2):
            began = self.recorder.tick()
            status, reason, answer = self.caller.call("POST", "/v1/notify/kitchen", text,
                                                      **{"Idempotency-Key": f"ring-{mark[1:-1]}", "Content-Type": "text/plain"})
            self.recorder.add("emitted", self.name, began, caller=self.name, role="user", user=self.user, routing="uus",
                              mark=mark, text=text, idempotency_key=f"ring-{mark[1:-1]}",
                              answer={"status": status, "reason": reason}, id=answer.get("id", ""),
                              version=answer.get("version", 0))
            if answer.get("id"):
                self.world.know(answer["id"])


def facts_of(lines):
    """The facts of a pull, with the status that the label of each line gives."""
    found = []
    for line in lines:
        text = line if isinstance(line, str) else line.get("text", "")
        status = next((status for label, status in FACT_LABELS if text.startswith(label)), "seen")
        found.append({"status": status, "text": text})
    return found


def left_of(text):
    """The number in the line "… and 12 more, told in later turns"."""
    found = re.search(r"and (\d+) more\b", text)
    return int(found.group(1)) if found else 0
