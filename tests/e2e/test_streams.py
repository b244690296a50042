"""Streams out: pages, server-sent events and WebSockets over the same log, and readers that are slow, late or gone."""

import base64
import hashlib
import socket
import unittest

import belfry
from belfry import event, json_of, unique


def filled(daemon, count, **members):
    """Events of a type of their own: the type and the sequences."""
    kind = f"fill.{unique()}"
    answer = daemon.emit_ok([event(type=kind, payload={"n": n}, **members) for n in range(count)])
    return kind, [entry["sequence"] for entry in answer["data"]]


class Pages(belfry.SharedCase):
    def test_lead_through_the_whole_stream_without_a_gap(self):
        filled(self.belfry, 57)
        seen, after = [], 0
        while True:
            page = self.belfry.page(after=after, limit=10)
            self.assertLessEqual(len(page["data"]), 10)
            seen += page["data"]
            after = page["next"]
            if not page["has_more"]:
                break
        self.assert_whole(seen)
        self.assertEqual(len(seen), self.belfry.head())
        self.assertEqual(after, self.belfry.head())

    def test_begin_at_the_beginning_and_have_a_hundred_entries_unless_told(self):
        filled(self.belfry, 120)
        page = self.belfry.page()
        self.assertEqual(len(page["data"]), 100)
        self.assertEqual(page["data"][0]["sequence"], 1)
        self.assertEqual(page["next"], 100)
        self.assertTrue(page["has_more"])

    def test_at_the_end_are_empty_and_say_where_to_go_on(self):
        filled(self.belfry, 1)
        head = self.belfry.head()
        self.assertEqual(self.belfry.page(after=head), {"data": [], "next": head, "has_more": False})

    def test_of_a_filter_go_on_behind_what_they_passed_over(self):
        kind, _ = filled(self.belfry, 3)
        filled(self.belfry, 20)
        page = self.belfry.page(type=kind, limit=2)
        self.assertEqual([entry["event"]["payload"]["n"] for entry in page["data"]], [0, 1])
        rest = self.belfry.page(type=kind, limit=2, after=page["next"])
        self.assertEqual([entry["event"]["payload"]["n"] for entry in rest["data"]], [2])
        self.assertFalse(rest["has_more"])
        self.assertEqual(rest["next"], self.belfry.head())

    def test_with_a_limit_outside_its_bounds_are_refused_with_them(self):
        for limit in ("0", "1001", "-1", "ten", ""):
            with self.subTest(limit):
                answer = self.belfry.get(f"/v1/streams/events?limit={limit}")
                self.assert_problem(answer, 422, "invalid", field="limit", says="1000")

    def test_after_a_malformed_position_are_400(self):
        for after in ("x", "-1", "1.5", "", "99999999999999999999999", "0x1", "+1", "1%202"):
            with self.subTest(after):
                self.assert_problem(self.belfry.get(f"/v1/streams/events?after={after}"), 400, "malformed",
                                    field="after")

    def test_after_a_position_that_is_not_there_yet_are_refused_with_the_head(self):
        filled(self.belfry, 1)
        head = self.belfry.head()
        self.assert_problem(self.belfry.get(f"/v1/streams/events?after={head + 1}"), 422, "invalid", field="after",
                            says=str(head))

    def test_of_a_stream_that_is_not_there_are_404(self):
        self.assert_problem(self.belfry.get("/v1/streams/nothing"), 404, "not_found")

    def test_with_a_parameter_that_is_wrong_say_which(self):
        for query, field in (("type=single", "type"), ("type=a.*.b", "type"), ("severity=loud", "severity"),
                             ("from=middle", "from"), ("limt=3", "limt")):
            with self.subTest(query):
                self.assert_problem(self.belfry.get("/v1/streams/events?" + query), 422, "invalid", field=field)

    def test_the_list_of_streams_has_their_heads(self):
        filled(self.belfry, 2)
        answer = json_of(self.belfry.get("/v1/streams"))
        self.assertEqual((answer["next"], answer["has_more"]), (None, False))
        streams = {stream["name"]: stream for stream in answer["data"]}
        self.assertEqual(set(streams), {"events", "audit"})
        self.assertEqual(streams["events"]["head"], self.belfry.page(after=0, limit=1000)["next"])

    def test_the_list_of_streams_is_read_by_pages(self):
        daemon = self.daemon()
        for n in range(3):
            daemon.post("/v1/notifications", {"text": "x", "user_id": f"u{n}"})
        whole = json_of(daemon.get("/v1/streams"))
        self.assertFalse(whole["has_more"])
        found, after = [], 0
        while after is not None:
            page = json_of(daemon.get(f"/v1/streams?limit=2&after={after}"))
            self.assertEqual(page["has_more"], page["next"] is not None)
            self.assertLessEqual(len(page["data"]), 2)
            found, after = found + page["data"], page["next"]
        self.assertEqual(found, whole["data"])
        self.assertEqual({one["name"] for one in found}, {"events", "audit", "inbox:u0", "inbox:u1", "inbox:u2"})
        one = json_of(daemon.get("/v1/streams?name=inbox:u1"))["data"]
        self.assertEqual([(stream["name"], stream["head"]) for stream in one], [("inbox:u1", 1)])
        for query, field in (("limit=0", "limit"), ("after=x", "after"), ("nme=x", "nme")):
            self.assert_problem(daemon.get("/v1/streams?" + query), 422, "invalid", field=field)


