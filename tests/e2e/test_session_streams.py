"""The stream of a session: what happens in a conversation, an entry each, over every way that streams go."""

import contextlib
import os
import sqlite3

import belfry
import rpc
from test_delivery import TO_CONVERSATION
from belfry import event, json_of, unique


def types_of(entries):
    return [entry["event"]["type"] for entry in entries]


class Conversations(belfry.SharedCase):
    def setUp(self):
        self.session = unique("s-")
        self.user = unique("u-")
        self.path = f"/v1/sessions/{self.session}/stream"
        self.put("", {"user_id": self.user, "title": "A talk"})

    def put(self, path, body):
        answer = self.belfry.request("PUT", f"/v1/sessions/{self.session}{path}", body)
        self.assertEqual(answer.status, 200, answer)

    def say(self, role, content, **more):
        answer = self.belfry.post(f"/v1/sessions/{self.session}/messages", {"role": role, "content": content, **more})
        self.assertEqual(answer.status, 201, answer)
        return json_of(answer)

    def report(self, what, **body):
        answer = self.belfry.post(f"/v1/sessions/{self.session}/{what}", body)
        self.assertLess(answer.status, 300, answer)
        return json_of(answer)

    def told(self, after=0):
        answer = self.belfry.get(f"{self.path}?after={after}&limit=1000")
        self.assertEqual(answer.status, 200, answer)
        self.assert_whole(json_of(answer)["data"], after + 1)
        return json_of(answer)["data"]

    def head(self):
        return self.told()[-1]["sequence"]

    def history(self):
        return json_of(self.belfry.get(f"/v1/sessions/{self.session}/history?shape=tree"))["data"]

    def test_has_an_entry_for_each_message_and_node_in_its_order_and_no_words(self):
        said = [self.say("user", "the secret question"), self.say("assistant", "an answer"), self.say("tool", "rows")]
        entries = self.told()
        self.assertEqual(types_of(entries), ["node", "session_changed", "node", "message", "message", "message"])
        nodes = [node["id"] for node in self.history()]
        self.assertEqual([one["event"]["id"] for one in entries if one["event"]["type"] == "node"], nodes)
        for entry, message in zip(entries[-3:], said):
            self.assertEqual(entry["event"], {"type": "message", "id": message["id"], "node_id": message["node_id"],
                                              "ordinal": message["ordinal"], "role": message["role"]})
        self.assertNotIn("secret", str(entries))

    def test_tells_of_a_system_message_and_when_it_has_new_words_or_is_taken_away(self):
        before = self.head()
        def disk(text, session=self.session):
            answer = self.belfry.post("/v1/notifications", {"text": text, "user_id": self.user, "session_id": session,
                                                            "routing": TO_CONVERSATION, "deduplication_key": "disk"})
            self.assertLess(answer.status, 300, answer)
            return json_of(answer)["id"]

        notification = disk("Disk at 80 %")
        [entry] = self.told(before)
        quiet = self.history()[-1]["system_messages"][-1]
        self.assertEqual((entry["event"]["type"], entry["event"]["role"]), ("message", "system"))
        self.assertEqual((entry["event"]["id"], entry["event"]["notification_id"]), (quiet["id"], notification))
        self.assertEqual(disk("Disk at 90 %"), notification)
        other = unique("s-")
        self.belfry.request("PUT", f"/v1/sessions/{other}", {"user_id": self.user})
        self.assertEqual(disk("Disk at 95 %", other), notification)
        changed = self.told(before + 1)
        self.assertEqual(types_of(changed), ["message_changed", "message_removed"])
        self.assertEqual({one["event"]["notification_id"] for one in changed}, {notification})

    def test_tells_of_turns_and_of_what_was_handed_over(self):
        before = self.head()
        self.say("user", "Please hurry", deliver=True)
        self.report("turns", event="start", turn_number=1)
        pulled = self.report("pull", point="turn_start")
        self.report("turns", event="end")
        entries = self.told(before)
        self.assertEqual(types_of(entries), ["node", "message", "turn_began", "handed_over", "turn_ended"])
        self.assertEqual(entries[2]["event"]["turn"], 1)
        self.assertEqual(entries[3]["event"], {"type": "handed_over", "pull_id": pulled["pull_id"], "notifications": 0,
                                               "messages": 1})

    def test_tells_of_questions_answers_and_the_clocks_answer(self):
        before = self.head()
        asked = [self.report("interactions", kind="confirmation", message="May I?", timeout_s=timeout)
                 for timeout in (300, 1)]
        answer = self.belfry.post(f"/v1/interactions/{asked[0]['id']}/answer", {"decision": "deny"})
        self.assertEqual(answer.status, 200, answer)
        belfry.eventually("the clock answers", lambda: len(self.told(before)) == 4)
        entries = [entry["event"] for entry in self.told(before)]
        self.assertEqual([(one["type"], one["id"], one["state"]) for one in entries],
                         [("interaction", asked[0]["id"], "pending"), ("interaction", asked[1]["id"], "pending"),
                          ("interaction_state", asked[0]["id"], "answered"),
                          ("interaction_state", asked[1]["id"], "expired")])

    def test_is_live_over_server_sent_events_websocket_and_rpc_and_ends_with_the_session(self):
        before = self.head()
        sse = self.belfry.sse(f"{self.path}?after={before}")
        socket = self.belfry.websocket(f"{self.path}?after={before}")
        peer = rpc.OverWebSocket(self.belfry)
        for reader in (sse, socket, peer):
            self.addCleanup(reader.close)
        number = peer.ok("session/follow", {"session_id": self.session, "after": before})["subscription"]
        said = self.say("user", "hello")
        self.assertEqual(self.belfry.request("DELETE", f"/v1/sessions/{self.session}").status, 204)
        wanted = ["node", "message", "session_deleted"]
        by_sse = sse.entries(len(wanted))
        self.assertEqual(types_of(by_sse), wanted)
        self.assertEqual(by_sse[1]["event"]["id"], said["id"])
        self.assertEqual((sse.frame().kind), "close")
        self.assertEqual([socket.message()["event"]["type"] for _ in wanted], wanted)
        self.assertEqual(socket.message(), {"type": "close", "reason": "ended"})
        by_rpc = [peer.notification() for _ in wanted]
        self.assertEqual({one["method"] for one in by_rpc}, {"session/event"})
        self.assertEqual([one["params"]["event"]["type"] for one in by_rpc], wanted)
        closed = peer.notification()
        self.assertEqual((closed["method"], closed["params"]), ("session/closed", {"subscription": number, "reason": "ended"}))
        # Who has the last one and comes again is told that it was the last.
        with self.belfry.sse(f"{self.path}?after={before + 3}") as late:
            self.assertEqual(late.frame().kind, "close")

    def test_is_for_those_who_may_use_the_session(self):
        def status(role, **more):
            return self.belfry.get(self.path, token=self.belfry.mint(role, **more)[0]).status

        self.assertEqual(status("user", user_id=self.user), 200)
        self.assertEqual(status("user", user_id="somebody"), 403)
        self.assertEqual(status("agent", bounds={"sessions": [self.session]}), 200)
        self.assertEqual(status("agent", bounds={"sessions": ["another"]}), 403)
        self.assertEqual(status("emitter"), 403)
        self.assertEqual(self.belfry.get("/v1/sessions/nobody-made-this/stream").status, 404)

    def test_of_a_guessed_owner_goes_over_to_the_one_that_was_named(self):
        name = unique("guess-")
        self.belfry.post(f"/v1/sessions/{name}/messages", {"role": "user", "content": "whose?"})
        guess = self.belfry.mint("user", user_id=json_of(self.belfry.get(f"/v1/sessions/{name}"))["user_id"])[0]
        named = self.belfry.mint("user", user_id=self.user)[0]
        path = f"/v1/sessions/{name}/stream"
        self.assertEqual(self.belfry.get(path, token=guess).status, 200)
        self.assertEqual(self.belfry.request("PUT", f"/v1/sessions/{name}", {"user_id": self.user}).status, 200)
        self.assertEqual(self.belfry.get(path, token=guess).status, 403)
        self.assertEqual(self.belfry.get(path, token=named).status, 200)

    def test_is_not_among_the_streams_unless_it_is_named(self):
        listed = json_of(self.belfry.get("/v1/streams?limit=1000"))["data"]
        self.assertFalse([one for one in listed if one["name"].startswith("session:")])
        [found] = json_of(self.belfry.get(f"/v1/streams?name=session:{self.session}"))["data"]
        self.assertEqual(found["head"], self.head())


