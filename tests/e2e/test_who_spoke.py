"""Who spoke: acceptance 23 to 28, 30 and 32, as users and models see them. Nothing here reads a state of a row."""

import unittest

import belfry
from belfry import eventually, json_of, unique
from test_delivery import AGENT_DECIDES, AGENT_SAYS, AGENT_SAYS_HERE, PASSIVE, Delivering

USER_DECIDES = {"address": "user", "target": "agent", "handler": "agent"}


class Spoken(Delivering):
    def setUp(self):
        self.name, self.token = self.user()
        self.session = unique("s-")
        self.belfry.request("PUT", f"/v1/sessions/{self.session}", {"user_id": self.name})
        self.agent = self.belfry.mint("agent", bounds={"users": [self.name]})[0]

    def emit(self, text, routing=AGENT_SAYS, **more):
        if routing["address"] == "session":
            more.setdefault("session_id", self.session)
        return self.emit_notification(text=text, user_id=self.name, routing=routing, **more)

    def call(self, path, body, status=None, token=None, session=None):
        answer = self.belfry.post(f"/v1/sessions/{session or self.session}/{path}", body, token=token or self.agent)
        if status is not None:
            self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def pull(self, token=None, point="turn_start", session=None, **more):
        return self.call("pull", {"point": point, **more}, 200, token, session)

    def narrate(self, handle, text, lease=1, status=200, token=None, **more):
        answer = self.belfry.post(f"/v1/notifications/{handle}/narrate?session={self.session}",
                                  {"lease": lease, "text": text, **more}, token=token or self.agent)
        self.assertEqual(answer.status, status, answer.body)
        return json_of(answer)

    def connect(self):
        return self.belfry.websocket(f"/v1/inbox/live?user={self.name}", token=self.token)

    def shown(self, acknowledge=True):
        """What an interface that connects now is sent before it is up to date."""
        with self.connect() as interface:
            frames = []
            while (frame := interface.message())["type"] != "caught_up":
                if frame["type"] == "notification":
                    frames.append(frame)
            for frame in frames if acknowledge else []:
                interface.say({"type": "ack", "id": frame["id"], "lease": frame["owner_lease"],
                               "version": frame["version"], "how": "rendered"})
                while interface.message()["type"] != "ack_result":
                    pass
        return frames

    def texts(self, acknowledge=True):
        return [frame["text"] for frame in self.shown(acknowledge)]

    def take_over(self, text="must be told", routing=AGENT_SAYS, second=None):
        """R1 pulls and lets its lease run out; R2 takes over."""
        row = self.emit(text, routing, ttl_s=120, priority="high")
        first = self.pull(lease_s=1)
        self.assertEqual(first["items"][0]["lease"], 1)
        again = []

        def taken():
            again[:] = [self.pull(second, point="after_tool")]
            return again[0]["items"]
        eventually("the lease of R1 has run out", taken)
        self.assertEqual(again[0]["items"][0]["lease"], 2)
        return row, first, again[0]


