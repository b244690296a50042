"""What an operator relies on: backup and restore, the lock, stopping, metrics, logs, upgrades."""

import glob
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
import unittest

import belfry
from belfry import event, files_of, json_of

OK, FAILURE, USAGE = 0, 1, 2


class Producer:
    """Posts events one after another on a connection of its own until it is told to stop, and keeps what was answered."""

    def __init__(self, daemon, name, batch=1, size=100):
        self.daemon, self.name, self.batch, self.size = daemon, name, batch, size
        self.stopping = threading.Event()
        self.accepted = {}  # own id: sequence
        self.unanswered = 0  # requests that were sent, whole, and got no answer
        self.refused = []
        self.count = 0

    def run(self):
        connection = self.daemon.connect(timeout=20)
        try:
            self.produce(connection)
        finally:
            connection.close()

    def produce(self, connection):
        while not self.stopping.is_set():
            events = []
            for _ in range(self.batch):
                self.count += 1
                events.append(event(id=f"{self.name}-{self.count}", payload={"text": "x" * self.size}))
            try:
                connection.connect() if connection.sock is None else None
            except OSError:
                return  # nobody listens any more
            try:
                answer = self.daemon.emit(events if self.batch > 1 else events[0], connection=connection)
            except OSError:
                self.unanswered += 1
                return
            except Exception:  # pylint: disable=broad-except
                # A connection that was closed while it was idle: nothing of the request had been taken.
                self.unanswered += 1
                return
            if answer.status == 201:
                got = json_of(answer)
                for sent, entry in zip(events, got["data"] if self.batch > 1 else [got]):
                    self.accepted[sent["id"]] = entry["sequence"]
            else:
                self.refused.append(answer)
            if answer.headers.get("connection", "").lower() == "close":
                connection.close()


