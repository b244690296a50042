"""The small clients against the real binary: one test for both, over TCP and over the Unix socket."""

import contextlib
import os
import socket
import threading
import unittest

import belfry
import test_server
from belfry import eventually, unique
from sdk import Failed, PythonSide, TypescriptSide

WORKER = {"agent_id": "w1", "agent_type": "worker", "agent_name": "Worker", "team_name": "blue"}


def make_side(name):
    return PythonSide() if name == "python" else TypescriptSide()


class ClientCase(belfry.SharedCase):
    """A daemon, a client and the name of an own user; `language` and `way` say which client."""

    language = "python"
    way = "tcp"
    side = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.side = make_side(cls.language)
        cls.addClassCleanup(cls.side.close)

    def setUp(self):
        self.user = unique("u-")
        self.agent = self.client(self.belfry.mint("agent", bounds={"users": [self.user]})[0])
        self.person_token = self.belfry.mint("user", user_id=self.user)[0]
        self.person = self.client(self.person_token)

    def url(self):
        return f"http://127.0.0.1:{self.belfry.port}" if self.way == "tcp" else f"unix:{self.belfry.socket_path}"

    def client(self, token):
        made = self.side.client(self.url(), token)
        self.addCleanup(made.close)
        return made

    def refused(self, code, work, **facts):
        with self.assertRaises(Failed) as caught:
            work()
        self.assertEqual(caught.exception.code, code, caught.exception)
        for name, value in facts.items():
            self.assertEqual(getattr(caught.exception, name), value)
        return caught.exception

    def session(self):
        name = unique("s-")
        self.agent.put_session(name, user_id=self.user)
        return name


class Everything:
    """What both clients do alike; mixed into a case for each."""

    def test_an_emit_is_durable_and_a_stream_is_followed_from_now_on(self):
        client = self.client(self.belfry.admin_token)
        kind = unique("client.")
        with_end = client.follow_items("follow", "events", type=kind + ".*", start="start")
        accepted = client.emit({"type": kind + ".one", "source": "sdk", "payload": {"text": " \té漢"}})
        self.assertEqual(with_end.next()["sequence"], accepted["sequence"])
        result = client.emit([{"type": kind + ".two", "source": "sdk"}, {"type": "bad", "source": "sdk"}])
        self.assertEqual((result["accepted"], result["refused"]), (1, 1))
        self.assertEqual(result["data"][1]["error"]["code"], "invalid")
        self.assertEqual(with_end.next()["event"]["type"], kind + ".two")
        with_end.close()
        self.assertEqual(client.page("events", type=kind + ".*")["data"][0]["event"]["payload"], {"text": " \té漢"})
        self.refused("invalid", lambda: client.emit({"type": "bad", "source": "sdk"}), field="type")

    def test_the_same_key_is_taken_once(self):
        client = self.client(self.belfry.admin_token)
        event = {"type": unique("client.") + ".x", "source": "sdk"}
        first = client.emit(event, idempotency_key="k-" + event["type"])
        self.assertEqual(client.emit(event, idempotency_key="k-" + event["type"]), first)

    def test_a_failed_tool_is_pulled_and_acknowledged(self):
        session = self.session()
        self.agent.report_turn(session, "start")
        report = self.agent.report_tool_call(session, "failure", tool_name="vault", call_id="1", arguments={"q": "keys"},
                                             error_type="timeout", error_message="too slow")
        self.assertTrue(report["events"][0]["id"])
        pulled = self.agent.pull(session, "after_tool", format="openai", budget_tokens=2000)
        self.assertEqual([item["subscriber"] for item in pulled["items"]], ["tool_failure"])
        self.assertEqual(pulled["messages"][0]["role"], "developer")
        self.assertEqual(self.agent.acknowledge(session, pull_id=pulled["pull_id"]), 1)
        self.assertEqual(self.agent.pull(session, "after_tool", acknowledge=pulled["pull_id"])["items"], [])
        self.assertEqual(self.agent.notification("n1", session=session)["state"], "delivered")
        report = self.agent.report_turn(session, "end", reason="answered", tool_calls=1, tokens_used=10)
        self.assertEqual(report["progress"]["tokens_used"], 10)
        self.assertEqual(self.agent.session(session)["id"], session)
        self.assertIn(session, [one["id"] for one in self.agent.sessions(user=self.user)["data"]])

    def test_items_are_acknowledged_under_their_lease(self):
        session = self.session()
        self.agent.notify("Mind the gap", session_id=session, routing={"address": "session", "target": "agent", "handler": "system"})
        self.assertEqual(len(self.agent.context(session, point="turn_start")["items"]), 1)
        item = self.agent.pull(session, "turn_start")["items"][0]
        self.refused("conflict", lambda: self.agent.acknowledge(session, items=[{"id": item["handle"], "lease": item["lease"] + 1}]))
        self.assertEqual(self.agent.acknowledge(session, items=[{"id": item["handle"], "lease": item["lease"]}]), 1)

    def test_what_the_agent_is_to_say_is_held_narrated_and_shown(self):
        session = self.session()
        inbox = self.person.follow_items("follow_inbox", user=self.user)
        self.assertEqual(inbox.next()["type"], "caught_up")
        row = self.agent.notify("The disk is full", user_id=self.user, routing={"address": "user", "target": "user", "handler": "agent"})
        item = self.agent.pull(session, "turn_start")["items"][0]
        self.assertEqual((item["id"], item["needs_answer"]), (row["id"], True))
        self.assertEqual(self.agent.heartbeat(session, lease_s=60)["renewed"], 1)
        self.refused("conflict", lambda: self.agent.narrate(session, item["handle"], lease=item["lease"] + 1, text="Too late"))
        self.agent.narrate(session, item["handle"], lease=item["lease"], text="By the way, your disk is full.")
        while (message := inbox.next())["type"] != "narration":
            pass
        self.assertEqual(message["text"], "By the way, your disk is full.")
        inbox.close()
        why = self.agent.why(row["id"])
        self.assertEqual(why["notifications"][0]["notification"]["state"], "delivered")

    def test_an_inbox_shows_what_waits_and_what_comes_until_it_is_acknowledged(self):
        first = self.agent.notify("first", user_id=self.user)
        inbox = self.person.follow_items("follow_inbox", user=self.user)
        shown = inbox.next()
        self.assertEqual((shown["type"], shown["id"]), ("notification", first["id"]))
        self.assertEqual(inbox.next()["type"], "caught_up")
        second = self.agent.notify("second", user_id=self.user, priority="high", deduplication_key="k")
        shown = inbox.next()
        self.assertEqual(shown["id"], second["id"])
        self.refused("conflict", lambda: self.person.acknowledge_notification(second["id"], lease=9, version=1))
        self.person.acknowledge_notification(second["id"], lease=shown["owner_lease"], version=shown["version"])
        self.person.mark_notification(second["id"], "seen")
        listed = self.person.inbox(user=self.user, unread=True)
        self.assertEqual([one["id"] for one in listed["data"]], [first["id"]])
        self.assertEqual(self.person.notifications(user=self.user, state="delivered")["data"][0]["id"], second["id"])
        inbox.close()

    def test_a_note_to_oneself_messages_and_history(self):
        session = self.session()
        self.assertTrue(self.agent.notify_self(session, "Check the build", after_turns=2)["reminder_id"])
        message = self.agent.post_message(session, "user", "Where are the keys?")
        self.assertEqual(self.agent.history(session)["data"][-1]["messages"][0]["id"], message["id"])
        self.person.remove_session(session)
        self.refused("gone", lambda: self.agent.pull(session, "turn_start"))

    def test_access_is_refused_with_a_code(self):
        self.refused("unauthenticated", self.client("bf_wrong").streams)
        self.refused("not_found", lambda: self.agent.session(unique("nobody-")))


