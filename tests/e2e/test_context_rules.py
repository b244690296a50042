"""The rules of an agent's context, as an agent's runtime sees them: contents that say something, rows that tell failures apart, and
low context at the end of a turn."""

import os
import unittest

import belfry
import faults
from belfry import eventually, json_of, unique
from test_notifications import Agent, WithFolder, subscriber


def event(session, kind, payload, **more):
    return {"type": kind, "source": "ci", "session_id": session, "user_id": "ada", "payload": payload, **more}


class Blank(WithFolder):
    """A template that renders nothing that a reader sees gets the fallback content."""

    def content_of(self, template, text=None):
        name = unique("blank")
        self.write(f"templates/{name}.toon.j2", template)
        output = f'template = "templates/{name}.toon.j2"\n' + (f"text = '''{text}'''" if text is not None else "")
        self.write(f"{name}.toml", subscriber(name, [f"test.{name}"], batching="window_ms = 0", output=output))
        eventually("the file counts", lambda: name in self.listed())
        agent = Agent(self.belfry)
        self.belfry.emit_ok(event(agent.session, f"test.{name}", {"message": "IMPORTANT"}))
        return agent.drain()[0]

    def test_a_blank_content_is_the_fallback(self):
        self.belfry.start()
        blank = {"a space": " ", "spaces and a line end": "   \n", "lines of spaces": "\n  \n", "comments of the template": "{# a #} {# b #}",
                 "a space behind a condition": "{% if event.payload.bad %}x: 1{% endif %} ", "a TOON comment": "# nothing to say",
                 "two TOON comments": "# a\n# b\n", "a wide space": "\u2003"}
        for what, template in blank.items():
            with self.subTest(what):
                item = self.content_of(template)
                self.assertIn("IMPORTANT", item["content"])
                self.assertIn("IMPORTANT", item["text"])

    def test_a_blank_text_for_people_is_one_line_an_event(self):
        self.belfry.start()
        for text in (" ", "\n \n", "{% if event.payload.bad %}x{% endif %} "):
            with self.subTest(text):
                item = self.content_of("said: yes", text)
                self.assertEqual(item["content"], "said: yes")
                self.assertIn("IMPORTANT", item["text"])


class Lines(belfry.SharedCase):
    def test_a_line_separator_in_a_tools_name_breaks_no_row(self):
        agent = Agent(self.belfry)
        for name in ("one", "tw\u2028o", "thr\x0cee"):
            agent.post("tool-calls", {"status": "failure", "tool_name": name, "call_id": unique("c"), "error_type": "e", "error_message": "m"})
        text = agent.pull("after_tool")["text"]
        rows = [line for line in text.splitlines() if line.startswith("    ")]
        self.assertEqual(len(rows), 3, text)
        self.assertIn("tw\\u{2028}o", text)
        self.assertNotIn("\u2028", text)


class Repeats(WithFolder):
    """A subscriber of the documented minimum tells two failures apart."""

    def setUp(self):
        super().setUp()
        self.write("ci.toml", '[subscriber]\nid = "ci"\nname = "CI"\ndescription = "Failed builds."\nversion = "1.0.0"\n'
                              '[events]\ntypes = ["ci.failed"]\n')
        self.belfry.start()
        self.agent = Agent(self.belfry)

    def emit(self, payload, **more):
        self.belfry.emit_ok(event(self.agent.session, "ci.failed", payload, severity="error", **more))

    def counts(self):
        items = self.agent.drain()
        return [row["count"] for item in items for row in item["events"]], "\n".join(item["content"] for item in items)

    def test_two_different_failures_are_two_rows(self):
        self.emit({"branch": "main", "job": "A"})
        self.emit({"branch": "release", "job": "B"})
        counts, content = self.counts()
        self.assertEqual(counts, [1, 1])
        for word in ("main", "release", "A", "B"):
            self.assertIn(word, content)
        self.assertNotIn("times", content)

    def test_the_same_failure_is_one_row_that_counts_whatever_the_order_of_its_members(self):
        self.emit({"branch": "main", "job": "A"})
        self.emit({"job": "A", "branch": "main"})
        self.assertEqual(self.counts()[0], [2])

    def test_a_key_that_the_producer_names_counts(self):
        self.emit({"job": "A"}, dedupe_key="nightly")
        self.emit({"job": "B"}, dedupe_key="nightly")
        self.assertEqual(self.counts()[0], [2])

    def test_the_default_is_listed_and_the_events_own_key_stays(self):
        self.assertEqual(self.listed()["ci"]["dedupe_key"], "type:source:payload.*")
        self.emit({"job": "A"})
        entry = self.belfry.entries(session=self.agent.session, type="ci.failed")[0]
        self.assertEqual(entry["event"]["dedupe_key"], "ci.failed:ci")

    def test_a_place_in_an_array_is_a_part_of_a_key(self):
        self.write("place.toml", subscriber("place", ["test.place"], batching='dedupe_key = "type:payload.names.0"'))
        eventually("the file counts", lambda: "place" in self.listed())
        for names in (["a", "x"], ["b", "x"], ["a", "y"]):
            self.belfry.emit_ok(event(self.agent.session, "test.place", {"names": names}))
        self.assertEqual(self.counts()[0], [2, 1])


