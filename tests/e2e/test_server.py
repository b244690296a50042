"""The server as one who connects sees it: HTTP as it is spoken, limits, the Unix socket, TLS, overload."""

import contextlib
import http.client
import json
import os
import shutil
import socket
import sqlite3
import ssl
import stat
import subprocess
import tempfile
import unittest

import belfry
from belfry import Bytes, event, json_of, read_response, unique


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=belfry.PATIENCE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Http(belfry.SharedCase):
    def head(self, method="POST", path="/v1/events", **fields):
        fields = {"Host": "127.0.0.1", "Authorization": "Bearer " + self.belfry.admin_token,
                  "Content-Type": "application/json", **{name.replace("_", "-"): v for name, v in fields.items()}}
        return (f"{method} {path} HTTP/1.1\r\n" + "".join(f"{n}: {v}\r\n" for n, v in fields.items()) + "\r\n").encode()

    def stream(self):
        stream = Bytes(self.belfry.raw())
        self.addCleanup(stream.socket.close)
        return stream

    def test_connections_are_kept_for_further_requests(self):
        connection = self.belfry.connect()
        self.addCleanup(connection.close)
        self.belfry.emit_ok(event(), connection=connection)
        local = connection.sock.getsockname()
        for _ in range(20):
            self.belfry.emit_ok(event(), connection=connection)
        self.assertEqual(connection.sock.getsockname(), local)

    def test_pipelined_requests_are_answered_in_their_order(self):
        stream = self.stream()
        bodies = [json.dumps(event(payload={"n": n})).encode() for n in range(40)]
        requests = b"".join(self.head(Content_Length=len(body)) + body for body in bodies)
        requests += self.head("GET", "/healthz") + self.head("GET", "/v1/nothing")
        stream.socket.sendall(requests)
        answers = [read_response(stream) for _ in range(42)]
        self.assertEqual([answer.status for answer in answers], [201] * 40 + [200, 404])
        sequences = [json.loads(answer.body)["sequence"] for answer in answers[:40]]
        self.assertEqual(sequences, sorted(sequences))

    def test_a_request_may_come_byte_by_byte(self):
        stream = self.stream()
        body = json.dumps(event()).encode()
        for byte in self.head(Content_Length=len(body)) + body:
            stream.socket.sendall(bytes([byte]))
        self.assertEqual(read_response(stream).status, 201)

    def test_a_body_may_come_in_chunks(self):
        stream = self.stream()
        body = json.dumps(event(payload={"text": "x" * 3000})).encode()
        stream.socket.sendall(self.head(Transfer_Encoding="chunked"))
        for at in range(0, len(body), 700):
            piece = body[at:at + 700]
            stream.socket.sendall(b"%x;note=1\r\n%s\r\n" % (len(piece), piece))
        stream.socket.sendall(b"0\r\nTrailer: x\r\n\r\n")
        self.assertEqual(read_response(stream).status, 201)

    def test_a_client_that_expects_100_gets_it(self):
        stream = self.stream()
        body = json.dumps(event()).encode()
        stream.socket.sendall(self.head(Content_Length=len(body), Expect="100-continue"))
        self.assertEqual(stream.until(b"\r\n\r\n"), b"HTTP/1.1 100 Continue\r\n\r\n")
        stream.socket.sendall(body)
        self.assertEqual(read_response(stream).status, 201)

    def test_what_is_no_http_is_400_and_the_connection_ends(self):
        for bytes_sent, status in ((b"\x16\x03\x01\x02\x00\x01\x00", 400), (b"hello\r\n\r\n", 400),
                                   (b"GET / HTTP/3.0\r\n\r\n", 505), (b"GET /healthz HTTP/1.1\r\nHost : x\r\n\r\n", 400),
                                   (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400)):
            with self.subTest(bytes_sent):
                stream = self.stream()
                stream.socket.sendall(bytes_sent)
                stream.socket.shutdown(socket.SHUT_WR)
                answer = read_response(stream, patience=15)
                if answer is not None:
                    self.assertEqual(answer.status, status, answer.body)
                stream.rest(patience=15)
                self.assertTrue(stream.ended)

    def test_two_ways_to_say_where_a_body_ends_are_refused(self):
        stream = self.stream()
        stream.socket.sendall(self.head(Content_Length=5, Transfer_Encoding="chunked") + b"0\r\n\r\n")
        self.assertEqual(read_response(stream).status, 400)

    def test_a_body_over_the_limit_is_413_without_waiting_for_it(self):
        stream = self.stream()
        stream.socket.sendall(self.head(Content_Length=(8 << 20) + 1))
        answer = read_response(stream)
        self.assertEqual(answer.status, 413)
        self.assertEqual(json.loads(answer.body)["code"], "too_large")

    def test_chunks_over_the_limit_are_413(self):
        stream = self.stream()
        stream.socket.sendall(self.head(Transfer_Encoding="chunked"))
        piece = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
        with contextlib.suppress(OSError):
            for _ in range(9):
                stream.socket.sendall(piece)
        self.assertEqual(read_response(stream).status, 413)

    def test_a_header_over_the_limit_is_431(self):
        stream = self.stream()
        stream.socket.sendall(self.head(X_Much="x" * (17 << 10)))
        self.assertEqual(read_response(stream).status, 431)
        stream = self.stream()
        stream.socket.sendall(self.head(**{f"X_{n}": "x" for n in range(101)}))
        self.assertEqual(read_response(stream).status, 431)

    def test_a_target_over_the_limit_is_414(self):
        self.assertEqual(self.belfry.get("/v1/streams/events?user=" + "x" * 4100).status, 414)

    def test_a_query_that_is_not_encoded_properly_is_400(self):
        self.assert_problem(self.belfry.get("/v1/streams/events?user=%zz"), 400, "malformed")

    def test_answers_forbid_guessing_and_keeping(self):
        answer = self.belfry.get("/v1/streams")
        self.assertEqual(answer.headers["x-content-type-options"], "nosniff")
        self.assertEqual(answer.headers["cache-control"], "no-store")

    def test_a_client_that_leaves_in_the_middle_hurts_nobody(self):
        for part in (b"POST /v1/ev", self.head(Content_Length=1000) + b'{"type"'):
            stream = Bytes(self.belfry.raw())
            stream.socket.sendall(part)
            stream.socket.close()
        body = json.dumps(event()).encode()
        for _ in range(20):
            stream = Bytes(self.belfry.raw())
            stream.socket.sendall(self.head(Content_Length=len(body)) + body)
            stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            stream.socket.close()  # with a reset, before the answer
        self.belfry.emit_ok(event())
        belfry.eventually("connections are gone", lambda: self.belfry.metrics()["belfry_connections"] == 1)


