"""What breaks under a running daemon: a disk that fails or becomes read-only, a process that stands still, no descriptors left, a
clock that jumps. Nothing acknowledged is lost, nothing is doubled, and it goes on by itself when the fault is gone.

fault.c makes the faults inside the real binary; see faults.py.
"""

import contextlib
import errno
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

import belfry
import faults
import rpc
from belfry import event, eventually, json_of, unique
from readers import read_response
from test_sinks import Receiver, webhook
from with_postgres import Server

FOR_EVER = -1
HOUR = 3600


class Load:
    """Emits events with ids of their own as fast as they are answered; what is refused is asked again, as a good client does."""

    def __init__(self, daemon, producers=3):
        self.daemon, self.producers = daemon, producers
        self.token = daemon.admin_token
        self.acknowledged = {}  # own id: sequence
        self.refused = set()
        self.ending = threading.Event()

    def produce(self, name):
        connection = self.daemon.connect()
        count = 0
        try:
            while not self.ending.is_set():
                count += 1
                own = f"{name}-{count}"
                while not self.send(own, connection):
                    if self.ending.wait(0.02):
                        return
        except OSError:
            self.daemon.process.wait(belfry.PATIENCE)  # it died, or this is a failure
        finally:
            connection.close()

    def send(self, own, connection):
        try:
            answer = self.daemon.emit(event(id=own, payload={"text": "x" * 500}), token=self.token, connection=connection)
        except http.client.HTTPException as error:
            raise ConnectionError from error
        if answer.status == 503:
            self.refused.add(json_of(answer)["code"])
            return False
        assert answer.status == 201, answer.body
        self.acknowledged[own] = json_of(answer)["sequence"]
        return True

    def __enter__(self):
        self.running = belfry.threads(*[lambda n=n: self.produce(f"{unique()}-{n}") for n in range(self.producers)])
        self.running.__enter__()  # pylint: disable=unnecessary-dunder-call
        return self

    def __exit__(self, *failure):
        self.finish()

    def finish(self):
        """Everybody has had his last answer."""
        self.ending.set()
        running, self.running = self.running, contextlib.nullcontext()
        running.__exit__(None, None, None)

    def go_on(self, count=15):
        before = len(self.acknowledged)
        eventually("load", lambda: len(self.acknowledged) >= before + count)


class Broken(faults.Case):
    def assert_kept(self, daemon, acknowledged):
        entries = daemon.entries()
        self.assert_whole(entries)
        there = {entry["event"]["source_id"]: entry["sequence"] for entry in entries}
        self.assertEqual(len(there), len(entries), "an event is there twice")
        for own, sequence in acknowledged.items():
            self.assertEqual(there.get(own), sequence, f"{own} was acknowledged")

    def readiness(self, daemon, connection=None):
        answer = daemon.get("/readyz", token=None, connection=connection)
        return answer.status, json_of(answer)["status"]

    def emit_some(self, daemon, count=10):
        acknowledged = {}
        for _ in range(count):
            own = unique()
            acknowledged[own] = daemon.emit_ok(event(id=own, user_id="ada"))["sequence"]
        return acknowledged


