"""The journal from the outside: records of every kind, links, lists, search, export and import."""

import json
import unittest

import belfry
import schema
from belfry import json_of, unique
from journal import DAY, KINDS, JournalCase, at, kind_of


class Records(JournalCase, belfry.SharedCase):
    def test_of_every_kind_are_as_they_are_described(self):
        schemas = schema.Schemas(json_of(self.belfry.get("/openapi.json")))
        user = unique("u")
        for plural, (_, wish, _) in KINDS.items():
            name = "Journal" + "".join(word.capitalize() for word in kind_of(plural).split("_"))
            members = self.filled(self.belfry, plural, user)
            made = self.make(self.belfry, plural, user=user, **members)
            page = self.page(self.belfry, plural, user=user, limit=1)
            for described, value in ((name + "Input", members), (name + "Patch", {**wish, "revision": 1}), (name, made), (name + "List", page),
                                     ("JournalRecord", made), ("JournalList", page)):
                self.assertEqual(schemas.named(described, value), [], f"{described}: {value}")
            self.assertTrue(schemas.named(name + "Input", {**members, "titel": "x"}), "what is not known is not described")
            self.assertTrue(schemas.named(name, {key: value for key, value in made.items() if key != "revision"}))
        a, b = (self.make(self.belfry, "tasks", user=user, title=title)["id"] for title in "ab")
        self.assertEqual(schemas.named("JournalLink", self.link(self.belfry, "next", a, b, user=user)), [])
        self.assertEqual(schemas.named("JournalLinkList", self.must(200, self.belfry, "GET", "/links", user=user, to=b)), [])
        self.make(self.belfry, "time_entries", 409, user=user)
        self.assertEqual(schemas.named("JournalOverview", self.must(200, self.belfry, "GET", "", user=user)), [])
        self.assertEqual(schemas.named("JournalImported", self.take_in(self.belfry, self.export(self.belfry, user), user)), [])

    def test_of_every_kind_have_a_life(self):
        for plural, (_, wish, token) in KINDS.items():
            with self.subTest(plural):
                user = unique("u")
                members = self.filled(self.belfry, plural, user)
                made = self.make(self.belfry, plural, user=user, **members)
                name = made["id"]
                self.assertEqual((made["kind"], made["revision"], made["user_id"], made["deleted_at"]), (kind_of(plural), 1, user, None))
                self.assertEqual({key: made[key] for key in members}, members)
                self.assertEqual(made["category_id"], name if plural == "categories" else "general")
                self.assertEqual(self.make(self.belfry, plural, 200, user=user, **members), made, "one like it is there")
                self.assertEqual(self.read(self.belfry, plural, name, user=user), made)
                self.assertIn(name, self.all(self.belfry, plural, user=user))

                changed = self.change(self.belfry, plural, name, user=user, revision=1, **wish)
                self.assertEqual(changed["revision"], 2)
                self.assertEqual({key: changed[key] for key in wish}, wish)
                self.assertGreaterEqual(changed["updated_at"], made["updated_at"])
                self.assertEqual(changed["created_at"], made["created_at"])
                for again in (self.change(self.belfry, plural, name, user=user, revision=2, **wish),
                              self.change(self.belfry, plural, name, user=user)):
                    self.assertEqual(again, changed, "what changes nothing is no change")
                for answer in (self.ask(self.belfry, "PATCH", f"/{plural}/{name}", {"revision": 1, **wish}, user=user),
                               self.ask(self.belfry, "DELETE", f"/{plural}/{name}", user=user, revision=1)):
                    problem = self.assert_problem(answer, 409, "conflict", "revision", says="2")
                    self.assertEqual((problem["reason"], problem["current_revision"]), ("stale_revision", 2))

                gone = self.remove(self.belfry, plural, name, user=user, revision=2)
                self.assertEqual((gone["revision"], gone["deleted_at"] is None), (3, False))
                self.assertEqual({key: gone[key] for key in wish}, wish, "a tombstone keeps what it had")
                self.assertNotIn(name, self.all(self.belfry, plural, user=user))
                self.read(self.belfry, plural, name, 410, user=user)
                self.change(self.belfry, plural, name, 410, user=user, **wish)
                self.remove(self.belfry, plural, name, 410, user=user)
                self.make(self.belfry, plural, 410, user=user, **members)

                changes = self.told(self.belfry, name, 3, user)
                self.assertEqual(len(changes), 3, "one each")
                for change in changes:
                    self.assertEqual((change["kind"], change["origin"]), (kind_of(plural), "user"))
                    self.assertIn(token, change["tokens"])
                    self.assertIn(f"id:{name}", change["tokens"])

    def test_are_refused_by_the_field_that_is_wrong(self):
        for plural, members, field in (
                ("tasks", {"titel": "x"}, "titel"), ("tasks", {}, "title"), ("tasks", {"title": ""}, "title"),
                ("tasks", {"title": "x", "due_date": "2026-02-30"}, "due_date"), ("tasks", {"title": "x", "priority": "p9"}, "priority"),
                ("tasks", {"title": "x", "category_id": "nowhere"}, "category_id"),
                ("tasks", {"title": "x", "label_ids": ["nothing"]}, "label_ids"),
                ("checklists", {"task_id": "nothing", "title": "x"}, "task_id"), ("labels", {"name": "x", "color": "red"}, "color"),
                ("entries", {"type": "text", "workout_type": "running"}, "workout_type"),
                ("ratings", {"target": "day", "target_id": DAY, "score": 6}, "score"),
                ("ratings", {"target": "day", "target_id": DAY, "score": 1, "id": "mine"}, "id"),
                ("day_plans", {"plan_date": DAY, "blocks": [{"start_at": at(8)}]}, "blocks[0]"),
                ("tasks", {"title": "x", "extension": {"plain": 1}}, "extension")):
            with self.subTest(f"{plural} {members}"):
                answer = self.ask(self.belfry, "POST", f"/{plural}", members, user=unique("u"))
                self.assertEqual(answer.status, 422, answer.body)
                self.assertEqual(json_of(answer)["field"], field, answer.body)
        answer = self.ask(self.belfry, "POST", "/tasks", {"titel": "x"})
        self.assertIn("did you mean title?", json_of(answer)["detail"])
        self.assert_problem(self.ask(self.belfry, "GET", "/tasks", sate="done"), 422, "invalid", "sate")
        self.assert_problem(self.ask(self.belfry, "GET", "/labels", status="done"), 422, "invalid", "status")

    def test_have_an_id_that_is_nobody_elses_among_those_of_one_person(self):
        user, other, name = unique("u"), unique("u"), unique("r")
        self.make(self.belfry, "tasks", user=user, id=name, title="x")
        problem = self.make(self.belfry, "labels", 409, user=user, id=name, name="x")
        self.assertEqual(problem["reason"], "taken")
        self.make(self.belfry, "labels", user=other, id=name, name="x")
        self.read(self.belfry, "labels", name, 404, user=user)
        self.read(self.belfry, "tasks", name, 404, user=other)

    def test_of_which_there_is_one_only_are_taken_and_name_it(self):
        user = unique("u")
        self.make(self.belfry, "day_plans", user=user, plan_date=DAY)
        problem = self.make(self.belfry, "day_plans", 409, user=user, plan_date=DAY, note="another")
        self.assertEqual(problem["reason"], "taken")
        self.assertIn(f"day_plan:{DAY}", problem["detail"])
        self.make(self.belfry, "time_entries", user=user, started_at=at(8))
        self.assertEqual(self.make(self.belfry, "time_entries", 409, user=user, started_at=at(9))["reason"], "running")

    def test_leave_the_ids_free_that_belfry_needs(self):
        user = unique("u")
        for plural, members in (("tasks", {"id": "general", "title": "x"}), ("tasks", {"id": "day_plan:2026-12-24", "title": "x"}),
                                ("labels", {"id": "rating:day:2026-12-24", "name": "x"}), ("categories", {"id": "a,b", "name": "x"})):
            self.assertEqual(self.make(self.belfry, plural, 422, user=user, **members)["field"], "id", members)
        self.make(self.belfry, "tasks", user=user, id="t", title="x")
        self.remove(self.belfry, "tasks", "t", user=user)
        self.assertEqual(self.remove(self.belfry, "categories", "general", 409, user=user)["reason"], "needed")

    def test_of_another_person_are_not_there(self):
        token, _ = self.belfry.mint("user", user_id="bob")
        task = self.make(self.belfry, "tasks", title="ada's")["id"]
        for method, body in (("GET", None), ("PATCH", {"title": "x"}), ("DELETE", None)):
            for user in ("ada", None):
                answer = self.ask(self.belfry, method, f"/tasks/{task}", body, user=user, token=token)
                self.assert_problem(answer, 404, "not_found", json_of(answer).get("field"))
        self.assertEqual(self.ask(self.belfry, "GET", "/tasks", user="ada", token=token).status, 404)
        self.assertEqual(self.ask(self.belfry, "POST", "/tasks", {"title": "x"}, user="ada", token=token).status, 404)
        self.assertEqual(self.page(self.belfry, "tasks", user=None, token=token)["data"], [])
        self.assertEqual(self.read(self.belfry, "tasks", task)["title"], "ada's")

    def test_go_and_move_with_what_they_belong_to(self):
        user = unique("u")
        self.make(self.belfry, "categories", user=user, id="gym", name="Gym")
        task = self.make(self.belfry, "tasks", user=user, title="Squats")["id"]
        checklist = self.make(self.belfry, "checklists", user=user, task_id=task, title="Before")["id"]
        item = self.make(self.belfry, "checklist_items", user=user, checklist_id=checklist, title="Warm up")["id"]
        spent = self.make(self.belfry, "time_entries", user=user, task_id=task, started_at=at(8), ended_at=at(9))["id"]
        self.change(self.belfry, "tasks", task, user=user, category_id="gym")
        everything = (("tasks", task), ("checklists", checklist), ("checklist_items", item), ("time_entries", spent))
        for plural, name in everything:
            record = self.read(self.belfry, plural, name, user=user)
            self.assertEqual((record["category_id"], record["revision"]), ("gym", 2), plural)
            move = self.told(self.belfry, name, 2, user)
            self.assertEqual(len(move), 2)
            self.assertLessEqual({"sub:category/general", "sub:category/gym"}, set(move[1]["tokens"]))
        self.assertEqual(self.remove(self.belfry, "categories", "gym", 409, user=user)["reason"], "not_empty")
        self.remove(self.belfry, "tasks", task, user=user)
        for plural, name in everything[:3]:
            self.read(self.belfry, plural, name, 410, user=user)
        for _, name in everything[:3]:
            self.assertEqual(len(self.told(self.belfry, name, 3, user)), 3)

    def test_with_a_strange_id_are_found_by_it(self):
        user = unique("u")
        for name in ("a/b c", "ü?&=#%", "x" * 180, "day:1'\"\\"):
            with self.subTest(name):
                made = self.make(self.belfry, "tasks", user=user, id=name, title="x")
                self.assertEqual(self.read(self.belfry, "tasks", name, user=user), made)
                self.assertEqual(self.change(self.belfry, "tasks", name, user=user, title="y")["revision"], 2)


