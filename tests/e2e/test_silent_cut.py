"""A network that drops packets between the writer and PostgreSQL and tells nobody: how long the ledger has no writer.

Two nodes and a server, each in a network namespace of its own, around a router that drops packets in one direction or in both.
BELFRY_CUT_ROUNDS says how many cuts of each kind there are (2 without it). The times are printed.
"""

import contextlib
import http.client
import itertools
import os
import pwd
import subprocess
import sys
import threading
import time
import unittest

import belfry
from belfry import event, eventually, json_of
from devices import Network, UnixConnection, ip
from sync_proxy import can_have_namespaces

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import with_postgres  # noqa: E402

ROUNDS = int(os.environ.get("BELFRY_CUT_ROUNDS", "2"))
LONGEST_S = 5.0  # without a writer
DIRECTIONS = ("to", "from", "both")  # the server: where the packets go that are dropped
PORT = 5432


class Router(Network):
    """Namespaces whose packets to each other go through the one in the middle, which drops what it is told to."""

    def __init__(self, *names):
        super().__init__(*names)
        subprocess.run(["ip", "netns", "exec", self.middle, "sysctl", "-q", "-w", "net.ipv4.ip_forward=1"], check=True)
        for name in names:
            ip("-n", self.space(name), "route", "add", "default", "via", self.gate(name))

    def _rules(self, action, node, server, direction):
        ways = {"to": [(node, server)], "from": [(server, node)], "both": [(node, server), (server, node)]}[direction]
        for source, target in ways:
            ip("-n", self.middle, "rule", action, "from", self.own(source), "to", self.own(target), "blackhole")

    def cut(self, node, server, direction):
        self._rules("add", node, server, direction)

    def mend(self, node, server, direction):
        self._rules("del", node, server, direction)


class Server(with_postgres.Server):
    """PostgreSQL in a namespace."""

    def __init__(self, space, address):
        super().__init__()
        self.space = space
        self.address = address

    def start(self):
        subprocess.run([os.path.join(self.bin, "initdb"), "-D", self.data, "-U", "belfry", "-A", "trust", "-E", "UTF8", "--no-sync",
                        "--locale=C"], check=True, cwd=self.folder, stdout=subprocess.DEVNULL, **self.as_user())
        with open(os.path.join(self.data, "pg_hba.conf"), "a", encoding="utf-8") as rights:
            rights.write("host all all 10.77.0.0/16 trust\n")
        user = pwd.getpwnam("postgres")
        command = ["ip", "netns", "exec", self.space, "setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups",
                   os.path.join(self.bin, "postgres"), "-D", self.data, "-c", f"listen_addresses={self.address}", "-c", f"port={PORT}",
                   "-c", f"unix_socket_directories={self.folder}", "-c", "shared_buffers=32MB"]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            preexec_fn=belfry.end_with_parent)
        ready = [os.path.join(self.bin, "pg_isready"), "-q", "-h", self.folder, "-p", str(PORT)]
        eventually("PostgreSQL is ready", lambda: subprocess.run(ready, check=False).returncode == 0)
        return f"postgresql://belfry@{self.address}:{PORT}/postgres"


class Node(belfry.Daemon):
    def __init__(self, name, space, database):
        self.given = database
        super().__init__()
        self.name = name
        self.space = space
        self.database = database

    def _make_database(self):
        return self.given

    def command(self, *more):
        return ["ip", "netns", "exec", self.space, *super().command(*more)]

    def connect(self, timeout=belfry.PATIENCE):
        return UnixConnection(self.socket_path, timeout)

    def close(self):
        self.database = None  # it goes with its server
        super().close()

    def readiness(self):
        answer = self.get("/readyz", token=None)
        return json_of(answer)["status"] if answer.status == 503 else "ready"


class Load:
    """Sends one event after the other to one node, each again under its id until the node has acknowledged it."""

    def __init__(self, node, token):
        self.node = node
        self.token = token
        self.acknowledged = {}  # (source, id): sequence
        self.last = (0.0, 0.0)  # when the last acknowledged request began and ended
        self.statuses = set()

    def run(self, stopping):
        source = self.node.name
        for count in itertools.count(1):
            name = (source, f"{source}-{count}")
            while not stopping.is_set():
                began = time.monotonic()
                try:
                    answer = self.node.emit(event(id=name[1], source=source), token=self.token)
                except (OSError, http.client.HTTPException):
                    continue
                self.statuses.add(answer.status)
                if answer.status == 201:
                    self.acknowledged[name] = json_of(answer)["sequence"]
                    self.last = (began, time.monotonic())
                    break
                stopping.wait(0.02)
            if stopping.is_set():
                return


