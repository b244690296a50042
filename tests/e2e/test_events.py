"""Events in: every form that they may have, what is refused and why, and repeats that do no harm."""

import json
import unittest

import belfry
from belfry import event, json_of, unique


# One instant, as programs write it: date -Ins, date -Iminutes, strftime %z, basic format, week and ordinal dates, the end of a day.
ISO_FORMS = {
    "2026-11-17T04:43:35,123456789+00:00": "2026-11-17T04:43:35.123456Z", "2026-11-17T04:11+00:00": "2026-11-17T04:11:00Z",
    "2026-11-17T04+00:00": "2026-11-17T04:00:00Z", "2026-11-17T04:43:35+0000": "2026-11-17T04:43:35Z",
    "2026-11-17T06:43:35+02": "2026-11-17T04:43:35Z", "2026-11-17T04:11Z": "2026-11-17T04:11:00Z",
    "20261117T044335Z": "2026-11-17T04:43:35Z", "20261117T0443Z": "2026-11-17T04:43:00Z", "20261117T044335.5-0330": "2026-11-17T08:13:35.500Z",
    "2026-W47-2T04:43:35Z": "2026-11-17T04:43:35Z", "2026W472T044335Z": "2026-11-17T04:43:35Z",
    "2026-321T04:43:35Z": "2026-11-17T04:43:35Z", "2026321T044335Z": "2026-11-17T04:43:35Z",
    "2026-11-16T24:00:00Z": "2026-11-17T00:00:00Z", "2026-11-17 04:43:35z": "2026-11-17T04:43:35Z",
    "1969-12-31T23:59:59.5Z": "1969-12-31T23:59:59.500Z", "1900-02-28T12:00:00Z": "1900-02-28T12:00:00Z",
}


class OneEvent(belfry.SharedCase):
    def test_is_answered_with_its_id_and_sequence_and_can_be_read_back_as_it_came(self):
        sent = event(severity="error", timestamp="2026-11-15T08:30:00+01:00", user_id="ada", session_id="s1", run_id=7,
                     agent_id="planner", dedupe_key="k", tokens=["task:1", "task:2"],
                     payload={"text": "grüße \u0000\n\"", "nested": {"list": [1, 2.5, None, True, 12345678901234567890]}},
                     my_extension={"kept": True})
        answer = self.belfry.emit(sent)
        self.assertEqual(answer.status, 201)
        self.assertEqual(answer.headers["content-type"], "application/json")
        accepted = json_of(answer)
        self.assertEqual(set(accepted), {"id", "sequence"})
        entry = self.belfry.entries(after=accepted["sequence"] - 1)[0]
        self.assertEqual(entry["sequence"], accepted["sequence"])
        self.assertEqual(entry["event"], {**sent, "id": accepted["id"], "timestamp": "2026-11-15T07:30:00Z"})

    def test_that_says_little_gets_severity_time_and_dedupe_key(self):
        accepted = self.belfry.emit_ok({"type": "some.thing", "source": "here"})
        got = self.belfry.entries(after=accepted["sequence"] - 1)[0]["event"]
        self.assertEqual(got["severity"], "info")
        self.assertEqual(got["dedupe_key"], "some.thing:here")
        self.assertRegex(got["timestamp"], r"^20\d\d-\d\d-\d\dT.*Z$")
        self.assertEqual(got["payload"], {})

    def test_gets_an_id_of_belfrys_own_and_keeps_the_producers_beside_it(self):
        name = unique()
        accepted = self.belfry.emit_ok(event(id=name))
        self.assertNotEqual(accepted["id"], name)
        got = self.belfry.entries(after=accepted["sequence"] - 1)[0]["event"]
        self.assertEqual((got["id"], got["source_id"]), (accepted["id"], name))

    def test_sequences_rise_by_one(self):
        first = self.belfry.emit_ok(event())["sequence"]
        second = self.belfry.emit_ok(event())["sequence"]
        self.assertEqual(second, first + 1)

    def test_of_almost_a_mebibyte_is_taken_and_one_larger_is_refused_with_the_limit(self):
        fits = json.dumps(event(payload={"text": "x" * ((1 << 20) - 200)}))
        self.assertLessEqual(len(fits), 1 << 20)
        self.belfry.emit_ok(fits)
        answer = self.belfry.emit(event(payload={"text": "x" * (1 << 20)}))
        self.assert_problem(answer, 413, "too_large", says="1048576")


