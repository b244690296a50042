"""Devices that share what they know: pairing, what goes over and what does not, what is decided between them, and one effect for one
cause. Two and three daemons of the real binary on one machine."""

import datetime
import json
import os
import re
import sqlite3
import unittest

import belfry
from belfry import STORE, eventually, json_of, unique
from chat_server import DONE, ChatServer, finish, stream, text
from devices import SyncCase
from journal import DAY, KINDS, at, kind_of


def block(name, hour, **more):
    return {"id": name, "category_id": "general", "start_at": at(hour), "end_at": at(hour, 30), **more}


class Pairing(SyncCase):
    def test_takes_a_code_and_an_address_and_both_know_each_other_afterwards(self):
        desk, laptop = self.device("desk"), self.device("laptop")
        shown = desk.run("peer", "pair")
        self.assertRegex(shown.out, r"^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}\n$")
        self.assertIn(f"--at {desk.address}", shown.err)
        sloppy = shown.out.strip().lower().replace("-", "")
        typed = laptop.run("peer", "pair", sloppy, "--at", desk.address, "--name", "my desk")
        self.assertEqual(typed.code, 0, typed.err)
        self.assertIn("paired with my desk (", typed.err)
        eventually("both are connected", lambda: desk.is_connected("laptop") and laptop.is_connected("my desk"))
        listed = laptop.run("peer", "list")
        self.assertRegex(listed.out, rf"my desk +{desk.address} +connected +0 +0 ")
        self.assertRegex(desk.run("peer", "list").out, r"laptop +\S.* connected ")
        status = laptop.run("sync", "status").out
        self.assertRegex(status, r"this device  laptop, ")
        self.assertRegex(status, r"peer         my desk \([0-9a-f]{8}\): connected since 20\S+\n +nothing is behind\n")
        self.assertIn("gaps         none", status)

    def test_refuses_a_code_that_was_used_is_wrong_or_was_tried_too_often(self):
        desk, laptop, thief = self.device("desk"), self.device("laptop"), self.device("thief", listen=None)
        wrong = lambda code: thief.post("/v1/peers", {"code": code, "at": desk.address})
        self.assertEqual(self.assert_problem(wrong("K7QF-92MX-4TRA"), 403, "forbidden", "code")["reason"], "no_pairing")
        code = desk.run("peer", "pair").out.strip()
        self.assertEqual(laptop.run("peer", "pair", code, "--at", desk.address).code, 0)
        self.assertEqual(json_of(wrong(code))["reason"], "no_pairing")
        code = desk.run("peer", "pair").out.strip()
        other = ("0" if code[0] != "0" else "1") + code[1:]
        for _ in range(3):
            self.assertEqual(json_of(wrong(other))["reason"], "wrong_code")
        self.assertEqual(json_of(wrong(code))["reason"], "no_pairing", "three wrong tries end it")
        self.assertEqual([one["name"] for one in desk.status()["peers"]], ["laptop"])
        self.assertEqual(thief.status()["peers"], [])

    def test_says_what_is_wrong_with_what_was_typed(self):
        alone = self.device("alone", listen=None)
        problem = self.assert_problem(alone.post("/v1/peers/pairing"), 409, "conflict")
        self.assertEqual(problem["reason"], "not_listening")
        self.assertIn("sync.listen", alone.run("peer", "pair").err)
        self.assert_problem(alone.post("/v1/peers", {"code": "short", "at": "127.0.0.1:1"}), 422, "invalid", "code")
        self.assert_problem(alone.post("/v1/peers", {"code": "K7QF-92MX-4TRA", "at": "nowhere"}), 422, "invalid", "at")
        self.assert_problem(alone.post("/v1/peers", {"code": "K7QF-92MX-4TRA", "at": "127.0.0.1:1"}), 503, "unavailable", "at")
        desk = self.device("desk")
        code = desk.run("peer", "pair").out.strip()
        same = desk.post("/v1/peers", {"code": code, "at": desk.address})
        self.assertEqual(self.assert_problem(same, 403, "forbidden", "at")["reason"], "same_device")

    def test_ends_when_a_device_is_revoked(self):
        desk, laptop = self.pairs("desk", "laptop")
        task = self.make(desk, "tasks", title="before")["id"]
        self.converged(desk, laptop)
        self.assertEqual(desk.run("peer", "revoke", "laptop").code, 0)
        eventually("the link is down", lambda: not laptop.is_connected("desk"))
        self.change(desk, "tasks", task, title="after")
        self.change(laptop, "tasks", task, title="from the laptop")
        refused = eventually("it is told why", lambda: laptop.peer("desk")["last_error"])
        self.assertRegex(refused, "unknown|revoked|not.*paired")
        self.assertEqual((self.read(desk, "tasks", task)["title"], self.read(laptop, "tasks", task)["title"]), ("after", "from the laptop"))
        self.assertRegex(desk.run("sync", "status").out, r"laptop \(\w{8}\): revoked at 20")
        self.assertEqual(desk.run("peer", "revoke", "nobody").code, 1)
        self.pair(desk, laptop)
        self.converged(desk, laptop)


