"""What people do without: whose choice it is where a request names nobody, and who may see it."""

import unittest

import belfry
from belfry import json_of


class Settings(belfry.SharedCase):
    options = ("--owner", "olga")

    def toggle(self, subscriber, token="admin", **body):
        return self.belfry.request("PUT", f"/v1/subscribers/{subscriber}", body, token=token)

    def disabled(self, user):
        return json_of(self.belfry.get(f"/v1/users/{user}/settings"))["disabled_subscribers"]

    def test_a_switch_that_names_nobody_is_the_callers_or_the_owners(self):
        self.assertEqual(json_of(self.toggle("subagent", enabled=False))["user_id"], "olga")
        self.assertEqual(self.disabled("olga"), ["subagent"])
        token, _ = self.belfry.mint("user", user_id="ada")
        self.assertEqual(json_of(self.toggle("source_stale", token, enabled=False))["user_id"], "ada")
        self.assertEqual(self.disabled("ada"), ["source_stale"])
        self.assertIs(json_of(self.toggle("source_stale", token, enabled=True))["enabled"], True)
        self.assertEqual(self.disabled("ada"), [])
        self.assertEqual(self.disabled("olga"), ["subagent"])

    def test_nobody_switches_for_another(self):
        token, _ = self.belfry.mint("user", user_id="ada")
        self.assert_problem(self.toggle("subagent", token, enabled=False, user_id="bob"), 403, "forbidden", "user_id")
        self.assert_problem(self.belfry.get("/v1/users/bob/settings", token=token), 403, "forbidden", "user_id")
        agent, _ = self.belfry.mint("agent", bounds={"users": ["ada"]})
        self.assert_problem(self.toggle("subagent", agent, enabled=False), 403, "forbidden")

    def test_an_agent_sees_what_is_on_for_its_user(self):
        self.belfry.request("PUT", "/v1/users/eve/settings", {"disabled_subscribers": ["task_checkpoint"]})
        agent, _ = self.belfry.mint("agent", bounds={"users": ["eve"]})
        listed = json_of(self.belfry.get("/v1/subscribers", token=agent))
        self.assertEqual(listed["user_id"], "eve")
        self.assertEqual([one["id"] for one in listed["data"] if not one["enabled"]], ["task_checkpoint"])
        of_session, _ = self.belfry.mint("agent", bounds={"sessions": ["s1"]})
        unseen = json_of(self.belfry.get("/v1/subscribers", token=of_session))
        self.assertIsNone(unseen["user_id"])
        self.assertEqual({one["enabled"] for one in unseen["data"] if not one["core"]}, {None})


if __name__ == "__main__":
    unittest.main()
