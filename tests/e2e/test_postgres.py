"""What only a store on another machine can do: go away, come back, and belong to somebody else.

Runs where BELFRY_TEST_POSTGRES names a server (tests/with_postgres.py), and BELFRY_TEST_STORE is postgres.
"""

import json
import os
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

    def test_the_second_leaves_its_operator_a_token_when_it_takes_over(self):
        first, second = self.pair()
        path = os.path.join(second.data, "admin.token")
        self.assertFalse(os.path.exists(path), "a standby can make none")
        first.kill()
        belfry.eventually("a token", lambda: os.path.exists(path))
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        self.assertEqual(second.emit(event()).status, 201)
        token = second.admin_token
        second.kill()
        first.start()
        self.assertEqual(first.emit(event(), token=token).status, 201, "it is the ledger's, so it holds on both")

    def test_the_second_keeps_the_token_that_it_has(self):
        first, second = self.pair()
        path = os.path.join(second.data, "admin.token")
        with open(path, "w", encoding="utf-8") as file:
            file.write(first.admin_token + "\n")
        before = len(json_of(first.get("/v1/tokens"))["data"])
        first.kill()
        belfry.eventually("it takes over", lambda: second.get("/readyz", token=None).status == 200, pause=0.1)
        self.assertEqual(len(json_of(second.get("/v1/tokens"))["data"]), before)

    def test_the_first_comes_back_as_the_second(self):
        first, second = self.pair()
        token = first.admin_token
        first.kill()
        belfry.eventually("it takes over", lambda: second.get("/readyz", token=None).status == 200, pause=0.1)
        first.start(ready=False)
        self.assertEqual(json_of(first.get("/readyz", token=None))["status"], "standby")
        self.assertEqual(second.emit(event(), token=token).status, 201)


@unittest.skipIf(belfry.STORE != "postgres", "needs PostgreSQL")
class Doctor(belfry.Case):
    def findings(self, daemon, url=None):
        shown = daemon.run("doctor", "--json", environment={"BELFRY_STORE_BACKEND": "postgres",
                                                            "BELFRY_STORE_POSTGRES_URL": url or daemon.database})
        report = json.loads(shown.out)
        self.assertEqual(report["ok"], shown.code == 0)
        return {finding["check"]: finding for finding in report["findings"]}

    def test_tells_server_schema_and_writer(self):
        daemon = self.daemon()
        found = self.findings(daemon)
        self.assertRegex(found["database"]["detail"], r"^PostgreSQL \d+.*schema belfry$")
        self.assertEqual((found["database"]["state"], found["schema"]["state"]), ("ok", "ok"))
        self.assertIn("belfry writer", found["writer"]["detail"])
        daemon.stop()
        self.assertEqual(self.findings(daemon)["writer"]["detail"], "nobody holds the ledger")

    def test_of_a_database_that_was_never_used_finds_nothing_wrong_and_changes_nothing(self):
        daemon = self.daemon(start=False)
        for _ in range(2):
            found = self.findings(daemon)
            self.assertEqual(found["database"]["state"], "ok", found)
            self.assertNotIn("schema", found)

    def test_fails_where_nobody_listens(self):
        daemon = self.daemon(start=False)
        found = self.findings(daemon, "postgresql://belfry@127.0.0.1:1/belfry")
        self.assertEqual(found["database"]["state"], "failure")
        self.assertIn("cannot connect to PostgreSQL", found["database"]["detail"])
        self.assertTrue(found["database"]["advice"])

    def test_fails_where_the_user_may_not_begin(self):
        daemon = self.daemon(start=False)
        name, user = daemon.database.rsplit("/", 1)[1], unique("guest_")
        subprocess.run(["psql", "-q", belfry.POSTGRES, "-c", f"CREATE ROLE {user} LOGIN"], check=True,
                       stdin=subprocess.DEVNULL)
        self.addCleanup(subprocess.run, ["psql", "-q", belfry.POSTGRES, "-c", f"DROP ROLE {user}"], check=False)
        found = self.findings(daemon, daemon.database.replace("//belfry@", f"//{user}@"))
        self.assertEqual(found["database"]["state"], "failure", found)
        self.assertIn("GRANT", found["database"]["advice"])
        self.assertIn(name, found["database"]["detail"])

    def test_fails_with_a_schema_that_is_too_new(self):
        daemon = self.daemon()
        daemon.stop()
        subprocess.run(["psql", "-q", daemon.database, "-c", "INSERT INTO belfry.schema_versions VALUES (999, 'x')"],
                       check=True, stdin=subprocess.DEVNULL)
        self.assertEqual(self.findings(daemon)["schema"]["state"], "failure")


if __name__ == "__main__":
    unittest.main()
