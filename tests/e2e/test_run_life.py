"""Runs over time: places, expiry, trimming, crashes, slow and vanished readers, many at once."""

import socket
import threading
import unittest

import belfry
from belfry import eventually, json_of


class Capacity(belfry.Case):
    def test_lets_the_eleventh_wait_visibly_and_start_when_there_is_a_place(self):
        daemon = self.daemon("--run-capacity", "10")
        make = lambda **members: json_of(daemon.post("/v1/runs", members))
        running = [make()["id"] for _ in range(10)]
        eleventh, twelfth = make(), make()
        self.assertEqual((eleventh["state"], eleventh["queue_position"]), ("pending", 1))
        self.assertEqual(twelfth["queue_position"], 2)
        self.assertEqual(json_of(daemon.get(f"/v1/runs/{twelfth['id']}"))["queue_position"], 2)
        listed = json_of(daemon.get("/v1/runs?state=pending"))["data"]
        self.assertEqual([run["queue_position"] for run in listed], [2, 1])
        with daemon.sse(f"/v1/runs/{eleventh['id']}/events") as reader:
            frame = reader.frame()
            self.assertEqual((frame.kind, frame.data["data"]), ("lifecycle.queued", {"position": 1}))
            answer = daemon.post(f"/v1/runs/{eleventh['id']}/events", {"event": "a.b"})
            self.assertEqual((answer.status, json_of(answer)["reason"]), (409, "not_running"))
            self.assertEqual(daemon.post(f"/v1/runs/{eleventh['id']}/start", {}).status, 409)
            self.assertEqual(daemon.post(f"/v1/runs/{running[3]}/cancel", {}).status, 200)
            self.assertEqual(reader.frame().kind, "lifecycle.started")
        now = json_of(daemon.get(f"/v1/runs/{eleventh['id']}"))
        self.assertEqual((now["state"], now["queue_position"]), ("running", None))
        self.assertEqual(json_of(daemon.get(f"/v1/runs/{twelfth['id']}"))["queue_position"], 1)
        daemon.post(f"/v1/runs/{twelfth['id']}/cancel", {})
        daemon.post(f"/v1/runs/{running[0]}/finish", {"state": "completed"})
        kinds = [entry["event"] for entry in
                 json_of(daemon.get(f"/v1/runs/{twelfth['id']}/events"))["data"]]
        self.assertEqual(kinds, ["lifecycle.queued", "lifecycle.cancelled"], "it never starts")
        daemon.kill()
        queued = None
        daemon.start()
        for _ in range(2):
            queued = make()
        self.assertEqual(queued["queue_position"], 1, "places are counted after a crash as before")