class WhatGoesOver(SyncCase):
    def test_is_all_of_agents_and_of_the_journal(self):
        desk, laptop = self.device("desk"), self.device("laptop")
        agent = self.agent(desk, "coach", kind="student", display_name="Coach", memory={"budget_tokens": 900})
        desk.request("PATCH", f"/v1/agents/{agent}", {"state": {"slots": {"primary_goal": "tea", "preferences": {"tone": "dry", "lang": "de"}}}})
        desk.post(f"/v1/agents/{agent}/subscriptions", {"types": ["ci.*"], "severity": "error"})
        desk.post(f"/v1/agents/{agent}/timers", {"name": "morning", "schedule": {"kind": "daily", "time": "07:00"}, "zone": "Europe/Berlin"})
        self.wake_now(desk, agent, input={"text": "hello"})
        grant = self.claim_soon(desk, agent)
        answer = desk.post(f"/v1/wakes/{grant['wake']['id']}/messages", {"fence": grant["wake"]["fence"], "messages": [
            {"kind": "thought", "content": {"text": f"thought {number}"}} for number in range(20)]})
        self.assertEqual(answer.status, 201, answer.body)
        self.end(desk, grant)
        made = self.everything(desk, "ada")
        self.pair(desk, laptop)
        found = self.converged(desk, laptop)
        self.assertEqual({name.split()[1] for name in found},
                         {kind_of(plural) for plural in KINDS} | {"link", "agent", "subscriptions", "timers", "message"})
        self.assertEqual(json_of(laptop.get(f"/v1/agents/{agent}"))["state"]["slots"]["preferences"], {"tone": "dry", "lang": "de"})
        texts = [one["content"]["text"] for one in self.messages(laptop, agent) if one["kind"] == "thought"]
        self.assertEqual(texts, [f"thought {number}" for number in range(20)])
        found = json_of(laptop.get(f"/v1/agents/{agent}/memory/search?q=thought"))["data"]
        self.assertTrue(found, "what came can be searched")
        self.change(laptop, "tasks", made["tasks"], title="changed on the other side")
        self.converged(desk, laptop)
        self.assertEqual(self.read(desk, "tasks", made["tasks"])["title"], "changed on the other side")

    def test_is_never_what_happens_here_and_now(self):
        desk, laptop = self.pairs("desk", "laptop")
        agent = self.agent(desk)
        mark = unique("secret")
        desk.request("PUT", f"/v1/sessions/{mark}", {"user_id": "ada", "title": mark})
        desk.post(f"/v1/sessions/{mark}/messages", {"role": "user", "content": mark})
        desk.post("/v1/notifications", {"text": mark, "user_id": "ada"})
        desk.emit_ok(belfry.event(user_id="ada", payload={"text": mark}))
        desk.mint("user", user_id=mark)
        desk.post("/v1/runs", {"user_id": "ada", "title": mark})
        self.wake_now(desk, agent)
        self.claim_soon(desk, agent)
        self.make(desk, "tasks", title="what is told last")
        self.converged(desk, laptop)
        self.assertEqual(json_of(laptop.get(f"/v1/agents/{agent}"))["runtime"]["active_run_id"], None)
        self.assertEqual(self.wakes(laptop, agent), [])
        self.assertEqual(json_of(laptop.get("/v1/sessions?user=ada"))["data"], [])
        self.assertEqual(json_of(laptop.get("/v1/notifications?user=ada"))["data"], [])
        self.assertEqual(json_of(laptop.get("/v1/runs?user=ada"))["data"], [])
        self.assertEqual([one for one in json_of(laptop.get("/v1/tokens"))["data"] if one["user_id"] == mark], [])
        self.assertEqual(laptop.entries("events"), [])
        self.assertEqual(belfry.traces_of(laptop, mark), [])

    def test_is_that_something_was_read_without_what_it_was(self):
        desk, laptop = self.pairs("desk", "laptop")
        made = json_of(desk.post("/v1/notifications", {"text": "hello", "user_id": "ada"}))["id"]
        self.make(desk, "tasks", title="so that there is something")
        self.converged(desk, laptop)
        before = laptop.digest()["records"]
        self.assertEqual(desk.post(f"/v1/notifications/{made}/read", {"mark": "seen"}).status, 200)
        eventually("the mark came over", lambda: laptop.digest()["records"] == before + 1)
        self.converged(desk, laptop)
        self.assertEqual(laptop.get(f"/v1/notifications/{made}").status, 404, "the notification itself stays where it was")

    def test_comes_after_any_time_apart_and_through_crashes(self):
        desk, laptop = self.pairs("desk", "laptop")
        names = [self.make(desk, "tasks", title=f"t{number}")["id"] for number in range(50)]
        laptop.kill()
        for round_number in range(3):
            for name in names:
                self.change(desk, "tasks", name, title=f"round {round_number}")
        laptop.start()
        eventually("something came", lambda: self.ask(laptop, "GET", f"/tasks/{names[0]}").status == 200)
        laptop.kill()
        desk.kill()
        desk.start()
        laptop.start()
        self.converged(desk, laptop)
        self.assertEqual(self.read(laptop, "tasks", names[-1])["title"], "round 2")

    def test_goes_through_a_relay_between_two_that_never_meet(self):
        relay = self.device("relay")
        desk, laptop = self.device("desk", listen=None), self.device("laptop", listen=None)
        self.pair(relay, desk)
        self.pair(relay, laptop)
        there = self.make(desk, "tasks", title="from the desk")["id"]
        back = self.make(laptop, "tasks", title="from the laptop")["id"]
        self.converged(desk, relay, laptop)
        relay.stop()
        self.change(desk, "tasks", there, status="done")
        self.change(laptop, "tasks", there, title="both changed it")
        self.remove(laptop, "tasks", back)
        relay.start()
        self.converged(desk, relay, laptop)
        self.assertEqual([self.read(desk, "tasks", there)[name] for name in ("title", "status")], ["both changed it", "done"])
        self.read(desk, "tasks", back, 410)
        self.assertEqual([one["name"] for one in desk.status()["peers"]], ["relay"])
        self.assertEqual(len(desk.status()["hosts"]), 3 if relay.status()["device"]["host"] else 2)

    def test_is_taken_as_a_whole_by_a_device_that_comes_late(self):
        desk, laptop = self.pairs("desk", "laptop")
        self.everything(desk, "ada")
        self.agent(laptop, "coach")
        self.converged(desk, laptop)
        late = self.device("late")
        self.make(late, "tasks", title="it has something, too")
        self.pair(laptop, late)
        self.converged(desk, laptop, late)

    def test_goes_on_under_another_host_after_a_restore(self):
        desk, laptop = self.pairs("desk", "laptop")
        task = self.make(desk, "tasks", title="one")["id"]
        self.converged(desk, laptop)
        if belfry.STORE == "postgres":
            self.skipTest("a backup of a file")
        copy = desk.folder + "/copy.db"
        self.assertEqual(desk.run("backup", copy).code, 0)
        self.change(desk, "tasks", task, title="two")
        self.converged(desk, laptop)
        desk.stop()
        restored = desk.run("restore", copy)
        self.assertEqual(restored.code, 0, restored.err)
        desk.start()
        self.change(desk, "tasks", task, status="done")
        self.linked(desk, laptop)
        self.converged(desk, laptop)
        self.assertEqual([self.read(desk, "tasks", task)[name] for name in ("title", "status")], ["two", "done"])


