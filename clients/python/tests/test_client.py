"""The client against a scripted server: what it sends, what it repeats, and what it makes of answers."""

import decimal
import os
import threading
import unittest

from belfry import BelfryError, Client
from belfry.read_json import read_json
from belfry.sse import SseParser
from belfry.transport import is_stale
from scripted import Scripted, eventually, free_port


def answering(*answers, seen=None):
    """Answers request after request on one connection."""
    def part(talk):
        for status, body in answers:
            request = talk.request()
            if request is None:
                return
            if seen is not None:
                seen.append(request)
            talk.answer(status, body)
        talk.request()
    return part


class Calls(unittest.TestCase):
    def client(self, server, **more):
        self.pauses = []
        made = Client(server.url, "bf_secret", wait=self.pauses.append, **more)
        self.addCleanup(made.close)
        return made

    def test_a_number_that_python_does_not_read_by_itself_keeps_nobody_from_the_rest(self):
        digits = "9" * 5000
        with Scripted(lambda talk: (talk.request(), talk.answer(200, b'{"data":[{"n":%s},{"n":7}]}' % digits.encode()))) as server:
            first, second = self.client(server).page("events")["data"]
            self.assertEqual(first["n"], decimal.Decimal(digits))
            self.assertEqual(second["n"], 7)
            self.assertEqual(read_json("[-1, 2.5]"), [-1, 2.5])
            with self.assertRaises(ValueError):
                read_json("[" + digits)

    def test_a_call_carries_the_token_and_only_what_was_given(self):
        seen = []
        with Scripted(answering((200, {"id": "a b"}), (201, {"events": []}), seen=seen)) as server:
            client = self.client(server)
            self.assertEqual(client.put_session("a b/c", title="Ünïcode"), {"id": "a b"})
            client.report_tool_call("s", "success", tool_name="t", call_id="1", duration_ms=0)
            self.assertEqual(server.connections, 1, "the connection is kept")
        method, target, headers, body = seen[0]
        self.assertEqual((method, target), ("PUT", "/v1/sessions/a%20b%2Fc"))
        self.assertEqual(headers["authorization"], "Bearer bf_secret")
        self.assertEqual(body.decode(), '{"title": "Ünïcode"}')
        self.assertEqual(seen[1][3].decode(), '{"status": "success", "tool_name": "t", "call_id": "1", "duration_ms": 0}')

    def test_it_speaks_over_a_unix_socket(self):
        with Scripted(answering((200, {"data": [{"name": "events", "head": 3}]})), unix=True) as server:
            self.assertEqual(self.client(server).streams()[0]["head"], 3)

    def test_an_emit_is_repeated_under_one_key_until_it_is_known(self):
        seen = []

        def breaks(talk):
            seen.append(talk.request())
            talk.answer(503, {"code": "unavailable", "detail": "store down", "status": 503}, "Retry-After: 1\r\n")
            seen.append(talk.request())

        with Scripted(breaks, answering((201, {"id": "e", "sequence": 4}), seen=seen)) as server:
            result = self.client(server).emit({"type": "a.b", "source": "t"})
        self.assertEqual(result, {"id": "e", "sequence": 4})
        self.assertEqual(len({request[2]["idempotency-key"] for request in seen}), 1)
        self.assertEqual(len(seen), 3)
        self.assertEqual(self.pauses, [1.0, 0.5], "the server's wish counts where it is longer")

    def test_the_first_emit_of_a_program_is_repeated_where_its_answer_was_lost(self):
        seen = []
        with Scripted(lambda talk: seen.append(talk.request()), answering((201, {"id": "e", "sequence": 4}), seen=seen)) as server:
            self.assertEqual(self.client(server).emit({"type": "a.b", "source": "t"}), {"id": "e", "sequence": 4})
        self.assertEqual(len({request[2]["idempotency-key"] for request in seen}), 1)
        self.assertEqual((len(seen), self.pauses), (2, [0.1]))

    def test_a_notification_is_repeated_under_one_key_where_its_answer_was_lost(self):
        seen = []
        with Scripted(lambda talk: seen.append(talk.request()), answering((201, {"id": "n"}), seen=seen)) as server:
            self.assertEqual(self.client(server).notify("hello", idempotency_key="mine"), {"id": "n"})
        self.assertEqual([request[2]["idempotency-key"] for request in seen], ["mine", "mine"])
        self.assertEqual([request[3].decode() for request in seen], ['{"text": "hello"}'] * 2)

    def test_a_report_is_never_repeated_by_itself(self):
        with Scripted(answering((200, {"data": []})), lambda talk: talk.request()) as server:
            client = self.client(server)
            client.streams()
            client.close()
            with self.assertRaises(BelfryError) as caught:
                client.report_turn("s", "start")
            self.assertEqual(caught.exception.code, "outcome_unknown")
            self.assertEqual(server.connections, 2)
        self.assertEqual(self.pauses, [])

    def test_a_kept_connection_that_the_server_closed_is_made_anew(self):
        with Scripted(lambda talk: (talk.request(), talk.answer(200, {"data": []})), answering((201, {"events": []}))) as server:
            client = self.client(server)
            client.streams()
            eventually(lambda: is_stale(client._transport._idle[0].sock))
            client.report_turn("s", "start")
            self.assertEqual(server.connections, 2)

    def test_a_daemon_that_was_never_there_is_reported_at_once(self):
        self.pauses = []
        client = Client(f"http://127.0.0.1:{free_port()}", wait=self.pauses.append)
        with self.assertRaises(BelfryError) as caught:
            client.emit({"type": "a.b", "source": "t"})
        self.assertEqual(caught.exception.code, "unavailable")
        self.assertIn("belfry serve", caught.exception.detail)
        self.assertEqual(self.pauses, [])

    def test_a_refusal_has_code_field_reason_and_status(self):
        problem = {"status": 409, "code": "conflict", "detail": "the lease is stale", "field": "lease", "reason": "stale_lease"}
        with Scripted(answering((409, problem))) as server:
            with self.assertRaises(BelfryError) as caught:
                self.client(server).narrate("s", "n1", lease=1, text="hello")
        error = caught.exception
        self.assertEqual((error.code, error.status, error.field, error.reason), ("conflict", 409, "lease", "stale_lease"))
        self.assertIn("the lease is stale", str(error))

    def test_of_a_batch_each_refusal_is_told_and_of_one_event_it_is_raised(self):
        batch = {"accepted": 0, "refused": 1, "data": [{"error": {"code": "invalid", "detail": "type"}}]}
        with Scripted(answering((422, batch), (422, {"code": "invalid", "detail": "type", "field": "type"}))) as server:
            client = self.client(server)
            self.assertEqual(client.emit([{"type": "x", "source": "t"}])["refused"], 1)
            with self.assertRaises(BelfryError) as caught:
                client.emit({"type": "x", "source": "t"})
        self.assertEqual(caught.exception.field, "type")

    def test_somebody_else_who_answers_is_not_believed(self):
        with Scripted(answering((200, b"<html>"))) as server:
            with self.assertRaises(BelfryError) as caught:
                self.client(server).streams()
        self.assertEqual(caught.exception.code, "malformed")

    def test_a_run_with_a_key_is_repeated_and_one_without_is_not(self):
        with Scripted(answering((503, {"code": "unavailable"}), (200, {"id": 7}), (503, {"code": "unavailable"}))) as server:
            client = self.client(server)
            self.assertEqual(client.create_run(run_key="k")["id"], 7)
            with self.assertRaises(BelfryError):
                client.create_run(title="x")
        self.assertEqual(self.pauses, [0.1])


