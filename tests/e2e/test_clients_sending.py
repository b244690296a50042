"""A person's word through the senders of Python, TypeScript and C++: one table of cases for all three, against the real
binary, and, where a server must behave as ours does not, against a scripted one."""

import os
import threading
import time
import unittest
import uuid

import belfry
import test_server
from belfry import eventually, unique
from client_case import ClientCase, Line, Scripted, Sent, TcpLine, make_side, seconds
from rpc import now, rpc_port
from sdk import Failed

RETRYING = "Connection lost, retrying..."
FAILED = "Failed to send notification"


class Sending:
    """A person's word to a running agent, alike in all."""

    refusals = (-32602, -32602, "RpcError")  # what the errors are called
    slack = 0  # bytes by which a message's size may differ from that of the same one a moment later

    def sender(self, path=None):
        made = self.side.sender("unix:" + (path or os.path.join(self.belfry.data, "belfry-rpc.sock")), self.person_token)
        self.addCleanup(made.close)
        return made

    def line(self):
        made = Line(os.path.join(self.belfry.folder, unique("line-")), os.path.join(self.belfry.data, "belfry-rpc.sock"))
        self.addCleanup(made.cut)
        return made

    def words(self, session):
        return [one["content"] for one in self.agent.pull(session, "turn_start")["user_messages"]]

    def test_a_word_reaches_the_agent_at_its_next_point(self):
        session = self.session()
        self.agent.report_turn(session, "start")
        receipt = self.sender().send(session, "user_input", {"text": "Stop after this file"})
        self.assertTrue(receipt["success"])
        pulled = self.agent.pull(session, "after_tool", format="openai")
        self.assertEqual([one["content"] for one in pulled["user_messages"]], ["Stop after this file"])
        self.assertEqual(pulled["messages"][-1]["role"], "user")
        self.assertEqual(self.agent.pull(session, "after_tool", acknowledge=pulled["pull_id"])["user_messages"], [])

    def test_an_id_is_taken_once(self):
        session, sender = self.session(), self.sender()
        message_id = "018f3a4e-7c1d-7000-8000-" + unique("")[:10].rjust(12, "0")
        first = sender.send(session, "user_input", {"text": "once"}, message_id=message_id)
        self.assertEqual(sender.send(session, "user_input", {"text": "once"}, message_id=message_id)["notification_id"],
                         first["notification_id"])
        self.assertEqual(len(self.agent.pull(session, "turn_start")["user_messages"]), 1)

    def test_a_refusal_is_the_servers_own_word(self):
        sender = self.sender()
        unknown, invalid, kind = self.refusals
        error = self.refused(unknown, lambda: sender.send(unique("nobody-"), "user_input", {"text": "x"}))
        self.assertEqual(error.kind, kind)
        self.refused(invalid, lambda: sender.send(self.session(), "user_input"))
        self.assertEqual(sender.said, [])

    def test_a_signal_cancels_the_run_of_the_session(self):
        session = self.session()
        run = self.agent.create_run(user_id=self.user, session_id=session)
        self.sender().send(session, "control_signal", {"action": "cancel", "run_id": run["id"]})
        eventually("cancelled", lambda: self.agent.run(run["id"])["state"] == "cancelled")

    def test_a_server_that_comes_back_in_time_gets_it_once(self):
        session, line = self.session(), self.line()
        line.mend()
        sender = self.sender(line.path)
        sender.send(session, "user_input", {"text": "before"})
        line.cut()
        mending = threading.Thread(target=lambda: (eventually("told", lambda: sender.said), line.mend()))
        mending.start()
        self.assertTrue(sender.send(session, "user_input", {"text": "after"})["success"])
        mending.join()
        self.assertEqual([words for words, _ in sender.said], ["Connection lost, retrying..."])
        self.assertEqual(self.words(session), ["before", "after"])

    def test_a_receipt_that_was_lost_does_not_make_it_twice(self):
        session, line = self.session(), self.line()
        line.mend()
        sender = self.sender(line.path)
        sender.send(session, "user_input", {"text": "one"})
        line.answers_to_lose = 1
        self.assertTrue(sender.send(session, "user_input", {"text": "two"})["success"])
        self.assertEqual(line.answers_to_lose, 0, "the server has answered, and nobody heard it")
        self.assertEqual([words for words, _ in sender.said], ["Connection lost, retrying..."])
        self.assertEqual(self.words(session), ["one", "two"])

    def test_nobody_there_is_told_in_words(self):
        sender = self.side.sender("unix:" + os.path.join(self.belfry.folder, "nobody.sock"))
        self.addCleanup(sender.close)
        self.refused("unavailable", lambda: sender.send("s", "user_input", {"text": "x"}))
        eventually("told", lambda: [words for words, _ in sender.said] == ["Connection lost, retrying...", "Failed to send notification"])

    def test_a_question_is_asked_and_answered(self):
        session = self.session()
        asked = self.agent.ask_person(session, "confirmation", "Delete it?", tool_name="rm", arguments={"path": "x"}, timeout_s=60)
        self.assertEqual(asked["state"], "pending")
        self.assertEqual([one["id"] for one in self.person.interactions(session=session, state="pending")["data"]], [asked["id"]])
        self.refused("invalid", lambda: self.person.answer_interaction(asked["id"], decision="perhaps"))
        self.person.answer_interaction(asked["id"], decision="allow_once")
        answered = self.agent.await_interaction(asked["id"])
        self.assertEqual((answered["state"], answered["answer"]["decision"]), ("answered", "allow_once"))
        self.refused("conflict", lambda: self.person.answer_interaction(asked["id"], decision="deny"))


    def test_the_largest_message_is_taken_and_one_byte_more_is_not(self):
        session, message_id = self.session(), str(uuid.uuid4())
        sizes = []

        def measure(talk):
            asked = talk.call()
            sizes.append(talk.size)  # before the sender knows that it was heard
            talk.receipt(asked)

        with Scripted(measure, unix=True) as server:
            sender = self.side.sender(server.rpc)
            self.addCleanup(sender.close)
            sender.send(session, "user_input", {"text": ""}, message_id=message_id)
        size, sender = (1 << 20) - sizes[0], self.sender()
        self.refused("too_large", lambda: sender.send(session, "user_input", {"text": "x" * (size + 1 + self.slack)}, message_id=message_id))
        self.assertTrue(sender.send(session, "user_input", {"text": "x" * (size - self.slack)}, message_id=message_id)["success"])
        self.assertEqual(sender.said, [])

    def test_a_daemon_that_dies_before_its_answer_has_it_once(self):
        daemon, session = self.daemon(), unique("s-")
        self.assertEqual(daemon.request("PUT", f"/v1/sessions/{session}", {}).status, 200)
        line = Line(os.path.join(daemon.folder, "line"), os.path.join(daemon.data, "belfry-rpc.sock"))
        self.addCleanup(line.cut)
        line.mend()
        sender = self.side.sender("unix:" + line.path)
        self.addCleanup(sender.close)
        line.is_mute = True
        sent = Sent(sender, session, "user_input", {"text": "Once"})
        history = f"/v1/sessions/{session}/history"
        eventually("taken", lambda: "Once" in daemon.get(history).body.decode())
        daemon.kill()
        line.is_mute = False
        daemon.start()
        self.assertIs(sent.result()["success"], True)
        pulled = belfry.json_of(daemon.post(f"/v1/sessions/{session}/pull", {"point": "turn_start"}))
        self.assertEqual([one["content"] for one in pulled["user_messages"]], ["Once"])


