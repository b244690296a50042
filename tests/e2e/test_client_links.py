"""Connections of JSON-RPC: who is at the other end, what it follows, and what others notice of it."""

import socket
import unittest

from belfry import Bytes, json_of, read_response
from rpc import OverWebSocket, message
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


if __name__ == "__main__":
    unittest.main()