class Filters(belfry.SharedCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.belfry.emit_ok([
            event(type="tool.call.note", severity="debug", user_id="ada", session_id="s1", payload={"n": 0}),
            event(type="tool.calls", severity="info", user_id="ada", session_id="s2", payload={"n": 1}),
            event(type="tool.call.deep.er", severity="warning", user_id="bob", session_id="s1", payload={"n": 2}),
            event(type="build.failed", severity="error", user_id="bob", payload={"n": 3}),
            event(type="build.gone", severity="critical", payload={"n": 4}),
        ])

    def numbers(self, query):
        page = json_of(self.belfry.get("/v1/streams/events?" + query))
        with self.belfry.sse("/v1/streams/events?from=start&" + query) as reader:
            live = [entry["event"]["payload"]["n"] for entry in reader.entries(len(page["data"]))]
        paged = [entry["event"]["payload"]["n"] for entry in page["data"]]
        self.assertEqual(live, paged)
        return paged

    def test_choose_the_same_in_pages_and_live(self):
        cases = [("type=tool.call.note", [0]), ("type=tool.*", [0, 1, 2]), ("type=tool.call.*", [0, 2]),
                 ("type=build.*,tool.calls", [1, 3, 4]), ("type=build.gone&type=tool.calls", [1, 4]),
                 ("severity=warning", [2, 3, 4]), ("severity=debug", [0, 1, 2, 3, 4]), ("severity=critical", [4]),
                 ("user=ada", [0, 1]), ("session=s1", [0, 2]), ("user=bob&session=s1", [2]),
                 ("type=tool.*&severity=info&user=ada", [1]), ("user=nobody", [])]
        for query, wanted in cases:
            with self.subTest(query):
                self.assertEqual(self.numbers(query), wanted)


class ServerSentEvents(belfry.SharedCase):
    def test_come_as_an_event_stream_that_says_when_to_come_again(self):
        with self.belfry.sse() as reader:
            self.assertEqual(reader.status, 200)
            self.assertIn("content-type: text/event-stream", reader.head)
            self.assertIn("cache-control: no-store", reader.head)
            self.assertEqual(reader.stream.until(b"\n\n"), b"retry: 1000\n\n")

    def test_carry_the_sequence_as_their_id_and_the_entry_as_data(self):
        _, sequences = filled(self.belfry, 1)
        with self.belfry.sse(f"/v1/streams/events?after={sequences[0] - 1}") as reader:
            frame = reader.frame()
        self.assertEqual(frame.kind, "message")
        self.assertEqual(frame.id, sequences[0])
        self.assertEqual(frame.data, self.belfry.entries(after=sequences[0] - 1)[0])

    def test_from_the_start_are_everything_and_then_what_is_new(self):
        filled(self.belfry, 5)
        head = self.belfry.head()
        with self.belfry.sse("/v1/streams/events?from=start") as reader:
            self.assert_whole(reader.entries(head))
            filled(self.belfry, 3)
            self.assert_whole(reader.entries(3), first=head + 1)

    def test_without_a_place_are_only_what_is_new(self):
        for query in ("", "?from=live"):
            with self.subTest(query):
                filled(self.belfry, 2)
                with self.belfry.sse("/v1/streams/events" + query) as reader:
                    _, sequences = filled(self.belfry, 2)
                    self.assertEqual([entry["sequence"] for entry in reader.entries(2)], sequences)

    def test_after_a_reconnection_are_exactly_what_was_missed(self):
        _, sequences = filled(self.belfry, 3)
        with self.belfry.sse(f"/v1/streams/events?after={sequences[0] - 1}") as reader:
            reader.entries(2)
            last = reader.last_id
        self.assertEqual(last, sequences[1])
        filled(self.belfry, 4)
        with self.belfry.sse("/v1/streams/events?from=start", headers={"Last-Event-ID": str(last)}) as reader:
            self.assert_whole(reader.entries(5), first=last + 1)
            filled(self.belfry, 1)
            self.assertEqual(reader.entries(1)[0]["sequence"], last + 6)

    def test_of_a_malformed_last_event_id_are_400(self):
        for value in ("x", "-1", "1 2", "18446744073709551616", "1e3"):
            with self.subTest(value):
                answer = self.belfry.get("/v1/streams/events",
                                         headers={"Accept": "text/event-stream", "Last-Event-ID": value})
                self.assert_problem(answer, 400, "malformed", field="Last-Event-ID")

    def test_of_a_stream_that_is_not_there_are_404(self):
        answer = self.belfry.get("/v1/streams/nothing", headers={"Accept": "text/event-stream"})
        self.assert_problem(answer, 404, "not_found")

    def test_reach_many_readers_each_whole_and_in_order(self):
        readers = [self.belfry.sse() for _ in range(50)]
        try:
            expected = []
            for _ in range(10):
                expected += filled(self.belfry, 20)[1]
            for reader in readers:
                self.assertEqual([entry["sequence"] for entry in reader.entries(200)], expected)
        finally:
            for reader in readers:
                reader.close()
        belfry.eventually("readers are gone", lambda: self.belfry.metrics()["belfry_stream_readers"] == 0)


class WebSockets(belfry.SharedCase):
    def test_shake_hands_as_the_standard_says(self):
        with self.belfry.websocket() as reader:
            self.assertEqual(reader.status, 101)
            accept = base64.b64encode(
                hashlib.sha1((reader.key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
            self.assertIn("sec-websocket-accept: " + accept.lower(), reader.head)

    def test_carry_the_same_entries_as_pages(self):
        _, sequences = filled(self.belfry, 3)
        with self.belfry.websocket(f"/v1/streams/events?after={sequences[0] - 1}") as reader:
            messages = [reader.message() for _ in sequences]
            self.assertEqual([message.pop("type") for message in messages], ["entry"] * 3)
            self.assertEqual(messages, self.belfry.entries(after=sequences[0] - 1))
            _, more = filled(self.belfry, 1)
            self.assertEqual(reader.message()["sequence"], more[0])

    def test_filter_and_begin_where_they_are_told(self):
        kind, sequences = filled(self.belfry, 2)
        filled(self.belfry, 2)
        with self.belfry.websocket(f"/v1/streams/events?from=start&type={kind}") as reader:
            self.assertEqual([reader.message()["sequence"] for _ in sequences], sequences)

    def test_answer_pings_and_a_close(self):
        with self.belfry.websocket() as reader:
            reader.send(9, b"are you there")
            self.assertEqual(reader.frame(), (10, b"are you there"))
            reader.send(8, b"\x03\xe8")
            self.assertEqual(reader.frame()[0], 8)
            self.assertEqual(reader.stream.rest(), b"")
            self.assertTrue(reader.stream.ended)

    def test_that_break_the_protocol_are_closed_and_others_go_on(self):
        with self.belfry.websocket() as good, self.belfry.websocket() as bad:
            bad.socket.sendall(b"\x81\x05hello")  # not masked
            frame = bad.frame()
            self.assertEqual(frame[0], 8)
            self.assertEqual(int.from_bytes(frame[1][:2], "big"), 1002)
            _, sequences = filled(self.belfry, 1)
            self.assertEqual(good.message()["sequence"], sequences[0])

    def test_without_a_key_or_of_another_version_are_refused(self):
        base = {"Upgrade": "websocket", "Connection": "Upgrade"}
        answer = self.belfry.get("/v1/streams/events", headers={**base, "Sec-WebSocket-Version": "8"})
        self.assertEqual(answer.status, 426)
        self.assertEqual(answer.headers["sec-websocket-version"], "13")
        answer = self.belfry.get("/v1/streams/events", headers={**base, "Sec-WebSocket-Version": "13"})
        self.assert_problem(answer, 400, "malformed")


class SlowReaders(belfry.Case):
    def test_do_not_hold_up_others_and_cost_bounded_memory(self):
        daemon = self.daemon()
        slow = []
        for _ in range(20):
            reader = daemon.sse("/v1/streams/events?from=start")
            reader.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 17)
            slow.append(reader)
            self.addCleanup(reader.close)
        fast = daemon.sse("/v1/streams/events?from=start")
        self.addCleanup(fast.close)
        before = daemon.memory()
        body = [event(payload={"text": "x" * 10000, "n": n}) for n in range(100)]
        total = 60  # MB, of which 20 readers take nothing
        for _ in range(total):
            daemon.emit_ok(body)
            self.assertEqual(len(fast.entries(100)), 100)
        grown = daemon.memory() - before
        # The log's tail, the encoded blocks and each reader's share are bounded; 20 copies of 60 MB are not.
        if not belfry.is_sanitized():
            self.assertLess(grown, 160 << 20)
        # And they lose nothing: a slow one that reads again gets all of it.
        self.assert_whole(slow[0].entries(total * 100))

    def test_catch_up_from_the_log_when_they_come_late(self):
        daemon = self.daemon()
        for _ in range(12):  # more than what is kept in memory for live readers
            daemon.emit_ok([event(payload={"text": "y" * 10000}) for _ in range(100)])
        with daemon.sse("/v1/streams/events?from=start") as reader, daemon.websocket("/v1/streams/events?after=0") as ws:
            self.assert_whole(reader.entries(1200))
            self.assert_whole([ws.message() for _ in range(1200)])
        self.assertGreater(daemon.metrics()["belfry_stream_fetches_total"], 0)


class AfterARestart(belfry.Case):
    def test_a_reader_goes_on_where_it_was(self):
        daemon = self.daemon()
        filled(daemon, 10)
        with daemon.sse("/v1/streams/events?from=start") as reader:
            reader.entries(7)
            last = reader.last_id
        self.assertEqual(daemon.stop(), 0)
        daemon.start()
        filled(daemon, 5)
        with daemon.sse(headers={"Last-Event-ID": str(last)}) as reader:
            self.assert_whole(reader.entries(8), first=8)

    def test_pages_lead_through_what_is_only_in_the_store(self):
        daemon = self.daemon()
        for _ in range(3):  # each more than is fetched at once
            daemon.emit_ok(event(payload={"text": "y" * 300_000}))
        self.assertEqual(daemon.stop(), 0)
        daemon.start()
        pages, after = [], 0
        while not pages or pages[-1]["has_more"]:
            pages.append(daemon.page(after=after, limit=1))
            after = pages[-1]["next"]
        self.assertEqual([entry["sequence"] for page in pages for entry in page["data"]], [1, 2, 3])

    def test_readers_are_told_that_the_daemon_stops(self):
        daemon = self.daemon()
        with daemon.sse() as sse, daemon.websocket() as ws:
            daemon.process.terminate()
            frame = sse.frame()
            self.assertEqual((frame.kind, frame.data), ("close", {"reason": "stopping"}))
            self.assertEqual(ws.message(), {"type": "close", "reason": "stopping"})
            self.assertEqual(ws.frame()[0], 8)
        self.assertEqual(daemon.process.wait(belfry.PATIENCE), 0)


if __name__ == "__main__":
    unittest.main()
