"""What happens only after a while: heartbeats, readers that take nothing, requests that never end.

The limits are constants, so these tests wait them out; they begin together and wait side by side.
"""

import time
import unittest

import belfry
from belfry import Bytes, event, read_response


class AfterAWhile(belfry.Case):
    """Everything begins in setUpClass; each test looks at its own outcome."""

    @classmethod
    def setUpClass(cls):
        cls.belfry = belfry.Daemon()
        cls.addClassCleanup(cls.belfry.close)
        cls.belfry.start()
        cls.idle = cls.belfry.sse()
        cls.idle_socket = cls.belfry.websocket()
        cls.header = Bytes(cls.belfry.raw())
        cls.header.socket.sendall(b"POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        cls.silent = Bytes(cls.belfry.raw())
        cls.stalled = belfry.Daemon()
        cls.addClassCleanup(cls.stalled.close)
        cls.stalled.start()
        cls.takes_nothing = cls.stalled.sse("/v1/streams/events?from=start")
        for _ in range(12):
            cls.stalled.emit_ok([event(payload={"text": "z" * 10000}) for _ in range(100)])
        cls.began = time.monotonic()
        for reader in (cls.idle, cls.idle_socket, cls.takes_nothing):
            cls.addClassCleanup(reader.close)
        for stream in (cls.header, cls.silent):
            cls.addClassCleanup(stream.socket.close)

    def test_a_header_that_does_not_end_is_answered_with_408_and_the_connection_closed(self):
        # One byte now and then must not buy more time.
        end = time.monotonic() + 20
        answer = None
        while answer is None and time.monotonic() < end:
            try:
                self.header.socket.sendall(b"X")
            except OSError:
                pass
            answer = read_response(self.header, patience=0.5)
        self.assertIsNotNone(answer, "the slow request was not ended in 20 s")
        self.assertEqual(answer.status, 408)
        self.assertIn(b'"timeout"', answer.body)
        self.header.rest(patience=5)
        self.assertTrue(self.header.ended)

    def test_an_idle_stream_beats(self):
        frame = self.idle.frame(patience=25)  # the pause is 15 seconds
        self.assertIsNotNone(frame, "no heartbeat in 25 s")
        self.assertEqual((frame.comment, frame.data), ("ping", None))

    def test_an_idle_websocket_is_pinged(self):
        frame = self.idle_socket.frame(patience=25)
        self.assertIsNotNone(frame, "no heartbeat in 25 s")
        self.assertEqual(frame, (1, b'{"type":"beat"}'))  # for scripts, which see no pings
        self.assertEqual(self.idle_socket.frame(patience=5)[0], 9)

    def test_a_reader_that_takes_nothing_is_closed(self):
        belfry.eventually("closed as slow", lambda: self.stalled.metrics()["belfry_stream_readers_closed_slow_total"] == 1,
                          patience=45, pause=0.5)
        self.assertGreater(time.monotonic() - self.began, 25, "closed too early")
        self.assertEqual(self.stalled.metrics()["belfry_stream_readers"], 0)

    def test_a_connection_that_says_nothing_is_kept_for_a_while(self):
        self.silent.socket.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertEqual(read_response(self.silent).status, 200)


if __name__ == "__main__":
    unittest.main()
