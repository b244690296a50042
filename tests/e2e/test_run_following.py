"""Following runs by tokens that are bound, over every way, and what AG-UI readers get of a log that was trimmed."""

import unittest

from belfry import json_of, unique
from rpc import OverWebSocket
from runs import WORKER, RunCase


class ATokenOfTwoSessions(RunCase):
    def setUp(self):
        self.sessions = [unique("s"), unique("s")]
        self.runs = [self.make(user_id="ada", session_id=session)["id"] for session in self.sessions]
        self.token = self.belfry.mint("agent", bounds={"sessions": self.sessions})[0]
        for run in self.runs:
            self.emit_texts(run, [f"of {run}"])

    def told(self, run, **more):
        """What a follower over JSON-RPC is told until the end."""
        with OverWebSocket(self.belfry, token=self.token) as peer:
            peer.ok("run/follow", {"run_id": run, **more})
            events = []
            while (got := peer.notification())["method"] != "run/closed":
                events.append(got["params"]["event"])
        return events

    def test_follows_the_runs_of_both_on_every_way(self):
        for run in self.runs:
            self.finish(run)
            path = f"/v1/runs/{run}/events"
            page = self.belfry.get(path, token=self.token)
            self.assertEqual(page.status, 200, page.body)
            whole = json_of(page)["data"]
            self.assertEqual(whole[1]["data"], {"delta": f"of {run}"})
            with self.belfry.sse(path, token=self.token) as reader:
                self.assertEqual(reader.status, 200)
                self.assertEqual([frame.data for frame in self.frames(reader)[:-1]], whole)
            with self.belfry.websocket(path, token=self.token) as reader:
                self.assertEqual([reader.message()["event"] for _ in whole], whole)
            self.assertEqual(self.told(run), whole)

    def test_sees_of_a_tree_what_is_of_the_session_that_it_named(self):
        child = self.make(parent_id=self.runs[0], session_id=self.sessions[1])["id"]
        foreign = self.make(parent_id=self.runs[0], session_id=unique("s"))["id"]
        self.emit_texts(child, ["of the child"])
        self.emit_texts(foreign, ["not for this token"])
        for run in (foreign, child, self.runs[0]):
            self.finish(run)
        seen = {}
        for run in (self.runs[0], child):
            with self.belfry.sse(f"/v1/runs/{run}/events?tree=true", token=self.token) as reader:
                frames = self.frames(reader)
            seen[run] = {frame.data["run_id"] for frame in frames[:-1] if not frame.kind.startswith("tree.")}
            self.assertEqual([one["event"] for one in self.told(run, tree=True)], [frame.kind for frame in frames[:-1]])
        self.assertEqual(seen, {self.runs[0]: {self.runs[0]}, child: {child}})
        self.assertEqual(self.belfry.get(f"/v1/runs/{foreign}/events?tree=true", token=self.token).status, 403)


class OverJsonRpc(RunCase):
    def peer(self):
        peer = OverWebSocket(self.belfry)
        self.addCleanup(peer.close)
        return peer

    def told(self, peer):
        events = []
        while (got := peer.notification())["method"] != "run/closed":
            events.append(got["params"]["event"])
        return events

    def test_a_tree_and_one_agent_are_followed_as_over_http(self):
        other = {**WORKER, "agent_id": "w2", "agent_name": "Otto"}
        root = self.make(tree=True, caller=WORKER)["id"]
        child = self.make(parent_id=root, caller=other)["id"]
        self.emit_texts(root, ["one"])
        self.emit_texts(child, ["two"])
        self.finish(child)
        self.finish(root)
        for params, query in (({"tree": True}, "?tree=true"), ({"tree": True, "agent": "w2"}, "?tree=true&agent=w2"),
                              ({"agent": "w2"}, "?agent=w2"), ({"tree": True, "after": 3}, "?tree=true&after=3")):
            peer = self.peer()
            peer.ok("run/follow", {"run_id": root, **params})
            whole = [frame.data for frame in self.frames(self.follow(root, query))[:-1]]
            self.assertEqual(self.told(peer), whole, params)
        alone = self.make()["id"]
        self.assertEqual(self.peer().refused("run/follow", {"run_id": alone, "tree": True})["data"]["field"], "tree")
        self.assertEqual(self.peer().refused("run/follow", {"run_id": root, "agent": ""})["data"]["field"], "agent")

    def test_a_place_beyond_the_head_is_refused(self):
        run = self.make()["id"]
        self.emit_texts(run, ["a", "b"])
        for after in (4, 5):
            self.assertEqual(self.peer().refused("run/follow", {"run_id": run, "after": after})["data"]["field"], "after")
        peer = self.peer()
        peer.ok("run/follow", {"run_id": run, "after": 3})
        self.emit_texts(run, ["c"])
        self.assertEqual(peer.notification()["params"]["sequence"], 4, "and at the head nothing is passed over")
        empty = self.make(start=False)["id"]
        self.assertEqual(self.peer().refused("run/follow", {"run_id": empty, "after": 1})["data"]["field"], "after")


class Trimmed(RunCase):
    options = ("--run-events-kept", "10")

    def test_gaps_are_told_alike_on_every_way(self):
        run = self.make()["id"]
        self.emit_texts(run, [f"{n}" for n in range(29)])  # 1 to 30; 21 to 30 are kept
        for after, gap in ((0, (1, 20)), (5, (6, 20)), (19, (20, 20)), (20, None), (21, None), (30, None)):
            with OverWebSocket(self.belfry) as peer:
                peer.ok("run/follow", {"run_id": run, "after": after})
                reader = self.follow(run, f"?after={after}")
                if gap:
                    told = peer.notification()["params"]["gap"]
                    self.assertEqual((told["from"], told["to"]), gap, after)
                    frame = reader.frame()
                    self.assertEqual((frame.kind, frame.data), ("gap", told), after)
                if after < 30:
                    first = max(after, 20) + 1
                    self.assertEqual((peer.notification()["params"].get("sequence"), reader.frame().id), (first, first), after)


if __name__ == "__main__":
    unittest.main()
