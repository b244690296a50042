"""What clients say to a running agent, line by line of what was promised: nothing lost, nothing that harms others."""

import json
import os
import stat
import time
import unittest
import urllib.parse
import uuid

import belfry
from belfry import eventually, json_of, threads, unique
from rpc import OverWebSocket, message, now, over_stdio, over_tcp, over_unix
from test_notifications import Agent

SEED = {"text": "Yes, proceed with the changes", "context": "approval_request"}


class Saying(belfry.SharedCase):
    options = ("--rpc-listen", "127.0.0.1:0")

    def session(self, user="ada", **more):
        name = unique("s-")
        answer = self.belfry.request("PUT", f"/v1/sessions/{name}", {"user_id": user, **more})
        self.assertEqual(answer.status, 200, answer.body)
        return name

    def peer(self):
        peer = over_unix(self.belfry)
        self.addCleanup(peer.close)
        return peer

    def history(self, session):
        nodes = json_of(self.belfry.get(f"/v1/sessions/{session}/history"))["data"]
        return [one["content"] for node in nodes for one in node["messages"]]

    def assert_refused(self, error, code, message_text=None, field=None):
        self.assertEqual(error["code"], code, error)
        if message_text is not None:
            self.assertEqual(error["message"], message_text)
        if field is not None:
            self.assertIn(field, error["message"])
            self.assertEqual(error["data"]["field"], field)


class Accepted(Saying):
    def test_the_example_of_the_seed_is_taken_on_every_way(self):
        session = self.session()
        params = message(session, payload=SEED)
        ways = [self.peer(), over_tcp(self.belfry, self.belfry.admin_token), OverWebSocket(self.belfry)]
        for peer in ways:
            for method in ("client/user_message", "kaiak/client/user_message"):
                receipt = peer.ok(method, params)
                self.assertIs(receipt["success"], True)
                self.assertTrue(receipt["message"])
                self.assertRegex(receipt["notification_id"], "^[0-9a-f-]{36}$")
        for peer in ways[1:]:
            peer.close()
        answers = over_stdio(self.belfry, {"jsonrpc": "2.0", "id": "a", "method": "client/user_message", "params": params})
        self.assertEqual([one["id"] for one in answers], ["a"])
        self.assertIs(answers[0]["result"]["success"], True)
        self.assertEqual(self.history(session), [SEED["text"]] * 7)

    def test_a_notification_gets_no_byte_and_a_hundred_leave_everything_well(self):
        session, peer = self.session(), self.peer()
        for n in range(100):
            peer.notify("kaiak/client/user_message", message(session, f"word {n}"))
        eventually("all are there", lambda: len(self.history(session)) == 100)
        self.assertEqual(self.history(session), [f"word {n}" for n in range(100)])
        self.assertTrue(peer.quiet())
        self.assertEqual(peer.ok("ping"), {"pong": True})

    def test_names_of_header_fields_count_in_any_case(self):
        peer = self.peer()
        text = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
        peer.send_raw(b"cOnTeNt-LeNgTh:%d\r\nX-Other: y\r\n\r\n" % len(text) + text)
        self.assertEqual(peer.receive()["result"], {"pong": True})

    def test_the_socket_is_for_its_owner_alone(self):
        mode = os.stat(os.path.join(self.belfry.data, "belfry-rpc.sock")).st_mode
        self.assertEqual(stat.S_IMODE(mode), 0o600)

    def test_over_tcp_a_stranger_says_first_who_it_is(self):
        session = self.session()
        with over_tcp(self.belfry) as peer:
            self.assert_refused(peer.refused("client/user_message", message(session)), -32001)
            self.assert_refused(peer.refused("authenticate", {"token": "bf_x_y"}), -32001)
            self.assertEqual(peer.ok("authenticate", {"token": self.belfry.admin_token})["role"], "admin")
            self.assertIs(peer.say(session)["success"], True)
        with over_tcp(self.belfry) as peer:
            for _ in range(3):
                peer.refused("ping")
            self.assertTrue(peer.ended())
        self.assertEqual(self.history(session), ["Yes, proceed with the changes"])

    def test_a_web_page_comes_with_a_ticket(self):
        session = self.session()
        ticket = json_of(self.belfry.post("/v1/tickets"))["ticket"]
        with OverWebSocket(self.belfry, f"/v1/rpc?ticket={ticket}", token=None) as peer:
            self.assertIs(peer.say(session)["success"], True)
        with OverWebSocket(self.belfry, f"/v1/rpc?ticket={ticket}", token=None) as peer:
            self.assertEqual(peer.web.status, 401)

    def test_the_same_message_again_gets_the_same_receipt(self):
        session, peer = self.session(), self.peer()
        params = message(session, "once", message_id="018f0000-0000-7000-8000-00000000abcd")
        first = peer.ok("client/user_message", params)
        self.assertEqual(peer.ok("client/user_message", {**params, "timestamp": now()}), first)
        self.assertEqual(self.history(session), ["once"])
        self.assert_refused(peer.refused("client/user_message", {**params, "payload": {"text": "other"}}), -32009)