class Links(JournalCase, belfry.SharedCase):
    def links(self, user, **query):
        return [(one["relation"], one["from_id"], one["to_id"]) for one in
                self.must(200, self.belfry, "GET", "/links", user=user, **query)["data"]]

    def test_have_a_life(self):
        user = unique("u")
        a, b = (self.make(self.belfry, "tasks", user=user, title=title)["id"] for title in "ab")
        for relation in ("blocked_by", "follow_up", "ai_response", "x" * 64):
            with self.subTest(relation):
                made = self.link(self.belfry, relation, a, b, user=user, metadata={"why": "milk"})
                self.assertEqual((made["kind"], made["revision"], made["metadata"], made["hidden"]), ("link", 1, {"why": "milk"}, False))
                self.assertEqual(self.link(self.belfry, relation, a, b, 200, user=user, metadata={"why": "milk"}), made)
                changed = self.link(self.belfry, relation, a, b, 200, user=user, hidden=True)
                self.assertEqual((changed["revision"], changed["hidden"], changed["metadata"]), (2, True, {}))
                self.assertNotIn((relation, a, b), self.links(user, **{"from": a}))
                self.assertIn((relation, a, b), self.links(user, **{"from": a}, hidden="true"))
                self.assertEqual(self.unlink(self.belfry, relation, a, b, user=user)["revision"], 3)
                self.unlink(self.belfry, relation, a, b, 410, user=user)
                self.link(self.belfry, relation, a, b, 410, user=user)
                self.assertEqual(self.links(user, **{"from": a}, hidden="true"), [])
        links = lambda: [one for one in self.changes(self.belfry, user) if one["kind"] == "link"]
        belfry.eventually("all of them are told", lambda: len(links()) == 12)
        told = links()
        self.assertLessEqual({"key:LINK", "sub:link.relation/blocked_by", f"id:{a}", f"id:{b}"}, set(told[0]["tokens"]))
        self.assertEqual(len({one["id"] for one in told}), 4)

    def test_are_found_from_either_end_and_by_relation(self):
        user = unique("u")
        a, b, c = (self.make(self.belfry, "tasks", user=user, title=title)["id"] for title in "abc")
        for relation, begin, end in (("blocked_by", a, b), ("follow_up", a, b), ("blocked_by", a, c), ("blocked_by", b, c)):
            self.link(self.belfry, relation, begin, end, user=user)
        self.assertEqual(set(self.links(user, **{"from": a})), {("blocked_by", a, b), ("blocked_by", a, c), ("follow_up", a, b)})
        self.assertEqual(self.links(user, **{"from": a}, relation="follow_up"), [("follow_up", a, b)])
        self.assertEqual(set(self.links(user, to=c)), {("blocked_by", a, c), ("blocked_by", b, c)})
        self.assertEqual(set(self.links(user, **{"from": a}, to=b)), {("blocked_by", a, b), ("follow_up", a, b)})
        found, after = [], {}
        while True:
            page = self.must(200, self.belfry, "GET", "/links", user=user, limit=1, **{"from": a}, **after)
            found += [(one["relation"], one["to_id"]) for one in page["data"]]
            if not page["has_more"]:
                break
            after = {"after": page["next"]}
        self.assertEqual(found, sorted([("blocked_by", b), ("blocked_by", c), ("follow_up", b)]))
        self.remove(self.belfry, "tasks", c, user=user)
        self.assertEqual(set(self.links(user, **{"from": a})), {("blocked_by", a, b), ("follow_up", a, b)}, "not where an end is deleted")
        self.assertEqual(self.ask(self.belfry, "GET", "/links", user=user).status, 422)

    def test_go_between_two_live_records_of_one_person_by_a_relation_of_his(self):
        user, other = unique("u"), unique("u")
        a, b, gone = (self.make(self.belfry, "tasks", user=user, title=title)["id"] for title in "abc")
        strange = self.make(self.belfry, "tasks", user=other, title="x")["id"]
        self.remove(self.belfry, "tasks", gone, user=user)
        for end in (strange, gone, "nothing"):
            self.assertEqual(self.link(self.belfry, "blocked_by", a, end, 422, user=user)["field"], "to_id")
            self.assertEqual(self.link(self.belfry, "blocked_by", end, a, 422, user=user)["field"], "from_id")
        self.assertEqual(self.link(self.belfry, "blocked_by", a, a, 422, user=user)["field"], "to_id")
        for relation in ("agent_state", "message_prev", "tool_effect", "Blocked", "x" * 65, "1st"):
            self.assertEqual(self.link(self.belfry, relation, a, b, 422, user=user)["field"], "relation", relation)
        self.assertEqual(self.link(self.belfry, "x", a, b, 422, user=user, metadata={"a": "x" * 5000})["field"], "metadata")
        self.assertEqual(self.link(self.belfry, "x", a, b, 422, user=user, hiden=True)["field"], "hiden")


