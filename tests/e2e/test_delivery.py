"""The delivery protocol, line by line of what was promised: one speaker, nobody ignorant, nothing lost."""

import json
import time
import unittest

import belfry
from belfry import eventually, json_of, unique
from test_notifications import Agent, failure


class Delivering(belfry.SharedCase):
    def emit_notification(self, **body):
        answer = self.belfry.post("/v1/notifications", body, token=body.pop("token", "admin"))
        self.assertIn(answer.status, (200, 201), answer.body)
        return json_of(answer)

    def row(self, one):
        return json_of(self.belfry.get("/v1/notifications/" + (one if isinstance(one, str) else one["id"])))

    def ack(self, row, lease=None, version=None, token="admin", **more):
        return self.belfry.post(f"/v1/notifications/{row['id']}/ack",
                                {"lease": row["lease"] if lease is None else lease,
                                 "version": row["version"] if version is None else version, "how": "rendered", **more},
                                token=token)

    def why(self, one):
        return json_of(self.belfry.get("/v1/why/" + (one if isinstance(one, str) else one["id"])))

    def reasons(self, one):
        return [step["reason"] for step in self.why(one)["notifications"][0]["steps"]]

    def inbox(self, user, **query):
        text = "&".join(f"{name}={value}" for name, value in {"user": user, **query}.items())
        return json_of(self.belfry.get("/v1/inbox?" + text))

    def user(self):
        name = unique("u-")
        return name, self.belfry.mint("user", user_id=name)[0]


TO_PERSON = {"address": "user", "target": "user", "handler": "system"}
TO_CONVERSATION = {"address": "session", "target": "user", "handler": "system"}
AGENT_SAYS = {"address": "user", "target": "user", "handler": "agent"}
AGENT_SAYS_HERE = {"address": "session", "target": "user", "handler": "agent"}
AGENT_DECIDES = {"address": "session", "target": "agent", "handler": "agent"}
PASSIVE = {"address": "session", "target": "agent", "handler": "system"}


class TheThreeFailures(Delivering):
    def test_no_nagging_what_the_person_has_seen_is_not_said_again(self):
        name, token = self.user()
        agent = Agent(self.belfry)
        self.belfry.request("PUT", f"/v1/sessions/{agent.session}", {"user_id": name})
        agent.pull("turn_start")
        row = self.emit_notification(text="The download has failed: disk full", user_id=name, routing=TO_PERSON, severity="error")
        self.assertEqual(self.ack(row, token=token).status, 200)
        pulled = agent.pull("turn_start")
        self.assertEqual(pulled["items"], [], "nothing for the agent to say")
        self.assertIn("[SEEN]", pulled["text"])

    def test_no_amnesia_the_agent_knows_what_the_person_was_shown(self):
        name, token = self.user()
        agent = Agent(self.belfry)
        self.belfry.request("PUT", f"/v1/sessions/{agent.session}", {"user_id": name})
        agent.pull("turn_start")
        for n in range(7):
            row = self.emit_notification(text=f"Backup {n} of the archive failed", user_id=name, routing=TO_PERSON)
            self.assertEqual(self.ack(row, token=token).status, 200)
        # A look at it shows what a pull would, and takes nothing.
        preview = json_of(self.belfry.get(f"/v1/sessions/{agent.session}/context?point=turn_start"))
        self.assertEqual(json_of(self.belfry.get(f"/v1/sessions/{agent.session}/context?point=turn_start")), preview)
        pulled = agent.pull("turn_start")
        self.assertEqual((preview["seen"], preview["digest"], preview["tokens"]),
                         (pulled["seen"], pulled["digest"], pulled["tokens"]))
        self.assertEqual(pulled["items"], [])
        self.assertIn("7", pulled["digest"])
        self.assertEqual(pulled["digest"].count("\n"), 0)
        self.assertTrue(any("Backup 3 of the archive failed" in line for line in pulled["seen"]), pulled["seen"])
        self.assertNotIn("EXTERNAL", pulled["text"])
        # Until that is confirmed it is told again: the answer may have been lost.
        again = agent.pull("turn_start")
        self.assertEqual(again["seen"], pulled["seen"])
        agent.post("acknowledge", {"pull_id": again["pull_id"]})
        self.assertEqual(agent.pull("turn_start")["seen"], [])

    def test_no_loss_what_the_agent_was_to_say_and_did_not_reaches_the_person(self):
        name, token = self.user()
        agent = Agent(self.belfry)
        self.belfry.request("PUT", f"/v1/sessions/{agent.session}", {"user_id": name})
        row = self.emit_notification(text="Disk full", user_id=name, routing=AGENT_SAYS, ttl_s=1)
        self.assertEqual(self.inbox(name)["data"], [], "the agent is to say it")
        pulled = agent.pull("turn_start", lease_s=1)
        self.assertTrue(pulled["items"][0]["needs_answer"])
        # The agent dies here.
        escalated = eventually("it is the system's to say", lambda: self.row(row)["state"] == "escalated" and self.row(row))
        self.assertEqual(escalated["lease"], pulled["items"][0]["lease"] + 1)
        self.assertEqual((escalated["target"], escalated["handler"]), ("user", "system"))
        self.assertEqual([one["id"] for one in self.inbox(name)["data"]], [row["id"]])
        late = self.belfry.post(f"/v1/notifications/{row['id']}/narrate", {"lease": pulled["items"][0]["lease"], "text": "Oh, by the way"})
        self.assert_problem(late, 409, "conflict", field="lease")
        self.assertEqual(self.ack(escalated, token=token).status, 200)
        self.assertEqual(self.row(row)["state"], "delivered")