class Runs:
    """Runs and their streams, alike in both."""

    def create(self, **more):
        return self.agent.create_run(user_id=self.user, **more)

    def names(self, following):
        found = []
        while (event := following.next()) is not None:
            found.append(event["event"])
        return found

    def test_a_run_from_its_start_to_its_end(self):
        run = self.create(title="Write", caller=WORKER, run_key=unique("k-"))
        self.assertEqual((run["state"], run["caller"]), ("running", {**WORKER}))
        again = self.create(title="Write", caller=WORKER, run_key=run["run_key"])
        self.assertEqual(again["id"], run["id"])
        following = self.person.follow_items("follow_run", run["id"])
        self.assertEqual(following.next()["event"], "lifecycle.started")
        accepted = self.agent.emit_run(run["id"], {"event": "llm.stream", "data": {"text": " \n\té漢\u2028"}})
        event = following.next()
        self.assertEqual((event["sequence"], event["data"], event["source"]["agent_id"]),
                         (accepted["first"], {"text": " \n\té漢\u2028"}, "w1"))
        self.agent.emit_run(run["id"], [{"event": "a.b", "data": number} for number in range(3)])
        self.agent.finish_run(run["id"], "completed", result={"answer": 42})
        self.assertEqual(self.names(following), ["a.b", "a.b", "a.b", "lifecycle.completed"])
        ended = self.person.run(run["id"])
        self.assertEqual((ended["state"], ended["result"]), ("completed", {"answer": 42}))
        self.refused("conflict", lambda: self.agent.emit_run(run["id"], {"event": "a.b"}))
        self.refused("conflict", lambda: self.agent.cancel_run(run["id"]))
        self.assertIn(run["id"], [one["id"] for one in self.person.runs(user=self.user)["data"]])

    def test_an_upload_is_seen_while_it_goes_on(self):
        run = self.create()
        following = self.person.follow_items("follow_run", run["id"], start="live")
        upload = self.agent.begin_upload(run["id"])
        for number in range(5):
            upload.feed({"event": "llm.stream", "data": {"text": str(number)}})
            self.assertEqual(following.next()["data"], {"text": str(number)}, "before the next one is made")
        result = upload.finish()
        self.assertEqual((result["accepted"], result["last"] - result["first"], result["state"]), (5, 4, "running"))
        following.close()

    def test_a_refused_line_ends_an_upload_and_what_was_before_it_stays(self):
        run = self.create()
        upload = self.agent.begin_upload(run["id"])
        upload.feed({"event": "a.b", "data": 1})
        upload.feed({"event": "lifecycle.completed"})
        error = self.refused("invalid", upload.finish)
        self.assertEqual(error.problem["line"], 2)
        self.assertEqual([event["event"] for event in self.agent.run_events(run["id"])["data"]], ["lifecycle.started", "a.b"])

    def test_a_reader_goes_on_where_it_was(self):
        run = self.create()
        self.agent.emit_run(run["id"], [{"event": "a.b", "data": number} for number in range(100)])
        first = self.person.follow_items("follow_run", run["id"])
        last = [first.next() for _ in range(41)][-1]["sequence"]
        first.close()
        self.agent.finish_run(run["id"])
        second = self.person.follow_items("follow_run", run["id"], after=last)
        found = []
        while (event := second.next()) is not None:
            found.append(event["sequence"])
        self.assertEqual(found, list(range(last + 1, 103)))

    def test_history_comes_in_pages(self):
        run = self.create()
        self.agent.emit_run(run["id"], [{"event": "a.b", "data": number} for number in range(499)])
        found, after = [], 0
        for _ in range(5):
            page = self.person.run_events(run["id"], after=after, limit=100)
            found += [event["sequence"] for event in page["data"]]
            after = page["next"]
        self.assertEqual((found, page["has_more"]), (list(range(1, 501)), False))

    def test_a_cancelled_run_says_so_once_and_refuses_more(self):
        run, other = self.create(), self.create()
        following = self.person.follow_items("follow_run", run["id"])
        self.agent.emit_run(run["id"], {"event": "a.b"})
        self.assertEqual(self.person.cancel_run(run["id"], reason="enough")["state"], "cancelled")
        self.assertEqual(self.names(following), ["lifecycle.started", "a.b", "lifecycle.cancelled"])
        self.refused("conflict", lambda: self.agent.emit_run(run["id"], {"event": "a.b"}), reason="ended")
        self.refused("conflict", lambda: self.agent.finish_run(run["id"]))
        self.assertEqual(self.agent.run(other["id"])["state"], "running")

    def test_a_run_waits_to_be_started_and_pauses(self):
        run = self.create(start=False)
        self.assertEqual(run["state"], "pending")
        self.assertEqual(self.agent.start_run(run["id"])["state"], "running")
        self.assertTrue(self.person.pause_run(run["id"])["paused"])
        self.assertTrue(self.agent.emit_run(run["id"], {"event": "a.b"})["paused"])
        self.assertFalse(self.person.resume_run(run["id"])["paused"])
        self.agent.finish_run(run["id"], "failed", error={"type": "ValueError", "message": "no"})
        following = self.person.follow_items("follow_run", run["id"])
        self.assertEqual(self.names(following), ["lifecycle.started", "control.paused", "a.b", "control.resumed", "lifecycle.failed"])

    def test_a_tree_and_one_agent_of_it(self):
        root = self.create(tree=True)
        child = self.create(parent_id=root["id"], caller=WORKER)
        self.agent.emit_run(child["id"], {"event": "child.speaks"})
        self.agent.emit_run(root["id"], {"event": "root.speaks"})
        tree = self.person.follow_items("follow_run", root["id"], tree=True)
        seen = set()
        while len(seen) < 2:
            event = tree.next()
            if event["event"].endswith("speaks"):
                seen.add((event["run_id"], event["event"]))
        self.assertEqual(seen, {(root["id"], "root.speaks"), (child["id"], "child.speaks")})
        tree.close()
        self.agent.finish_run(child["id"])
        self.agent.finish_run(root["id"])
        of_worker = self.person.follow_items("follow_run", child["id"], agent="w1")
        self.assertIn("child.speaks", self.names(of_worker))

    def test_ag_ui_events(self):
        run = self.create()
        self.agent.emit_run(run["id"], [{"event": "llm.stream", "data": {"text": "Hello"}}, {"event": "llm.stream", "data": {"text": " you"}}])
        self.agent.finish_run(run["id"])
        following = self.person.follow_items("follow_run", run["id"], format="ag-ui")
        found = []
        while (event := following.next()) is not None:
            found.append(event["type"])
        self.assertEqual(found, ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CONTENT",
                                 "TEXT_MESSAGE_END", "RUN_FINISHED"])

    def test_an_unknown_run_is_not_found(self):
        self.refused("not_found", lambda: self.agent.run(999999999))
        self.refused("not_found", self.person.follow_items("follow_run", 999999999).next)

    def test_a_stream_outlives_the_daemon(self):
        daemon = self.daemon()
        client = self.side.client(f"unix:{daemon.socket_path}", daemon.admin_token)
        self.addCleanup(client.close)
        run = client.create_run(user_id="ada")
        following = client.follow_items("follow_run", run["id"])
        self.assertEqual(following.next()["event"], "lifecycle.started")
        daemon.kill()
        daemon.start()
        client.emit_run(run["id"], {"event": "after.restart"})
        client.finish_run(run["id"])
        self.assertEqual(self.names(following), ["after.restart", "lifecycle.completed"])