class Forms(belfry.SharedCase):
    def read(self, sequence):
        return self.belfry.entries(after=sequence - 1)[0]["event"]

    def test_an_array_is_answered_entry_by_entry_in_its_order(self):
        answer = self.belfry.emit([event(payload={"n": n}) for n in range(5)])
        self.assertEqual(answer.status, 201)
        result = json_of(answer)
        self.assertEqual((result["accepted"], result["refused"]), (5, 0))
        for n, entry in enumerate(result["data"]):
            self.assertEqual(self.read(entry["sequence"])["payload"], {"n": n})

    def test_ndjson_is_a_batch_and_empty_lines_are_passed_over(self):
        body = "\n".join([json.dumps(event(payload={"n": 0})), "", "  ", json.dumps(event(payload={"n": 1}))]) + "\n"
        for kind in ("application/x-ndjson", "application/ndjson", "application/jsonl; charset=utf-8"):
            with self.subTest(kind):
                answer = self.belfry.emit(body, headers={"Content-Type": kind})
                self.assertEqual(answer.status, 201, answer.body)
                self.assertEqual([self.read(entry["sequence"])["payload"]["n"] for entry in json_of(answer)["data"]],
                                 [0, 1])

    cloud = {"specversion": "1.0", "type": "com.example.made", "source": "/mill", "id": "A1", "time":
             "2026-11-15T05:00:00Z", "datacontenttype": "application/json", "data": {"weight": 3}, "subject": "flour",
             "severity": "warning", "userid": "ada", "sessionid": "s7", "runid": 4, "agentid": "miller",
             "dedupekey": "flour"}

    def assert_is_the_cloud_event(self, got, source_id):
        self.assertEqual(got["type"], "com.example.made")
        self.assertEqual(got["source"], "/mill")
        self.assertEqual(got["source_id"], source_id)
        self.assertEqual(got["timestamp"], "2026-11-15T05:00:00Z")
        self.assertEqual(got["payload"], {"weight": 3})
        self.assertEqual(got["severity"], "warning")
        self.assertEqual((got["user_id"], got["session_id"], got["run_id"], got["agent_id"], got["dedupe_key"]),
                         ("ada", "s7", 4, "miller", "flour"))
        self.assertEqual(got["subject"], "flour")

    def test_a_structured_cloudevent_maps_by_name(self):
        name = unique()
        accepted = self.belfry.emit_ok({**self.cloud, "id": name},
                                       headers={"Content-Type": "application/cloudevents+json; charset=utf-8"})
        self.assert_is_the_cloud_event(self.read(accepted["sequence"]), name)

    def test_a_binary_cloudevent_has_its_attributes_in_headers(self):
        name = unique()
        fields = {"ce-" + key: str(value) for key, value in self.cloud.items()
                  if key not in ("data", "datacontenttype", "id")}
        accepted = self.belfry.emit_ok({"weight": 3}, headers={**fields, "ce-id": name, "ce-note": "50%25 %E2%82%AC"})
        got = self.read(accepted["sequence"])
        self.assert_is_the_cloud_event(got, name)
        self.assertEqual(got["note"], "50% €")

    def test_a_batch_of_cloudevents_is_answered_entry_by_entry(self):
        names = [unique(), unique()]
        answer = self.belfry.emit([{**self.cloud, "id": name} for name in names] + [{"specversion": "1.0"}],
                                  headers={"Content-Type": "application/cloudevents-batch+json"})
        self.assertEqual(answer.status, 207, answer.body)
        result = json_of(answer)
        for entry, name in zip(result["data"], names):
            self.assert_is_the_cloud_event(self.read(entry["sequence"]), name)
        self.assertEqual(result["data"][2]["error"]["code"], "invalid")

    def test_a_cloudevent_of_another_version_is_refused(self):
        answer = self.belfry.emit({**self.cloud, "specversion": "0.3"},
                                  headers={"Content-Type": "application/cloudevents+json"})
        self.assert_problem(answer, 422, "invalid", field="specversion")

    def test_json_under_the_name_that_curl_gives_it_is_taken(self):
        self.belfry.emit_ok(event(), headers={"Content-Type": "application/x-www-form-urlencoded"})

    def test_another_media_type_is_refused_with_those_that_are_known(self):
        answer = self.belfry.emit("type=a.b", headers={"Content-Type": "text/plain"})
        self.assert_problem(answer, 415, "unsupported", field="content-type", says="application/x-ndjson")