class Time(belfry.Case):
    def test_takes_an_ended_run_away_and_that_is_told(self):
        daemon = self.daemon("--keep-runs", "1s")
        run = json_of(daemon.post("/v1/runs", {"run_key": "k", "tree": True}))["id"]
        child = json_of(daemon.post("/v1/runs", {"parent_id": run}))["id"]
        lasting = json_of(daemon.post("/v1/runs", {}))["id"]
        daemon.post(f"/v1/runs/{run}/events", {"event": "a.b"})
        daemon.post(f"/v1/runs/{run}/cancel", {})
        eventually("expired", lambda: daemon.get(f"/v1/runs/{run}").status == 410)
        self.assertEqual(json_of(daemon.get(f"/v1/runs/{run}"))["code"], "gone")
        self.assertEqual(daemon.get(f"/v1/runs/{child}").status, 410)
        for path in ("events", "events?tree=true"):
            with daemon.sse(f"/v1/runs/{run}/{path}") as reader:
                self.assertEqual(reader.status, 410)
        self.assertEqual(daemon.post(f"/v1/runs/{run}/events", {"event": "a.b"}).status, 410)
        self.assertEqual(daemon.post(f"/v1/runs/{run}/cancel", {}).status, 410)
        self.assertEqual(daemon.get(f"/v1/runs/{lasting}").status, 200)
        again = daemon.post("/v1/runs", {"run_key": "k"})
        self.assertEqual(again.status, 201, "its key is free again")
        newest = json_of(again)["id"]
        daemon.post(f"/v1/runs/{newest}/cancel", {})
        eventually("the newest is gone, too", lambda: daemon.get(f"/v1/runs/{newest}").status == 410)
        daemon.stop()
        daemon.start()
        self.assertEqual(daemon.get(f"/v1/runs/{newest}").status, 410, "also after a restart")
        self.assertEqual(daemon.get(f"/v1/runs/{newest + 1}").status, 404)
        self.assertEqual(json_of(daemon.post("/v1/runs", {}))["id"], newest + 1, "no id is given twice")
        self.assertEqual(daemon.post(f"/v1/runs/{lasting}/events", {"event": "a.b"}).status, 201)

    def test_leaves_the_newest_events_of_a_long_run_and_tells_what_is_gone(self):
        daemon = self.daemon("--run-events-kept", "1000")
        run = json_of(daemon.post("/v1/runs", {}))["id"]
        for first in range(0, 2500, 500):
            batch = [{"event": "a.b", "data": {"n": n}} for n in range(first, first + 500)]
            self.assertEqual(daemon.post(f"/v1/runs/{run}/events", batch).status, 201)
        with daemon.sse(f"/v1/runs/{run}/events") as reader:
            gap = reader.frame()
            self.assertEqual((gap.kind, gap.data), ("gap", {"from": 1, "to": 1501}))
            self.assertEqual([reader.frame().id for _ in range(1000)], list(range(1502, 2502)))
        with daemon.sse(f"/v1/runs/{run}/events?after=700") as reader:
            gap = reader.frame()
            self.assertEqual((gap.kind, gap.data), ("gap", {"from": 701, "to": 1501}))
            self.assertEqual(reader.frame().id, 1502)
        page = json_of(daemon.get(f"/v1/runs/{run}/events?limit=1000"))
        self.assertEqual((len(page["data"]), page["gap"], page["has_more"]), (1000, {"from": 1, "to": 1501}, False))
        daemon.stop()
        daemon.start()
        page = json_of(daemon.get(f"/v1/runs/{run}/events?limit=1000"))
        self.assertEqual(page["gap"], {"from": 1, "to": 1501}, "also after a restart")


    def test_cancels_also_below_a_parent_that_has_expired(self):
        daemon = self.daemon("--keep-runs", "1s")
        root = json_of(daemon.post("/v1/runs", {"tree": True}))["id"]
        parent = json_of(daemon.post("/v1/runs", {"parent_id": root}))["id"]
        child = json_of(daemon.post("/v1/runs", {"parent_id": parent}))["id"]
        daemon.post(f"/v1/runs/{parent}/finish", {"state": "completed"})
        eventually("expired", lambda: daemon.get(f"/v1/runs/{parent}").status == 410)
        self.assertEqual(json_of(daemon.get(f"/v1/runs/{child}"))["parent_id"], root)
        daemon.kill()
        daemon.start()
        self.assertEqual(daemon.post(f"/v1/runs/{root}/cancel", {}).status, 200)
        self.assertIn(daemon.get(f"/v1/runs/{child}").status, (200, 410))
        self.assertNotEqual(json_of(daemon.get(f"/v1/runs/{child}")).get("state"), "running")

    def test_ends_a_run_of_which_nothing_is_heard(self):
        daemon = self.daemon("--run-silence", "1s", "--run-capacity", "1")
        silent = json_of(daemon.post("/v1/runs", {}))["id"]
        waiting = json_of(daemon.post("/v1/runs", {}))["id"]
        with daemon.sse(f"/v1/runs/{silent}/events") as reader:
            kinds = [reader.frame().kind for _ in range(3)]
        self.assertEqual(kinds, ["lifecycle.started", "lifecycle.failed", "close"])
        found = json_of(daemon.get(f"/v1/runs/{silent}"))
        self.assertEqual((found["state"], found["error"]["type"]), ("failed", "silence"))
        self.assertNotEqual(json_of(daemon.get(f"/v1/runs/{waiting}"))["started_at"], None, "its place is free")


