"""The sender against a scripted server: receipts, tries, the queue, and what the person is told."""

import threading
import time
import unittest

from belfry import FAILED, RETRYING, BelfryError, RpcConnection, RpcError, Sender
from belfry.sender import QUEUE_MAX
from scripted import Scripted, eventually, free_port


class Time:
    """Time that passes only where somebody waits for it."""

    def __init__(self):
        self.now = 0.0
        self.pauses = []
        self.at_pause = {}  # what happens at the nth pause
        self.gate = None  # pauses wait for it

    def clock(self):
        return self.now

    def wait(self, seconds):
        if self.gate is not None:
            self.gate.wait(30)
        self.pauses.append(seconds)
        self.now += seconds
        self.at_pause.get(len(self.pauses), lambda: None)()


def receipts(calls):
    def part(talk):
        while (call := talk.call()) is not None:
            calls.append(call)
            talk.receipt(call, f"r{len(calls)}")
    return part


class Sending(unittest.TestCase):
    def setUp(self):
        self.time = Time()
        self.said = []

    def sender(self, address, token=""):
        made = Sender(address, token, clock=self.time.clock, wait=self.time.wait,
                      on_feedback=lambda words, message: self.said.append((words, message.payload)))
        self.addCleanup(made.close)
        return made

    def test_a_receipt_comes_back(self):
        for unix in (True, False):
            calls = []
            with Scripted(receipts(calls), unix=unix) as server:
                sender = self.sender(server.rpc)
                self.assertEqual(sender.send("s1", "user_input", {"text": "é"})["notification_id"], "r1")
                self.assertEqual(sender.send("s1", "control_signal")["notification_id"], "r2")
                self.assertEqual(server.connections, 1)
            self.assertEqual(calls[0]["method"], "client/user_message")
            params = calls[0]["params"]
            self.assertEqual((params["session_id"], params["message_type"], params["payload"]), ("s1", "user_input", {"text": "é"}))
            self.assertRegex(params["timestamp"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertNotIn("payload", calls[1]["params"])
            self.assertNotEqual(params["message_id"], calls[1]["params"]["message_id"])
        self.assertEqual(self.said, [])

    def test_a_token_is_shown_first(self):
        def part(talk):
            call = talk.call()
            self.shown = (call["method"], call["params"])
            talk.say({"id": call["id"], "result": {}})
            receipts([])(talk)

        with Scripted(part) as server:
            self.sender(server.rpc, "bf_x").send("s", "user_input", {})
        self.assertEqual(self.shown, ("authenticate", {"token": "bf_x"}))

    def test_with_nobody_there_it_is_tried_four_times_and_given_up(self):
        with self.assertRaises(BelfryError) as caught:
            self.sender(f"tcp://127.0.0.1:{free_port()}").send("s", "user_input", "x")
        self.assertEqual(caught.exception.code, "unavailable")
        self.assertEqual(self.time.pauses, [0.1, 0.5, 2.0])
        self.assertEqual(self.said, [(RETRYING, "x"), (FAILED, "x")])
        self.assertEqual((RETRYING, FAILED), ("Connection lost, retrying...", "Failed to send notification"))

    def test_a_lost_receipt_is_asked_for_again_under_the_same_message_id(self):
        calls = []
        with Scripted(lambda talk: calls.append(talk.call()), receipts(calls)) as server:
            self.assertTrue(self.sender(server.rpc).send("s", "user_input", "x")["success"])
        self.assertEqual(len(calls), 2)
        self.assertEqual(calls[0]["params"], calls[1]["params"])
        self.assertEqual(self.said, [(RETRYING, "x")])
        self.assertEqual(self.time.pauses, [0.1])

    def test_a_connection_that_was_closed_in_between_costs_no_attempt(self):
        calls = []
        with Scripted(lambda talk: talk.receipt(talk.call()), receipts(calls)) as server:
            sender = self.sender(server.rpc)
            sender.send("s", "user_input", 1)
            eventually(lambda: sender._connection.is_lost)
            sender.send("s", "user_input", 2)
        self.assertEqual((len(calls), self.said, self.time.pauses), (1, [], []))

    def test_the_server_comes_back_in_time(self):
        port, calls = free_port(), []

        def begin():
            server = Scripted(receipts(calls), port=port)
            self.addCleanup(server.close)

        self.time.at_pause[2] = begin
        self.assertTrue(self.sender(f"tcp://127.0.0.1:{port}").send("s", "user_input", "x")["success"])
        self.assertEqual((self.said, len(calls)), ([(RETRYING, "x")], 1))

    def test_a_refusal_is_raised_and_not_tried_again(self):
        def part(talk):
            call = talk.call()
            talk.say({"method": "client/other", "params": {}})
            talk.say({"id": call["id"], "error": {"code": -32000, "message": "Rate limit exceeded", "data": {"retry_after_ms": 600}}})
            talk.call()

        with Scripted(part) as server:
            with self.assertRaises(RpcError) as caught:
                self.sender(server.rpc).send("s", "user_input", "x")
        self.assertEqual((caught.exception.code, caught.exception.retry_after_ms), (-32000, 600))
        self.assertEqual((self.said, self.time.pauses), ([], []))

    def test_a_server_that_can_take_nothing_now_is_tried_again(self):
        def away(talk):
            talk.say({"id": talk.call()["id"], "error": {"code": -32004, "message": "the store is down"}})

        calls = []
        with Scripted(away, receipts(calls)) as server:
            self.sender(server.rpc).send("s", "user_input", "x")
        self.assertEqual((self.said, len(calls)), ([(RETRYING, "x")], 1))

    def test_the_eleventh_is_refused_at_once_and_every_one_that_is_given_up_is_reported(self):
        self.time.gate = threading.Event()
        sender = self.sender(f"tcp://127.0.0.1:{free_port()}")
        futures = [sender.submit("s", "user_input", number) for number in range(QUEUE_MAX)]
        with self.assertRaises(BelfryError) as caught:
            sender.submit("s", "user_input", "late")
        self.assertEqual(caught.exception.code, "overloaded")
        with self.assertRaises(BelfryError) as caught:
            sender.submit("s", "user_input", "x" * (1 << 20))
        self.assertEqual(caught.exception.code, "too_large")
        self.time.gate.set()
        errors = [future.exception(30) for future in futures]
        self.assertEqual({error.code for error in errors}, {"unavailable"})
        self.assertTrue(all(error.detail.startswith(FAILED) for error in errors))
        # 2.6 s for each of three, then the ten seconds of all others are over.
        self.assertEqual(sum(error.detail.endswith("waited too long") for error in errors), 7)
        self.assertLessEqual(self.time.now, 10.0 + 1e-9)
        for number in range(QUEUE_MAX):
            self.assertEqual([words for words, payload in self.said if payload == number], [RETRYING, FAILED], number)

    def test_they_arrive_in_order(self):
        calls = []
        with Scripted(receipts(calls), unix=True) as server:
            sender = self.sender(server.rpc)
            for start in range(0, 100, QUEUE_MAX):
                futures = [sender.submit("s", "user_input", start + number) for number in range(QUEUE_MAX)]
                for future in futures:
                    future.result(30)
        self.assertEqual([call["params"]["payload"] for call in calls], list(range(100)))

    def test_closing_gives_up_what_waits(self):
        self.time.gate = threading.Event()
        sender = self.sender(f"tcp://127.0.0.1:{free_port()}")
        futures = [sender.submit("s", "user_input", number) for number in range(3)]
        closing = threading.Thread(target=sender.close)
        closing.start()
        eventually(lambda: sender._closed)
        self.time.gate.set()
        closing.join()
        self.assertEqual([future.exception(30).code for future in futures], ["unavailable"] * 3)
        self.assertEqual([payload for words, payload in self.said if words == FAILED], [0, 1, 2])
        with self.assertRaises(BelfryError):
            sender.submit("s", "user_input", 4)

    def test_what_is_no_json_harms_only_itself(self):
        calls = []
        with Scripted(receipts(calls)) as server:
            sender = self.sender(server.rpc)
            with self.assertRaises(TypeError):
                sender.send("s", "user_input", object())
            with self.assertRaises(ValueError):
                sender.send("s", "user_input", {"x": float("nan")})
            self.assertTrue(sender.send("s", "user_input", "x")["success"])

    def test_a_future_that_is_cancelled_harms_nobody(self):
        calls, may_answer = [], threading.Event()

        def part(talk):
            while (call := talk.call()) is not None:
                calls.append(call["params"]["payload"])
                may_answer.wait(30)
                talk.receipt(call)

        with Scripted(part) as server:
            sender = self.sender(server.rpc)
            first = sender.submit("s", "user_input", 1)
            eventually(lambda: calls)
            self.assertFalse(first.cancel())  # it is being sent
            waiting = [sender.submit("s", "user_input", number) for number in range(2, 11)]
            self.assertTrue(waiting[0].cancel())
            last = sender.submit("s", "user_input", 11)  # there is room again
            may_answer.set()
            self.assertTrue(last.result(30)["success"])
            self.assertTrue(first.result(30)["success"])
        self.assertEqual(calls, [1, *range(3, 12)])
        self.assertEqual(self.said, [])

    def test_a_callback_may_submit_but_not_wait_for_itself(self):
        found = []

        def on_feedback(words, message):
            if words == FAILED and not found:
                try:
                    sender.send("s", "user_input", "waits")
                except RuntimeError as error:
                    found.append(error)
                found.append(sender.submit("s", "user_input", "later"))

        sender = Sender(f"tcp://127.0.0.1:{free_port()}", on_feedback=on_feedback, clock=self.time.clock, wait=self.time.wait)
        self.addCleanup(sender.close)
        with self.assertRaises(BelfryError):
            sender.send("s", "user_input", "first")
        eventually(lambda: len(found) == 2)
        self.assertIn("submit", str(found[0]))
        self.assertEqual(found[1].exception(30).code, "unavailable")


class Connection(unittest.TestCase):
    def test_a_message_that_comes_in_pieces_is_not_lost_when_the_time_is_over(self):
        go_on = threading.Event()

        def part(talk):
            body = b'{"jsonrpc":"2.0","method":"run/event","params":{"text":"' + b"x" * 100 + b'"}}'
            frame = b"Content-Length: %d\r\n\r\n" % len(body) + body
            talk.socket.sendall(frame[:60])
            go_on.wait(30)
            talk.socket.sendall(frame[60:])
            talk.call()

        with Scripted(part, unix=True) as server:
            connection = RpcConnection(server.rpc)
            self.addCleanup(connection.close)
            with self.assertRaises(TimeoutError):
                connection.next_notification(timeout_s=0.1)
            go_on.set()
            self.assertEqual(connection.next_notification(timeout_s=30), ("run/event", {"text": "x" * 100}))

    def test_a_callback_that_fails_does_not_cost_the_answer(self):
        def part(talk):
            call = talk.call()
            talk.say({"method": "run/event", "params": {}})
            talk.say({"id": call["id"], "result": {"pong": True}})
            talk.call()

        def fail(*_):
            raise KeyError("mine")

        with Scripted(part, unix=True) as server, self.assertLogs("belfry", "ERROR"):
            connection = RpcConnection(server.rpc, on_notification=fail)
            self.addCleanup(connection.close)
            self.assertEqual(connection.call("ping"), {"pong": True})

    def test_whoever_never_ends_a_head_is_found_out(self):
        with Scripted(lambda talk: (talk.call(), talk.socket.sendall(b"HTTP/1.1 200 OK " * 1000), talk.call()), unix=True) as server:
            connection = RpcConnection(server.rpc)
            self.addCleanup(connection.close)
            with self.assertRaisesRegex(ConnectionError, "Belfry"):
                connection.call("ping", timeout_s=30)

    def test_connecting_and_showing_the_token_have_one_limit(self):
        with Scripted(lambda talk: (talk.call(), talk.call())) as server:
            begin = time.monotonic()
            with self.assertRaises(TimeoutError):
                RpcConnection(server.rpc, "bf_x", connect_timeout_s=0.2)
            self.assertLess(time.monotonic() - begin, 10)


if __name__ == "__main__":
    unittest.main()
