"""The journal of the client against a scripted server: what it sends, what it repeats, what it makes of answers."""

import json
import unittest

from belfry import BelfryError, Client
from scripted import Scripted
from test_client import answering

WAKE = {"id": 7, "fence": 2, "run_id": 3, "state": "running"}
PAGE = {"data": [], "next": None, "has_more": False}


class Journal(unittest.TestCase):
    def ask(self, status, body, call):
        """The one request that a call makes, as (method, target, body), and what came of it."""
        seen = []
        with Scripted(answering((status, body), seen=seen)) as server:
            client = Client(server.url, "bf_secret", wait=lambda _: None)
            self.addCleanup(client.close)
            result = call(client)
        method, target, _, sent = seen[0]
        return (method, target, json.loads(sent) if sent else None), result

    def test_a_record_is_made_read_changed_and_deleted_under_the_plural_of_its_kind(self):
        sent, made = self.ask(201, {"id": "t"}, lambda client: client.create_record("task", {"title": "x"}, user="ada"))
        self.assertEqual((sent, made), (("POST", "/v1/journal/tasks?user=ada", {"title": "x"}), {"id": "t"}))
        for kind, plural in (("category", "categories"), ("entry", "entries"), ("time_entry", "time_entries"), ("day_plan", "day_plans"),
                             ("checklist_item", "checklist_items"), ("rating", "ratings")):
            sent, _ = self.ask(200, {"id": "r"}, lambda client, kind=kind: client.record(kind, "a/b"))
            self.assertEqual(sent, ("GET", f"/v1/journal/{plural}/a%2Fb", None))
        sent, _ = self.ask(200, {"id": "t"}, lambda client: client.change_record("task", "t", {"due_date": None}, revision=3, wake=WAKE))
        self.assertEqual(sent, ("PATCH", "/v1/journal/tasks/t?wake=7&fence=2", {"due_date": None, "revision": 3}))
        sent, _ = self.ask(200, {"id": "t"}, lambda client: client.delete_record("task", "t", revision=4))
        self.assertEqual(sent[:2], ("DELETE", "/v1/journal/tasks/t?revision=4"))

    def test_lists_name_what_narrows_them(self):
        for call, target in (
                (lambda client: client.records("task", status="open", q="milk", limit=5), "/v1/journal/tasks?limit=5&status=open&q=milk"),
                (lambda client: client.records("time_entry", running=True, categories=["a", "b"]),
                 "/v1/journal/time_entries?categories=a%2Cb&running=true"),
                (lambda client: client.search_journal("milk", kind="task", wake=WAKE), "/v1/journal/search?q=milk&kind=task&wake=7&fence=2"),
                (lambda client: client.record_links(from_id="a", hidden=True), "/v1/journal/links?from=a&hidden=true")):
            self.assertEqual(self.ask(200, PAGE, call)[0], ("GET", target, None))

    def test_a_link_is_put_and_taken_away(self):
        sent, _ = self.ask(201, {}, lambda client: client.link_records("blocked_by", "a/b", "c", metadata={"x": 1}))
        self.assertEqual(sent, ("PUT", "/v1/journal/links/blocked_by/a%2Fb/c", {"metadata": {"x": 1}}))
        sent, _ = self.ask(200, {}, lambda client: client.unlink_records("blocked_by", "a", "b", user="ada"))
        self.assertEqual(sent[:2], ("DELETE", "/v1/journal/links/blocked_by/a/b?user=ada"))

    def test_only_a_record_with_an_id_of_the_callers_is_made_again(self):
        busy = (503, {"code": "unavailable", "detail": "later", "status": 503, "title": "x", "type": "about:blank"})
        for fields, count in (({"id": "t", "title": "x"}, 2), ({"title": "x"}, 1)):
            seen = []
            with Scripted(answering(busy, (201, {"id": "t"}), seen=seen)) as server:
                client = Client(server.url, "bf_secret", wait=lambda _: None)
                self.addCleanup(client.close)
                if count == 1:
                    with self.assertRaises(BelfryError):
                        client.create_record("task", fields)
                else:
                    client.create_record("task", fields)
            self.assertEqual(len(seen), count)


if __name__ == "__main__":
    unittest.main()