class Pace(ClientCase):
    way = "unix"

    def test_a_hundred_a_minute_are_all_acknowledged_with_traffic_the_other_way(self):
        """Acceptance, client messages 12: SEND_MINUTES=5 is the whole of it, three seconds are the short round."""
        session = self.session()
        run = self.agent.create_run(user_id=self.user, session_id=session)["id"]
        heard, emitted, over = [], [], threading.Event()
        connection = self.side.module.RpcConnection("unix:" + os.path.join(self.belfry.data, "belfry-rpc.sock"), self.person_token,
                                                    on_notification=lambda method, params: heard.append((method, params)))
        self.addCleanup(connection.close)
        connection.call("run/follow", {"run_id": run})

        def emit():
            while not over.wait(0.02):
                emitted.append(self.agent.emit_run(run, {"event": "llm.stream", "data": {"number": len(emitted)}})["last"])

        emitting = threading.Thread(target=emit)
        emitting.start()
        try:
            begin, count = time.monotonic(), round(100 * float(os.environ.get("SEND_MINUTES", "0.05")))
            for number in range(count):
                time.sleep(max(begin + number * 0.6 - time.monotonic(), 0))
                params = {"session_id": session, "message_type": "user_input", "timestamp": now(), "payload": {"text": str(number)}}
                self.assertIs(connection.call("client/user_message", params)["success"], True)
        finally:
            over.set()
            emitting.join()
        self.agent.finish_run(run)
        while not heard or heard[-1][0] != "run/closed":
            heard.append(connection.next_notification(timeout_s=belfry.PATIENCE))
        numbers = [one["event"]["data"]["number"] for method, one in heard
                   if method == "run/event" and one["event"]["event"] == "llm.stream"]
        self.assertEqual(numbers, list(range(len(emitted))))
        self.assertGreater(len(emitted), count)


