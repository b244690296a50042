"""A daemon that is a device: it listens for others on loopback, is paired by a code, and says how far it is."""
import http.client
import json
import time

from servers.belfry import Belfry

from history import BATCH, MEMORY

ANSWER_SECONDS_MAX = 300
IDLE_SECONDS_MAX = 10  # less than after what the daemon ends it
EVEN_SECONDS_MAX = 900


class Device(Belfry):
    def __init__(self, parent, binary, name):
        super().__init__(parent, binary)
        self.device = name
        self.link = None
        self.last = {}  # of each agent, the id of the newest message that was taken in

    def command(self):
        # Many agents are at work here at once; three would be, otherwise.
        return [*super().command(), "--wakes-at-once", "100", "--sync-name", self.device, "--sync-listen", "127.0.0.1:0"]

    def start(self):
        self.link = None
        return super().start()

    def send(self, method, path, body=None):
        """The status and the bytes of the answer, on a connection that stays while it is used."""
        if self.link is None or time.monotonic() - self.used_at > IDLE_SECONDS_MAX:
            self.link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_SECONDS_MAX)
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        kind = "application/x-ndjson" if isinstance(body, str) else "application/json"
        self.link.request(method, path, text, {"Authorization": f"Bearer {self.token()}", "Content-Type": kind})
        answer = self.link.getresponse()
        self.headers = answer.headers
        said = answer.read()
        self.used_at = time.monotonic()
        return answer.status, said

    def ask(self, method, path, body=None):
        status, said = self.send(method, path, body)
        if status >= 300:
            raise RuntimeError(f"{self.device}: {method} {path}: {status} {said[:500]}")
        return json.loads(said) if said else None

    # What it has.

    def take_in(self, agent, history, count, first=0):
        """So many new messages of an agent, which is made where it has none yet."""
        for begin in range(first, first + count, BATCH):
            lines = [history.message(agent, number) for number in range(begin, min(begin + BATCH, first + count))]
            body, query = "".join(line for line, _ in lines), f"?agent={agent}&after={self.last.get(agent)}"
            if agent not in self.last:
                body, query = json.dumps({"agent": {"id": agent, "user_id": "ada", "memory": MEMORY}}) + "\n" + body, ""
            self.ask("POST", "/v1/agents/import" + query, body)
            self.last[agent] = lines[-1][1]

    def export(self, agent):
        """The lines of all that an agent remembers, page by page."""
        after = ""
        while True:
            status, said = self.send("GET", f"/v1/agents/{agent}/export?limit=1000{after}")
            if status != 200:
                raise RuntimeError(f"{self.device}: export: {status} {said[:500]}")
            yield said
            if not self.headers.get("Belfry-Next"):
                return
            after = f"&after={self.headers['Belfry-Next']}"

    # How it stands.

    def status(self):
        return self.ask("GET", "/v1/sync/status")

    def reach(self):
        """Of each host, up to which change all is here."""
        return {one["host"]: one["settled"] for one in self.status()["hosts"]}

    def listens_on(self):
        return int(self.status()["device"]["listens_on"].rsplit(":", 1)[1])

    def told(self):
        """Bytes before compression and messages, to and from other devices, since its start."""
        _, said = self.send("GET", "/metrics")
        found = dict(line.rsplit(" ", 1) for line in said.decode().splitlines() if line.startswith("belfry_sync_"))
        return {name: int(found[f"belfry_sync_{name}_total"])
                for name in ("bytes_sent", "bytes_received", "messages_sent", "messages_received")}

    def digest(self):
        return self.ask("GET", "/v1/sync/digest")["digest"]


def await_true(what, is_so, seconds_max, pause):
    end = time.monotonic() + seconds_max
    while not is_so():
        if time.monotonic() > end:
            raise RuntimeError(f"in {seconds_max} s this did not come: {what}")
        time.sleep(pause)


def pair(shows, types, at):
    """A code of one, typed on the other, which from then on calls this address."""
    code = shows.ask("POST", "/v1/peers/pairing")["code"]
    types.ask("POST", "/v1/peers", {"code": code, "at": at})


def settled(device, quiet_s=0.5):
    """Waits until what was written is in batches, and nothing more comes."""
    before, since = device.reach(), time.monotonic()
    while time.monotonic() - since < quiet_s:
        time.sleep(0.05)
        now = device.reach()
        if now != before:
            before, since = now, time.monotonic()


def is_even(one, other):
    """Each has all of each host's changes that the other has, and both have said so. A device that refuses the other is a failure."""
    sides = [side.status() for side in (one, other)]
    peers = [peer for side in sides for peer in side["peers"]]
    for peer in peers:
        if "refused" in (peer["last_error"] or ""):
            raise RuntimeError(f"{peer['name']}: {peer['last_error']}")
    reach = [{host["host"]: host["settled"] for host in side["hosts"]} for side in sides]
    return reach[0] == reach[1] != {} and all(
        peer["connected"] and not peer["in_whole"] and peer["unsent"] == peer["unreceived"] == 0 for peer in peers)


def await_even(one, other):
    await_true("both know the same", lambda: is_even(one, other), EVEN_SECONDS_MAX, pause=0.02)


def check_same(one, other):
    if one.digest() != other.digest():
        raise RuntimeError(f"{one.device} and {other.device} do not know the same")