class OpenApi(belfry.SharedCase):
    def test_is_a_document_of_version_3_1_whose_references_lead_somewhere(self):
        document = json_of(self.belfry.get("/openapi.json", token=None))
        self.assertEqual(document["openapi"], "3.1.0")
        text = json.dumps(document)
        names = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
        self.assertTrue(names)
        self.assertEqual(names - set(document["components"]["schemas"]), set())
        ids = [operation["operationId"] for path in document["paths"].values() for operation in path.values()]
        self.assertEqual(len(ids), len(set(ids)))


class ConnectionLimit(belfry.Case):
    def test_turns_further_ones_away_with_a_word_and_serves_again_later(self):
        daemon = self.daemon("--connections-max", "8")
        held = []
        for _ in range(4):  # the other half is for the Unix sockets
            stream = Bytes(daemon.raw())
            self.addCleanup(stream.socket.close)
            stream.socket.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = read_response(stream)
            if answer is not None and answer.status == 200:
                held.append(stream)
        self.assertGreaterEqual(len(held), 3)
        with contextlib.closing(daemon.raw()) as one_too_many:
            stream = Bytes(one_too_many)
            with contextlib.suppress(OSError):
                one_too_many.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = read_response(stream)
        self.assertIsNotNone(answer, "closed without a word")
        self.assertEqual(answer.status, 503)
        self.assertIn("retry-after", answer.headers)
        for stream in held:
            stream.socket.close()
        belfry.eventually("served again", lambda: daemon.get("/healthz").status == 200)