class Line:
    """A Unix socket in front of another one, that can be cut, mended, and made to lose answers."""

    def __init__(self, path, target):
        self.path = path
        self.target = target
        self.answers_to_lose = 0
        self.listener = None
        self.open = []

    def mend(self):
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.path)
        self.listener.listen()
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    def cut(self):
        if self.listener is None:
            return
        os.remove(self.path)
        listener, self.listener = self.listener, None
        for one in [listener, *self.open]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self.open = []

    def _accept(self, listener):
        with contextlib.suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                far.connect(self.target)
                self.open += [near, far]
                threading.Thread(target=self._carry, args=(near, far, False), daemon=True).start()
                threading.Thread(target=self._carry, args=(far, near, True), daemon=True).start()

    def _carry(self, source, target, are_answers):
        with contextlib.suppress(OSError):
            while piece := source.recv(1 << 16):
                if are_answers and self.answers_to_lose:
                    self.answers_to_lose -= 1
                    break
                target.sendall(piece)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


class Sending:
    """A person's word to a running agent, alike in both."""

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
        error = self.refused(-32602, lambda: sender.send(unique("nobody-"), "user_input", {"text": "x"}))
        self.assertEqual(error.kind, "RpcError")
        self.refused(-32602, lambda: sender.send(self.session(), "user_input"))
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