class HandedOver(Saying):
    def test_the_persons_word_comes_at_every_point_once_and_before_the_rest(self):
        session, peer = self.session(), self.peer()
        agent = Agent(self.belfry, session)
        for point in ("turn_start", "after_tool", "turn_end", "immediate"):
            receipt = peer.say(session, f"at {point}", payload={"text": f"at {point}", "context": "c"})
            pulled = agent.pull(point)
            self.assertEqual([one["content"] for one in pulled["user_messages"]], [f"at {point}"])
            one = pulled["user_messages"][0]
            self.assertEqual(one["id"], receipt["notification_id"])
            self.assertEqual(one["metadata"]["via"], "client")
            self.assertEqual(one["metadata"]["payload"], {"context": "c"})
            self.assertEqual(agent.post("acknowledge", {"pull_id": pulled["pull_id"]}), {"acknowledged": 1, "untold": []})
            self.assertEqual(agent.pull(point)["user_messages"], [])

    def test_in_the_formats_of_models_it_is_the_users_own_message(self):
        session, peer = self.session(), self.peer()
        agent = Agent(self.belfry, session)
        peer.say(session, "Stop that")
        pulled = agent.pull(query="?format=openai")
        self.assertEqual(pulled["messages"], [{"role": "user", "content": "Stop that"}])
        peer.say(session, "And go on")
        pulled = agent.pull("after_tool", query="?format=anthropic")
        self.assertEqual(pulled["messages"], [{"role": "user", "content": [{"type": "text", "text": "And go on"}]}])

    def test_what_was_handed_over_and_lost_comes_again_at_the_next_start(self):
        session, peer = self.session(), self.peer()
        agent = Agent(self.belfry, session)
        peer.say(session, "Do not lose me")
        self.assertEqual(len(agent.pull("turn_start")["user_messages"]), 1)
        self.assertEqual(agent.pull("after_tool")["user_messages"], [], "it was handed over")
        self.assertEqual(len(agent.pull("turn_start")["user_messages"]), 1, "the turn begins anew")
        self.call(agent)
        pulled = agent.pull("turn_start")
        self.assertEqual(len(pulled["user_messages"]), 1, "a report that names nothing confirms nothing")
        self.call(agent, pull_id=pulled["pull_id"])
        self.assertEqual(agent.pull("turn_start")["user_messages"], [], "one that names it does")

    def test_a_start_that_names_the_hand_over_before_confirms_it_and_no_other(self):
        session, peer = self.session(), self.peer()
        agent = Agent(self.belfry, session)
        peer.say(session, "first")
        pulled = agent.pull("turn_start")
        peer.say(session, "second")
        named = agent.pull("turn_start", pull_id=pulled["pull_id"])
        self.assertEqual([one["content"] for one in named["user_messages"]], ["second"])
        again = agent.pull("turn_start", pull_id=pulled["pull_id"])
        self.assertEqual([one["content"] for one in again["user_messages"]], ["second"], "it did not get that one")

    def call(self, agent, **more):
        agent.post("tool-calls", {"status": "success", "tool_name": "t", "call_id": "c", "duration_ms": 1, **more})

    def words(self, pulled):
        return [one["content"] for one in pulled["user_messages"]]

    def test_an_answer_that_was_lost_after_a_tool_loses_no_word(self):
        session, peer = self.session(), self.peer()
        agent = Agent(self.belfry, session)
        agent.post("turns", {"event": "start"})
        had = agent.pull("turn_start")["pull_id"]
        peer.say(session, "Do not lose me")
        self.assertEqual(self.words(agent.pull("after_tool")), ["Do not lose me"])  # and the answer is lost
        self.call(agent, pull_id=had)
        self.assertEqual(self.words(agent.pull("after_tool", pull_id=had)), ["Do not lose me"])  # this one, too
        self.call(agent, pull_id=had)
        agent.post("turns", {"event": "end", "pull_id": had})
        agent.post("turns", {"event": "start"})
        pulled = agent.pull("turn_start")
        self.assertEqual(self.words(pulled), ["Do not lose me"], "the turn has never seen it")
        agent.post("turns", {"event": "end", "pull_id": pulled["pull_id"]})
        self.assertEqual(self.words(agent.pull("turn_start")), [])

    def test_a_pull_repeated_at_its_point_brings_the_words_again_and_a_simple_runtime_hears_them_once(self):
        session, peer = self.session(), self.peer()
        agent = Agent(self.belfry, session)
        agent.post("turns", {"event": "start"})
        peer.say(session, "Hear me")
        self.assertEqual(self.words(agent.pull("after_tool")), ["Hear me"])
        self.assertEqual(self.words(agent.pull("after_tool")), ["Hear me"], "nothing was reported in between")
        self.call(agent)
        self.assertEqual(self.words(agent.pull("after_tool")), [])
        self.assertEqual(self.words(agent.pull("turn_end")), [])
        agent.post("turns", {"event": "end"})
        self.assertEqual(self.words(agent.pull("turn_start")), [], "who names nothing has got everything")

    def test_two_tools_at_once_do_not_confirm_each_others_words(self):
        session, peer = self.session(), self.peer()
        agent = Agent(self.belfry, session)
        agent.post("turns", {"event": "start"})
        peer.say(session, "For one of you")
        self.assertEqual(self.words(agent.pull("after_tool")), ["For one of you"])  # to a hook that is killed
        self.call(agent, call_id="d")  # of the other hook, which acknowledges what it has
        self.assertEqual(self.words(agent.pull("after_tool")), [])
        agent.post("turns", {"event": "end", "only_named": True})
        self.assertEqual(self.words(agent.pull("turn_start")), ["For one of you"])

    def test_a_turn_whose_agent_has_died_wakes_another_one(self):
        user = unique("u-")
        session, peer = self.session(user), self.peer()
        agent = Agent(self.belfry, session)
        agent.post("turns", {"event": "start", "lease_s": 1})
        peer.say(session, "Is anybody there?")

        def requested():
            entries = self.belfry.entries(f"agent:{user}") if self.exists(f"agent:{user}") else []
            return [one["event"]["reason"] for one in entries]

        eventually("a turn is asked for", lambda: requested() == ["user_input"])
        agent.pull("turn_start", lease_s=1)  # whoever came has died as well
        eventually("another one, too", lambda: requested() == ["user_input"] * 2)

    def test_a_turn_is_asked_for_where_none_is_under_way(self):
        user = unique("u-")
        session, peer = self.session(user), self.peer()
        agent = Agent(self.belfry, session)

        def requested():
            entries = self.belfry.entries(f"agent:{user}") if self.exists(f"agent:{user}") else []
            return [one["event"] for one in entries]

        receipt = peer.say(session, "Wake up")
        self.assertEqual([(one["type"], one["reason"], one["session_id"], one["id"]) for one in requested()],
                         [("turn_requested", "user_input", session, receipt["notification_id"])])
        agent.post("turns", {"event": "start"})
        agent.pull("turn_start")
        late = peer.say(session, "While you work")
        self.assertEqual(len(requested()), 1, "the turn that is under way will come by")
        agent.post("turns", {"event": "end"})
        self.assertEqual([one["id"] for one in requested()][1:], [late["notification_id"]], "it came too late for that turn")

    def exists(self, stream):
        return any(one["name"] == stream for one in json_of(self.belfry.get(f"/v1/streams?name={stream}"))["data"])

    def test_over_http_a_message_can_wait_for_the_agent_too(self):
        session = self.session()
        agent = Agent(self.belfry, session)
        agent.post("messages", {"role": "user", "content": "only noted"})
        agent.post("messages", {"role": "user", "content": "to be handed over", "deliver": True})
        self.assertEqual([one["content"] for one in agent.pull()["user_messages"]], ["to be handed over"])
        answer = self.belfry.post(f"/v1/sessions/{session}/messages", {"role": "assistant", "content": "x", "deliver": True})
        self.assertEqual(answer.status, 422, answer.body)

    def test_other_types_become_events(self):
        session, peer = self.session(), self.peer()
        for kind, payload in (("status_update", {"status": "busy"}), ("anything_else", [1, 2]), ("control_signal", None)):
            params = message(session, None, kind)
            if payload is not None:
                params["payload"] = payload
            receipt = peer.ok("client/user_message", params)
            found = [one["event"] for one in self.belfry.entries(session=session) if one["event"]["id"] == receipt["notification_id"]]
            self.assertEqual(len(found), 1)
            self.assertEqual((found[0]["type"], found[0]["source"], found[0]["user_id"]), ("client." + kind, "client", "ada"))
            self.assertEqual(found[0]["payload"], payload if isinstance(payload, dict) else {} if payload is None else {"value": payload})

    def test_two_sessions_and_two_clients_keep_their_own_order(self):
        sessions = [self.session(), self.session()]
        peers = [self.peer(), self.peer()]

        def talk(peer, session):
            for n in range(40):
                peer.say(session, f"{session} {n}")

        with threads(*(lambda p=p, s=s: talk(p, s) for p, s in zip(peers, sessions))):
            pass
        for session in sessions:
            self.assertEqual(self.history(session), [f"{session} {n}" for n in range(40)])

    def test_the_word_survives_a_crash(self):
        daemon = self.daemon()
        session = unique("s-")
        daemon.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada"})
        with over_unix(daemon) as peer:
            peer.say(session, "kept")
        daemon.kill()
        daemon.start()
        self.assertEqual([one["content"] for one in Agent(daemon, session).pull()["user_messages"]], ["kept"])


