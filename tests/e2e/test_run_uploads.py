"""Lines that come and come: taken in as they do, seen while the upload goes on."""

import json
import time
import unittest

from belfry import Bytes, eventually, json_of, read_response
from runs import RunCase


class Uploads(RunCase):
    def open(self, run, token=None):
        connection = self.belfry.raw()
        self.addCleanup(connection.close)
        connection.sendall((f"POST /v1/runs/{run}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                            f"Authorization: Bearer {token or self.belfry.admin_token}\r\n"
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
        self.assert_described("post", "/v1/runs/{id}/events", answer)
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
        self.assert_described("post", "/v1/runs/{id}/events", answer)

    def test_end_with_their_token(self):
        for speaks_on in (True, False):
            run = self.make(user_id="ada")["id"]
            token, token_id = self.belfry.mint("user", user_id="ada")
            connection = self.open(run, token)
            self.chunk(connection, self.line("one") + self.line("two"))
            eventually("taken", lambda run=run: self.run_now(run)["events"] == 3)
            self.assertEqual(self.belfry.request("DELETE", f"/v1/tokens/{token_id}").status, 200)
            if speaks_on:
                self.chunk(connection, self.line("three"))
            answer = read_response(Bytes(connection))
            self.assertIsNotNone(answer, "it went on")
            self.assertEqual(answer.status, 401, answer.body)
            problem = json_of(answer)
            self.assertEqual((problem["accepted"], problem["first"], problem["last"]), (2, 2, 3))
            self.assert_described("post", "/v1/runs/{id}/events", answer)
            self.assertEqual(self.run_now(run)["events"], 3)

    def test_end_when_their_token_expires(self):
        run = self.make(user_id="ada")["id"]
        token = self.belfry.mint("user", user_id="ada", ttl_s=2)[0]
        connection = self.open(run, token)
        stream = Bytes(connection)
        for n in range(200):  # a word every 50 ms, for longer than the token stands
            try:
                self.chunk(connection, self.line(f"{n}"))
            except OSError:
                break  # it was answered
            if stream.fill(time.monotonic() + 0.05):
                break
        answer = read_response(stream)
        self.assertEqual(answer.status, 401, answer.body)
        self.assertEqual(self.run_now(run)["events"], 1 + json_of(answer)["accepted"])

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


if __name__ == "__main__":
    unittest.main()
