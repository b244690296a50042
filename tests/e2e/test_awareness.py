"""Shared awareness (source document 004, 1 and 2.3): an agent knows what its user was shown, whoever showed it, and each fact once."""

import os
import re
import stat

import belfry
import faults
from belfry import eventually, json_of
from test_delivery import AGENT_SAYS, TO_CONVERSATION, TO_PERSON, Delivering
from test_notifications import Agent

DAY = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"


class Turns(Agent):
    """An agent whose turns begin, are told their facts, and end."""

    def turn(self, **more):
        pulled = self.pull("turn_start", **more)
        self.post("turns", {"event": "end"})
        return pulled

    def facts(self, **more):
        return self.turn(**more)["seen"]


class Aware(Delivering):
    def agent(self, name, session=None, daemon=None):
        agent = Turns(daemon or self.belfry, session)
        answer = (daemon or self.belfry).request("PUT", f"/v1/sessions/{agent.session}", {"user_id": name})
        self.assertIn(answer.status, (200, 201), answer.body)
        return agent

    def seen(self, name, token, text, **more):
        row = self.emit_notification(text=text, user_id=name, routing=TO_PERSON, **more)
        self.assertEqual(self.ack(row, token=token).status, 200)
        return row

    def assert_facts(self, lines, *wanted):
        """Each fact is a pair of the status and the text; the lines come in this order and there are no others."""
        self.assertEqual(len(lines), len(wanted), lines)
        for line, (status, text) in zip(lines, wanted):
            self.assertRegex(line, rf"^\[{status}\] {DAY} \w+ [^:]+: {re.escape(text)}$")

    def interface(self, name, token, **query):
        more = "".join(f"&{key}={value}" for key, value in query.items())
        return self.belfry.websocket(f"/v1/inbox/live?user={name}{more}", token=token)

    def wait_until_gone(self, name):
        """No interface of the user is connected: a new notification, in a session of its own, waits."""
        session = self.agent(name).session

        def waits():
            return self.emit_notification(text="probe", user_id=name, session_id=session, routing=TO_CONVERSATION)["state"] == "pending"

        eventually("the interface has gone", waits)

    def next_of(self, interface, kind):
        while (message := interface.message())["type"] != kind:
            pass
        return message


class NewSessions(Aware):
    def test_are_told_what_the_user_was_shown_before_they_existed(self):
        name, token = self.user()
        self.seen(name, token, "The download has failed")
        told = self.agent(name).turn()
        self.assert_facts(told["seen"], ("SEEN", "The download has failed"))
        self.assertIn("The download has failed", told["digest"])
        self.assertIn("The download has failed", told["text"])

    def test_are_told_nothing_of_other_users_and_other_sessions(self):
        name, token = self.user()
        other, others_token = self.user()
        talk = self.agent(name)
        self.seen(other, others_token, "Not yours")
        row = self.emit_notification(text="In the other session", user_id=name, session_id=talk.session, routing=TO_CONVERSATION)
        self.assertEqual(self.ack(row, token=token).status, 200)
        self.assertEqual(self.agent(name).facts(), [])
        self.assert_facts(talk.facts(), ("SEEN", "In the other session"))


