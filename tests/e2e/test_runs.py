"""Runs and their streams: made, started as there are places, followed, cancelled; each event in its own stream, once."""

import concurrent.futures
import json
import os
import socket
import threading
import time
import unittest

import belfry
from belfry import Bytes, eventually, json_of, read_response, unique

NDJSON = {"Content-Type": "application/x-ndjson"}
WORKER = {"agent_id": "w1", "agent_type": "worker", "agent_name": "Wanda", "team_name": "north"}


class RunCase(belfry.SharedCase):
    """With the words for runs."""

    def make(self, **members):
        answer = self.belfry.post("/v1/runs", members)
        self.assertEqual(answer.status, 201, answer.body)
        return json_of(answer)

    def run_now(self, run_id):
        return json_of(self.belfry.get(f"/v1/runs/{run_id}"))

    def emit(self, run_id, body, status=201, **more):
        answer = self.belfry.post(f"/v1/runs/{run_id}/events", body, **more)
        self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def emit_texts(self, run_id, texts):
        return self.emit(run_id, [{"event": "llm.stream", "data": {"delta": text}} for text in texts])

    def act(self, run_id, what, body=None, status=200):
        answer = self.belfry.post(f"/v1/runs/{run_id}/{what}", body or {})
        self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def finish(self, run_id, **members):
        return self.act(run_id, "finish", {"state": "completed", **members})

    def follow(self, run_id, query="", **headers):
        reader = self.belfry.sse(f"/v1/runs/{run_id}/events{query}", headers=headers)
        self.addCleanup(reader.close)
        return reader

    def frames(self, reader, until="close", patience=belfry.PATIENCE):
        """The frames up to one of this kind, heartbeats passed over."""
        found = []
        while True:
            frame = reader.frame(patience)
            self.assertIsNotNone(frame, f"the stream ended after {len(found)} frames")
            if frame.comment is not None:
                continue
            found.append(frame)
            if frame.kind == until:
                return found

    def deltas(self, frames):
        return [frame.data["data"]["delta"] for frame in frames if frame.kind == "llm.stream"]

    def page(self, run_id, **query):
        text = "&".join(f"{name}={value}" for name, value in query.items())
        return json_of(self.belfry.get(f"/v1/runs/{run_id}/events?{text}"))


