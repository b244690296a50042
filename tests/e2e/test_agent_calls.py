"""Workers over JSON-RPC: claims that wait at a WebSocket, and what is said under them, once and under the same fence as over HTTP."""

import contextlib
import datetime
import signal
import socket
import struct
import subprocess
import unittest

import belfry
import faults
import rpc
from agents import AgentCase, instant
from belfry import eventually, json_of, unique


def claim(agent, **members):
    return {"agents": [agent], **members}


def under(grant, **members):
    return {"wake_id": grant["wake"]["id"], "fence": grant["wake"]["fence"], **members}


def break_off(peer):
    """As the socket of a process that was killed with something unread."""
    peer.web.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


class CallCase(AgentCase):
    def connect(self, daemon, token="admin"):
        peer = rpc.OverWebSocket(daemon, token=token)
        self.addCleanup(peer.close)
        return peer

    def waiting(self, daemon, peer, agent, **members):
        """The number of a claim that has asked for the first time and found nothing."""
        number = peer.request("wake/claim", claim(agent, **(members or {"until_granted": True})))
        peer.ok("ping")
        # Whoever asks now is answered after it, because there is one thread that decides.
        self.assertIsNone(self.claim(daemon, agent))
        return number

    def granted(self, peer, number):
        got = peer.answer(number)
        self.assertTrue(got.get("result"), got)
        return got["result"]

    def assert_refused(self, got, number, code, field=None, reason=None):
        self.assertEqual((got["code"], got["data"]["code"], got["data"].get("field"), got["data"].get("reason")),
                         (number, code, field, reason), got)


class SharedCalls(CallCase, belfry.SharedCase):
    pass


