"""Runs and their streams: made, followed, cancelled; each event in its own stream, once."""

import concurrent.futures
import threading
import unittest

from belfry import eventually, json_of, unique
from runs import WORKER, RunCase


class ARun(RunCase):
    def test_has_all_its_members_and_starts_at_once(self):
        run = self.make(user_id="ada", session_id=unique("s"), agent_id="helper", title="Tidy up",
                        metadata={"a": 1}, caller=WORKER)
        self.assertEqual(run["state"], "running")
        self.assertEqual((run["root_id"], run["parent_id"], run["paused"], run["queue_position"], run["tree"]),
                         (run["id"], None, False, None, False))
        self.assertEqual((run["caller"], run["metadata"], run["title"]), (WORKER, {"a": 1}, "Tidy up"))
        self.assertIsNotNone(run["started_at"])
        self.assertEqual((run["ended_at"], run["expires_at"], run["result"], run["error"]), (None, None, None, None))
        self.assertEqual(run["events"], 1, "lifecycle.started")
        self.assertEqual(self.run_now(run["id"]), run)

    def test_names_the_team_that_carries_it_out_and_so_do_its_children(self):
        run = self.make(hierarchy_id="team-7")
        self.assertEqual(run["hierarchy_id"], "team-7")
        child = self.make(parent_id=run["id"])
        self.assertEqual(child["hierarchy_id"], "team-7", "its parent's")
        self.assertEqual(self.make(parent_id=child["id"], hierarchy_id="team-8")["hierarchy_id"], "team-8")
        self.assertIsNone(self.make()["hierarchy_id"])
        self.finish(child["id"])
        self.assertEqual(self.run_now(child["id"])["hierarchy_id"], "team-7", "as it is stored")
        listed = json_of(self.belfry.get(f"/v1/runs?root={run['id']}"))["data"]
        self.assertIn("team-8", [one["hierarchy_id"] for one in listed])

    def test_is_refused_with_ids_of_blanks(self):
        for body, field in (({"agent_id": " "}, "agent_id"), ({"hierarchy_id": "  "}, "hierarchy_id"), ({"hierarchy_id": "\u00a0\u2003"}, "hierarchy_id"),
                            ({"caller": {**WORKER, "agent_id": " "}}, "caller"),
                            ({"caller": {**WORKER, "team_name": "\t "}}, "caller")):
            with self.subTest(field):
                self.assert_problem(self.belfry.post("/v1/runs", body), 422, "invalid", field)

    def test_is_made_once_under_its_key(self):
        key = unique("key")
        first = self.make(run_key=key, title="first")
        again = self.belfry.post("/v1/runs", {"run_key": key, "title": "second"})
        self.assertEqual(again.status, 200)
        self.assertEqual(json_of(again)["id"], first["id"])
        self.assertEqual(json_of(again)["title"], "first")
        self.finish(first["id"])
        ended = self.belfry.post("/v1/runs", {"run_key": key})
        self.assertEqual((ended.status, json_of(ended)["id"]), (200, first["id"]))
        other = self.make(run_key=key, user_id=unique("u"))
        self.assertNotEqual(other["id"], first["id"], "another user's key is another key")

    def test_ends_once_with_its_result(self):
        run = self.make()["id"]
        done = self.finish(run, result={"answer": 42})
        self.assertEqual((done["state"], done["result"]), ("completed", {"answer": 42}))
        self.assertIsNotNone(done["expires_at"])
        frames = self.frames(self.follow(run))
        self.assertEqual([frame.kind for frame in frames], ["lifecycle.started", "lifecycle.completed", "close"])
        self.assertEqual(frames[1].data["data"], {"result": {"answer": 42}})
        self.assertEqual(frames[2].data, {"reason": "ended"})
        for what, body in (("finish", {"state": "failed", "error": {"type": "late", "message": "x"}}), ("cancel", {}),
                           ("pause", {}), ("start", {})):
            self.assertEqual(self.act(run, what, body, status=409)["reason"], "ended", what)

    def test_fails_with_an_error(self):
        run = self.make()["id"]
        done = self.act(run, "finish", {"state": "failed", "error": {"type": "boom", "message": "it broke"}})
        self.assertEqual((done["state"], done["error"]), ("failed", {"type": "boom", "message": "it broke"}))
        frames = self.frames(self.follow(run))
        self.assertEqual(frames[-2].kind, "lifecycle.failed")
        self.assertEqual(frames[-2].data["data"]["error"]["type"], "boom")

    def test_pauses_and_goes_on(self):
        run = self.make()["id"]
        self.assertTrue(self.act(run, "pause")["paused"])
        self.assertTrue(self.act(run, "pause")["paused"], "twice is no more than once")
        self.assertTrue(self.emit(run, {"event": "a.b"})["paused"], "so a producer learns of it")
        self.assertFalse(self.act(run, "resume")["paused"])
        kinds = [entry["event"] for entry in self.page(run)["data"]]
        self.assertEqual(kinds, ["lifecycle.started", "control.paused", "a.b", "control.resumed"])

    def test_that_was_never_there_is_unknown(self):
        for path in ("999999999", "0", "-1", "seven", "7.5"):
            self.assertEqual(self.belfry.get(f"/v1/runs/{path}").status, 404, path)
            self.assertEqual(self.belfry.get(f"/v1/runs/{path}/events").status, 404, path)
        self.assertEqual(self.belfry.post("/v1/runs/999999999/events", {"event": "a.b"}).status, 404)
        self.assertEqual(self.belfry.post("/v1/runs/999999999/cancel", {}).status, 404)

    def test_is_listed_newest_first_and_narrowed(self):
        session = unique("s")
        ids = [self.make(session_id=session, agent_id="x" if n % 2 else "y")["id"] for n in range(5)]
        self.finish(ids[0])
        listed = json_of(self.belfry.get(f"/v1/runs?session={session}&limit=3"))
        self.assertEqual([run["id"] for run in listed["data"]], ids[:1:-1])
        self.assertTrue(listed["has_more"])
        rest = json_of(self.belfry.get(f"/v1/runs?session={session}&limit=3&after={listed['next']}"))
        self.assertEqual([run["id"] for run in rest["data"]], ids[1::-1])
        self.assertFalse(rest["has_more"])
        ended = json_of(self.belfry.get(f"/v1/runs?session={session}&state=completed"))
        self.assertEqual([run["id"] for run in ended["data"]], ids[:1])
        agent = json_of(self.belfry.get(f"/v1/runs?session={session}&agent=x"))
        self.assertEqual([run["id"] for run in agent["data"]], [ids[3], ids[1]])

    def test_is_seen_by_its_user_and_by_nobody_else(self):
        run = self.make(user_id="ada", session_id=unique("s"))
        ada = self.belfry.mint("user", user_id="ada")[0]
        bob = self.belfry.mint("user", user_id="bob")[0]
        emitter = self.belfry.mint("emitter")[0]
        path = f"/v1/runs/{run['id']}"
        self.assertEqual(self.belfry.get(path, token=ada).status, 200)
        self.assertEqual(self.belfry.get(path, token=bob).status, 403)
        self.assertEqual(self.belfry.get(path + "/events", token=bob).status, 403)
        self.assertEqual(self.belfry.get(path + "/events", token=emitter).status, 403)
        self.assertEqual(self.belfry.post(path + "/events", {"event": "a.b"}, token=emitter).status, 403)
        self.assertEqual(self.belfry.post(path + "/cancel", {}, token=bob).status, 403)
        listed = json_of(self.belfry.get("/v1/runs", token=bob))
        self.assertEqual(listed["data"], [])
        agent = self.belfry.mint("agent", bounds={"sessions": [run["session_id"]]})[0]
        self.assertEqual(self.belfry.post(path + "/events", {"event": "a.b"}, token=agent).status, 201)
        with self.belfry.sse(path + "/events", token=agent) as reader:
            self.assertEqual(reader.frame().kind, "lifecycle.started")
        stranger = self.belfry.mint("agent", bounds={"sessions": [unique("s")]})[0]
        self.assertEqual(self.belfry.post(path + "/events", {"event": "a.b"}, token=stranger).status, 403)


