"""The command line as a person types it: good and bad input, what goes where, exit codes, configuration, doctor."""

import http.server
import json
import os
import re
import signal
import stat
import subprocess
import threading
import time
import unittest

import belfry
from belfry import clean_environment, event, run, unique

OK, FAILURE, USAGE, UNREACHABLE, REFUSED, PARTIAL = range(6)
COMMANDS = ("serve", "sink", "model", "agent", "memory", "peer", "sync", "emit", "notify", "send", "hook", "wait", "tail", "inbox", "why", "ledger", "tool", "token", "status", "doctor", "config",
            "timer", "task", "checklist", "entry", "plan", "time", "rate", "category", "label", "link", "journal", "backup", "restore", "erase", "version",
            "help")
NO_COLOUR = "\x1b"


class Help(belfry.Case):
    def test_of_every_command_has_usage_examples_and_exit_codes(self):
        overview = run("help")
        self.assertEqual((overview.code, overview.err), (OK, ""))
        for name in COMMANDS:
            with self.subTest(name):
                self.assertRegex(overview.out, rf"(?m)^  {name} ")
                shown = run(name, "--help")
                self.assertEqual((shown.code, shown.err), (OK, ""))
                for part in (f"Usage: belfry {name}", "Examples:", "Exit codes:", "--json"):
                    self.assertIn(part, shown.out)
                self.assertEqual(run("help", name).out, shown.out)
                self.assertNotIn(NO_COLOUR, shown.out)

    def test_comes_on_standard_error_for_one_who_types_nothing(self):
        shown = run()
        self.assertEqual((shown.code, shown.out), (USAGE, ""))
        self.assertIn("Commands:", shown.err)

    def test_points_to_what_was_meant(self):
        for typed, words in ((["emmit"], "belfry emit"), (["help", "emmit"], "belfry emit"), (["tail", "--sevrity", "info"], "--severity"),
                             (["config", "--jsn"], "--json")):
            shown = run(*typed)
            self.assertEqual((shown.code, shown.out), (USAGE, ""))
            self.assertIn(words, shown.err)

    def test_has_its_summaries_in_one_column(self):
        lines = run("help").out.split("Commands:\n")[1].split("\n\n")[0].splitlines()
        self.assertEqual({len(re.match(r"  \S+ +", line).group()) for line in lines}, {14})

    def test_of_exit_codes_lists_those_that_there_are(self):
        self.assertNotRegex(run("doctor", "--help").out, r"(?m)^  [34]  ")
        self.assertRegex(run("serve", "--help").out, r"(?m)^  3  PostgreSQL")

    def test_a_word_too_many_or_a_value_missing_is_wrong_usage(self):
        for typed in (["version", "extra"], ["config", "--config"], ["backup"], ["restore"], ["backup", "a", "b"]):
            shown = run(*typed)
            self.assertEqual((shown.code, shown.out), (USAGE, ""), typed)
            self.assertIn("usage: belfry " + typed[0], shown.err)

    def test_the_version_is_one_line_and_json_for_programs(self):
        self.assertRegex(run("version").out, r"^belfry \d+\.\d+\.\d+\n")
        self.assertEqual(run("--version").out, run("version").out)
        self.assertRegex(json.loads(run("version", "--json").out)["version"], r"^\d+\.\d+\.\d+$")

    def test_standard_output_that_is_full_is_a_failure(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([belfry.BINARY, "help"], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, FAILURE)
        self.assertIn(b"standard output", done.stderr)


class WithoutADaemon(belfry.Case):
    def test_commands_say_that_it_cannot_be_reached(self):
        daemon = self.daemon(start=False)
        for typed in (["emit", "a.b"], ["status"], ["token", "list"], ["erase", "--user", "ada"],
                      ["tail", "--no-follow"]):
            with self.subTest(typed):
                shown = daemon.run(*typed, "--url", "http://127.0.0.1:1", "--token", "x")
                self.assertEqual((shown.code, shown.out), (UNREACHABLE, ""), shown.err)
                self.assertTrue(shown.err.startswith("belfry: "), shown.err)
                as_json = daemon.run(*typed, "--url", "http://127.0.0.1:1", "--token", "x", "--json")
                self.assertEqual(as_json.code, UNREACHABLE)
                self.assertIn("code", json.loads(as_json.err.splitlines()[0])["error"])


class Emit(belfry.SharedCase):
    def last(self):
        return self.belfry.entries(after=self.belfry.head() - 1)[0]["event"]

    def test_prints_id_and_sequence_and_sends_what_was_typed(self):
        shown = self.belfry.run("emit", "build.failed", "--severity", "error", "--source", "ci", "--user", "ada",
                                "--session", "s", "--run", "4", "--agent", "g", "--dedupe-key", "k", "--time",
                                "2026-01-02T03:04:05Z", "branch=main", "attempt:=2", "list:=[1,{}]", "eq=a=b")
        self.assertEqual((shown.code, shown.err), (OK, ""))
        name, sequence = shown.out.rstrip("\n").split("\t")
        got = self.last()
        self.assertEqual((got["id"], self.belfry.head()), (name, int(sequence)))
        self.assertEqual(got["payload"], {"branch": "main", "attempt": 2, "list": [1, {}], "eq": "a=b"})
        self.assertEqual([got[key] for key in ("type", "severity", "source", "user_id", "session_id", "run_id",
                                               "agent_id", "dedupe_key", "timestamp")],
                         ["build.failed", "error", "ci", "ada", "s", 4, "g", "k", "2026-01-02T03:04:05Z"])

    def test_in_json_says_whether_it_was_a_repeat(self):
        name = unique()
        first = self.belfry.run("emit", "a.b", "--id", name, "--time", "2026-01-02T03:04:05Z", "--json")
        again = self.belfry.run("emit", "a.b", "--id", name, "--time", "2026-01-02T03:04:05Z", "--json")
        self.assertFalse(json.loads(first.out)["replayed"])
        self.assertTrue(json.loads(again.out)["replayed"])
        self.assertEqual(json.loads(first.out)["id"], json.loads(again.out)["id"])

    def test_of_bad_input_is_wrong_usage_and_sends_nothing(self):
        head = self.belfry.head()
        for typed in ([], ["a.b", "--file", "-"], ["a.b", "novalue"], ["a.b", "x:={"], ["a.b", "--payload", "[1]"],
                      ["a.b", "--payload", "{"], ["a.b", "--payload", "{}", "x=1"], ["a.b", "--severity", "loud"],
                      ["a.b", "--time", "now"], ["a.b", "--run", "0"], ["a.b", "=x"]):
            with self.subTest(typed):
                shown = self.belfry.run("emit", *typed)
                self.assertEqual((shown.code, shown.out), (USAGE, ""), shown.err)
        self.assertEqual(self.belfry.head(), head)

    def test_that_the_daemon_refuses_is_a_failure_with_its_words(self):
        shown = self.belfry.run("emit", "single")
        self.assertEqual((shown.code, shown.out), (FAILURE, ""))
        self.assertIn("two or more parts", shown.err)
        shown = self.belfry.run("emit", "single", "--json")
        self.assertEqual(json.loads(shown.err)["error"]["field"], "type")

    def test_under_a_token_that_may_not_is_refused(self):
        token, _ = self.belfry.mint("emitter", bounds={"type_prefixes": ["ci"]})
        url = f"http://127.0.0.1:{self.belfry.port}"
        environment = {"BELFRY_TOKEN": token, "BELFRY_URL": url}
        self.assertEqual(self.belfry.run("emit", "ci.done", environment=environment).code, OK)
        self.assertEqual(self.belfry.run("emit", "other.done", environment=environment).code, REFUSED)
        shown = self.belfry.run("emit", "a.b", "--url", url, "--token", "bf_0_0")
        self.assertEqual(shown.code, REFUSED)
        self.assertIn("BELFRY_TOKEN", shown.err)

    def test_of_a_file_takes_the_good_lines_and_names_the_bad_ones(self):
        lines = "\n".join([json.dumps(event()), "", "{broken", json.dumps(event(type="bad")), json.dumps(event())])
        path = os.path.join(self.belfry.folder, "events.ndjson")
        with open(path, "w", encoding="utf-8") as file:
            file.write(lines)
        shown = self.belfry.run("emit", "--file", path)
        self.assertEqual((shown.code, shown.out), (PARTIAL, ""))
        self.assertIn("line 3: ", shown.err)
        self.assertIn("line 4: ", shown.err)
        self.assertIn("2 taken, 2 refused", shown.err)
        shown = self.belfry.run("emit", "--file", "-", "--json", stdin=lines.encode())
        told = [json.loads(line) for line in shown.out.splitlines()]
        self.assertEqual([(entry["line"], "error" in entry) for entry in told],
                         [(1, False), (3, True), (4, True), (5, False)])
        self.assertEqual(self.belfry.run("emit", "--file", "/nowhere").code, FAILURE)

    def test_of_a_file_goes_on_when_nobody_reads_what_it_says(self):
        head = self.belfry.head()
        path = os.path.join(self.belfry.folder, "many.ndjson")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(event(payload={"n": n})) + "\n" for n in range(1700))
        emitting = subprocess.Popen([belfry.BINARY, "emit", "--file", path, "--json", "--data", self.belfry.data],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.belfry.environment)
        emitting.stdout.close()
        said = emitting.stderr.read().decode()
        emitting.stderr.close()
        self.assertEqual(emitting.wait(belfry.PATIENCE), OK, said)
        self.assertIn("1700 taken, 0 refused", said)
        self.assertEqual(self.belfry.head(), head + 1700)

    def test_of_a_file_under_a_key_can_be_repeated(self):
        lines = "".join(json.dumps(event(payload={"n": n})) + "\n" for n in range(1200)).encode()
        key = unique()
        first = self.belfry.run("emit", "--file", "-", "--idempotency-key", key, stdin=lines)
        head = self.belfry.head()
        again = self.belfry.run("emit", "--file", "-", "--idempotency-key", key, stdin=lines)
        self.assertEqual((first.code, again.code), (OK, OK), first.err + again.err)
        self.assertEqual(self.belfry.head(), head)


