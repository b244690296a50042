"""What agents ask for and propose instead of doing it: policies, questions, change sets and what people decide."""

import threading
import unittest
import uuid

import belfry
from belfry import eventually, json_of, unique
from journal import JournalCase


class ProposingCase(JournalCase):
    def coach(self, daemon, policies, categories, **members):
        return self.agent(daemon, display_name="Coach", allowed_category_ids=list(categories),
                          capabilities=["task_read", "task_write"], tool_policies=policies, **members)

    def category(self, daemon, **more):
        return self.make(daemon, "categories", name=unique("c"), **more)["id"]

    def held(self, daemon, agent, **members):
        self.wake_now(daemon, agent, **members)
        return self.claim_soon(daemon, agent)

    def call(self, daemon, grant, tool, status=200, operation=None, **arguments):
        wake = grant["wake"]
        answer = daemon.post(f"/v1/wakes/{wake['id']}/call", {"fence": wake["fence"], "operation_id": operation or unique("o"),
                                                            "tool_name": tool, "arguments": arguments})
        self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def proposed(self, daemon, grant, *titles, category):
        """The set that tasks of these titles were proposed in."""
        for title in titles:
            called = self.call(daemon, grant, "create_task", title=title, categoryId=category)
            self.assertEqual(called["result"]["content"]["proposed"], True, called)
        return called["result"]["content"]["changeSetId"]

    def change_set(self, daemon, name, status=200, token="admin"):
        answer = daemon.get(f"/v1/change-sets/{name}", token=token)
        self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def decide(self, daemon, name, word, item=None, status=200, token="admin"):
        place = f"/items/{item}" if item else ""
        answer = daemon.post(f"/v1/change-sets/{name}{place}/{word}", token=token)
        self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def titles(self, daemon, category):
        return [one["title"] for one in self.must(200, daemon, "GET", "/tasks", category=category)["data"]]


class Shared(ProposingCase, belfry.SharedCase):
    pass


