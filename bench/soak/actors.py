"""Who takes part in the soak: programs that emit, agents that take turns, a person who reads, runs with readers, words to agents.
Each remembers what it was promised, so that the end can be compared with it."""
import collections
import datetime
import http.client
import json
import re
import socket
import threading
import time

WORDS = ("disk full", "no route to host", "operation timed out", "permission denied", "checksum differs")


class Call:
    """One connection over which one caller asks; it is made anew where the server let go of it."""

    def __init__(self, server):
        self.server, self.link = server, None

    def ask(self, method, path, body=None, kind="application/json"):
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        if self.link is None:
            self.link = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=120)
        self.link.request(method, path, body=data,
                          headers={"Authorization": "Bearer " + self.server.token(), "Content-Type": kind})
        answer = self.link.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]}")
        return json.loads(text) if text else {}

    def stream(self, path):
        """The server-sent events of `path`, as (id, name, data)."""
        link = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        link.request("GET", path, headers={"Authorization": "Bearer " + self.server.token(), "Accept": "text/event-stream"})
        answer = link.getresponse()
        if answer.status != 200:
            raise RuntimeError(f"GET {path}: {answer.status} {answer.read()[:300]}")
        place = name = data = None
        try:
            for line in answer:
                word = line.rstrip(b"\n").decode()
                if word == "":
                    if data is not None:
                        yield place, name, json.loads(data)
                    name = data = None
                elif word.startswith("id: "):
                    place = word[4:]
                elif word.startswith("event: "):
                    name = word[7:]
                elif word.startswith("data: "):
                    data = word[6:]
        finally:
            link.close()


class Actor(threading.Thread):
    """Repeats `once` at its pace until it is told to stop. What goes wrong ends the soak."""

    def __init__(self, soak, pace):
        super().__init__(daemon=True)
        self.soak, self.pace, self.done, self.late = soak, pace, 0, 0.0
        self.call = Call(soak.server)

    def run(self):
        begin = time.monotonic()
        try:
            while not self.soak.stopping.is_set():
                self.once(self.done)
                self.done += 1
                wait = begin + self.done / self.pace - time.monotonic()
                if wait > 0:
                    self.soak.stopping.wait(wait)
                else:
                    self.late = max(self.late, -wait)
        except Exception as error:
            self.soak.fail(self, error)

    def once(self, number):
        raise NotImplementedError


class Producer(Actor):
    """Events in batches of a hundred: sixty that nobody wants, forty of tools that fail in one of the sessions."""

    BATCH = 100
    VARIANTS = 64

    def __init__(self, soak, name, events_per_second):
        super().__init__(soak, events_per_second / self.BATCH)
        self.bodies = [self.body(name, variant) for variant in range(self.VARIANTS)]
        self.taken = 0

    def body(self, name, variant):
        events = []
        for place in range(self.BATCH):
            if place % 5 < 3:
                events.append({"type": "metrics.sample", "source": f"{name}.host{place}", "severity": "info",
                               "payload": {"load": place / 7, "note": "x" * 240}})
            else:
                events.append({"type": "tool.call.failure", "source": "soak.tools", "severity": "error",
                               "session_id": self.soak.sessions[(variant * 7 + place) % len(self.soak.sessions)],
                               "payload": {"tool_name": f"tool{(place + variant) % 12}", "call_id": f"c{place}",
                                           "error_type": "io", "error_message": WORDS[place % len(WORDS)]}})
        return json.dumps(events).encode()

    def once(self, number):
        begin = time.monotonic()
        answer = self.call.ask("POST", "/v1/events", self.bodies[number % self.VARIANTS])
        self.soak.samples["batch of 100 events"].append(time.monotonic() - begin)
        if answer["refused"]:
            raise RuntimeError(f"events were refused: {str(answer)[:300]}")
        self.taken += self.BATCH


class Agent(Actor):
    """One turn after the other, each in the next session: pull, a tool call, pull, the end. It confirms what it got."""

    def __init__(self, soak, pace):
        super().__init__(soak, pace)
        self.words, self.items = collections.Counter(), 0

    def once(self, number):
        at = "/v1/sessions/" + self.soak.sessions[number % len(self.soak.sessions)]
        self.call.ask("POST", at + "/turns", {"event": "start"})
        last = self.pull(at, "turn_start", None)
        self.call.ask("POST", at + "/tool-calls", {"status": "success", "tool_name": "look", "call_id": f"t{number}",
                                                   "arguments": {"number": number}, "duration_ms": 3})
        last = self.pull(at, "after_tool", last)
        self.call.ask("POST", at + "/acknowledge", {"pull_id": last["pull_id"]})
        self.call.ask("POST", at + "/turns", {"event": "end", "reason": "answered", "tool_calls": 1, "tokens_used": 10,
                                              "context_tokens": 1000, "pull_id": last["pull_id"],
                                              "acknowledged": self.held})

    def pull(self, at, point, last):
        begin = time.monotonic()
        said = {"point": point, **({"acknowledge": last["pull_id"], "pull_id": last["pull_id"]} if last else {})}
        answer = self.call.ask("POST", at + "/pull", said)
        self.soak.samples["pull"].append(time.monotonic() - begin)
        if last is None:
            self.held = []
        self.held += [one["handle"] for one in answer["items"] if one.get("needs_answer")]
        self.words.update(one["id"] for one in answer["user_messages"])
        self.items += len(answer["items"])
        return answer


