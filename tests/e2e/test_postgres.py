"""What only a store on another machine can do: go away, come back, and belong to somebody else.

Runs where BELFRY_TEST_POSTGRES names a server (tests/with_postgres.py), and BELFRY_TEST_STORE is postgres.
"""

import subprocess
import threading
import time
import unittest

import belfry
from belfry import event, json_of, unique


@unittest.skipIf(belfry.STORE != "postgres", "needs PostgreSQL")
class ALostConnection(belfry.Case):
    def end_connections(self, daemon):
        """The server ends every connection of the daemon, as a restart or a fail-over of it would."""
        name = daemon.database.rsplit("/", 1)[1]
        subprocess.run(["psql", "-q", "-t", belfry.POSTGRES, "-c",
                        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"],
                       check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)

    def test_under_load_loses_nothing_and_doubles_nothing(self):
        daemon = self.daemon()
        stopping = threading.Event()
        acknowledged, statuses = {}, set()

        def produce(number):
            connection = daemon.connect()
            count = 0
            try:
                while not stopping.is_set():
                    count += 1
                    body = event(id=f"{number}-{count}", source=f"p{number}")
                    while True:  # an outcome that is not known is asked for again
                        answer = daemon.emit(body, connection=connection)
                        statuses.add(answer.status)
                        if answer.status == 201:
                            acknowledged[(f"p{number}", f"{number}-{count}")] = json_of(answer)["sequence"]
                            break
                        self.assertEqual(answer.status, 503, answer.body)
                        self.assertIn("retry-after", answer.headers)
                        if stopping.is_set():
                            return
                        time.sleep(0.02)
            finally:
                connection.close()

        with belfry.threads(*[lambda n=n: produce(n) for n in range(4)]):
            try:
                for _ in range(4):
                    before = len(acknowledged)
                    belfry.eventually("load", lambda: len(acknowledged) > before + 50)
                    self.end_connections(daemon)
                before = len(acknowledged)
                belfry.eventually("load after the last one", lambda: len(acknowledged) > before + 50)
            finally:
                stopping.set()
        belfry.eventually("ready", lambda: daemon.get("/readyz").status == 200)
        entries = daemon.entries()
        self.assert_whole(entries)
        there = {}
        for entry in entries:
            name = (entry["event"]["source"], entry["event"]["source_id"])
            self.assertNotIn(name, there, "an event is there twice")
            there[name] = entry["sequence"]
        for name, sequence in acknowledged.items():
            self.assertEqual(there.get(name), sequence)
        self.assertGreaterEqual(daemon.metrics()["belfry_store_reopened_total"], 1)

    def test_does_not_cost_readers_their_place(self):
        daemon = self.daemon()
        with daemon.sse() as reader:
            for turn in range(3):
                self.end_connections(daemon)
                answer = belfry.eventually("taken", lambda: (lambda a: a if a.status == 201 else None)(
                    daemon.emit(event(id=unique(), payload={"turn": turn}))))
                frame = reader.entries(1)[0]
                self.assertEqual(frame["sequence"], json_of(answer)["sequence"])
        self.assert_whole(daemon.entries())


    def allow_connections(self, daemon, allowed):
        name = daemon.database.rsplit("/", 1)[1]
        subprocess.run(["psql", "-q", belfry.POSTGRES, "-c", f"ALTER DATABASE {name} ALLOW_CONNECTIONS {allowed}"],
                       check=True, stdin=subprocess.DEVNULL)

    def test_for_a_while_is_told_to_the_readers_of_runs_and_nothing_unrecorded_is_shown(self):
        daemon = self.daemon()
        run = json_of(daemon.post("/v1/runs", {}))["id"]
        path = f"/v1/runs/{run}/events"
        with daemon.sse(path) as reader:
            self.assertEqual(reader.frame().kind, "lifecycle.started")
            self.assertEqual(daemon.post(path, {"event": "a.b", "data": "before"}).status, 201)
            self.allow_connections(daemon, "false")
            self.end_connections(daemon)
            answer = daemon.post(path, {"event": "a.b", "data": "lost"})
            self.assertEqual(answer.status, 503, answer.body)
            self.assertEqual(reader.frame().data["data"], "before", "what was accepted before arrives")
            told = reader.frame()
            self.assertEqual((told.kind, told.data), ("store", {"state": "down"}))
            self.allow_connections(daemon, "true")
            belfry.eventually("taken", lambda: daemon.post(path, {"event": "a.b", "data": "after"}).status == 201)
            frames = []
            while len(frames) < 2:
                frame = reader.frame()
                if frame.comment is None:
                    frames.append(frame)
            self.assertEqual(sorted(frame.kind for frame in frames), ["a.b", "store"])
            self.assertEqual([frame.data["data"] for frame in frames if frame.kind == "a.b"], ["after"])


@unittest.skipIf(belfry.STORE != "postgres", "needs PostgreSQL")
class TwoNodes(belfry.Case):
    def pair(self):
        first = self.daemon()
        second = self.daemon(start=False)
        second.database = first.database
        second.start(ready=False)
        return first, second

    def test_the_second_stands_by_and_takes_nothing(self):
        first, second = self.pair()
        answer = second.get("/readyz", token=None)
        self.assertEqual((answer.status, json_of(answer)["status"]), (503, "standby"))
        refused = second.emit(event(), token=first.admin_token)
        self.assertIn(refused.status, (401, 503), refused.body)
        self.assertEqual(first.emit(event()).status, 201)

    def test_the_second_takes_over_when_the_first_is_killed_and_has_everything(self):
        first, second = self.pair()
        token = first.admin_token
        first.emit_ok([event() for _ in range(10)])
        body, key = event(), {"Idempotency-Key": unique()}
        accepted = first.emit(body, headers=key)
        first.kill()
        belfry.eventually("it takes over", lambda: second.get("/readyz", token=None).status == 200, pause=0.1)
        self.assertEqual(second.emit(body, headers=key, token=token).body, accepted.body)
        self.assertEqual(second.emit_ok(event(), token=token)["sequence"], 12)
        self.assert_whole(second.entries(token=token))

    def test_the_first_comes_back_as_the_second(self):
        first, second = self.pair()
        token = first.admin_token
        first.kill()
        belfry.eventually("it takes over", lambda: second.get("/readyz", token=None).status == 200, pause=0.1)
        first.start(ready=False)
        self.assertEqual(json_of(first.get("/readyz", token=None))["status"], "standby")
        self.assertEqual(second.emit(event(), token=token).status, 201)


if __name__ == "__main__":
    unittest.main()