class Tail(belfry.SharedCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.belfry.emit_ok([event(type="tail.test", payload={"n": n}, severity="error" if n % 2 else "info",
                                  user_id=f"u{n % 3}") for n in range(25)])

    def numbers(self, *typed):
        shown = self.belfry.run("tail", "--no-follow", "--json", "--type", "tail.test", *typed)
        self.assertEqual(shown.code, OK, shown.err)
        return [json.loads(line)["event"]["payload"]["n"] for line in shown.out.splitlines()]

    def test_shows_the_last_ten_or_as_many_as_asked(self):
        self.assertEqual(self.numbers(), list(range(15, 25)))
        self.assertEqual(self.numbers("--last", "3"), [22, 23, 24])
        self.assertEqual(self.numbers("--last", "0"), [])
        self.assertEqual(self.numbers("--from", "start"), list(range(25)))
        self.assertEqual(self.numbers("--from", "20"), list(range(20, 25)))

    def test_filters(self):
        self.assertEqual(self.numbers("--severity", "error", "--last", "2"), [21, 23])
        self.assertEqual(self.numbers("--user", "u1", "--last", "2"), [19, 22])
        self.assertEqual(self.belfry.run("tail", "--no-follow", "--type", "other.*").out, "")

    def test_shows_lines_for_people_without_colours_in_a_pipe(self):
        shown = self.belfry.run("tail", "--no-follow", "--last", "1", "--type", "tail.test")
        self.assertRegex(shown.out, r"^#25 \S+ info tail.test e2e user=u0 ")
        self.assertNotIn(NO_COLOUR, shown.out)

    def test_of_bad_input_is_wrong_usage(self):
        for typed in (["--from", "x"], ["--last", "-1"], ["--from", "start", "--last", "2"], ["--severity", "loud"]):
            with self.subTest(typed):
                shown = self.belfry.run("tail", *typed)
                self.assertEqual((shown.code, shown.out), (USAGE, ""))

    def test_of_a_stream_that_is_not_there_is_a_failure(self):
        shown = self.belfry.run("tail", "nothing", "--no-follow")
        self.assertEqual((shown.code, shown.out), (FAILURE, ""))
        self.assertIn("nothing", shown.err)

    def test_shows_the_audit_too(self):
        shown = self.belfry.run("tail", "audit", "--no-follow", "--json", "--from", "start")
        self.assertEqual(json.loads(shown.out.splitlines()[0])["event"]["action"], "token.mint")

    def test_escapes_what_could_drive_a_terminal(self):
        self.belfry.emit_ok(event(source="\x1b[2J\x07", payload={"text": "\x1b]0;x\x07\u0085"}, type="evil.test"))
        shown = self.belfry.run("tail", "--no-follow", "--type", "evil.test")
        self.assertNotRegex(shown.out, "[\x00-\x09\x0b-\x1f\x7f\x85]")
        self.assertIn("evil.test", shown.out)

    def test_follows_through_a_restart_of_the_daemon_without_losing_or_doubling(self):
        daemon = self.daemon()
        daemon.emit_ok(event())
        tail = subprocess.Popen([belfry.BINARY, "tail", "--json", "--from", "start", "--data", daemon.data],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=daemon.environment)
        try:
            read = lambda: json.loads(tail.stdout.readline())["sequence"]
            self.assertEqual(read(), 1)
            for sequence in (2, 3):
                daemon.kill() if sequence == 2 else daemon.stop()
                daemon.start()
                self.assertEqual(daemon.emit_ok(event())["sequence"], sequence)
                self.assertEqual(read(), sequence)
            tail.send_signal(signal.SIGINT)
            rest, _ = tail.communicate(timeout=belfry.PATIENCE)
            self.assertEqual(rest, b"")
        finally:
            if tail.poll() is None:
                tail.kill()
            tail.communicate()

    def test_ends_when_its_reader_ends(self):
        tail = subprocess.Popen([belfry.BINARY, "tail", "--from", "start", "--data", self.belfry.data],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.belfry.environment)
        try:
            tail.stdout.readline()
            tail.stdout.close()

            def ended():
                self.belfry.emit_ok(event())
                return tail.poll() is not None
            belfry.eventually("the end of tail", ended, pause=0.1)
        finally:
            if tail.poll() is None:
                tail.kill()
            tail.wait()


class Token(belfry.SharedCase):
    def test_is_made_listed_and_revoked(self):
        made = self.belfry.run("token", "create", "ci", "--role", "emitter", "--bound-type", "ci", "--ttl", "90d")
        self.assertEqual(made.code, OK, made.err)
        token = made.out.rstrip("\n")
        self.assertRegex(token, r"^bf_[0-9a-f]{12}_\S{43}$")
        self.assertNotIn(token, made.err)
        self.assertEqual(self.belfry.emit(event(type="ci.x"), token=token).status, 201)
        name = token.split("_")[1]
        listed = self.belfry.run("token", "list")
        self.assertIn(name, listed.out)
        self.assertNotIn(token.split("_", 2)[2], listed.out + listed.err)
        revoked = self.belfry.run("token", "revoke", name)
        self.assertEqual((revoked.code, revoked.out), (OK, ""))
        self.assertEqual(self.belfry.emit(event(type="ci.x"), token=token).status, 401)
        self.assertEqual(self.belfry.run("token", "revoke", name).code, FAILURE)

    def test_in_json_is_one_document_a_line(self):
        made = json.loads(self.belfry.run("token", "create", "j", "--role", "user", "--user", "ada", "--json").out)
        self.assertEqual((made["role"], made["user_id"]), ("user", "ada"))
        listed = [json.loads(line) for line in self.belfry.run("token", "list", "--json").out.splitlines()]
        self.assertIn(made["id"], [token["id"] for token in listed])
        self.assertTrue(json.loads(self.belfry.run("token", "revoke", made["id"], "--json").out)["revoked"])

    def test_of_bad_input_is_wrong_usage(self):
        for typed in (["create"], ["create", "x"], ["create", "x", "--role", "king"], ["explode"], ["revoke"],
                      ["create", "x", "--role", "emitter", "--ttl", "soon"], ["create", "x", "--role", "user"],
                      ["create", "x", "--role", "emitter", "--bound-severity", "loud"]):
            with self.subTest(typed):
                shown = self.belfry.run("token", *typed)
                self.assertEqual((shown.code, shown.out), (USAGE, ""), shown.err)


class Status(belfry.SharedCase):
    def test_tells_people_and_programs(self):
        self.belfry.emit_ok(event())
        shown = self.belfry.run("status")
        self.assertEqual((shown.code, shown.err), (OK, ""))
        self.assertIn("ready", shown.out)
        self.assertIn("events", shown.out)
        status = json.loads(self.belfry.run("status", "--json").out)
        self.assertEqual((status["readiness"], status["pid"]), ("ready", self.belfry.process.pid))

    def test_under_a_token_that_may_not_is_refused(self):
        token, _ = self.belfry.mint("emitter")
        shown = self.belfry.run("status", "--url", f"http://127.0.0.1:{self.belfry.port}", "--token", token)
        self.assertEqual((shown.code, shown.out), (REFUSED, ""))


class Configuration(belfry.Case):
    def setUp(self):
        self.folder = self.daemon(start=False).folder
        self.file = os.path.join(self.folder, "belfry.toml")

    def write(self, text):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(text)

    def settings(self, *typed, **environment):
        shown = run("config", "--json", *typed, environment=clean_environment(HOME=self.folder, **environment))
        self.assertEqual((shown.code, shown.err), (OK, ""))
        return {entry["name"]: entry for entry in json.loads(shown.out)["settings"]}

    def test_comes_from_defaults_file_environment_and_flags_in_this_order(self):
        self.write('[server]\nport = 1001\nhost = "::1"\n[log]\nlevel = "debug"\n[store]\ndata_dir = "below"\n')
        self.assertEqual(self.settings()["server.port"]["value"], 7117)
        got = self.settings("--config", self.file, BELFRY_SERVER_PORT="1002")
        self.assertEqual((got["server.port"]["value"], got["server.port"]["source"], got["server.port"]["where"]),
                         (1002, "environment", "BELFRY_SERVER_PORT"))
        self.assertEqual((got["server.host"]["value"], got["server.host"]["where"]), ("::1", self.file + ":3"))
        self.assertEqual(got["log.format"]["source"], "default")
        self.assertEqual(got["store.data_dir"]["value"], os.path.join(self.folder, "below"))
        got = self.settings("--config", self.file, "--data", "/elsewhere", BELFRY_STORE_DATA_DIR="/no")
        self.assertEqual((got["store.data_dir"]["value"], got["store.data_dir"]["source"]), ("/elsewhere", "flag"))

    def test_says_off_of_what_is_turned_off(self):
        self.write('[server]\nsocket = "off"\n')
        shown = run("config", "--config", self.file, environment=clean_environment(HOME=self.folder))
        self.assertRegex(shown.out, r"(?m)^server.socket +off ")

    def test_is_found_in_the_xdg_folder(self):
        os.makedirs(os.path.join(self.folder, "xdg/belfry"))
        self.file = os.path.join(self.folder, "xdg/belfry/belfry.toml")
        self.write("[server]\nport = 4242\n")
        got = self.settings(XDG_CONFIG_HOME=os.path.join(self.folder, "xdg"))
        self.assertEqual(got["server.port"]["value"], 4242)
        self.assertEqual(self.settings(BELFRY_CONFIG=self.file)["server.port"]["value"], 4242)

    def test_does_not_show_passwords(self):
        secret = "postgresql://belfry:hunter2@db/belfry"
        got = self.settings(BELFRY_STORE_POSTGRES_URL=secret)
        self.assertNotIn("hunter2", json.dumps(got))
        self.assertIn("db/belfry", got["store.postgres_url"]["value"])

    def test_that_is_wrong_is_refused_with_its_place_by_config_doctor_and_serve(self):
        for text, words in (("[server]\nport = \"http\"\n", [":2:", "server.port", "65535"]),
                            ("[server]\nport = 70000\n", ["server.port", "65535"]),
                            ("[server]\nprot = 1\n", [":2:", "prot"]), ("[sevrer]\nport = 1\n", ["sevrer"]),
                            ("[log]\nlevel = \"loud\"\n", ["log.level", "debug"]), ("[server\n", [":1:"]),
                            ("[retention]\nevents = \"soon\"\n", ["retention.events"])):
            with self.subTest(text):
                self.write(text)
                data = os.path.join(self.folder, "data")
                for typed in (["config"], ["serve", "--data", data, "--port", "0"], ["backup", "x"]):
                    shown = run(*typed, "--config", self.file)
                    self.assertEqual((shown.code, shown.out), (USAGE, ""), (typed, shown.err))
                    for word in words:
                        self.assertIn(word, shown.err)
                self.assertEqual(run("doctor", "--config", self.file).code, FAILURE)
        shown = run("config", environment=clean_environment(HOME=self.folder, BELFRY_SERVER_PORT="x"))
        self.assertEqual(shown.code, USAGE)
        self.assertIn("BELFRY_SERVER_PORT", shown.err)
        self.assertEqual(run("config", "--config", "/nowhere.toml").code, USAGE)

    def test_in_the_environment_that_is_misspelled_is_refused(self):
        shown = run("config", environment=clean_environment(HOME=self.folder, BELFRY_SERVER_PROT="1"))
        self.assertEqual(shown.code, USAGE, "a setting that is never read is a trap")


class Messages(belfry.SharedCase):
    """What the daemon says of a field has a subject, by the name that was typed."""

    def said(self, *typed, code=FAILURE):
        shown = self.belfry.run(*typed)
        self.assertEqual(shown.code, code, shown.err)
        return shown.err

    def test_name_what_is_wrong(self):
        made = self.belfry.run("run", "create").out.strip()
        self.assertIn("belfry: event must be", self.said("run", "emit", made, "Bad", "{}"))
        self.assertIn("belfry: id must be a handle", self.said("inbox", "read", "0198"))
        self.assertIn("--state must be pending", self.said("run", "list", "--state", "bad", code=USAGE))

    def test_name_options_as_they_are_typed(self):
        self.assertIn("--user is missing", self.said("token", "create", "x", "--role", "user", code=USAGE))
        self.assertIn("belfry: --bound-user must", self.said("token", "create", "x", "--role", "agent", "--bound-user", ""))
        self.assertIn("(--session)", self.said("why", "n7"))
        self.assertIn("id must be a handle such as n7, or an id", self.said("why", "123"))

    def test_come_after_the_data_that_they_are_about(self):
        done = subprocess.run([belfry.BINARY, "token", "create", "x", "--role", "emitter", "--data", self.belfry.data],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True, env=self.belfry.environment)
        self.assertRegex(done.stdout.decode(), r"^bf_\S+\ntoken ")

    def test_of_a_port_that_is_taken_and_of_an_address_that_is_none(self):
        other = belfry.Daemon()
        self.addCleanup(other.close)
        own = other.command
        other.command = lambda: [str(self.belfry.port) if word == "0" else word for word in own()]
        with self.assertRaises(belfry.Refused) as refused:
            other.start()
        self.assertIn("another program does; choose another port", refused.exception.said)
        self.assertIn("none of unix:/path", self.said("send", "s1", "hello", "--rpc", "foo", code=USAGE))


class Why(belfry.SharedCase):
    def test_an_error_that_nobody_else_wants_rang_through_unmatched(self):
        shown = self.belfry.run("emit", "odd.thing", "--severity", "error")
        told = self.belfry.run("why", shown.out.split()[0])
        self.assertIn("unmatched: nobody else listens to this type", told.out)
        self.assertNotIn("no subscriber listens", told.out)
        shown = self.belfry.run("emit", "odd.thing")
        self.assertIn("no subscriber listens to this type", self.belfry.run("why", shown.out.split()[0]).out)


class InboxFollow(belfry.Case):
    def test_acknowledges_again_what_could_not_be_acknowledged_at_first(self):
        note = {"type": "notification", "id": "n1", "owner_lease": 1, "version": 1, "state": "dispatched", "priority": "high",
                "text": "The tea is ready", "created_at": "2026-11-15T12:00:00Z"}
        acknowledged = []
        heard = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):  # the live inbox
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                for line in (note, {"type": "caught_up"}):
                    self.wfile.write(f"data: {json.dumps(line)}\n\n".encode())
                    self.wfile.flush()
                heard.wait(belfry.PATIENCE)
                self.close_connection = True

            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                acknowledged.append(self.path)
                status, body = (503, b'{"code":"unavailable","detail":"the store is down"}') if len(acknowledged) == 1 else (200, json.dumps(note).encode())
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            with belfry.threads(server.serve_forever):
                following = subprocess.Popen([belfry.BINARY, "inbox", "follow", "--ack", "--token", "t", "--url",
                                              f"http://127.0.0.1:{server.server_port}"], stdout=subprocess.PIPE,
                                             stderr=subprocess.PIPE, env=belfry.clean_environment(), preexec_fn=belfry.end_with_parent)
                try:
                    self.assertIn(b"The tea is ready", following.stdout.readline())
                    belfry.eventually("acknowledged", lambda: len(acknowledged) == 2)
                finally:
                    heard.set()
                    following.kill()
                    following.communicate()
                    server.shutdown()
        self.assertEqual(acknowledged, ["/v1/notifications/n1/ack"] * 2)