class Narrations(Spoken):
    """Acceptance 23, finding 1: the next connection is sent a narration that nobody was connected for, once."""

    def test_a_narration_waits_for_the_next_connection_and_is_sent_once(self):
        self.emit("disk full", priority="critical")
        self.pull()
        self.narrate("n1", "Your disk is full.")
        self.assertEqual(self.inbox(self.name)["waiting"], 1)
        frames = self.shown(acknowledge=False)
        self.assertEqual([(one["text"], one["content"], one["narrated"]) for one in frames],
                         [("Your disk is full.", "Your disk is full.", True)])
        self.assertEqual(self.texts(), ["Your disk is full."], "nobody has confirmed it yet")
        self.assertEqual(self.texts(), [])
        self.call("turns", {"event": "end"}, 201)
        self.assertEqual(self.texts(), [])

    def test_a_connected_interface_is_sent_the_narration_and_nothing_else(self):
        with self.connect() as interface:
            while interface.message()["type"] != "caught_up":
                pass
            self.emit("disk full")
            self.pull()
            self.narrate("n1", "Your disk is full.")
            frame = interface.message()
            self.assertEqual((frame["type"], frame["text"]), ("notification", "Your disk is full."))
            interface.say({"type": "ack", "id": frame["id"], "lease": frame["owner_lease"], "version": frame["version"]})
            self.assertEqual(interface.message()["type"], "ack_result")
        self.assertEqual(self.texts(), [])

    def test_a_narration_survives_a_crash_of_the_daemon(self):
        with self.daemon() as daemon:
            daemon.post("/v1/notifications", {"text": "disk full", "user_id": "ada", "routing": AGENT_SAYS})
            daemon.post("/v1/sessions/s1/turns", {"event": "start"})
            daemon.request("PUT", "/v1/sessions/s2", {"user_id": "ada"})
            pulled = json_of(daemon.post("/v1/sessions/s2/pull", {"point": "turn_start"}))
            self.assertEqual(len(pulled["items"]), 1)
            said = daemon.post("/v1/notifications/n1/narrate?session=s2", {"lease": 1, "text": "It is full."})
            self.assertEqual(said.status, 200, said.body)
            daemon.kill()
            daemon.start()
            with daemon.websocket("/v1/inbox/live?user=ada") as interface:
                self.assertEqual(interface.message()["text"], "It is full.")

    def test_the_agent_cannot_narrate_twice(self):
        self.emit("disk full")
        self.pull()
        self.narrate("n1", "first")
        self.assertEqual(self.narrate("n1", "second", status=409)["reason"], "already_told")
        self.assertEqual(self.texts(), ["first"])

    def test_a_narration_in_a_conversation_is_shown_and_stands_in_its_history(self):
        self.emit("disk full", AGENT_SAYS_HERE)
        self.pull()
        self.narrate("n1", "Your disk is full.")
        history = json_of(self.belfry.get(f"/v1/sessions/{self.session}/history"))
        said = [message["content"] for node in history["data"] for message in node["messages"]]
        self.assertEqual(said, ["Your disk is full."])
        self.assertEqual([(one["text"], one["channel"]) for one in self.shown()], [("Your disk is full.", "conversation")])

    def test_a_narration_of_an_older_version_is_rejected(self):
        self.emit("price 10", deduplication_key="price")
        item = self.pull()["items"][0]
        refused = self.narrate("n1", "It costs 10.", version=item["version"] + 1, status=409)
        self.assertEqual(refused["reason"], "stale_version")
        self.narrate("n1", "It costs 10.", version=item["version"])