class Statuses(Aware):
    def test_shown_and_not_acknowledged_is_told_as_such_and_told_again_when_it_was_acknowledged(self):
        name, token = self.user()
        agent = self.agent(name)
        with self.interface(name, token) as interface:
            self.next_of(interface, "caught_up")
            row = self.emit_notification(text="Backup done", user_id=name, routing=TO_PERSON)
            self.assertEqual(self.next_of(interface, "notification")["id"], row["id"])
            self.assert_facts(agent.facts(), ("SHOWN", "Backup done"))
            self.assertEqual(agent.facts(), [], "told once")
        with self.interface(name, token) as interface:
            self.assertEqual(self.next_of(interface, "notification")["id"], row["id"])
            self.assertEqual(agent.facts(), [], "the same version, shown once more, is nothing new")
        self.assertEqual(self.ack(self.row(row), token=token).status, 200)
        self.assert_facts(agent.facts(), ("SEEN", "Backup done"))
        self.assertEqual(agent.facts(), [])

    def test_waiting_for_an_interface_is_not_shown(self):
        name, token = self.user()
        agent = self.agent(name)
        row = self.emit_notification(text="Nobody is there", user_id=name, routing=TO_PERSON)
        told = agent.turn()
        self.assertEqual((told["seen"], told["digest"]), ([], ""))
        with self.interface(name, token) as interface:
            self.assertEqual(self.next_of(interface, "notification")["id"], row["id"])
        self.assert_facts(agent.facts(), ("SHOWN", "Nobody is there"))

    def test_an_interface_of_another_session_shows_nothing(self):
        name, token = self.user()
        agent = self.agent(name)
        talk = self.agent(name)
        with self.interface(name, token, session=talk.session) as interface:
            self.next_of(interface, "caught_up")
            self.emit_notification(text="For the inbox", user_id=name, routing=TO_PERSON)
            here = self.emit_notification(text="For the talk", user_id=name, session_id=talk.session, routing=TO_CONVERSATION)
            self.assertEqual(self.next_of(interface, "notification")["id"], here["id"])
            self.assertEqual(agent.facts(), [])
            self.assert_facts(talk.facts(), ("SHOWN", "For the talk"))

    def test_escalated_in_the_agents_stead_is_told_as_such(self):
        name, token = self.user()
        agent = self.agent(name)
        row = self.emit_notification(text="Disk full", user_id=name, routing=AGENT_SAYS)
        self.assertEqual(len(agent.turn()["items"]), 1)  # and says nothing
        self.assertEqual(self.row(row)["state"], "escalated")
        self.assertEqual(agent.facts(), [], "no interface was there")
        with self.interface(name, token) as interface:
            self.assertEqual(self.next_of(interface, "notification")["id"], row["id"])
        self.assert_facts(agent.facts(), ("SHOWN, escalated", "Disk full"))
        with self.interface(name, token) as interface:
            self.next_of(interface, "caught_up")
            second = self.emit_notification(text="Disk gone", user_id=name, routing=AGENT_SAYS)
            agent.turn()
            self.assertEqual(self.next_of(interface, "notification")["id"], second["id"])
        self.assert_facts(agent.facts(), ("SHOWN, escalated", "Disk gone"))
        self.assertEqual(self.ack(self.row(row), token=token).status, 200)
        self.assert_facts(agent.facts(), ("SEEN", "Disk full"))

    def test_a_fact_of_a_deleted_session_is_told_to_the_users_other_sessions(self):
        name, token = self.user()
        agent, talk = self.agent(name), self.agent(name)
        with self.interface(name, token) as interface:
            self.next_of(interface, "caught_up")
            row = self.emit_notification(text="In the talk", user_id=name, session_id=talk.session, routing=TO_CONVERSATION)
            self.assertEqual(self.next_of(interface, "notification")["id"], row["id"])
            self.seen(name, token, "Later")
        self.assert_facts(agent.facts(), ("SEEN", "Later"))
        self.assertEqual(self.belfry.request("DELETE", f"/v1/sessions/{talk.session}").status, 204)
        self.assert_facts(agent.facts(), ("SHOWN", "In the talk"))

    def test_what_a_sink_rang_was_shown(self):
        daemon = self.daemon(start=False)
        sinks = os.path.join(daemon.folder, "sinks")
        os.mkdir(sinks)
        script = os.path.join(daemon.folder, "ring")
        with open(script, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexit 0\n")
        os.chmod(script, stat.S_IRWXU)
        bell = os.path.join(sinks, "bell.toml")
        with open(bell, "w", encoding="utf-8") as file:
            file.write(f'[sink]\nid = "bell"\nkind = "command"\n[command]\nargv = ["{script}"]\n')
        os.chmod(bell, 0o600)
        daemon.options += ["--sinks", sinks]
        daemon.environment["BELFRY_NOTIFICATIONS_SINKS"] = sinks
        daemon.start()
        agent = self.agent("ada", daemon=daemon)
        row = json_of(daemon.post("/v1/notifications", {"text": "Ring", "user_id": "ada", "routing": TO_PERSON}))

        def reasons():
            why = json_of(daemon.get("/v1/why/" + row["id"]))
            return [step["reason"].split(":")[0] for step in why["notifications"][0]["steps"]]

        eventually("the bell rang", lambda: "sink_delivered" in reasons())
        self.assert_facts(agent.facts(), ("SHOWN", "Ring"))
        self.assertEqual(agent.facts(), [])


class Updates(Aware):
    def test_a_fact_whose_content_changed_is_told_again(self):
        name, token = self.user()
        agent = self.agent(name)
        row = self.emit_notification(text="price 10", user_id=name, routing=TO_PERSON, deduplication_key="price")
        self.assertEqual(self.belfry.post(f"/v1/notifications/{row['id']}/read", {"mark": "seen"}, token=token).status, 200)
        self.assert_facts(agent.facts(), ("SEEN", "price 10"))
        self.emit_notification(text="price 99", user_id=name, routing=TO_PERSON, deduplication_key="price")
        self.assertEqual(agent.facts(), [], "the user was not shown the new text yet")
        with self.interface(name, token) as interface:
            self.assertEqual(self.next_of(interface, "notification")["text"], "price 99")
            self.assert_facts(agent.facts(), ("SHOWN", "price 99"))
            self.emit_notification(text="price 100", user_id=name, routing=TO_PERSON, deduplication_key="price")
            self.assertEqual(self.next_of(interface, "notification")["text"], "price 100")
            self.assert_facts(agent.facts(), ("SHOWN", "price 100"))
        self.assertEqual(self.ack(self.row(row), token=token).status, 200)
        self.assert_facts(agent.facts(), ("SEEN", "price 100"))
        self.assertEqual(agent.facts(), [])

    def test_a_text_that_the_user_was_not_shown_is_told_as_such(self):
        name, token = self.user()
        agent = self.agent(name)
        with self.interface(name, token) as interface:
            self.next_of(interface, "caught_up")
            self.emit_notification(text="price 10", user_id=name, routing=TO_PERSON, deduplication_key="price")
            self.assertEqual(self.next_of(interface, "notification")["text"], "price 10")
        self.wait_until_gone(name)
        self.emit_notification(text="price 99", user_id=name, routing=TO_PERSON, deduplication_key="price")
        told = agent.facts()
        self.assertEqual(len(told), 1, told)
        self.assertRegex(told[0], rf"^\[SHOWN\] {DAY} \w+ notice \(the user was shown an earlier text\): price 99$")


class Room(Aware):
    def test_thirty_facts_with_room_for_twenty_are_all_told_within_two_turns(self):
        name, token = self.user()
        talk = self.agent(name)
        for n in range(30):
            row = self.emit_notification(text=f"fact {n:02}", user_id=name, session_id=talk.session, routing=TO_CONVERSATION)
            self.assertEqual(self.ack(row, token=token).status, 200)
        first = talk.facts()
        self.assertEqual(first[-1], "… and 10 more, told in later turns")
        self.assert_facts(first[:-1], *(("SEEN", f"fact {n:02}") for n in range(20)))
        self.assert_facts(talk.facts(), *(("SEEN", f"fact {n:02}") for n in range(20, 30)))
        self.assertEqual(talk.facts(), [])

    def test_the_digest_counts_each_fact_once(self):
        name, token = self.user()
        agent = self.agent(name)
        for n in range(30):
            self.seen(name, token, f"fact {n:02}")
        first = agent.turn()
        self.assertIn("shown 30 notifications", first["digest"])
        second = agent.turn()
        self.assertEqual((len(second["seen"]), second["digest"]), (10, ""))

    def test_a_small_budget_drops_no_fact(self):
        name, token = self.user()
        agent = self.agent(name)
        texts = [f"Delivery number {n} has arrived" for n in range(7)]
        for text in texts:
            self.seen(name, token, text)
        told = []
        for _ in range(len(texts)):
            pulled = agent.turn(budget_tokens=60)
            self.assertLessEqual(pulled["tokens"], 60)
            told += [line for line in pulled["seen"] if not line.startswith("…")]
        self.assert_facts(told, *(("SEEN", text) for text in texts))
        self.assertEqual(agent.facts(budget_tokens=60), [])

    def test_a_preview_tells_the_same_and_changes_nothing(self):
        name, token = self.user()
        agent = self.agent(name)
        for n in range(30):
            self.seen(name, token, f"fact {n:02}")
        for budget in (60, 200, 1000):
            path = f"/v1/sessions/{agent.session}/context?point=turn_start&budget_tokens={budget}"
            preview = json_of(self.belfry.get(path))
            pulled = agent.turn(budget_tokens=budget)
            self.assertEqual((preview["seen"], preview["digest"]), (pulled["seen"], pulled["digest"]))

    def test_the_mark_moves_only_over_what_was_told_and_confirmed(self):
        name, token = self.user()
        agent = self.agent(name)
        for n in range(30):
            self.seen(name, token, f"fact {n:02}")
        lost = agent.pull("turn_start")
        self.assertEqual(agent.pull("turn_start")["seen"], lost["seen"], "the answer may have been lost")
        agent.post("turns", {"event": "end", "only_named": True})
        again = agent.turn()
        self.assertEqual(again["seen"], lost["seen"])
        self.assertEqual(len(agent.facts()), 10)


class Narration(Aware):
    def test_is_told_to_the_other_sessions_and_not_to_the_one_that_said_it(self):
        name, token = self.user()
        agent, other = self.agent(name), self.agent(name)
        with self.interface(name, token) as interface:
            self.next_of(interface, "caught_up")
            row = self.emit_notification(text="disk full", user_id=name, routing=AGENT_SAYS)
            item = agent.pull("turn_start")["items"][0]
            narrated = self.belfry.post(f"/v1/notifications/{row['id']}/narrate?session={agent.session}",
                                        {"lease": item["lease"], "text": "Your disk is full."})
            self.assertEqual(narrated.status, 200, narrated.body)
            agent.post("turns", {"event": "end"})
            told = agent.turn()
            self.assertEqual((told["seen"], told["digest"]), ([], ""))
            told = other.facts()
            self.assertEqual(len(told), 1, told)
            self.assertRegex(told[0], rf"^\[(SHOWN|SEEN)\] {DAY} .*: Your disk is full\.$")


class Clocks(Aware, faults.Case):
    def test_set_back_hide_nothing(self):
        daemon = self.belfry = self.breakable()
        token = daemon.mint("user", user_id="ada")[0]
        agent = self.agent("ada")
        self.seen("ada", token, "before")
        self.assert_facts(agent.facts(), ("SEEN", "before"))
        self.faults.jump(wall_s=-3600)
        self.seen("ada", token, "an hour ago")
        self.assert_facts(agent.facts(), ("SEEN", "an hour ago"))
        self.assertEqual(agent.facts(), [])
        self.faults.jump(wall_s=-3 * 86400)
        self.seen("ada", token, "three days ago")
        self.assert_facts(agent.facts(), ("SEEN", "three days ago"))
        self.assertIn("three days ago", self.agent("ada").facts()[-1])