class WhatIsDecided(SyncCase):
    def apart(self, *devices):
        """Two that know the same, of which the second is not reached any more: what it does is done behind the other's back."""
        self.converged(*devices)
        for one in devices:
            one.stop()

    def alone(self, device, work):
        """The device works while nobody else runs."""
        device.start()
        result = work()
        device.stop()
        return result

    def test_keeps_both_where_two_changed_different_fields(self):
        desk, laptop = self.pairs("desk", "laptop")
        task = self.make(desk, "tasks", title="Milk")["id"]
        self.apart(desk, laptop)
        self.alone(desk, lambda: self.change(desk, "tasks", task, title="Oat milk"))
        self.alone(laptop, lambda: self.change(laptop, "tasks", task, priority="p0"))
        desk.start()
        laptop.start()
        self.converged(desk, laptop)
        self.assertEqual([self.read(desk, "tasks", task)[name] for name in ("title", "priority")], ["Oat milk", "p0"])

    def test_is_the_same_everywhere_where_two_changed_one_field_and_says_why(self):
        desk, laptop = self.pairs("desk", "laptop")
        task = self.make(desk, "tasks", title="Milk")["id"]
        self.apart(desk, laptop)
        self.alone(desk, lambda: self.change(desk, "tasks", task, title="Oat milk"))
        self.alone(laptop, lambda: self.change(laptop, "tasks", task, title="Soy milk"))
        desk.start()
        laptop.start()
        self.converged(desk, laptop)
        kept = self.read(desk, "tasks", task)["title"]
        lost = ({"Oat milk", "Soy milk"} - {kept}).pop()
        notes = [note for note in desk.merges() + laptop.merges() if note["id"] == task and note["field"] == "title"]
        self.assertTrue(notes, "it is told")
        for note in notes:
            self.assertEqual((note["rule"], note["kept"]["value"], note["lost"]["value"]), ("latest", f'"{kept}"', f'"{lost}"'))
        told = next(one for one in (desk, laptop) if one.merges())
        said = told.run("sync", "merges").out
        self.assertRegex(said, rf'task {task} +title +latest +"{kept}" of \w{{8}} +"{lost}" of \w{{8}}')
        self.assertRegex(told.run("sync", "status").out, r"merges       \d+ fields? decided")
        self.change(desk, "tasks", task, title="Whichever")
        self.converged(desk, laptop)
        self.assertEqual(self.read(laptop, "tasks", task)["title"], "Whichever", "whoever knew of it wins")

    def test_keeps_all_that_two_added_to_one_list(self):
        desk, laptop = self.pairs("desk", "laptop")
        names = [self.make(desk, "labels", id=f"l{number}", name=f"label {number}")["id"] for number in range(3)]
        task = self.make(desk, "tasks", id="t", title="Milk", label_ids=names[:1])["id"]
        other = self.make(desk, "tasks", id="t2", title="Bread")["id"]
        plan = self.make(desk, "day_plans", plan_date=DAY, blocks=[block("b0", 8)])["id"]
        self.apart(desk, laptop)

        def add(device, name, hour, pin, label):
            self.change(device, "day_plans", plan, blocks=[block("b0", 8), block(name, hour)], pinned_task_ids=[pin])
            self.change(device, "tasks", task, label_ids=[names[0], label])
        self.alone(desk, lambda: add(desk, "bA", 10, task, names[1]))
        self.alone(laptop, lambda: add(laptop, "bB", 9, other, names[2]))
        desk.start()
        laptop.start()
        self.converged(desk, laptop)
        for device in (desk, laptop):
            found = self.read(device, "day_plans", plan)
            self.assertEqual([one["id"] for one in found["blocks"]], ["b0", "bB", "bA"], "by their start")
            self.assertEqual(sorted(found["pinned_task_ids"]), ["t", "t2"])
            self.assertEqual(sorted(self.read(device, "tasks", task)["label_ids"]), names)
            self.assertEqual([note for note in device.merges() if note["rule"] == "elements"], [], "nothing was lost")
        self.assertEqual(self.read(desk, "day_plans", plan)["pinned_task_ids"], self.read(laptop, "day_plans", plan)["pinned_task_ids"])
        self.change(laptop, "day_plans", plan, blocks=[block("bA", 10)], pinned_task_ids=["t2"])
        self.converged(desk, laptop)
        found = self.read(desk, "day_plans", plan)
        self.assertEqual(([one["id"] for one in found["blocks"]], found["pinned_task_ids"]), (["bA"], ["t2"]), "what is removed stays so")

    def test_of_a_block_that_both_changed_is_the_latest_and_a_removal_takes_only_what_it_knew(self):
        desk, laptop = self.pairs("desk", "laptop")
        plan = self.make(desk, "day_plans", plan_date=DAY, blocks=[block("a", 8), block("b", 9), block("c", 10)])["id"]
        self.apart(desk, laptop)
        self.alone(desk, lambda: self.change(desk, "day_plans", plan, blocks=[block("a", 8, note="here"), block("b", 9)]))
        self.alone(laptop, lambda: self.change(laptop, "day_plans", plan, blocks=[block("a", 8, note="there"), block("c", 11)]))
        desk.start()
        laptop.start()
        self.converged(desk, laptop)
        found = self.read(desk, "day_plans", plan)["blocks"]
        self.assertEqual([(one["id"], one["start_at"][11:13]) for one in found], [("a", "08"), ("c", "11")],
                         "b is gone, and c was changed by one who did not know that it was removed")
        kept = found[0]["note"]
        lost = ({"here", "there"} - {kept}).pop()
        for device in (desk, laptop):
            notes = [note for note in device.merges() if note["field"] == "blocks/a"]
            self.assertEqual([(note["rule"], kept in note["kept"]["value"], lost in note["lost"]["value"]) for note in notes],
                             [("elements", True, True)])

    def test_is_one_order_of_what_both_put_at_the_same_place(self):
        desk, laptop = self.pairs("desk", "laptop")
        task = self.make(desk, "tasks", id="t", title="Milk")["id"]
        checklist = self.make(desk, "checklists", task_id=task, title="Before")["id"]
        self.make(desk, "checklist_items", checklist_id=checklist, title="first", position=0)
        self.apart(desk, laptop)
        for device, names in ((desk, ("d1", "d2")), (laptop, ("l1", "l2"))):
            self.alone(device, lambda: [self.make(device, "checklist_items", checklist_id=checklist, title=name, position=1 + number)
                                        for number, name in enumerate(names)])
        desk.start()
        laptop.start()
        self.converged(desk, laptop)
        shown = [re.findall(r"\] (\w+) ", device.run("checklist", "list", task, "--user", "ada").out) for device in (desk, laptop)]
        self.assertEqual(shown, [["first", "d1", "l1", "d2", "l2"]] * 2)

    def test_is_told_to_every_device_of_a_chain(self):
        first, middle, last = self.pairs("first", "middle", "last")
        names = [self.make(middle, "tasks", title=f"task {number}")["id"] for number in range(10)]
        self.converged(first, middle, last)
        middle.stop()
        for name in names:
            self.change(first, "tasks", name, title=f"first {name}")
            self.change(last, "tasks", name, title=f"last {name}")
        middle.start()
        self.converged(first, middle, last)

        def told(device):
            return {(note["id"], note["kept"]["value"], note["lost"]["value"]) for note in device.merges() if note["field"] == "title"}
        for device in (first, middle, last):
            eventually(f"{device.name} is told of all: {device.merges()}", lambda: len(told(device)) == len(names))
            self.assertEqual(len([note for note in device.merges() if note["field"] == "title"]), len(names), "of each there is one note")
        self.assertEqual(told(first), told(middle))
        self.assertEqual(told(first), told(last))
        for name, kept, lost in told(first):
            self.assertEqual(kept, json.dumps(self.read(first, "tasks", name)["title"]))
            self.assertEqual({kept, lost}, {f'"first {name}"', f'"last {name}"'})
        late = self.device("late")
        self.pair(last, late)
        self.converged(last, late)
        eventually("a device that comes late is told, too", lambda: told(late) == told(last))

    def test_is_that_a_list_of_an_older_store_has_its_stamp_in_each_element(self):
        if STORE == "postgres":
            self.skipTest("the rows are written as an older version wrote them, by SQLite")
        desk, laptop = self.pairs("desk", "laptop")
        for number in range(4):
            self.make(desk, "tasks", id=f"t{number}", title="Milk")
        plan = self.make(desk, "day_plans", plan_date=DAY, blocks=[block("b0", 8)], pinned_task_ids=["t0", "t1"])["id"]
        self.change(desk, "day_plans", plan, pinned_task_ids=["t0", "t1", "t2"], blocks=[block("b0", 8), block("b1", 9)])
        self.apart(desk, laptop)
        for device in (desk, laptop):
            with sqlite3.connect(os.path.join(device.data, "belfry.db")) as store:
                rows = store.execute("SELECT record_id, knowledge_json FROM record_clocks WHERE kind = ?", (b"day_plan",)).fetchall()
                self.assertEqual(len(rows), 1)
                known = json.loads(rows[0][1])
                known["s"] = {name: stamp for name, stamp in known["s"].items() if "/" not in name}
                store.execute("UPDATE record_clocks SET knowledge_json = ? WHERE kind = ?", (json.dumps(known, separators=(",", ":")).encode(), b"day_plan"))
        self.alone(desk, lambda: self.change(desk, "day_plans", plan, pinned_task_ids=["t1", "t2", "t3"], blocks=[block("b1", 9)]))
        self.alone(laptop, lambda: self.change(laptop, "day_plans", plan, pinned_task_ids=["t0", "t1"], blocks=[block("b0", 8), block("b1", 9), block("b2", 7)]))
        desk.start()
        laptop.start()
        self.converged(desk, laptop)
        for device in (desk, laptop):
            found = self.read(device, "day_plans", plan)
            self.assertEqual([one["id"] for one in found["blocks"]], ["b2", "b1"])
            self.assertEqual(found["pinned_task_ids"], ["t1", "t3"])

    def test_is_that_what_was_deleted_stays_so(self):
        desk, laptop = self.pairs("desk", "laptop")
        task = self.make(desk, "tasks", title="Milk")["id"]
        self.apart(desk, laptop)
        self.alone(desk, lambda: self.remove(desk, "tasks", task))
        self.alone(laptop, lambda: self.change(laptop, "tasks", task, title="Still wanted"))
        desk.start()
        laptop.start()
        self.converged(desk, laptop)
        for one in (desk, laptop):
            self.read(one, "tasks", task, 410)

    def test_is_that_what_was_destroyed_stays_so_and_what_woke_up_later_is_awake(self):
        desk, laptop = self.pairs("desk", "laptop")
        doomed, sleeper = self.agent(desk), self.agent(desk)
        self.apart(desk, laptop)
        self.alone(desk, lambda: (desk.request("DELETE", f"/v1/agents/{doomed}"),
                                  desk.request("PATCH", f"/v1/agents/{sleeper}", {"dormant": True})))
        self.alone(laptop, lambda: laptop.request("PATCH", f"/v1/agents/{doomed}", {"dormant": False}))
        desk.start()
        laptop.start()
        self.converged(desk, laptop)
        lifecycle = lambda one, agent: json_of(one.get(f"/v1/agents/{agent}"))["lifecycle"]
        for one in (desk, laptop):
            self.assertEqual((lifecycle(one, doomed), lifecycle(one, sleeper)), ("destroyed", "dormant"))
        laptop.request("PATCH", f"/v1/agents/{sleeper}", {"dormant": False})
        self.converged(desk, laptop)
        self.assertEqual(lifecycle(desk, sleeper), "active")

    def test_is_that_what_was_forgotten_is_forgotten_everywhere(self):
        desk, laptop = self.pairs("desk", "laptop")
        agent, mark = self.agent(desk), unique("secret")
        self.wake_now(desk, agent)
        grant = self.claim_soon(desk, agent)
        said = json_of(desk.post(f"/v1/wakes/{grant['wake']['id']}/messages", {"fence": grant["wake"]["fence"], "messages": [
            {"kind": "thought", "content": {"text": mark}}, {"kind": "thought", "content": {"text": "the rest"}}]}))
        self.end(desk, grant)
        self.apart(desk, laptop)
        message = said["data"][0]["id"]
        self.alone(desk, lambda: self.assertEqual(desk.post(f"/v1/agents/{agent}/memory/forget", {"message_id": message}).status, 200))
        desk.start()
        laptop.start()
        self.converged(desk, laptop)
        self.assertEqual(laptop.get(f"/v1/agents/{agent}/messages/{message}").status, 404)
        self.assertNotIn(mark, str(self.dump(laptop)))
        self.assertIn("the rest", str(self.dump(laptop)))
        late = self.device("late")
        self.pair(laptop, late)
        self.converged(desk, laptop, late)
        self.assertEqual(late.get(f"/v1/agents/{agent}/messages/{message}").status, 404)

    def test_is_that_forgotten_words_which_a_client_repeats_stay_forgotten(self):
        desk, laptop = self.pairs("desk", "laptop")
        agent, secret = self.agent(desk), {"id": "1", "role": "user", "content": unique("secret")}

        def say(*messages):
            body = {"threadId": "t", "runId": unique("r"), "messages": messages, "tools": [], "context": [], "state": {}, "forwardedProps": {}}
            answer = desk.sse(f"/v1/agents/{agent}/ag-ui", body=body)
            self.addCleanup(answer.close)
            self.assertEqual(answer.status, 200, answer.head)
        say(secret)
        self.converged(desk, laptop)
        message = json_of(desk.get(f"/v1/agents/{agent}/messages"))["data"][0]["id"]
        self.assertEqual(desk.post(f"/v1/agents/{agent}/memory/forget", {"message_id": message}).status, 200)
        say(secret, {"id": "2", "role": "user", "content": "go on"})
        self.converged(desk, laptop)
        for one in (desk, laptop):
            self.assertEqual([said["content"] for said in json_of(one.get(f"/v1/agents/{agent}/messages"))["data"]], ["go on"])

    def test_is_that_words_said_again_after_an_answer_on_another_device_are_another_message(self):
        server = ChatServer(stream(text("Yes."), finish(), DONE))
        self.addCleanup(server.close)
        desk, laptop = self.pairs("desk", "laptop")
        agent = self.agent(desk, workflow={"kind": "model", "settings": {"base_url": server.url, "model": "m"}})
        self.converged(desk, laptop)
        question = {"id": "1", "role": "user", "content": "What is on today?"}

        def said(one):
            return [row["content"] for row in json_of(one.get(f"/v1/agents/{agent}/messages"))["data"] if row["kind"] == "user"]

        for count, one in enumerate((desk, laptop, desk), start=1):
            body = {"threadId": "t", "runId": unique("r"), "messages": [question], "tools": [], "context": [], "state": {}, "forwardedProps": {}}
            answer = one.sse(f"/v1/agents/{agent}/ag-ui", body=body)
            self.addCleanup(answer.close)
            self.assertEqual(answer.status, 200, answer.head)
            eventually("it is answered", lambda: all(wake["state"] == "completed" for wake in json_of(one.get(f"/v1/wakes?agent={agent}"))["data"]))
            self.converged(desk, laptop)
            asked = [(row["role"], row["content"]) for row in server.requests[-1].body["messages"] if row["role"] != "system"]
            self.assertEqual((len(server.requests), asked[-1]), (count, ("user", question["content"])))
            self.assertEqual([said(each) for each in (desk, laptop)], [[question["content"]] * count] * 2)

    def test_is_that_a_persons_erasure_reaches_all(self):
        desk, laptop = self.pairs("desk", "laptop")
        mark = unique("secret")
        self.make(desk, "tasks", title=mark, user="bob")
        self.make(desk, "tasks", title="stays", user="ada")
        self.converged(desk, laptop)
        erasure = json_of(desk.post("/v1/erasures", {"user_id": "bob"}))["id"]
        eventually("it is carried out", lambda: json_of(desk.get(f"/v1/erasures/{erasure}"))["state"] == "done")
        eventually("it is gone on the other device", lambda: not self.all(laptop, "tasks", user="bob"))
        self.converged(desk, laptop)
        self.assertEqual(len(self.all(laptop, "tasks", user="ada")), 1)