class Immediate(WithFolder):
    def test_a_pull_at_immediate_returns_only_critical_notifications(self):
        for priority in ("critical", "high", "normal", "low"):
            self.write(f"{priority}.toml", subscriber(priority, ["test.all"], priority=priority, inject_at="immediate"))
        self.belfry.start()
        agent = Agent(self.belfry)
        self.belfry.emit_ok(event(agent.session, "test.all", {"message": "m"}))
        routing = {"address": "session", "target": "agent", "handler": "system"}
        for priority in ("critical", "high"):
            answer = self.belfry.post("/v1/notifications", {"session_id": agent.session, "user_id": "ada", "text": "direct", "routing": routing,
                                                            "priority": priority, "inject_at": "immediate"})
            self.assertEqual(answer.status, 201, answer.body)
        self.assertEqual({item["priority"] for item in agent.drain("immediate")}, {"critical"})
        self.assertEqual({item["priority"] for item in agent.drain("after_tool")}, {"high", "normal"})


class Low(WithFolder, faults.Case):
    """`low` waits for the next turn_end, whatever its window; if no turn ends within 10 minutes, it comes at the next injection point."""

    def setUp(self):
        WithFolder.setUp(self)
        self.belfry.close()
        self.belfry = self.breakable(start=False)
        self.folder = os.path.join(self.belfry.folder, "subscribers")
        os.makedirs(os.path.join(self.folder, "templates"))
        self.belfry.options += ["--subscribers", self.folder]

    def begin(self, inject_at="turn_end", batching="window_ms = 0"):
        self.write("low.toml", subscriber("low", ["test.low"], priority="low", inject_at=inject_at, batching=batching))
        self.belfry.start()
        agent = Agent(self.belfry)
        agent.post("turns", {"event": "start"})
        return agent

    def emit(self, agent, message, **more):
        self.belfry.emit_ok(event(agent.session, "test.low", {"message": message}, **more))

    def pass_time(self, seconds):
        """The daemon's clock is so much later, and the daemon has looked at it."""
        self.faults.jump(wall_s=seconds)
        self.belfry.emit_ok({"type": "test.other", "source": "clock"})

    def waits(self, agent):
        return json_of(self.belfry.get(f"/v1/notifications?session={agent.session}&open=true"))["data"]

    def test_a_long_turn_gives_one_notification_at_its_end(self):
        for inject_at in ("turn_end", "turn_start", "after_tool", "immediate"):
            with self.subTest(inject_at):
                agent = self.begin(inject_at)
                self.emit(agent, "a")
                self.pass_time(11)
                self.emit(agent, "b")
                self.pass_time(11)
                self.emit(agent, "a")
                for point in ("turn_start", "after_tool", "immediate"):
                    self.assertEqual(agent.drain(point), [], point)
                items = agent.drain("turn_end")
                self.assertEqual(len(items), 1, items)
                self.assertEqual([row["count"] for row in items[0]["events"]], [2, 1])
                self.belfry.stop()

    def test_a_full_batch_splits_and_loses_nothing(self):
        agent = self.begin(batching="max_size = 10")
        for n in range(25):
            self.emit(agent, f"number {n}")
        self.assertEqual(agent.drain("after_tool"), [])
        items = agent.drain("turn_end")
        self.assertEqual([len(item["events"]) for item in items], [10, 10, 5])
        told = "\n".join(item["content"] for item in items)
        self.assertEqual([n for n in range(25) if f"number {n}" not in told], [])

    def test_a_repeat_after_the_end_of_a_turn_comes_with_the_next_one_in_the_same_notification(self):
        agent = self.begin(batching="dedupe_window_ms = 5000")
        self.emit(agent, "a")
        self.assertEqual(len(agent.drain("turn_end")), 1)
        agent.post("turns", {"event": "end"})
        self.emit(agent, "a")
        self.emit(agent, "a")
        self.pass_time(6)
        self.emit(agent, "b")
        self.assertEqual(agent.drain("turn_start"), [])
        items = agent.drain("turn_end")
        self.assertEqual([[row["count"] for row in item["events"]] for item in items], [[2, 1]])

    def test_without_a_turns_end_it_comes_at_the_next_point_after_ten_minutes(self):
        agent = self.begin(batching="max_size = 2")
        for message in ("a", "b", "c"):
            self.emit(agent, message)
        self.pass_time(590)
        self.assertEqual(agent.drain("after_tool"), [])
        self.pass_time(11)
        eventually("the batch has left", lambda: len(self.waits(agent)) == 2)
        self.assertEqual(agent.drain("immediate"), [])
        self.assertEqual([len(item["events"]) for item in agent.drain("after_tool")], [2, 1])

    def test_the_ten_minutes_survive_a_crash(self):
        agent = self.begin()
        self.emit(agent, "a")
        self.pass_time(400)
        self.belfry.kill()
        self.belfry.start()
        self.assertEqual(agent.drain("after_tool"), [])
        self.belfry.kill()
        self.faults.jump(wall_s=201)
        self.belfry.start()
        eventually("the batch has left", lambda: self.waits(agent))
        self.assertEqual(len(agent.drain("after_tool")), 1)
        self.assertEqual(agent.drain("turn_end"), [])

    def test_a_crash_before_the_turns_end_loses_nothing(self):
        agent = self.begin()
        self.emit(agent, "a")
        self.belfry.kill()
        self.belfry.start()
        self.emit(agent, "b")
        self.assertEqual([len(item["events"]) for item in agent.drain("turn_end")], [2])

    def test_a_turn_that_ends_without_a_pull_hands_it_to_the_next_start(self):
        agent = self.begin()
        self.emit(agent, "a")
        agent.post("turns", {"event": "end"})
        agent.post("turns", {"event": "start"})
        self.assertEqual(len(agent.drain("turn_start")), 1)

    def test_what_needs_an_answer_starts_its_turn_and_comes_with_it(self):
        agent = self.begin()
        for handler, expected in (("system", 0), ("agent", 1)):
            answer = self.belfry.post("/v1/notifications", {
                "session_id": agent.session, "user_id": "ada", "text": "direct", "priority": "low", "inject_at": "after_tool",
                "routing": {"address": "session", "target": "agent", "handler": handler}})
            self.assertEqual(answer.status, 201, answer.body)
            self.assertEqual(len(agent.drain("after_tool")), expected, handler)
        self.assertEqual(len(agent.drain("turn_end")), 1)

    def test_direct_low_context_comes_at_the_next_point_after_ten_minutes(self):
        agent = self.begin()
        self.belfry.post("/v1/notifications", {"session_id": agent.session, "user_id": "ada", "text": "direct", "priority": "low",
                                               "routing": {"address": "session", "target": "agent", "handler": "system"}})
        self.assertEqual(agent.drain("turn_start"), [])
        self.pass_time(601)
        self.assertEqual(agent.drain("immediate"), [])
        self.assertEqual(len(agent.drain("after_tool")), 1)

    def test_for_a_user_it_waits_for_no_turn(self):
        self.write("told.toml", subscriber("told", ["test.told"], priority="low", batching="window_ms = 0",
                                           output='[routing]\naddress = "user"\ntarget = "user"'))
        agent = self.begin()
        self.belfry.emit_ok(event(agent.session, "test.told", {"message": "m"}))
        listed = json_of(self.belfry.get("/v1/inbox?user=ada"))["data"]
        self.assertEqual([one["text"] for one in listed], ["told of a test: m"])