class UnixSocket(belfry.Case):
    def test_is_the_owners_alone_and_needs_no_token(self):
        daemon = self.daemon()
        mode = os.stat(daemon.socket_path).st_mode
        self.assertTrue(stat.S_ISSOCK(mode))
        self.assertEqual(stat.S_IMODE(mode), 0o600)
        connection = UnixConnection(daemon.socket_path)
        self.addCleanup(connection.close)
        for path in ("/v1/tokens", "/v1/status", "/metrics", "/v1/streams/audit"):
            self.assertEqual(daemon.get(path, token=None, connection=connection).status, 200, path)
        minted = daemon.post("/v1/tokens", {"name": "by peer", "role": "admin"}, token=None, connection=connection)
        self.assertEqual(minted.status, 201)
        self.assertEqual(daemon.entries("audit")[-1]["event"]["by"], f"peer:{os.getuid()}")

    def test_still_looks_at_a_token_that_is_sent(self):
        daemon = self.daemon()
        token, _ = daemon.mint("emitter")
        connection = UnixConnection(daemon.socket_path)
        self.addCleanup(connection.close)
        self.assertEqual(daemon.get("/v1/tokens", token=token, connection=connection).status, 403)
        self.assertEqual(daemon.get("/v1/tokens", token="nonsense", connection=connection).status, 401)

    def test_refuses_a_page_of_another_site_all_the_same(self):
        daemon = self.daemon()
        connection = UnixConnection(daemon.socket_path)
        self.addCleanup(connection.close)
        answer = daemon.get("/v1/tokens", token=None, connection=connection, headers={"Origin": "https://evil.example"})
        self.assertEqual(answer.status, 403)

    def test_goes_with_the_daemon_and_a_dead_ones_is_replaced(self):
        daemon = self.daemon()
        daemon.kill()
        self.assertTrue(os.path.exists(daemon.socket_path))
        daemon.start()
        connection = UnixConnection(daemon.socket_path)
        self.addCleanup(connection.close)
        self.assertEqual(daemon.get("/healthz", token=None, connection=connection).status, 200)
        daemon.stop()
        self.assertFalse(os.path.exists(daemon.socket_path))

    def test_can_be_turned_off(self):
        daemon = self.daemon("--socket", "off")
        self.assertFalse(os.path.exists(daemon.socket_path))
        self.assertEqual(daemon.get("/v1/streams").status, 200)