class Takeovers(Spoken):
    """Acceptance 24, finding 2: R1's end of turn, acknowledgement, veto, heartbeat and tool reports change nothing."""

    def zombie_calls(self, first):
        old = first["pull_id"]
        yield "turns", {"event": "end", "acknowledged": ["n1"]}
        yield "turns", {"event": "end"}
        yield "turns", {"event": "end", "pull_id": old}
        yield "turns", {"event": "end", "pull_id": old, "acknowledged": ["n1"]}
        yield "turns", {"event": "end", "acknowledged": [{"id": "n1", "lease": 1}]}
        yield "turns", {"event": "end", "leases": [{"id": "n1", "lease": 1}]}
        yield "heartbeat", {}
        yield "heartbeat", {"pull_id": old}
        yield "heartbeat", {"leases": [{"id": "n1", "lease": 1}]}
        yield "acknowledge", {"items": [{"id": "n1", "lease": 1}]}
        for more in ({}, {"pull_id": old}, {"handling": "n1"}, {"handling": "n1", "leases": [{"id": "n1", "lease": 1}]}):
            yield "tool-calls", {"status": "pending", "tool_name": "send_mail", "call_id": unique("c"), **more}

    def check(self, second):
        row, first, taken = self.take_over(second=second)
        held = self.row(row)
        for path, body in self.zombie_calls(first):
            with self.subTest(path=path, body=body):
                refused = self.call(path, body, 409)
                self.assertIn(refused["reason"], ("stale_lease", "no_lease"))
                self.assertEqual(self.row(row), held, "the notification is as R2 has it")
        lost = self.call("acknowledge", {"pull_id": first["pull_id"]}, 200)
        self.assertEqual(lost["acknowledged"], 0)
        self.assertEqual(self.texts(), [], "nobody has told the user yet")
        self.narrate("n1", "R2 tells it", lease=2, token=second)
        self.assertEqual(self.texts(), ["R2 tells it"])
        steps = self.why(row)["notifications"][0]["steps"]
        holder = [step["holder"] for step in steps if step["reason"] == "taken_over"]
        self.assertEqual([step["holder"] for step in steps if step["reason"] == "narrated"], holder)

    def test_with_the_same_token(self):
        self.check(None)

    def test_with_another_token(self):
        self.check(self.belfry.mint("agent", bounds={"users": [self.name]})[0])

    def take_over_elsewhere(self, text, routing=AGENT_SAYS):
        """R1 pulls in one session and lets its lease run out; R2 takes over in another session of the user."""
        row = self.emit(text, routing, ttl_s=120, priority="high")
        self.pull(lease_s=1)
        other, again = unique("s-"), []
        self.belfry.request("PUT", f"/v1/sessions/{other}", {"user_id": self.name})

        def taken():
            again[:] = self.pull(session=other, point="after_tool")["items"]
            return again
        eventually("the lease of R1 has run out", taken)
        self.assertEqual((again[0]["handle"], again[0]["lease"]), ("n1", 2))
        return row

    def test_a_session_that_lost_its_notification_to_another_session_changes_nothing(self):
        row = self.take_over_elsewhere("must be told")
        held = self.row(row)
        lease = {"id": "n1", "lease": 1}
        tool = {"status": "pending", "tool_name": "send_mail", "call_id": "c1"}
        for path, body in (("turns", {"event": "end", "acknowledged": [lease]}), ("turns", {"event": "end", "leases": [lease]}),
                           ("heartbeat", {"leases": [lease]}), ("acknowledge", {"items": [lease]}),
                           ("tool-calls", {**tool, "handling": "n1"})):
            with self.subTest(path=path, body=body):
                self.assertEqual(self.call(path, body, 409)["reason"], "stale_lease")
                self.assertEqual(self.row(row), held)
        self.call("turns", {"event": "end"}, 201)
        self.assertEqual(self.row(row), held, "the turn of the session ends; the notification is not its own any more")
        self.assertEqual(self.texts(), [])

    def test_the_user_sees_a_tool_that_ran_for_a_notification_of_another_session(self):
        self.take_over_elsewhere("internal", USER_DECIDES)
        self.call("tool-calls", {"status": "success", "tool_name": "send_mail", "call_id": "c1", "handling": "n1",
                                 "duration_ms": 1}, 201)
        self.assertEqual(self.texts(), ["An agent acted on a notification (tool used: send_mail)"])

    def test_an_unnamed_pull_of_the_old_holder_proves_nothing(self):
        row, _, taken = self.take_over()
        held = self.row(row)
        late = self.pull(point="after_tool")
        self.assertEqual(late["items"], [])
        refused = self.call("turns", {"event": "end", "pull_id": late["pull_id"]}, 409)
        self.assertEqual(refused["reason"], "stale_lease")
        self.assertEqual(self.row(row), held)

    def test_a_holder_of_many_pulls_keeps_its_proof(self):
        row = self.emit("internal", USER_DECIDES, ttl_s=120)
        last = self.pull()["pull_id"]
        for _ in range(70):
            last = self.pull(point="after_tool", pull_id=last)["pull_id"]
        self.assertEqual(self.call("heartbeat", {"pull_id": last}, 200)["renewed"], 1)
        self.call("turns", {"event": "end", "pull_id": last, "acknowledged": ["n1"]}, 201)
        self.assertEqual(self.row(row)["state"], "delivered")

    def test_the_end_of_another_runtime_confirms_no_words_and_no_facts(self):
        self.pull()
        second = self.belfry.mint("agent", bounds={"users": [self.name]})[0]
        self.call("messages", {"role": "user", "content": "buy milk", "deliver": True}, 201, token=self.token)
        fact = self.emit("a fact", {"address": "user", "target": "user", "handler": "system"})
        self.texts()
        lost = self.pull(second)
        self.assertEqual([one["content"] for one in lost["user_messages"]], ["buy milk"])
        self.assertEqual(len(lost["seen"]), 1, fact)
        self.call("turns", {"event": "end"}, 201)
        again = self.pull(second)
        self.assertEqual([one["content"] for one in again["user_messages"]], ["buy milk"])
        self.assertEqual(len(again["seen"]), 1)

    def test_an_old_pull_takes_no_words_from_another_runtime(self):
        first = self.pull()
        second = self.belfry.mint("agent", bounds={"users": [self.name]})[0]
        self.call("messages", {"role": "user", "content": "buy milk", "deliver": True}, 201, token=self.token)
        self.assertEqual(len(self.pull(second)["user_messages"]), 1)
        self.assertEqual(self.pull(point="after_tool", pull_id=first["pull_id"])["user_messages"], [])

    def test_the_end_of_another_process_does_not_hide_a_lost_answer(self):
        """Two processes share a token. One of them names no pulls and loses an answer with a message of the user."""
        named = self.pull()
        self.call("turns", {"event": "start"}, 201)
        self.call("messages", {"role": "user", "content": "buy milk", "deliver": True}, 201, token=self.token)
        self.assertEqual(len(self.pull()["user_messages"]), 1, "this answer is lost")
        self.call("turns", {"event": "end", "pull_id": named["pull_id"]}, 201)
        self.call("turns", {"event": "start"}, 201)
        again = self.pull()
        self.assertEqual([one["content"] for one in again["user_messages"]], ["buy milk"])
        self.call("turns", {"event": "end"}, 201)

    def test_the_new_holder_ends_its_turn_by_naming_its_pull(self):
        row, _, taken = self.take_over()
        self.narrate("n1", "told", lease=2)
        self.call("turns", {"event": "end", "pull_id": taken["pull_id"], "acknowledged": ["n1"]}, 201)
        self.assertEqual(self.texts(), ["told"])

    def test_a_decision_that_was_taken_over_cannot_be_vetoed_by_the_old_holder(self):
        row, first, taken = self.take_over("internal", USER_DECIDES)
        self.call("turns", {"event": "end"}, 409)
        self.call("tool-calls", {"status": "pending", "tool_name": "send_mail", "call_id": "c1", "handling": "n1",
                                 "pull_id": taken["pull_id"]}, 201)
        self.call("turns", {"event": "end", "pull_id": taken["pull_id"]}, 201)
        self.assertEqual(self.texts(), ["internal (tool used: send_mail)"])

    def test_a_single_holder_needs_no_lease(self):
        self.emit("must be told")
        self.pull()
        self.assertEqual(self.call("heartbeat", {}, 200)["renewed"], 1)
        self.call("turns", {"event": "end"}, 201)
        self.assertEqual(self.texts(), ["must be told"])

    def test_a_runtime_that_names_its_pulls_holds_all_of_its_chain(self):
        self.emit("first")
        one = self.pull()
        self.emit("second", priority="high")
        two = self.pull(point="after_tool", pull_id=one["pull_id"])
        self.assertEqual(len(two["items"]), 1)
        self.assertEqual(self.call("heartbeat", {"pull_id": two["pull_id"]}, 200)["renewed"], 2)
        self.call("turns", {"event": "end", "pull_id": two["pull_id"]}, 201)
        self.assertEqual(self.texts(), ["first", "second"])


