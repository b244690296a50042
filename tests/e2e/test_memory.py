"""What agents remember: folded, found, forgotten and carried elsewhere, through the real binary."""

import json
import os
import unittest

import belfry
from agents import AgentCase
from belfry import clean_environment, eventually, json_of, traces_of, unique

SMALL = {"budget_tokens": 700, "hot_tokens": 200, "hot_messages": 8}


def words(text):
    return {"kind": "thought", "content": {"text": text}}


class MemoryCase(AgentCase):
    def say(self, daemon, grant, *texts, kind="thought"):
        wake = grant["wake"]
        for first in range(0, len(texts), 50):
            batch = [{**words(text), "kind": kind} for text in texts[first:first + 50]]
            answer = daemon.post(f"/v1/wakes/{wake['id']}/messages", {"fence": wake["fence"], "messages": batch})
            self.assertEqual(answer.status, 201, answer.body)

    def in_session(self, daemon, agent, session="s1"):
        """A grant whose thread is a session's: nobody closes it."""
        daemon.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada"})
        self.wake_now(daemon, agent, reason="user_initiated", session_id=session, input={"text": "hello"})
        return self.claim_soon(daemon, agent, context_messages=200)

    def get(self, daemon, path, **more):
        answer = daemon.get(path, **more)
        self.assertEqual(answer.status, 200, answer.body)
        return json_of(answer)

    def memory(self, daemon, agent, query="", **more):
        return self.get(daemon, f"/v1/agents/{agent}/memory{query}", **more)

    def folds(self, daemon, agent, **query):
        text = "&".join(f"{name}={value}" for name, value in query.items())
        return self.get(daemon, f"/v1/agents/{agent}/memory/folds?{text}")["data"]

    def settled(self, daemon, agent):
        """When no work of folding is left: what was done, the newest first."""
        def is_settled():
            found = self.folds(daemon, agent)
            return found and all(one["state"] in ("done", "failed_terminal") for one in found) and found
        return eventually(f"folded; the log says {daemon.log()[-2000:]}", is_settled)

    def summaries(self, daemon, agent, query=""):
        return self.get(daemon, f"/v1/agents/{agent}/memory/summaries{query}")["data"]

    def opened(self, daemon, agent, summary):
        """All of its span, page by page."""
        found, after = [], ""
        while True:
            page = self.get(daemon, f"/v1/agents/{agent}/memory/summaries/{summary}?limit=7{after}")
            found += page["data"]
            if not page["has_more"]:
                return found
            after = f"&after={page['next']}"

    def search(self, daemon, agent, query, **more):
        return self.get(daemon, f"/v1/agents/{agent}/memory/search?q={query}", **more)["data"]