class Events(RunCase):
    def test_of_ten_runs_at_once_reach_exactly_their_own_readers(self):
        """Ten runs, a thousand tagged events each, from many threads of the same agents."""
        runs = [self.make(agent_id="shared", caller=WORKER)["id"] for _ in range(10)]
        readers = {run: self.follow(run) for run in runs}
        locks = {run: threading.Lock() for run in runs}
        sent = {run: 0 for run in runs}

        def work(seed):
            connection = self.belfry.connect()
            for step in range(100):
                run = runs[(seed * 7 + step * 3) % len(runs)]
                with locks[run]:  # the order that the test will look for is that of the tags
                    first = sent[run]
                    count = min(10 + step % 5, 1000 - first)
                    sent[run] += count
                    if count:
                        batch = [{"event": "llm.stream", "data": {"run": run, "n": first + i + 1}}
                                 for i in range(count)]
                        answer = self.belfry.post(f"/v1/runs/{run}/events", batch, connection=connection)
                        assert answer.status == 201, answer.body
            connection.close()

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for future in [pool.submit(work, seed) for seed in range(24)]:
                future.result()
        for run in runs:
            left = [{"event": "llm.stream", "data": {"run": run, "n": n}} for n in range(sent[run] + 1, 1001)]
            if left:
                self.emit(run, left)
            self.finish(run)
        for run, reader in readers.items():
            frames = self.frames(reader)
            seen = [frame.data["data"] for frame in frames if frame.kind == "llm.stream"]
            self.assertEqual(seen, [{"run": run, "n": n} for n in range(1, 1001)])
            self.assertEqual([frame.id for frame in frames[:-1]], list(range(1, 1003)))
            self.assertTrue(all(frame.data["run_id"] == run for frame in frames[:-1]))

    def test_have_the_shape_that_readers_know(self):
        run = self.make(caller=WORKER)["id"]
        given = "018f0000-0000-7000-8000-000000000001"
        other = {"agent_id": "boss", "agent_type": "global_supervisor", "agent_name": "B", "team_name": None}
        self.emit(run, {"event": "llm.tool_call", "data": {"name": "x"}, "source": other, "id": given,
                        "timestamp": "2026-01-02T03:04:05+01:00"})
        self.emit(run, {"event": "a.b"})
        reader = self.follow(run)
        frames = [reader.frame() for _ in range(3)]
        self.assertEqual(frames[1].data, {"id": given, "run_id": run, "timestamp": "2026-01-02T02:04:05Z",
                                          "sequence": 2, "source": other, "event": "llm.tool_call",
                                          "data": {"name": "x"}})
        self.assertEqual((frames[2].kind, frames[2].id), ("a.b", 3))
        self.assertEqual((frames[2].data["source"], frames[2].data["data"]), (WORKER, {}))

    def test_are_read_by_two_readers_in_the_same_order_and_by_late_ones_from_where_they_like(self):
        run = self.make()["id"]
        first, second = self.follow(run), self.follow(run)
        self.emit_texts(run, [str(n) for n in range(50)])
        live = self.follow(run, "?from=live")
        self.emit_texts(run, [str(n) for n in range(50, 100)])
        late, placed = self.follow(run), self.follow(run, "?after=61")
        self.finish(run)
        whole = self.frames(first)
        self.assertEqual(self.deltas(whole), [str(n) for n in range(100)])
        self.assertEqual(self.frames(second), whole)
        self.assertEqual(self.frames(late), whole)
        self.assertEqual(self.deltas(self.frames(live)), [str(n) for n in range(50, 100)])
        self.assertEqual(self.deltas(self.frames(placed)), [str(n) for n in range(60, 100)])

    def test_that_passed_while_a_reader_was_away_come_once_and_then_the_live_ones(self):
        run = self.make()["id"]
        reader = self.follow(run)
        self.emit_texts(run, ["before"] * 9)
        for _ in range(10):
            last = reader.frame().id
        reader.close()
        self.emit_texts(run, [f"missed {n}" for n in range(100)])
        back = self.follow(run, **{"Last-Event-ID": str(last)})
        missed = [back.frame() for _ in range(100)]
        self.assertEqual(self.deltas(missed), [f"missed {n}" for n in range(100)])
        self.emit_texts(run, ["live"])
        self.assertEqual(self.deltas([back.frame()]), ["live"])
        self.finish(run)
        self.assertEqual(self.frames(back)[-1].kind, "close")
        after_the_end = self.follow(run, **{"Last-Event-ID": str(last)})
        frames = self.frames(after_the_end)
        self.assertEqual(self.deltas(frames), [f"missed {n}" for n in range(100)] + ["live"])
        self.assertEqual([frame.kind for frame in frames[-2:]], ["lifecycle.completed", "close"])
        at_the_end = self.follow(run, **{"Last-Event-ID": str(frames[-2].id)})
        self.assertEqual([frame.kind for frame in self.frames(at_the_end)], ["close"])
        self.assertEqual([frame.kind for frame in self.frames(self.follow(run, "?from=live"))], ["close"])

    def test_are_not_found_at_positions_that_are_none(self):
        run = self.make()["id"]
        for position in ("abc", "-1", "1.5", "99999999999999999999"):
            self.assertEqual(self.belfry.get(f"/v1/runs/{run}/events?after={position}").status, 400, position)
            with self.belfry.sse(f"/v1/runs/{run}/events", headers={"Last-Event-ID": position}) as reader:
                self.assertEqual(reader.status, 400, position)
        self.assertEqual(self.belfry.get(f"/v1/runs/{run}/events?after=999").status, 422, "beyond the head")

    def test_survive_byte_for_byte(self):
        run = self.make()["id"]
        texts = [" ", "\n", "\t \r\n", "", "ünïcödé", "日本語", "🙂\u200d🙂", "\u2028\u2029", "a\\b\"c/",
                 "\u0000\u0001\u001f\u007f", "\ufeff", "e\u0301"]
        self.emit_texts(run, texts)
        self.finish(run)
        self.assertEqual(self.deltas(self.frames(self.follow(run))), texts)
        page = self.page(run)
        self.assertEqual([entry["data"]["delta"] for entry in page["data"] if entry["event"] == "llm.stream"], texts)

    def test_are_paged_without_repeats(self):
        run = self.make()["id"]
        self.emit_texts(run, [str(n) for n in range(499)])
        seen, after = [], 0
        for number in range(5):
            page = self.page(run, after=after, limit=100)
            self.assertEqual(len(page["data"]), 100)
            self.assertEqual(page["has_more"], number < 4)
            seen += page["data"]
            after = page["next"]
        self.assertEqual([entry["sequence"] for entry in seen], list(range(1, 501)))
        self.assertEqual(self.page(run, after=after), {"data": [], "next": 500, "has_more": False})

    def test_are_refused_with_what_is_wrong(self):
        run = self.make()["id"]
        for body, status, field in (
                ({"event": "nodot"}, 422, "event"), ({"event": "Upper.case"}, 422, "event"),
                ({"event": "a." + "b" * 100}, 422, "event"), ({"event": "lifecycle.started"}, 422, "event"),
                ({"event": "control.paused"}, 422, "event"), ({"event": "interaction.x"}, 422, "event"),
                ({"data": {}}, 422, "event"), ({"event": "a.b", "id": "7"}, 422, "id"),
                ({"event": "a.b", "more": 1}, 422, "more"),
                ({"event": "a.b", "source": {**WORKER, "team_name": None}}, 422, "source"),
                ([{"event": "a.b"}, {"event": "bad"}], 422, "[1].event"), ([], 422, None)):
            answer = self.belfry.post(f"/v1/runs/{run}/events", body)
            self.assertEqual(answer.status, status, (body, answer.body))
            if field:
                self.assertIn(field, json_of(answer)["field"], body)
        self.assertEqual(self.run_now(run)["events"], 1, "a batch is taken as a whole or not at all")
        answer = self.belfry.post(f"/v1/runs/{run}/events", [{"event": "a.b"}] * 1001)
        self.assertEqual(answer.status, 413)

    def test_over_a_megabyte_are_refused_with_the_limit(self):
        run = self.make()["id"]
        answer = self.belfry.post(f"/v1/runs/{run}/events", {"event": "a.b", "data": "x" * (1 << 20)})
        self.assertEqual(answer.status, 413)
        self.assertIn("1048576", json_of(answer)["detail"])
        fits = self.belfry.post(f"/v1/runs/{run}/events", {"event": "a.b", "data": "x" * ((1 << 20) - 100)})
        self.assertEqual(fits.status, 201)
        self.assertEqual(len(self.page(run, after=1)["data"][0]["data"]), (1 << 20) - 100)

    def test_go_out_over_a_websocket_that_closes_at_the_end(self):
        run = self.make()["id"]
        with self.belfry.websocket(f"/v1/runs/{run}/events") as reader:
            self.emit_texts(run, ["a"])
            self.finish(run)
            messages = [reader.message() for _ in range(4)]
            self.assertEqual([message["type"] for message in messages], ["entry"] * 3 + ["close"])
            self.assertEqual(messages[1]["event"]["data"], {"delta": "a"})
            self.assertEqual(messages[3]["reason"], "ended")

    def test_are_taken_from_a_browser_with_a_ticket(self):
        run = self.make()["id"]
        ticket = json_of(self.belfry.post("/v1/tickets", {}))["ticket"]
        with self.belfry.sse(f"/v1/runs/{run}/events?ticket={ticket}", token=None) as reader:
            self.assertEqual(reader.frame().kind, "lifecycle.started")


