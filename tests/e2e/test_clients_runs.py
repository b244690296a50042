"""Runs through the small clients, against the real binary: one test for both."""

import json
import os
import subprocess
import unittest

import belfry
from belfry import unique
from client_case import ClientCase

WORKER = {"agent_id": "w1", "agent_type": "worker", "agent_name": "Worker", "team_name": "blue"}


class Runs:
    """Runs and their streams, alike in both."""

    def create(self, **more):
        return self.agent.create_run(user_id=self.user, **more)

    def names(self, following):
        found = []
        while (event := following.next()) is not None:
            found.append(event["event"])
        return found

    def test_a_run_from_its_start_to_its_end(self):
        run = self.create(title="Write", caller=WORKER, run_key=unique("k-"))
        self.assertEqual((run["state"], run["caller"]), ("running", {**WORKER}))
        again = self.create(title="Write", caller=WORKER, run_key=run["run_key"])
        self.assertEqual(again["id"], run["id"])
        following = self.person.follow_items("follow_run", run["id"])
        self.assertEqual(following.next()["event"], "lifecycle.started")
        accepted = self.agent.emit_run(run["id"], {"event": "llm.stream", "data": {"text": " \n\té漢\u2028"}})
        event = following.next()
        self.assertEqual((event["sequence"], event["data"], event["source"]["agent_id"]),
                         (accepted["first"], {"text": " \n\té漢\u2028"}, "w1"))
        self.agent.emit_run(run["id"], [{"event": "a.b", "data": number} for number in range(3)])
        self.agent.finish_run(run["id"], "completed", result={"answer": 42})
        self.assertEqual(self.names(following), ["a.b", "a.b", "a.b", "lifecycle.completed"])
        ended = self.person.run(run["id"])
        self.assertEqual((ended["state"], ended["result"]), ("completed", {"answer": 42}))
        self.refused("conflict", lambda: self.agent.emit_run(run["id"], {"event": "a.b"}))
        self.refused("conflict", lambda: self.agent.cancel_run(run["id"]))
        self.assertIn(run["id"], [one["id"] for one in self.person.runs(user=self.user)["data"]])

    def test_an_upload_is_seen_while_it_goes_on(self):
        run = self.create()
        following = self.person.follow_items("follow_run", run["id"])
        self.assertEqual(following.next()["event"], "lifecycle.started")
        upload = self.agent.begin_upload(run["id"])
        for number in range(5):
            upload.feed({"event": "llm.stream", "data": {"text": str(number)}})
            self.assertEqual(following.next()["data"], {"text": str(number)}, "before the next one is made")
        result = upload.finish()
        self.assertEqual((result["accepted"], result["last"] - result["first"], result["state"]), (5, 4, "running"))
        following.close()

    def test_a_refused_line_ends_an_upload_and_what_was_before_it_stays(self):
        run = self.create()
        upload = self.agent.begin_upload(run["id"])
        upload.feed({"event": "a.b", "data": 1})
        upload.feed({"event": "lifecycle.completed"})
        error = self.refused("invalid", upload.finish)
        self.assertEqual(error.problem["line"], 2)
        self.assertEqual([event["event"] for event in self.agent.run_events(run["id"])["data"]], ["lifecycle.started", "a.b"])

    def test_a_reader_goes_on_where_it_was(self):
        run = self.create()
        self.agent.emit_run(run["id"], [{"event": "a.b", "data": number} for number in range(100)])
        first = self.person.follow_items("follow_run", run["id"])
        last = [first.next() for _ in range(41)][-1]["sequence"]
        first.close()
        self.agent.finish_run(run["id"])
        second = self.person.follow_items("follow_run", run["id"], after=last)
        found = []
        while (event := second.next()) is not None:
            found.append(event["sequence"])
        self.assertEqual(found, list(range(last + 1, 103)))

    def test_history_comes_in_pages(self):
        run = self.create()
        self.agent.emit_run(run["id"], [{"event": "a.b", "data": number} for number in range(499)])
        found, after = [], 0
        for _ in range(5):
            page = self.person.run_events(run["id"], after=after, limit=100)
            found += [event["sequence"] for event in page["data"]]
            after = page["next"]
        self.assertEqual((found, page["has_more"]), (list(range(1, 501)), False))

    def test_a_cancelled_run_says_so_once_and_refuses_more(self):
        run, other = self.create(), self.create()
        following = self.person.follow_items("follow_run", run["id"])
        self.agent.emit_run(run["id"], {"event": "a.b"})
        self.assertEqual(self.person.cancel_run(run["id"], reason="enough")["state"], "cancelled")
        self.assertEqual(self.names(following), ["lifecycle.started", "a.b", "lifecycle.cancelled"])
        self.refused("conflict", lambda: self.agent.emit_run(run["id"], {"event": "a.b"}), reason="ended")
        self.refused("conflict", lambda: self.agent.finish_run(run["id"]))
        self.assertEqual(self.agent.run(other["id"])["state"], "running")

    def test_a_run_waits_to_be_started_and_pauses(self):
        run = self.create(start=False)
        self.assertEqual(run["state"], "pending")
        self.assertEqual(self.agent.start_run(run["id"])["state"], "running")
        self.assertTrue(self.person.pause_run(run["id"])["paused"])
        self.assertTrue(self.agent.emit_run(run["id"], {"event": "a.b"})["paused"])
        self.assertFalse(self.person.resume_run(run["id"])["paused"])
        self.agent.finish_run(run["id"], "failed", error={"type": "ValueError", "message": "no"})
        following = self.person.follow_items("follow_run", run["id"])
        self.assertEqual(self.names(following), ["lifecycle.started", "control.paused", "a.b", "control.resumed", "lifecycle.failed"])

    def test_a_tree_and_one_agent_of_it(self):
        root = self.create(tree=True)
        child = self.create(parent_id=root["id"], caller=WORKER)
        self.agent.emit_run(child["id"], {"event": "child.speaks"})
        self.agent.emit_run(root["id"], {"event": "root.speaks"})
        tree = self.person.follow_items("follow_run", root["id"], tree=True)
        seen = set()
        while len(seen) < 2:
            event = tree.next()
            if event["event"].endswith("speaks"):
                seen.add((event["run_id"], event["event"]))
        self.assertEqual(seen, {(root["id"], "root.speaks"), (child["id"], "child.speaks")})
        tree.close()
        self.agent.finish_run(child["id"])
        self.agent.finish_run(root["id"])
        of_worker = self.person.follow_items("follow_run", child["id"], agent="w1")
        self.assertIn("child.speaks", self.names(of_worker))

    def test_ag_ui_events(self):
        run = self.create()
        self.agent.emit_run(run["id"], [{"event": "llm.stream", "data": {"text": "Hello"}}, {"event": "llm.stream", "data": {"text": " you"}}])
        self.agent.finish_run(run["id"])
        following = self.person.follow_items("follow_run", run["id"], format="ag-ui")
        found = []
        while (event := following.next()) is not None:
            found.append(event["type"])
        self.assertEqual(found, ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CONTENT",
                                 "TEXT_MESSAGE_END", "RUN_FINISHED"])

    def test_an_unknown_run_is_not_found(self):
        self.refused("not_found", lambda: self.agent.run(999999999))
        self.refused("not_found", self.person.follow_items("follow_run", 999999999).next)

    def test_a_stream_outlives_the_daemon(self):
        daemon = self.daemon()
        client = self.side.client(f"unix:{daemon.socket_path}", daemon.admin_token)
        self.addCleanup(client.close)
        run = client.create_run(user_id="ada")
        following = client.follow_items("follow_run", run["id"])
        self.assertEqual(following.next()["event"], "lifecycle.started")
        daemon.kill()
        daemon.start()
        client.emit_run(run["id"], {"event": "after.restart"})
        client.finish_run(run["id"])
        self.assertEqual(self.names(following), ["after.restart", "lifecycle.completed"])