class Upload(unittest.TestCase):
    def test_each_event_is_on_its_way_before_the_next_is_asked_for(self):
        arrived = threading.Semaphore(0)
        lines = []

        def part(talk):
            request = talk.request()
            lines.append(request[2]["content-type"])
            while chunk := talk.chunk():
                lines.append(chunk.decode())
                arrived.release()
            talk.answer(201, {"accepted": 3, "first": 2, "last": 4, "state": "running"})

        def events():
            for number in range(3):
                yield {"event": "llm.stream", "data": {"text": str(number)}}
                self.assertTrue(arrived.acquire(timeout=30))

        with Scripted(part) as server:
            with Client(server.url) as client:
                result = client.upload_run(7, events())
        self.assertEqual(result["last"], 4)
        self.assertEqual(lines[0], "application/x-ndjson")
        self.assertEqual(lines[1], '{"event": "llm.stream", "data": {"text": "0"}}\n')

    def test_a_refused_line_ends_the_upload_and_says_which(self):
        def part(talk):
            talk.request()
            talk.chunk()
            talk.answer(422, {"code": "invalid", "detail": "event", "line": 1, "status": 422}, "Connection: close\r\n")
            answered.set()
            while talk.chunk():
                pass

        def events():
            yield {"event": "bad"}
            self.assertTrue(answered.wait(30))
            for number in range(100000):
                taken.append(number)
                yield {"event": "a.b"}

        answered, taken = threading.Event(), []
        with Scripted(part) as server:
            with self.assertRaises(BelfryError) as caught:
                Client(server.url).upload_run(7, events())
        self.assertEqual(caught.exception.problem["line"], 1)
        self.assertLess(len(taken), 1000, "the rest is not sent")