class Open(belfry.SharedCase):
    """A desktop whose xdg-open is a script of the test."""

    def desktop(self, script):
        folder = os.path.join(self.belfry.folder, unique("desktop-"))
        os.makedirs(os.path.join(folder, "run"), 0o700)
        path = os.path.join(folder, "xdg-open")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script.format(folder=folder))
        os.chmod(path, 0o755)
        return folder, {"DISPLAY": ":7", "PATH": folder + ":/usr/bin:/bin", "XDG_RUNTIME_DIR": os.path.join(folder, "run")}

    def test_leaves_the_browser_that_it_started_alone_and_the_link_off_its_command_line(self):
        # Without a browser that runs already, xdg-open is the browser until that is closed.
        folder, environment = self.desktop('echo "$@" > {folder}/given; read line < {folder}/fifo; echo "$line" > {folder}/lived.new; mv {folder}/lived.new {folder}/lived')
        os.mkfifo(os.path.join(folder, "fifo"))
        shown = self.belfry.run("open", environment=environment)
        self.assertEqual((shown.code, shown.out), (OK, ""), shown.err)
        self.assertIn("opens in your browser", shown.err)
        with open(os.path.join(folder, "given"), encoding="utf-8") as file:
            page = file.read().strip()
        self.assertEqual(page, os.path.join(folder, "run/belfry/open.html"))
        self.assertEqual(stat.S_IMODE(os.stat(page).st_mode), 0o600)
        with open(page, encoding="utf-8") as file:
            code = re.search(r'url=http://[^"]*#link=([^"]+)"', file.read()).group(1)
        self.assertEqual(self.belfry.post("/v1/links/redeem", {"code": code}, token=None).status, 201)
        with open(os.path.join(folder, "fifo"), "w", encoding="utf-8") as fifo:
            fifo.write("lives\n")
        belfry.eventually("the browser's own end", lambda: os.path.exists(os.path.join(folder, "lived")))

    def test_prints_the_link_where_the_desktop_cannot_open_it(self):
        _, environment = self.desktop("exit 3")
        shown = self.belfry.run("open", environment=environment)
        self.assertEqual(shown.code, OK, shown.err)
        self.assertIn("#link=", shown.out)
        self.assertIn("it works once", shown.err)

    def test_and_demo_take_a_wrong_address_for_wrong_usage(self):
        for command in ("open", "demo"):
            self.assertEqual(self.belfry.run(command, "--url", "nonsense").code, USAGE)