@belfry.sqlite_only
class BackupAndRestore(belfry.Case):
    def test_of_a_daemon_that_is_being_written_to_is_of_one_moment(self):
        daemon = self.daemon()
        producer = Producer(daemon, "p", batch=5, size=1000)
        copy = os.path.join(daemon.folder, "copy.db")
        with belfry.threads(producer.run):
            try:
                belfry.eventually("some events", lambda: len(producer.accepted) > 100)
                before = max(producer.accepted.values())
                shown = daemon.run("backup", copy, "--json")
                after = daemon.head()
            finally:
                producer.stopping.set()
        self.assertEqual(shown.code, OK, shown.err)
        told = json.loads(shown.out)
        self.assertEqual((told["file"], told["bytes"]), (copy, os.path.getsize(copy)))
        self.assertEqual(os.stat(copy).st_mode & 0o777, 0o600)
        self.assertEqual(glob.glob(copy + "*"), [copy])
        other = self.daemon(start=False)
        self.assertEqual(other.run("restore", copy).code, OK)
        other.start()
        entries = other.entries(token=daemon.admin_token)  # tokens are in the copy, too
        self.assert_whole(entries)
        self.assertGreaterEqual(len(entries), before)
        self.assertLessEqual(len(entries), after)

    def test_of_another_machine_leaves_a_token_that_opens_it(self):
        daemon = self.daemon()
        copy = os.path.join(daemon.folder, "copy.db")
        self.assertEqual(daemon.run("backup", copy).code, OK)
        for was in ("missing", "of before", "empty"):
            with self.subTest(was):
                other = self.daemon("--socket", "off", start=was == "of before")
                other.stop()
                self.assertEqual(other.run("restore", copy).code, OK)
                path = os.path.join(other.data, "admin.token")
                if was == "empty":
                    with open(path, "w", encoding="utf-8"):
                        os.chmod(path, 0o600)
                other.start()
                if was == "empty":  # none is wanted
                    self.assertEqual(other.admin_token, "")
                    continue
                shown = other.run("token", "list")
                self.assertEqual(shown.code, OK, shown.err)
                self.assertIn("admin of this data folder", shown.out)
                made = other.admin_token
                other.stop()
                other.start()
                self.assertEqual(other.admin_token, made)

    @unittest.skipUnless(os.geteuid() == 0, "only root restores for another")
    def test_by_root_that_fails_leaves_nothing_that_the_service_cannot_open(self):
        daemon = self.daemon(start=False)
        os.makedirs(daemon.data, 0o700)
        os.chown(daemon.data, 65534, 65534)
        broken = os.path.join(daemon.folder, "broken.db")
        with open(broken, "wb") as file:
            file.write(b"no database")
        self.assertEqual(daemon.run("restore", broken).code, FAILURE)
        self.assertEqual(os.stat(os.path.join(daemon.data, "belfry.lock")).st_uid, 65534)

    def test_goes_back_to_the_copy_and_keeps_the_database_before_aside(self):
        daemon = self.daemon()
        daemon.emit_ok([event(payload={"n": n}) for n in range(3)])
        copy = os.path.join(daemon.folder, "copy.db")
        shown = daemon.run("backup", copy)
        self.assertEqual((shown.code, shown.out), (OK, copy + "\n"))
        daemon.emit_ok(event())
        daemon.stop()
        shown = daemon.run("restore", copy, "--json")
        self.assertEqual(shown.code, OK, shown.err)
        aside = json.loads(shown.out)["kept_aside"]
        self.assertTrue(os.path.exists(aside))
        daemon.start()
        self.assertEqual(daemon.head(), 3)
        self.assertEqual(daemon.emit_ok(event())["sequence"], 4)
        daemon.stop()
        self.assertEqual(daemon.run("restore", aside).code, OK)
        daemon.start()
        self.assertEqual(daemon.head(), 4)

    def test_replaces_also_what_a_killed_daemon_left_in_its_log(self):
        daemon = self.daemon()
        daemon.emit_ok(event())
        copy = os.path.join(daemon.folder, "copy.db")
        daemon.run("backup", copy)
        daemon.emit_ok([event() for _ in range(50)])
        daemon.kill()
        self.assertEqual(daemon.run("restore", copy).code, OK)
        daemon.start()
        self.assertEqual(daemon.head(), 1)
        self.assert_whole(daemon.entries())

    def test_is_refused_while_the_daemon_runs_and_names_it(self):
        daemon = self.daemon()
        copy = os.path.join(daemon.folder, "copy.db")
        daemon.run("backup", copy)
        shown = daemon.run("restore", copy)
        self.assertEqual((shown.code, shown.out), (FAILURE, ""))
        self.assertIn(f"process {daemon.process.pid}", shown.err)
        self.assertEqual(daemon.emit(event()).status, 201)

    def test_refuses_what_is_no_sound_copy(self):
        daemon = self.daemon()
        daemon.emit_ok([event(payload={"text": "x" * 5000}) for _ in range(50)])
        copy = os.path.join(daemon.folder, "copy.db")
        daemon.run("backup", copy)
        daemon.stop()
        before = files_of(daemon)["belfry.db"]
        broken = os.path.join(daemon.folder, "broken.db")
        shutil.copy(copy, broken)
        with open(broken, "r+b") as file:
            for at in range(8192, os.path.getsize(broken), 4096):
                file.seek(at)
                file.write(b"\x5a" * 300)
        nothing = os.path.join(daemon.folder, "text")
        with open(nothing, "w", encoding="utf-8") as file:
            file.write("hello\n" * 1000)
        stranger = os.path.join(daemon.folder, "stranger.db")
        with sqlite3.connect(stranger) as database:
            database.execute("CREATE TABLE t (x)")
        database.close()
        for path in (broken, nothing, stranger, os.path.join(daemon.folder, "not-there")):
            with self.subTest(path):
                shown = daemon.run("restore", path)
                self.assertEqual((shown.code, shown.out), (FAILURE, ""), shown.err)
                self.assertIn(os.path.basename(path), shown.err)
        self.assertEqual(files_of(daemon)["belfry.db"], before)
        daemon.start()
        self.assertEqual(daemon.head(), 50)

    def test_does_not_write_over_a_file_unless_told(self):
        daemon = self.daemon()
        copy = os.path.join(daemon.folder, "copy.db")
        self.assertEqual(daemon.run("backup", copy).code, OK)
        shown = daemon.run("backup", copy)
        self.assertEqual(shown.code, FAILURE)
        self.assertIn("--force", shown.err)
        self.assertEqual(daemon.run("backup", copy, "--force").code, OK)
        self.assertEqual(daemon.run("backup", os.path.join(daemon.data, "belfry.db"), "--force").code, FAILURE)
        self.assertEqual(daemon.run("backup", daemon.folder).code, FAILURE)
        self.assertEqual(daemon.run("backup", "/nowhere/copy.db").code, FAILURE)
        self.assertEqual(daemon.emit(event()).status, 201)


NOBODY = 65534