class ARun(RunCase):
    def test_has_all_its_members_and_starts_at_once(self):
        run = self.make(user_id="ada", session_id=unique("s"), agent_id="helper", title="Tidy up",
                        metadata={"a": 1}, caller=WORKER)
        self.assertEqual(run["state"], "running")
        self.assertEqual((run["root_id"], run["parent_id"], run["paused"], run["queue_position"], run["tree"]),
                         (run["id"], None, False, None, False))
        self.assertEqual((run["caller"], run["metadata"], run["title"]), (WORKER, {"a": 1}, "Tidy up"))
        self.assertIsNotNone(run["started_at"])
        self.assertEqual((run["ended_at"], run["expires_at"], run["result"], run["error"]), (None, None, None, None))
        self.assertEqual(run["events"], 1, "lifecycle.started")
        self.assertEqual(self.run_now(run["id"]), run)

    def test_is_made_once_under_its_key(self):
        key = unique("key")
        first = self.make(run_key=key, title="first")
        again = self.belfry.post("/v1/runs", {"run_key": key, "title": "second"})
        self.assertEqual(again.status, 200)
        self.assertEqual(json_of(again)["id"], first["id"])
        self.assertEqual(json_of(again)["title"], "first")
        self.finish(first["id"])
        ended = self.belfry.post("/v1/runs", {"run_key": key})
        self.assertEqual((ended.status, json_of(ended)["id"]), (200, first["id"]))
        other = self.make(run_key=key, user_id=unique("u"))
        self.assertNotEqual(other["id"], first["id"], "another user's key is another key")

    def test_ends_once_with_its_result(self):
        run = self.make()["id"]
        done = self.finish(run, result={"answer": 42})
        self.assertEqual((done["state"], done["result"]), ("completed", {"answer": 42}))
        self.assertIsNotNone(done["expires_at"])
        frames = self.frames(self.follow(run))
        self.assertEqual([frame.kind for frame in frames], ["lifecycle.started", "lifecycle.completed", "close"])
        self.assertEqual(frames[1].data["data"], {"result": {"answer": 42}})
        self.assertEqual(frames[2].data, {"reason": "ended"})
        for what, body in (("finish", {"state": "failed", "error": {"type": "late", "message": "x"}}), ("cancel", {}),
                           ("pause", {}), ("start", {})):
            self.assertEqual(self.act(run, what, body, status=409)["reason"], "ended", what)

    def test_fails_with_an_error(self):
        run = self.make()["id"]
        done = self.act(run, "finish", {"state": "failed", "error": {"type": "boom", "message": "it broke"}})
        self.assertEqual((done["state"], done["error"]), ("failed", {"type": "boom", "message": "it broke"}))
        frames = self.frames(self.follow(run))
        self.assertEqual(frames[-2].kind, "lifecycle.failed")
        self.assertEqual(frames[-2].data["data"]["error"]["type"], "boom")

    def test_pauses_and_goes_on(self):
        run = self.make()["id"]
        self.assertTrue(self.act(run, "pause")["paused"])
        self.assertTrue(self.act(run, "pause")["paused"], "twice is no more than once")
        self.assertTrue(self.emit(run, {"event": "a.b"})["paused"], "so a producer learns of it")
        self.assertFalse(self.act(run, "resume")["paused"])
        kinds = [entry["event"] for entry in self.page(run)["data"]]
        self.assertEqual(kinds, ["lifecycle.started", "control.paused", "a.b", "control.resumed"])

    def test_that_was_never_there_is_unknown(self):
        for path in ("999999999", "0", "-1", "seven", "7.5"):
            self.assertEqual(self.belfry.get(f"/v1/runs/{path}").status, 404, path)
            self.assertEqual(self.belfry.get(f"/v1/runs/{path}/events").status, 404, path)
        self.assertEqual(self.belfry.post("/v1/runs/999999999/events", {"event": "a.b"}).status, 404)
        self.assertEqual(self.belfry.post("/v1/runs/999999999/cancel", {}).status, 404)

    def test_is_listed_newest_first_and_narrowed(self):
        session = unique("s")
        ids = [self.make(session_id=session, agent_id="x" if n % 2 else "y")["id"] for n in range(5)]
        self.finish(ids[0])
        listed = json_of(self.belfry.get(f"/v1/runs?session={session}&limit=3"))
        self.assertEqual([run["id"] for run in listed["data"]], ids[:1:-1])
        self.assertTrue(listed["has_more"])
        rest = json_of(self.belfry.get(f"/v1/runs?session={session}&limit=3&after={listed['next']}"))
        self.assertEqual([run["id"] for run in rest["data"]], ids[1::-1])
        self.assertFalse(rest["has_more"])
        ended = json_of(self.belfry.get(f"/v1/runs?session={session}&state=completed"))
        self.assertEqual([run["id"] for run in ended["data"]], ids[:1])
        agent = json_of(self.belfry.get(f"/v1/runs?session={session}&agent=x"))
        self.assertEqual([run["id"] for run in agent["data"]], [ids[3], ids[1]])

    def test_is_seen_by_its_user_and_by_nobody_else(self):
        run = self.make(user_id="ada", session_id=unique("s"))
        ada = self.belfry.mint("user", user_id="ada")[0]
        bob = self.belfry.mint("user", user_id="bob")[0]
        emitter = self.belfry.mint("emitter")[0]
        path = f"/v1/runs/{run['id']}"
        self.assertEqual(self.belfry.get(path, token=ada).status, 200)
        self.assertEqual(self.belfry.get(path, token=bob).status, 403)
        self.assertEqual(self.belfry.get(path + "/events", token=bob).status, 403)
        self.assertEqual(self.belfry.get(path + "/events", token=emitter).status, 403)
        self.assertEqual(self.belfry.post(path + "/events", {"event": "a.b"}, token=emitter).status, 403)
        self.assertEqual(self.belfry.post(path + "/cancel", {}, token=bob).status, 403)
        listed = json_of(self.belfry.get("/v1/runs", token=bob))
        self.assertEqual(listed["data"], [])
        agent = self.belfry.mint("agent", bounds={"sessions": [run["session_id"]]})[0]
        self.assertEqual(self.belfry.post(path + "/events", {"event": "a.b"}, token=agent).status, 201)
        with self.belfry.sse(path + "/events", token=agent) as reader:
            self.assertEqual(reader.frame().kind, "lifecycle.started")
        stranger = self.belfry.mint("agent", bounds={"sessions": [unique("s")]})[0]
        self.assertEqual(self.belfry.post(path + "/events", {"event": "a.b"}, token=stranger).status, 403)