class AWorker(SharedCalls):
    def test_waits_until_an_event_wakes_its_agent_and_does_all_of_its_work(self):
        agent = self.agent(self.belfry)
        self.subscribe(self.belfry, agent, agent + ".*", window_ms=0)
        peer = self.connect(self.belfry)
        number = self.waiting(self.belfry, peer, agent, wait_s=60, lease_s=60, holder="me", context_messages=5)
        self.emit(self.belfry, agent + ".failed", payload={"branch": "main"})
        grant = self.granted(peer, number)
        wake = grant["wake"]
        self.assertEqual((wake["state"], wake["holder"], wake["agent_id"], grant["agent"]["id"]), ("running", "me", agent, agent))
        self.assertEqual([one["body"]["payload"] for one in grant["signals"]], [{"branch": "main"}])
        self.assertEqual((grant["messages"], grant["plans"]), ([], []))
        plan = peer.ok("wake/plan", under(grant, actions=[{"tool_name": "build", "arguments": {"clean": True}}]))
        self.assertEqual([one["tool_name"] for one in plan["actions"]], ["build"])
        added = peer.ok("wake/messages", under(grant, messages=[{"kind": "thought", "content": "hm"}]))
        self.assertEqual((added["added"], added["data"][0]["content"]), (1, "hm"))
        changed = peer.ok("wake/state", under(grant, state={"slots": {"primary_goal": "green"}}))
        self.assertEqual(changed["state"]["slots"]["primary_goal"], "green")
        renewed = peer.ok("wake/renew", under(grant, lease_s=600))
        self.assertGreaterEqual(instant(renewed["lease_until"]) - instant(wake["lease_until"]), datetime.timedelta(seconds=540))
        ended = peer.ok("wake/end", under(grant, result={"fixed": True}))
        self.assertEqual((ended["state"], ended["attempts"]), ("completed", 1))
        self.assertEqual(json_of(self.belfry.get(f"/v1/runs/{wake['run_id']}"))["result"], {"fixed": True})
        self.assertEqual(len(self.wakes(self.belfry, agent)), 1, "what it changed itself wakes it no more")

    def test_hears_that_there_was_nothing(self):
        agent = self.agent(self.belfry)
        peer = self.connect(self.belfry)
        self.assertIsNone(peer.ok("wake/claim", claim(agent)))
        self.assertIsNone(peer.ok("wake/claim", claim(agent, wait_s=1)))

    def test_beside_another_has_each_wake_alone(self):
        agent = self.agent(self.belfry)
        first, second = self.connect(self.belfry), self.connect(self.belfry)
        for peer in (first, second):
            self.waiting(self.belfry, peer, agent)
        made = self.wake_now(self.belfry, agent, request_id="1")
        got = {}

        def is_granted():
            for peer in (first, second):
                if answer := peer.receive(0.05):
                    got[peer] = answer["result"]
            return got
        eventually("one has it", is_granted)
        next_one = self.wake_now(self.belfry, agent, request_id="2")
        self.assertTrue(first.quiet() and second.quiet(), "one run at a time")
        [(winner, grant)] = got.items()
        self.assertEqual(grant["wake"]["id"], made["id"])
        winner.send({"jsonrpc": "2.0", "method": "wake/end", "params": under(grant)})
        again = (second if winner is first else first).receive()["result"]
        self.assertEqual((again["wake"]["id"], again["wake"]["fence"], again["wake"]["attempts"]), (next_one["id"], 1, 1))
        winner.ok("wake/end", under(again))
        self.assertTrue(first.quiet() and second.quiet(), "each claim is answered once")

    def test_that_is_killed_at_work_leaves_the_wake_to_run_again_under_its_key(self):
        agent = self.agent(self.belfry)
        killed, other = self.connect(self.belfry), self.connect(self.belfry)
        number = self.waiting(self.belfry, killed, agent, until_granted=True, lease_s=1)
        made = self.wake_now(self.belfry, agent)
        first = self.granted(killed, number)
        break_off(killed)
        again = self.granted(other, other.request("wake/claim", claim(agent, until_granted=True)))
        self.assertEqual((again["wake"]["id"], again["wake"]["run_key"], again["wake"]["run_id"]),
                         (made["id"], first["wake"]["run_key"], first["wake"]["run_id"]))
        self.assertEqual((again["wake"]["fence"], again["wake"]["attempts"], again["wake"]["error"]["type"]), (2, 2, "lost"))
        for method, more in (("renew", {}), ("end", {}), ("end", {"release": True}), ("state", {"state": {}}),
                             ("messages", {"messages": [{"kind": "thought", "content": "x"}]}),
                             ("plan", {"actions": [{"tool_name": "t"}]})):
            self.assert_refused(other.refused("wake/" + method, under(first, **more)), -32009, "conflict", "fence", "stale_claim")
        self.assertEqual(other.ok("wake/end", under(again))["state"], "completed")

    def test_that_has_to_stop_releases_the_wake(self):
        agent = self.agent(self.belfry)
        made = self.wake_now(self.belfry, agent)
        peer = self.connect(self.belfry)
        free = peer.ok("wake/end", under(peer.ok("wake/claim", claim(agent)), release=True))
        self.assertEqual((free["id"], free["state"], free["attempts"], free["error"]), (made["id"], "queued", 0, None))
        peer.ok("wake/end", under(peer.ok("wake/claim", claim(agent))))

    def test_may_come_by_the_unix_socket_and_by_standard_streams(self):
        agent = self.agent(self.belfry)
        with rpc.over_unix(self.belfry) as peer:
            number = self.waiting(self.belfry, peer, agent)
            made = self.wake_now(self.belfry, agent)
            grant = self.granted(peer, number)
            self.assertEqual((grant["wake"]["id"], peer.ok("wake/end", under(grant))["state"]), (made["id"], "completed"))
        told = rpc.over_stdio(self.belfry, {"jsonrpc": "2.0", "id": 1, "method": "wake/renew", "params": under(grant)})
        self.assert_refused(told[0]["error"], -32009, "conflict", "fence", "stale_claim")