class Proposals(Shared):
    def test_wait_for_the_person_and_are_done_in_the_agents_name_when_he_says_so(self):
        category = self.category(self.belfry)
        agent = self.coach(self.belfry, {"create_task": "propose"}, [category])
        grant = self.held(self.belfry, agent)
        name = self.proposed(self.belfry, grant, "Run", "Swim", category=category)
        self.end(self.belfry, grant)
        self.assertEqual(self.titles(self.belfry, category), [])
        found = self.change_set(self.belfry, name)
        self.assertEqual((found["state"], found["agent_id"], found["agent_name"], found["wake_id"], found["counts"]["proposed"]),
                         ("open", agent, "Coach", grant["wake"]["id"], 2))
        item = found["items"][0]
        self.assertEqual((item["number"], item["tool_name"], item["state"], item["result"], item["error"], item["decided_by"]),
                         (1, "create_task", "proposed", None, None, None))
        self.assertEqual(item["changes"], [{"change": "made", "kind": "task", "title": "Run"}])
        self.assertEqual(item["arguments"], {"title": "Run", "categoryId": category})
        decided = self.decide(self.belfry, name, "accept", 1)
        self.assertEqual([one["state"] for one in decided["items"]], ["accepted", "proposed"])
        self.assertEqual(decided["items"][0]["result"]["task"]["title"], "Run")
        self.assertEqual(self.titles(self.belfry, category), ["Run"])
        self.assertEqual(self.decide(self.belfry, name, "accept", 1), decided, "said again, done once")
        self.assert_problem(self.belfry.post(f"/v1/change-sets/{name}/items/1/reject"), 409, "conflict", "number")
        decided = self.decide(self.belfry, name, "reject")
        self.assertEqual((decided["state"], [one["state"] for one in decided["items"]]), ("decided", ["accepted", "rejected"]))
        self.assertEqual(self.titles(self.belfry, category), ["Run"])
        seen = json_of(self.belfry.get(f"/v1/agents/{agent}/messages?limit=100"))["data"]
        said = [one["content"] for one in reversed(seen) if one["kind"] == "observation" and "change_set_id" in str(one["content"])]
        self.assertEqual([(one["change_set_id"], one["item"], one["outcome"]) for one in said],
                         [(name, 1, "accepted"), (name, 2, "rejected")])

    def test_are_told_of_once_in_the_inbox(self):
        category = self.category(self.belfry)
        agent = self.coach(self.belfry, {"*": "propose"}, [category])
        grant = self.held(self.belfry, agent)
        name = self.proposed(self.belfry, grant, "a", "b", "c", category=category)
        listed = json_of(self.belfry.get("/v1/notifications?user=ada&limit=1000"))["data"]
        told = [one for one in listed if one.get("agent_id") == agent]
        self.assertEqual([one["text"] for one in told], ["Coach proposes 3 changes"])
        self.assertEqual(told[0]["metadata"], {"change_set_id": name})
        self.end(self.belfry, grant)

    def test_are_heard_of_by_whoever_follows_the_inbox(self):
        category = self.category(self.belfry)
        agent = self.coach(self.belfry, {"*": "propose"}, [category])
        grant = self.held(self.belfry, agent)
        with self.belfry.sse("/v1/inbox/live?user=ada") as stream:
            name = self.proposed(self.belfry, grant, "a", category=category)
            self.decide(self.belfry, name, "reject")
            heard = []
            while len(heard) < 2:
                frame = stream.frame()
                self.assertIsNotNone(frame, heard)
                if frame.kind == "change_set" and frame.data["change_set"]["id"] == name:
                    heard.append(frame.data["change_set"])
        self.assertEqual([(one["state"], one["counts"]["proposed"]) for one in heard], [("open", 1), ("decided", 0)])
        self.end(self.belfry, grant)

    def test_that_could_not_be_done_are_refused_at_once(self):
        category, other = self.category(self.belfry), self.category(self.belfry)
        agent = self.coach(self.belfry, {"*": "propose"}, [category])
        grant = self.held(self.belfry, agent)
        for code, tool, arguments in (("out_of_scope", "create_task", {"title": "x", "categoryId": other}),
                                      ("invalid_arguments", "create_task", {}), ("unknown_tool", unique("t"), {})):
            called = self.call(self.belfry, grant, tool, **arguments)
            self.assertEqual(called["result"]["tool_result"]["error_code"], code, called)
        self.assertEqual(json_of(self.belfry.get(f"/v1/change-sets?state=all&agent={agent}"))["data"], [])
        self.end(self.belfry, grant)

    def test_fail_where_the_agent_may_do_less_by_then(self):
        category = self.category(self.belfry)
        agent = self.coach(self.belfry, {"*": "propose"}, [category])
        grant = self.held(self.belfry, agent)
        name = self.proposed(self.belfry, grant, "Run", category=category)
        self.end(self.belfry, grant)
        self.assertEqual(self.belfry.request("PATCH", f"/v1/agents/{agent}", {"allowed_category_ids": []}).status, 200)
        decided = self.decide(self.belfry, name, "accept")
        self.assertEqual((decided["items"][0]["state"], decided["items"][0]["error"]["code"]), ("failed", "out_of_scope"))
        self.assertEqual(self.titles(self.belfry, category), [])

    def test_of_a_destroyed_agent_can_only_be_rejected(self):
        category = self.category(self.belfry)
        agent = self.coach(self.belfry, {"*": "propose"}, [category])
        grant = self.held(self.belfry, agent)
        name = self.proposed(self.belfry, grant, "Run", category=category)
        self.end(self.belfry, grant)
        self.assertEqual(self.belfry.request("DELETE", f"/v1/agents/{agent}").status, 200)
        self.assertEqual(self.decide(self.belfry, name, "accept", status=409)["reason"], "agent_gone")
        self.assertEqual(self.decide(self.belfry, name, "reject")["state"], "decided")

    def test_are_decided_once_however_many_decide_at_once(self):
        category = self.category(self.belfry)
        agent = self.coach(self.belfry, {"*": "propose"}, [category])
        grant = self.held(self.belfry, agent)
        name = self.proposed(self.belfry, grant, *"abcdefgh", category=category)
        self.end(self.belfry, grant)
        statuses = []

        def decide(word, item):
            statuses.append((item, word, self.belfry.post(f"/v1/change-sets/{name}/items/{item}/{word}").status))
        threads = [threading.Thread(target=decide, args=(word, item)) for item in range(1, 9)
                   for word in ("accept", "reject", "accept")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        states = [one["state"] for one in self.change_set(self.belfry, name)["items"]]
        for item, word, status in statuses:
            self.assertEqual(status, 200 if states[item - 1] == word + "ed" else 409, (item, word, states))
        self.assertEqual(len(self.titles(self.belfry, category)), states.count("accepted"))


class Strangers(Shared):
    def test_see_and_decide_nothing(self):
        category = self.category(self.belfry)
        agent = self.coach(self.belfry, {"*": "propose"}, [category])
        grant = self.held(self.belfry, agent)
        name = self.proposed(self.belfry, grant, "Run", category=category)
        self.end(self.belfry, grant)
        bob, _ = self.belfry.mint("user", user_id="bob")
        ada, _ = self.belfry.mint("user", user_id="ada")
        worker, _ = self.belfry.mint("agent", bounds={"users": ["ada"]})
        self.change_set(self.belfry, name, 404, token=bob)
        self.change_set(self.belfry, name, 403, token=worker)
        for token in (bob, worker):
            self.decide(self.belfry, name, "accept", status=403, token=token)
        self.assertEqual(self.belfry.get("/v1/change-sets", token=worker).status, 403)
        self.assertNotIn(name, [one["id"] for one in json_of(self.belfry.get("/v1/change-sets?state=all", token=bob))["data"]])
        self.assertEqual(self.belfry.request("PATCH", f"/v1/agents/{agent}", {"tool_policies": {}}, token=worker).status, 403)
        self.assertIn(name, [one["id"] for one in json_of(self.belfry.get(f"/v1/change-sets?agent={agent}", token=ada))["data"]])
        self.decide(self.belfry, str(uuid.uuid4()), "accept", status=404)
        self.decide(self.belfry, name, "accept", 7, status=404)
        self.assertEqual(self.titles(self.belfry, category), [])
        self.assertEqual(self.decide(self.belfry, name, "accept", token=ada)["items"][0]["state"], "accepted")


class Questions(Shared):
    def asked(self, policies, category):
        session = unique("s")
        self.assertIn(self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada"}).status, (200, 201))
        agent = self.coach(self.belfry, policies, [category])
        return agent, self.held(self.belfry, agent, session_id=session, reason="user_initiated")

    def answer(self, waits_for, word):
        self.assertEqual(waits_for["whom"], "person")
        answer = self.belfry.post(f"/v1/interactions/{waits_for['id']}/answer", {"decision": word})
        self.assertEqual(answer.status, 200, answer.body)
        return json_of(answer)

    def test_are_asked_before_a_call_is_done(self):
        category = self.category(self.belfry)
        _, grant = self.asked({"create_task": "ask"}, category)
        words = {"operation": "o1", "title": "Run", "categoryId": category}
        waiting = self.call(self.belfry, grant, "create_task", 202, **words)
        self.assertIsNone(waiting["result"])
        self.assertEqual(self.call(self.belfry, grant, "create_task", 202, **words)["waits_for"], waiting["waits_for"])
        answered = self.answer(waiting["waits_for"], "allow_once")
        self.assertEqual((answered["message"], answered["tool_name"], answered["arguments"]["title"]),
                         ("Coach wants to use create_task", "create_task", "Run"))
        self.assertEqual(self.titles(self.belfry, category), [])
        self.assertEqual(self.call(self.belfry, grant, "create_task", **words)["result"]["content"]["task"]["title"], "Run")
        self.assertEqual(self.titles(self.belfry, category), ["Run"])
        denied = self.call(self.belfry, grant, "create_task", 202, operation="o2", title="Swim", categoryId=category)
        self.answer(denied["waits_for"], "deny")
        denied = self.call(self.belfry, grant, "create_task", operation="o2", title="Swim", categoryId=category)
        self.assertEqual(denied["result"]["tool_result"]["error_code"], "denied")
        always = self.call(self.belfry, grant, "create_task", 202, operation="o3", title="Rest", categoryId=category)
        self.answer(always["waits_for"], "always_allow")
        self.call(self.belfry, grant, "create_task", operation="o3", title="Rest", categoryId=category)
        self.call(self.belfry, grant, "create_task", operation="o4", title="Eat", categoryId=category)
        self.assertEqual(sorted(self.titles(self.belfry, category)), ["Eat", "Rest", "Run"])
        self.end(self.belfry, grant)

    def test_become_proposals_where_there_is_no_session(self):
        category = self.category(self.belfry)
        agent = self.coach(self.belfry, {"*": "ask"}, [category])
        grant = self.held(self.belfry, agent)
        self.proposed(self.belfry, grant, "Run", category=category)
        self.end(self.belfry, grant)


class HouseWork(ProposingCase):
    def script(self, daemon, policies):
        steps = [{"do": "notify_user", "with": {"text": "first"}}, {"do": "notify_user", "with": {"text": "second"}}]
        return self.agent(daemon, workflow={"kind": "script", "settings": {"steps": steps}}, tool_policies=policies)

    def inbox(self, daemon, agent):
        listed = json_of(daemon.get("/v1/notifications?user=ada&limit=1000"))["data"]
        return sorted(one["text"] for one in listed if one.get("agent_id") == agent)

    def question(self, daemon, session):
        def pending():
            return json_of(daemon.get(f"/v1/interactions?session={session}&state=pending"))["data"]
        return eventually("a question", pending)[0]

    def test_waits_for_the_answer_also_over_a_crash(self):
        daemon = self.daemon()
        session = unique("s")
        self.assertIn(daemon.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada"}).status, (200, 201))
        agent = self.script(daemon, {"notify_user": "ask"})
        wake = self.wake_now(daemon, agent, session_id=session, reason="user_initiated")
        first = self.question(daemon, session)
        daemon.kill()
        daemon.start()
        self.assertEqual(self.question(daemon, session)["id"], first["id"])
        self.assertEqual(self.inbox(daemon, agent), [])
        for text, word in (("first", "allow_once"), ("second", "deny")):
            asked = self.question(daemon, session)
            self.assertEqual(asked["arguments"]["text"], text)
            self.assertEqual(daemon.post(f"/v1/interactions/{asked['id']}/answer", {"decision": word}).status, 200)
            if text == "first":
                eventually("the next question", lambda: self.question(daemon, session)["id"] != first["id"])
        self.assertEqual(self.wake(daemon, wake["id"], wait_s=30)["state"], "completed")
        self.assertEqual(self.inbox(daemon, agent), ["first"])

    def test_goes_on_where_it_proposes(self):
        daemon = self.daemon()
        agent = self.script(daemon, {"*": "propose"})
        wake = self.wake_now(daemon, agent)
        self.assertEqual(self.wake(daemon, wake["id"], wait_s=30)["state"], "completed")
        self.assertEqual(len(self.inbox(daemon, agent)), 1, "what tells of it")
        [found] = json_of(daemon.get(f"/v1/change-sets?agent={agent}"))["data"]
        self.decide(daemon, found["id"], "accept")
        self.assertEqual(len(self.inbox(daemon, agent)), 3)


class Crashes(ProposingCase):
    def test_leave_each_item_done_once_or_proposed(self):
        daemon = self.daemon()
        category = self.category(daemon)
        agent = self.coach(daemon, {"*": "propose"}, [category])
        grant = self.held(daemon, agent)
        name = self.proposed(daemon, grant, *(f"t{n}" for n in range(20)), category=category)

        def accept():
            for number in range(1, 21):
                try:
                    daemon.post(f"/v1/change-sets/{name}/items/{number}/accept")
                except OSError:
                    return
        thread = threading.Thread(target=accept)
        thread.start()
        eventually("some are done", lambda: self.change_set(daemon, name)["counts"]["accepted"] > 3)
        daemon.kill()
        thread.join()
        daemon.start()
        found = self.change_set(daemon, name)
        self.assertEqual(len(self.titles(daemon, category)), found["counts"]["accepted"])
        self.decide(daemon, name, "accept")
        self.assertEqual(sorted(self.titles(daemon, category)), sorted(f"t{n}" for n in range(20)))

    def test_and_an_erasure_leave_nothing_of_a_person(self):
        daemon = self.daemon()
        category = self.category(daemon)
        agent = self.coach(daemon, {"*": "propose"}, [category])
        grant = self.held(daemon, agent)
        name = self.proposed(daemon, grant, "Run", category=category)
        erasure = json_of(daemon.post("/v1/erasures", {"user_id": "ada"}))["id"]
        eventually("erased", lambda: json_of(daemon.get(f"/v1/erasures/{erasure}"))["state"] == "done")
        self.change_set(daemon, name, 404)
        self.assertEqual(json_of(daemon.get("/v1/change-sets?state=all"))["data"], [])


class CommandLine(ProposingCase):
    def test_lists_shows_and_decides(self):
        daemon = self.daemon()
        category = self.category(daemon)
        made = daemon.run("agent", "create", "coach", "--user", "ada", "--category", category, "--capability", "task_write",
                             "--policy", "create_task=propose")
        self.assertEqual(made.code, 0, made.err)
        grant = self.held(daemon, "coach")
        name = self.proposed(daemon, grant, "Run", "Swim", category=category)
        self.end(daemon, grant)
        listed = daemon.run("change", "list")
        self.assertIn(name, listed.out)
        self.assertIn("2 proposed", listed.out)
        self.assertIn('made task "Swim"', daemon.run("change", "show", name).out)
        refused = daemon.run("change", "accept", name, "1")
        self.assertEqual(refused.code, 4, refused.err)
        done = daemon.run("change", "accept", name, "1", "--token", daemon.admin_token)
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(daemon.run("change", "reject", name, "--token", daemon.admin_token).code, 0)
        self.assertEqual(self.titles(daemon, category), ["Run"])
        self.assertNotIn(name, daemon.run("change", "list").out)
        self.assertIn(name, daemon.run("change", "list", "--all").out)


if __name__ == "__main__":
    unittest.main()