@belfry.sqlite_only
@unittest.skipIf(os.geteuid() != 0, "only root can give files away")
class RestoredByRoot(belfry.Case):
    """Root puts a copy back for a daemon that runs under a user of its own."""

    def as_service(self):
        """A daemon of another user: a folder that he may enter, and a binary that he may start."""
        daemon = self.daemon(start=False)
        os.chmod(daemon.folder, 0o755)
        os.mkdir(daemon.data, 0o700)
        os.chown(daemon.data, NOBODY, NOBODY)
        binary = shutil.copy(belfry.BINARY, os.path.join(daemon.folder, "belfry"))
        os.chmod(binary, 0o755)
        own = daemon.command
        daemon.command = lambda *more: ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", binary,
                                        *own(*more)[1:]]
        return daemon

    def test_stays_the_property_and_the_secret_of_the_daemons_user(self):
        daemon = self.as_service().start()
        daemon.emit_ok(event())
        copy, path = os.path.join(daemon.folder, "copy.db"), os.path.join(daemon.data, "belfry.db")
        self.assertEqual(daemon.run("backup", copy).code, OK)
        daemon.emit_ok(event())
        daemon.stop()
        os.chmod(path, 0o640)
        shown = daemon.run("restore", copy)
        self.assertEqual(shown.code, OK, shown.err)
        facts = os.stat(path)
        self.assertEqual((facts.st_uid, facts.st_gid, facts.st_mode & 0o777), (NOBODY, NOBODY, 0o640))
        daemon.start()
        self.assertEqual(daemon.head(), 1)

    def test_where_nothing_was_belongs_to_the_owner_of_the_folder(self):
        first, daemon = self.daemon(), self.as_service()
        first.emit_ok(event())
        copy = os.path.join(first.folder, "copy.db")
        first.run("backup", copy)
        shown = daemon.run("restore", copy)
        self.assertEqual(shown.code, OK, shown.err)
        self.assertIn("there was no database here before", shown.err)
        for name in os.listdir(daemon.data):
            facts = os.stat(os.path.join(daemon.data, name))
            self.assertEqual((name, facts.st_uid, facts.st_mode & 0o777), (name, NOBODY, 0o600))
        daemon.start(ready=False)
        self.assertEqual(len(daemon.entries(token=first.admin_token)), 1)

    def test_a_database_of_somebody_else_is_named_with_the_reason(self):
        daemon = self.as_service().start()
        daemon.stop()
        path = os.path.join(daemon.data, "belfry.db")
        os.chown(path, 0, 0)
        os.chmod(path, 0o600)
        with self.assertRaises(belfry.Refused) as refused:
            daemon.start()
        self.assertIn(f"cannot open the database {path}: Permission denied", refused.exception.said)


class TheLock(belfry.Case):
    def test_keeps_a_second_daemon_out_and_names_the_first(self):
        daemon = self.daemon()
        second = belfry.Daemon(folder=daemon.folder)
        second.database = daemon.database
        second.log_path += "2"
        with self.assertRaises(belfry.Refused) as refused:
            second.start()
        self.assertEqual(refused.exception.code, FAILURE)
        self.assertIn(f"process {daemon.process.pid}", refused.exception.said)
        self.assertEqual(daemon.emit(event()).status, 201)
        self.assertTrue(os.path.exists(daemon.socket_path))

    def test_goes_with_a_killed_daemon(self):
        daemon = self.daemon()
        daemon.kill()
        daemon.start()
        self.assertEqual(daemon.emit(event()).status, 201)

    def test_a_port_in_use_is_told_and_leaves_nothing_behind(self):
        daemon = self.daemon()
        second = self.daemon(start=False)
        command = [belfry.BINARY, "serve", "--port", str(daemon.port), "--data", second.data]
        done = subprocess.run(command, capture_output=True, env=second.environment, timeout=belfry.PATIENCE, check=False)
        self.assertEqual(done.returncode, FAILURE)
        self.assertIn(str(daemon.port).encode(), done.stderr)
        second.start()