class Following(unittest.TestCase):
    def test_a_lost_stream_goes_on_after_the_last_event_and_ends_with_the_run(self):
        targets = []

        def first(talk):
            targets.append(talk.request()[1])
            talk.events()
            talk.event({"sequence": 1, "event": "lifecycle.started"}, 1, "lifecycle.started")
            talk.event({"sequence": 2, "event": "llm.stream", "data": " \n\u00e9"}, 2, "llm.stream")

        def second(talk):
            targets.append(talk.request()[1])
            talk.events()
            talk.event({"sequence": 2, "event": "llm.stream"}, 2, "llm.stream")
            talk.event({"from": 3, "to": 5}, kind="gap")
            talk.event({"sequence": 6, "event": "lifecycle.completed"}, 6, "lifecycle.completed")
            talk.event({"reason": "ended"}, kind="close")

        lost, pauses = [], []
        with Scripted(first, second) as server:
            client = Client(server.url, wait=pauses.append)
            events = list(client.follow_run(7, on_lost=lambda why, pause: lost.append((why.code, pause))))
        self.assertEqual([event["event"] for event in events], ["lifecycle.started", "llm.stream", "gap", "lifecycle.completed"])
        self.assertEqual(events[1]["data"], " \n\u00e9")
        self.assertEqual(events[2]["data"], {"from": 3, "to": 5})
        self.assertEqual(targets, ["/v1/runs/7/events?from=start", "/v1/runs/7/events?after=2"])
        self.assertEqual((lost, pauses), ([("unavailable", 0.1)], [0.1]))

    def test_live_becomes_a_position_at_once(self):
        targets = []

        def stream(talk):
            targets.append(talk.request()[1])
            talk.events()
            talk.event({"reason": "ended"}, kind="close")

        def lost(talk):
            targets.append(talk.request()[1])
            talk.events()

        def place(talk):
            targets.append(talk.request()[1])
            talk.answer(200, {"data": [], "next": 41, "has_more": False})

        for tree, query in ((None, ""), (True, "&tree=true")):
            targets.clear()
            with Scripted(place, lost, stream) as server:
                with Client(server.url, wait=lambda pause_s: None) as client:
                    self.assertEqual(list(client.follow_run(7, start="live", tree=tree, agent="a b")), [])
            self.assertEqual(targets, [f"/v1/runs/7/events?from=live&limit=1{query}",
                                       *[f"/v1/runs/7/events?after=41{query}&agent=a+b"] * 2])

    def test_what_another_attempt_would_not_mend_is_raised(self):
        for status, code in ((404, "not_found"), (410, "gone"), (401, "unauthenticated")):
            with Scripted(answering((status, {"code": code, "detail": "no"}))) as server:
                with self.assertRaises(BelfryError) as caught:
                    next(Client(server.url).follow_run(7))
            self.assertEqual(caught.exception.code, code)

    def test_messages_of_one_position_in_another_format_arrive_once_wherever_the_line_breaks(self):
        kinds = ["RUN_STARTED", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "RUN_FINISHED"]
        targets = []

        def breaking_after(count, begin):
            def part(talk):
                targets.append(talk.request()[1])
                talk.events()
                for at in range(begin, min(begin + count, len(kinds))):
                    talk.event({"type": kinds[at]}, {0: 1, 3: 2, 4: 3}.get(at))
                if begin + count >= len(kinds):
                    talk.event({"reason": "ended"}, kind="close")
            return part

        with Scripted(breaking_after(1, 0), breaking_after(1, 1), breaking_after(2, 1), breaking_after(3, 1), breaking_after(9, 4)) as server:
            client = Client(server.url, wait=lambda _: None)
            events = list(client.follow_run(7, format="ag-ui"))
        self.assertEqual([event["type"] for event in events], kinds)
        self.assertEqual([target.split("?")[1] for target in targets],
                         ["from=start&format=ag-ui"] + ["after=1&format=ag-ui"] * 3 + ["after=2&format=ag-ui"])

    def test_another_thread_can_end_it(self):
        def part(talk):
            talk.request()
            talk.events()
            talk.event({"type": "caught_up"}, kind="caught_up")
            talk.request()

        with Scripted(part) as server:
            following = Client(server.url).follow_inbox(user="ada")
            self.assertEqual(next(following)["type"], "caught_up")
            threading.Timer(0.05, following.close).start()
            self.assertEqual(list(following), [])

    def test_another_thread_can_end_it_while_it_connects(self):
        asked, go_on = threading.Event(), threading.Event()

        def part(talk):
            talk.request()
            asked.set()
            go_on.wait(30)
            talk.events()
            for number in range(1, 6):
                talk.event({"sequence": number, "event": {}}, number)
            talk.request()

        for answers_first in (False, True):
            asked.clear()
            go_on.clear()
            with Scripted(part) as server:
                following = Client(server.url).follow("events", after=0)
                found = []
                reading = threading.Thread(target=lambda: found.extend(following))
                reading.start()
                asked.wait(30)
                following._stream.stop = following._stream.stop if not answers_first else lambda: None  # it looked too early
                following.close()
                go_on.set()
                reading.join(30)
                self.assertEqual((found, reading.is_alive()), ([], False), answers_first)

    def test_nothing_comes_after_it_was_closed(self):
        def part(talk):
            talk.request()
            talk.socket.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + b"".join(
                b'id: %d\ndata: {"sequence":%d,"event":{}}\n\n' % (number, number) for number in range(1, 6)))
            talk.request()

        with Scripted(part) as server:
            following = Client(server.url).follow("events", after=0)
            self.assertEqual(next(following)["sequence"], 1)
            following.close()
            self.assertEqual(list(following), [])

    def test_another_thread_can_end_it_behind_a_proxy(self):
        def part(talk):
            talk.request()
            talk.chunked_events()
            talk.chunked_event({"type": "caught_up"})
            talk.request()

        for _ in range(20):
            with Scripted(part) as server:
                following = Client(server.url).follow_inbox(user="ada")
                self.assertEqual(next(following)["type"], "caught_up")
                closing = threading.Timer(0.005, following.close)
                closing.start()
                self.assertEqual(list(following), [])
                closing.join()

    def test_a_word_about_the_server_is_no_event_of_a_run(self):
        def part(talk):
            talk.request()
            talk.events()
            talk.event({"type": "RUN_STARTED"}, 1)
            talk.event({"state": "down"}, kind="store")
            talk.event({"reason": "expired"}, kind="close")

        with Scripted(part) as server:
            following = Client(server.url).follow_run(7, format="ag-ui")
            self.assertEqual(next(following)["type"], "RUN_STARTED")
            with self.assertRaises(BelfryError) as caught:
                next(following)
        self.assertEqual(caught.exception.code, "gone")

    def test_entries_come_once_and_gaps_are_told(self):
        def part(talk):
            talk.request()
            talk.events()
            for number in (5, 6, 6):
                talk.event({"sequence": number, "event": {}}, number)
            talk.event({"from": 7, "to": 9}, kind="gap")
            talk.event({"reason": "revoked"}, kind="close")

        with Scripted(part) as server:
            found = []
            with self.assertRaises(BelfryError) as caught:
                for entry in Client(server.url).follow("events", after=4):
                    found.append(entry.get("sequence") or entry["gap"]["to"])
        self.assertEqual(found, [5, 6, 9])
        self.assertEqual(caught.exception.code, "unauthenticated")