class Lists(JournalCase, belfry.SharedCase):
    def test_are_narrowed_by_what_their_kind_has(self):
        user = unique("u")
        self.make(self.belfry, "categories", user=user, id="gym", name="Gym")
        label = self.make(self.belfry, "labels", user=user, name="urgent")["id"]
        task = lambda **members: self.make(self.belfry, "tasks", user=user, **members)["id"]
        milk = task(title="Buy milk", due_date="2026-11-18", label_ids=[label])
        squats = task(title="Squats", category_id="gym", due_date="2026-11-16", status="in_progress")
        bread = task(title="Buy bread", due_date="2026-11-16", status="done")
        cheese = task(title="Buy cheese", due_date="2026-11-17")
        tasks = lambda **query: self.all(self.belfry, "tasks", user=user, **query)
        self.assertEqual(tasks(), [cheese, bread, squats, milk], "newest first")
        self.assertEqual(tasks(category="gym"), [squats])
        self.assertEqual(tasks(status="done"), [bread])
        self.assertEqual(tasks(status="in_progress,done"), [bread, squats], "any of these, newest first")
        self.assertEqual(tasks(status="open,in_progress", limit=1), [cheese, squats, milk])
        self.assertEqual(tasks(status="open,done", q="bu"), [cheese, bread, milk])
        self.assertEqual(tasks(status="done,blocked", q="bu", limit=1), [bread], "beside a beginning of a word")
        self.assertEqual(tasks(status="in_progress,done", due_to="2026-11-17"), [squats], "and a due date")
        self.assertEqual(tasks(status="open,in_progress", category="gym"), [squats])
        for wrong in ("open,", "open,finished", ","):
            self.assert_problem(self.ask(self.belfry, "GET", "/tasks", user=user, status=wrong), 422, "invalid", "status")
        self.assertEqual(tasks(label=label), [milk])
        self.assertEqual(tasks(q="buy"), [cheese, bread, milk])
        self.assertEqual(tasks(q="BUY che"), [cheese], "the last word may be a beginning")
        self.assertEqual(tasks(q="bu cheese"), [], "another one may not")
        self.assertEqual(tasks(q="buy", status="open", category="general"), [cheese, milk])
        self.assertEqual(tasks(due_from="2026-11-16"), [squats, cheese, milk], "by due date, what is not closed")
        self.assertEqual(tasks(due_from="2026-11-17", due_to="2026-11-17"), [cheese])
        self.assertEqual(tasks(due_to="2026-11-17", limit=1), [squats, cheese])
        self.change(self.belfry, "tasks", milk, user=user, label_ids=[], title="Buy oats", status="done")
        self.assertEqual((tasks(label=label), tasks(q="milk"), tasks(q="oat"), tasks(due_from="2026-11-18")), ([], [], [milk], []))

        checklist = self.make(self.belfry, "checklists", user=user, task_id=squats, title="x")["id"]
        item = self.make(self.belfry, "checklist_items", user=user, checklist_id=checklist, title="y")["id"]
        self.assertEqual(self.all(self.belfry, "checklists", user=user, task=squats), [checklist])
        self.assertEqual(self.all(self.belfry, "checklists", user=user, task=milk), [])
        self.assertEqual(self.all(self.belfry, "checklist_items", user=user, checklist=checklist), [item])
        running = self.make(self.belfry, "time_entries", user=user, task_id=squats, started_at=at(8))["id"]
        past = self.make(self.belfry, "time_entries", user=user, started_at=at(6), ended_at=at(7))["id"]
        self.assertEqual(self.all(self.belfry, "time_entries", user=user, running="true"), [running])
        self.assertEqual(self.all(self.belfry, "time_entries", user=user, task=squats), [running])
        self.assertEqual(self.all(self.belfry, "time_entries", user=user), [past, running])
        between = lambda **moments: self.all(self.belfry, "time_entries", user=user, limit=1, **moments)
        self.assertEqual(between(**{"from": at(6), "to": at(7)}), [past])
        self.assertEqual(between(**{"from": at(7)}), [running], "what ends when it begins is over; what runs is not")
        self.assertEqual((between(to=at(8)), between(to=at(6))), ([past], []))
        self.assert_problem(self.ask(self.belfry, "GET", "/time_entries", user=user, to="noon"), 422, "invalid", "to")
        for kind in ("text", "audio", "workout", "ai_response"):
            made = self.make(self.belfry, "entries", user=user, type=kind, text="x")["id"]
            self.assertEqual(self.all(self.belfry, "entries", user=user, type=kind), [made])
        self.make(self.belfry, "day_plans", user=user, plan_date=DAY)
        self.assertEqual(self.all(self.belfry, "day_plans", user=user, date=DAY), [f"day_plan:{DAY}"])
        self.assertEqual(self.all(self.belfry, "day_plans", user=user, date="2026-11-17"), [])
        self.make(self.belfry, "ratings", user=user, target="session", target_id=past, score=3)
        self.make(self.belfry, "ratings", user=user, target="productivity", target_id=DAY, score=2)
        self.assertEqual(self.all(self.belfry, "ratings", user=user, target="session"), [f"rating:session:{past}"])
        self.assertEqual(self.all(self.belfry, "ratings", user=user, target_id=DAY), [f"rating:productivity:{DAY}"])

    def test_are_read_page_by_page_while_they_grow(self):
        user = unique("u")
        made = [self.make(self.belfry, "tasks", user=user, title=f"number {number}")["id"] for number in range(25)]
        self.assertEqual(self.all(self.belfry, "tasks", user=user, limit=7), made[::-1])
        first = self.page(self.belfry, "tasks", user=user, limit=10)
        self.assertEqual((first["has_more"], len(first["data"])), (True, 10))
        self.make(self.belfry, "tasks", user=user, title="one more")
        second = self.page(self.belfry, "tasks", user=user, limit=10, after=first["next"])
        self.assertEqual([one["id"] for one in second["data"]], made[::-1][10:20])
        self.assertEqual(len(self.page(self.belfry, "tasks", user=user, limit=26)["data"]), 26)
        self.assertFalse(self.page(self.belfry, "tasks", user=user, limit=26)["has_more"])
        for wrong in ({"after": "x"}, {"limit": 0}, {"limit": 1001}):
            self.assertEqual(self.ask(self.belfry, "GET", "/tasks", user=user, **wrong).status, 422, wrong)

    def test_of_a_search_hold_what_has_all_the_words_whatever_its_kind(self):
        user = unique("u")
        task = self.make(self.belfry, "tasks", user=user, title="Müsli kaufen", text="beim Bäcker")["id"]
        entry = self.make(self.belfry, "entries", user=user, text="Heute Müsli gegessen")["id"]
        label = self.make(self.belfry, "labels", user=user, name="Müslix")["id"]
        search = lambda **query: [one["id"] for one in self.must(200, self.belfry, "GET", "/search", user=user, **query)["data"]]
        self.assertEqual(search(q="müsli"), [label, entry, task])
        self.assertEqual(search(q="MÜSLI "), [label, entry, task])
        self.assertEqual(search(q="gegessen müsli"), [entry])
        self.assertEqual(search(q="müsli", kind="task"), [task])
        self.assertEqual(search(q="bäcker"), [task])
        self.assertEqual(search(q="nichts"), [])
        self.assertEqual(search(q="müsli", category="gym"), [])
        self.remove(self.belfry, "entries", entry, user=user)
        self.assertEqual(search(q="müsli"), [label, task])
        self.assertEqual(self.ask(self.belfry, "GET", "/search", user=user).status, 422)
        self.assertEqual(self.ask(self.belfry, "GET", "/search", user=user, q="!!!").status, 422)
        self.assertEqual(self.ask(self.belfry, "GET", "/search", user=user, q="x", kind="fish").status, 422)

    def test_of_what_there_is_tell_of_the_timer_that_runs(self):
        user = unique("u")
        self.assertEqual(self.must(200, self.belfry, "GET", "", user=user), {"enabled": True, "holds_anything": False, "running": None})
        timer = self.make(self.belfry, "time_entries", user=user, started_at=at(8))
        self.assertEqual(self.must(200, self.belfry, "GET", "", user=user), {"enabled": True, "holds_anything": True, "running": timer})
        self.change(self.belfry, "time_entries", timer["id"], user=user, ended_at=at(9))
        self.assertIsNone(self.must(200, self.belfry, "GET", "", user=user)["running"])