class Cancelling(RunCase):
    def test_ends_one_run_with_exactly_one_word_and_leaves_the_others(self):
        a, b = self.make()["id"], self.make()["id"]
        readers = self.follow(a), self.follow(b)
        stop = threading.Event()
        refused = {a: 0, b: 0}

        def produce(run):
            connection = self.belfry.connect()
            for n in range(2000):
                answer = self.belfry.post(f"/v1/runs/{run}/events", {"event": "a.b", "data": {"n": n}},
                                          connection=connection)
                if answer.status != 201:
                    refused[run] += 1
                    assert json_of(answer)["reason"] == "ended", answer.body
                if stop.is_set() or refused[run] > 20:
                    break
            connection.close()

        threads = [threading.Thread(target=produce, args=(run,)) for run in (a, b)]
        for thread in threads:
            thread.start()
        for _ in range(11):  # lifecycle.started and ten events
            readers[0].frame()
        cancelled = self.act(a, "cancel", {"reason": "stop it"})
        self.assertEqual((cancelled["state"], cancelled["cancel_reason"]), ("cancelled", "stop it"))
        rest = self.frames(readers[0])
        self.assertEqual([frame.kind for frame in rest[-2:]], ["lifecycle.cancelled", "close"])
        self.assertEqual(sum(frame.kind == "lifecycle.cancelled" for frame in rest), 1)
        self.assertEqual(rest[-2].data["data"]["reason"], "stop it")
        self.assertTrue(rest[-2].data["data"]["by"].startswith("token:"))
        self.assertEqual(rest[-2].id, cancelled["events"])
        eventually("the producer of the other goes on", lambda: self.run_now(b)["events"] > cancelled["events"] / 2)
        eventually("the producer of the cancelled run is rejected", lambda: refused[a] > 0)
        stop.set()
        for thread in threads:
            thread.join()
        self.assertGreater(refused[a], 0)
        self.assertEqual(refused[b], 0)
        self.assertEqual(self.page(a, after=cancelled["events"])["data"], [], "nothing after it")
        self.finish(b)
        frames = self.frames(readers[1])
        self.assertEqual([frame.id for frame in frames[:-1]], list(range(1, len(frames))))
        for what, body in (("cancel", {}), ("finish", {"state": "completed"})):
            self.assertEqual(self.act(a, what, body, status=409)["reason"], "ended")
        self.assertEqual(self.run_now(a)["state"], "cancelled", "a completion cannot overwrite it")

    def test_of_a_pending_run_means_that_it_never_starts(self):
        run = self.make(start=False)
        self.assertEqual((run["state"], run["events"]), ("pending", 0))
        self.assertEqual(self.act(run["id"], "finish", {"state": "completed"}, status=409)["reason"], "not_running")
        self.assertEqual(self.emit(run["id"], {"event": "a.b"}, status=409)["reason"], "not_running")
        self.act(run["id"], "cancel")
        self.assertEqual(self.act(run["id"], "start", status=409)["reason"], "ended")
        self.assertEqual([frame.kind for frame in self.frames(self.follow(run["id"]))],
                         ["lifecycle.cancelled", "close"])

    def test_takes_the_children_along(self):
        root = self.make()["id"]
        child = self.make(parent_id=root)["id"]
        grandchild = self.make(parent_id=child)["id"]
        self.finish(child)
        aside = self.make()["id"]
        self.act(root, "cancel", {"reason": "all"})
        self.assertEqual([self.run_now(run)["state"] for run in (root, child, grandchild, aside)],
                         ["cancelled", "completed", "cancelled", "running"])
        self.assertEqual(self.belfry.post("/v1/runs", {"parent_id": root}).status, 409)


