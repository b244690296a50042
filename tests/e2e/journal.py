"""What the tests of the journal share: records and links over HTTP, and what is told of their changes."""

import json
import urllib.parse

from agents import AgentCase
from belfry import eventually, json_of, unique

DAY = "2026-11-16"


def at(hour, minute=0):
    return f"{DAY}T{hour:02}:{minute:02}:00Z"


# Of each kind: one of it, a change, and the token that says what it is. What is in braces is made before it.
KINDS = {
    "categories": ({"name": "Sport", "color": "#3366cc"}, {"name": "Sports"}, "key:CATEGORY"),
    "labels": ({"name": "urgent"}, {"color": "#ff0000"}, "key:LABEL"),
    "entries": ({"type": "workout", "text": "in the rain", "workout_type": "running", "distance_m": 5000, "duration_s": 1800},
                {"text": "in the sun", "energy_kcal": 400}, "key:WORKOUT"),
    "tasks": ({"title": "Buy milk", "priority": "p1", "due_date": DAY, "estimate_min": 15, "language": "de"},
              {"status": "in_progress", "due_date": None}, "key:TASK"),
    "checklists": ({"task_id": "{task}", "title": "Before"}, {"title": "After", "position": 3}, "key:CHECKLIST"),
    "checklist_items": ({"checklist_id": "{checklist}", "title": "Bag"}, {"checked": True}, "key:CHECKLIST_ITEM"),
    "time_entries": ({"task_id": "{task}", "note": "at the shop", "started_at": at(8)}, {"ended_at": at(9)}, "key:TIME_ENTRY"),
    "day_plans": ({"plan_date": DAY, "note": "a calm day",
                   "blocks": [{"id": "b1", "category_id": "general", "start_at": at(8), "end_at": at(9), "note": "milk", "task_id": "{task}"}],
                   "pinned_task_ids": ["{task}"]}, {"note": "a busy day"}, "key:DAY_PLAN"),
    "ratings": ({"target": "day", "target_id": DAY, "score": 4, "note": "good"}, {"score": 5}, "key:RATING"),
}
SINGULAR = {"categories": "category", "entries": "entry", "time_entries": "time_entry"}


def kind_of(plural):
    return SINGULAR.get(plural, plural[:-1])


def quoted(text):
    return urllib.parse.quote(text, safe="")


class JournalCase(AgentCase):
    def ask(self, daemon, method, path, body=None, user="ada", token="admin", **query):
        query = {"user": user, **query} if user else query
        text = urllib.parse.urlencode(query)
        return daemon.request(method, f"/v1/journal{path}" + ("?" + text if text else ""), body, token=token)

    def must(self, status, *words, **more):
        answer = self.ask(*words, **more)
        self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def make(self, daemon, plural, status=201, user="ada", token="admin", query=None, **members):
        return self.must(status, daemon, "POST", f"/{plural}", members, user=user, token=token, **(query or {}))

    def read(self, daemon, plural, name, status=200, **more):
        return self.must(status, daemon, "GET", f"/{plural}/{quoted(name)}", **more)

    def change(self, daemon, plural, name, status=200, user="ada", token="admin", query=None, **members):
        return self.must(status, daemon, "PATCH", f"/{plural}/{quoted(name)}", members, user=user, token=token, **(query or {}))

    def remove(self, daemon, plural, name, status=200, **more):
        return self.must(status, daemon, "DELETE", f"/{plural}/{quoted(name)}", **more)

    def page(self, daemon, plural, **query):
        return self.must(200, daemon, "GET", f"/{plural}", **query)

    def all(self, daemon, plural, **query):
        """The ids of a whole list, page by page."""
        found, after = [], {}
        while True:
            page = self.page(daemon, plural, **query, **after)
            found += [one.get("id") for one in page["data"]]
            if not page["has_more"]:
                return found
            after = {"after": page["next"]}

    def link(self, daemon, relation, begin, end, status=201, user="ada", token="admin", query=None, **members):
        return self.must(status, daemon, "PUT", f"/links/{relation}/{quoted(begin)}/{quoted(end)}", members, user=user, token=token,
                         **(query or {}))

    def unlink(self, daemon, relation, begin, end, status=200, **more):
        return self.must(status, daemon, "DELETE", f"/links/{relation}/{quoted(begin)}/{quoted(end)}", **more)

    def filled(self, daemon, plural, user):
        """One of a kind as it is asked for, with what it belongs to made before it."""
        members = json.dumps(KINDS[plural][0])
        if "{task}" in members or "{checklist}" in members:
            task = self.make(daemon, "tasks", user=user, title="Buy milk")["id"]
            members = members.replace("{task}", task)
            if "{checklist}" in members:
                members = members.replace("{checklist}", self.make(daemon, "checklists", user=user, task_id=task, title="Before")["id"])
        members = json.loads(members)
        if plural == "day_plans":
            self.make(daemon, "tasks", user=user, title="so that there is the category general")
        if plural not in ("day_plans", "ratings"):
            members["id"] = unique("r")
        return members

    def export(self, daemon, user="ada", **query):
        """The whole of it as bytes, page by page."""
        found, after = b"", {}
        while True:
            answer = self.ask(daemon, "GET", "/export", user=user, **query, **after)
            self.assertEqual(answer.status, 200, answer.body)
            self.assertEqual(answer.headers["content-type"], "application/x-ndjson")
            found += answer.body
            if not answer.headers["belfry-next"]:
                return found
            after = {"after": answer.headers["belfry-next"]}

    def take_in(self, daemon, lines, user="ada"):
        answer = daemon.post(f"/v1/journal/import?user={user}", lines, headers={"Content-Type": "application/x-ndjson"})
        self.assertEqual(answer.status, 200, answer.body)
        return json_of(answer)

    # -- changes -------------------------------------------------------------------------------------------------

    def batches(self, daemon, user="ada"):
        names = {one["name"] for one in json_of(daemon.get("/v1/streams?limit=1000"))["data"]}
        return [entry["event"] for entry in daemon.entries(f"changes:{user}")] if f"changes:{user}" in names else []

    def changes(self, daemon, user="ada"):
        return [change for batch in self.batches(daemon, user) for change in batch["changes"]]

    def changes_of(self, daemon, name, user="ada"):
        return [change for change in self.changes(daemon, user) if change["id"] == name]

    def told(self, daemon, name, count=1, user="ada"):
        return eventually(f"{count} changes of {name}", lambda: len(self.changes_of(daemon, name, user)) >= count
                          and self.changes_of(daemon, name, user))

    def watch(self, daemon, agent, *tokens, window_ms=0, **members):
        answer = daemon.post(f"/v1/agents/{agent}/subscriptions", {"tokens": list(tokens), "window_ms": window_ms, **members})
        self.assertEqual(answer.status, 200, answer.body)
        return json_of(answer)

    def held(self, grant):
        """The claim as a request of the journal names it."""
        return {"wake": grant["wake"]["id"], "fence": grant["wake"]["fence"]}