class ManyWait(Delivering):
    def test_all_that_waits_is_sent_however_much_it_is(self):
        name, token = self.user()
        large = [self.emit_notification(text="large", content="x" * 250_000, user_id=name)["id"] for _ in range(20)]
        small = [self.emit_notification(text=str(n), user_id=name)["id"] for n in range(1010)]
        with self.belfry.websocket(f"/v1/inbox/live?user={name}", token=token) as interface:
            sent = []
            while (message := interface.message())["type"] != "caught_up":
                if message["type"] == "notification":
                    sent.append(message["id"])
            self.assertEqual(sent, large + small, "oldest first, each once")
            self.assertEqual(message["waiting"], 1030)
        self.assertEqual(self.row(small[-1])["state"], "dispatched")


class Rows(Delivering):
    def test_a_new_one_is_pending_under_lease_one(self):
        name, _ = self.user()
        row = self.emit_notification(text="hello", user_id=name)
        self.assertEqual((row["state"], row["lease"], row["ended_at"]), ("pending", 1, None))
        refused = self.belfry.post("/v1/notifications", {"text": "x", "user_id": name, "routing": TO_CONVERSATION})
        self.assert_problem(refused, 422, "invalid", field="session_id")

    def test_the_end_is_the_end(self):
        name, token = self.user()
        row = self.emit_notification(text="hello", user_id=name)
        self.assertEqual(self.ack(row, token=token).status, 200)
        before = self.row(row)
        self.assertEqual(self.ack(row, token=token).status, 409)
        self.assertEqual(self.row(row), before)

    def test_an_ack_without_lease_with_a_stale_version_or_of_somebody_else_changes_nothing(self):
        name, token = self.user()
        _, other = self.user()
        row = self.emit_notification(text="hello", user_id=name, deduplication_key="k")
        row = self.emit_notification(text="hello again", user_id=name, deduplication_key="k")
        self.assertEqual(row["version"], 2)
        before = self.row(row)
        answer = self.belfry.post(f"/v1/notifications/{row['id']}/ack", {"version": 2}, token=token)
        self.assertIn(answer.status, (409, 422))
        self.assert_problem(self.ack(row, version=1, token=token), 409, "conflict", field="version")
        self.assert_problem(self.ack(row, lease=2, token=token), 409, "conflict", field="lease")
        self.assertIn(self.ack(row, token=other).status, (403, 404))
        self.assertEqual(self.row(row), before)

    def test_deduplication_overwrites_what_waits_and_makes_a_new_one_after_the_end(self):
        name, token = self.user()
        first = self.emit_notification(text="10 %", user_id=name, deduplication_key="progress")
        second = self.emit_notification(text="90 %", user_id=name, deduplication_key="progress")
        self.assertEqual((second["id"], second["text"], second["version"]), (first["id"], "90 %", 2))
        other, _ = self.user()
        self.assertNotEqual(self.emit_notification(text="x", user_id=other, deduplication_key="progress")["id"], first["id"])
        self.assertEqual(self.ack(second, token=token).status, 200)
        third = self.emit_notification(text="again", user_id=name, deduplication_key="progress")
        self.assertNotEqual(third["id"], first["id"])
        self.assertEqual(self.row(first)["text"], "90 %")

    def test_an_update_of_what_somebody_holds_is_not_lost(self):
        name, _ = self.user()
        agent = Agent(self.belfry)
        self.belfry.request("PUT", f"/v1/sessions/{agent.session}", {"user_id": name})
        first = self.emit_notification(text="one", session_id=agent.session, routing=AGENT_SAYS_HERE, deduplication_key="k")
        self.assertEqual(len(agent.pull("turn_start")["items"]), 1)
        second = self.emit_notification(text="two", session_id=agent.session, routing=AGENT_SAYS_HERE, deduplication_key="k")
        self.assertNotEqual(second["id"], first["id"])
        self.assertEqual(self.row(first)["text"], "one")
        self.assertEqual([item["id"] for item in agent.pull("after_tool")["items"]], [])
        self.assertEqual([item["id"] for item in agent.pull("turn_start")["items"]], [first["id"], second["id"]])

    def test_a_holders_update_is_of_what_it_holds_also_where_another_follows(self):
        name, _ = self.user()
        agent = Agent(self.belfry)
        self.belfry.request("PUT", f"/v1/sessions/{agent.session}", {"user_id": name})
        said = {"session_id": agent.session, "routing": AGENT_SAYS_HERE, "deduplication_key": "k"}
        first = self.emit_notification(text="first", **said)
        item = agent.pull("turn_start")["items"][0]
        follower = self.emit_notification(text="of another producer", **said)
        self.assertEqual(follower["follows"], first["id"])
        updated = self.emit_notification(text="by the holder", lease=item["lease"], **said)
        self.assertEqual((updated["id"], updated["text"]), (first["id"], "by the holder"))
        self.assertEqual(self.row(follower)["text"], "of another producer")
        self.assertEqual(self.emit_notification(text="and again", **said)["id"], follower["id"])

    def test_a_chatty_producer_cannot_postpone_the_person(self):
        name, _ = self.user()
        row = self.emit_notification(text="0", user_id=name, routing=AGENT_SAYS, deduplication_key="k", ttl_s=1)
        seen = {row["id"]}
        end = time.monotonic() + belfry.PATIENCE
        while self.row(row)["state"] == "pending" and time.monotonic() < end:
            seen.add(self.emit_notification(text=unique(), user_id=name, routing=AGENT_SAYS, deduplication_key="k", ttl_s=1)["id"])
        self.assertEqual(self.row(row)["state"], "escalated")

    def test_a_deleted_session_sends_them_to_its_user(self):
        name, _ = self.user()
        session = unique("s-")
        self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": name})
        row = self.emit_notification(text="hello", session_id=session, routing=TO_CONVERSATION)
        self.assertEqual(row["address"], "session")
        self.assertIn(self.belfry.request("DELETE", f"/v1/sessions/{session}").status, (200, 204))
        self.assertEqual(self.row(row)["address"], "user")
        self.assertEqual(self.belfry.post(f"/v1/sessions/{session}/pull", {"point": "turn_start"}).status, 410)
        late = self.emit_notification(text="late", session_id=session, user_id=name, routing=TO_CONVERSATION)
        self.assertEqual(late["address"], "user")

    def test_a_deleted_session_is_gone_for_everybody(self):
        name, _ = self.user()
        session = unique("s-")
        self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": name})
        self.belfry.post(f"/v1/sessions/{session}/messages", {"role": "user", "content": "hello"})
        listed = lambda query: [one["id"] for one in json_of(self.belfry.get("/v1/sessions?limit=1000" + query))["data"]]
        for query in ("", "&user=" + name):
            self.assertIn(session, listed(query))
        self.assertEqual(self.belfry.request("DELETE", f"/v1/sessions/{session}").status, 204)
        for query in ("", "&user=" + name):
            self.assertNotIn(session, listed(query))
        for answer in (self.belfry.get(f"/v1/sessions/{session}"), self.belfry.get(f"/v1/sessions/{session}/history"),
                       self.belfry.request("PUT", f"/v1/sessions/{session}", {"title": "x"}), self.belfry.request("DELETE", f"/v1/sessions/{session}")):
            self.assert_problem(answer, 410, "gone")

    def test_nothing_is_held_any_longer_in_a_session_that_was_deleted(self):
        name, _ = self.user()
        agent = Agent(self.belfry)
        self.belfry.request("PUT", f"/v1/sessions/{agent.session}", {"user_id": name})
        row = self.emit_notification(text="say it", user_id=name, routing=AGENT_SAYS)
        agent.pull("turn_start")
        self.assertEqual(self.row(row)["state"], "locked")
        self.belfry.request("DELETE", f"/v1/sessions/{agent.session}")
        before = self.row(row)
        answer = self.belfry.post(f"/v1/sessions/{agent.session}/heartbeat", {"lease_s": 3000})
        self.assert_problem(answer, 410, "gone")
        self.assertEqual(self.row(row), before)
        self.assert_problem(self.belfry.get(f"/v1/sessions/{agent.session}/context?point=turn_start"), 410, "gone")

    def conversation(self, session):
        """What the history shows of notifications: (id, text)."""
        nodes = json_of(self.belfry.get(f"/v1/sessions/{session}/history"))["data"]
        return [(one["notification_id"], one["text"]) for node in nodes for one in node["system_messages"]]

    def test_a_conversation_shows_the_newest_words_of_an_update_once(self):
        for routing in (TO_CONVERSATION, PASSIVE):
            name, _ = self.user()
            session = unique("s-")
            self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": name})
            said = {"session_id": session, "routing": routing, "deduplication_key": "progress"}
            other = self.emit_notification(text="before", session_id=session, routing=routing)
            row = self.emit_notification(text="10 %", **said)
            for n in range(20):  # further nodes come between
                self.belfry.post(f"/v1/sessions/{session}/messages", {"role": "user", "content": f"word {n}"})
            for text in ("50 %", "90 %"):
                self.assertEqual(self.emit_notification(text=text, severity="warning", **said)["id"], row["id"])
            self.assertEqual(self.conversation(session), [(other["id"], "before"), (row["id"], "90 %")], routing)

    def test_a_conversation_that_an_update_leaves_forgets_it(self):
        name, _ = self.user()
        here, there = unique("s-"), unique("s-")
        for session in (here, there):
            self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": name})
        row = self.emit_notification(text="quiet", session_id=here, routing=PASSIVE, deduplication_key="k")
        self.assertEqual(self.conversation(here), [(row["id"], "quiet")])
        self.emit_notification(text="loud", session_id=here, routing=TO_CONVERSATION, deduplication_key="k")
        self.assertEqual(self.conversation(here), [(row["id"], "loud")], "another channel, the same place")
        row = self.emit_notification(text="one", session_id=here, routing=PASSIVE, deduplication_key="k2")
        self.emit_notification(text="two", session_id=there, routing=TO_CONVERSATION, deduplication_key="k2")
        self.assertEqual(self.conversation(there), [(row["id"], "two")])
        self.assertNotIn(row["id"], [one for one, _ in self.conversation(here)])
        # What becomes the agent's to say first is shown when that is over, and once.
        row = self.emit_notification(text="passive", session_id=there, routing=PASSIVE, deduplication_key="k3")
        self.emit_notification(text="say it", session_id=there, routing=AGENT_SAYS_HERE, deduplication_key="k3", ttl_s=1)
        eventually("escalated", lambda: self.row(row)["state"] == "escalated")
        self.assertEqual([text for one, text in self.conversation(there) if one == row["id"]], ["say it"])