class Keys(RunCase):
    def test_of_a_run_that_a_token_may_not_see_are_taken(self):
        key, mine, other = unique("k-"), unique("s-"), unique("s-")
        for session in (mine, other):
            self.belfry.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada"})
        run = json_of(self.belfry.post("/v1/runs", {"session_id": other, "run_key": key, "title": "secret"}))["id"]
        token = self.belfry.mint("agent", bounds={"users": ["ada"], "sessions": [mine]})[0]
        self.assertEqual(self.belfry.get(f"/v1/runs/{run}", token=token).status, 403)
        answer = self.belfry.post("/v1/runs", {"session_id": mine, "run_key": key}, token=token)
        self.assertEqual((answer.status, json_of(answer)["reason"]), (409, "taken"), answer.body)
        self.assertNotIn(b"secret", answer.body)


class Repeating(RunCase):
    def test_is_refused_where_the_events_are_there_already(self):
        run = json_of(self.belfry.post("/v1/runs", {}))["id"]
        batch = [{"event": "a.b", "data": n} for n in range(3)]
        first = self.belfry.post(f"/v1/runs/{run}/events?expect_first=2", batch)
        self.assertEqual((first.status, json_of(first)["last"]), (201, 4), first.body)
        again = self.belfry.post(f"/v1/runs/{run}/events?expect_first=2", batch)
        self.assertEqual((again.status, json_of(again)["reason"], json_of(again)["head"]), (409, "taken", 4), again.body)
        self.assertEqual(self.belfry.post(f"/v1/runs/{run}/events?expect_first=6", batch).status, 409)
        for wrong in ("0", "x", "-1", ""):
            answer = self.belfry.post(f"/v1/runs/{run}/events?expect_first={wrong}", batch)
            self.assertEqual((answer.status, json_of(answer)["field"]), (422, "expect_first"), answer.body)
        self.assertEqual(json_of(self.belfry.get(f"/v1/runs/{run}"))["events"], 4)


