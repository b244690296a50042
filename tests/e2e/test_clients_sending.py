"""A person's word through the small clients, against the real binary: one test for both."""

import os
import threading
import unittest

from belfry import eventually, unique
from client_case import ClientCase, Line


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


class Python(Sending, ClientCase):
    way = "unix"


class Typescript(Sending, ClientCase):
    language = "typescript"
    way = "unix"


if __name__ == "__main__":
    unittest.main()