class Tls(belfry.Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="belfry-tls-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        cls.first = cls.certificate("first")
        cls.second = cls.certificate("second")

    @classmethod
    def certificate(cls, name):
        certificate, key = (os.path.join(cls.folder, f"{name}.{kind}") for kind in ("pem", "key"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", key, "-out", certificate, "-days", "2", "-subj", f"/CN={name}",
                        "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"], check=True, capture_output=True)
        os.chmod(key, 0o600)
        return certificate, key

    def install(self, pair, daemon_pair):
        for source, target in zip(pair, daemon_pair):
            shutil.copy(source, target)

    def serve(self):
        daemon = belfry.Daemon()
        self.addCleanup(daemon.close)
        pair = [os.path.join(daemon.folder, name) for name in ("cert.pem", "cert.key")]
        self.install(self.first, pair)
        daemon.options += ["--tls-certificate", pair[0], "--tls-key", pair[1]]
        daemon.tls = ssl.create_default_context(cafile=self.first[0])
        daemon.start()
        return daemon, pair

    def test_carries_requests_streams_and_websockets(self):
        daemon, _ = self.serve()
        daemon.emit_ok([event(payload={"text": "x" * 1000}) for _ in range(500)])
        self.assert_whole(daemon.entries())
        with daemon.sse("/v1/streams/events?from=start") as sse, daemon.websocket("/v1/streams/events?after=0") as ws:
            self.assert_whole(sse.entries(500))
            self.assert_whole([ws.message() for _ in range(500)])

    def test_an_interface_may_say_much_at_once(self):
        daemon, _ = self.serve()
        with daemon.websocket("/v1/inbox/live?user=ada") as ws:
            self.assertEqual(ws.message()["type"], "caught_up")
            rows = [json_of(daemon.post("/v1/notifications", {"text": str(n), "user_id": "ada"})) for n in range(40)]
            for row in rows:  # a record each, and no pause between them
                ws.say({"type": "ack", "id": row["id"], "lease": row["lease"], "version": row["version"], "how": "rendered"})
            results = []
            while len(results) < len(rows):
                message = ws.message()
                self.assertIsNotNone(message, f"cut off after {len(results)}")
                if message["type"] == "ack_result":
                    results.append((message["id"], message["status"]))
            self.assertEqual(results, [(row["id"], "delivered") for row in rows])

    def test_is_spoken_by_the_command_line_which_trusts_nobody_unknown(self):
        daemon, pair = self.serve()
        url = ["--url", f"https://localhost:{daemon.port}", "--token", daemon.admin_token]
        shown = daemon.run("emit", "a.b", *url, "--ca-file", pair[0])
        self.assertEqual(shown.code, 0, shown.err)
        for wrong in ([], ["--ca-file", self.second[0]]):
            shown = daemon.run("emit", "a.b", *url, *wrong)
            self.assertEqual((shown.code, shown.out), (3, ""))
            self.assertIn("certificate", shown.err)
            self.assertIn("--ca-file", shown.err)
            self.assertNotIn("is the daemon running", shown.err)
        self.assertEqual(daemon.head(), 1)

    def test_speaks_nothing_below_version_1_2(self):
        daemon, _ = self.serve()
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        old.minimum_version = ssl.TLSVersion.TLSv1
        old.maximum_version = ssl.TLSVersion.TLSv1_1
        old.set_ciphers("ALL:@SECLEVEL=0")
        with socket.create_connection(("127.0.0.1", daemon.port), timeout=10) as plain:
            with self.assertRaises((ssl.SSLError, ConnectionResetError)):
                old.wrap_socket(plain)
        self.assertEqual(daemon.get("/healthz").status, 200)

    def test_does_not_answer_in_clear(self):
        daemon, _ = self.serve()
        with socket.create_connection(("127.0.0.1", daemon.port), timeout=10) as plain:
            plain.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertNotIn(b"200 OK", Bytes(plain).rest(patience=15))
        self.assertEqual(daemon.get("/healthz").status, 200)

    def test_reads_its_certificate_again_on_sighup_and_keeps_the_old_one_if_the_new_is_broken(self):
        daemon, pair = self.serve()
        with daemon.sse() as reader:
            self.install(self.second, pair)
            daemon.process.send_signal(1)
            daemon.tls = ssl.create_default_context(cafile=self.second[0])

            def served_under_the_second():
                try:
                    return daemon.get("/healthz", token=None).status == 200
                except ssl.SSLError:
                    return False
            belfry.eventually("the second certificate", served_under_the_second)
            with open(pair[0], "w", encoding="utf-8") as file:
                file.write("nonsense")
            daemon.process.send_signal(1)
            belfry.eventually("a word about it", lambda: "certificate was kept" in daemon.log())
            sequence = daemon.emit_ok(event())["sequence"]
            self.assertEqual(reader.entries(1)[0]["sequence"], sequence, "an open stream was hurt by it")

    def test_with_a_certificate_that_is_not_there_the_daemon_does_not_start(self):
        daemon = self.daemon("--tls-certificate", "/nowhere/cert.pem", "--tls-key", "/nowhere/cert.key", start=False)
        with self.assertRaises(belfry.Refused) as refused:
            daemon.start()
        self.assertIn("/nowhere/cert.pem", refused.exception.said)
        self.assertNotEqual(refused.exception.code, 0)


@belfry.sqlite_only
class AStalledStore(belfry.Case):
    """The test holds SQLite's write lock, as a disk that hangs would hold the engine."""

    def stall(self, daemon):
        holder = sqlite3.connect(os.path.join(daemon.data, "belfry.db"), isolation_level=None, timeout=20)
        self.addCleanup(holder.close)
        holder.execute("BEGIN IMMEDIATE")
        return holder

    def test_fills_the_queue_and_then_refuses_with_503_and_a_time_to_wait(self):
        daemon = self.daemon()
        daemon.emit_ok(event())
        text = "x" * 900000
        batch = json.dumps([event(payload={"text": text}) for _ in range(8)])
        before = daemon.memory()
        answers = []
        holder = self.stall(daemon)

        def produce():
            answers.append(daemon.emit(batch))
        with belfry.threads(*[produce] * 24):
            belfry.eventually("an overload", lambda: any(answer.status == 503 for answer in answers), patience=20)
            if not belfry.is_sanitized():
                self.assertLess(daemon.memory() - before, 400 << 20)
            self.assertEqual(daemon.get("/healthz").status, 200, "the rest of the server goes on")
            self.assertEqual(daemon.get("/v1/streams/events?limit=1").status, 200, "readers go on")
            holder.execute("ROLLBACK")
        refused = [answer for answer in answers if answer.status == 503]
        taken = [answer for answer in answers if answer.status == 201]
        self.assertEqual(len(refused) + len(taken), 24, [answer.status for answer in answers])
        self.assertTrue(taken)
        self.assert_problem(refused[0], 503, "overloaded")
        self.assertGreaterEqual(int(refused[0].headers["retry-after"]), 1)
        self.assertEqual(daemon.head(), 1 + 8 * len(taken), "acknowledged is what is there, refused is what is not")
        self.assertGreaterEqual(daemon.metrics()["belfry_commands_refused_overload_total"], len(refused))
        daemon.emit_ok(event())

    def test_that_stays_away_is_told_to_those_who_wait_and_is_used_again_when_it_is_back(self):
        daemon = self.daemon()
        holder = self.stall(daemon)
        body = event(id=unique())
        answer = daemon.emit(body)  # the store is waited for, then it is given up
        self.assertEqual(answer.status, 503, answer.body)
        self.assertIn("retry-after", answer.headers)
        self.assertEqual(daemon.get("/healthz").status, 200)
        holder.execute("ROLLBACK")
        belfry.eventually("ready", lambda: daemon.get("/readyz").status == 200)
        accepted = belfry.eventually("taken again", lambda: (lambda a: a.status == 201 and json_of(a))(daemon.emit(body)))
        self.assertEqual(accepted["sequence"], 1)


if __name__ == "__main__":
    unittest.main()