class Trees(RunCase):
    def test_are_followed_as_a_whole_from_the_first_event_on_where_that_was_asked_for(self):
        root = self.make(tree=True, caller=WORKER)["id"]
        reader = self.follow(root, "?tree=true")
        self.emit_texts(root, ["r1"])
        child = self.make(parent_id=root)
        self.assertEqual((child["root_id"], child["parent_id"]), (root, root))
        self.emit_texts(child["id"], ["c1", "c2"])
        self.emit_texts(root, ["r2"])
        self.finish(child["id"])
        self.finish(root)
        frames = self.frames(reader)
        self.assertEqual([frame.id for frame in frames[:-1]], list(range(1, len(frames))), "the tree's own sequence")
        self.assertEqual([(frame.data["run_id"], frame.data["sequence"]) for frame in frames[:-2]],
                         [(root, 1), (root, 2), (child["id"], 1), (child["id"], 2), (child["id"], 3), (root, 3),
                          (child["id"], 4), (root, 4)])
        self.assertEqual(frames[-2].kind, "tree.closed")
        self.assertEqual([frame.kind for frame in self.frames(self.follow(child["id"]))],
                         ["lifecycle.started", "llm.stream", "llm.stream", "lifecycle.completed", "close"])
        again = self.follow(child["id"], "?tree=true&after=3")
        self.assertEqual(self.frames(again), frames[3:])
        at_the_end = self.follow(root, f"?tree=true&after={frames[-2].id}")
        self.assertEqual([frame.kind for frame in self.frames(at_the_end)], ["close"])

    def test_begin_with_the_first_child_and_say_where_the_root_was(self):
        root = self.make()["id"]
        self.emit_texts(root, ["a", "b"])
        self.assertEqual(self.belfry.get(f"/v1/runs/{root}/events?tree=true").status, 404)
        child = self.make(parent_id=root)["id"]
        page = self.page(root, tree="true")
        self.assertEqual([entry["event"] for entry in page["data"]], ["tree.opened", "lifecycle.started"])
        self.assertEqual(page["data"][0]["data"], {"root_sequence": 3})
        self.assertTrue(self.run_now(root)["tree"])
        listed = json_of(self.belfry.get(f"/v1/runs?root={root}"))
        self.assertEqual([run["id"] for run in listed["data"]], [child, root])

    def test_what_is_emitted_without_a_source_came_from_the_runs_agent(self):
        run = self.belfry.run("run", "create", "--agent", "w1").out.strip()
        self.belfry.run("run", "emit", run, "a.b", '{"n":1}')
        self.belfry.post(f"/v1/runs/{run}/events", {"event": "a.c", "source": {
            "agent_id": "w2", "agent_type": "global_supervisor", "agent_name": "Two"}})
        self.belfry.run("run", "finish", run)
        shown = self.belfry.run("run", "tail", run, "--agent", "w1")
        self.assertRegex(shown.out, r"a\.b w1 ")
        self.assertNotIn("a.c", shown.out)

    def test_tells_in_a_terminal_which_run_speaks(self):
        root = self.belfry.run("run", "create", "--tree").out.strip()
        child = self.belfry.run("run", "create", "--parent", root).out.strip()
        for one in (child, root):
            self.belfry.run("run", "emit", one, "a.b")
            self.belfry.run("run", "finish", one)
        shown = self.belfry.run("run", "tail", root, "--tree")
        for one in (child, root):
            self.assertRegex(shown.out, rf"run {one} .*a\.b")
        self.assertNotIn("run ", self.belfry.run("run", "tail", child).out.replace("run_", ""))

    def test_can_be_narrowed_to_one_agent(self):
        other = {**WORKER, "agent_id": "w2", "agent_name": "Otto"}
        root = self.make(tree=True, caller=WORKER)["id"]
        child = self.make(parent_id=root, caller=other)["id"]
        self.emit_texts(root, ["one"])
        self.emit_texts(child, ["two"])
        self.emit(root, {"event": "llm.stream", "data": {"delta": "lent"}, "source": other})
        self.finish(child)
        self.finish(root)
        frames = self.frames(self.follow(root, "?tree=true&agent=w2"))
        self.assertEqual(self.deltas(frames), ["two", "lent"])
        self.assertTrue(all(frame.data["source"]["agent_id"] == "w2" for frame in frames[:-1]))
        only = self.frames(self.follow(root, "?agent=w2"))
        self.assertEqual(self.deltas(only), ["lent"])
        self.assertEqual(only[-1].kind, "close")


