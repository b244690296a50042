"""What is kept and what is not: erasure of a person's data, and retention."""

import json
import os
import sqlite3
import unittest

import belfry
from belfry import event, files_of, json_of, unique

OK, FAILURE, USAGE = 0, 1, 2


class Erasure(belfry.Case):
    def fill(self, daemon, user, mark, count=300):
        """Events of somebody among those of others; a mark in every field that a person's data may be in."""
        his = lambda: event(user_id=user, source=mark, session_id=mark, dedupe_key=unique(mark), tokens=[mark],
                            agent_id=mark, payload={"text": mark * 20}, further=mark)
        other = lambda: event(user_id="other", payload={"text": "kept" * 20})
        for _ in range(count // 100):
            daemon.emit_ok([his() if n % 3 == 0 else other() for n in range(100)])
        daemon.emit_ok({**his(), "payload": {"text": mark * 50000}})

    def assert_erased(self, daemon, user, entries_before):
        entries = daemon.entries()
        self.assertEqual(len(entries), len(entries_before))
        for before, now in zip(entries_before, entries):
            if before["event"].get("user_id") == user:
                self.assertEqual(now, {"sequence": before["sequence"], "erased": True})
            else:
                self.assertEqual(now, before)

    def traces(self, daemon, mark):
        return {name: content.count(mark.encode()) for name, content in files_of(daemon).items()}

    def assert_no_trace(self, daemon, mark):
        found = self.traces(daemon, mark)
        if sum(found.values()) == 0:
            return
        where = []
        with sqlite3.connect(os.path.join(daemon.data, "belfry.db")) as database:
            for (table,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
                rows = database.execute(f"SELECT * FROM {table}").fetchall()  # pylint: disable=W
                count = sum(1 for row in rows if any(isinstance(cell, bytes) and mark.encode() in cell for cell in row))
                where += [f"{count} rows of {table}"] if count else []
        database.close()
        self.fail(f"his data is still there: {found}; {where or 'in free pages'}")

    def log_of(self, daemon):
        with open(os.path.join(daemon.data, "belfry.db-wal"), "rb") as log:
            return log.read()

    def done(self, daemon, name):
        return json_of(daemon.get(f"/v1/erasures/{name}"))["state"] == "done"

    def test_removes_the_bytes_and_leaves_the_places_and_others_alone(self):
        daemon = self.daemon()
        user, mark = unique("user"), unique("mark")
        token, _ = daemon.mint("user", user_id=user)
        self.fill(daemon, user, mark)
        before = daemon.entries()
        shown = daemon.run("erase", "--user", user, "--json")
        self.assertEqual(shown.code, OK, shown.err)
        told = json.loads(shown.out)
        self.assertEqual(told["state"], "done")
        self.assertGreater(told["progress"]["erased"], 100)
        if belfry.STORE == "sqlite":
            belfry.eventually("a log without his data", lambda: mark.encode() not in self.log_of(daemon), pause=0.05)
        self.assert_erased(daemon, user, before)
        self.assertEqual(daemon.get("/v1/streams", token=token).status, 401, "his tokens end with it")
        with daemon.sse("/v1/streams/events?from=start") as reader:
            frames = reader.entries(len(before))
        self.assertEqual(sum(1 for frame in frames if frame.get("erased")), told["progress"]["erased"])
        actions = [entry["event"] for entry in daemon.entries("audit")]
        self.assertIn("user.erase", [action["action"] for action in actions])
        self.assertEqual(actions[-1]["action"], "user.erased")
        self.assertEqual(actions[-1]["erasure"], told["id"])
        daemon.stop()
        if belfry.STORE == "sqlite":
            self.assert_no_trace(daemon, mark)
        daemon.start()
        self.assert_erased(daemon, user, before)

    def test_takes_what_names_only_a_session_of_his_and_he_reads_it_before(self):
        daemon = self.daemon()
        user, mark, session = unique("user"), unique("mark"), unique("s")
        token, _ = daemon.mint("user", user_id=user)
        self.assertEqual(daemon.request("PUT", f"/v1/sessions/{session}", {"user_id": user}).status, 200)
        daemon.emit_ok(event(session_id=session, payload={"text": mark}))
        daemon.emit_ok(event(payload={"text": "of the house"}))
        seen = daemon.entries(token=token)
        self.assertEqual([entry["event"]["payload"]["text"] for entry in seen], [mark])
        shown = daemon.run("erase", "--user", user)
        self.assertEqual(shown.code, OK, shown.err)
        first, second = daemon.entries()
        self.assertTrue(first["erased"])
        self.assertEqual(second["event"]["payload"]["text"], "of the house")
        if belfry.STORE == "sqlite":  # whose log is emptied as soon as no reader is in the way
            belfry.eventually("nothing of his is in a file", lambda: sum(self.traces(daemon, mark).values()) == 0)

    def test_goes_on_after_the_daemon_was_killed_in_the_middle(self):
        daemon = self.daemon()
        user, mark = unique("user"), unique("mark")
        for _ in range(6):  # more blocks than one slice has
            for _ in range(100):
                daemon.emit_ok([event(user_id=user, source=mark, payload={"text": mark})] * 2)
        before = daemon.entries()
        name = json_of(daemon.post("/v1/erasures", {"user_id": user}))["id"]
        daemon.kill()
        daemon.start()
        # The claim of the dead one must run out first, or be recognised as such.
        belfry.eventually("done", lambda: self.done(daemon, name), patience=75, pause=0.2)
        self.assert_erased(daemon, user, before)
        actions = [entry["event"]["action"] for entry in daemon.entries("audit")]
        self.assertEqual((actions.count("user.erase"), actions.count("user.erased")), (1, 1))
        daemon.stop()
        if belfry.STORE == "sqlite":
            self.assert_no_trace(daemon, mark)

    def test_of_nobody_and_bad_input(self):
        daemon = self.daemon()
        self.assertEqual(daemon.run("erase", "--user", "nobody").code, OK)
        self.assertEqual(daemon.run("erase").code, USAGE)
        self.assert_problem(daemon.post("/v1/erasures", {"user_id": ""}), 422, "invalid", field="user_id")
        self.assert_problem(daemon.post("/v1/erasures", {}), 422, "invalid", field="user_id")
        self.assert_problem(daemon.get("/v1/erasures/nonsense"), 404, "not_found")
        self.assert_problem(daemon.get("/v1/erasures/018f0000-0000-7000-8000-000000000000"), 404, "not_found")
        shown = daemon.run("erase", "--user", "somebody", "--no-wait")
        self.assertEqual(shown.code, OK)
        belfry.eventually("done", lambda: self.done(daemon, shown.out.strip()))


class Retention(belfry.Case):
    def test_by_size_leaves_an_explicit_gap_and_gives_the_room_back(self):
        daemon = self.daemon("--keep-events-bytes", "1MiB")
        connection = daemon.connect()
        total = 0
        # More commits than the lag of the index, so that there is something that may go.
        for _ in range(560):
            daemon.emit_ok([event(payload={"text": "r" * 4000})] * 2, connection=connection)
            total += 2
        connection.close()
        daemon.stop()
        daemon.start()  # retention looks at the start, and every minute
        floors = []

        def has_settled():  # it drops in slices
            floors.append(json_of(daemon.get("/v1/streams"))["data"][0]["floor"])
            return floors[-1] > 0 and floors[-20:] == [floors[-1]] * 20
        belfry.eventually("a floor", has_settled, pause=0.05)
        floor = floors[-1]
        self.assertLess(floor, total)
        with daemon.sse("/v1/streams/events?after=0") as reader:
            frame = reader.frame()
            self.assertEqual((frame.kind, frame.data), ("gap", {"from": 1, "to": floor}))
            self.assert_whole(reader.entries(total - floor), first=floor + 1)
        with daemon.websocket("/v1/streams/events?after=0") as reader:
            self.assertEqual(reader.message(), {"type": "gap", "from": 1, "to": floor})
        page = daemon.page(after=0, limit=1)
        self.assertEqual(page["data"][0]["sequence"], floor + 1)
        self.assertEqual(page.get("gap"), {"from": 1, "to": floor}, "a page, too, says what is gone")
        self.assertNotIn("gap", daemon.page(after=floor, limit=1))
        self.assertNotIn("gap", daemon.page(limit=1), "one who begins at the beginning misses nothing")
        shown = daemon.run("tail", "--from", "0", "--no-follow", "--json")
        self.assertEqual(shown.code, OK)
        self.assertEqual(len(shown.out.splitlines()), total - floor)
        self.assertIn("gone", shown.err)
        kept = total - floor
        self.assertLess(kept * 4000, (1 << 20) + 600 * 8200, "what the index lists and is over the limit goes")
        self.assertEqual(daemon.emit_ok(event())["sequence"], total + 1)


if __name__ == "__main__":
    unittest.main()