class Refused(Saying):
    def sized(self, session, size):
        """A request of exactly so many bytes."""
        document = {"jsonrpc": "2.0", "id": 1, "method": "client/user_message", "params": message(session, "")}
        missing = size - len(json.dumps(document).encode())
        document["params"]["payload"]["text"] = "x" * missing
        text = json.dumps(document).encode()
        self.assertEqual(len(text), size)
        return text

    def test_a_megabyte_is_taken_and_a_byte_more_is_not(self):
        session, peer = self.session(), self.peer()
        peer.send_text(self.sized(session, 1_048_576))
        self.assertIs(peer.receive()["result"]["success"], True)
        peer.send_text(self.sized(session, 1_048_577))
        got = peer.receive()
        self.assertEqual((got["id"], got["error"]["code"], got["error"]["message"]),
                         (None, -32600, "Notification payload exceeds 1MB size limit"))
        self.assertIs(peer.say(session)["success"], True, "the connection lives")

    def test_a_body_that_is_too_long_is_refused_before_it_comes_and_not_kept(self):
        session, peer = self.session(), self.peer()
        before = self.belfry.memory()
        peer.send_raw(b"Content-Length: %d\r\n\r\n" % (16 << 20))
        self.assertEqual(peer.receive()["error"]["code"], -32600)
        piece = b"x" * (1 << 20)
        for _ in range(16):
            peer.send_raw(piece)
        self.assertIs(peer.say(session)["success"], True)
        self.assertLess(self.belfry.memory() - before, 8 << 20)

    def test_ten_gigabytes_are_refused_and_nobody_else_notices(self):
        session, other, peer = self.session(), self.peer(), self.peer()
        peer.send_raw(b"Content-Length: 10000000000\r\n\r\n")
        got = peer.receive()
        self.assertEqual((got["id"], got["error"]["code"]), (None, -32600))
        self.assertTrue(peer.ended())
        self.assertIs(other.say(session)["success"], True)

    def test_an_id_of_a_call_may_have_256_bytes(self):
        peer = self.peer()
        for size in (255, 256, 257):
            peer.send({"jsonrpc": "2.0", "id": "x" * size, "method": "ping"})
            got = peer.receive()
            if size <= 256:
                self.assertEqual((got["id"], got["result"]), ("x" * size, {"pong": True}))
            else:
                self.assertEqual((got["error"]["code"], got["id"]), (-32600, None))
                self.assertIn("id must have at most 256 bytes", got["error"]["message"])

    def test_wrong_ids_of_sessions(self):
        peer = self.peer()
        for wrong in ("", "x" * 201, "a\u0007"):
            self.assert_refused(peer.refused("client/user_message", message(wrong)), -32602, field="session_id")
        for unknown in ("nobody-knows-me", "y" * 200, "no body", "../nobody"):
            self.assert_refused(peer.refused("client/user_message", message(unknown)), -32602,
                                "Session ID not found or invalid")
        gone = self.session()
        self.belfry.request("DELETE", f"/v1/sessions/{gone}")
        self.assert_refused(peer.refused("client/user_message", message(gone)), -32602, "Session ID not found or invalid")

    def test_every_session_is_reached_by_its_name(self):
        for name in ("slack:C042.1731", "a b", "Grüße/1?x=1&y#z%41", "x" * 101, "x" * 200, "😀"):
            with self.subTest(name), self.peer() as peer:
                name += unique() if len(name) < 100 else ""
                answer = self.belfry.request("PUT", "/v1/sessions/" + urllib.parse.quote(name, safe=""), {"user_id": "ada"})
                self.assertEqual(answer.status, 200, answer.body)
                self.assertIs(peer.say(name)["success"], True)
                self.assertEqual(len(self.history(urllib.parse.quote(name, safe=""))), 1)
                # The alias keeps the pattern of its own protocol.
                refused = peer.refused("kaiak/client/user_message", message(name))
                self.assert_refused(refused, -32602, field="session_id")
                self.assertIn("1 to 100 letters, digits, '-' or '_'", refused["message"])

    def test_somebody_elses_session_is_not_there(self):
        session = self.session("ada")
        with over_tcp(self.belfry, self.belfry.mint("user", user_id="bob")[0]) as peer:
            self.assert_refused(peer.refused("client/user_message", message(session)), -32602,
                                "Session ID not found or invalid")
        self.assertEqual(self.history(session), [])

    def test_wrong_parameters_are_named(self):
        session, peer = self.session(), self.peer()
        good = message(session)

        def without(name):
            return {key: value for key, value in good.items() if key != name}

        def nested(levels):
            value = 1
            for _ in range(levels):
                value = {"a": value}
            return value

        for field, params in (("session_id", without("session_id")), ("message_type", without("message_type")),
                              ("timestamp", without("timestamp")), ("payload", without("payload")),
                              ("extra", {**good, "extra": 1}), ("timestamp", {**good, "timestamp": "yesterday"}),
                              ("timestamp", {**good, "timestamp": now(-25)}), ("timestamp", {**good, "timestamp": now(25)}),
                              ("message_type", {**good, "message_type": "User Input"}), ("session_id", {**good, "session_id": 7}),
                              ("payload", {**good, "payload": nested(11)}),
                              ("payload", {**good, "payload": {f"m{n}": n for n in range(51)}})):
            self.assert_refused(peer.refused("client/user_message", params), -32602, field=field)
        said = peer.refused("client/user_message", {**good, "session_id": 7})["message"]
        self.assertIn("session_id must be a string, not a number", said)
        for form in ("%Y%m%dT%H%M%SZ", "%Y-%m-%dT%H:%MZ", "%Y-%m-%dT%H:%M:%S,500+0000", "%G-W%V-%uT%H:%M:%SZ", "%Y-%jT%H:%M", "%Y%m%dT%H%M%S"):
            peer.ok("client/user_message", {**good, "timestamp": time.strftime(form, time.gmtime())})
        self.assertIn("within 24 hours", peer.refused("client/user_message", {**good, "timestamp": "1969-01-01T00:00:00Z"})["message"])
        peer.ok("client/user_message", {**good, "payload": nested(10)})
        peer.ok("client/user_message", {**good, "payload": {f"m{n}": n for n in range(50)}})
        self.assertEqual(peer.refused("client/user_message", [1])["code"], -32602)
        self.assertEqual(peer.refused("client/user_message", {**good, "payload": nested(100)})["code"], -32602)
        self.assertEqual(peer.ok("ping"), {"pong": True})

    def test_broken_messages_leave_the_connection_alive(self):
        peer = self.peer()
        for broken in (b"{", b"no json", b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', b""):
            peer.send_text(broken)
            got = peer.receive()
            self.assertEqual((got["id"], got["error"]["code"], got["error"]["message"]),
                             (None, -32700, "Invalid JSON-RPC notification format"))
        for code, document in ((-32600, {"jsonrpc": "1.0", "id": 9, "method": "ping"}),
                               (-32600, {"jsonrpc": "2.0", "id": 9, "method": "rpc.x"}),
                               (-32600, {"jsonrpc": "2.0", "id": 9}),
                               (-32601, {"jsonrpc": "2.0", "id": 9, "method": "no/such"})):
            peer.send(document)
            got = peer.receive()
            self.assertEqual((got["id"], got["error"]["code"]), (9, code))
        peer.send([])
        self.assertEqual(peer.receive()["error"]["code"], -32600)
        self.assertEqual(peer.ok("ping"), {"pong": True})

    def test_batches_work(self):
        session, peer = self.session(), self.peer()
        peer.send([{"jsonrpc": "2.0", "id": 1, "method": "client/user_message", "params": message(session, "a")},
                   {"jsonrpc": "2.0", "method": "client/user_message", "params": message(session, "b")},
                   {"jsonrpc": "2.0", "id": 2, "method": "no/such"}, 7])
        got = peer.receive()
        self.assertEqual(len(got), 3)
        by_id = {one["id"]: one for one in got}
        self.assertIs(by_id[1]["result"]["success"], True)
        self.assertEqual(by_id[2]["error"]["code"], -32601)
        self.assertEqual(by_id[None]["error"]["code"], -32600)
        self.assertEqual(self.history(session), ["a", "b"])
        peer.send([{"jsonrpc": "2.0", "method": "client/user_message", "params": message(session, "c")}])
        self.assertTrue(peer.quiet())

    def test_a_refused_notification_is_told_by_one(self):
        session, peer = self.session(), self.peer()
        peer.notify("client/user_message", message(session, None))
        got = peer.notification()
        self.assertEqual(got["method"], "client/rejected")
        self.assertEqual((got["params"]["code"], got["params"]["field"], got["params"]["session_id"], got["params"]["message_type"]),
                         (-32602, "payload", session, "user_input"))
        peer.notify("client/user_message", message("unknown-one"))
        self.assertEqual(peer.notification()["params"]["message"], "Session ID not found or invalid")
        peer.notify("$/setTrace", {"value": "off"})
        self.assertTrue(peer.quiet())

    def test_the_hundred_and_first_of_a_burst_waits_and_others_do_not(self):
        session = self.session()
        token = self.belfry.mint("service")[0]
        with over_tcp(self.belfry, token) as peer:
            numbers = [peer.request("client/user_message", message(session, f"{n}")) for n in range(101)]
            answers = [peer.answer(number) for number in numbers]
            refused = [one["error"] for one in answers if "error" in one]
            self.assertGreaterEqual(len(refused), 1)
            self.assertEqual((refused[-1]["code"], refused[-1]["message"]), (-32000, "Rate limit exceeded"))
            wait = refused[-1]["data"]["retry_after_ms"]
            self.assertTrue(0 < wait <= 600, wait)
            with over_tcp(self.belfry, token) as again:
                self.assertEqual(again.call("client/user_message", message(session)).get("error", {}).get("code", -32000), -32000)
            self.assertIs(self.peer().say(session)["success"], True, "another client")
            eventually("the bucket fills up", lambda: "result" in peer.call("client/user_message", message(session)), pause=0.2)

    def test_without_a_token_each_connection_is_a_client_of_its_own(self):
        def refused(peer, count):
            numbers = [peer.request("client/user_message", message(session, f"{n}")) for n in range(count)]
            return [one for one in map(peer.answer, numbers) if "error" in one]

        session = self.session()
        self.assertTrue(refused(self.peer(), 120))
        self.assertEqual(refused(self.peer(), 20), [])

    def test_a_peer_that_takes_no_answers_is_not_read_from_and_harms_nobody(self):
        session, peer = self.session(), self.peer()
        peer.socket.settimeout(1)
        ping = b'{"jsonrpc":"2.0","id":"%s","method":"ping"}' % (b"x" * 200)
        framed = (b"Content-Length: %d\r\n\r\n" % len(ping) + ping) * 1000
        before = self.belfry.memory()
        with self.assertRaises(TimeoutError):
            for _ in range(200):
                peer.send_raw(framed)
        self.assertIs(self.peer().say(session)["success"], True)
        self.assertLess(self.belfry.memory() - before, 16 << 20)


class Questions(Saying):
    def ask(self, session, **body):
        answer = self.belfry.post(f"/v1/sessions/{session}/interactions",
                                  {"kind": "confirmation", "message": "May I delete it?", "tool_name": "rm",
                                   "arguments": {"path": "/tmp/x"}, **body})
        self.assertEqual(answer.status, 201, answer.body)
        return json_of(answer)

    def person(self, user="ada"):
        peer = over_tcp(self.belfry, self.belfry.mint("user", user_id=user)[0])
        self.addCleanup(peer.close)
        return peer

    def read(self, one, wait=0):
        return json_of(self.belfry.get(f"/v1/interactions/{one['id']}?wait_s={wait}"))

    def test_each_of_the_three_words_unblocks_the_agent_who_waits(self):
        session, person = self.session(), self.person()
        for word in ("allow_once", "deny", "always_allow"):
            asked = self.ask(session)
            self.assertEqual(asked["state"], "pending")
            found = {}
            with threads(lambda: found.update(self.read(asked, wait=20))):
                name = "confirmation_id" if word == "deny" else "id"
                receipt = person.ok("client/user_message",
                                    message(session, kind="tool_confirmation", payload={name: asked["id"], "decision": word}))
                self.assertEqual(receipt["notification_id"], asked["id"])
            self.assertEqual((found["state"], found["answer"]), ("answered", {"decision": word}))
        again = self.ask(session)
        self.assertEqual((again["state"], again["answer"]), ("answered", {"decision": "always_allow", "earlier": True}))
        self.assertEqual(self.ask(session, tool_name="mv")["state"], "pending", "another tool is asked for")
        self.assertEqual(self.ask(self.session())["state"], "pending", "another session, too")

    def test_whoever_waits_with_a_token_that_is_revoked_waits_no_longer(self):
        asked = self.ask(self.session())
        token, number = self.belfry.mint("agent", bounds={"users": ["ada"]})
        found = []
        path = f"/v1/interactions/{asked['id']}?wait_s="
        with threads(lambda: found.append(self.belfry.get(path + "20", token=token).status)):
            self.assertEqual(self.belfry.get(path + "1", token=token).status, 200)
            self.belfry.request("DELETE", f"/v1/tokens/{number}")
        self.assertEqual(found, [401])

    def test_another_word_lists_the_three_and_a_second_answer_finds_nothing(self):
        session, person = self.session(), self.person()
        asked = self.ask(session)
        say = lambda word: person.call("client/user_message", message(
            session, kind="tool_confirmation", payload={"id": asked["id"], "decision": word}))
        self.assertEqual(say("maybe")["error"]["message"], "decision must be allow_once, always_allow or deny")
        self.assertIn("result", say("deny"))
        second = say("allow_once")["error"]
        self.assertEqual((second["code"], second["message"]), (-32602, f"No pending confirmation for id: {asked['id']}"))
        answer = self.belfry.post(f"/v1/interactions/{asked['id']}/answer", {"decision": "deny"})
        self.assertEqual(answer.status, 409, answer.body)
        self.assertEqual(json_of(answer)["detail"], f"No pending confirmation for id: {asked['id']}")

    def test_a_question_of_one_session_cannot_be_answered_by_another(self):
        asked, other = self.ask(self.session()), self.session()
        error = self.person().refused("client/user_message", message(
            other, kind="tool_confirmation", payload={"id": asked["id"], "decision": "allow_once"}))
        self.assertEqual(error["message"], f"No pending confirmation for id: {asked['id']}")
        self.assertEqual(self.person("bob").refused("client/user_message", message(
            asked["session_id"], kind="tool_confirmation", payload={"id": asked["id"], "decision": "allow_once"}))["code"], -32602)
        self.assertEqual(self.read(asked)["state"], "pending")

    def test_only_a_persons_credential_answers(self):
        session = self.session()
        asked = self.ask(session)
        params = message(session, kind="tool_confirmation", payload={"id": asked["id"], "decision": "allow_once"})
        peer = self.peer()
        self.assertEqual(peer.refused("client/user_message", params)["code"], -32003, "the socket's user id alone")
        agent = self.belfry.mint("agent", bounds={"users": ["ada"]})[0]
        answer = self.belfry.post(f"/v1/interactions/{asked['id']}/answer", {"decision": "allow_once"}, token=agent)
        self.assertEqual(answer.status, 403)
        peer.ok("authenticate", {"token": self.belfry.mint("user", user_id="ada")[0]})
        self.assertIs(peer.ok("client/user_message", params)["success"], True)

    def test_silence_means_no(self):
        session = self.session()
        asked = self.ask(session, timeout_s=1)
        found = self.read(asked, wait=20)
        self.assertEqual((found["state"], found["answer"], found["answered_by"]), ("expired", {"decision": "deny"}, "timeout"))
        form = self.ask(session, kind="elicitation", tool_name=None, arguments=None, schema={"type": "object"}, timeout_s=1)
        self.assertEqual(self.read(form, wait=20)["answer"], {"action": "cancel"})
        answer = self.belfry.post(f"/v1/sessions/{session}/interactions", {"kind": "confirmation", "message": "x", "timeout_s": 301})
        self.assert_problem(answer, 422, "invalid", field="timeout_s")
        self.assertEqual(self.ask(session)["expires_at"] > asked["expires_at"], True)

    def test_a_form_is_filled_in(self):
        session, person = self.session(), self.person()
        form = self.ask(session, kind="elicitation", message="Which branch?", tool_name=None, arguments=None,
                        schema={"type": "object", "properties": {"branch": {"type": "string"}}})
        person.ok("client/user_message", message(session, kind="elicitation_response", payload={
            "id": form["id"], "action": "accept", "content": {"branch": "main"}}))
        self.assertEqual(self.read(form)["answer"], {"action": "accept", "content": {"branch": "main"}})

    def test_a_form_takes_only_what_its_schema_wants(self):
        session, person = self.session(), self.person()
        form = self.ask(session, kind="elicitation", message="Who?", tool_name=None, arguments=None, schema={
            "type": "object", "required": ["age"], "additionalProperties": False, "properties": {
                "age": {"type": "integer", "minimum": 0}, "colour": {"enum": ["red", "green"]}, "name": {"type": "string", "maxLength": 3}}})
        path = f"/v1/interactions/{form['id']}/answer"
        for content, field, says in (
                (None, "content.age", "must be given"), ({"age": "1"}, "content.age", "integer"), ({"age": 1.5}, "content.age", "integer"),
                ({"age": -1}, "content.age", "at least 0"), ({"age": 1, "colour": "blue"}, "content.colour", "red"),
                ({"age": 1, "name": "Adam"}, "content.name", "at most 3"), ({"age": 1, "more": 1}, "content.more", "not known")):
            answer = self.belfry.post(path, {"action": "accept", **({} if content is None else {"content": content})})
            self.assert_problem(answer, 422, "invalid", field=field, says=says)
        error = person.refused("client/user_message", message(session, kind="elicitation_response", payload={
            "id": form["id"], "action": "accept", "content": {"age": True}}))
        self.assertEqual((error["code"], error["data"]["field"]), (-32602, "payload.content.age"))
        self.assertEqual(self.read(form)["state"], "pending", "it can still be answered")
        content = {"age": 36, "colour": "red", "name": "Ada"}
        self.assertEqual(self.belfry.post(path, {"action": "accept", "content": content}).status, 200)
        self.assertEqual(self.read(form)["answer"], {"action": "accept", "content": content})
        declined = self.ask(session, kind="elicitation", tool_name=None, arguments=None, schema={"required": ["x"]})
        self.assertEqual(self.belfry.post(f"/v1/interactions/{declined['id']}/answer", {"action": "decline"}).status, 200)

    def test_what_is_always_allowed_is_listed_and_can_be_taken_back(self):
        session = self.session()
        first, second, other = self.ask(session), self.ask(session), self.ask(session, tool_name="mv")
        for one in (first, second, other):
            answer = self.belfry.post(f"/v1/interactions/{one['id']}/answer", {"decision": "always_allow"})
            self.assertEqual((answer.status, json_of(answer)["always_allowed"]), (200, True), answer.body)
        self.assertEqual(self.ask(session)["answer"], {"decision": "always_allow", "earlier": True})
        self.assertEqual(self.allowed(session), ["rm", "rm", "mv"])
        listed = self.belfry.run("interaction", "list", "--always-allowed", "--session", session, "--token", self.belfry.admin_token)
        self.assertIn(first["id"], listed.out)
        agent = self.belfry.mint("agent", bounds={"users": ["ada"]})[0]
        path = f"/v1/interactions/{first['id']}/always-allowed"
        self.assertEqual(self.belfry.request("DELETE", path, token=agent).status, 403)
        with over_tcp(self.belfry, self.belfry.mint("user", user_id="ada")[0]) as peer:
            peer.ok("inbox/follow", {"session": session})
            while peer.notification()["params"]["event"]["type"] != "caught_up":
                pass
            taken = self.belfry.run("interaction", "take-back", first["id"], "--token", self.belfry.admin_token)
            self.assertEqual((taken.code, taken.err), (0, f"rm is asked for again in session {session}\n"))
            told = peer.notification()["params"]["event"]
            self.assertEqual((told["type"], told["id"], told["always_allowed"]), ("interaction_state", first["id"], False))
        self.assertEqual(self.allowed(session), ["mv"])
        self.assertEqual(self.ask(session)["state"], "pending")
        again = self.belfry.request("DELETE", path)
        self.assert_problem(again, 409, "conflict", field="id")
        self.assertEqual(json_of(again)["reason"], "not_allowed")
        self.assertEqual(self.belfry.request("DELETE", f"/v1/interactions/{uuid.uuid4()}/always-allowed").status, 404)

    def allowed(self, session):
        page = json_of(self.belfry.get(f"/v1/interactions?session={session}&always_allowed=true"))
        return [one["tool_name"] for one in page["data"]]

    def test_more_questions_than_a_session_may_have_open_are_refused_as_described(self):
        session = self.session()
        for _ in range(100):
            self.ask(session)
        answer = self.belfry.post(f"/v1/sessions/{session}/interactions", {"kind": "confirmation", "message": "One more?"})
        self.assert_problem(answer, 503, "overloaded")
        self.assertGreaterEqual(int(answer.headers["retry-after"]), 1)
        self.assert_described("post", "/v1/sessions/{id}/interactions", answer)

    def test_the_persons_interface_hears_of_it_also_when_it_comes_later(self):
        user = unique("u-")
        session, token = self.session(user), self.belfry.mint("user", user_id=user)[0]
        first = self.ask(session)
        with over_tcp(self.belfry, token) as peer:
            subscription = peer.ok("inbox/follow", {})["subscription"]
            seen = []
            while not seen or seen[-1]["type"] != "caught_up":
                got = peer.notification()
                self.assertEqual((got["method"], got["params"]["subscription"]), ("inbox/event", subscription))
                seen.append(got["params"]["event"])
            self.assertEqual([(one["type"], one["id"]) for one in seen[:-1]], [("interaction", first["id"])])
            second = self.ask(session)
            self.assertEqual(peer.notification()["params"]["event"]["id"], second["id"])
            peer.ok("client/user_message", message(session, kind="tool_confirmation",
                                                   payload={"id": first["id"], "decision": "deny"}))
            state = peer.notification()["params"]["event"]
            self.assertEqual((state["type"], state["id"], state["state"], state["answer"]),
                             ("interaction_state", first["id"], "answered", {"decision": "deny"}))
            self.assertEqual(peer.ok("unfollow", {"subscription": subscription}), {})
            self.ask(session)
            self.assertTrue(peer.quiet())
            self.assertEqual(peer.refused("unfollow", {"subscription": subscription})["code"], -32602)

    def test_questions_are_listed_withdrawn_and_answered_from_the_command_line(self):
        session = self.session()
        one, two = self.ask(session), self.ask(session)
        listed = json_of(self.belfry.get(f"/v1/interactions?session={session}&state=pending"))["data"]
        self.assertEqual([entry["id"] for entry in listed], [one["id"], two["id"]])
        withdrawn = self.belfry.request("DELETE", f"/v1/interactions/{one['id']}")
        self.assertEqual(json_of(withdrawn)["state"], "withdrawn")
        shown = self.belfry.run("interaction", "list", "--session", session)
        self.assertEqual(shown.code, 0, shown.err)
        self.assertIn(two["id"], shown.out)
        self.assertNotIn(one["id"], shown.out)
        done = self.belfry.run("interaction", "answer", two["id"], "allow_once")
        self.assertEqual(done.code, 4, "without a token it is only the socket's user: " + done.err)
        done = self.belfry.run("interaction", "answer", two["id"], "allow_once", "--token", self.belfry.admin_token)
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(self.read(two)["answer"], {"decision": "allow_once"})

    def test_a_question_survives_a_crash_and_its_deadline_too(self):
        daemon = self.daemon()
        session = unique("s-")
        daemon.request("PUT", f"/v1/sessions/{session}", {"user_id": "ada"})
        asked = json_of(daemon.post(f"/v1/sessions/{session}/interactions",
                                    {"kind": "confirmation", "message": "?", "timeout_s": 2}))
        daemon.kill()
        daemon.start()
        found = json_of(daemon.get(f"/v1/interactions/{asked['id']}?wait_s=20"))
        self.assertEqual((found["state"], found["answer"]), ("expired", {"decision": "deny"}))


class Runs(Saying):
    def start_run(self, session, **more):
        answer = self.belfry.post("/v1/runs", {"session_id": session, **more})
        self.assertEqual(answer.status, 201, answer.body)
        return json_of(answer)["id"]

    def state(self, run):
        found = json_of(self.belfry.get(f"/v1/runs/{run}"))
        return "paused" if found["paused"] else found["state"]

    def signal(self, peer, session, **payload):
        return peer.call("client/user_message", message(session, kind="control_signal", payload=payload))

    def emit(self, run, count=1):
        lines = "\n".join(['{"event":"llm.stream","data":{"message_id":"m","delta":"w"}}'] * count)
        answer = self.belfry.post(f"/v1/runs/{run}/events", lines, headers={"Content-Type": "application/x-ndjson"})
        self.assertEqual(answer.status, 201, answer.body)

    def test_a_signal_reaches_exactly_the_run_that_it_is_for(self):
        session, other, peer = self.session(), self.session(), self.peer()
        one, two, elsewhere = self.start_run(session), self.start_run(session), self.start_run(other)
        self.assertIn("result", self.signal(peer, session, action="pause", run_id=one))
        self.assertEqual([self.state(run) for run in (one, two, elsewhere)], ["paused", "running", "running"])
        self.assertIn("result", self.signal(peer, session, action="resume", run_id=one))
        self.assertEqual(self.state(one), "running")
        self.assertEqual(self.signal(peer, session, action="cancel")["error"]["data"]["reason"], "ambiguous")
        receipt = self.signal(peer, session, action="cancel", run_id=two, reason="enough")["result"]
        self.assertEqual([self.state(run) for run in (one, two, elsewhere)], ["running", "cancelled", "running"])
        recorded = [entry["event"] for entry in self.belfry.entries(session=session) if entry["event"]["id"] == receipt["notification_id"]]
        self.assertEqual(recorded[0]["type"], "client.control_signal")
        self.assertIn("result", self.signal(peer, session, action="cancel"), "only one is left")
        self.assertEqual([self.state(run) for run in (one, two, elsewhere)], ["cancelled", "cancelled", "running"])
        self.assertEqual(self.signal(peer, session, action="cancel", run_id=elsewhere)["error"]["code"], -32602)
        self.assertEqual(self.signal(peer, session, action="cancel", run_id=one)["error"]["code"], -32009, "it has ended")
        self.assertEqual(self.signal(peer, session, action="jump")["error"]["data"]["field"], "payload.action")
        self.assertEqual(self.state(elsewhere), "running")

    def test_a_run_that_streams_holds_up_nobody_and_is_held_up_by_nobody(self):
        session, peer = self.session(), self.peer()
        run = self.start_run(session)
        subscription = peer.ok("run/follow", {"run_id": run})["subscription"]
        done = []

        def stream():
            while not done:
                self.emit(run, 50)

        other = self.peer()
        with threads(stream):
            try:
                for n in range(20):
                    began = time.monotonic()
                    (peer if n % 2 else other).say(session, f"{n}")
                    self.assertLess(time.monotonic() - began, 5)
                    named = {"pull_id": pulled["pull_id"]} if n else {}
                    pulled = Agent(self.belfry, session).pull("after_tool", **named)
                    self.assertEqual([one["content"] for one in pulled["user_messages"]], [f"{n}"])
            finally:
                done.append(True)
        self.assertEqual(self.belfry.post(f"/v1/runs/{run}/finish", {"state": "completed"}).status, 200)
        sequences, closed = [], None
        while closed is None:
            got = peer.notification()
            self.assertEqual(got["params"]["subscription"], subscription)
            if got["method"] == "run/closed":
                closed = got["params"]["reason"]
            else:
                sequences.append(got["params"]["sequence"])
                last = got["params"]["event"]
        self.assertEqual(closed, "ended")
        self.assertEqual(last["event"], "lifecycle.completed")
        self.assertEqual(sequences, list(range(sequences[0], sequences[0] + len(sequences))), "none lost, none twice")

    def test_a_run_is_followed_from_a_place_and_one_that_is_not_there_is_refused(self):
        session, peer = self.session(), self.peer()
        run = self.start_run(session)
        self.emit(run, 5)
        peer.ok("run/follow", {"run_id": run, "after": 3})
        self.assertEqual(peer.notification()["params"]["sequence"], 4)
        head = json_of(self.belfry.get(f"/v1/runs/{run}"))["events"]
        self.belfry.post(f"/v1/runs/{run}/cancel")
        with over_unix(self.belfry) as late:
            late.ok("run/follow", {"run_id": run, "after": head + 1})
            self.assertEqual(late.notification()["method"], "run/closed", "he has all of it")
        self.assertEqual(peer.refused("run/follow", {"run_id": 1_000_000})["code"], -32602)
        self.assertEqual(peer.refused("run/follow", {})["data"]["field"], "run_id")
        with over_tcp(self.belfry, self.belfry.mint("user", user_id="bob")[0]) as stranger:
            self.assertIn(stranger.refused("run/follow", {"run_id": run})["code"], (-32602, -32003))

    def test_a_question_of_a_run_stands_in_its_stream(self):
        session = self.session()
        run = self.start_run(session)
        asked = json_of(self.belfry.post(f"/v1/sessions/{session}/interactions",
                                         {"kind": "confirmation", "message": "?", "run_id": run}))
        self.belfry.post(f"/v1/interactions/{asked['id']}/answer", {"decision": "deny"})
        page = json_of(self.belfry.get(f"/v1/runs/{run}/events"))["data"]
        found = [(one["event"], one["data"]["id"], one["data"]["state"]) for one in page if one["event"].startswith("interaction.")]
        self.assertEqual(found, [("interaction.requested", asked["id"], "pending"), ("interaction.answered", asked["id"], "answered")])
        elsewhere = self.start_run(self.session())
        for wrong in (1_000_000, elsewhere):
            answer = self.belfry.post(f"/v1/sessions/{session}/interactions", {"kind": "confirmation", "message": "?", "run_id": wrong})
            self.assert_problem(answer, 422, "invalid", field="run_id")
        page = json_of(self.belfry.get(f"/v1/runs/{elsewhere}/events"))["data"]
        self.assertEqual([one["event"] for one in page], ["lifecycle.started"], "nothing of another session's question")

    def test_a_question_ends_with_its_run_and_with_its_session(self):
        session, peer = self.session(), self.peer()
        run = self.start_run(session)

        def ask(**more):
            return json_of(self.belfry.post(f"/v1/sessions/{session}/interactions",
                                            {"kind": "confirmation", "message": "?", "tool_name": "rm", **more}))["id"]

        of_run, of_session = ask(run_id=run), ask()
        self.assertIn("result", self.signal(peer, session, action="cancel"))
        self.assertEqual(json_of(self.belfry.get(f"/v1/interactions/{of_run}"))["state"], "withdrawn")
        self.assert_problem(self.belfry.post(f"/v1/interactions/{of_run}/answer", {"decision": "always_allow"}), 409, "conflict", field="id")
        self.assertEqual(json_of(self.belfry.get(f"/v1/interactions/{of_session}"))["state"], "pending")
        self.assertEqual(self.belfry.request("DELETE", f"/v1/sessions/{session}").status, 204)
        found = self.belfry.get(f"/v1/interactions/{of_session}?wait_s=1")
        self.assertEqual((found.status, json_of(found)["state"], json_of(found)["message"]), (200, "withdrawn", ""))

    def test_a_signal_that_is_refused_has_stopped_nothing_and_one_that_stopped_is_not_refused(self):
        user = unique("u-")
        session, peer = self.session(user), self.peer()
        run = self.start_run(session)
        refused = self.signal(peer, session, action="cancel", reason="x" * 501)["error"]
        self.assertEqual((refused["code"], refused["data"]["field"]), (-32602, "payload.reason"), refused)
        self.assertEqual(self.state(run), "running")
        token = self.belfry.mint("user", user_id=user, bounds={"type_prefixes": ["app"]})[0]
        with over_tcp(self.belfry, token) as bound:
            self.assertIn("result", self.signal(bound, session, action="cancel", reason="x" * 500))
        self.assertEqual(self.state(run), "cancelled")


class UnderTraffic(Saying):
    def test_all_are_acknowledged_while_events_go_the_other_way(self):
        session = self.session()
        user = unique("u-")
        token = self.belfry.mint("service")[0]
        done = []

        def emit():
            while not done:
                self.belfry.emit_ok([{"type": "test.event", "source": "e2e", "user_id": user}] * 50)

        with OverWebSocket(self.belfry, token=token) as peer, threads(emit):
            try:
                for n in range(90):
                    began = time.monotonic()
                    self.assertIs(peer.say(session, f"{n}")["success"], True)
                    self.assertLess(time.monotonic() - began, 5)
            finally:
                done.append(True)
        self.assertEqual(self.history(session), [f"{n}" for n in range(90)])


if __name__ == "__main__":
    unittest.main()