class OneEffect(SyncCase):
    def test_for_a_change_that_came_from_elsewhere_there_is_none_unless_it_is_asked_for(self):
        desk, laptop = self.pairs("desk", "laptop")
        for name, members in (("deaf", {}), ("all-ears", {"synced": True})):
            self.agent(laptop, name, allowed_category_ids=["general"])
            answer = laptop.post(f"/v1/agents/{name}/subscriptions", {"tokens": ["key:TASK"], "window_ms": 0, **members})
            self.assertEqual(answer.status, 200, answer.body)
        self.converged(desk, laptop)
        self.make(desk, "tasks", title="told", category_id="general")
        grant = self.claim_soon(laptop, "all-ears")
        self.assertEqual([one["origin"] for one in grant["signals"][0]["body"]["changes"]], ["sync"])
        self.end(laptop, grant)
        self.converged(desk, laptop)
        self.assertEqual(self.wakes(laptop, "deaf"), [])

    def test_of_a_timer_on_three_devices_is_there_once(self):
        relay, desk, laptop = self.device("relay"), self.device("desk", listen=None), self.device("laptop", listen=None)
        self.pair(relay, desk)
        self.pair(relay, laptop)
        agent = self.agent(desk, allowed_category_ids=["general"], capabilities=["task_read", "task_write"])
        self.converged(relay, desk, laptop)
        soon = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=4)).strftime("%Y-%m-%dT%H:%M:%SZ")
        answer = desk.post(f"/v1/agents/{agent}/timers", {"name": "once", "schedule": {"kind": "at", "at": soon}})
        self.assertEqual(answer.status, 201, answer.body)
        self.converged(relay, desk, laptop)
        devices = (relay, desk, laptop)

        def work(device):
            grant = self.claim(device, agent, wait_s=30)
            if grant is None:
                return
            wake = grant["wake"]
            called = device.post(f"/v1/wakes/{wake['id']}/call", {"fence": wake["fence"], "operation_id": "op-1", "tool_name": "create_task",
                                                                 "arguments": {"title": "by the timer", "categoryId": "general"}})
            self.assertEqual(called.status, 200, called.body)
            self.end(device, grant)

        with belfry.threads(*(lambda one=one: work(one) for one in devices)):
            pass
        self.converged(*devices)
        keys = {wake["run_key"] for one in devices for wake in self.wakes(one, agent)}
        self.assertEqual(len(keys), 1, "the run has one key everywhere")
        titles = [self.read(one, "tasks", name)["title"] for one in devices for name in self.all(one, "tasks")]
        self.assertEqual(titles, ["by the timer"] * 3, "one task, on each of the three")


    def test_of_a_run_that_was_lost_with_its_device_is_seen_to_by_another(self):
        if belfry.is_sanitized():
            self.skipTest("a sanitizer wants to be loaded first")
        desk, laptop = self.device("desk"), self.device("laptop", listen=None, clock_s=0.0)
        self.pair(desk, laptop)
        agent = self.agent(desk)
        self.converged(desk, laptop)
        soon = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=3)).strftime("%Y-%m-%dT%H:%M:%SZ")
        answer = desk.post(f"/v1/agents/{agent}/timers", {"name": "once", "schedule": {"kind": "at", "at": soon}})
        self.assertEqual(answer.status, 201, answer.body)
        self.converged(desk, laptop)
        begun = self.claim_soon(desk, agent)
        self.converged(desk, laptop)
        desk.kill()
        self.assertIsNone(self.claim(laptop, agent, wait_s=4), "it is left to the one who has begun")
        laptop.faults.jump(wall_s=61, steady_s=61)
        taken_over = self.claim_soon(laptop, agent)
        self.assertEqual(taken_over["wake"]["run_key"], begun["wake"]["run_key"])
        self.end(laptop, taken_over)
        desk.start()
        self.converged(desk, laptop)


