"""Connections of JSON-RPC: who is at the other end, what it follows, and what others notice of it."""

import json
import socket
import threading
import time
import unittest

from belfry import Bytes, eventually, json_of, read_response
from rpc import OverWebSocket, message, over_tcp, over_unix
from test_client_messages import Saying


class WhoIsThere(Saying):
    def ask(self, session):
        answer = self.belfry.post(f"/v1/sessions/{session}/interactions",
                                  {"kind": "confirmation", "message": "Delete build/?", "tool_name": "rm"})
        self.assertEqual(answer.status, 201, answer.body)
        return json_of(answer)["id"]

    def ticket_of_the_socket(self):
        """Got over the Unix socket of HTTP without a token."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.belfry.socket_path)
            connection.sendall(b"POST /v1/tickets HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
            answer = read_response(Bytes(connection))
        self.assertEqual(answer.status, 201, answer.body)
        return json_of(answer)["ticket"]

    def test_a_ticket_of_the_sockets_user_is_no_persons_credential(self):
        session = self.session()
        asked = self.ask(session)
        params = message(session, kind="tool_confirmation", payload={"id": asked, "decision": "always_allow"})
        with OverWebSocket(self.belfry, f"/v1/rpc?ticket={self.ticket_of_the_socket()}", token=None) as peer:
            self.assertEqual(peer.refused("client/user_message", params)["code"], -32003)
            self.assertIs(peer.say(session)["success"], True, "it is the socket's user all the same")
        self.assertEqual(json_of(self.belfry.get(f"/v1/interactions/{asked}"))["state"], "pending")
        ticket = json_of(self.belfry.post("/v1/tickets"))["ticket"]
        with OverWebSocket(self.belfry, f"/v1/rpc?ticket={ticket}", token=None) as peer:
            self.assertIs(peer.ok("client/user_message", params)["success"], True, "a ticket got with a token is one")

    def test_what_somebody_followed_ends_with_his_token_whoever_speaks_now(self):
        run = json_of(self.belfry.post("/v1/runs", {"user_id": "ada"}))["id"]
        first, first_id = self.belfry.mint("admin")
        with over_tcp(self.belfry, first) as peer:
            subscription = peer.ok("run/follow", {"run_id": run})["subscription"]
            self.assertEqual(peer.notification()["params"]["event"]["event"], "lifecycle.started")
            peer.ok("authenticate", {"token": self.belfry.mint("user", user_id="bob")[0]})
            self.belfry.post(f"/v1/runs/{run}/events", {"event": "a.b"})
            self.assertEqual(peer.notification()["params"]["event"]["event"], "a.b", "who followed it still may")
            self.belfry.request("DELETE", f"/v1/tokens/{first_id}")
            closed = peer.notification()
            self.assertIsNotNone(closed, "it goes on")
            self.assertEqual((closed["method"], closed["params"]),
                             ("run/closed", {"subscription": subscription, "reason": "revoked"}))
            self.assertEqual(peer.ok("ping"), {"pong": True}, "he who speaks now is welcome")

    def test_parameters_that_are_not_known_are_refused_also_where_they_are_null(self):
        session, peer = self.session(), self.peer()
        for method, params in (("client/user_message", message(session)), ("run/follow", {"run_id": 1}),
                               ("inbox/follow", {}), ("unfollow", {"subscription": 1})):
            error = peer.refused(method, {**params, "extra": None})
            self.assertEqual((error["code"], error["data"].get("field")), (-32602, "extra"), method)
        known = peer.ok("client/user_message", {**message(session), "message_id": None})
        self.assertIs(known["success"], True, "one that is known counts as left out")

    def test_the_refusal_of_a_notification_names_it_also_where_it_came_too_fast(self):
        session = self.session()
        with over_tcp(self.belfry, self.belfry.mint("user", user_id="ada")[0]) as peer:
            for n in range(101):
                peer.notify("client/user_message", message(session, f"{n}"))
            told = peer.notification()
            self.assertEqual((told["method"], told["params"]["code"]), ("client/rejected", -32000))
            self.assertEqual((told["params"]["session_id"], told["params"]["message_type"]), (session, "user_input"))


class Following(Saying):
    def make(self, session=None):
        answer = self.belfry.post("/v1/runs", {"session_id": session} if session else {})
        self.assertEqual(answer.status, 201, answer.body)
        return json_of(answer)["id"]

    def closed(self, peer):
        while (got := peer.notification()) is not None:
            if got["method"] == "run/closed":
                return got["params"]["reason"]
        return None

    def test_a_stop_is_heard_on_a_connection_whose_events_are_not_taken(self):
        session = self.session()
        lines = "\n".join(['{"event":"llm.stream","data":{"delta":"%s"}}' % ("x" * 4000)] * 500)
        for connect in (over_unix, lambda daemon: over_tcp(daemon, daemon.admin_token), OverWebSocket):
            run = self.make(session)
            with connect(self.belfry) as peer:
                peer.ok("run/follow", {"run_id": run})
                for _ in range(8):  # 16 MB, of which the peer takes nothing
                    answer = self.belfry.post(f"/v1/runs/{run}/events", lines, headers={"Content-Type": "application/x-ndjson"})
                    self.assertEqual(answer.status, 201)
                number = peer.request("client/user_message",
                                      message(session, kind="control_signal", payload={"action": "cancel", "run_id": run}))
                eventually("cancelled", lambda run=run: json_of(self.belfry.get(f"/v1/runs/{run}"))["state"] == "cancelled",
                           patience=10)
                self.assertIn("result", peer.answer(number), "the receipt comes, too")

    def test_the_end_of_a_connection_is_told_with_its_reason(self):
        daemon = self.daemon(*self.options)
        run = json_of(daemon.post("/v1/runs", {"user_id": "ada"}))["id"]
        token, token_id = daemon.mint("user", user_id="ada")
        for connect in (over_tcp, lambda daemon, token: OverWebSocket(daemon, token=token)):
            token, token_id = daemon.mint("user", user_id="ada")
            with connect(daemon, token) as peer:
                peer.ok("run/follow", {"run_id": run})
                daemon.request("DELETE", f"/v1/tokens/{token_id}")
                self.assertEqual(self.closed(peer), "revoked")
                self.assertIsNone(peer.receive(), "the connection ends with its token")
        with over_unix(daemon) as one, OverWebSocket(daemon) as two:
            for peer in (one, two):
                peer.ok("run/follow", {"run_id": run})
            self.assertEqual(daemon.stop(), 0)
            self.assertEqual([self.closed(peer) for peer in (one, two)], ["stopping", "stopping"])

    def test_one_who_talks_without_end_is_heard_in_turns(self):
        text = b'{"jsonrpc":"2.0","method":"$/x"}'
        flood = (b"Content-Length: %d\r\n\r\n" % len(text) + text) * 20000
        done = []

        def talk():
            with over_unix(self.belfry) as peer:
                while not done:
                    peer.send_raw(flood)

        talkers = [threading.Thread(target=talk, daemon=True) for _ in range(2)]
        for talker in talkers:
            talker.start()
        try:
            with over_unix(self.belfry) as peer:
                times = []
                for _ in range(20):
                    began = time.monotonic()
                    self.assertEqual(peer.ok("ping"), {"pong": True})
                    times.append(time.monotonic() - began)
        finally:
            done.append(True)
            for talker in talkers:
                talker.join(60)
        self.assertLess(sorted(times)[-2], 2, times)


class Limits(Saying):
    """The same bounds on every way."""

    def ways(self):
        return (("unix", over_unix(self.belfry)), ("tcp", over_tcp(self.belfry, self.belfry.admin_token)),
                ("websocket", OverWebSocket(self.belfry)))

    def sized(self, session, size):
        document = {"jsonrpc": "2.0", "id": 1, "method": "client/user_message", "params": message(session, "")}
        document["params"]["payload"]["text"] = "x" * (size - len(json.dumps(document)))
        return json.dumps(document).encode()

    def test_of_a_megabyte(self):
        session = self.session()
        for name, peer in self.ways():
            with peer:
                peer.send_text(self.sized(session, 1_048_576))
                self.assertIs(peer.receive()["result"]["success"], True, name)
                peer.send_text(self.sized(session, 1_048_577))
                got = peer.receive()
                self.assertEqual((got["id"], got["error"]["code"], got["error"]["message"]),
                                 (None, -32600, "Notification payload exceeds 1MB size limit"), name)
                if name == "websocket":
                    self.assertEqual(peer.web.frame()[0:1], (8,), "a frame that is too large ends it")
                else:
                    self.assertIs(peer.say(session)["success"], True, name)

    def test_of_the_grammar(self):
        for name, peer in self.ways():
            with peer:
                for broken in (b"{", b'{"jsonrpc":"2.0","id":1,"method":"p\xffng"}', b""):
                    peer.send_text(broken)
                    got = peer.receive()
                    self.assertEqual((got["id"], got["error"]["code"]), (None, -32700), (name, broken))
                peer.send_text(b"[]")
                self.assertEqual(peer.receive()["error"]["code"], -32600, name)
                peer.send([{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "method": "ping"},
                           {"jsonrpc": "2.0", "id": 2, "method": "rpc.x"}, 7])
                answers = {answer["id"]: answer for answer in peer.receive()}
                self.assertEqual(answers[1]["result"], {"pong": True}, name)
                self.assertEqual([answers[2]["error"]["code"], answers[None]["error"]["code"]], [-32600, -32600], name)


if __name__ == "__main__":
    unittest.main()