class CommandLine(belfry.Case):
    """The client of C++, which the command line uses."""

    def test_live_means_from_now_on_also_when_the_daemon_dies_before_the_first_event(self):
        daemon = self.daemon()
        run = belfry.json_of(daemon.post("/v1/runs", {"user_id": "ada"}))["id"]
        tail = subprocess.Popen([belfry.BINARY, "run", "tail", str(run), "--from", "live", "--json", "--socket", daemon.socket_path],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=daemon.environment, text=True,
                                preexec_fn=belfry.end_with_parent)
        self.addCleanup(lambda: (tail.poll() is None and tail.kill(), tail.communicate()))
        belfry.eventually("it follows", lambda: daemon.metrics()["belfry_stream_readers"] >= 1)
        daemon.kill()
        tail.stderr.readline()  # that it is lost
        os.remove(daemon.socket_path)
        daemon.options += ["--socket", daemon.socket_path + ".new"]  # tail finds it late
        daemon.start()
        for number in range(1, 9):
            self.assertEqual(daemon.post(f"/v1/runs/{run}/events", {"event": "test.number", "data": number}).status, 201)
        os.rename(daemon.socket_path + ".new", daemon.socket_path)
        self.assertEqual(daemon.post(f"/v1/runs/{run}/finish", {"state": "completed"}).status, 200)
        out, err = tail.communicate(timeout=belfry.PATIENCE)
        self.assertEqual(tail.returncode, 0, err)
        events = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([one["data"] for one in events if one["event"] == "test.number"], list(range(1, 9)))


class Python(Runs, ClientCase):
    pass


class Typescript(Runs, ClientCase):
    language = "typescript"


class TypescriptOverUnix(Runs, ClientCase):
    language = "typescript"
    way = "unix"


if __name__ == "__main__":
    unittest.main()