class Python(Everything, ClientCase):
    pass


class PythonOverUnix(Everything, ClientCase):
    way = "unix"


class PythonRuns(Runs, ClientCase):
    pass


class PythonSending(Sending, ClientCase):
    way = "unix"


class Typescript(Everything, ClientCase):
    language = "typescript"


class TypescriptOverUnix(Everything, ClientCase):
    language = "typescript"
    way = "unix"


class TypescriptRuns(Runs, ClientCase):
    language = "typescript"


class TypescriptRunsOverUnix(Runs, ClientCase):
    language = "typescript"
    way = "unix"


class TypescriptSending(Sending, ClientCase):
    language = "typescript"
    way = "unix"


class OverTls(belfry.Case):
    """A stranger's certificate is not believed; one that is named is."""

    setUpClass = classmethod(test_server.Tls.setUpClass.__func__)
    certificate = classmethod(test_server.Tls.certificate.__func__)
    install, serve = test_server.Tls.install, test_server.Tls.serve

    def check(self, daemon, trusting, stranger):
        result = trusting.emit([{"type": "tls.works", "source": "sdk", "payload": {"text": "x" * 1000}} for _ in range(500)])
        self.assertEqual(result["accepted"], 500)
        following = trusting.follow_items("follow", "events", start="start")
        self.assertEqual([following.next()["sequence"] for _ in range(500)], list(range(1, 501)))
        following.close()
        with self.assertRaises(Failed):
            stranger.streams()

    def test_python(self):
        daemon, pair = self.serve()
        url, side = f"https://127.0.0.1:{daemon.port}", PythonSide()
        self.check(daemon, side.client(url, daemon.admin_token, ca_file=pair[0]), side.client(url, daemon.admin_token))

    def test_typescript(self):
        daemon, pair = self.serve()
        url = f"https://127.0.0.1:{daemon.port}"
        sides = TypescriptSide(NODE_EXTRA_CA_CERTS=pair[0]), TypescriptSide()
        for side in sides:
            self.addCleanup(side.close)
        self.check(daemon, *(side.client(url, daemon.admin_token) for side in sides))


class Surface(unittest.TestCase):
    def test_both_have_the_same_names(self):
        typescript = TypescriptSide()
        self.addCleanup(typescript.close)
        own = {"constructor", "once", "ask", "again", "send", "open", "following", "headers"}
        self.assertEqual(typescript.surface() - own, PythonSide().surface() - {"close"})


if __name__ == "__main__":
    unittest.main()
