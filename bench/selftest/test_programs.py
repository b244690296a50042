"""The bench programs count rightly and notice when a server lies. The peers are the real ones."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from selftest.stand_in import StandIn  # noqa: E402
from servers.belfry import Belfry  # noqa: E402
from servers.nats import Nats  # noqa: E402
from servers.nchan import Nchan  # noqa: E402
from servers.postgres import Postgres  # noqa: E402
from servers.redis import Redis  # noqa: E402
from servers.rsync import Rsync  # noqa: E402
from sync.line import Line  # noqa: E402

PROGRAMS = pathlib.Path(os.environ.get("BENCH_PROGRAMS", ROOT / "build-bench"))
BRIEFLY = ["--seconds", "0.3", "--warm", "0.1"]


def run(program, *arguments):
    return subprocess.run([str(PROGRAMS / program), *map(str, arguments)], capture_output=True, text=True, timeout=120)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="bench-selftest-", dir="/var/tmp")
        pathlib.Path(self.folder.name).chmod(0o755)
        self.addCleanup(self.folder.cleanup)

    def assert_fails(self, done, words):
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(words, done.stderr)
        self.assertEqual(done.stdout, "", "a failed program must give no figure")

    def found(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


class Load(Case):
    def load(self, server, *more):
        return run("bench_load", "--protocol", "belfry", "--port", server.port, "--token", "t", *BRIEFLY, *more)

    def test_counts_exactly_what_a_server_took(self):
        for batch in (1, 100):
            with self.subTest(batch), StandIn() as server:
                found = self.found(self.load(server, "--batch", batch))
                self.assertEqual(found["events_total"], server.count)
                self.assertGreater(found["events"], 0)
                self.assertLess(found["events"], found["events_total"])

    def test_stops_after_a_number_of_events(self):
        with StandIn() as server:
            found = self.found(self.load(server, "--batch", 10, "--events", 5000))
            self.assertEqual((found["events"], found["events_total"], server.count), (5000, 5000, 5000))

    def test_an_event_has_the_length_that_was_asked_for_and_its_own_id(self):
        seen = []
        with StandIn() as server:
            take_in = server._take_in
            server._take_in = lambda writer, body: (seen.append(body), take_in(writer, body))
            self.found(self.load(server, "--ids", 1, "--events", 500))
            self.found(self.load(server, "--ids", 1, "--events", 500))
        self.assertEqual({len(body) for body in seen}, {400})
        self.assertEqual(len({json.loads(body)["id"] for body in seen}), 1000)

    def test_fails_at_an_answer_that_is_no_success(self):
        for lie, words, batch in (("refuse", "refused", 1), ("no_id", "a strange answer", 1),
                                  ("short", "a strange answer", 100), ("replayed", "taken for a repeat", 1)):
            with self.subTest(lie), StandIn(lie, when=500) as server:
                self.assert_fails(self.load(server, "--batch", batch), words)


class Fanout(Case):
    def fanout(self, server, *more):
        return run("bench_fanout", "--protocol", "belfry", "--port", server.port, "--readers", 20, *BRIEFLY, *more)

    def test_every_reader_gets_everything_whether_chunked_or_not(self):
        for chunked in (False, True):
            for at_once in (1, 50):
                with self.subTest((chunked, at_once)), StandIn(chunked=chunked) as server:
                    found = self.found(self.fanout(server, "--at-once", at_once))
                    self.assertEqual(found["deliveries"], found["events"] * 20)
                    self.assertLessEqual(found["events"], server.count)

    def test_publishes_at_a_steady_rate(self):
        with StandIn() as server:
            found = self.found(self.fanout(server, "--rate", 100, "--seconds", 1))
            self.assertAlmostEqual(found["events"], 100, delta=5)

    def test_fails_when_one_reader_gets_something_else(self):
        for lie in ("lose", "double", "swap"):
            with self.subTest(lie), StandIn(lie, when=21) as server:
                self.assert_fails(self.fanout(server, "--at-once", 10), "reader 19 awaited event")
        with self.subTest("gap"), StandIn("gap", when=21) as server:
            self.assert_fails(self.fanout(server, "--at-once", 10), "reader 19 was told: event: gap")

    def test_waits_for_a_surplus_at_the_end(self):
        with StandIn("late", when=0) as server:
            done = self.fanout(server, "--warm", 0, "--seconds", 0.000001)
            self.assert_fails(done, "reader 19 awaited event 1 and got 0")

    def test_nchan_delivers_everything(self):
        with Nchan(self.folder.name) as server:
            for at_once in (1, 100):
                found = self.found(run("bench_fanout", *server.program_arguments(), "--readers", 50,
                                       "--at-once", at_once, *BRIEFLY))
                self.assertEqual(found["deliveries"], found["events"] * 50)


class Latency(Case):
    def test_measures_each_event_and_the_disk(self):
        with StandIn() as server:
            found = self.found(run("bench_latency", "--port", server.port, "--folder", self.folder.name,
                                   "--events", 200, "--warm-events", 10))
            self.assertEqual((found["events"], found["events_total"], server.count), (200, 210, 210))
            self.assertGreater(found["delivered_p99_us"], found["delivered_p50_us"])
            self.assertGreater(found["append_p50_us"], 0)


class Peers(Case):
    """Each holds what it acknowledged; a refusal of each is noticed."""

    def load(self, server, *more):
        return run("bench_load", *server.program_arguments(), *BRIEFLY, *more)

    def check_counts(self, server):
        for batch in (1, 100):
            before = server.count()
            found = self.found(self.load(server, "--batch", batch))
            self.assertEqual(server.count() - before, found["events_total"])
            self.assertGreater(found["events"], 0)

    def test_redis(self):
        with Redis(self.folder.name, "always") as server:
            self.check_counts(server)
            server.ask("SET events nonsense")
            self.assert_fails(self.load(server), "redis refused: -WRONGTYPE")

    def test_nats(self):
        with Nats(self.folder.name) as server:
            self.check_counts(server)
            server.ask("$JS.API.STREAM.UPDATE.EVENTS", json.dumps(
                {"name": "EVENTS", "subjects": ["bench.events"], "storage": "file", "discard": "new",
                 "max_msgs": server.count() + 1000, "num_replicas": 1, "retention": "limits"}))
            self.assert_fails(self.load(server), "jetstream did not store it")

    def test_postgres(self):
        with Postgres(self.folder.name) as server:
            self.check_counts(server)
            server.ask("alter table events add check (sequence < 1000) not valid")
            self.assert_fails(self.load(server), "postgres refused")


class Lines(Case):
    def test_every_byte_is_passed_on_and_counted_both_ways(self):
        with socket.create_server(("127.0.0.1", 0)) as server, Line(server.getsockname()[1]) as line:
            with socket.create_connection(("127.0.0.1", line.port), timeout=10) as near, server.accept()[0] as far:
                for end, other, count in ((near, far, 100_000), (far, near, 7)):
                    end.sendall(b"x" * count)
                    self.assertEqual(other.recv(count, socket.MSG_WAITALL), b"x" * count)
                self.assertEqual((line.counted, line.passed), ({"up": 100_000, "down": 7}, 100_007))
                line.cut()
                self.assertEqual(near.recv(1), b"")

    def test_rsync_tells_only_what_is_new(self):
        file = pathlib.Path(self.folder.name) / "lines"
        with Rsync(self.folder.name) as server:
            for how in ("--inplace", "--append"):
                file.write_bytes(os.urandom(1 << 20))
                shutil.copy2(file, server.there)
                with open(file, "ab") as end:
                    end.write(b"one more\n")
                with self.subTest(how), Line(server.port) as line:
                    server.send(file, line.port, how)
                    self.assertLess(line.passed, 1 << 16)
                    self.assertEqual((server.there / "lines").read_bytes(), file.read_bytes())


class Durability(Case):
    """What a reply means, seen from the kernel: one producer, one event at a time, so no two can share a sync."""

    EVENTS = 50

    def syncs_of(self, server):
        with server:
            before = server.syncs()
            self.found(run("bench_load", *server.program_arguments(), "--connections", 1, "--events", self.EVENTS))
            return server.syncs() - before

    def test_redis_syncs_before_it_replies(self):
        self.assertGreaterEqual(self.syncs_of(Redis(self.folder.name, "always", traced=True)), self.EVENTS)

    def test_postgres_syncs_before_it_replies(self):
        self.assertGreaterEqual(self.syncs_of(Postgres(self.folder.name, traced=True)), self.EVENTS)

    def test_belfry_syncs_before_it_replies(self):
        places = [os.environ.get("BELFRY"), ROOT / "build/belfry", ROOT / "build-bench/belfry"]
        binary = next((place for place in places if place and os.access(place, os.X_OK)), None)
        if binary is None:
            self.skipTest("no belfry is built")
        self.assertGreaterEqual(self.syncs_of(Belfry(self.folder.name, binary, traced=True)), self.EVENTS)

    def test_nats_does_not_sync(self):
        self.assertLess(self.syncs_of(Nats(self.folder.name, traced=True)), self.EVENTS // 5)


if __name__ == "__main__":
    unittest.main()
