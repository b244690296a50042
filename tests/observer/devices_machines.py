"""The devices of the world of devices: three paired daemons on one machine, links that are cut and come back, and injected clocks."""

import datetime
import json
import multiprocessing
import threading
import time

from recorder import Caller

from devices import Device
from sync_proxy import Proxy

SETTLE_SECONDS_MAX = 180
EQUAL_SECONDS_MAX = 65
CONNECT_SECONDS_MAX = 150
STALL_SECONDS = 0.15  # beyond the pause of a round
ROUND_SECONDS = 0.1
PAIRINGS_MAX = 5
DAY = 86400


def until(condition, seconds, pause=0.2):
    """Polls until the condition holds or the time is over; returns what it returned last."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found or time.monotonic() > end:
            return found
        time.sleep(pause)


def instant_of(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def serve_lines(pipe, addresses):
    """A process of its own, so that a busy world does not slow the links."""
    proxies = [Proxy(address, seed=number) for number, address in enumerate(addresses)]
    pipe.send([proxy.address for proxy in proxies])
    while True:
        try:
            number, what = pipe.recv()
        except EOFError:
            return
        getattr(proxies[number], what)()
        pipe.send(True)


class Lines:
    """The links between devices; each goes through a proxy that can be cut."""

    def __init__(self, addresses):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("fork").Process(target=serve_lines, args=(other, addresses), daemon=True)
        self.process.start()
        other.close()
        self.addresses = self.pipe.recv()
        self.lock = threading.Lock()

    def tell(self, number, what):
        with self.lock:
            self.pipe.send((number, what))
            self.pipe.recv()

    def close(self):
        self.pipe.close()
        self.process.terminate()
        self.process.join(10)


class Machine:
    """One device of the world, and what the world asks of it."""

    def __init__(self, world, name, environment):
        self.world, self.name, self.recorder = world, name, world.recorder
        self.daemon = Device(name, "--events-per-second", "0", clock_s=0, environment=environment)
        self.daemon.start()
        self.caller = Caller(self.daemon, self.daemon.admin_token)
        self.is_up = True

    def call(self, method, path, body=None):
        return self.caller.call(method, path, body)

    def ask(self, method, path, body=None):
        """The start, the answer for the record, and the document."""
        began = self.recorder.tick()
        status, reason, document = self.call(method, path, body)
        return began, {"status": status, "reason": reason}, document

    def must(self, method, path, body=None):
        """A request of the world itself, which has to be accepted; repeated while the daemon is away."""
        def accepted():
            status, reason, document = self.call(method, path, body)
            assert status == 0 or status < 400 or status >= 500, (self.name, method, path, status, reason)
            return (document,) if 200 <= status < 300 else None
        found = until(accepted, 60)
        assert found, f"{self.name} does not answer {method} {path}"
        return found[0]

    def pages(self, path):
        """Everything of a list."""
        found, after = [], ""
        while True:
            page = self.must("GET", f"{path}{'&' if '?' in path else '?'}limit=100{after}")
            found += page["data"]
            if not page["has_more"]:
                return found
            after = f"&{self.next_name(path)}={page['next']}"

    @staticmethod
    def next_name(path):
        return "before" if "/inbox" in path or "/merges" in path else "after"

    def status(self):
        status, _, document = self.call("GET", "/v1/sync/status")
        return document if status == 200 else None

    def connections(self):
        """The names of the devices that this one is connected with."""
        status = self.status()
        return {one["name"] for one in status["peers"] if one["connected"]} if status else set()

    def digest(self):
        status, _, document = self.call("GET", "/v1/sync/digest")
        return document["digest"] if status == 200 else ""

    # -- its life ------------------------------------------------------------------------------------------------

    def kill(self):
        self.world.note_links("uncertain")
        self.recorder.add("crashed", "world", node=self.name)
        self.is_up = False
        self.daemon.kill()

    def start(self):
        self.daemon.start()
        self.is_up = True
        self.recorder.add("restarted", "world", node=self.name)

    def set_clock(self, by_s, offset_s):
        """The wall clock goes on from so much later or earlier; it then is `offset_s` ahead of the right time."""
        self.daemon.faults.jump(wall_s=by_s)
        self.recorder.add("device_clock", "world", device=self.name, offset_ms=int(offset_s * 1000))


class StallWatch(threading.Thread):
    """Records the times in which the machine or a daemon does not answer in time."""

    def __init__(self, world):
        super().__init__(daemon=True)
        self.world, self.recorder = world, world.recorder

    def run(self):
        while not self.world.ended.is_set():
            began = self.recorder.tick()
            time.sleep(ROUND_SECONDS)
            for machine in self.world.machines:
                if machine.is_up:
                    machine.caller.exchange("GET", "/livez")
            if self.recorder.now_ms() - began[1] > (ROUND_SECONDS + STALL_SECONDS) * 1000:
                self.recorder.add("stalled", "world", began)


class Meetings:
    """What the world does with links: cut, heal, and wait until the devices know the same."""

    PAIRS = ((0, 1), (1, 2), (0, 2))

    def make_links(self):
        listeners = [self.machines[one] for one, _ in self.PAIRS]
        self.lines = Lines([machine.daemon.address for machine in listeners])
        for number, (one, other) in enumerate(self.PAIRS):
            self.pair(self.machines[one], self.machines[other], self.lines.addresses[number])

    @staticmethod
    def pair(shows, types, address):
        """A code of one, typed on the other; on a busy machine a pairing may not end in its time."""
        for _ in range(PAIRINGS_MAX):
            shown = shows.daemon.run("peer", "pair")
            assert shown.code == 0, shown.err
            typed = types.daemon.run("peer", "pair", shown.out.strip(), "--at", address)
            if typed.code == 0:
                return
        raise AssertionError(typed.err)

    def note_links(self, state, machines=None):
        self.recorder.add("links", "world", state=state, devices=[one.name for one in machines or self.machines])

    def cut(self):
        """No device has a link from here on."""
        self.note_links("uncertain")
        for number in range(len(self.PAIRS)):
            self.lines.tell(number, "cut")
        alone = until(lambda: not any(machine.connections() for machine in self.machines if machine.is_up), 60)
        if alone:
            self.note_links("cut")

    def heal(self, pairs=PAIRS):
        """These links come back, in an order of the seed's choice."""
        self.note_links("uncertain")
        for pair in self.random.sample(list(pairs), len(pairs)):
            self.lines.tell(self.PAIRS.index(pair), "heal")

    def heal_chain(self, pairs):
        """One link comes back; the next one does when the first two devices know the same."""
        self.heal(pairs[:1])
        known = [self.machines[number] for number in pairs[0]]
        until(lambda: self.is_linked(pairs[:1], self.machines) and self.is_calm(known), CONNECT_SECONDS_MAX)
        self.heal(pairs[1:])

    def is_linked(self, pairs, machines):
        for one, other in pairs:
            if machines[other].name not in machines[one].connections() or machines[one].name not in machines[other].connections():
                return False
        return True

    @staticmethod
    def is_calm(machines):
        """Nothing is unsent, unreceived or missing between these devices."""
        names = {machine.name for machine in machines}
        for machine in machines:
            status = machine.status()
            if not status or status["missing"]:
                return False
            known = [one for one in status["peers"] if one["name"] in names]
            if any(one["connected"] and (one["unsent"] or one["unreceived"]) for one in known):
                return False
        return True

    def meet(self, pairs=PAIRS, machines=None, judge_digests=True):
        """Waits until the devices are connected and nothing is behind; then reads the digests, until they are equal or time is over."""
        machines = machines or self.machines
        began = time.monotonic()
        calm = 0

        def is_settled():
            nonlocal calm
            calm = calm + 1 if self.is_linked(pairs, machines) and self.is_calm(machines) else 0
            return calm >= 4
        linked = until(lambda: self.is_linked(pairs, machines), CONNECT_SECONDS_MAX)
        assert linked, f"the devices do not connect: {[json.dumps(one.status()) for one in machines]}"
        settled = bool(until(is_settled, SETTLE_SECONDS_MAX, pause=0.3))
        names = [machine.name for machine in machines]
        self.recorder.add("devices_met", "world", devices=names, is_settled=settled,
                          waited_ms=int((time.monotonic() - began) * 1000))
        if judge_digests:
            self.read_digests(machines)
        return settled

    def read_digests(self, machines):
        began = time.monotonic()
        digests = []

        def are_equal():
            digests[:] = [machine.digest() for machine in machines]
            return "" not in digests and len(set(digests)) == 1
        equal = until(are_equal, EQUAL_SECONDS_MAX, pause=0.5)
        waited = int((time.monotonic() - began) * 1000)
        if equal or "" not in digests:
            self.recorder.add("digests_read", "world", devices=[one.name for one in machines], digests=digests, waited_ms=waited)