class Turns(Delivering):
    def begin(self, routing, **more):
        name, token = self.user()
        agent = Agent(self.belfry)
        self.belfry.request("PUT", f"/v1/sessions/{agent.session}", {"user_id": name})
        where = {"session_id": agent.session} if routing["address"] == "session" else {"user_id": name}
        row = self.emit_notification(text="the matter", routing=routing, **where, **more)
        agent.post("turns", {"event": "start"})
        item = agent.pull("turn_start")["items"][0]
        self.assertEqual(item["id"], row["id"])
        return name, agent, row, item

    def test_silence_about_what_a_person_must_hear_is_answered_by_the_system_at_once(self):
        name, agent, row, _ = self.begin(AGENT_SAYS)
        agent.post("turns", {"event": "end"})
        self.assertEqual(self.row(row)["state"], "escalated")
        self.assertEqual([one["id"] for one in self.inbox(name)["data"]], [row["id"]])

    def test_silence_about_an_internal_matter_is_a_veto(self):
        name, agent, row, _ = self.begin(AGENT_DECIDES)
        agent.post("turns", {"event": "end"})
        ended = self.row(row)
        self.assertEqual((ended["state"], ended["outcome"]), ("delivered", "vetoed"))
        self.assertEqual(self.inbox(name)["data"], [])

    def test_passive_context_is_delivered_with_the_turn_that_carried_it(self):
        name, agent, row, item = self.begin(PASSIVE)
        self.assertFalse(item["needs_answer"])
        agent.post("turns", {"event": "end"})
        self.assertEqual(self.row(row)["state"], "delivered")
        self.assertEqual(self.inbox(name)["data"], [])

    def test_a_decision_that_the_model_names_is_delivered_and_nothing_is_shown(self):
        name, agent, row, item = self.begin(AGENT_DECIDES)
        agent.post("turns", {"event": "end", "acknowledged": [item["handle"], "n999"]})
        self.assertEqual(self.row(row)["state"], "delivered")
        self.assertTrue(any("model" in reason for reason in self.reasons(row)), self.reasons(row))
        self.assertEqual(self.inbox(name, unread="true")["data"], [])

    def test_the_runtimes_word_alone_does_not_silence_what_must_be_said(self):
        _, agent, row, _ = self.begin(AGENT_SAYS)
        pulled = agent.pull("after_tool")
        self.assertEqual(pulled["items"], [])
        self.assertEqual(self.row(row)["state"], "locked")

    def test_narrated_is_one_visible_item(self):
        name, agent, row, item = self.begin(AGENT_SAYS_HERE)
        said = self.belfry.post(f"/v1/notifications/{row['id']}/narrate", {"lease": item["lease"], "text": "Your disk is full, I would clean up."})
        self.assertEqual(said.status, 200, said.body)
        agent.post("turns", {"event": "end"})
        self.assertEqual([one["text"] for one in self.inbox(name)["data"]], ["Your disk is full, I would clean up."])
        self.assertEqual(self.ack(self.row(row)).status, 200)
        self.assertEqual(self.row(row)["state"], "delivered")
        history = json_of(self.belfry.get(f"/v1/sessions/{agent.session}/history"))["data"]
        said = [message["content"] for node in history for message in node["messages"]]
        self.assertEqual(said, ["Your disk is full, I would clean up."])
        self.assertEqual([message for node in history for message in node["system_messages"]], [])

    def test_an_outside_effect_makes_it_the_persons_matter_before_the_tool_runs(self):
        self.belfry.request("PUT", "/v1/tools/look_up", {"impact": "internal"})
        self.belfry.request("PUT", "/v1/tools/send_mail", {"impact": "external"})
        name, agent, row, item = self.begin(AGENT_DECIDES)
        agent.post("tool-calls", {"status": "pending", "tool_name": "look_up", "call_id": "1"})
        self.assertEqual(self.row(row)["target"], "agent")
        agent.post("tool-calls", {"status": "pending", "tool_name": "send_mail", "call_id": "2", "handling": item["handle"]})
        self.assertEqual(self.row(row)["target"], "user")
        agent.post("turns", {"event": "end"})
        self.assertEqual(self.row(row)["state"], "escalated")
        _, other, unknown, _ = self.begin(AGENT_DECIDES)
        other.post("tool-calls", {"status": "pending", "tool_name": "never_heard_of", "call_id": "3"})
        self.assertEqual(self.row(unknown)["target"], "user")

    def test_an_outside_effect_under_an_old_handle_is_told_by_that_notification(self):
        name, agent, _, old = self.begin(AGENT_DECIDES)
        agent.post("turns", {"event": "end"})
        row = self.emit_notification(text="the new one", session_id=agent.session, routing=AGENT_DECIDES)
        agent.post("turns", {"event": "start"})
        self.assertEqual([item["id"] for item in agent.pull("turn_start")["items"]], [row["id"]])
        agent.post("tool-calls", {"status": "pending", "tool_name": "send_mail", "call_id": "2", "handling": old["handle"]})
        self.assertEqual([one["text"] for one in self.inbox(name)["data"]], ["the matter (tool used: send_mail)"])
        self.assertEqual(self.row(row)["target"], "agent", "the tool was not used for this one")
        agent.post("turns", {"event": "end"})
        self.assertEqual(len(self.inbox(name)["data"]), 1)

    def said(self, session):
        nodes = json_of(self.belfry.get(f"/v1/sessions/{session}/history"))["data"]
        return [one["content"] for node in nodes for one in sorted(node["messages"] + node["system_messages"], key=lambda one: one["ordinal"])]

    def test_an_alert_during_a_turn_stands_before_its_output_also_where_that_comes_in_parts(self):
        name, _ = self.user()
        agent = Agent(self.belfry)
        self.belfry.request("PUT", f"/v1/sessions/{agent.session}", {"user_id": name})
        say = lambda role, words: agent.post("messages", {"role": role, "content": words})
        alert = lambda words, routing=TO_CONVERSATION: self.emit_notification(text=words, session_id=agent.session, routing=routing)
        for turn in ("1", "2"):
            say("user", "question " + turn)
            agent.post("turns", {"event": "start"})
            alert("early " + turn)
            say("assistant", "part one " + turn)
            alert("alert " + turn)
            alert("pill " + turn, PASSIVE)
            say("tool", "part two " + turn)
            alert("another " + turn)
            agent.post("turns", {"event": "end"})
            alert("after " + turn)
        self.assertEqual(self.said(agent.session), [f"{words} {turn}" for turn in ("1", "2") for words in
                         ("question", "early", "alert", "another", "part one", "pill", "part two", "after")])

    def test_alerts_without_end_in_one_turn_are_all_there_and_in_their_order(self):
        name, _ = self.user()
        agent = Agent(self.belfry)
        self.belfry.request("PUT", f"/v1/sessions/{agent.session}", {"user_id": name})
        agent.post("turns", {"event": "start"})
        agent.post("messages", {"role": "assistant", "content": "part one"})
        words = [f"alert {n:02}" for n in range(40)]
        for one in words:
            self.emit_notification(text=one, session_id=agent.session, routing=TO_CONVERSATION)
        said = self.said(agent.session)
        self.assertEqual([one for one in said if one != "part one"], words)
        self.assertEqual(said.index("part one"), 16, "so many places are left free")

    def test_misquoted_handles_are_named_in_the_answer(self):
        self.belfry.request("PUT", "/v1/tools/look_up", {"impact": "internal"})
        _, agent, row, item = self.begin(AGENT_DECIDES)
        call = {"status": "pending", "tool_name": "look_up", "call_id": "1"}
        self.assertEqual(agent.post("tool-calls", {**call, "handling": "n999"})["unknown"], ["n999"])
        self.assertEqual(agent.post("tool-calls", {**call, "handling": item["handle"]})["unknown"], [])
        ended = agent.post("turns", {"event": "end", "acknowledged": ["n77", item["handle"], {"id": "n78", "lease": 1}]})
        self.assertEqual(ended["unknown"], ["n77", "n78"])
        self.assertEqual(self.row(row)["state"], "delivered")

    def test_reports_and_heartbeats_keep_what_is_held(self):
        _, agent, row, item = self.begin(AGENT_SAYS, ttl_s=1)
        before = self.row(row)["lease_until"]
        agent.post("heartbeat", {"lease_s": 3000})
        self.assertGreater(self.row(row)["lease_until"], before)

    def test_ready_messages_bring_the_tool_to_answer_with(self):
        name, _ = self.user()
        agent = Agent(self.belfry)
        self.belfry.request("PUT", f"/v1/sessions/{agent.session}", {"user_id": name})
        self.emit_notification(text="say it", user_id=name, routing=AGENT_SAYS)
        pulled = agent.pull("turn_start", query="?format=openai")
        self.assertEqual(pulled["tools"][0]["function"]["name"], "belfry_ack")
        self.emit_notification(text="say it too", user_id=name, routing=AGENT_SAYS)
        pulled = agent.pull("turn_start", query="?format=anthropic")
        self.assertEqual(pulled["tools"][0]["name"], "belfry_ack")
        nothing = agent.pull("immediate", query="?format=anthropic")
        self.assertEqual((nothing["messages"], nothing["tools"]), ([], pulled["tools"]), "always the same definition")
        self.assertNotIn("tools", agent.pull("immediate"))

    def test_twelve_that_wait_are_presented_within_two_turns_where_ten_fit(self):
        name, _ = self.user()
        agent = Agent(self.belfry)
        self.belfry.request("PUT", f"/v1/sessions/{agent.session}", {"user_id": name})
        for n in range(12):
            self.emit_notification(text=f"matter {n:02} " + "word " * 20, session_id=agent.session, routing=AGENT_SAYS_HERE)
        one = agent.pull("turn_start", budget_tokens=100000)["items"][0]["tokens"]
        # The turn begins anew: all of them are due again, and ten fit.
        pulled = agent.pull("turn_start", budget_tokens=(one + 12) * 10 + 5)
        ten = pulled["items"]
        self.assertEqual(len(ten), 10)
        agent.post("turns", {"event": "end", "acknowledged": [item["handle"] for item in ten], "pull_id": pulled["pull_id"]})
        self.assertEqual(len(agent.pull("turn_start", budget_tokens=(one + 12) * 10 + 5)["items"]), 2)

    def test_a_lost_answer_and_a_turn_that_never_ended_lose_nothing(self):
        _, agent, row, item = self.begin(PASSIVE)
        again = agent.pull("turn_start")["items"][0]
        self.assertEqual((again["id"], again["lease"], again["again"]), (row["id"], item["lease"] + 1, True))
        self.assertIn("pulled_again", self.reasons(row))
        agent.post("turns", {"event": "start"})  # the runtime died in the turn before
        agent.post("turns", {"event": "end"})
        self.assertEqual(self.row(row)["state"], "locked", "nobody has read it")
        self.assertIn("turn_lost", self.reasons(row))
        agent.post("turns", {"event": "start"})
        pulled = agent.pull("turn_start")
        self.assertEqual([one["id"] for one in pulled["items"]], [row["id"]])
        self.assertEqual(agent.post("turns", {"event": "end"})["stale"], ["n1"], "two may have this lease")
        agent.post("turns", {"event": "end", "pull_id": pulled["pull_id"]})
        self.assertEqual(self.row(row)["state"], "delivered")

    def test_a_stale_lease_at_the_end_of_a_turn_is_refused_whole(self):
        _, agent, row, item = self.begin(AGENT_SAYS)
        agent.pull("turn_start")
        late = self.belfry.post(f"/v1/sessions/{agent.session}/turns",
                                {"event": "end", "acknowledged": [{"id": item["handle"], "lease": item["lease"]}]})
        self.assert_problem(late, 409, "conflict", field="lease")
        self.assertEqual(json_of(late)["reason"], "stale_lease")
        self.assertEqual(self.row(row)["state"], "locked")

    def test_a_turn_is_asked_for_on_the_agents_stream(self):
        name, _ = self.user()
        row = self.emit_notification(text="say it", user_id=name, routing=AGENT_SAYS)
        self.emit_notification(text="know it", user_id=name, routing={**AGENT_SAYS, "target": "agent", "handler": "system"})
        entries = self.belfry.entries("agent:" + name)
        asked = [entry["event"] if "event" in entry else entry for entry in entries]
        self.assertEqual([one["id"] for one in asked], [row["id"]])
        self.assertEqual(asked[0]["type"], "turn_requested")

    def test_a_chain_stops(self):
        name, _ = self.user()
        agent = Agent(self.belfry)
        self.belfry.request("PUT", f"/v1/sessions/{agent.session}", {"user_id": name})
        last = self.emit_notification(text="first", session_id=agent.session, routing=AGENT_DECIDES)
        handlers = []
        for n in range(4):
            last = self.emit_notification(text=f"then {n}", session_id=agent.session, routing=AGENT_DECIDES, caused_by=last["id"])
            handlers.append(last["handler"])
        self.assertEqual(handlers, ["agent", "agent", "system", "system"])
        self.assertEqual(self.reasons(last)[:2], ["emitted", "chain_end"])
        self.assertEqual(self.why(last)["notifications"][0]["steps"][0]["routing"], AGENT_DECIDES)
        shown = self.belfry.run("why", last["id"])
        self.assertRegex(shown.out, r"routed +for the agent, said by the agent: context in session")
        self.assertRegex(shown.out, r"rerouted +for the user, said by the system: conversation")
        self.assertRegex(shown.out, rf"caused by +{last['caused_by']}, depth 4")

    def test_what_others_say_while_an_agent_works_is_no_chain(self):
        name, _ = self.user()
        agent = Agent(self.belfry)
        self.belfry.request("PUT", f"/v1/sessions/{agent.session}", {"user_id": name})
        others = self.belfry.mint("service")[0]
        own = self.belfry.mint("agent", bounds={"users": [name], "sessions": [agent.session]})[0]
        agent.post("turns", {"event": "start"})
        agent.pull("turn_start")
        for n in range(5):
            row = self.emit_notification(text=f"build {n} failed", session_id=agent.session, priority="high", routing=AGENT_DECIDES, token=others)
            self.assertEqual((row["depth"], row["target"], row["handler"], row["caused_by"]), (0, "agent", "agent", None))
            agent.pull("after_tool")
        for token in (own, "admin"):  # the agent itself, and the token that pulled for it
            said = self.emit_notification(text="and so", session_id=agent.session, routing=AGENT_DECIDES, token=token)
            self.assertEqual(said["depth"], 1)