class AClockThatGoesBack(WithFolder, faults.Case):
    """A window of seconds stays one of seconds."""

    def setUp(self):
        WithFolder.setUp(self)
        self.belfry.close()
        self.belfry = self.breakable(start=False)
        self.folder = os.path.join(self.belfry.folder, "subscribers")
        os.makedirs(os.path.join(self.folder, "templates"))
        self.belfry.options += ["--subscribers", self.folder]

    def test_an_open_batch_leaves_after_its_window(self):
        for crashes in (False, True):
            with self.subTest(crashes=crashes):
                self.write("slow.toml", subscriber("slow", ["test.slow"], inject_at="turn_end", batching="window_ms = 2000\ndedupe_window_ms = 1000"))
                self.belfry.start()
                agent = Agent(self.belfry)
                self.belfry.emit_ok(event(agent.session, "test.slow", {"message": "a"}))
                self.faults.jump(wall_s=-3600)
                if crashes:
                    self.belfry.kill()
                    self.belfry.start()
                open_of = lambda: json_of(self.belfry.get(f"/v1/notifications?session={agent.session}&open=true"))["data"]
                eventually("the batch has left", open_of)
                self.belfry.stop()

    def test_a_dedupe_window_swallows_nothing_for_an_hour(self):
        for crashes in (False, True):
            with self.subTest(crashes=crashes):
                self.write("slow.toml", subscriber("slow", ["test.slow"], batching="window_ms = 0\ndedupe_window_ms = 2000"))
                self.belfry.start()
                agent = Agent(self.belfry)
                self.belfry.emit_ok(event(agent.session, "test.slow", {"message": "a"}))
                self.assertEqual(len(agent.drain()), 1)
                self.faults.jump(wall_s=-3600)
                if crashes:
                    self.belfry.kill()
                    self.belfry.start()
                self.belfry.emit_ok(event(agent.session, "test.slow", {"message": "a"}))
                eventually("the repeat is told", lambda: agent.drain())
                self.belfry.stop()

    def test_every_event_is_found_by_its_id(self):
        self.belfry.start()
        emitted = []

        def emit():
            emitted.append(json_of(self.belfry.emit({"type": "test.found", "source": "s"}))["id"])
        emit()
        for crashes in (False, True):
            self.faults.jump(wall_s=-60)
            if crashes:
                self.belfry.kill()
                self.belfry.start()
            emit()
        self.belfry.stop()
        self.belfry.start()
        self.faults.jump(wall_s=3600)
        emit()
        self.assertEqual([self.belfry.get(f"/v1/why/{one}").status for one in emitted], [200] * 4)
        self.belfry.stop()


if __name__ == "__main__":
    unittest.main()