class ACall(SharedCalls):
    def test_that_is_wrong_is_refused_by_its_parameter(self):
        agent = self.agent(self.belfry)
        peer = self.connect(self.belfry)
        for method, params, field in (
                ("claim", {}, "agents"), ("claim", claim(agent, wait_s=61), "wait_s"), ("claim", claim(agent, lease_s=601), "lease_s"),
                ("claim", claim(agent, holder="x" * 201), "holder"), ("claim", claim(agent, strange=1), "strange"),
                ("claim", claim(agent, until_granted=True, wait_s=5), "wait_s"), ("claim", [agent], "params"),
                ("renew", {"fence": 1}, "wake_id"), ("renew", {"wake_id": 1}, "fence"), ("renew", {"wake_id": "1", "fence": 1}, "wake_id"),
                ("messages", {"wake_id": 1, "fence": 1, "messages": [{"kind": "thoughts"}]}, "messages[0].kind"),
                ("plan", {"wake_id": 1, "fence": 1, "actions": []}, "actions"),
                ("state", {"wake_id": 1, "fence": 1, "state": {"mood": 1}}, "state.mood"),
                ("end", {"wake_id": 1, "fence": 1, "result": 1, "error": {"type": "t"}}, "result")):
            got = peer.refused("wake/" + method, params)
            self.assert_refused(got, -32602, "invalid", field)
            self.assertTrue(got["message"].startswith(field + " "), got)
        self.assertEqual(peer.refused("wake/take", {})["code"], -32601)
        self.assert_refused(peer.refused("wake/claim", claim(unique("none"))), -32602, "not_found", "agents")
        self.assert_refused(peer.refused("wake/end", {"wake_id": 1 << 40, "fence": 1}), -32602, "not_found", "wake_id")
        steps = [{"do": "say", "with": {"text": "x"}}]
        script = self.agent(self.belfry, workflow={"kind": "script", "settings": {"steps": steps}})
        self.assert_refused(peer.refused("wake/claim", claim(script)), -32009, "conflict", "agents", "other_workflow")

    def test_that_claims_is_answered_on_its_own(self):
        agent = self.agent(self.belfry)
        self.wake_now(self.belfry, agent)
        peer = self.connect(self.belfry)
        peer.notify("wake/claim", claim(agent))
        told = peer.notification()
        self.assertEqual((told["method"], told["params"]["code"], told["params"]["field"]), ("client/rejected", -32600, "id"))
        peer.send([{"jsonrpc": "2.0", "id": "b", "method": "wake/claim", "params": claim(agent, wait_s=1)}])
        self.assertEqual(peer.receive()[0]["error"]["data"]["field"], "wait_s")
        peer.send([{"jsonrpc": "2.0", "id": "b", "method": "wake/claim", "params": claim(agent)}])
        peer.ok("wake/end", under(peer.receive()[0]["result"]))

    def test_of_others_finds_nothing(self):
        agent = self.agent(self.belfry)
        self.wake_now(self.belfry, agent)
        grant = self.claim(self.belfry, agent)
        bob, _ = self.belfry.mint("user", user_id="bob")
        worker, _ = self.belfry.mint("agent", bounds={"users": ["bob"]})
        in_session, _ = self.belfry.mint("agent", bounds={"users": ["ada"], "sessions": [unique("s")]})
        for token in (bob, worker, in_session):
            peer = self.connect(self.belfry, token)
            self.assertEqual(peer.refused("wake/claim", claim(agent))["data"]["code"], "not_found")
            for method, more in (("renew", {}), ("end", {"release": True}), ("state", {"state": {}}),
                                 ("messages", {"messages": [{"kind": "thought", "content": "x"}]}),
                                 ("plan", {"actions": [{"tool_name": "t"}]})):
                self.assert_refused(peer.refused("wake/" + method, under(grant, **more)), -32602, "not_found", "wake_id")
        emitter, _ = self.belfry.mint("emitter")
        self.assertEqual(self.connect(self.belfry, emitter).web.status, 403)
        own, _ = self.belfry.mint("agent", bounds={"users": ["ada"]})
        self.assertEqual(self.connect(self.belfry, own).ok("wake/end", under(grant))["state"], "completed")

    def test_that_waits_ends_with_its_token(self):
        agent = self.agent(self.belfry)
        token, number = self.belfry.mint("agent", bounds={"users": ["ada"]})
        peer = self.connect(self.belfry, token)
        waits = self.waiting(self.belfry, peer, agent)
        self.belfry.request("DELETE", f"/v1/tokens/{number}")
        self.assert_refused(peer.answer(waits)["error"], -32001, "unauthenticated")
        self.assertIsNone(peer.receive(), "the connection ends")
        made = self.wake_now(self.belfry, agent)
        self.assertEqual(self.wake(self.belfry, made["id"])["state"], "queued")

    def test_that_waits_keeps_no_other_from_being_heard(self):
        agent = self.agent(self.belfry)
        peer = self.connect(self.belfry)
        for _ in range(64):
            peer.request("wake/claim", claim(agent, until_granted=True))
        self.assert_refused(peer.refused("wake/claim", claim(agent, until_granted=True)), -32000, "rate_limited")
        for _ in range(200):
            peer.ok("ping")