class Boundaries(JournalCase, belfry.SharedCase):
    def two_categories(self, user):
        for name in ("gym", "work"):
            self.make(self.belfry, "categories", user=user, id=name, name=name)
        return [self.make(self.belfry, "tasks", user=user, title=f"{name} report", category_id=name)["id"] for name in ("gym", "work")]

    def test_narrow_every_read(self):
        user = unique("u")
        gym, work = self.two_categories(user)
        self.make(self.belfry, "tasks", user=user, title="somewhere else report")
        plan = {"plan_date": DAY, "category_id": "gym", "pinned_task_ids": [gym, work], "blocks": [
            {"id": "b1", "category_id": "gym", "start_at": at(8), "end_at": at(9), "task_id": work},
            {"id": "b2", "category_id": "work", "start_at": at(9), "end_at": at(10), "task_id": gym}]}
        self.make(self.belfry, "day_plans", user=user, **plan)
        self.link(self.belfry, "blocked_by", gym, work, user=user)
        only = {"user": user, "categories": "gym"}
        self.assertEqual(self.all(self.belfry, "tasks", **only), [gym])
        self.assertEqual(self.all(self.belfry, "tasks", user=user, categories="gym,work"), [work, gym])
        self.assertEqual(self.all(self.belfry, "tasks", **only, category="work"), [])
        self.assertEqual(self.all(self.belfry, "tasks", **only, q="report"), [gym])
        self.assertEqual(self.all(self.belfry, "search", **only, q="report"), [gym])
        self.assertEqual(self.all(self.belfry, "categories", **only), ["gym"])
        self.read(self.belfry, "tasks", work, 404, **only)
        self.read(self.belfry, "tasks", gym, 200, **only)
        self.assertEqual(self.must(200, self.belfry, "GET", "/links", **only, **{"from": gym})["data"], [])
        self.assertEqual(len(self.must(200, self.belfry, "GET", "/links", user=user, categories="gym,work", **{"from": gym})["data"]), 1)
        for shown in (self.read(self.belfry, "day_plans", f"day_plan:{DAY}", **only), self.page(self.belfry, "day_plans", **only)["data"][0],
                      self.page(self.belfry, "day_plans", **only, date=DAY)["data"][0]):
            self.assertEqual([(one["id"], one["task_id"]) for one in shown["blocks"]], [("b1", None)])
            self.assertEqual(shown["pinned_task_ids"], [gym])
        lines = [json.loads(line) for line in self.export(self.belfry, user, categories="gym").splitlines()]
        self.assertEqual({one["category_id"] for one in lines if one["kind"] != "link"}, {"gym"})
        self.assertEqual([one for one in lines if one["kind"] == "link"], [])
        self.assertEqual(self.ask(self.belfry, "GET", "/tasks", user=user, categories="").status, 422)

    def test_hide_what_records_of_others_are_named(self):
        user = unique("u")
        gym, work = self.two_categories(user)
        source = self.make(self.belfry, "entries", user=user, category_id="work", text="Recording")["id"]
        hidden_list = self.make(self.belfry, "checklists", user=user, task_id=work, title="Hidden")["id"]
        made = {"checklists": self.make(self.belfry, "checklists", user=user, category_id="gym", task_id=work, title="Steps")["id"],
                "checklist_items": self.make(self.belfry, "checklist_items", user=user, category_id="gym", checklist_id=hidden_list, title="Bag")["id"],
                "time_entries": self.make(self.belfry, "time_entries", user=user, category_id="gym", task_id=work, source_entry_id=source,
                                          started_at=at(8), ended_at=at(9))["id"]}
        hidden_time = self.make(self.belfry, "time_entries", user=user, task_id=work, started_at=at(8), ended_at=at(9))["id"]
        rating = self.make(self.belfry, "ratings", user=user, category_id="gym", target="session", target_id=hidden_time, score=3)["id"]
        agent = self.agent(self.belfry, user_id=user, allowed_category_ids=["gym"])
        self.wake_now(self.belfry, agent)
        claim = self.held(self.claim_soon(self.belfry, agent))
        for scope in ({"user": user, "categories": "gym"}, {"user": user, **claim}):
            shown = [self.read(self.belfry, plural, name, **scope) for plural, name in made.items()]
            shown += [self.page(self.belfry, plural, **scope) for plural in (*made, "ratings")]
            shown += [self.page(self.belfry, "search", **scope, q="steps"), self.export(self.belfry, **scope).decode()]
            for text in map(str, shown):
                for name in (work, source, hidden_list, hidden_time):
                    self.assertNotIn(name, text)
            self.read(self.belfry, "ratings", rating, 404, **scope)
            self.assertEqual(self.all(self.belfry, "checklists", **scope, task=work), [], "nor is it found by it")
            self.assertEqual(self.all(self.belfry, "checklists", **scope), [made["checklists"]])
        answer = self.change(self.belfry, "time_entries", made["time_entries"], user=user, query=claim, note="More", task_id=None)
        self.assertEqual((answer["note"], answer["task_id"]), ("More", None))
        self.assertEqual(self.read(self.belfry, "time_entries", made["time_entries"], user=user)["task_id"], work, "it stays")
        self.assertIsNone(self.change(self.belfry, "checklists", made["checklists"], user=user, query=claim, title="More")["task_id"])
        self.change(self.belfry, "checklists", made["checklists"], 422, user=user, query=claim, task_id=work)
        self.change(self.belfry, "ratings", rating, 404, user=user, query=claim, score=1)

    def test_hold_for_an_agent_that_works_under_its_claim(self):
        user = unique("u")
        gym, work = self.two_categories(user)
        agent = self.agent(self.belfry, user_id=user, allowed_category_ids=["gym"])
        token, _ = self.belfry.mint("agent", bounds={"users": [user]})
        self.wake_now(self.belfry, agent)
        grant = self.claim_soon(self.belfry, agent, token=token)
        claim = self.held(grant)
        mine = {"user": None, "token": token, **claim}
        self.assertEqual(self.all(self.belfry, "tasks", **mine), [gym])
        self.assertEqual(self.all(self.belfry, "tasks", **mine, categories="work,gym"), [gym])
        self.read(self.belfry, "tasks", work, 404, **mine)
        writes = {"user": None, "token": token, "query": claim}
        made = self.make(self.belfry, "tasks", **writes, title="Lunges", category_id="gym")
        self.assertEqual([one["origin"] for one in self.told(self.belfry, made["id"], 1, user)], [f"agent:{agent}"])
        self.change(self.belfry, "tasks", gym, **writes, status="done")
        self.assertEqual(self.told(self.belfry, gym, 2, user)[1]["origin"], f"agent:{agent}")
        for problem in (self.make(self.belfry, "tasks", 403, **writes, title="x", category_id="work"),
                        self.change(self.belfry, "tasks", gym, 403, **writes, category_id="work")):
            self.assertEqual(problem["reason"], "out_of_scope", problem)
        for attempt in (lambda name: self.change(self.belfry, "tasks", name, 404, **writes, status="done"),
                        lambda name: self.remove(self.belfry, "tasks", name, 404, **mine),
                        lambda name: self.link(self.belfry, "blocked_by", gym, name, 422, **writes),
                        lambda name: self.unlink(self.belfry, "blocked_by", gym, name, 404, **mine),
                        lambda name: self.make(self.belfry, "checklists", 422, **writes, task_id=name, title="x")):
            hidden, missing = (json.dumps({**attempt(name), "request_id": ""}).replace(name, "ID") for name in (work, "nobody"))
            self.assertEqual(hidden, missing, "it cannot be told from one that is not there")
        taken = self.make(self.belfry, "tasks", 409, **writes, id=work, title="x", category_id="gym")
        self.assertEqual((taken["reason"], "work report" in json.dumps(taken)), ("taken", False))
        self.link(self.belfry, "follow_up", gym, made["id"], **writes)
        self.unlink(self.belfry, "follow_up", gym, made["id"], **mine)
        self.remove(self.belfry, "tasks", made["id"], **mine)
        self.assertEqual(self.ask(self.belfry, "GET", "/tasks", user=user, token=token).status, 403, "without a claim")
        self.assertEqual(self.ask(self.belfry, "POST", "/tasks", {"title": "x"}, user=user, token=token).status, 403)
        self.assertEqual(self.ask(self.belfry, "GET", "/tasks", token=token, user=None, wake=claim["wake"]).status, 422)
        stale = {**claim, "fence": claim["fence"] + 1}
        self.assertEqual(self.must(409, self.belfry, "GET", "/tasks", user=None, token=token, **stale)["reason"], "stale_claim")
        self.assertEqual(self.make(self.belfry, "tasks", 409, user=None, token=token, query=stale, title="x")["reason"], "stale_claim")
        self.end(self.belfry, grant)
        self.assertEqual(self.must(409, self.belfry, "GET", "/tasks", **mine)["reason"], "stale_claim")
        self.assertEqual(self.change(self.belfry, "tasks", gym, 409, **writes, status="open")["reason"], "stale_claim")

    def test_keep_of_a_plan_what_the_agent_that_changes_it_was_not_shown(self):
        user = unique("u")
        gym, work = self.two_categories(user)
        blocks = [{"id": "b1", "category_id": "work", "start_at": at(8), "end_at": at(9), "note": "Secret", "task_id": work},
                  {"id": "b2", "category_id": "gym", "start_at": at(9), "end_at": at(10), "note": None, "task_id": work}]
        plan = self.make(self.belfry, "day_plans", user=user, plan_date=DAY, category_id="gym", blocks=blocks,
                         pinned_task_ids=[work, gym])["id"]
        agent = self.agent(self.belfry, user_id=user, allowed_category_ids=["gym"])
        self.wake_now(self.belfry, agent)
        claim = self.held(self.claim_soon(self.belfry, agent))
        seen = self.read(self.belfry, "day_plans", plan, user=user, **claim)
        self.assertEqual(self.change(self.belfry, "day_plans", plan, user=user, query=claim, blocks=seen["blocks"],
                                     pinned_task_ids=seen["pinned_task_ids"])["revision"], 1, "nothing was changed")
        added = {"id": "b3", "category_id": "gym", "start_at": at(11), "end_at": at(12)}
        answer = self.change(self.belfry, "day_plans", plan, user=user, query=claim, blocks=[*seen["blocks"], added],
                             pinned_task_ids=[])
        self.assertEqual([one["id"] for one in answer["blocks"]], ["b2", "b3"])
        self.assertNotIn(work, json.dumps(answer))
        whole = self.read(self.belfry, "day_plans", plan, user=user)
        self.assertEqual(whole["blocks"][:2], blocks)
        self.assertEqual((len(whole["blocks"]), whole["pinned_task_ids"]), (3, [work]))
        self.assertEqual(self.remove(self.belfry, "day_plans", plan, 403, user=user, **claim)["reason"], "out_of_scope")
        self.assertEqual(self.all(self.belfry, "search", user=user, q="secr"), [plan])
        self.assertEqual(self.all(self.belfry, "search", user=user, q="secr", **claim), [], "it could be guessed letter by letter")

    def test_of_an_agent_without_categories_let_nothing_through(self):
        user = unique("u")
        gym, _ = self.two_categories(user)
        agent = self.agent(self.belfry, user_id=user)
        self.wake_now(self.belfry, agent)
        claim = self.held(self.claim_soon(self.belfry, agent))
        self.assertEqual(self.all(self.belfry, "tasks", user=user, **claim), [])
        self.read(self.belfry, "tasks", gym, 404, user=user, **claim)
        self.assertEqual(self.make(self.belfry, "tasks", 403, user=user, query=claim, title="x")["reason"], "out_of_scope")
        self.assertIsNone(self.must(200, self.belfry, "GET", "", user=user, **claim)["running"])