class ExternalTools(Spoken):
    """Acceptance 25, finding 3: the user sees exactly one item, and it names the tool."""

    def use(self, status="pending", call="c1", tool="send_mail", code=201, **more):
        body = {"status": status, "tool_name": tool, "call_id": call, **more}
        if status == "success":
            body["duration_ms"] = 1
        return self.call("tool-calls", body, code)

    def one_item(self, tool="send_mail"):
        texts = self.texts()
        self.assertEqual(len(texts), 1, texts)
        self.assertIn("internal", texts[0])
        self.assertIn(tool, texts[0])
        self.assertEqual(self.texts(), [], "and never again")

    def check(self, *steps, routings=(AGENT_DECIDES, USER_DECIDES)):
        for routing in routings:
            with self.subTest(routing=routing):
                self.setUp()
                self.emit("internal", routing)
                self.pull()
                for step in steps:
                    step()
                self.one_item()

    def end(self, **more):
        self.call("turns", {"event": "end", **more}, 201)

    def test_a_call_that_ends_much_later_is_told_once(self):
        self.emit("internal", USER_DECIDES)
        self.pull()
        self.call("acknowledge", {"items": [{"id": "n1", "lease": 1}]}, 200)
        self.use(call="deploy-1", tool="deploy", handling="n1")
        self.one_item("deploy")
        reader = unique("reader")
        self.assertIn(self.belfry.request("PUT", f"/v1/tools/{reader}", {"impact": "internal"}).status, (200, 201))
        for number in range(101):  # more than the detector of loops remembers
            self.use("success", call=f"c{number}", tool=reader, handling="n1")
        self.use("success", call="deploy-1", tool="deploy", handling="n1")
        self.assertEqual([text for text in self.texts() if "deploy" in text], [])

    def test_more_tools_than_an_item_can_name(self):
        self.emit("internal", USER_DECIDES)
        self.pull()
        for number in range(23):
            self.use(call=f"c{number}", tool=f"tool{number:02}", handling="n1")
        self.end()
        self.assertTrue(self.texts()[0].endswith("tool19, …)"))

    def test_a_tool_for_an_earlier_decision_in_a_turn_that_must_tell_something_else(self):
        self.emit("internal", USER_DECIDES)
        self.pull()
        self.end(acknowledged=["n1"])
        self.emit("must be told")
        self.assertEqual([item["handle"] for item in self.pull()["items"]], ["n2"])
        self.use("success", handling="n1")
        self.one_item()

    def test_acknowledged_after_the_tool(self):
        self.check(lambda: self.use(handling="n1"), lambda: self.end(acknowledged=["n1"]))

    def test_acknowledged_after_the_tool_in_the_middle_of_the_turn(self):
        self.check(lambda: self.use(handling="n1"),
                   lambda: self.call("acknowledge", {"items": [{"id": "n1", "lease": 1}]}, 200), self.end)

    def test_acknowledged_before_the_tool(self):
        acknowledge = lambda: self.call("acknowledge", {"items": [{"id": "n1", "lease": 1}]}, 200)
        self.check(acknowledge, lambda: self.use(handling="n1"), self.end)
        self.check(acknowledge, self.use, self.end)

    def test_vetoed_after_the_tool(self):
        self.check(lambda: self.use(handling="n1"), self.end)
        self.check(self.use, self.end)

    def test_reported_only_afterwards(self):
        self.check(lambda: self.use("success", handling="n1"), self.end)
        self.check(lambda: self.use("success"), lambda: self.end(acknowledged=["n1"]))

    def test_reported_after_the_turn_has_ended(self):
        self.check(self.end, lambda: self.use("success", handling="n1"))

    def test_pending_and_done_are_one_effect(self):
        self.check(lambda: self.use(handling="n1"), lambda: self.end(acknowledged=["n1"]),
                   lambda: self.use("success", handling="n1"))
        self.check(lambda: self.call("acknowledge", {"items": [{"id": "n1", "lease": 1}]}, 200),
                   lambda: self.use(handling="n1"), lambda: self.use("success", handling="n1"), self.end)

    def test_two_tools_are_one_item(self):
        self.check(lambda: self.use(handling="n1", tool="post_message", call="c0"), lambda: self.use(handling="n1"), self.end)

    def test_narrated_after_the_tool(self):
        self.check(lambda: self.use(handling="n1"), lambda: self.narrate("n1", "I sent the internal mail."), self.end)

    def test_the_agent_dies_after_the_tool(self):
        self.emit("internal", USER_DECIDES, ttl_s=1)
        self.pull(lease_s=1)
        self.use(handling="n1")
        with self.connect() as interface:
            while (frame := interface.message())["type"] != "notification":
                pass
            self.assertEqual(frame["text"], "internal (tool used: send_mail)")

    def test_an_old_holder_that_used_a_tool_all_the_same(self):
        self.take_over("internal", USER_DECIDES)
        self.use("success", handling="n1")
        self.one_item()

    def test_internal_tools_show_nothing(self):
        self.belfry.request("PUT", "/v1/tools/look_up", {"impact": "internal"})
        self.emit("internal", USER_DECIDES)
        self.pull()
        self.use(handling="n1", tool="look_up")
        self.end(acknowledged=["n1"])
        self.assertEqual(self.texts(), [])

    def test_an_ordinary_turn_shows_nothing(self):
        self.emit("context", PASSIVE)
        self.pull()
        self.use()
        self.end()
        self.assertEqual(self.texts(), [])