class Status(SyncCase):
    def test_says_who_is_away_since_when_and_what_waits_for_him(self):
        desk, laptop = self.pairs("desk", "laptop")
        self.make(desk, "tasks", title="one")
        self.converged(desk, laptop)
        laptop.stop()
        eventually("the link is down", lambda: not desk.is_connected("laptop"))
        for number in range(3):
            self.make(desk, "tasks", title=f"n{number}")
        peer = eventually("it waits", lambda: (desk.peer("laptop") or {}).get("unsent") == 3 and desk.peer("laptop"))
        self.assertEqual((peer["connected"], peer["connected_since"], peer["unreceived"]), (False, None, 0))
        said = desk.run("sync", "status").out
        self.assertRegex(said, r"laptop \(\w{8}\): not connected, last here at 20\S+\n +it has yet to hear of 3 changes\n")
        laptop.start()
        self.converged(desk, laptop)
        self.settled(desk)

    def test_is_described(self):
        desk, laptop = self.pairs("desk", "laptop")
        self.make(desk, "tasks", title="one")
        self.converged(desk, laptop)
        self.belfry = desk
        for path in ("/v1/sync/status", "/v1/peers", "/v1/sync/merges", "/v1/sync/digest"):
            self.assert_described("get", path, desk.get(path))
        self.assertEqual(re.sub(r"\s+", "", desk.run("sync", "digest").out), laptop.run("sync", "digest").out.strip())


if __name__ == "__main__":
    unittest.main()