class Folding(MemoryCase):
    def test_leaves_room_for_what_waits_in_the_session(self):
        with self.daemon() as daemon:
            agent, session = self.agent(daemon, memory=SMALL), unique("s")
            self.end(daemon, self.in_session(daemon, agent, session))
            thread = f"?thread_id={agent}:session:{session}"
            before = self.memory(daemon, agent, thread)["reserved_tokens"]
            made = daemon.post("/v1/notifications", {
                "user_id": "ada", "session_id": session, "text": "The door is open " * 20,
                "routing": {"address": "session", "target": "agent", "handler": "agent"}})
            self.assertIn(made.status, (200, 201), made.body)
            self.assertGreater(self.memory(daemon, agent, thread)["reserved_tokens"], before + 50)
            grant = self.in_session(daemon, agent, session)
            self.assertGreater(grant["memory"]["reserved_tokens"], 50)
            self.assertLessEqual(grant["memory"]["used_tokens"] + grant["memory"]["reserved_tokens"], 700)

    def test_keeps_a_decision_of_the_window_for_a_worker_that_asks_for_few_messages(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            grant = self.in_session(daemon, agent)
            self.say(daemon, grant, "Decision: we go on Sunday", *(f"thought {number}" for number in range(8)))
            said = self.get(daemon, f"/v1/agents/{agent}/messages?limit=100")["data"]
            summary = {"kind": "summary", "content": {"text": "They talked."}, "summary_start_message_id": said[-1]["id"],
                       "summary_end_message_id": said[0]["id"], "summary_depth": 1}
            answer = daemon.post(f"/v1/wakes/{grant['wake']['id']}/messages", {"fence": grant["wake"]["fence"], "messages": [summary]})
            self.assertEqual(answer.status, 201, answer.body)
            self.end(daemon, grant)
            self.assertEqual([one["hot_messages"] for one in self.get(daemon, f"/v1/agents/{agent}/memory/threads")["data"]], [0])
            shown = [one["text"] for one in self.memory(daemon, agent)["decisions"]]
            self.assertEqual(shown, ["we go on Sunday"])
            for count in (50, 3, 0):
                self.wake_now(daemon, agent, reason="user_initiated", session_id="s1", input={"text": "and?"})
                claimed = self.claim_soon(daemon, agent, context_messages=count)
                self.assertEqual([one["text"] for one in claimed["memory"]["decisions"]], shown, count)
                self.assertLessEqual(len(claimed["messages"]), count)
                self.end(daemon, claimed)

    def test_keeps_the_context_in_its_budget_and_loses_nothing(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon, memory=SMALL)
            grant = self.in_session(daemon, agent)
            self.say(daemon, grant, "Goal: paint the shed green", "Decision: we buy the paint at Brown's", "Todo: ask Bob for a ladder")
            self.say(daemon, grant, *(f"step {number} of the long work with the colour kolor{number}" for number in range(120)))
            self.settled(daemon, agent)
            told = self.memory(daemon, agent, "?explain=1")
            self.assertLessEqual(told["used_tokens"] + told["reserved_tokens"], 700)
            self.assertLessEqual(len(told["messages"]), 8)
            self.assertEqual(told["messages"][-1]["content"]["text"], "step 119 of the long work with the colour kolor119")
            self.assertTrue(any("paint the shed green" in one["text"] for one in told["goals"]), told["goals"])
            self.assertTrue(any("Brown's" in one["text"] for one in told["decisions"]), told["decisions"])
            self.assertTrue(any("ladder" in one["text"] for one in told["open_loops"]), told["open_loops"])
            self.assertEqual(told["left_out"], sum(one["fate"] != "included" for one in told["choices"]))
            self.assertEqual({one["fate"] for one in told["choices"] if one["part"] == "carried"}, {"included"})
            # Whoever goes on begins with the same.
            self.end(daemon, grant)
            again = self.in_session(daemon, agent)
            self.assertLessEqual(again["memory"]["used_tokens"] + again["memory"]["reserved_tokens"], 700)
            self.assertTrue(any("green" in one["text"] for one in again["memory"]["goals"]))
            self.assertLessEqual(len(again["messages"]), 8)
            # All that was said is below the summaries, or hot, once.
            thread = grant["wake"]["thread_id"]
            heads, raw = self.summaries(daemon, agent), []
            while heads:
                one = heads.pop(0)
                span = self.opened(daemon, agent, one["id"])
                if one["depth"] == 1:
                    raw += [message["content"]["text"] for message in span if message["thread_id"] == thread]
                else:
                    below = self.summaries(daemon, agent, f"?folded={one['id']}")
                    self.assertEqual([other["id"] for other in below], [other["id"] for other in span])
                    heads = below + heads
            threads = self.get(daemon, f"/v1/agents/{agent}/memory/threads")["data"]
            mine = next(one for one in threads if one["thread_id"] == thread)
            self.assertEqual(len(raw) + mine["hot_messages"], mine["messages"])
            steps = [text for text in raw if text.startswith("step")]
            self.assertEqual(len(steps), len(set(steps)))
            self.assertIn("step 0 of the long work with the colour kolor0", raw)

    def test_tells_no_goal_that_was_closed_until_it_is_aimed_at_again(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon, memory=SMALL)
            grant = self.in_session(daemon, agent)
            self.say(daemon, grant, "Goal: paint the shed", *(f"step {number}" for number in range(30)))
            self.settled(daemon, agent)
            self.assertEqual([one["text"] for one in self.memory(daemon, agent)["goals"]], ["paint the shed"])
            self.say(daemon, grant, "Done: PAINT the shed", *(f"step {number}" for number in range(30, 60)))
            self.settled(daemon, agent)
            self.assertEqual(self.memory(daemon, agent)["goals"], [])
            closed = [one for summary in self.summaries(daemon, agent) for one in summary["summary"]["closed_loops"]]
            self.assertEqual([one["text"] for one in closed], ["PAINT the shed"])
            said = self.get(daemon, f"/v1/agents/{agent}/messages/{closed[0]['message_id']}")
            self.assertEqual(said["content"]["text"], "Done: PAINT the shed")
            self.assertEqual(said["created_at"], closed[0]["at"])
            self.say(daemon, grant, "Goal: paint the shed")
            goals = self.memory(daemon, agent)["goals"]
            self.assertEqual([one["text"] for one in goals], ["paint the shed"], "no fold has to come first")
            self.assertGreater(goals[0]["at"], closed[0]["at"])

    def test_finds_what_was_said_and_gives_up_short_words(self):
        with self.daemon() as daemon:
            agent, other = self.agent(daemon, memory=SMALL), self.agent(daemon)
            grant = self.in_session(daemon, agent)
            self.say(daemon, grant, "The code of the garden gate is 4711 and nobody else knows")
            self.say(daemon, grant, *(f"something else, number {number}" for number in range(60)))
            self.settled(daemon, agent)
            found = self.search(daemon, agent, "what+is+the+code+of+the+gate")
            self.assertIn("4711", found[0]["snippet"])
            self.assertEqual((found[0]["kind"], found[0]["thread_id"]), ("thought", grant["wake"]["thread_id"]))
            self.assertEqual(self.search(daemon, agent, "4711&kind=user"), [])
            self.assertEqual(self.search(daemon, other, "4711"), [])
            self.assertEqual(daemon.get(f"/v1/agents/{agent}/memory/search?q=%3F").status, 422)
            # The agent itself, by its tools.
            called = json_of(daemon.post(f"/v1/wakes/{grant['wake']['id']}/call", {
                "fence": grant["wake"]["fence"], "tool_name": "recall", "arguments": {"query": "garden gate code", "limit": 1}}))
            self.assertIn("4711", called["result"]["content"]["results"][0]["snippet"])
            summary = next(one for one in reversed(self.summaries(daemon, agent)) if one["depth"] == 1)
            called = json_of(daemon.post(f"/v1/wakes/{grant['wake']['id']}/call", {
                "fence": grant["wake"]["fence"], "tool_name": "open_summary", "arguments": {"summaryId": summary["id"], "limit": 3}}))
            said = called["result"]["content"]
            self.assertEqual((len(said["messages"]), said["depth"]), (3, 1))
            self.assertIsNotNone(said["next"])
            # A caller that is bound to another session sees nothing of this one.
            bound, _ = daemon.mint("agent", bounds={"sessions": ["s2"], "users": ["ada"]})
            for path in ("", "/search?q=4711", f"/summaries/{summary['id']}"):
                self.assertEqual(daemon.get(f"/v1/agents/{agent}/memory{path}", token=bound).status, 404, path)
            bound, _ = daemon.mint("agent", bounds={"sessions": ["s1"], "users": ["ada"]})
            self.assertIn("4711", self.search(daemon, agent, "4711", token=bound)[0]["snippet"])

    def test_survives_a_kill_at_any_time(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon, memory=SMALL)
            grant = self.in_session(daemon, agent)
            for round_ in range(4):
                self.say(daemon, grant, *(f"round {round_} word{round_}x{number}" for number in range(60)))
                daemon.kill()
                daemon.start()
            self.settled(daemon, agent)
            threads = self.get(daemon, f"/v1/agents/{agent}/memory/threads")["data"]
            self.assertEqual(threads[0]["messages"], 241)
            for round_ in range(4):
                self.assertEqual(len(self.search(daemon, agent, f"word{round_}x7")), 1)

    def test_is_seen_and_asked_for_on_the_command_line(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            grant = self.in_session(daemon, agent)
            self.say(daemon, grant, "Goal: tea at five", *(f"about tea, {number}" for number in range(9)))
            self.end(daemon, grant)
            shown = daemon.run("memory", "show", agent, "--explain")
            self.assertEqual((shown.code, shown.err), (0, ""))
            self.assertIn("goal: tea at five", shown.out)
            self.assertIn("included", shown.out)
            self.assertEqual(daemon.run("memory", "fold", agent).code, 0)
            self.settled(daemon, agent)
            summary = json.loads(daemon.run("memory", "summaries", agent, "--json").out.splitlines()[0])
            opened = daemon.run("memory", "open", agent, summary["id"], "--limit", "3")
            self.assertEqual(opened.code, 0, opened.err)
            self.assertIn("--after", opened.err)
            self.assertIn("about tea", daemon.run("memory", "search", agent, "about", "tea").out)
            self.assertIn("done", daemon.run("memory", "folds", agent).out)
            self.assertIn(grant["wake"]["thread_id"], daemon.run("memory", "threads", agent).out)
            refused = daemon.run("memory", "forget", agent, "--thread", grant["wake"]["thread_id"])
            self.assertEqual(refused.code, 2, refused.err)
            gone = daemon.run("memory", "forget", agent, "--thread", grant["wake"]["thread_id"], "--yes", "--json")
            self.assertEqual(json.loads(gone.out)["messages"], 11)
            self.assertEqual(self.search(daemon, agent, "tea"), [])


class Forgetting(MemoryCase):
    def test_takes_away_for_good_what_was_said_and_what_was_made_of_it(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon, memory=SMALL)
            grant = self.in_session(daemon, agent)
            secret = unique("secret")
            self.say(daemon, grant, f"Decision: the word is {secret}", *(f"step {number}" for number in range(80)))
            self.end(daemon, grant)
            self.settled(daemon, agent)
            found = self.search(daemon, agent, secret)
            self.assertEqual(len(found), 1)
            self.assertTrue(traces_of(daemon, secret))
            answer = daemon.post(f"/v1/agents/{agent}/memory/forget", {"message_id": found[0]["message_id"]})
            self.assertEqual(answer.status, 200, answer.body)
            self.assertEqual(json_of(answer)["messages"], 1)
            self.assertGreaterEqual(json_of(answer)["summaries"], 1)
            self.assertEqual(self.search(daemon, agent, secret), [])
            self.assertNotIn(secret, json.dumps(self.memory(daemon, agent)))
            self.assertEqual(daemon.get(f"/v1/agents/{agent}/messages/{found[0]['message_id']}").status, 404)
            eventually("no trace of it", lambda: not traces_of(daemon, secret))
            audit = [one["event"] for one in daemon.entries("audit")]
            self.assertTrue(any(one.get("action") == "memory.forget" for one in audit), audit[-3:])
            self.assertNotIn(secret, json.dumps(audit))
            # The rest of the span is still told of.
            self.assertEqual(len(self.search(daemon, agent, "step+79")), 10)

    def test_is_for_its_person_and_needs_to_be_told_what(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            stranger, _ = daemon.mint("user", user_id="bob")
            path = f"/v1/agents/{agent}/memory/forget"
            self.assertEqual(daemon.post(path, {"thread_id": "t"}, token=stranger).status, 404)
            self.assertEqual(daemon.post(path, {}).status, 422)
            self.assertEqual(daemon.post(path, {"message_id": "018f0000-0000-7000-8000-000000000001"}).status, 404)


class Moving(MemoryCase):
    def test_gives_the_same_memory_elsewhere(self):
        with self.daemon() as here, self.daemon() as there:
            agent = self.agent(here, memory=SMALL, kind="planner", display_name="Pläne")
            here.request("PATCH", f"/v1/agents/{agent}", {"state": {"slots": {"primary_goal": "order"}}})
            grant = self.in_session(here, agent)
            self.say(here, grant, "Goal: move house", *(f"box {number} holds thing{number}" for number in range(700)))
            here.post(f"/v1/wakes/{grant['wake']['id']}/call", {"fence": grant["wake"]["fence"], "operation_id": "o1", "tool_name": "notify_user",
                                                               "arguments": {"text": "x" * 6000}})
            self.end(here, grant)
            self.settled(here, agent)
            path = os.path.join(here.folder, "agent.jsonl")
            exported = here.run("agent", "export", agent)
            self.assertEqual(exported.code, 0, exported.err)
            lines = exported.out.splitlines()
            self.assertEqual((list(json.loads(lines[0])), json.loads(lines[-1])), (["agent"], {"end": {}}))
            with open(path, "w", encoding="utf-8") as file:
                file.write(exported.out)
            taken = there.run("agent", "import", path)
            self.assertEqual(taken.code, 0, taken.err)
            again = there.run("agent", "import", path)
            self.assertEqual(again.code, 1, again.err)
            self.assertIn("another agent has this id", again.err)

            def told(daemon):
                told = self.memory(daemon, agent, f"?explain=1&thread_id={grant['wake']['thread_id']}")
                for message in told["messages"]:
                    message.pop("content_entry_id")
                return told
            self.assertEqual(told(there), told(here))
            mine, theirs = (json_of(daemon.get(f"/v1/agents/{agent}")) for daemon in (here, there))
            for name in ("display_name", "kind", "capabilities", "memory", "lifecycle", "created_at"):
                self.assertEqual(mine[name], theirs[name], name)
            self.assertEqual(theirs["state"]["slots"]["primary_goal"], "order")
            self.assertEqual([one["id"] for one in self.summaries(there, agent)], [one["id"] for one in self.summaries(here, agent)])
            for summary in self.summaries(there, agent):
                self.assertEqual([one["id"] for one in self.opened(there, agent, summary["id"])],
                                 [one["id"] for one in self.opened(here, agent, summary["id"])])
            self.assertEqual([one["message_id"] for one in self.search(there, agent, "thing77")],
                             [one["message_id"] for one in self.search(here, agent, "thing77")])
            # It is no copy to look at: its life goes on.
            grant = self.in_session(there, agent)
            self.say(there, grant, *(f"after the move, {number}" for number in range(60)))
            self.settled(there, agent)
            self.assertLessEqual(self.memory(there, agent)["used_tokens"], 700)

    def test_takes_a_request_whole_or_not_at_all(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            grant = self.in_session(daemon, agent)
            self.say(daemon, grant, "one", "two", "three")
            lines = daemon.get(f"/v1/agents/{agent}/export").body.decode().splitlines()
            moved = [line.replace(agent, "moved") for line in lines]

            def post(body, query=""):
                return daemon.post("/v1/agents/import" + query, "\n".join(body) + "\n", headers={"Content-Type": "application/x-ndjson"})
            self.assert_problem(post(moved), 409, "conflict", "messages")  # their ids are the other agent's
            self.assertEqual(daemon.get("/v1/agents/moved").status, 404)
            self.assert_problem(post([moved[0], "{"]), 400, "malformed")
            self.assertEqual(daemon.get("/v1/agents/moved").status, 404)
            self.assertEqual(post(moved[:1]).status, 201)
            self.assertEqual(json_of(daemon.get("/v1/agents/moved"))["state"]["recent_head_message_id"], None)
            refused = post(lines[1:], f"?agent={agent}")
            self.assertEqual((refused.status, json_of(refused)["unchanged"]), (200, len(lines) - 2))


if __name__ == "__main__":
    unittest.main()