class Stopping(belfry.Case):
    def test_under_load_answers_everything_and_loses_nothing(self):
        daemon = self.daemon()
        producers = [Producer(daemon, f"p{n}", batch=1 if n < 6 else 20) for n in range(8)]
        with belfry.threads(*[producer.run for producer in producers]):
            try:
                belfry.eventually("load", lambda: all(len(producer.accepted) > 50 for producer in producers))
                code = daemon.stop()
            finally:
                for producer in producers:
                    producer.stopping.set()
        self.assertEqual(code, 0)
        self.assertIn("stopped", daemon.log())
        accepted = {}
        for producer in producers:
            accepted.update(producer.accepted)
            self.assertEqual([answer.status for answer in producer.refused if answer.status != 503], [])
        daemon.start()
        entries = daemon.entries()
        self.assert_whole(entries)
        there = {entry["event"]["source_id"]: entry["sequence"] for entry in entries}
        self.assertEqual(len(there), len(entries), "an event is there twice")
        for name, sequence in accepted.items():
            self.assertEqual(there.get(name), sequence)
        # A request that was under way is answered before the end: what is there and was not answered is none.
        self.assertEqual(set(there) - set(accepted), set())

    def test_answers_a_request_whose_body_is_still_coming(self):
        daemon = self.daemon()
        stream = belfry.Bytes(daemon.raw())
        self.addCleanup(stream.socket.close)
        body = json.dumps(event()).encode()
        stream.socket.sendall(f"POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {daemon.admin_token}"
                              f"\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode())
        belfry.eventually("the header is read", lambda: daemon.metrics()["belfry_connections"] == 2)
        daemon.process.terminate()
        belfry.eventually("it stops", lambda: "stopping" in daemon.log())
        stream.socket.sendall(body)
        answer = belfry.read_response(stream)
        self.assertIsNotNone(answer, "no answer")
        self.assertIn(answer.status, (201, 503))
        self.assertEqual(daemon.process.wait(belfry.PATIENCE), 0)
        daemon.start()
        self.assertEqual(daemon.head(), 1 if answer.status == 201 else 0)

    def test_is_not_held_up_by_an_idle_connection_or_by_readers(self):
        daemon = self.daemon()
        held = [daemon.raw() for _ in range(5)] + [daemon.sse().socket, daemon.websocket().socket]
        idle = daemon.connect()
        daemon.get("/healthz", connection=idle)
        began = time.monotonic()
        self.assertEqual(daemon.stop(), 0)
        self.assertLess(time.monotonic() - began, 8)
        for connection in held:
            connection.close()
        idle.close()

    def test_twice_asked_is_no_crash(self):
        daemon = self.daemon()
        with daemon.sse():
            daemon.process.send_signal(signal.SIGTERM)
            daemon.process.send_signal(signal.SIGINT)
            self.assertEqual(daemon.process.wait(belfry.PATIENCE), 0)

    def test_sighup_does_not_end_it(self):
        daemon = self.daemon()
        for _ in range(3):
            daemon.process.send_signal(signal.SIGHUP)
        belfry.eventually("a word", lambda: "reload" in daemon.log())
        self.assertEqual(daemon.emit(event()).status, 201)

    def test_sighup_reads_subscribers_again_where_no_watch_can_see_it(self):
        """The way to the folder goes over a link that is turned: nothing that is watched changes."""
        daemon = belfry.Daemon()
        self.addCleanup(daemon.close)
        text = ('[subscriber]\nid = "{0}"\nname = "{0}"\ndescription = "d"\nversion = "1.0.0"\n'
                '[events]\ntypes = ["test.{0}"]\n')
        for name in ("before", "after"):
            folder = os.path.join(daemon.folder, name, "subscribers")
            os.makedirs(folder)
            with open(os.path.join(folder, "one.toml"), "w", encoding="utf-8") as file:
                file.write(text.format(name))
        link = os.path.join(daemon.folder, "link")
        os.symlink("before", link)
        daemon.options += ["--subscribers", os.path.join(link, "subscribers")]
        daemon.start()
        known = lambda: {one["id"] for one in json_of(daemon.get("/v1/subscribers"))["data"]}
        self.assertIn("before", known())
        os.symlink("after", link + ".new")
        os.rename(link + ".new", link)
        self.assertNotIn("after", known())
        daemon.process.send_signal(signal.SIGHUP)
        belfry.eventually("the other folder", lambda: "after" in known())
        self.assertNotIn("before", known())


class Observing(belfry.Case):
    def test_metrics_are_prometheus_text(self):
        daemon = self.daemon()
        daemon.emit_ok(event())
        daemon.emit(event(type="bad"))
        answer = daemon.get("/metrics")
        self.assertTrue(answer.headers["content-type"].startswith("text/plain; version=0.0.4"))
        kinds, seen = {}, set()
        text = answer.body.decode()
        self.assertTrue(text.endswith("\n"))
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                _, _, name, kind = line.split(" ")
                self.assertNotIn(name, kinds)
                kinds[name] = kind
            elif line.startswith("# HELP "):
                self.assertRegex(line, r"^# HELP belfry_\w+ \S")
            else:
                found = re.match(r"^(belfry_[a-z0-9_]+)(\{(?:[a-z_]+=\"[^\"]*\",?)+\})? (\S+)$", line)
                self.assertTrue(found, line)
                float(found.group(3))
                self.assertNotIn(found.group(1) + (found.group(2) or ""), seen, "a sample stands twice")
                seen.add(found.group(1) + (found.group(2) or ""))
                base = re.sub("_(bucket|sum|count)$", "", found.group(1))
                self.assertTrue(found.group(1) in kinds or kinds.get(base) == "histogram", line)
        samples = daemon.metrics()
        self.assertEqual(samples["belfry_events_accepted_total"], 1)
        self.assertEqual(samples["belfry_events_refused_total"], 1)
        for name, kind in kinds.items():
            if kind == "counter":
                self.assertTrue(name.endswith("_total"), name)
            if kind == "histogram":
                buckets = [value for key, value in samples.items() if key.startswith(name + "_bucket")]
                self.assertEqual(buckets, sorted(buckets))
                self.assertEqual(buckets[-1], samples[name + "_count"])

    def test_logs_as_json_are_one_object_a_line(self):
        daemon = self.daemon("--log-format", "json", "--log-level", "debug")
        daemon.emit_ok(event())
        daemon.process.send_signal(signal.SIGHUP)
        daemon.stop()
        lines = [json.loads(line) for line in daemon.log().splitlines()]
        self.assertGreaterEqual(len(lines), 3)
        for line in lines:
            self.assertIsInstance(line, dict)
            self.assertIn(line["level"], ("debug", "info", "warning", "error"))
            self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT")
            self.assertTrue(line["message"])

    def test_readiness_and_health_are_open_and_say_little(self):
        daemon = self.daemon()
        for path in ("/healthz", "/readyz"):
            answer = daemon.get(path, token=None)
            self.assertEqual(answer.status, 200)
            self.assertLess(len(answer.body), 100)


@belfry.sqlite_only
class Memory(belfry.Case):
    @unittest.skipIf(belfry.is_sanitized(), "a sanitizer has an allocator of its own")
    def test_of_a_commit_is_used_again_by_the_next(self):
        daemon = self.daemon()
        batch = [event(payload={"s": "x" * 300})] * 1000
        for _ in range(60):
            daemon.emit_ok(batch)
        before = daemon.page_faults()
        for _ in range(40):
            daemon.emit_ok(batch)
        self.assertLess((daemon.page_faults() - before) / 40, 10, "pages that a commit of 1,000 events takes anew")


@belfry.sqlite_only
class Versions(belfry.Case):
    def test_a_database_of_a_newer_schema_is_refused_and_left_alone(self):
        daemon = self.daemon()
        daemon.emit_ok(event())
        daemon.stop()
        path = os.path.join(daemon.data, "belfry.db")
        with sqlite3.connect(path) as database:
            database.execute("INSERT INTO schema_versions (version, name) VALUES (999, CAST('future' AS BLOB))")
        database.close()
        before = files_of(daemon)["belfry.db"]
        with self.assertRaises(belfry.Refused) as refused:
            daemon.start()
        self.assertEqual(refused.exception.code, FAILURE)
        self.assertIn("999", refused.exception.said)
        self.assertIn("newer", refused.exception.said)
        self.assertEqual(files_of(daemon)["belfry.db"], before)
        shown = daemon.run("doctor", "--json")
        self.assertIn("failure", [finding["state"] for finding in json.loads(shown.out)["findings"]
                                  if finding["check"] == "schema"])
        copy = os.path.join(daemon.folder, "copy.db")
        shutil.copy(path, copy)
        self.assertEqual(daemon.run("restore", copy).code, FAILURE)

    def test_what_is_no_database_is_refused_and_left_alone(self):
        daemon = self.daemon(start=False)
        os.mkdir(daemon.data, 0o700)
        path = os.path.join(daemon.data, "belfry.db")
        with open(path, "wb") as file:
            file.write(b"somebody's novel\n" * 500)
        with self.assertRaises(belfry.Refused) as refused:
            daemon.start()
        self.assertIn("belfry.db", refused.exception.said)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), b"somebody's novel\n" * 500)


if __name__ == "__main__":
    unittest.main()