@unittest.skipIf(belfry.STORE != "postgres", "needs PostgreSQL")
@unittest.skipIf(can_have_namespaces(), can_have_namespaces())
class ASilentCut(belfry.Case):
    def setUp(self):
        self.router = Router("a", "b", "db")
        self.addCleanup(self.router.close)
        self.server = Server(self.router.space("db"), self.router.own("db"))
        self.addCleanup(self.server.remove)
        self.address = self.server.start()

    def node(self, name, **more):
        node = Node(name, self.router.space(name), self.address)
        self.addCleanup(node.close)
        return node.start(**more)

    @contextlib.contextmanager
    def under_load(self, *nodes):
        """Events go to every node; at the end each acknowledged one is there once, under its number."""
        token = nodes[0].admin_token
        loads = {node.name: Load(node, token) for node in nodes}
        stopping = threading.Event()
        with belfry.threads(*[lambda load=load: load.run(stopping) for load in loads.values()]):
            try:
                yield loads
            finally:
                stopping.set()
        writer = next(node for node in nodes if eventually("there is a writer", lambda: [
            one for one in nodes if one.readiness() == "ready"])[0] is node)
        there = {}
        for entry in writer.entries(token=token):
            name = (entry["event"]["source"], entry["event"]["source_id"])
            self.assertNotIn(name, there, "an event is there twice")
            there[name] = entry["sequence"]
        acknowledged = {name: number for load in loads.values() for name, number in load.acknowledged.items()}
        self.assertGreater(len(acknowledged), 5)
        for name, number in acknowledged.items():
            self.assertEqual(there.get(name), number, name)
        self.assertLessEqual(set().union(*(load.statuses for load in loads.values())), {201, 401, 503})

    def first_write(self, loads, since):
        """Waits for a request that began after that time and was acknowledged; returns the node and how long it took."""
        def written():
            done = [(load.last[1], load.node) for load in loads if load.last[0] > since]
            return min(done, key=lambda one: one[0]) if done else None
        at, node = eventually("a node writes", written, pause=0.01)
        return node, at - since

    def report(self, what, times):
        times = sorted(times)
        print(f"{what}: {len(times)} cuts, p50 {times[len(times) // 2]:.2f} s, max {times[-1]:.2f} s", flush=True)
        self.assertLess(times[-1], LONGEST_S, what)

    def test_leaves_a_standby_that_writes_within_five_seconds(self):
        first = self.node("a")
        second = self.node("b", ready=False)
        eventually("b stands by", lambda: second.readiness() == "standby")
        writer, standby, times = first, second, {}
        with self.under_load(first, second) as loads:
            for number in range(ROUNDS):
                direction = DIRECTIONS[number % 3]
                before = len(loads[writer.name].acknowledged)
                eventually("load", lambda: len(loads[writer.name].acknowledged) > before + 5)
                self.router.cut(writer.name, "db", direction)
                cut_at = time.monotonic()
                try:
                    node, took = self.first_write([loads[standby.name]], cut_at)
                    refused = writer.emit(event(), token=first.admin_token)
                    self.assertEqual(refused.status, 503, refused.body)
                finally:
                    self.router.mend(writer.name, "db", direction)
                self.assertIs(node, standby)
                times.setdefault(direction, []).append(took)
                eventually("the old writer stands by", lambda: writer.readiness() == "standby")
                writer, standby = standby, writer
        for direction, all_of_it in sorted(times.items()):
            self.report(f"standby, packets dropped {direction}", all_of_it)
        self.report("standby, all", sum(times.values(), []))

    def test_leaves_a_lone_node_that_writes_within_five_seconds_of_the_repair(self):
        only = self.node("a")
        times = []
        with self.under_load(only) as loads:
            for number in range(max(ROUNDS // 2, 1)):
                direction = DIRECTIONS[number % 3]
                before = len(loads["a"].acknowledged)
                eventually("load", lambda: len(loads["a"].acknowledged) > before + 5)
                self.router.cut("a", "db", direction)
                cut_at = time.monotonic()
                try:
                    refused = only.emit(event())
                    self.assertEqual(refused.status, 503, refused.body)
                    self.assertLess(time.monotonic() - cut_at, LONGEST_S, "it says in time that it cannot write")
                finally:
                    self.router.mend("a", "db", direction)
                times.append(self.first_write(loads.values(), time.monotonic())[1])
        self.report("lone node, from the repair", times)


if __name__ == "__main__":
    unittest.main()