class Words:
    """When which words come, alike in all: docs/clients.md, Sending."""

    language = "python"

    def setUp(self):
        self.side = make_side(self.language)
        self.addCleanup(self.side.close)

    def sender(self, address):
        made = self.side.sender(address)
        self.addCleanup(made.close)
        return made

    def refused(self, code, work):
        with self.assertRaises(Failed) as caught:
            work()
        self.assertEqual(caught.exception.code, code, caught.exception)
        return caught.exception

    def told(self, sender):
        return [payload for words, payload in sender.said if words == RETRYING]

    def test_ten_wait_for_ten_seconds_and_each_is_told_within_one(self):
        begin = time.monotonic()
        away = self.sender("unix:/nonexistent/rpc.sock")
        waiting = [Sent(away, "s", "user_input", number) for number in range(10)]
        # Beside it a server that takes connections and says nothing: tried four times, too, within the ten seconds.
        with Scripted(lambda talk: [None for _ in iter(talk.call, None)], unix=True) as mute:
            silent = self.sender(mute.rpc)
            ignored = Sent(silent, "s", "user_input", "x")
            eventually("told", lambda: sorted(self.told(away)) == list(range(10)), patience=10)
            self.assertLess(time.monotonic() - begin, 1)
            error = self.refused("overloaded", lambda: away.send("s", "user_input", "eleventh"))
            self.assertIn("10", error.detail)
            self.assertLess(time.monotonic() - begin, 2)
            for one in waiting:
                self.assertEqual((one.result().code, one.result().detail.split(":")[0]), ("unavailable", FAILED))
            self.assertGreater(time.monotonic() - begin, 9)
            self.assertLess(time.monotonic() - begin, 10.9)
            for number in range(10):
                self.assertEqual([words for words, payload in away.said if payload == number], [RETRYING, FAILED])
            self.assertEqual(ignored.result().code, "unavailable")
            self.assertEqual([words for words, _ in silent.said], [RETRYING, FAILED])
            self.assertEqual(mute.connections, 4)

    def test_a_server_that_says_nothing_is_told_within_a_second(self):
        def once():
            with Scripted(lambda talk: [None for _ in iter(talk.call, None)], unix=True) as mute:
                sender = self.side.sender(mute.rpc)
                waiting = [Sent(sender, "s", "user_input", number) for number in range(3)]
                took = seconds(lambda: eventually("told", lambda: sorted(self.told(sender)) == [0, 1, 2]))
                self.assertLess(seconds(sender.close), 2)  # also in the middle of an attempt
                for one in waiting:
                    self.assertIn("closed", one.result().detail)
                eventually("reported", lambda: len(sender.said) == 6)
            return took

        self.assertLess(min(once() for _ in range(3)), 1)

    def test_nobody_is_told_of_a_loss_that_is_over(self):
        with Scripted(lambda talk: None, unix=True) as server:
            path = server.path
        sender = self.sender("unix:" + path)
        self.refused("unavailable", lambda: sender.send("s", "user_input", 1))
        os.makedirs(os.path.dirname(path))
        with Scripted(lambda talk: [talk.receipt(call) for call in iter(talk.call, None)], path=path):
            sender.send("s", "user_input", 2)
        self.assertEqual([words for words, _ in sender.said], [RETRYING, FAILED])

    def test_an_error_under_no_id_is_the_answer(self):
        def part(talk):
            talk.call()
            talk.say({"id": None, "error": {"code": -32700, "message": "Invalid JSON-RPC notification format"}})
            talk.call()

        with Scripted(part, unix=True) as server:
            sender = self.sender(server.rpc)
            took = seconds(lambda: self.refused(self.unreadable_code, lambda: sender.send("s", "user_input", "x")))
            self.assertLess(took, 1.5)
            self.assertEqual((sender.said, server.connections), ([], 1))

    def test_what_was_reported_as_failed_is_not_sent_any_more(self):
        calls = []
        with Scripted(lambda talk: calls.extend(iter(talk.call, None)), unix=True) as server:
            for _ in range(20):
                sender = self.side.sender(server.rpc)
                sent = Sent(sender, "s", "user_input", "x")
                sender.close()
                outcome = sent.result()
                self.assertEqual(getattr(outcome, "code", None), "unavailable", outcome)
            eventually("all connections are closed", lambda: server.running == 0)