class Keeping(belfry.Case):
    def test_a_reader_goes_on_after_a_restart_without_a_gap_or_a_double(self):
        daemon = self.daemon()
        for n in range(5):
            daemon.post("/v1/sessions/s/messages", {"role": "assistant", "content": f"word {n}"})
        before = daemon.page("session:s")["data"]
        daemon.kill()
        daemon.start()
        daemon.post("/v1/sessions/s/messages", {"role": "assistant", "content": "after"})
        with daemon.sse(f"/v1/sessions/s/stream?after={before[-1]['sequence']}") as reader:
            [entry] = reader.entries(1)
        self.assertEqual(entry["sequence"], before[-1]["sequence"] + 1)
        self.assertEqual(entry["event"]["type"], "message")
        self.assertEqual(daemon.page("session:s")["data"][:-1], before)

    @belfry.sqlite_only
    def test_a_session_of_an_older_store_can_be_followed_before_anything_is_said_in_it(self):
        daemon = self.daemon()
        daemon.post("/v1/sessions/s/messages", {"role": "assistant", "content": "long ago"})
        daemon.stop()
        with contextlib.closing(sqlite3.connect(os.path.join(daemon.data, "belfry.db"))) as store:
            self.assertEqual(store.execute("DELETE FROM streams WHERE CAST(name AS TEXT) = 'session:s'").rowcount, 1)
            store.commit()
        daemon.start()
        self.assertEqual(json_of(daemon.get("/v1/streams?name=session:s"))["data"], [])
        with daemon.sse("/v1/sessions/s/stream?after=0") as reader:
            self.assertEqual(reader.status, 200)
            said = json_of(daemon.post("/v1/sessions/s/messages", {"role": "assistant", "content": "now"}))
            [entry] = reader.entries(1)
        self.assertEqual((entry["sequence"], entry["event"]["id"]), (1, said["id"]))

    def test_what_an_erased_person_said_leaves_no_name_behind(self):
        daemon = self.daemon()
        daemon.request("PUT", "/v1/sessions/private-talk", {"user_id": "bob"})
        daemon.post("/v1/sessions/private-talk/messages", {"role": "user", "content": "x"})
        answer = daemon.post("/v1/erasures", {"user_id": "bob"})
        self.assertEqual(answer.status, 202, answer)
        erasure = json_of(answer)["id"]
        belfry.eventually("it is done", lambda: json_of(daemon.get(f"/v1/erasures/{erasure}"))["state"] == "done")
        self.assertEqual(json_of(daemon.get("/v1/streams?name=session:private-talk"))["data"], [])
        daemon.emit_ok(event(user_id="ann", session_id="private-talk"))
        daemon.post("/v1/sessions/private-talk/messages", {"role": "user", "content": "another's"})
        entries = daemon.page("session:private-talk")["data"]
        self.assertEqual(entries[0]["sequence"], 1)
        self.assertTrue(all("event" in entry for entry in entries))


if __name__ == "__main__":
    belfry.unittest.main()