class AConnection(CallCase, faults.Case):
    def test_that_was_lost_while_its_claim_waited_takes_nothing(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            for leave in (break_off, lambda peer: peer.close(), lambda peer: peer.web.send(8, b"\x03\xe8")):
                peer = self.connect(daemon)
                self.waiting(daemon, peer, agent)
                leave(peer)
                json_of(daemon.get("/v1/status"))  # it is seen before this is answered
                made = self.wake_now(daemon, agent, request_id=unique("r"))
                grant = self.claim_soon(daemon, agent)
                self.assertEqual((grant["wake"]["id"], grant["wake"]["fence"]), (made["id"], 1))
                self.end(daemon, grant)

    def test_that_was_lost_before_the_grant_came_has_released_it(self):
        daemon = self.breakable()
        agent = self.agent(daemon)
        for leave in (break_off, lambda peer: peer.close(), lambda peer: peer.web.send(8, b"\x03\xe8")):
            made = self.wake_now(daemon, agent, request_id=unique("r"))
            peer = self.connect(daemon)
            with self.held(daemon) as is_held:
                peer.request("wake/claim", claim(agent, until_granted=True, lease_s=600))
                eventually("the claim is being recorded", is_held)
                peer.ok("ping")  # so that nothing is unacknowledged, which would keep the next frame back
                leave(peer)
                daemon.get("/v1/status")  # it is seen before this is answered
            grant = self.claim_soon(daemon, agent)
            self.assertEqual((grant["wake"]["id"], grant["wake"]["fence"], grant["wake"]["attempts"], grant["wake"]["error"]),
                             (made["id"], 2, 1, None))
            self.end(daemon, grant)

    @contextlib.contextmanager
    def held(self, daemon):
        """The store records nothing; whether somebody waits for it."""
        if belfry.STORE != "postgres":
            self.faults.arm("sync", "-wal", error=faults.HANG)
            try:
                yield lambda: self.faults.failed("sync") > 0
            finally:
                self.faults.heal()
            return
        with subprocess.Popen(["psql", "-X", "-q", daemon.database], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
            holder.stdin.write("BEGIN; LOCK TABLE belfry.wakes IN EXCLUSIVE MODE;\n\\echo held\n")
            holder.stdin.flush()
            self.assertEqual(holder.stdout.readline(), "held\n")
            yield lambda: self.asked(daemon, "SELECT count(*) FROM pg_locks WHERE NOT granted") != "0"
            holder.communicate("COMMIT;\n")

    @staticmethod
    def asked(daemon, statement):
        return subprocess.run(["psql", "-X", "-q", "-t", "-A", daemon.database, "-c", statement], check=True,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout.strip()

    def test_is_told_that_there_was_nothing_when_the_daemon_stops(self):
        with self.daemon() as daemon:
            agent = self.agent(daemon)
            peer = self.connect(daemon)
            number = self.waiting(daemon, peer, agent)
            daemon.process.send_signal(signal.SIGTERM)
            self.assertIsNone(peer.answer(number)["result"])
            self.assertIsNone(peer.receive())
            daemon.process.wait(belfry.PATIENCE)


if __name__ == "__main__":
    unittest.main()