class AgUi(RunCase):
    def events(self, run, query="", **headers):
        reader = self.follow(run, "?format=ag-ui" + query, **headers)
        frames = self.frames(reader)
        self.assertEqual({frame.kind for frame in frames[:-1]} - {"message"}, set())
        return frames[:-1]

    def test_are_what_a_run_says(self):
        run = self.make(session_id=unique("s"))
        self.emit(run["id"], [
            {"event": "step.started", "data": {"step_name": "plan"}},
            {"event": "llm.stream", "data": {"delta": "Hel"}}, {"event": "llm.stream", "data": {"delta": ""}},
            {"event": "llm.stream", "data": {"delta": "lo"}},
            {"event": "llm.tool_call", "data": {"tool_call_id": "c1", "tool_name": "mail", "arguments": {"a": 1}}},
            {"event": "llm.tool_result", "data": {"tool_call_id": "c1", "content": "sent"}},
            {"event": "llm.message_start", "data": {"message_id": "x"}},
            {"event": "llm.stream", "data": {"message_id": "x", "delta": "fine"}},
            {"event": "custom.thing", "data": {"k": [1]}},
            {"event": "llm.message_end", "data": {"message_id": "x"}}])
        self.finish(run["id"], result={"ok": True})
        frames = self.events(run["id"])
        said = [frame.data for frame in frames]
        thread = {"threadId": run["session_id"], "runId": str(run["id"])}
        self.assertEqual(said, [
            {"type": "RUN_STARTED", **thread}, {"type": "STEP_STARTED", "stepName": "plan"},
            {"type": "TEXT_MESSAGE_START", "messageId": "m3", "role": "assistant"},
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m3", "delta": "Hel"},
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m3", "delta": "lo"},
            {"type": "TEXT_MESSAGE_END", "messageId": "m3"},
            {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "mail"},
            {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": "{\"a\":1}"},
            {"type": "TOOL_CALL_END", "toolCallId": "c1"},
            {"type": "TOOL_CALL_RESULT", "messageId": "r7", "toolCallId": "c1", "content": "sent", "role": "tool"},
            {"type": "TEXT_MESSAGE_START", "messageId": "x", "role": "assistant"},
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "x", "delta": "fine"},
            {"type": "CUSTOM", "name": "custom.thing", "value": {"k": [1]}},
            {"type": "TEXT_MESSAGE_END", "messageId": "x"}, {"type": "STEP_FINISHED", "stepName": "plan"},
            {"type": "RUN_FINISHED", **thread, "result": {"ok": True}}])
        for frame in frames:
            if frame.id is None:
                continue
            back = self.events(run["id"], **{"Last-Event-ID": str(frame.id)})
            self.assertEqual([other.data for other in back], said[frames.index(frame) + 1:], "wherever one comes back")

    def test_of_failed_and_cancelled_runs_are_errors(self):
        run = self.make()["id"]
        self.act(run, "finish", {"state": "failed", "error": {"type": "boom", "message": "it broke"}})
        self.assertEqual(self.events(run)[-1].data, {"type": "RUN_ERROR", "message": "it broke", "code": "boom"})
        other = self.make()["id"]
        self.act(other, "cancel")
        self.assertEqual(self.events(other)[-1].data,
                         {"type": "RUN_ERROR", "message": "cancelled", "code": "cancelled"})

    def test_go_out_as_server_sent_events_only(self):
        run = self.make()["id"]
        self.assertEqual(self.belfry.get(f"/v1/runs/{run}/events?format=ag-ui").status, 406)


if __name__ == "__main__":
    unittest.main()