class Interfaces(Delivering):
    def test_what_waits_is_sent_once_on_connecting_and_the_first_ack_counts_for_all(self):
        name, token = self.user()
        first = self.emit_notification(text="one", user_id=name)
        second = self.emit_notification(text="two", user_id=name)
        a = self.belfry.websocket(f"/v1/inbox/live?user={name}", token=token)
        b = self.belfry.websocket(f"/v1/inbox/live?user={name}", token=token)
        for socket in (a, b):
            got = [socket.message() for _ in range(2)]
            self.assertEqual([(one["type"], one["id"]) for one in got], [("notification", first["id"]), ("notification", second["id"])])
        self.assertEqual(self.row(first)["state"], "dispatched")
        third = self.emit_notification(text="three", user_id=name)
        for socket in (a, b):
            self.assertEqual(self.next(socket, "notification")["id"], third["id"])
        self.assertEqual(self.row(third)["state"], "dispatched")
        a.say({"type": "ack", "id": third["id"], "lease": 1, "version": 1, "how": "clicked"})
        self.assertEqual(self.next(a, "ack_result")["status"], "delivered")
        told = self.next(b, "notification_state")
        self.assertEqual((told["id"], told["state"]), (third["id"], "delivered"))
        b.say({"type": "ack", "id": third["id"], "lease": 1, "version": 1, "how": "rendered"})
        self.assertEqual(self.next(b, "ack_result")["status"], "terminal")
        a.close()
        fourth = self.emit_notification(text="four", user_id=name)
        self.assertEqual(self.next(b, "notification")["id"], fourth["id"])
        b.close()

    @staticmethod
    def next(socket, kind):
        while True:
            message = socket.message()
            if message["type"] == kind:
                return message

    def test_every_attempt_is_told_and_as_what_it_began(self):
        name, token = self.user()
        row = self.emit_notification(text="say it", user_id=name, routing=AGENT_SAYS, ttl_s=1)
        eventually("escalated", lambda: self.row(row)["state"] == "escalated")
        waiting = self.emit_notification(text="show it", user_id=name)
        for _ in range(2):
            socket = self.belfry.websocket(f"/v1/inbox/live?user={name}", token=token)
            self.assertEqual([socket.message()["id"] for _ in range(2)], [row["id"], waiting["id"]])
            socket.close()
        self.assertEqual(self.reasons(row), ["emitted", "ttl", "sent", "sent"])
        self.assertEqual(self.reasons(waiting), ["emitted", "dispatched", "sent"])
        steps = self.why(row)["notifications"][0]["steps"]
        self.assertEqual([step["routing"] for step in steps], [AGENT_SAYS, None, None, None])
        self.assertEqual(steps[1]["holder"], "watchdog")
        self.assertEqual({step["lease"] for step in steps[1:]}, {2})
        shown = self.belfry.run("why", row["id"])
        self.assertRegex(shown.out, r"routed +for the user, said by the agent: context, of user")
        self.assertRegex(shown.out, r"rerouted +for the user, said by the system: inbox")
        self.assertEqual(self.ack(self.row(row), token=token).status, 200, "an attempt changes nothing of the row")

    def test_what_is_meant_for_the_model_is_no_persons_to_read(self):
        name, token = self.user()
        row = self.emit_notification(text="x", user_id=name, directive="SECRET-D", tone_hint="SECRET-T")
        paths = (f"/v1/notifications/{row['id']}", "/v1/notifications", f"/v1/why/{row['id']}", "/v1/inbox")
        for path in paths:
            self.assertNotIn("SECRET", self.belfry.get(path, token=token).body.decode(), path)
        one = json_of(self.belfry.get(paths[0], token=token))
        self.assertEqual([one[field] for field in ("directive", "tone_hint", "emitter", "holder")], [None] * 4)
        acked = self.ack(row, token=token)
        self.assertEqual(acked.status, 200)
        self.assertNotIn("SECRET", acked.body.decode())
        self.assertEqual((self.row(row)["directive"], self.row(row)["tone_hint"]), ("SECRET-D", "SECRET-T"))
        self.assertIn("made      by token:", self.belfry.run("why", row["id"], environment={"BELFRY_TOKEN": token}).out)

    def test_read_marks_never_go_back(self):
        name, token = self.user()
        row = self.emit_notification(text="one", user_id=name)
        for mark in ("seen", "acted", "seen", "dismissed"):
            self.assertEqual(self.belfry.post(f"/v1/notifications/{row['id']}/read", {"mark": mark}, token=token).status, 200)
        after = self.row(row)
        self.assertTrue(after["seen_at"] <= after["acted_at"] <= after["dismissed_at"])

    def test_nobody_listens_for_this_error_so_the_person_is_told(self):
        name, _ = self.user()
        sent = self.belfry.emit_ok({"type": "roof.on.fire", "source": "roof", "severity": "error", "user_id": name,
                                    "payload": {"message": "the roof is on fire"}})
        row = eventually("the person is told", lambda: self.inbox(name)["data"])[0]
        self.assertEqual(self.row(row)["subscriber"], "unmatched")
        self.assertIn("the roof is on fire", row["text"])
        self.assertTrue(any(one["notification"]["id"] == row["id"] for one in self.why(sent["id"])["notifications"]))

    def test_one_curl_rings_the_bell(self):
        name, token = self.user()
        answer = self.belfry.post("/v1/notify/builds", "The build is green", token=token, headers={"Content-Type": "text/plain"})
        self.assertEqual(answer.status, 201, answer.body)
        self.assertEqual([one["text"] for one in self.inbox(name)["data"]], ["The build is green"])

    def test_why_tells_the_whole_way(self):
        name, token = self.user()
        agent = Agent(self.belfry)
        self.belfry.request("PUT", f"/v1/sessions/{agent.session}", {"user_id": name})
        sent = self.belfry.emit_ok({**failure(agent.session), "user_id": name})
        agent.drain("after_tool")
        story = self.why(sent["id"])
        self.assertEqual(story["notifications"][0]["notification"]["subscriber"], "tool_failure")
        self.assertIn("delivered", [step["to"] for step in story["notifications"][0]["steps"]])
        quiet = self.belfry.emit_ok({"type": "nobody.cares", "source": "x", "user_id": name})
        self.assertTrue(self.why(quiet["id"])["reached_nobody"])
        shown = self.belfry.run("why", sent["id"])
        self.assertEqual(shown.code, 0, shown.err)
        self.assertIn("tool_failure", shown.out)
        waiting = self.belfry.emit_ok({"type": "task.checkpoint", "source": "x", "user_id": name, "payload": {"message": "half", "turn": 1}})
        self.assertIn("it has reached nobody yet: still waiting in a batch of task_checkpoint", self.belfry.run("why", waiting["id"]).out)
        for command in (("why", "zzz"), ("inbox", "ack", "zzz")):
            self.assertIn("must be a handle such as n7, or an id", self.belfry.run(*command).err)


if __name__ == "__main__":
    unittest.main()