class Copies(JournalCase, belfry.SharedCase):
    def test_give_an_equal_journal_in_a_fresh_daemon(self):
        self.everything(self.belfry, "ada")
        lines = self.export(self.belfry)
        self.assertEqual(self.export(self.belfry, limit=7), lines, "whatever the pages")
        fresh = self.daemon()
        counted = {"taken": 0, "unchanged": 0}
        pieces = lines.splitlines(keepends=True)
        for at_line in range(0, len(pieces), 20):
            done = self.take_in(fresh, b"".join(pieces[at_line:at_line + 20]))
            self.assertEqual(done["conflicts"], [])
            counted["taken"] += done["taken"]
        self.assertEqual(counted["taken"], len(pieces))
        self.assertEqual(self.export(fresh), lines)
        for plural in KINDS:
            self.assertEqual(self.page(fresh, plural), {**self.page(self.belfry, plural), "next": None}, plural)
        self.assertEqual(self.all(fresh, "search", q="nümber"), self.all(self.belfry, "search", q="nümber"))
        again = self.take_in(fresh, lines)
        self.assertEqual((again["taken"], again["unchanged"], again["conflicts"]), (0, len(pieces), []))
        task = next(one for one in map(json.loads, pieces) if one["kind"] == "task" and not one["deleted_at"])
        self.change(fresh, "tasks", task["id"], text="mine")
        differs = self.take_in(fresh, lines)
        line = [json.loads(one).get("id") for one in pieces].index(task["id"]) + 1
        self.assertEqual([(one["line"], one["id"]) for one in differs["conflicts"]], [(line, task["id"])])
        self.assertEqual(self.read(fresh, "tasks", task["id"])["text"], "mine")

    def test_are_refused_whole_by_the_line_that_is_wrong(self):
        user = unique("u")
        self.make(self.belfry, "tasks", user=user, title="x")
        good = self.export(self.belfry, user).splitlines()[1]
        for bad, status in ((b"{", 400), (b'{"kind":"fish"}', 422), (good.replace(b'"title"', b'"titel"'), 422)):
            answer = self.belfry.post(f"/v1/journal/import?user={user}", good + b"\n\n" + bad + b"\n")
            self.assertEqual((answer.status, json_of(answer)["line"]), (status, 3), answer.body)
        many = b"\n".join([good] * 501)
        self.assertEqual(self.belfry.post(f"/v1/journal/import?user={user}", many).status, 413)


