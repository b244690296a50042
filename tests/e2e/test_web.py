"""What the web app stands on: its files and their headers, one-time links, and the questions that only it asks."""

import gzip
import re
import subprocess
import unittest

import belfry
from belfry import eventually, json_of

FILES = {"/": "text/html; charset=utf-8", "/app.js": "text/javascript; charset=utf-8",
         "/app.css": "text/css; charset=utf-8", "/icon.svg": "image/svg+xml"}


class Files(belfry.SharedCase):
    def test_come_with_a_policy_that_lets_nothing_else_in(self):
        for path, kind in FILES.items():
            answer = self.belfry.get(path, token=None)
            self.assertEqual(answer.status, 200, path)
            self.assertEqual(answer.headers["content-type"], kind)
            policy = answer.headers["content-security-policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertIn("frame-ancestors 'none'", policy)
            self.assertEqual(answer.headers["x-content-type-options"], "nosniff")

    def test_are_packed_for_whoever_takes_that(self):
        plain = self.belfry.get("/app.js", token=None)
        packed = self.belfry.get("/app.js", token=None, headers={"Accept-Encoding": "br, gzip"})
        self.assertNotIn("content-encoding", plain.headers)
        self.assertEqual(packed.headers["content-encoding"], "gzip")
        self.assertEqual(gzip.decompress(packed.body), plain.body)
        refused = self.belfry.get("/app.js", token=None, headers={"Accept-Encoding": "gzip;q=0"})
        self.assertEqual(refused.body, plain.body)

    def test_are_small_and_ask_nobody_else(self):
        total = 0
        for path in FILES:
            total += len(self.belfry.get(path, token=None, headers={"Accept-Encoding": "gzip"}).body)
        self.assertLess(total, 150 * 1024)
        page = self.belfry.get("/", token=None).body.decode()
        self.assertEqual(re.findall(r"<script(?![^>]*src=)", page), [], "no script stands in the page itself")
        self.assertEqual(re.findall(r"(?:src|href)=\"(?:https?:)?//", page), [])


class Links(belfry.SharedCase):
    def redeem(self, code):
        return self.belfry.post("/v1/links/redeem", {"code": code}, token=None)

    def test_let_in_once(self):
        link = json_of(self.belfry.post("/v1/links", None))
        self.assertEqual(link["url"], f"http://127.0.0.1:{self.belfry.port}/#link={link['code']}")
        token = json_of(self.redeem(link["code"]))
        self.assertEqual(token["role"], "admin")
        me = json_of(self.belfry.get("/v1/me", token=token["token"]))
        self.assertEqual((me["role"], me["principal"]), ("admin", "token:" + token["id"]))
        self.assert_problem(self.redeem(link["code"]), 410, "gone")

    def test_that_nobody_made_let_nobody_in(self):
        self.assert_problem(self.redeem("x" * 40), 410, "gone")
        self.assert_problem(self.redeem(""), 422, "invalid", "code")
        self.assert_problem(self.belfry.post("/v1/links/redeem", {}, token=None), 422, "invalid", "code")

    def test_that_are_guessed_too_often_are_no_longer_looked_at(self):
        daemon = self.daemon()
        statuses = [daemon.post("/v1/links/redeem", {"code": f"{n:040}"}, token=None).status for n in range(70)]
        self.assertEqual(statuses[0], 410)
        self.assertEqual(statuses[-1], 429)

    def test_are_made_by_an_administrator_only(self):
        for role in ("service", "user", "agent", "emitter"):
            token, _ = self.belfry.mint(role, **({"user_id": "ada"} if role == "user" else {}))
            self.assertEqual(self.belfry.post("/v1/links", None, token=token).status, 403, role)

    def test_end_with_the_token_that_made_them(self):
        token, minted = self.belfry.mint("admin")
        code = json_of(self.belfry.post("/v1/links", None, token=token))["code"]
        self.belfry.request("DELETE", f"/v1/tokens/{minted}")
        self.assert_problem(self.redeem(code), 410, "gone")

    def test_are_printed_by_open(self):
        done = subprocess.run([belfry.BINARY, "open", "--print", "--data", self.belfry.data], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=self.belfry.environment, check=True)
        url = done.stdout.strip()
        self.assertIn(f":{self.belfry.port}/#link=", url)
        self.assertEqual(self.redeem(url.split("=")[1]).status, 201)


class Questions(belfry.SharedCase):
    def notify(self, text, **more):
        return json_of(self.belfry.post("/v1/notifications", {"text": text, **more}))

    def test_me_tells_who_asks_and_which_start_answers(self):
        token, minted = self.belfry.mint("user", user_id="ada")
        me = json_of(self.belfry.get("/v1/me", token=token))
        self.assertEqual((me["user_id"], me["role"], me["principal"]), ("ada", "user", "token:" + minted))
        again = json_of(self.belfry.get("/v1/me"))
        self.assertEqual(again["started_at"], me["started_at"])

    def test_the_ledger_in_numbers_and_newest_first(self):
        user = belfry.unique("u")
        ids = [self.notify(f"word {n}", user_id=user)["id"] for n in range(5)]
        summary = json_of(self.belfry.get(f"/v1/ledger/summary?user={user}"))
        self.assertEqual(summary["total"], 5)
        self.assertEqual(sum(summary["states"].values()), 5)
        self.assertIsNotNone(summary["oldest_open_at"])
        listed, after = [], ""
        while True:
            page = json_of(self.belfry.get(f"/v1/notifications?user={user}&order=newest&limit=2{after}"))
            listed += [one["id"] for one in page["data"]]
            if not page["has_more"]:
                break
            after = f"&after={page['next']}"
        self.assertEqual(listed, ids[::-1])
        self.assert_problem(self.belfry.get("/v1/notifications?order=sideways"), 422, "invalid", "order")

    def test_the_summary_is_of_those_that_the_caller_sees(self):
        self.notify("for ada", user_id="ada")
        self.notify("for bob", user_id="bob")
        token, _ = self.belfry.mint("user", user_id="ada")
        self.assertEqual(json_of(self.belfry.get("/v1/ledger/summary", token=token))["total"], 1)
        self.assertEqual(self.belfry.get("/v1/ledger/summary?user=bob", token=token).status, 403)
        self.assertGreaterEqual(json_of(self.belfry.get("/v1/ledger/summary"))["total"], 2)

    def test_failures_are_counted_by_their_reason(self):
        user = belfry.unique("u")
        self.notify("nobody came", user_id=user, ttl_s=1,
                    routing={"address": "user", "target": "agent", "handler": "system"})
        summary = eventually("it has failed", lambda: (lambda s: s if s["states"]["failed"] else None)(
            json_of(self.belfry.get(f"/v1/ledger/summary?user={user}"))))
        self.assertEqual(summary["failures"], [{"outcome": "expired_unseen", "count": 1}])
        self.assertIsNone(summary["oldest_open_at"])

    def test_a_subscriber_is_rehearsed_and_nothing_is_emitted(self):
        before = json_of(self.belfry.get("/v1/streams/events"))["data"]
        made_up = json_of(self.belfry.post("/v1/subscribers/tool_failure/test", {}))
        self.assertGreaterEqual(len(made_up["events"]), 1)
        self.assertIn("tool", made_up["notifications"][0]["content"])
        own = json_of(self.belfry.post("/v1/subscribers/tool_failure/test", {"events": [
            {"type": "tool.call.failure", "severity": "error",
             "payload": {"tool_name": "grep", "call_id": "c", "error_type": "io", "error_message": "no such file"}},
            {"type": "sensor.read", "payload": {}}]}))
        self.assertIn("no such file", own["notifications"][0]["content"])
        self.assertEqual(own["not_wanted"], 1)
        self.assertEqual(json_of(self.belfry.get("/v1/streams/events"))["data"], before)
        self.assertEqual(self.belfry.post("/v1/subscribers/nobody/test", {}).status, 404)
        self.assert_problem(self.belfry.post("/v1/subscribers/tool_failure/test", {"events": [{"type": ""}]}),
                            422, "invalid", "events")


if __name__ == "__main__":
    unittest.main()