class Events(RunCase):
    def test_of_ten_runs_at_once_reach_exactly_their_own_readers(self):
        """Ten runs, a thousand tagged events each, from many threads of the same agents."""
        runs = [self.make(agent_id="shared", caller=WORKER)["id"] for _ in range(10)]
        readers = {run: self.follow(run) for run in runs}
        locks = {run: threading.Lock() for run in runs}
        sent = {run: 0 for run in runs}

        def work(seed):
            connection = self.belfry.connect()
            for step in range(100):
                run = runs[(seed * 7 + step * 3) % len(runs)]
                with locks[run]:  # the order that the test will look for is that of the tags
                    first = sent[run]
                    count = min(10 + step % 5, 1000 - first)
                    sent[run] += count
                    if count:
                        batch = [{"event": "llm.stream", "data": {"run": run, "n": first + i + 1}}
                                 for i in range(count)]
                        answer = self.belfry.post(f"/v1/runs/{run}/events", batch, connection=connection)
                        assert answer.status == 201, answer.body
            connection.close()

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for future in [pool.submit(work, seed) for seed in range(24)]:
                future.result()
        for run in runs:
            left = [{"event": "llm.stream", "data": {"run": run, "n": n}} for n in range(sent[run] + 1, 1001)]
            if left:
                self.emit(run, left)
            self.finish(run)
        for run, reader in readers.items():
            frames = self.frames(reader)
            seen = [frame.data["data"] for frame in frames if frame.kind == "llm.stream"]
            self.assertEqual(seen, [{"run": run, "n": n} for n in range(1, 1001)])
            self.assertEqual([frame.id for frame in frames[:-1]], list(range(1, 1003)))
            self.assertTrue(all(frame.data["run_id"] == run for frame in frames[:-1]))

    def test_have_the_shape_that_readers_know(self):
        run = self.make(caller=WORKER)["id"]
        given = "018f0000-0000-7000-8000-000000000001"
        other = {"agent_id": "boss", "agent_type": "global_supervisor", "agent_name": "B", "team_name": None}
        self.emit(run, {"event": "llm.tool_call", "data": {"name": "x"}, "source": other, "id": given,
                        "timestamp": "2026-01-02T03:04:05+01:00"})
        self.emit(run, {"event": "a.b"})
        reader = self.follow(run)
        frames = [reader.frame() for _ in range(3)]
        self.assertEqual(frames[1].data, {"id": given, "run_id": run, "timestamp": "2026-01-02T02:04:05Z",
                                          "sequence": 2, "source": other, "event": "llm.tool_call",
                                          "data": {"name": "x"}})
        self.assertEqual((frames[2].kind, frames[2].id), ("a.b", 3))
        self.assertEqual((frames[2].data["source"], frames[2].data["data"]), (WORKER, {}))

    def test_are_read_by_two_readers_in_the_same_order_and_by_late_ones_from_where_they_like(self):
        run = self.make()["id"]
        first, second = self.follow(run), self.follow(run)
        self.emit_texts(run, [str(n) for n in range(50)])
        live = self.follow(run, "?from=live")
        self.emit_texts(run, [str(n) for n in range(50, 100)])
        late, placed = self.follow(run), self.follow(run, "?after=61")
        self.finish(run)
        whole = self.frames(first)
        self.assertEqual(self.deltas(whole), [str(n) for n in range(100)])
        self.assertEqual(self.frames(second), whole)
        self.assertEqual(self.frames(late), whole)
        self.assertEqual(self.deltas(self.frames(live)), [str(n) for n in range(50, 100)])
        self.assertEqual(self.deltas(self.frames(placed)), [str(n) for n in range(60, 100)])

    def test_that_passed_while_a_reader_was_away_come_once_and_then_the_live_ones(self):
        run = self.make()["id"]
        reader = self.follow(run)
        self.emit_texts(run, ["before"] * 9)
        for _ in range(10):
            last = reader.frame().id
        reader.close()
        self.emit_texts(run, [f"missed {n}" for n in range(100)])
        back = self.follow(run, **{"Last-Event-ID": str(last)})
        missed = [back.frame() for _ in range(100)]
        self.assertEqual(self.deltas(missed), [f"missed {n}" for n in range(100)])
        self.emit_texts(run, ["live"])
        self.assertEqual(self.deltas([back.frame()]), ["live"])
        self.finish(run)
        self.assertEqual(self.frames(back)[-1].kind, "close")
        after_the_end = self.follow(run, **{"Last-Event-ID": str(last)})
        frames = self.frames(after_the_end)
        self.assertEqual(self.deltas(frames), [f"missed {n}" for n in range(100)] + ["live"])
        self.assertEqual([frame.kind for frame in frames[-2:]], ["lifecycle.completed", "close"])
        at_the_end = self.follow(run, **{"Last-Event-ID": str(frames[-2].id)})
        self.assertEqual([frame.kind for frame in self.frames(at_the_end)], ["close"])
        self.assertEqual([frame.kind for frame in self.frames(self.follow(run, "?from=live"))], ["close"])

    def test_are_not_found_at_positions_that_are_none(self):
        run = self.make()["id"]
        for position in ("abc", "-1", "1.5", "99999999999999999999"):
            self.assertEqual(self.belfry.get(f"/v1/runs/{run}/events?after={position}").status, 400, position)
            with self.belfry.sse(f"/v1/runs/{run}/events", headers={"Last-Event-ID": position}) as reader:
                self.assertEqual(reader.status, 400, position)
        self.assertEqual(self.belfry.get(f"/v1/runs/{run}/events?after=999").status, 422, "beyond the head")

    def test_survive_byte_for_byte(self):
        run = self.make()["id"]
        texts = [" ", "\n", "\t \r\n", "", "ünïcödé", "日本語", "🙂\u200d🙂", "\u2028\u2029", "a\\b\"c/",
                 "\u0000\u0001\u001f\u007f", "\ufeff", "e\u0301"]
        self.emit_texts(run, texts)
        self.finish(run)
        self.assertEqual(self.deltas(self.frames(self.follow(run))), texts)
        page = self.page(run)
        self.assertEqual([entry["data"]["delta"] for entry in page["data"] if entry["event"] == "llm.stream"], texts)

    def test_are_paged_without_repeats(self):
        run = self.make()["id"]
        self.emit_texts(run, [str(n) for n in range(499)])
        seen, after = [], 0
        for number in range(5):
            page = self.page(run, after=after, limit=100)
            self.assertEqual(len(page["data"]), 100)
            self.assertEqual(page["has_more"], number < 4)
            seen += page["data"]
            after = page["next"]
        self.assertEqual([entry["sequence"] for entry in seen], list(range(1, 501)))
        self.assertEqual(self.page(run, after=after), {"data": [], "next": 500, "has_more": False})

    def test_are_refused_with_what_is_wrong(self):
        run = self.make()["id"]
        for body, status, field in (
                ({"event": "nodot"}, 422, "event"), ({"event": "Upper.case"}, 422, "event"),
                ({"event": "a." + "b" * 100}, 422, "event"), ({"event": "lifecycle.started"}, 422, "event"),
                ({"event": "control.paused"}, 422, "event"), ({"event": "interaction.x"}, 422, "event"),
                ({"data": {}}, 422, "event"), ({"event": "a.b", "id": "7"}, 422, "id"),
                ({"event": "a.b", "more": 1}, 422, "more"),
                ({"event": "a.b", "source": {**WORKER, "team_name": None}}, 422, "source"),
                ([{"event": "a.b"}, {"event": "bad"}], 422, "[1].event"), ([], 422, None)):
            answer = self.belfry.post(f"/v1/runs/{run}/events", body)
            self.assertEqual(answer.status, status, (body, answer.body))
            if field:
                self.assertIn(field, json_of(answer)["field"], body)
        self.assertEqual(self.run_now(run)["events"], 1, "a batch is taken as a whole or not at all")
        answer = self.belfry.post(f"/v1/runs/{run}/events", [{"event": "a.b"}] * 1001)
        self.assertEqual(answer.status, 413)

    def test_over_a_megabyte_are_refused_with_the_limit(self):
        run = self.make()["id"]
        answer = self.belfry.post(f"/v1/runs/{run}/events", {"event": "a.b", "data": "x" * (1 << 20)})
        self.assertEqual(answer.status, 413)
        self.assertIn("1048576", json_of(answer)["detail"])
        fits = self.belfry.post(f"/v1/runs/{run}/events", {"event": "a.b", "data": "x" * ((1 << 20) - 100)})
        self.assertEqual(fits.status, 201)
        self.assertEqual(len(self.page(run, after=1)["data"][0]["data"]), (1 << 20) - 100)

    def test_go_out_over_a_websocket_that_closes_at_the_end(self):
        run = self.make()["id"]
        with self.belfry.websocket(f"/v1/runs/{run}/events") as reader:
            self.emit_texts(run, ["a"])
            self.finish(run)
            messages = [reader.message() for _ in range(4)]
            self.assertEqual([message["type"] for message in messages], ["entry"] * 3 + ["close"])
            self.assertEqual(messages[1]["event"]["data"], {"delta": "a"})
            self.assertEqual(messages[3]["reason"], "ended")

    def test_are_taken_from_a_browser_with_a_ticket(self):
        run = self.make()["id"]
        ticket = json_of(self.belfry.post("/v1/tickets", {}))["ticket"]
        with self.belfry.sse(f"/v1/runs/{run}/events?ticket={ticket}", token=None) as reader:
            self.assertEqual(reader.frame().kind, "lifecycle.started")


