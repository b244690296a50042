"""A disk that is full: refused with a reason, nothing acknowledged is lost, and it goes on when there is room again.

The data lies on a small tmpfs, which only root can mount; elsewhere these tests are skipped, and say so.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import belfry
import rpc
from belfry import event, json_of, unique
from readers import read_response

SIZE = 64 << 20
LEFT = 8 << 20  # for the daemon, until the filler goes


@belfry.sqlite_only
class AFullDisk(belfry.Case):
    def setUp(self):
        self.disk = tempfile.mkdtemp(prefix="belfry-disk-")
        self.addCleanup(shutil.rmtree, self.disk, True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0700", "belfry-e2e", self.disk],
                              capture_output=True, check=False)
        if done.returncode != 0:
            print("NOT TESTED: a full disk, because a tmpfs cannot be mounted here:", done.stderr.decode().strip(),
                  file=sys.stderr)
            self.skipTest("mounting needs root")
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=False)
        self.filler = os.path.join(self.disk, "filler")
        with open(self.filler, "wb") as file:
            file.write(b"\0" * (SIZE - LEFT))
        self.belfry = self.daemon(data=os.path.join(self.disk, "data"))
        self.acknowledged = {}

    def emit(self, body=None):
        """Emits one event with an id of its own, and notes it where it was taken."""
        name = unique()
        body = body or event(id=name, payload={"text": "f" * 20000})
        answer = self.belfry.emit(body)
        if answer.status == 201:
            self.acknowledged[body["id"]] = json_of(answer)["sequence"]
        return answer

    def fill(self):
        for _ in range(2 * LEFT // 20000):
            answer = self.emit()
            if answer.status != 201:
                return answer
        self.fail("the disk did not become full")

    def assert_nothing_lost(self):
        entries = self.belfry.entries()
        self.assert_whole(entries)
        there = {entry["event"]["source_id"]: entry["sequence"] for entry in entries}
        self.assertEqual(len(there), len(entries), "an event is there twice")
        for name, sequence in self.acknowledged.items():
            self.assertEqual(there.get(name), sequence, "acknowledged, and not there")

    def test_is_a_clear_503_and_recovers_when_there_is_room(self):
        refused = self.fill()
        self.assertEqual(refused.status, 503, refused.body)
        self.assertIn(json_of(refused)["code"], ("unavailable", "outcome_unknown"))
        self.assertGreaterEqual(int(refused.headers["retry-after"]), 1)
        self.assertTrue(any(word in json_of(refused)["detail"] for word in ("full", "disk", "space")), refused.body)
        self.assertEqual(self.belfry.get("/healthz").status, 200)
        self.assertIsNone(self.belfry.process.poll())
        # A repeat of one that is known needs no room; readers need none either.
        self.assert_nothing_lost()
        with self.belfry.sse("/v1/streams/events?from=start") as reader:
            self.assert_whole(reader.entries(len(self.acknowledged)))
        for _ in range(5):
            self.assertEqual(self.emit().status, 503)
        os.unlink(self.filler)
        belfry.eventually("taken again", lambda: self.emit().status == 201, pause=0.2)
        belfry.eventually("ready", lambda: self.belfry.get("/readyz").status == 200)
        for _ in range(20):
            self.assertEqual(self.emit().status, 201)
        self.assert_nothing_lost()
        self.assertEqual(self.belfry.stop(), 0)
        self.belfry.start()
        self.assert_nothing_lost()

    def test_loses_nothing_when_the_daemon_is_killed_on_it(self):
        self.fill()
        self.belfry.kill()
        os.unlink(self.filler)
        self.belfry.start()
        self.assert_nothing_lost()
        self.assertEqual(self.emit().status, 201)

    def test_is_told_by_doctor(self):
        self.fill()
        shown = self.belfry.run("doctor")
        self.assertEqual(shown.code, 1, shown.out)
        self.assertIn("free some space", shown.out)

    def test_does_not_keep_the_daemon_from_stopping(self):
        self.fill()
        began = time.monotonic()
        self.belfry.stop()
        self.assertLess(time.monotonic() - began, 20)
        os.unlink(self.filler)
        self.belfry.start()
        self.assert_nothing_lost()

    def fill_run(self, path):
        """Emits numbered events into a run until nothing more goes in; the numbers of those that were taken."""
        taken, number, refused = [], 0, 0
        while refused < 10:
            number += 1
            answer = self.belfry.post(path, {"event": "a.b", "data": {"n": number, "text": "f" * 20000}})
            self.assertIn(answer.status, (201, 503), answer.body)
            if answer.status == 201:
                taken.append(number)
            refused = 0 if answer.status == 201 else refused + 1
            self.assertLess(number, 4 * LEFT // 20000, "the disk did not become full")
        return taken

    def upload(self, path, lines):
        """A streaming upload: its lines one after the other until it is answered, or all have gone."""
        connection = self.belfry.raw()
        self.addCleanup(connection.close)
        stream = belfry.Bytes(connection)
        connection.sendall(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.belfry.admin_token}\r\n"
                           "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        try:
            for line in lines:
                line = line.encode() + b"\n"
                connection.sendall(b"%x\r\n%s\r\n" % (len(line), line))
            connection.sendall(b"0\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            pass  # it was answered before its end
        return read_response(stream)

    def test_is_told_to_the_readers_of_runs_who_get_what_was_taken_once(self):
        run = json_of(self.belfry.post("/v1/runs", {}))["id"]
        path = f"/v1/runs/{run}/events"
        sse = self.belfry.sse(path)
        self.addCleanup(sse.close)
        web = self.belfry.websocket(path)
        self.addCleanup(web.close)
        peer = rpc.over_unix(self.belfry)
        self.addCleanup(peer.close)
        peer.ok("run/follow", {"run_id": run})
        got = {"sse": [], "web": [], "rpc": []}  # the numbers of the events, and what was told of the store in between

        def read_sse():
            frame = sse.frame()
            if frame.kind == "store":
                got["sse"].append(frame.data["state"])
            elif frame.kind == "a.b":
                got["sse"].append(frame.data["data"]["n"])

        def read_web():
            message = web.message()
            if message["type"] == "store":
                got["web"].append(message["state"])
            elif message["event"]["event"] == "a.b":
                got["web"].append(message["event"]["data"]["n"])

        def read_rpc():
            told = peer.notification()
            if told["method"] == "run/store":
                got["rpc"].append(told["params"]["state"])
            elif told["params"]["event"]["event"] == "a.b":
                got["rpc"].append(told["params"]["event"]["data"]["n"])

        readers = {"sse": read_sse, "web": read_web, "rpc": read_rpc}

        def until(word):
            for name, read in readers.items():
                while word not in got[name]:
                    read()

        taken = self.fill_run(path)
        until("down")
        ready = self.belfry.get("/readyz")
        self.assertEqual((ready.status, json_of(ready)), (503, {"status": "store_down"}))
        self.assertEqual(self.belfry.get("/healthz").status, 200)
        line = json.dumps({"event": "a.b", "data": {"n": -1, "text": "f" * 20000}})
        refused = self.upload(path, [line] * 50)
        self.assertEqual(refused.status, 503, refused.body)
        accepted = json_of(refused)["accepted"]
        taken += [-1] * accepted
        for words in got.values():
            self.assertEqual(words[-1], "down")

        os.unlink(self.filler)
        until("up")  # though nobody has emitted meanwhile
        self.assertEqual(self.belfry.get("/readyz").status, 200)
        answer = self.belfry.post(path, {"event": "a.b", "data": {"n": "last"}})
        self.assertEqual(answer.status, 201, answer.body)
        until("last")
        for name, words in got.items():
            with self.subTest(reader=name):
                self.assertEqual([word for word in words if word not in ("down", "up")], [*taken, "last"])


if __name__ == "__main__":
    unittest.main()