class MustTell(Spoken):
    """Acceptance 27, finding 8: the text says which items must be told; acknowledging is not telling."""

    def test_the_text_the_items_and_the_tool_say_what_must_be_told(self):
        self.emit("TELL the user")
        self.emit("for you", USER_DECIDES)
        self.emit("context", PASSIVE)
        answer = self.belfry.post(f"/v1/sessions/{self.session}/pull?format=openai", {"point": "turn_start"}, token=self.agent)
        pulled = json_of(answer)
        told = {item["text"]: (item["needs_answer"], item["must_tell"]) for item in pulled["items"]}
        self.assertEqual(told, {"TELL the user": (True, True), "for you": (True, False), "context": (False, False)})
        handles = {item["text"]: item["handle"] for item in pulled["items"]}
        self.assertIn(f"[{handles['TELL the user']} normal, tell the user]", pulled["text"])
        self.assertIn(f"[{handles['for you']} normal, your decision]", pulled["text"])
        self.assertIn(f"Tell the user about {handles['TELL the user']},", pulled["text"])
        self.assertIn(f"Decide what to do about {handles['for you']},", pulled["text"])
        self.assertIn("tell the user", pulled["tools"][0]["function"]["description"])

    def test_an_acknowledgement_without_telling_tells_the_user(self):
        for routing in (AGENT_SAYS, AGENT_SAYS_HERE):
            with self.subTest(routing=routing):
                self.setUp()
                self.emit("must be told", routing)
                self.pull()
                self.call("turns", {"event": "end", "acknowledged": ["n1"]}, 201)
                self.assertEqual(self.texts(), ["must be told"])
                self.assertEqual(self.texts(), [])

    def test_an_acknowledgement_in_the_middle_says_what_is_untold(self):
        self.emit("must be told")
        self.pull()
        told = self.call("acknowledge", {"items": [{"id": "n1", "lease": 1}]}, 200)
        self.assertEqual((told["acknowledged"], told["untold"]), (0, ["n1"]))
        self.narrate("n1", "I tell you.")
        self.call("turns", {"event": "end"}, 201)
        self.assertEqual(self.texts(), ["I tell you."])

    def test_an_agent_that_spoke_in_the_conversation_has_told_it(self):
        self.emit("must be told", AGENT_SAYS_HERE)
        self.pull()
        self.call("messages", {"role": "assistant", "content": "I tell you here."}, 201)
        self.call("turns", {"event": "end", "acknowledged": ["n1"]}, 201)
        self.assertEqual(self.texts(), [])

    def test_a_message_before_the_notification_or_of_somebody_else_tells_nothing(self):
        def say(token):
            self.call("messages", {"role": "assistant", "content": "Hello"}, 201, token=token)

        for is_before in (True, False):
            with self.subTest(is_before=is_before):
                self.setUp()
                if is_before:
                    self.pull()
                    say(self.agent)
                self.emit("DISK FULL", AGENT_SAYS_HERE, priority="critical")
                self.pull(point="immediate")
                if not is_before:
                    say(self.token)  # the user's own token
                self.call("turns", {"event": "end", "acknowledged": ["n1"]}, 201)
                self.assertEqual(self.texts(), ["DISK FULL"])

    def test_one_text_tells_several(self):
        rows = [self.emit(f"build {number} failed") for number in range(3)]
        pulled = self.pull()
        self.assertEqual(len(pulled["items"]), 3)
        answer = self.belfry.post(f"/v1/notifications/n1/narrate?session={self.session}",
                                  {"pull_id": pulled["pull_id"], "text": "All builds failed.", "also": ["n2", {"id": "n3", "lease": 1}]},
                                  token=self.agent)
        self.assertEqual(answer.status, 200, answer.body)
        self.call("turns", {"event": "end", "pull_id": pulled["pull_id"], "acknowledged": ["n1", "n2", "n3"]}, 201)
        self.assertEqual(self.texts(), ["All builds failed."])
        self.assertEqual([self.row(row)["state"] for row in rows], ["delivered"] * 3)

    def test_one_text_tells_nothing_if_a_part_is_not_the_callers(self):
        for also, status in ((["n9"], 404), ([{"id": "n2", "lease": 7}], 409), ([{"id": "n2", "lease": 0}], 422)):
            with self.subTest(also=also):
                self.setUp()
                self.emit("one"), self.emit("two")
                pulled = self.pull()
                answer = self.belfry.post(f"/v1/notifications/n1/narrate?session={self.session}",
                                          {"pull_id": pulled["pull_id"], "text": "Both.", "also": also}, token=self.agent)
                self.assertEqual(answer.status, status, answer.body)
                self.assertEqual(self.texts(), [])


