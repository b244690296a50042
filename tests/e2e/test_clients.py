"""The small clients against the real binary: one test for both, over TCP and over the Unix socket."""

import unittest

import belfry
import test_server
from belfry import unique
from client_case import ClientCase
from sdk import Failed, PythonSide, TypescriptSide


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

    def test_a_notification_under_one_key_is_made_once(self):
        key = unique("k-")
        first = self.agent.notify("once", user_id=self.user, idempotency_key=key)
        self.assertEqual(self.agent.notify("once", user_id=self.user, idempotency_key=key), first)
        self.refused("conflict", lambda: self.agent.notify("twice", user_id=self.user, idempotency_key=key), field="Idempotency-Key")
        self.assertNotEqual(self.agent.notify("once", user_id=self.user)["id"], first["id"])

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

    def test_context_values_are_set_and_read_with_a_pull(self):
        session = self.session()
        set_ = self.agent.set_context_value("build.progress", "71 %", user_id=self.user, ttl_s=60)
        self.assertEqual((set_["user_id"], set_["session_id"], set_["content"]), (self.user, None, "71 %"))
        self.agent.set_context_value("disk.usage", "90 %", session_id=session)
        self.assertEqual(self.person.context_value("disk.usage", session=session)["content"], "90 %")
        self.assertEqual([one["name"] for one in self.person.context_values(user=self.user)], ["build.progress", "disk.usage"])
        pulled = self.agent.pull(session, "turn_start", context=["disk.usage"])
        self.assertEqual(([one["content"] for one in pulled["context"]], pulled["context_left_out"]), (["90 %"], []))
        preview = self.agent.context(session, point="turn_start", context=True)
        self.assertEqual([one["name"] for one in preview["context"]], ["build.progress", "disk.usage"])
        self.assertNotIn("context", self.agent.pull(session, "after_tool"))
        self.agent.delete_context_value("disk.usage", session=session)
        self.refused("not_found", lambda: self.agent.context_value("disk.usage", session=session))

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
        while (message := inbox.next())["type"] != "notification":
            pass
        self.assertEqual((message["text"], message["narrated"]), ("By the way, your disk is full.", True))
        self.person.acknowledge_notification(row["id"], lease=message["owner_lease"], version=message["version"])
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

    def test_a_conversation_is_followed_until_it_is_deleted(self):
        session = self.session()
        following = self.person.follow_items("follow_session", session)
        message = self.agent.post_message(session, "assistant", "The keys are on the table.")
        entry = following.next()["event"]
        self.assertEqual((entry["type"], entry["id"]), ("message", message["id"]))
        again = self.agent.follow_items("follow_session", session, start="start")
        self.assertEqual([again.next()["event"]["type"] for _ in range(3)], ["node", "session_changed", "message"])
        again.close()
        self.person.remove_session(session)
        self.assertEqual(following.next()["event"]["type"], "session_deleted")
        self.assertIsNone(following.next())

    def test_the_journal_is_written_linked_listed_and_searched(self):
        milk = self.person.create_record("task", {"id": unique("t"), "title": "Buy milk", "priority": "p1"})
        note = self.person.create_record("entry", {"text": "no milk left"})
        self.assertEqual(self.person.record("task", milk["id"]), milk)
        changed = self.person.change_record("task", milk["id"], {"status": "in_progress", "revision": 1})
        self.assertEqual((changed["status"], changed["revision"]), ("in_progress", 2))
        stale = self.refused("conflict", lambda: self.person.change_record("task", milk["id"], {"status": "done", "revision": 1}))
        self.assertEqual((stale.reason, stale.problem["current_revision"]), ("stale_revision", 2))
        self.assertEqual([one["id"] for one in self.person.records("task", status="in_progress")["data"]], [milk["id"]])
        self.assertEqual([one["id"] for one in self.person.search_journal("mil")["data"]], [note["id"], milk["id"]])
        link = self.person.link_records("about", note["id"], milk["id"], metadata={"sure": True})
        self.assertEqual(self.person.record_links(from_id=note["id"])["data"], [link])
        self.person.unlink_records("about", note["id"], milk["id"])
        self.assertEqual(self.person.record_links(to_id=milk["id"])["data"], [])
        self.assertIsNotNone(self.person.delete_record("task", milk["id"])["deleted_at"])
        self.refused("gone", lambda: self.person.record("task", milk["id"]))

    def test_access_is_refused_with_a_code(self):
        self.refused("unauthenticated", self.client("bf_wrong").streams)
        self.refused("not_found", lambda: self.agent.session(unique("nobody-")))


class Python(Everything, ClientCase):
    pass


class PythonOverUnix(Everything, ClientCase):
    way = "unix"


class Typescript(Everything, ClientCase):
    language = "typescript"


class TypescriptOverUnix(Everything, ClientCase):
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