class Notifier(Actor):
    """Notifications for the person, two of three for the inbox, and for the person by way of an agent."""

    def __init__(self, soak, pace):
        super().__init__(soak, pace)
        self.sent = set()

    def once(self, number):
        session = self.soak.sessions[number % len(self.soak.sessions)]
        said = {"text": f"Backup {number} is done", "priority": "high", "user_id": self.soak.user}
        if number % 3 == 2:
            said |= {"session_id": session, "routing": {"address": "session", "target": "user", "handler": "agent"}}
        else:
            said |= {"routing": {"address": "user", "target": "user", "handler": "system"}}
        self.sent.add(self.call.ask("POST", "/v1/notifications", said)["id"])


class Person(threading.Thread):
    """Follows the inbox, acknowledges what is shown, and leaves and comes back every half a minute."""

    def __init__(self, soak):
        super().__init__(daemon=True)
        self.soak, self.shown, self.call = soak, collections.Counter(), Call(soak.server)

    def run(self):
        try:
            while not self.soak.ended.is_set():
                until = time.monotonic() + 30
                for _, _, entry in self.call.stream(f"/v1/inbox/live?user={self.soak.user}"):
                    if entry.get("type") == "notification":
                        self.show(entry)
                    if self.soak.ended.is_set() or time.monotonic() > until:
                        break
        except Exception as error:
            if not self.soak.ended.is_set():
                self.soak.fail(self, error)

    def show(self, entry):
        key = (entry["id"], entry["owner_lease"], entry["version"])
        self.shown[key] += 1
        try:
            self.call.ask("POST", f"/v1/notifications/{entry['id']}/ack",
                          {"lease": entry["owner_lease"], "version": entry["version"], "how": "rendered"})
        except RuntimeError as error:
            if " 409 " not in str(error):
                raise


class Runs(Actor):
    """A run after the other, each with a reader that must get all of it once and in order."""

    EVENTS = 500

    def __init__(self, soak, pace):
        super().__init__(soak, pace)
        self.read = 0

    def once(self, number):
        run = self.call.ask("POST", "/v1/runs", {"user_id": self.soak.user, "title": f"Soak {number}"})["id"]
        got = []
        reader = threading.Thread(target=self.follow, args=(run, got), daemon=True)
        reader.start()
        line = json.dumps({"event": "llm.stream", "data": {"message_id": "m", "delta": "word " * 8}}).encode()
        for _ in range(self.EVENTS // 50):
            begin = time.monotonic()
            self.call.ask("POST", f"/v1/runs/{run}/events", b"\n".join([line] * 50), "application/x-ndjson")
            self.soak.samples["50 events of a run"].append(time.monotonic() - begin)
        self.call.ask("POST", f"/v1/runs/{run}/finish", {"state": "completed"})
        reader.join(60)
        if got != list(range(1, len(got) + 1)) or len(got) < self.EVENTS:
            raise RuntimeError(f"run {run}: its reader got {len(got)} events, {got[:3]} … {got[-3:]}")
        self.read += len(got)

    def follow(self, run, got):
        for place, name, _ in self.call.stream(f"/v1/runs/{run}/events"):
            if name == "close":
                return
            got.append(int(place))


class Speaker(Actor):
    """A person's words to the agents, by JSON-RPC on the Unix socket; a new client every hundred, for each has a limit."""

    def __init__(self, soak, pace):
        super().__init__(soak, pace)
        self.sent, self.socket = [], None

    def once(self, number):
        if number % 90 == 0:
            if self.socket:
                self.socket.close()
            self.socket, self.buffer = socket.socket(socket.AF_UNIX), b""
            self.socket.connect(str(self.soak.server.data / "belfry-rpc.sock"))
        begin = time.monotonic()
        stamp = datetime.datetime.now(datetime.timezone.utc).isoformat()
        self.sent.append(self.tell({"session_id": self.soak.sessions[number % len(self.soak.sessions)],
                                    "message_type": "user_input", "timestamp": stamp, "payload": {"text": f"word {number}"}}))
        self.soak.samples["a person's word"].append(time.monotonic() - begin)

    def tell(self, params):
        text = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "client/user_message", "params": params}).encode()
        self.socket.sendall(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.receive()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        length = int(re.search(rb"\d+", head).group())
        while len(self.buffer) < length:
            self.buffer += self.receive()
        answer, self.buffer = json.loads(self.buffer[:length]), self.buffer[length:]
        if "result" not in answer:
            raise RuntimeError(answer)
        return answer["result"]["notification_id"]

    def receive(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise RuntimeError("the JSON-RPC connection was closed")
        return data


class Probe(Actor):
    """One event, from its request until a reader of all events has it."""

    def __init__(self, soak, pace):
        super().__init__(soak, pace)
        self.taken, self.seen = 0, threading.Semaphore(0)
        self.awaited = None
        threading.Thread(target=self.follow, daemon=True).start()

    def once(self, number):
        self.awaited = f"probe-{number}"
        begin = time.monotonic()
        self.call.ask("POST", "/v1/events", {"type": "soak.probe", "source": self.awaited, "severity": "info"})
        self.taken += 1
        if not self.seen.acquire(timeout=60):
            raise RuntimeError(f"the reader of all events never got {self.awaited}")
        self.soak.samples["an event until its reader has it"].append(time.monotonic() - begin)

    def follow(self):
        try:
            for _, _, entry in self.call.stream("/v1/streams/events?from=live&type=soak.probe"):
                if str(entry).find(f"'{self.awaited}'") >= 0:
                    self.seen.release()
        except Exception as error:
            if not self.soak.ended.is_set():
                self.soak.fail(self, error)