@belfry.sqlite_only  # no store is asked
class PythonWords(Words, unittest.TestCase):
    unreadable_code = -32700


@belfry.sqlite_only  # no store is asked
class TypescriptWords(Words, unittest.TestCase):
    language = "typescript"
    unreadable_code = -32700


@belfry.sqlite_only  # no store is asked
class CppWords(Words, unittest.TestCase):
    language = "cpp"
    unreadable_code = "malformed"


class OverTls(belfry.Case):
    """With a certificate, TCP is TLS for JSON-RPC, too."""

    setUpClass = classmethod(test_server.Tls.setUpClass.__func__)
    certificate = classmethod(test_server.Tls.certificate.__func__)
    install = test_server.Tls.install

    def test_every_sender_speaks_it(self):
        daemon = belfry.Daemon("--rpc-listen", "127.0.0.1:0")
        self.addCleanup(daemon.close)
        pair = [os.path.join(daemon.folder, name) for name in ("cert.pem", "cert.key")]
        self.install(self.first, pair)
        daemon.options += ["--tls-certificate", pair[0], "--tls-key", pair[1]]
        daemon.tls = test_server.ssl.create_default_context(cafile=self.first[0])
        daemon.start()
        session = unique("s-")
        self.assertEqual(daemon.request("PUT", f"/v1/sessions/{session}", {}).status, 200)
        for host in ("127.0.0.1", "localhost"):
            address = f"tcps://{host}:{rpc_port(daemon)}"
            for language in ("python", "typescript", "cpp"):
                with self.subTest(language=language, host=host):
                    side = make_side(language)
                    self.addCleanup(side.close)
                    sender = side.sender(address, daemon.admin_token, ca_file=pair[0])
                    self.addCleanup(sender.close)
                    self.assertTrue(sender.send(session, "user_input", {"text": language})["success"])
                    stranger = side.sender(address, daemon.admin_token)
                    self.addCleanup(stranger.close)
                    with self.assertRaises(Failed):
                        stranger.send(session, "user_input", {"text": "I do not know you"})
        done = daemon.run("send", session, "by hand", "--rpc", address, "--ca-file", pair[0], "--token", daemon.admin_token)
        self.assertEqual(done.code, 0, done)


class Python(Sending, ClientCase):
    way = "unix"


class Typescript(Sending, ClientCase):
    language = "typescript"
    way = "unix"


class OverWebSocket(ClientCase):
    """As a browser sends: each connection with a ticket of its own."""

    language = "typescript"

    def test_a_line_that_was_cut_is_made_again_with_another_ticket(self):
        session, line = self.session(), TcpLine(self.belfry.port)
        self.addCleanup(line.cut)
        line.mend()
        sender = self.side.sender(f"ws://127.0.0.1:{line.port}", self.person_token)
        self.addCleanup(sender.close)
        self.assertTrue(sender.send(session, "user_input", {"text": "before"})["success"])
        line.cut()
        sent = Sent(sender, session, "user_input", {"text": "after"})
        eventually("told", lambda: sender.said)
        line.mend()
        self.assertTrue(sent.result()["success"])
        self.assertEqual([words for words, _ in sender.said], [RETRYING])
        pulled = self.agent.pull(session, "turn_start")["user_messages"]
        self.assertEqual([one["content"] for one in pulled], ["before", "after"])

    def test_a_token_that_is_none_is_final(self):
        sender = self.side.sender(f"ws://127.0.0.1:{self.belfry.port}", "bf_nobody_x")
        self.addCleanup(sender.close)
        self.refused("unauthenticated", lambda: sender.send(self.session(), "user_input", {"text": "x"}))
        self.assertEqual(sender.said, [])


class Cpp(Sending, ClientCase):
    language = "cpp"
    way = "unix"
    refusals = ("not_found", "invalid", "Error")
    slack = 8  # its timestamps have as many digits as they need


if __name__ == "__main__":
    unittest.main()