class Refusals(belfry.SharedCase):
    def test_name_the_field_and_the_limit(self):
        cases = [
            ({"source": "e2e"}, "type", "required"),
            (event(type="single"), "type", "two or more parts"),
            (event(type="a..b"), "type", "two or more parts"),
            (event(type="a." + "b" * 199), "type", "200"),
            ({"type": "a.b"}, "source", "required"),
            (event(source="s" * 257), "source", "256"),
            (event(dedupe_key="d" * 513), "dedupe_key", "512"),
            (event(id="i" * 257), "id", "256"),
            (event(user_id="u" * 201), "user_id", "200"),
            (event(session_id="s\n"), "session_id", "control"),
            (event(agent_id="a" * 201), "agent_id", "200"),
            (event(run_id=0), "run_id", "positive"),
            (event(run_id="7"), "run_id", ""),
            (event(severity="fatal"), "severity", "critical"),
            (event(timestamp="yesterday"), "timestamp", "ISO 8601"),
            (event(payload=[1]), "payload", "object"),
            (event(tokens=["t"] * 65), "tokens", "64"),
            (event(tokens=["t" * 201]), "tokens", "200"),
            (event(tokens=[""]), "tokens", "empty"),
        ]
        head = self.belfry.head()
        for body, field, words in cases:
            with self.subTest(field=field, words=words):
                self.assert_problem(self.belfry.emit(body), 422, "invalid", field=field, says=words)
        self.assertEqual(self.belfry.head(), head, "a refused event left a trace")

    def test_times_are_read_in_the_common_forms_of_iso_8601(self):
        for text, meant in ISO_FORMS.items():
            with self.subTest(text):
                made = self.belfry.emit_ok(event(timestamp=text))
                cloud = self.belfry.emit_ok({"specversion": "1.0", "id": unique(), "type": "a.b", "source": "e2e", "time": text},
                                            headers={"Content-Type": "application/cloudevents+json"})
                for one in (made, cloud):
                    got = self.belfry.page(after=one["sequence"] - 1, limit=1)["data"][0]["event"]
                    self.assertEqual(got["timestamp"], meant)
        for text in ("2026-11-17", "2026-11-17T04:43:35", "2026-11-17T24:00:01Z", "2026-11-17T04:60Z", "2026-W54-1T00:00Z",
                     "2026-W47-8T00:00Z", "2026-366T00:00Z", "2026-000T00:00Z", "2026-11-17T04:43:35.Z", "2026-11-17T04:4335Z",
                     "2026-1117T04:43:35Z", "0000-01-01T00:00:00Z", "2026-11-17T04:43:35+00:", "2026-11-17T04:43:35+1", "10000-01-01T00:00:00Z"):
            with self.subTest(text):
                self.assert_problem(self.belfry.emit(event(timestamp=text)), 422, "invalid", "timestamp", "ISO 8601")

    def test_the_command_line_reads_the_same_times(self):
        for text in ("2026-11-17T04:43:35,123456789+00:00", "20261117T044335Z", "1969-12-31T23:59:59Z"):
            done = self.belfry.run("emit", "a.b", "--time", text)
            self.assertEqual(done.code, 0, done)

    def test_of_what_is_no_json_are_400(self):
        for body in ("", "{", '{"type":"a.b",}', "nonsense", '{"type":"a.b"} more', b'{"type":"\xff"}', "[1,", "\x00"):
            with self.subTest(body):
                self.assert_problem(self.belfry.emit(body), 400, "malformed",
                                    field=json_of(self.belfry.emit(body)).get("field"))

    def test_of_json_that_is_too_deep_are_400_and_the_daemon_lives(self):
        body = '{"type":"a.b","source":"s","payload":{"x":' + "[" * 100000 + "]" * 100000 + "}}"
        answer = self.belfry.emit(body)
        self.assertIn(answer.status, (400, 422), answer.body)
        self.belfry.emit_ok(event())

    def test_of_an_empty_batch_and_of_one_with_too_many_entries(self):
        self.assert_problem(self.belfry.emit([]), 422, "invalid")
        self.assert_problem(self.belfry.emit([event()] * 1001), 413, "too_large", says="1000")
        self.assertEqual(self.belfry.emit([event()] * 1000).status, 201)

    def test_of_a_scalar_say_what_is_wanted(self):
        self.assert_problem(self.belfry.emit("17"), 422, "invalid", says="array")

    def test_in_a_batch_say_which_entry_and_why_and_take_the_others(self):
        answer = self.belfry.emit([event(), event(type="bad"), event(severity="no"), event()])
        self.assertEqual(answer.status, 207)
        result = json_of(answer)
        self.assertEqual((result["accepted"], result["refused"]), (2, 2))
        self.assertEqual([entry.get("error", {}).get("field") for entry in result["data"]],
                         [None, "type", "severity", None])
        self.assertEqual(result["data"][3]["sequence"], result["data"][0]["sequence"] + 1)

    def test_in_ndjson_keep_to_their_line(self):
        body = json.dumps(event()) + "\n{broken\n" + json.dumps(event()) + "\n"
        answer = self.belfry.emit(body, headers={"Content-Type": "application/x-ndjson"})
        self.assertEqual(answer.status, 207)
        self.assertEqual([entry.get("error", {}).get("code") for entry in json_of(answer)["data"]],
                         [None, "malformed", None])

    def test_of_a_whole_batch_are_422(self):
        answer = self.belfry.emit([event(type="bad"), event(type="worse")])
        self.assertEqual(answer.status, 422, answer.body)
        self.assertEqual(json_of(answer)["refused"], 2)