class Uploads(RunCase):
    def open(self, run):
        connection = self.belfry.raw()
        self.addCleanup(connection.close)
        connection.sendall((f"POST /v1/runs/{run}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                            f"Authorization: Bearer {self.belfry.admin_token}\r\n"
                            "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n").encode())
        return connection

    @staticmethod
    def chunk(connection, text):
        data = text.encode()
        connection.sendall(b"%x\r\n%s\r\n" % (len(data), data))

    @staticmethod
    def line(text):
        return json.dumps({"event": "llm.stream", "data": {"delta": text}}, ensure_ascii=False) + "\n"

    def test_are_seen_while_they_go_on(self):
        run = self.make()["id"]
        reader = self.follow(run)
        self.assertEqual(reader.frame().kind, "lifecycle.started")
        connection = self.open(run)
        for n in range(20):
            line = self.line(f"token {n} ü")
            self.chunk(connection, line[:15])
            self.chunk(connection, line[15:])
            self.assertEqual(self.deltas([reader.frame()]), [f"token {n} ü"])
        self.chunk(connection, self.line("a") + self.line("b") + self.line("last").rstrip("\n"))
        connection.sendall(b"0\r\n\r\n")
        answer = read_response(Bytes(connection))
        self.assertEqual(answer.status, 201, answer.body)
        self.assertEqual(json_of(answer), {"accepted": 23, "first": 2, "last": 24, "state": "running",
                                           "paused": False})
        self.assertEqual(self.deltas([reader.frame() for _ in range(3)]), ["a", "b", "last"])

    def test_of_many_lines_keep_their_order(self):
        run = self.make()["id"]
        connection = self.open(run)
        texts = [f"{n} " + "x" * (n % 700) for n in range(20000)]
        piece = ""
        for n, text in enumerate(texts):
            piece += self.line(text)
            if len(piece) > 40000 or n + 1 == len(texts):
                self.chunk(connection, piece)
                piece = ""
        connection.sendall(b"0\r\n\r\n")
        answer = json_of(read_response(Bytes(connection)))
        self.assertEqual((answer["accepted"], answer["first"], answer["last"]), (20000, 2, 20001))
        self.finish(run)
        frames = self.frames(self.follow(run, "?after=10002"))
        self.assertEqual(self.deltas(frames), texts[10001:])

    def test_end_with_the_first_line_that_is_refused_and_keep_what_came_before(self):
        run = self.make()["id"]
        connection = self.open(run)
        self.chunk(connection, self.line("one") + "\n" + self.line("two"))
        self.chunk(connection, self.line("three") + '{"event":"bad"}\n' + self.line("four"))
        answer = read_response(Bytes(connection))
        self.assertEqual(answer.status, 422, answer.body)
        problem = json_of(answer)
        self.assertEqual((problem["line"], problem["accepted"], problem["first"], problem["last"], problem["field"]),
                         (5, 3, 2, 4, "event"))
        self.assertEqual(self.run_now(run)["events"], 4)

    def test_that_come_in_one_piece_are_answered_the_same(self):
        run = self.make()["id"]
        connection = self.open(run)
        body = self.line("one") + '{"event":"bad"}\n'
        self.chunk(connection, body)
        connection.sendall(b"0\r\n\r\n")
        problem = json_of(read_response(Bytes(connection)))
        self.assertEqual((problem["status"], problem["line"], problem["accepted"]), (422, 2, 1))

    def test_end_when_their_run_does(self):
        run = self.make()["id"]
        connection = self.open(run)
        self.chunk(connection, self.line("one"))
        eventually("taken", lambda: self.run_now(run)["events"] == 2)
        self.act(run, "cancel", {"reason": "enough"})
        self.chunk(connection, self.line("two"))
        answer = read_response(Bytes(connection))
        self.assertEqual((answer.status, json_of(answer)["reason"], json_of(answer)["line"]), (409, "ended", 2))

    def test_leave_the_connection_for_the_next_request(self):
        run = self.make()["id"]
        connection = self.open(run)
        self.chunk(connection, self.line("one"))
        connection.sendall(b"0\r\n\r\n")
        stream = Bytes(connection)
        self.assertEqual(read_response(stream).status, 201)
        connection.sendall(f"GET /v1/runs/{run} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                           f"Authorization: Bearer {self.belfry.admin_token}\r\n\r\n".encode())
        self.assertEqual(json_of(read_response(stream))["events"], 2)

    def test_that_break_off_keep_what_was_whole(self):
        run = self.make()["id"]
        connection = self.open(run)
        self.chunk(connection, self.line("one") + self.line("two")[:10])
        eventually("taken", lambda: self.run_now(run)["events"] == 2)
        connection.close()
        self.emit_texts(run, ["three"])
        self.assertEqual([entry["data"].get("delta") for entry in self.page(run)["data"]], [None, "one", "three"])

    def test_of_a_line_without_end_are_refused(self):
        run = self.make()["id"]
        connection = self.open(run)
        try:
            for _ in range(20):
                self.chunk(connection, "x" * 65536)
        except OSError:
            pass  # it was answered before all was sent
        answer = read_response(Bytes(connection))
        self.assertEqual((answer.status, json_of(answer)["line"]), (413, 1))

    def test_are_refused_before_they_are_read(self):
        run = self.make()["id"]
        connection = self.belfry.raw()
        self.addCleanup(connection.close)
        connection.sendall((f"POST /v1/runs/{run}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                            "Authorization: Bearer wrong\r\n"
                            "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n").encode())
        answer = read_response(Bytes(connection))
        self.assertEqual(answer.status, 401)
        self.assertEqual(answer.headers["connection"], "close")


class Cancelling(RunCase):
    def test_ends_one_run_with_exactly_one_word_and_leaves_the_others(self):
        a, b = self.make()["id"], self.make()["id"]
        readers = self.follow(a), self.follow(b)
        stop = threading.Event()
        refused = {a: 0, b: 0}

        def produce(run):
            connection = self.belfry.connect()
            for n in range(2000):
                answer = self.belfry.post(f"/v1/runs/{run}/events", {"event": "a.b", "data": {"n": n}},
                                          connection=connection)
                if answer.status != 201:
                    refused[run] += 1
                    assert json_of(answer)["reason"] == "ended", answer.body
                if stop.is_set() or refused[run] > 20:
                    break
            connection.close()

        threads = [threading.Thread(target=produce, args=(run,)) for run in (a, b)]
        for thread in threads:
            thread.start()
        for _ in range(11):  # lifecycle.started and ten events
            readers[0].frame()
        cancelled = self.act(a, "cancel", {"reason": "stop it"})
        self.assertEqual((cancelled["state"], cancelled["cancel_reason"]), ("cancelled", "stop it"))
        rest = self.frames(readers[0])
        self.assertEqual([frame.kind for frame in rest[-2:]], ["lifecycle.cancelled", "close"])
        self.assertEqual(sum(frame.kind == "lifecycle.cancelled" for frame in rest), 1)
        self.assertEqual(rest[-2].data["data"]["reason"], "stop it")
        self.assertTrue(rest[-2].data["data"]["by"].startswith("token:"))
        self.assertEqual(rest[-2].id, cancelled["events"])
        eventually("the producer of the other goes on", lambda: self.run_now(b)["events"] > cancelled["events"] / 2)
        stop.set()
        for thread in threads:
            thread.join()
        self.assertGreater(refused[a], 0)
        self.assertEqual(refused[b], 0)
        self.assertEqual(self.page(a, after=cancelled["events"])["data"], [], "nothing after it")
        self.finish(b)
        frames = self.frames(readers[1])
        self.assertEqual([frame.id for frame in frames[:-1]], list(range(1, len(frames))))
        for what, body in (("cancel", {}), ("finish", {"state": "completed"})):
            self.assertEqual(self.act(a, what, body, status=409)["reason"], "ended")
        self.assertEqual(self.run_now(a)["state"], "cancelled", "a completion cannot overwrite it")

    def test_of_a_pending_run_means_that_it_never_starts(self):
        run = self.make(start=False)
        self.assertEqual((run["state"], run["events"]), ("pending", 0))
        self.assertEqual(self.act(run["id"], "finish", {"state": "completed"}, status=409)["reason"], "not_running")
        self.assertEqual(self.emit(run["id"], {"event": "a.b"}, status=409)["reason"], "not_running")
        self.act(run["id"], "cancel")
        self.assertEqual(self.act(run["id"], "start", status=409)["reason"], "ended")
        self.assertEqual([frame.kind for frame in self.frames(self.follow(run["id"]))],
                         ["lifecycle.cancelled", "close"])

    def test_takes_the_children_along(self):
        root = self.make()["id"]
        child = self.make(parent_id=root)["id"]
        grandchild = self.make(parent_id=child)["id"]
        self.finish(child)
        aside = self.make()["id"]
        self.act(root, "cancel", {"reason": "all"})
        self.assertEqual([self.run_now(run)["state"] for run in (root, child, grandchild, aside)],
                         ["cancelled", "completed", "cancelled", "running"])
        self.assertEqual(self.belfry.post("/v1/runs", {"parent_id": root}).status, 409)


class Trees(RunCase):
    def test_are_followed_as_a_whole_from_the_first_event_on_where_that_was_asked_for(self):
        root = self.make(tree=True, caller=WORKER)["id"]
        reader = self.follow(root, "?tree=true")
        self.emit_texts(root, ["r1"])
        child = self.make(parent_id=root)
        self.assertEqual((child["root_id"], child["parent_id"]), (root, root))
        self.emit_texts(child["id"], ["c1", "c2"])
        self.emit_texts(root, ["r2"])
        self.finish(child["id"])
        self.finish(root)
        frames = self.frames(reader)
        self.assertEqual([frame.id for frame in frames[:-1]], list(range(1, len(frames))), "the tree's own sequence")
        self.assertEqual([(frame.data["run_id"], frame.data["sequence"]) for frame in frames[:-2]],
                         [(root, 1), (root, 2), (child["id"], 1), (child["id"], 2), (child["id"], 3), (root, 3),
                          (child["id"], 4), (root, 4)])
        self.assertEqual(frames[-2].kind, "tree.closed")
        self.assertEqual([frame.kind for frame in self.frames(self.follow(child["id"]))],
                         ["lifecycle.started", "llm.stream", "llm.stream", "lifecycle.completed", "close"])
        again = self.follow(child["id"], "?tree=true&after=3")
        self.assertEqual(self.frames(again), frames[3:])
        at_the_end = self.follow(root, f"?tree=true&after={frames[-2].id}")
        self.assertEqual([frame.kind for frame in self.frames(at_the_end)], ["close"])

    def test_begin_with_the_first_child_and_say_where_the_root_was(self):
        root = self.make()["id"]
        self.emit_texts(root, ["a", "b"])
        self.assertEqual(self.belfry.get(f"/v1/runs/{root}/events?tree=true").status, 404)
        child = self.make(parent_id=root)["id"]
        page = self.page(root, tree="true")
        self.assertEqual([entry["event"] for entry in page["data"]], ["tree.opened", "lifecycle.started"])
        self.assertEqual(page["data"][0]["data"], {"root_sequence": 3})
        self.assertTrue(self.run_now(root)["tree"])
        listed = json_of(self.belfry.get(f"/v1/runs?root={root}"))
        self.assertEqual([run["id"] for run in listed["data"]], [child, root])

    def test_can_be_narrowed_to_one_agent(self):
        other = {**WORKER, "agent_id": "w2", "agent_name": "Otto"}
        root = self.make(tree=True, caller=WORKER)["id"]
        child = self.make(parent_id=root, caller=other)["id"]
        self.emit_texts(root, ["one"])
        self.emit_texts(child, ["two"])
        self.emit(root, {"event": "llm.stream", "data": {"delta": "lent"}, "source": other})
        self.finish(child)
        self.finish(root)
        frames = self.frames(self.follow(root, "?tree=true&agent=w2"))
        self.assertEqual(self.deltas(frames), ["two", "lent"])
        self.assertTrue(all(frame.data["source"]["agent_id"] == "w2" for frame in frames[:-1]))
        only = self.frames(self.follow(root, "?agent=w2"))
        self.assertEqual(self.deltas(only), ["lent"])
        self.assertEqual(only[-1].kind, "close")


class AgUi(RunCase):
    def events(self, run, query="", **headers):
        reader = self.follow(run, "?format=ag-ui" + query, **headers)
        frames = self.frames(reader)
        self.assertEqual({frame.kind for frame in frames[:-1]} - {"message"}, set())
        return frames[:-1]

    def test_are_what_a_run_says(self):
        run = self.make(session_id=unique("s"))
        self.emit(run["id"], [
            {"event": "step.started", "data": {"step_name": "plan"}},
            {"event": "llm.stream", "data": {"delta": "Hel"}}, {"event": "llm.stream", "data": {"delta": ""}},
            {"event": "llm.stream", "data": {"delta": "lo"}},
            {"event": "llm.tool_call", "data": {"tool_call_id": "c1", "tool_name": "mail", "arguments": {"a": 1}}},
            {"event": "llm.tool_result", "data": {"tool_call_id": "c1", "content": "sent"}},
            {"event": "llm.message_start", "data": {"message_id": "x"}},
            {"event": "llm.stream", "data": {"message_id": "x", "delta": "fine"}},
            {"event": "custom.thing", "data": {"k": [1]}},
            {"event": "llm.message_end", "data": {"message_id": "x"}}])
        self.finish(run["id"], result={"ok": True})
        frames = self.events(run["id"])
        said = [frame.data for frame in frames]
        thread = {"threadId": run["session_id"], "runId": str(run["id"])}
        self.assertEqual(said, [
            {"type": "RUN_STARTED", **thread}, {"type": "STEP_STARTED", "stepName": "plan"},
            {"type": "TEXT_MESSAGE_START", "messageId": "m3", "role": "assistant"},
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m3", "delta": "Hel"},
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m3", "delta": "lo"},
            {"type": "TEXT_MESSAGE_END", "messageId": "m3"},
            {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "mail"},
            {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": "{\"a\":1}"},
            {"type": "TOOL_CALL_END", "toolCallId": "c1"},
            {"type": "TOOL_CALL_RESULT", "messageId": "r7", "toolCallId": "c1", "content": "sent", "role": "tool"},
            {"type": "TEXT_MESSAGE_START", "messageId": "x", "role": "assistant"},
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "x", "delta": "fine"},
            {"type": "CUSTOM", "name": "custom.thing", "value": {"k": [1]}},
            {"type": "TEXT_MESSAGE_END", "messageId": "x"}, {"type": "STEP_FINISHED", "stepName": "plan"},
            {"type": "RUN_FINISHED", **thread, "result": {"ok": True}}])
        for frame in frames:
            if frame.id is None:
                continue
            back = self.events(run["id"], **{"Last-Event-ID": str(frame.id)})
            self.assertEqual([other.data for other in back], said[frames.index(frame) + 1:], "wherever one comes back")

    def test_of_failed_and_cancelled_runs_are_errors(self):
        run = self.make()["id"]
        self.act(run, "finish", {"state": "failed", "error": {"type": "boom", "message": "it broke"}})
        self.assertEqual(self.events(run)[-1].data, {"type": "RUN_ERROR", "message": "it broke", "code": "boom"})
        other = self.make()["id"]
        self.act(other, "cancel")
        self.assertEqual(self.events(other)[-1].data,
                         {"type": "RUN_ERROR", "message": "cancelled", "code": "cancelled"})

    def test_go_out_as_server_sent_events_only(self):
        run = self.make()["id"]
        self.assertEqual(self.belfry.get(f"/v1/runs/{run}/events?format=ag-ui").status, 406)


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
        """A small round of what bench/runs does: many runs at once, arbitrary threads, readers that come and go."""
        runs_count = int(os.environ.get("BELFRY_RUNS", "200"))
        events_each = int(os.environ.get("BELFRY_RUN_EVENTS", "100"))
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