class Keeping(JournalCase, belfry.Case):
    def test_a_restart_keeps_everything(self):
        daemon = self.daemon()
        self.everything(daemon, "ada")
        lines, tasks = self.export(daemon), self.all(daemon, "tasks")
        self.assertEqual(daemon.stop(), 0)
        daemon.start()
        self.assertEqual(self.export(daemon), lines)
        self.assertEqual(self.all(daemon, "tasks"), tasks)
        made = self.make(daemon, "tasks", title="after it")
        self.assertEqual(self.all(daemon, "tasks"), [made["id"], *tasks], "numbers go on")

    def test_an_erasure_leaves_nothing(self):
        daemon = self.daemon()
        user, mark = unique("u"), unique("secret")
        self.make(daemon, "categories", user=user, id=mark + "gym", name=mark)
        a = self.make(daemon, "tasks", user=user, id=mark + "a", title=f"{mark}title", category_id=mark + "gym", extension={"acme.x": mark})["id"]
        b = self.make(daemon, "entries", user=user, text=f"{mark}text")["id"]
        self.link(daemon, "about" + mark, b, a, user=user, metadata={"x": mark})
        self.change(daemon, "tasks", a, user=user, text=mark)
        self.remove(daemon, "entries", b, user=user)
        self.make(daemon, "tasks", user="bob", id="kept", title="bob's")
        self.told(daemon, a, 2, user)
        self.assertNotEqual(belfry.traces_of(daemon, mark), [])
        done = daemon.run("erase", "--user", user)
        self.assertEqual(done.code, 0, done.err)
        daemon.stop()
        self.assertEqual(belfry.traces_of(daemon, mark), [])
        daemon.start()
        self.assertFalse(self.must(200, daemon, "GET", "", user=user)["holds_anything"])
        self.assertEqual(self.export(daemon, user), b"")
        self.assertEqual(self.all(daemon, "search", user=user, q=mark), [])
        self.assertEqual(self.read(daemon, "tasks", "kept", user="bob")["title"], "bob's")
        self.make(daemon, "tasks", user=user, id=a, title="anew")

    def test_a_daemon_without_a_journal_says_so(self):
        for options in (("--no-journal",), ("--journal", "off")):
            daemon = self.daemon(*options)
            for path in ("", "/tasks", "/tasks/x", "/links?from=x", "/search?q=x", "/export"):
                answer = daemon.get("/v1/journal" + path)
                self.assertEqual(self.assert_problem(answer, 404, "not_found")["reason"], "journal_off")
            self.assertEqual(daemon.get("/v1/journal/tasks", token=None).status, 401)
            self.assertEqual(daemon.post("/v1/journal/tasks", {"title": "x"}).status, 404)


if __name__ == "__main__":
    unittest.main()