class KnownPayloads(belfry.SharedCase):
    def test_are_checked_and_the_missing_field_is_named(self):
        body = event(type="tool.call.failure", payload={"tool_name": "t", "call_id": "c", "error_type": "e"})
        self.assert_problem(self.belfry.emit(body), 422, "invalid", field="payload.error_message")

    def test_of_the_wrong_kind_are_refused(self):
        body = event(type="agent.turn.start", payload={"turn_number": "one", "session_id": "s"})
        self.assert_problem(self.belfry.emit(body), 422, "invalid", field="payload.turn_number", says="number")

    def test_give_the_severity_of_their_type(self):
        accepted = self.belfry.emit_ok(event(type="tool.call.failure", payload={
            "tool_name": "t", "call_id": "c", "error_type": "e", "error_message": "m"}))
        self.assertEqual(self.belfry.entries(after=accepted["sequence"] - 1)[0]["event"]["severity"], "error")

    def test_of_an_unknown_type_are_free(self):
        self.belfry.emit_ok(event(type="never.heard.of", payload={"anything": []}))


class Repeats(belfry.SharedCase):
    def test_under_the_same_key_get_the_same_answer_and_make_one_event(self):
        key = {"Idempotency-Key": unique()}
        first = self.belfry.emit(event(), headers=key)
        head = self.belfry.head()
        again = self.belfry.emit(event(), headers=key)
        self.assertEqual((again.status, again.body), (first.status, first.body))
        self.assertIsNone(first.headers["idempotent-replayed"])
        self.assertEqual(again.headers["idempotent-replayed"], "true")
        self.assertEqual(self.belfry.head(), head)

    def test_under_the_same_key_with_another_body_are_a_conflict(self):
        key = {"Idempotency-Key": unique()}
        self.belfry.emit_ok(event(), headers=key)
        answer = self.belfry.emit(event(payload={"other": 1}), headers=key)
        self.assert_problem(answer, 409, "conflict", field="Idempotency-Key")

    def test_with_the_producers_own_id_get_the_same_answer(self):
        body = event(id=unique())
        first = self.belfry.emit(body)
        again = self.belfry.emit(body)
        self.assertEqual((again.status, again.body), (first.status, first.body))
        self.assertEqual(again.headers["idempotent-replayed"], "true")

    def test_with_the_producers_own_id_and_another_body_are_a_conflict(self):
        name = unique()
        self.belfry.emit_ok(event(id=name))
        self.assert_problem(self.belfry.emit(event(id=name, payload={"x": 1})), 409, "conflict", field="id")

    def test_of_the_same_id_from_another_source_are_another_event(self):
        name = unique()
        first = self.belfry.emit_ok(event(id=name))
        self.assertNotEqual(self.belfry.emit_ok(event(id=name, source="elsewhere"))["id"], first["id"])

    def test_under_the_same_key_of_another_token_are_another_request(self):
        token, _ = self.belfry.mint("emitter")
        key = {"Idempotency-Key": unique()}
        first = self.belfry.emit_ok(event(), headers=key)
        self.assertNotEqual(self.belfry.emit_ok(event(), headers=key, token=token)["id"], first["id"])

    def test_of_a_batch_get_the_same_answer_entry_by_entry(self):
        key = {"Idempotency-Key": unique()}
        body = [event(), event(type="bad"), event()]
        first = self.belfry.emit(body, headers=key)
        again = self.belfry.emit(body, headers=key)
        self.assertEqual((first.status, again.status), (207, 207))
        self.assertEqual(again.body, first.body)
        self.assertEqual(again.headers["idempotent-replayed"], "true")

    def test_inside_one_batch_are_one_event(self):
        name = unique()
        result = json_of(self.belfry.emit([event(id=name), event(id=name), event(id=name, payload={"x": 1})]))
        self.assertEqual(result["data"][0], result["data"][1])
        self.assertEqual(result["data"][2]["error"]["code"], "conflict")

    def test_at_the_same_time_are_one_event(self):
        body = event(id=unique(), type=f"race.{unique()}")
        answers = []
        with belfry.threads(*[lambda: answers.append(self.belfry.emit(body).body) for _ in range(8)]):
            pass
        self.assertEqual(len(answers), 8)
        self.assertEqual(len(set(answers)), 1)
        self.assertEqual(len(self.belfry.entries(type=body["type"])), 1)

    def test_are_known_after_a_restart(self):
        daemon = self.daemon()
        key = {"Idempotency-Key": unique()}
        by_id = event(id=unique())
        first, second = daemon.emit(event(), headers=key), daemon.emit(by_id)
        daemon.stop()
        daemon.start()
        self.assertEqual(daemon.emit(event(), headers=key).body, first.body)
        self.assertEqual(daemon.emit(by_id).body, second.body)
        self.assertEqual(daemon.head(), 2)

    def test_of_a_refused_request_may_be_mended_under_its_key(self):
        key = {"Idempotency-Key": unique()}
        self.assert_problem(self.belfry.emit(event(type="bad"), headers=key), 422, "invalid", field="type")
        self.belfry.emit_ok(event(), headers=key)

    def test_with_a_key_that_is_too_long_are_refused_with_the_limit(self):
        answer = self.belfry.emit(event(), headers={"Idempotency-Key": "k" * 256})
        self.assert_problem(answer, 413, "too_large", field="Idempotency-Key", says="255")
        self.belfry.emit_ok(event(), headers={"Idempotency-Key": "k" * 255})


if __name__ == "__main__":
    unittest.main()