class HeldRows(Spoken):
    """Acceptance 28, 30 and 32; findings 7, 9 and 12."""

    def test_a_guessed_lease_changes_nothing_of_a_held_notification(self):
        emitter = self.belfry.mint("emitter", bounds={"users": [self.name]})[0]
        self.emit("v1", deduplication_key="L")
        self.pull()
        update = self.belfry.post("/v1/notifications", {"user_id": self.name, "text": "v2 IMPORTANT", "routing": AGENT_SAYS,
                                                        "deduplication_key": "L", "lease": 1}, token=emitter)
        self.assertEqual(update.status, 201, update.body)
        self.narrate("n1", "about v1")
        self.call("turns", {"event": "end"}, 201)
        again = self.pull()
        self.assertEqual([item["text"] for item in again["items"]], ["v2 IMPORTANT"])
        self.assertEqual(self.texts(), ["about v1"])

    def test_the_holder_updates_its_own_notification_in_place(self):
        row = self.emit("v1", deduplication_key="L")
        self.pull()
        update = self.belfry.post("/v1/notifications", {"user_id": self.name, "text": "v2", "routing": AGENT_SAYS,
                                                        "deduplication_key": "L", "lease": 1}, token=self.agent)
        self.assertEqual((update.status, json_of(update)["id"]), (200, row["id"]))
        self.call("turns", {"event": "end"}, 201)
        self.assertEqual(self.texts(), ["v2"])

    def test_a_chain_ends_wherever_the_agent_emits(self):
        self.emit("round 0", USER_DECIDES)
        seen = []
        for n in range(1, 6):
            pulled = self.pull()
            if not pulled["items"]:
                break
            seen.append(pulled["items"][0]["text"])
            child = self.belfry.post("/v1/notifications", {"user_id": self.name, "text": f"round {n}", "routing": USER_DECIDES},
                                     token=self.agent)
            self.assertEqual(child.status, 201, child.body)
            self.call("turns", {"event": "end", "pull_id": pulled["pull_id"]}, 201)
        self.assertEqual(seen, ["round 0", "round 1", "round 2"])
        self.assertEqual(self.texts(), ["round 3"], "the end of the chain is shown to the user")

    def test_a_chain_over_two_users_ends(self):
        other, token = self.user()
        sessions = {self.name: self.session, other: unique("s-")}
        self.belfry.request("PUT", f"/v1/sessions/{sessions[other]}", {"user_id": other})
        agent = self.belfry.mint("agent", bounds={"users": [self.name, other]})[0]
        self.emit("round 0", USER_DECIDES)
        rounds, users = 0, [self.name, other]
        while (pulled := self.pull(agent, session=sessions[users[rounds % 2]]))["items"]:
            rounds += 1
            self.assertLess(rounds, 6)
            child = self.belfry.post("/v1/notifications", {"user_id": users[rounds % 2], "text": f"round {rounds}",
                                                           "routing": USER_DECIDES}, token=agent)
            self.assertEqual(child.status, 201, child.body)
            self.call("turns", {"event": "end", "pull_id": pulled["pull_id"]}, 201, agent, sessions[users[(rounds - 1) % 2]])
        self.assertEqual(rounds, 3)

    def test_a_deleted_session_tells_the_user_at_once(self):
        for routing in (AGENT_SAYS, AGENT_SAYS_HERE):
            with self.subTest(routing=routing):
                self.setUp()
                self.emit("must be told", routing, ttl_s=600)
                self.pull()
                self.assertEqual(self.belfry.request("DELETE", f"/v1/sessions/{self.session}").status, 204)
                self.assertEqual([(one["text"], one["channel"]) for one in self.shown()], [("must be told", "inbox")])

    def test_a_decision_of_a_deleted_session_goes_to_another_session(self):
        self.emit("for you", AGENT_DECIDES, ttl_s=600)
        self.pull()
        self.assertEqual(self.belfry.request("DELETE", f"/v1/sessions/{self.session}").status, 204)
        other = unique("s-")
        self.belfry.request("PUT", f"/v1/sessions/{other}", {"user_id": self.name})
        self.assertEqual([item["text"] for item in self.pull(session=other)["items"]], ["for you"])
        self.assertEqual(self.texts(), [])


if __name__ == "__main__":
    unittest.main()