class OtherStreams(belfry.SharedCase):
    def test_show_their_words_and_no_nulls(self):
        user = unique("u")
        self.belfry.run("notify", "Tea is ready", "--user", user)
        self.belfry.run("notify", "Look at it", "--to", "agent:coder", "--user", user)
        inbox = self.belfry.run("tail", f"inbox:{user}", "--no-follow")
        self.assertIn("Tea is ready", inbox.out)
        for shown in (inbox, self.belfry.run("tail", f"agent:{user}", "--no-follow")):
            self.assertEqual(shown.code, OK, shown.err)
            self.assertTrue(shown.out)
            self.assertNotIn("null", shown.out)


@belfry.sqlite_only
class Doctor(belfry.Case):
    def findings(self, daemon, *typed):
        shown = daemon.run("doctor", "--json", *typed)
        report = json.loads(shown.out)
        self.assertEqual(report["ok"], shown.code == OK)
        return {finding["check"]: finding for finding in report["findings"]}

    def assert_bad(self, finding, state="failure"):
        self.assertEqual(finding["state"], state, finding)
        self.assertTrue(finding["advice"], "says what to do")

    def test_finds_nothing_wrong_with_a_healthy_daemon_running_or_not(self):
        daemon = self.daemon()
        daemon.emit_ok(event())
        found = self.findings(daemon)
        self.assertEqual([finding for finding in found.values() if finding["state"] == "failure"], [])
        self.assertIn("daemon", found)
        self.assertIn(str(daemon.process.pid), found["lock"]["detail"])
        self.assertEqual(daemon.run("doctor").code, OK)
        daemon.stop()
        found = self.findings(daemon)
        self.assertEqual([finding for finding in found.values() if finding["state"] == "failure"], [])

    def test_finds_files_that_others_can_read(self):
        daemon = self.daemon()
        token, database = (os.path.join(daemon.data, name) for name in ("admin.token", "belfry.db"))
        os.chmod(token, 0o644)
        os.chmod(daemon.data, 0o755)
        os.chmod(daemon.socket_path, 0o666)
        found = self.findings(daemon)
        self.assert_bad(found["admin token"])
        self.assert_bad(found["data folder"], "warning")
        self.assert_bad(found["socket"])
        shown = daemon.run("doctor")
        self.assertEqual(shown.code, FAILURE)
        self.assertIn(f"chmod 600 {token}", shown.out)
        self.assertTrue(os.path.exists(database))

    @unittest.skipIf(os.geteuid() != 0, "only root can read what the daemon cannot")
    def test_as_root_tries_the_files_with_the_eyes_of_the_daemons_user(self):
        daemon = self.daemon()
        daemon.stop()
        sinks = os.path.join(daemon.folder, "sinks")
        os.makedirs(sinks)
        path = os.path.join(sinks, "phone.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write('[sink]\nid = "phone"\nkind = "ntfy"\n[ntfy]\nurl = "https://x"\ntopic = "t"\ntoken = "s"\n')
        os.chmod(path, 0o600)
        os.chmod(daemon.folder, 0o755)
        os.chown(daemon.data, 65534, 65534)
        daemon.environment["BELFRY_NOTIFICATIONS_SINKS"] = sinks
        found = self.findings(daemon)
        self.assert_bad(found["access"])
        self.assertIn(path, found["access"]["detail"])
        self.assertIn("nobody", found["access"]["detail"])
        os.chown(path, 65534, 65534)
        self.assertEqual(self.findings(daemon)["access"]["state"], "ok")

    def test_finds_a_damaged_database(self):
        daemon = self.daemon()
        for _ in range(20):
            daemon.emit_ok([event(payload={"text": "x" * 2000}) for _ in range(10)])
        daemon.stop()
        path = os.path.join(daemon.data, "belfry.db")
        with open(path, "r+b") as file:
            for at in range(4096, os.path.getsize(path), 4096):
                file.seek(at)
                file.write(b"\xa5" * 512)
        found = self.findings(daemon)
        self.assert_bad(found["database"])
        with open(path, "wb") as file:
            file.write(b"this is no database at all" * 1000)
        self.assert_bad(self.findings(daemon)["database"])

    def test_finds_a_clock_that_went_back(self):
        daemon = self.daemon()
        daemon.stop()
        path = os.path.join(daemon.data, "belfry.db")
        future = time.time() + 86400
        os.utime(path, (future, future))
        self.assert_bad(self.findings(daemon)["clock"])

    def test_says_so_when_there_is_nothing_yet(self):
        daemon = self.daemon(start=False)
        self.assertEqual(self.findings(daemon)["data folder"]["state"], "warning")

    def test_warns_of_a_daemon_in_clear_on_the_network(self):
        daemon = self.daemon(start=False)
        daemon.environment["BELFRY_SERVER_HOST"] = "0.0.0.0"
        self.assert_bad(self.findings(daemon)["configuration"], "warning")


class Dev(belfry.Case):
    def start(self, environment, *options):
        """`serve --dev`, once it has printed how to follow it; the process and the options that lead to it."""
        process = subprocess.Popen([belfry.BINARY, "serve", "--dev", "--port", "0", *options], env=environment, preexec_fn=belfry.end_with_parent,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        said = ""
        while not (found := re.search(r"follow\s+(.*)\n", said)):
            line = process.stdout.readline().decode()
            self.assertTrue(line, "it ended")
            said += line
        words = found.group(1).split()
        return [word for option in ("--url", "--token") for word in (option, words[words.index(option) + 1])]

    def write_own_files(self, home):
        """A sink, a subscriber and a configuration of the user's own; the file that the sink writes."""
        own = os.path.join(home, ".config", "belfry")
        for folder in ("sinks", "subscribers"):
            os.makedirs(os.path.join(own, folder))
        rang = os.path.join(home, "rang")
        with open(os.path.join(own, "sinks", "phone.toml"), "w", encoding="utf-8") as file:
            file.write(f'[sink]\nid = "phone"\nkind = "command"\n[command]\nargv = ["/bin/sh", "-c", "echo rang >> {rang}"]\n')
        with open(os.path.join(own, "subscribers", "mine.toml"), "w", encoding="utf-8") as file:
            file.write('[subscriber]\nid = "mine"\nname = "Mine"\ndescription = "My own."\nversion = "1.0.0"\n[events]\ntypes = ["mine.*"]\n')
        return own, rang

    def test_touches_neither_the_users_sinks_nor_the_users_subscribers(self):
        home = self.daemon(start=False).folder
        own, rang = self.write_own_files(home)
        environment = clean_environment(HOME=home, TMPDIR=home)
        # The files are good: a daemon of the user's own has both.
        plain = self.daemon("--sinks", os.path.join(own, "sinks"), "--subscribers", os.path.join(own, "subscribers"))
        self.assertIn("mine", plain.run("subscriber", "list").out)
        told = plain.run("notify", "The roof leaks", "--priority", "critical")
        self.assertEqual(told.code, OK, told.err)
        belfry.eventually("the sink rang", lambda: os.path.exists(rang))
        belfry.eventually("why says so", lambda: "phone" in plain.run("why", told.out.split()[0]).out)
        plain.stop()
        os.remove(rang)
        door = self.start(environment)
        listed = run("subscriber", "list", *door, environment=environment).out
        self.assertIn("example_failed_builds", listed)
        self.assertNotIn("mine", listed)
        # A call of a sink is owed from the commit on that makes the notification.
        told = run("notify", "The roof leaks", "--priority", "critical", *door, environment=environment)
        self.assertEqual(told.code, OK, told.err)
        why = run("why", told.out.split()[0], *door, environment=environment)
        self.assertEqual(why.code, OK, why.err)
        self.assertNotIn("phone", why.out)
        self.assertFalse(os.path.exists(rang))

    def test_uses_the_folders_that_its_own_flags_name(self):
        home = self.daemon(start=False).folder
        own, _ = self.write_own_files(home)
        environment = clean_environment(HOME=home, TMPDIR=home)
        door = self.start(environment, "--subscribers", os.path.join(own, "subscribers"))
        self.assertIn("mine", run("subscriber", "list", *door, environment=environment).out)

    def test_serves_something_to_see_prints_commands_that_work_and_leaves_nothing(self):
        environment = clean_environment(HOME="/nonexistent", TMPDIR=self.daemon(start=False).folder)
        process = subprocess.Popen([belfry.BINARY, "serve", "--dev", "--port", "0"], env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            said = b""
            while b"-d '" not in said:
                line = process.stdout.readline()
                self.assertTrue(line, process.stderr.read() if process.poll() is not None else b"")
                said += line
            text = said.decode()
            curl = re.search(r"curl (?:.|\n)*", text).group(0).replace("\\\n", " ")
            if subprocess.run(["which", "curl"], capture_output=True, check=False).returncode == 0:
                done = subprocess.run(["sh", "-c", curl], capture_output=True, check=True, timeout=belfry.PATIENCE)
                self.assertIn("sequence", json.loads(done.stdout))
            follow = re.search(r"follow\s+(.*)", text).group(1)  # as it is printed, whether on the PATH or not
            done = subprocess.run(["sh", "-c", follow + " --no-follow --json --from start"], capture_output=True,
                                  check=False, env=environment, timeout=belfry.PATIENCE)
            self.assertEqual(done.returncode, OK, done.stderr)
            self.assertTrue(done.stdout.strip())
            follow = follow.split()
            door = [word for at, word in enumerate(follow) if "--url" in follow[at - 1:at] or "--token" in follow[at - 1:at]]
            listed = run("subscriber", "list", "--url", door[0], "--token", door[1], environment=environment)
            self.assertIn("example_failed_builds", listed.out)
            self.assertRegex(listed.err, r"example-with-a-mistake-on-purpose\.toml:10:18: events\.severty_filter: ")
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=belfry.PATIENCE)
            self.assertEqual(process.returncode, 0)
            self.assertEqual([name for name in os.listdir(environment["TMPDIR"]) if name.startswith("belfry-dev")], [])
        finally:
            if process.poll() is None:
                process.kill()
            process.communicate()


if __name__ == "__main__":
    unittest.main()