class Readers(belfry.Case):
    def test_that_are_slow_hold_up_nobody(self):
        """One at a crawl against a thousand events a second: the producer and the other readers do not notice."""
        daemon = self.daemon("--run-events-kept", "1000")
        run = json_of(daemon.post("/v1/runs", {}))["id"]
        slow = daemon.raw()
        self.addCleanup(slow.close)
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        slow.sendall(f"GET /v1/runs/{run}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n"
                     f"Authorization: Bearer {daemon.admin_token}\r\n\r\n".encode())
        seen = []

        def read_fast():
            with daemon.sse(f"/v1/runs/{run}/events") as fast:
                while True:
                    frame = fast.frame()
                    if frame.kind == "close":
                        return
                    if frame.comment is None:
                        seen.append(frame.id)

        before = daemon.memory()
        with belfry.threads(read_fast):
            connection = daemon.connect()
            for first in range(0, 15000, 250):
                batch = [{"event": "llm.stream", "data": {"n": n, "text": "x" * 900}} for n in range(first, first + 250)]
                self.assertEqual(daemon.post(f"/v1/runs/{run}/events", batch, connection=connection).status, 201)
                eventually("the fast one keeps up", lambda: len(seen) >= first - 250)
            connection.close()
            daemon.post(f"/v1/runs/{run}/finish", {"state": "completed"})
        self.assertEqual(seen, list(range(1, 15003)))
        if not belfry.is_sanitized():
            self.assertLess(daemon.memory() - before, 100 << 20)
        # It reads on now, and gets what is still kept of it, or is told what is not.
        pieces = []
        while piece := slow.recv(1 << 16):
            pieces.append(piece)
        data = b"".join(pieces).decode()
        self.assertIn("event: gap\n", data)
        self.assertIn("event: lifecycle.completed\n", data)
        self.assertTrue(data.rstrip().endswith('event: close\ndata: {"reason":"ended"}'), data[-300:])

    def test_that_vanished_are_freed(self):
        daemon = self.daemon()
        run = json_of(daemon.post("/v1/runs", {}))["id"]
        readers = [daemon.sse(f"/v1/runs/{run}/events") for _ in range(10)]
        for reader in readers:
            reader.frame()
        count = lambda: int([line for line in daemon.get("/metrics").body.decode().splitlines()
                             if line.startswith("belfry_stream_readers ")][0].split()[1])
        self.assertEqual(count(), 10)
        for reader in readers:
            reader.close()
        eventually("freed within a heartbeat", lambda: count() == 0, patience=15)

    def test_find_their_run_again_after_a_crash(self):
        daemon = self.daemon()
        run = json_of(daemon.post("/v1/runs", {"tree": True}))["id"]
        child = json_of(daemon.post("/v1/runs", {"parent_id": run}))["id"]
        batch = [{"event": "a.b", "data": {"n": n}} for n in range(300)]
        daemon.post(f"/v1/runs/{child}/events", batch)
        daemon.kill()
        daemon.start()
        self.assertEqual(json_of(daemon.get(f"/v1/runs/{child}"))["events"], 301)
        answer = json_of(daemon.post(f"/v1/runs/{child}/events", {"event": "a.b"}))
        self.assertEqual(answer["first"], 302)
        daemon.post(f"/v1/runs/{run}/cancel", {"reason": "done"})
        self.assertEqual(json_of(daemon.get(f"/v1/runs/{child}"))["state"], "cancelled")
        with daemon.sse(f"/v1/runs/{child}/events") as reader:
            ids = [reader.frame().id for _ in range(303)]
            self.assertEqual(ids, list(range(1, 304)))
            self.assertEqual(reader.frame().kind, "close")
        page = json_of(daemon.get(f"/v1/runs/{run}/events?tree=true&limit=1000"))
        self.assertEqual(page["data"][-1]["event"], "tree.closed")
        self.assertEqual(len(page["data"]), 306)

    def test_of_an_erased_person_find_nothing(self):
        daemon = self.daemon()
        run = json_of(daemon.post("/v1/runs", {"user_id": "ada", "title": "secret title"}))["id"]
        other = json_of(daemon.post("/v1/runs", {"user_id": "bob"}))["id"]
        daemon.post(f"/v1/runs/{run}/events", {"event": "a.b", "data": "secret words"})
        with daemon.sse(f"/v1/runs/{run}/events") as reader:
            for _ in range(2):
                reader.frame()
            erasure = json_of(daemon.post("/v1/erasures", {"user_id": "ada"}))["id"]
            eventually("erased", lambda: json_of(daemon.get(f"/v1/erasures/{erasure}"))["state"] == "done")
            self.assertEqual(reader.frame().data, {"reason": "expired"})
        self.assertEqual(daemon.get(f"/v1/runs/{run}").status, 410)
        self.assertEqual(daemon.post(f"/v1/runs/{run}/events", {"event": "a.b"}).status, 410)
        self.assertEqual(daemon.post(f"/v1/runs/{other}/events", {"event": "a.b"}).status, 201)


class Isolation(belfry.Case):
    def test_holds_for_many_runs_under_load(self):
        """A small round of what bench/isolation does: many runs at once, arbitrary threads, readers that come and go."""
        runs_count, events_each = 200, 100
        daemon = self.daemon()
        connection = daemon.connect()
        runs = [json_of(daemon.post("/v1/runs", {}, connection=connection))["id"] for _ in range(runs_count)]
        connection.close()
        problems = []

        def produce(part):
            own = daemon.connect()
            for start in range(0, events_each, 10):
                for run in part:
                    batch = [{"event": "a.b", "data": {"run": run, "n": n}} for n in range(start, start + 10)]
                    if daemon.post(f"/v1/runs/{run}/events", batch, connection=own).status != 201:
                        problems.append(f"run {run} refused")
            own.close()

        def read(part):
            """Comes and goes: a few entries, then again from there."""
            for run in part:
                last, numbers = 0, []
                while len(numbers) < events_each:
                    with daemon.sse(f"/v1/runs/{run}/events?after={last}") as reader:
                        for _ in range(37):
                            frame = reader.frame()
                            if frame.comment is not None:
                                continue
                            if frame.id != last + 1:
                                problems.append(f"run {run}: {frame.id} after {last}")
                            last = frame.id
                            if frame.kind == "a.b":
                                if frame.data["data"]["run"] != run or frame.data["run_id"] != run:
                                    problems.append(f"run {run} got {frame.data}")
                                numbers.append(frame.data["data"]["n"])
                            if len(numbers) == events_each:
                                break
                if numbers != list(range(events_each)):
                    problems.append(f"run {run} has {numbers}")

        threads = [threading.Thread(target=produce, args=(runs[n::4],)) for n in range(4)]
        threads += [threading.Thread(target=read, args=(runs[n::16][:3],)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(240)
        self.assertEqual(problems, [])
        for run in runs:
            page = json_of(daemon.get(f"/v1/runs/{run}/events?limit=1000"))
            self.assertEqual([entry["data"] for entry in page["data"][1:]],
                             [{"run": run, "n": n} for n in range(events_each)])


if __name__ == "__main__":
    unittest.main()