@belfry.sqlite_only
class ADiskThatFails(Broken):
    def test_at_a_sync_or_a_write_now_and_then_costs_nobody_anything(self):
        daemon = self.breakable()
        with daemon.sse("/v1/streams/events?from=start") as reader, Load(daemon) as load:
            for turn, (kind, torn) in enumerate((("sync", False), ("write", False), ("write", True))):
                load.go_on()
                self.faults.arm(kind, "-wal", skip=turn, times=1, torn=torn)
                eventually("the fault", lambda kind=kind: self.faults.failed(kind) == 1)
                load.go_on()
            load.finish()
            seen = reader.entries(len(load.acknowledged))
        self.assert_whole(seen)
        self.assert_kept(daemon, load.acknowledged)
        self.assertEqual(daemon.metrics()["belfry_store_reopened_total"], 3)
        self.assertEqual(daemon.stop(), 0)
        self.assert_kept(daemon.start(), load.acknowledged)

    def test_from_then_on_is_told_to_everybody_until_it_is_healed(self):
        for kind, torn, error in (("sync", False, errno.EIO), ("write", True, errno.EIO), ("write", False, errno.EROFS)):
            with self.subTest(kind=kind, error=errno.errorcode[error]):
                daemon = self.breakable()
                acknowledged = self.emit_some(daemon)
                run = json_of(daemon.post("/v1/runs", {}))["id"]
                with daemon.sse(f"/v1/runs/{run}/events") as reader:
                    self.assertEqual(reader.frame().kind, "lifecycle.started")
                    self.faults.arm(kind, "-wal", torn=torn, error=error)
                    refused = daemon.emit(event(id=unique()))
                    self.assertEqual((refused.status, json_of(refused)["code"]), (503, "outcome_unknown"), refused.body)
                    self.assertEqual(self.readiness(daemon), (503, "store_down"))
                    self.assertEqual(daemon.get("/healthz").status, 200)
                    self.assertEqual(json_of(daemon.emit(event()))["code"], "unavailable")
                    self.assertEqual(self.told(reader), "down")
                    self.assert_kept(daemon, acknowledged)
                    self.faults.heal()
                    self.assertEqual(self.told(reader), "up")
                    self.assertEqual(self.readiness(daemon), (200, "ready"))
                acknowledged |= self.emit_some(daemon)
                daemon.kill()
                self.assert_kept(daemon.start(), acknowledged)

    def told(self, reader):
        while True:
            frame = reader.frame()
            if frame.kind == "store":
                return frame.data["state"]

    def test_that_does_not_answer_is_told_too(self):
        daemon = self.breakable()
        acknowledged = self.emit_some(daemon)
        self.faults.arm("sync", "-wal", error=faults.HANG)
        answered = []
        with belfry.threads(lambda: answered.append(daemon.emit(event(id="held")))):
            eventually("told", lambda: self.readiness(daemon) == (503, "store_down"))
            refused = daemon.emit(event(id="refused"))
            self.assertEqual((refused.status, json_of(refused)["code"]), (503, "unavailable"), refused.body)
            self.assert_kept(daemon, acknowledged)
            self.faults.heal()
        self.assertEqual(answered[0].status, 201)
        eventually("ready", lambda: self.readiness(daemon)[0] == 200)
        self.assert_kept(daemon, acknowledged | {"held": json_of(answered[0])["sequence"]} | self.emit_some(daemon))

    def test_at_reads_shows_nothing_wrong_and_recovers(self):
        daemon = self.breakable()
        acknowledged = self.emit_some(daemon)
        daemon.stop()
        daemon.start()
        self.faults.arm("read", "belfry.db")
        self.faults.arm("open", "belfry.db", error=errno.EIO)
        answer = daemon.get("/v1/streams/events")
        self.assertEqual(answer.status, 503, answer.body)
        self.assertIn(daemon.emit(event(id="meanwhile")).status, (201, 503))  # as far as its memory goes
        self.faults.heal()
        eventually("taken", lambda: daemon.emit(event(id="meanwhile")).status == 201)
        self.assert_kept(daemon, acknowledged | self.emit_some(daemon))

    def test_while_the_log_is_folded_in_does_not_stop_the_writing(self):
        for kind in ("write", "sync"):
            with self.subTest(kind=kind):
                daemon = self.breakable()
                acknowledged = self.emit_some(daemon)
                self.faults.arm(kind, "belfry.db")
                self.fold(daemon)
                eventually("the fault is told", lambda: "the write-ahead log could not be emptied" in daemon.log())
                for _ in range(3):
                    acknowledged |= self.emit_some(daemon)
                self.assertEqual(self.readiness(daemon), (200, "ready"))
                self.faults.heal()
                eventually("folded in", lambda: os.path.getsize(daemon.data + "/belfry.db-wal") == 0)
                daemon.kill()
                self.assert_kept(daemon.start(), acknowledged)

    def fold(self, daemon):
        """An erasure folds the log in; this one finds nothing."""
        self.assertEqual(daemon.post("/v1/erasures", {"user_id": "nobody"}).status // 100, 2)

    def test_and_a_death_while_the_log_is_folded_in_lose_nothing(self):
        daemon = self.breakable()
        acknowledged = self.emit_some(daemon, 50)
        self.faults.arm("write", "belfry.db", skip=1, times=1, error=signal.SIGKILL, torn=True)
        self.fold(daemon)
        self.assertEqual(daemon.process.wait(belfry.PATIENCE), -signal.SIGKILL)
        self.faults.heal()
        self.assert_kept(daemon.start(), acknowledged)
        self.assertEqual(daemon.run("doctor").code, 0)

    def test_and_a_death_while_it_is_opened_again_lose_nothing(self):
        daemon = self.breakable()
        acknowledged = self.emit_some(daemon)
        self.faults.arm("sync", "-wal")
        self.assertEqual(daemon.emit(event(id=unique())).status, 503)
        self.faults.arm("write", "-wal", error=signal.SIGKILL, torn=True)
        self.assertEqual(daemon.process.wait(belfry.PATIENCE), -signal.SIGKILL)
        self.faults.heal()
        self.assert_kept_but(daemon.start(), acknowledged, 1)

    def assert_kept_but(self, daemon, acknowledged, unknown):
        """As assert_kept, where so many more may be there of which nobody knows."""
        names = [entry["event"]["source_id"] for entry in daemon.entries()]
        self.assertEqual(names[:len(acknowledged)], list(acknowledged))
        self.assertLessEqual(len(names), len(acknowledged) + unknown)

    def test_and_a_torn_write_with_a_death_in_it_lose_nothing_under_load(self):
        daemon = self.breakable()
        with Load(daemon) as load:
            load.go_on()
            self.faults.arm("write", "-wal", skip=3, times=1, error=signal.SIGKILL, torn=True)
            daemon.process.wait(belfry.PATIENCE)
        self.faults.heal()
        daemon.start()
        entries = daemon.entries()
        self.assert_whole(entries)
        there = {entry["event"]["source_id"]: entry["sequence"] for entry in entries}
        for own, sequence in load.acknowledged.items():
            self.assertEqual(there.get(own), sequence)
        self.assertLessEqual(len(there), len(load.acknowledged) + load.producers)

    def test_at_the_start_is_refused_with_a_reason_and_harms_nothing(self):
        daemon = self.breakable()
        acknowledged = self.emit_some(daemon)
        daemon.kill()  # its log is there to be read
        for kind, end in (("read", "belfry.db"), ("read", "-wal"), ("sync", "-wal"), ("write", "-wal")):
            with self.subTest(kind=kind, file=end):
                self.faults.arm(kind, end)
                with self.assertRaises(belfry.Refused) as refused:
                    daemon.start()
                self.assertEqual(refused.exception.code, 1)
                self.assertIn("belfry.db", refused.exception.said)
                self.faults.heal()
        self.assert_kept(daemon.start(), acknowledged)

    def test_at_the_first_start_leaves_a_token_to_the_next_one(self):
        for fault in (errno.ENOSPC, signal.SIGKILL):
            with self.subTest(fault=fault):
                daemon = self.breakable(start=False)
                self.faults.arm("open", "", part="admin.token.new", error=fault)
                with self.assertRaises(belfry.Refused):
                    daemon.start()
                self.faults.heal()
                daemon.start()
                self.emit_some(daemon)
                token = daemon.admin_token
                daemon.stop()
                self.assertEqual(daemon.start().admin_token, token)

    def test_is_full_and_killed_while_it_looks_for_room(self):
        daemon = self.breakable()
        acknowledged = self.emit_some(daemon)
        self.faults.arm("write", "-wal", error=errno.ENOSPC, torn=True)
        self.assertEqual(daemon.emit(event(id=unique(), payload={"text": "x" * 100000})).status, 503)
        self.assertEqual(self.readiness(daemon), (503, "store_down"))
        self.faults.arm("write", "-wal", error=signal.SIGKILL, torn=True)
        self.assertEqual(daemon.process.wait(belfry.PATIENCE), -signal.SIGKILL)
        self.faults.heal()
        self.assert_kept_but(daemon.start(), acknowledged, 1)


@belfry.sqlite_only
class AReadOnlyDisk(Broken):
    """As ext4 makes itself one after an error; the disk is a file on a loop device, which only root can mount."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="belfry-disk-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.disk, self.image = os.path.join(self.folder, "disk"), os.path.join(self.folder, "image")
        os.mkdir(self.disk)
        with open(self.image, "wb") as file:
            file.truncate(32 << 20)
        try:
            self.must("mkfs.ext4", "-q", "-O", "^has_journal", self.image)
            self.mount()
        except (OSError, AssertionError) as why:
            print("NOT TESTED: a read-only disk, because no file can be mounted here:", why, file=sys.stderr)
            self.skipTest("mounting needs root")
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=False)

    def mount(self):
        self.must("mount", "-o", "loop,errors=remount-ro", self.image, self.disk)

    def must(self, *command):
        done = subprocess.run(command, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def fail_file_system(self):
        device = os.path.basename(self.must("findmnt", "-n", "-o", "SOURCE", self.disk))
        try:
            with open(f"/sys/fs/ext4/{device}/trigger_fs_error", "w", encoding="utf-8") as file:
                file.write("a test")
        except OSError as why:
            self.skipTest(f"this kernel cannot make a file system fail: {why}")

    def test_is_told_while_it_lasts_and_loses_nothing(self):
        daemon = self.daemon(data=os.path.join(self.disk, "data"))
        acknowledged = self.emit_some(daemon)
        for is_written_back in (False, True):
            with self.subTest(is_written_back=is_written_back):
                if is_written_back:
                    self.must("sync", "-f", self.disk)  # no page may be changed any more, not even of what is mapped
                self.fail_file_system()
                self.assertEqual(daemon.emit(event(id=unique())).status, 503)
                self.assertEqual(self.readiness(daemon), (503, "store_down"))
                self.assertEqual(daemon.get("/healthz").status, 200)
                self.assert_kept(daemon, acknowledged)
                daemon.stop()
                self.must("umount", self.disk)
                self.mount()
                daemon.start()
                names = [entry["event"]["source_id"] for entry in daemon.entries()]
                self.assertEqual(names[:len(acknowledged)], list(acknowledged))
                self.assertLessEqual(len(names), len(acknowledged) + 1)
                acknowledged = dict(zip(names, range(1, len(names) + 1))) | self.emit_some(daemon)

    def test_at_the_start_is_refused_with_the_reason(self):
        daemon = self.daemon(data=os.path.join(self.disk, "data"))
        acknowledged = self.emit_some(daemon)
        daemon.kill()
        self.must("mount", "-o", "remount,ro", self.disk)
        with self.assertRaises(belfry.Refused) as refused:
            daemon.start()
        self.assertEqual(refused.exception.code, 1)
        self.assertIn("Read-only file system", refused.exception.said)
        self.must("mount", "-o", "remount,rw", self.disk)
        self.assert_kept(daemon.start(), acknowledged)


class StandingStill(Broken):
    """SIGSTOP, or a machine that slept: what came meanwhile is taken, and nobody is blamed for the daemon's own silence."""

    SECONDS = 200  # longer than any silence is borne

    def test_for_minutes_costs_nobody_his_connection_or_a_word(self):
        daemon = self.breakable()
        run = json_of(daemon.post("/v1/runs", {}))["id"]
        path = f"/v1/runs/{run}/events"
        with daemon.sse() as sse, daemon.websocket() as web, rpc.over_unix(daemon) as link, \
                rpc.OverWebSocket(daemon) as web_link, contextlib.ExitStack() as stack:
            for peer in (link, web_link):
                peer.ok("run/follow", {"run_id": run})
                self.assertEqual(peer.notification()["params"]["event"]["event"], "lifecycle.started")
            kept = daemon.connect()
            self.addCleanup(kept.close)
            daemon.page(limit=1, connection=kept)  # one who has shown a token
            upload = self.begin_upload(daemon, path)
            before = self.emit_some(daemon)
            # Both WebSockets are asked whether they are there; their answers come while the daemon stands still.
            self.faults.jump(steady_s=16)
            shown = self.until_ping(web)
            self.assertEqual(self.until_ping(web_link.web), [])
            with self.stopped(daemon, self.SECONDS):
                load = stack.enter_context(Load(daemon, producers=1))
                web.send(10)
                web_link.web.send(10)
                upload.sendall(self.chunk({"event": "a.b", "data": "meanwhile"}))
                fresh = [daemon.raw() for _ in range(5)]
                for one in fresh:
                    self.addCleanup(one.close)
                    one.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                kept.request("GET", "/healthz")
            load.go_on()
            load.finish()
            for one in fresh:
                self.assertIsNotNone(answer := read_response(belfry.Bytes(one)), "it came meanwhile, and was sent away")
                self.assertEqual(answer.status, 200)
            answer = kept.getresponse()
            self.assertEqual((answer.status, answer.read()), (200, b'{"status":"ok"}'))
            upload.sendall(self.chunk({"event": "a.b", "data": "after"}) + b"0\r\n\r\n")
            done = read_response(belfry.Bytes(upload))
            self.assertEqual((done.status, json_of(done)["accepted"]), (201, 2), done.body)
            for peer in (link, web_link):
                words = [peer.notification()["params"]["event"]["data"] for _ in range(2)]
                self.assertEqual(words, ["meanwhile", "after"])
            acknowledged = before | load.acknowledged
            count = len(acknowledged)
            last = daemon.emit_ok(event(id="last"))["sequence"]
            self.assert_whole(sse.entries(count + 1))
            self.assert_whole(shown + [self.next_entry(web) for _ in range(count + 1 - len(shown))])
        self.assertEqual(last, count + 1)
        self.assert_kept(daemon, acknowledged)

    def test_who_comes_meanwhile_is_served(self):
        daemon = self.breakable()
        for _ in range(3):
            with self.stopped(daemon, self.SECONDS):
                came = daemon.raw()
                self.addCleanup(came.close)
                came.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            answer = read_response(belfry.Bytes(came))
            self.assertIsNotNone(answer, "it was sent away")
            self.assertEqual(answer.status, 200)

    def next_entry(self, web):
        message = web.message()
        while message == {"type": "beat"}:
            message = web.message()
        self.assertIsNotNone(message, "the WebSocket was closed")
        self.assertIn("sequence", message)
        return message

    def until_ping(self, web):
        """What comes before the server asks whether its reader is there."""
        entries = []
        while True:
            opcode, payload = web.frame()
            if opcode == 9:
                return entries
            message = json.loads(payload)
            if message != {"type": "beat"}:
                entries.append(message)

    def begin_upload(self, daemon, path):
        connection = daemon.raw()
        self.addCleanup(connection.close)
        connection.sendall(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {daemon.admin_token}\r\n"
                           "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        return connection

    @staticmethod
    def chunk(document):
        line = json.dumps(document).encode() + b"\n"
        return b"%x\r\n%s\r\n" % (len(line), line)

    def test_past_the_lease_of_an_agent_leaves_one_speaker(self):
        daemon = self.breakable()
        for acknowledges in (False, True):
            with self.subTest(acknowledges=acknowledges):
                session = unique("s-")
                self.assertEqual(daemon.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada"}).status // 100, 2)
                made = json_of(daemon.post("/v1/notifications", {
                    "text": "Disk full", "user_id": "ada", "session_id": session, "ttl_s": 30,
                    "routing": {"address": "session", "target": "user", "handler": "agent"}}))
                pulled = json_of(daemon.post(f"/v1/sessions/{session}/pull", {"point": "turn_start", "lease_s": 30}))
                held = pulled["items"][0]
                late = daemon.raw()
                self.addCleanup(late.close)
                with self.stopped(daemon, self.SECONDS):
                    body = json.dumps({"lease": held["lease"], "text": "The disk is full."})
                    if acknowledges:
                        late.sendall((f"POST /v1/notifications/{made['id']}/narrate HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: "
                                      f"Bearer {daemon.admin_token}\r\nContent-Type: application/json\r\n"
                                      f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
                said = read_response(belfry.Bytes(late)).status == 200 if acknowledges else False
                daemon.emit_ok(event())  # it looks at the clock
                row = eventually("decided", lambda: (lambda one: one if one["state"] == "escalated" or one["narration"] else None)(
                    json_of(daemon.get(f"/v1/notifications/{made['id']}"))))
                self.assertEqual((row["state"], bool(row["narration"])), ("locked", True) if said else ("escalated", False))


class NoDescriptorLeft(Broken):
    def ringing(self, **sinks):
        daemon = self.breakable("--owner", "ada", start=False)
        self.sinks = os.path.join(daemon.folder, "sinks")
        os.mkdir(self.sinks)
        daemon.options += ["--sinks", self.sinks]
        for name, text in sinks.items():
            self.put(f"{self.sinks}/{name}.toml", text)
        return daemon.start()

    def put(self, path, text, mode=0o600):
        with open(os.open(path + "~", os.O_CREAT | os.O_WRONLY, mode), "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(path + "~", path)

    def notify(self, daemon, text, connection):
        answer = daemon.post("/v1/notifications", {"text": text, "user_id": "ada"}, connection=connection)
        self.assertEqual(answer.status, 201, answer.body)
        return json_of(answer)["id"]

    def steps(self, daemon, which):
        story = json_of(daemon.get("/v1/why/" + which))
        return [step["reason"].split(":")[0] for step in story["notifications"][0]["steps"]
                if (step["holder"] or "").startswith("sink:")]

    def test_whoever_is_connected_goes_on_and_the_others_are_served_later(self):
        daemon = self.breakable()
        kept = self.known_connection(daemon)
        with daemon.sse() as reader:
            first = daemon.emit(event(id="first"), connection=kept)
            with faults.NoDescriptors(daemon):
                self.assertEqual(daemon.emit(event(id="second"), connection=kept).status, 201)
                self.assertEqual([entry["event"]["source_id"] for entry in reader.entries(2)], ["first", "second"])
                self.assertEqual(self.readiness(daemon, kept), (200, "ready"))
                waiting = [daemon.raw() for _ in range(20)]
                for one in waiting:
                    one.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                self.assertEqual(daemon.emit(event(id="third"), connection=kept).status, 201)
            for one in waiting:
                self.assertEqual(read_response(belfry.Bytes(one)).status, 200)
                one.close()
            self.assertEqual(reader.entries(1)[0]["event"]["source_id"], "third")
        self.assert_kept(daemon, {"first": json_of(first)["sequence"]})

    @belfry.sqlite_only
    def test_the_store_that_has_to_be_opened_again_is(self):
        daemon = self.breakable()
        acknowledged = self.emit_some(daemon)
        kept = self.known_connection(daemon)
        with faults.NoDescriptors(daemon):
            waiting = [daemon.raw() for _ in range(20)]  # for the descriptors that it gives back meanwhile
            self.faults.arm("sync", "-wal", times=1)
            self.assertEqual(daemon.emit(event(id=unique()), connection=kept).status, 503)
            for one in waiting:
                one.close()
        eventually("ready", lambda: self.readiness(daemon)[0] == 200)
        self.assert_kept(daemon, acknowledged | self.emit_some(daemon))

    @belfry.sqlite_only
    def test_the_log_is_folded_in_later(self):
        daemon = self.breakable()
        self.emit_some(daemon)
        kept = self.known_connection(daemon)
        with faults.NoDescriptors(daemon):
            self.assertEqual(daemon.post("/v1/erasures", {"user_id": "nobody"}, connection=kept).status // 100, 2)
            eventually("told", lambda: "the write-ahead log could not be emptied" in daemon.log())
            self.assertEqual(daemon.emit(event(), connection=kept).status, 201)
        eventually("folded in", lambda: os.path.getsize(daemon.data + "/belfry.db-wal") == 0)

    # Two are for reading what is to be said; then one is for the connection, two for asking for a name, four for a program.

    def test_a_webhook_is_called_when_there_is_one(self):
        for left in (0, 3):
            self.ring_without_descriptors("127.0.0.1", left)

    def test_a_webhook_whose_name_cannot_be_asked_for_is_called_later(self):
        for left in (0, 2, 3):
            self.ring_without_descriptors("localhost", left)

    def ring_without_descriptors(self, host, left):
        receiver = Receiver(204)
        self.addCleanup(receiver.close)
        with self.subTest(host=host, left=left):
            daemon = self.ringing(hook=webhook("hook", receiver.url.replace("127.0.0.1", host)))
            kept = self.known_connection(daemon)
            with faults.NoDescriptors(daemon, left):
                which = self.notify(daemon, "hello", kept)
                eventually("tried", lambda: receiver.requests or daemon.process.poll() is not None
                           or "what is owed could not be done" in daemon.log())
                self.assertIsNone(daemon.process.poll(), daemon.log()[-500:])
            eventually("delivered", lambda: "sink_delivered" in self.steps(daemon, which))
            self.assertEqual(len(receiver.requests), 1)
            daemon.kill()

    def known_connection(self, daemon):
        """One that was there before."""
        kept = daemon.connect()
        self.addCleanup(kept.close)
        self.assertEqual(daemon.get("/v1/notifications?user=ada", connection=kept).status, 200)
        return kept

    def test_a_program_is_not_begun_and_begun_again(self):
        for left in (4, 6):
            with self.subTest(left=left):
                daemon = self.ringing()
                heard, script = daemon.folder + "/heard", daemon.folder + "/script"
                self.put(script, f"#!/bin/sh\necho rung >> {heard}\n", 0o700)
                self.put(f"{self.sinks}/say.toml", f'[sink]\nid = "say"\nkind = "command"\n[command]\nargv = ["{script}"]\n')
                eventually("read", lambda: "the sinks were read again" in daemon.log())
                kept = self.known_connection(daemon)
                with faults.NoDescriptors(daemon, left):
                    which = self.notify(daemon, "hello", kept)
                    eventually("tried", lambda: "what is owed could not be done" in daemon.log() or os.path.exists(heard))
                eventually("delivered", lambda: "sink_delivered" in self.steps(daemon, which))
                with open(heard, encoding="utf-8") as file:
                    self.assertEqual(file.read(), "rung\n")
                self.assertNotIn("cannot watch over", daemon.log(), "it was begun, and ended at once")
                daemon.stop()

    def test_sinks_and_subscribers_that_cannot_be_read_again_stay(self):
        receiver = Receiver(204)
        self.addCleanup(receiver.close)
        daemon = self.ringing(hook=webhook("hook", receiver.url))
        kept = self.known_connection(daemon)
        with faults.NoDescriptors(daemon):
            daemon.process.send_signal(signal.SIGHUP)
            eventually("tried", lambda: "Too many open files" in daemon.log())
            self.assertNotIn("read again", daemon.log())
            which = self.notify(daemon, "hello", kept)
            eventually("tried", lambda: "what is owed could not be done" in daemon.log())
        self.put(f"{self.sinks}/other.toml", webhook("other", receiver.url, 'users = ["nobody"]'))
        eventually("read again", lambda: "the sinks were read again" in daemon.log())
        eventually("delivered", lambda: "sink_delivered" in self.steps(daemon, which))
        self.assertEqual(len(receiver.requests), 1)


class AClockThatJumps(Broken):
    def test_back_while_the_store_is_down_does_not_keep_it_down(self):
        if belfry.STORE != "sqlite":
            self.skipTest("the embedded store only")
        for error in (errno.EIO, errno.ENOSPC):
            with self.subTest(error=errno.errorcode[error]):
                daemon = self.breakable()
                acknowledged = self.emit_some(daemon)
                self.faults.arm("write", "-wal", error=error)
                self.assertEqual(daemon.emit(event(id=unique(), payload={"text": "x" * 100000})).status, 503)
                self.assertEqual(self.readiness(daemon), (503, "store_down"))
                self.faults.jump(wall_s=-3 * HOUR)
                self.faults.heal()
                eventually("ready", lambda: self.readiness(daemon)[0] == 200)
                self.assert_kept(daemon, acknowledged | self.emit_some(daemon))

    def test_to_and_fro_under_load_loses_and_doubles_nothing(self):
        daemon = self.breakable()
        with daemon.sse("/v1/streams/events?from=start") as reader, Load(daemon) as load:
            for hours in (3, -3, -5, 5, 24 * 20, -24 * 20):
                load.go_on()
                self.faults.jump(wall_s=hours * HOUR)
            load.go_on()
            load.finish()
            self.assert_whole(reader.entries(len(load.acknowledged)))
        self.assert_kept(daemon, load.acknowledged)
        self.faults.jump(wall_s=-2 * HOUR)
        daemon.kill()
        self.assert_kept(daemon.start(), load.acknowledged)

    def test_forward_makes_due_what_waits_for_it(self):
        daemon = self.breakable()
        made = json_of(daemon.post("/v1/notifications", {
            "text": "Disk full", "user_id": "ada", "ttl_s": 300,
            "routing": {"address": "user", "target": "user", "handler": "agent"}}))
        self.assertEqual(made["state"], "pending")
        self.faults.jump(wall_s=HOUR)
        daemon.emit_ok(event())  # it looks at the clock, as an idle one does every ten seconds
        eventually("escalated",
                   lambda: json_of(daemon.get(f"/v1/notifications/{made['id']}"))["state"] == "escalated")

    def test_forward_past_the_claim_of_a_call_that_is_under_way_does_not_make_it_twice(self):
        let_go = threading.Event()
        self.addCleanup(let_go.set)
        receiver = HeldReceiver(let_go)
        self.addCleanup(receiver.close)
        daemon = self.breakable("--owner", "ada", start=False)
        sinks = os.path.join(daemon.folder, "sinks")
        os.mkdir(sinks)
        with open(os.open(f"{sinks}/hook.toml", os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            file.write(webhook("hook", receiver.url))
        daemon.options += ["--sinks", sinks]
        daemon.start()
        which = json_of(daemon.post("/v1/notifications", {"text": "hello", "user_id": "ada"}))["id"]
        eventually("called", lambda: receiver.requests)
        claimed = daemon.metrics()["belfry_obligations_claimed_total"]
        self.faults.jump(wall_s=120)
        daemon.emit_ok(event())  # it looks at the clock
        eventually("claimed again", lambda: daemon.metrics()["belfry_obligations_claimed_total"] > claimed)
        let_go.set()
        eventually("delivered", lambda: any("sink_delivered" in step["reason"] for step in json_of(
            daemon.get("/v1/why/" + which))["notifications"][0]["steps"]))
        self.assertEqual(len(receiver.requests), 1)


@unittest.skipIf(belfry.STORE != "postgres", "needs PostgreSQL")
class APostgresThatDies(Broken):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.remove)
        self.url = urllib.parse.urlsplit(self.server.start())

    def daemon_on(self, port):
        daemon = self.breakable(start=False)
        daemon.database = urllib.parse.urlunsplit(self.url._replace(netloc=f"belfry@127.0.0.1:{port}"))
        return daemon.start()

    def test_by_kill_9_under_load_costs_nothing(self):
        daemon = self.daemon_on(self.url.port)
        with daemon.sse("/v1/streams/events?from=start") as reader, Load(daemon) as load:
            for _ in range(2):
                load.go_on()
                self.server.process.kill()
                self.server.process.wait()
                eventually("told", lambda: self.readiness(daemon) == (503, "store_down"))
                eventually("started again", lambda: self.server.listen_on(self.url.port), pause=0.1)
                load.go_on()
            load.finish()
            self.assert_whole(reader.entries(len(load.acknowledged)))
        self.assert_kept(daemon, load.acknowledged)

    def test_whose_network_goes_and_comes_costs_nothing(self):
        wire = Wire(self.url.port)
        self.addCleanup(wire.close)
        daemon = self.daemon_on(wire.port)
        with Load(daemon) as load:
            load.go_on()
            wire.cut()
            eventually("told", lambda: self.readiness(daemon) == (503, "store_down"))
            wire.mend()
            load.go_on()
            load.finish()
        self.assert_kept(daemon, load.acknowledged)


class Wire:
    """Between the daemon and its server, and it can be cut."""

    def __init__(self, port):
        self.to, self.is_cut, self.ends = port, False, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                if self.is_cut:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self.to))
                self.ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self.carry, args=(one, other), daemon=True).start()

    @staticmethod
    def carry(one, other):
        with contextlib.suppress(OSError):
            while got := one.recv(1 << 16):
                other.sendall(got)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self):
        self.is_cut = True
        for end in self.ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def mend(self):
        self.is_cut = False

    def close(self):
        self.cut()
        self.listener.close()
        for end in self.ends:
            end.close()


class HeldReceiver(Receiver):
    """Answers when it is let go."""

    def __init__(self, let_go):
        super().__init__(204)
        handler = self.server.RequestHandlerClass
        send = handler.send_response

        def send_response(one, status):
            let_go.wait(belfry.PATIENCE)
            send(one, status)

        handler.send_response = send_response


if __name__ == "__main__":
    unittest.main()