class Sse(unittest.TestCase):
    TEXT = "id: 1\r\nevent: a.b\r\ndata: é\r\n\r\n: beat\n\ndata: x\ndata:  y\n\nid\rdata: z\r\r".encode()

    def test_it_does_not_matter_where_the_bytes_are_cut(self):
        whole = SseParser().feed(self.TEXT)
        self.assertEqual([(m.event, m.data, m.id) for m in whole], [("a.b", "é", "1"), ("message", "x\n y", "1"), ("message", "z", "")])
        for size in (1, 2, 3, 5, 7):
            parser = SseParser()
            found = [m for at in range(0, len(self.TEXT), size) for m in parser.feed(self.TEXT[at:at + size])]
            self.assertEqual(found, whole, size)

    def test_a_line_that_ends_with_both_and_an_empty_one_with_one(self):
        for size in (1, 2, 100):
            text, parser = b"\xef\xbb\xbfdata: x\r\n\ndata: y\n\n", SseParser()
            found = [m.data for at in range(0, len(text), size) for m in parser.feed(text[at:at + size])]
            self.assertEqual(found, ["x", "y"], size)

    def test_a_message_without_an_end_is_refused(self):
        parser = SseParser()
        with self.assertRaises(BelfryError):
            for _ in range(65):
                parser.feed(b"data: " + b"x" * (1 << 20) + b"\n")


class Environment(unittest.TestCase):
    def test_an_address_that_is_none_is_refused(self):
        with self.assertRaises(ValueError):
            Client("ftp://host")

    def test_a_token_from_a_file_is_taken_and_no_error_shows_one(self):
        self.assertEqual(Client("http://h:1", "bf_secret\n")._transport._token, "bf_secret")
        for wrong in ("bf_secret\nX-Other: 1", "bf_sécret", "bf secret"):
            with self.assertRaises(ValueError) as caught:
                Client("http://h:1", wrong)
            self.assertNotIn(wrong, str(caught.exception))

    def test_the_environment_says_where_unless_told(self):
        os.environ["BELFRY_URL"] = "unix:///run/b.sock"
        self.addCleanup(os.environ.pop, "BELFRY_URL")
        self.assertEqual(str(Client()._transport.address), "unix:/run/b.sock")
        self.assertEqual(str(Client("http://h:1")._transport.address), "http://h:1")


if __name__ == "__main__":
    unittest.main()
