"""`belfry model try` against a server that speaks chat completions, and against all the ways in which one can fail."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading

import belfry
import chat_server
from belfry import clean_environment, run
from chat_server import DONE, PING, ChatServer, call, cut, drip, endless, error, finish, raw, stall, status, stream, text, usage, whole

OK, FAILURE, USAGE, UNREACHABLE, REFUSED = range(5)
KEY = "sk-never-to-be-seen-0123456789"
HELLO = (text("Hel"), text("lo, ä."), finish(), usage(11, 4), DONE)


class ModelCase(belfry.Case):
    def server(self, *scripts, **more):
        made = ChatServer(*scripts, **more)
        self.addCleanup(made.close)
        return made

    def ask(self, server, *options, key=KEY):
        """`model try` with a key; whatever happens, the key is not shown."""
        done = run("model", "try", "--url", getattr(server, "url", server), "--model", "m", "--key-env", "KEY_OF_TEST", *options,
                   environment=clean_environment(KEY_OF_TEST=key))
        self.assertNotIn(key, done.out + done.err)
        return done

    def answer(self, server, *options):
        done = self.ask(server, "--json", *options)
        self.assertEqual((done.code, done.err), (OK, ""))
        return json.loads(done.out)

    def failure(self, server, *options, code=FAILURE):
        """Why it failed; the same with and without --json."""
        done = self.ask(server, "--json", *options)
        self.assertEqual((done.code, done.out), (code, ""), done.err)
        failure = json.loads(done.err)["error"]
        shown = self.ask(server, *options)
        self.assertEqual(shown.code, code)
        self.assertTrue(shown.err.startswith("belfry: "), shown.err)
        return failure


class Answers(ModelCase):
    def test_are_shown_with_what_they_took(self):
        server = self.server(stream(*HELLO))
        done = self.ask(server, "Say hello", "--system", "Be brief.", "--temperature", "0.5", "--max-tokens", "9",
                        "--header", "X-Team: blue")
        self.assertEqual((done.code, done.out), (OK, "Hello, ä.\n"))
        self.assertRegex(done.err, r"^stop after \d+ ms \(first byte after \d+ ms\); 11 tokens asked, 4 answered\n$")
        request = server.requests[0]
        self.assertEqual((request.method, request.path), ("POST", "/v1/chat/completions"))
        self.assertEqual(request.headers["authorization"], "Bearer " + KEY)
        self.assertEqual(request.headers["x-team"], "blue")
        self.assertEqual(request.body, {
            "model": "m", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say hello"}],
            "stream": True, "stream_options": {"include_usage": True}, "temperature": 0.5, "max_tokens": 9})

    def test_come_as_json_for_programs(self):
        answer = self.answer(self.server(stream(*HELLO)))
        times = [answer.pop(name) for name in ("first_byte_ms", "first_text_ms", "took_ms")]
        self.assertEqual(times[2], max(times))
        self.assertEqual(answer, {"text": "Hello, ä.", "calls": [], "finish": "stop", "model": "scripted",
                                  "usage": {"prompt_tokens": 11, "completion_tokens": 4, "estimated": False}})

    def test_appear_while_the_rest_is_still_to_come(self):
        seen = threading.Event()

        def script(answer):
            answer.begin()
            answer.chunk(text("Hel"))
            seen.wait(60)
            for frame in (text("lo."), finish(), DONE):
                answer.chunk(frame)
            answer.end()

        server = self.server(script)
        with subprocess.Popen([belfry.BINARY, "model", "try", "--url", server.url, "--model", "m"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=clean_environment(), preexec_fn=belfry.end_with_parent) as process:
            self.assertEqual(process.stdout.read(3), b"Hel")
            seen.set()
            out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (OK, b"lo.\n"), err)

    def test_may_come_byte_by_byte_with_pings_and_any_line_end(self):
        for frames in (HELLO, (PING, *HELLO), [frame.replace("\n", "\r\n") for frame in HELLO], HELLO[:-1], (*HELLO, "data: x\n\n")):
            with self.subTest(frames):
                self.assertEqual(self.answer(self.server(drip(*frames)))["text"], "Hello, ä.")

    def test_may_come_whole_and_under_a_wrong_name(self):
        server = self.server(whole({"content": "Hello"}, count=(7, 3)))
        answer = self.answer(server)
        self.assertEqual((answer["text"], answer["usage"]["prompt_tokens"]), ("Hello", 7))
        self.assertEqual(self.answer(server, "--no-stream")["text"], "Hello")
        self.assertEqual([request.body["stream"] for request in server.requests], [True, False])
        self.assertNotIn("stream_options", server.requests[1].body)
        self.assertEqual(self.answer(self.server(stream(*HELLO, content_type="text/plain")))["text"], "Hello, ä.")

    def test_without_a_count_are_estimated(self):
        answer = self.answer(self.server(stream(text("Hello"), finish(), DONE)), "Say hello")
        self.assertTrue(answer["usage"]["estimated"])
        self.assertGreater(answer["usage"]["prompt_tokens"], 0)
        self.assertGreater(answer["usage"]["completion_tokens"], 0)
        self.assertIn("about 1 answered", self.ask(self.server(stream(text("Hi"), finish(), DONE))).err)

    def test_of_strangers_do_not_rule_the_terminal(self):
        done = self.ask(self.server(stream(text("\x1b[2Jx"), finish(), DONE)), "--json")
        self.assertIn("\\u001b[2Jx", done.out)
        self.assertNotIn("\x1b", done.out)
        done = self.ask(self.server(error(400, "\x1b[2Jx")))
        self.assertNotIn("\x1b", done.err)

    def test_that_nobody_reads_any_more_are_hung_up_on(self):
        hung_up = threading.Event()

        def script(answer):
            answer.begin()
            while answer.chunk(text("again and again ")):
                pass
            hung_up.set()

        server = self.server(script)
        with subprocess.Popen([belfry.BINARY, "model", "try", "--url", server.url, "--model", "m"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=clean_environment(), preexec_fn=belfry.end_with_parent) as process:
            process.stdout.read(5)
            process.stdout.close()
            self.assertEqual(process.wait(60), OK)
            self.assertEqual(process.stderr.read(), b"")
        self.assertTrue(hung_up.wait(60))


class Tools(ModelCase):
    def test_are_offered_and_their_call_is_shown(self):
        server = self.server(stream(call(0, "call_7", "current_time", ""), call(0, arguments='{"zone":'),
                                    call(0, arguments=' "Europe/Berlin"}'), finish("tool_calls"), usage(50, 9), DONE))
        answer = self.answer(server, "--tool")
        self.assertEqual(answer["calls"], [{"id": "call_7", "name": "current_time", "arguments": {"zone": "Europe/Berlin"}}])
        self.assertEqual((answer["finish"], answer["first_text_ms"]), ("tool_calls", None))
        offered = server.requests[0].body["tools"]
        self.assertEqual([tool["function"]["name"] for tool in offered], ["current_time"])
        done = self.ask(server, "--tool")
        self.assertEqual((done.code, done.out), (OK, 'call current_time {"zone":"Europe/Berlin"}\n'))

    def test_are_called_in_whatever_form_the_server_has(self):
        zone = '{"zone":"UTC"}'
        wanted = [{"name": "current_time", "arguments": {"zone": "UTC"}}] * 2
        for frames in ([call(None, None, "current_time", zone)] * 2,
                       [call(0, "a", "current_time", zone), call(0, "b", "current_time", zone)],
                       [call(0, None, "current_time", zone), call(1, None, "current_time", zone)],
                       [call(0, "a", "current_time", {"zone": "UTC"}), call(1, "b", "current_time", {"zone": "UTC"})]):
            with self.subTest(frames):
                answer = self.answer(self.server(drip(*frames, finish(), DONE)), "--tool")
                self.assertEqual(len({one.pop("id") for one in answer["calls"]}), 2)
                self.assertEqual((answer["calls"], answer["finish"]), (wanted, "tool_calls"))

    def test_with_bad_arguments_are_told_from_those_with_good_ones(self):
        server = self.server(stream(call(0, "a", "current_time", '{"zone": UTC}'), call(1, "b", "current_time", "{}"),
                                    finish("tool_calls"), DONE))
        bad, good = self.answer(server, "--tool")["calls"]
        self.assertIn("the arguments are no JSON object", bad["problem"])
        self.assertEqual(bad["arguments"], {})
        self.assertNotIn("problem", good)
        self.assertIn("the call cannot be made", self.ask(server, "--tool").err)

    def test_that_are_not_called_are_remarked(self):
        self.assertIn("did not call the tool", self.ask(self.server(stream(*HELLO)), "--tool").err)


class Failures(ModelCase):
    def test_of_the_request_are_told_apart(self):
        for code, reason, exit_code in ((400, "invalid", FAILURE), (401, "refused", REFUSED), (403, "refused", REFUSED),
                                        (404, "not_found", FAILURE), (429, "rate_limited", FAILURE), (500, "server", UNREACHABLE),
                                        (503, "server", UNREACHABLE)):
            with self.subTest(code):
                failure = self.failure(self.server(error(code, f"so it is, {KEY}")), code=exit_code)
                self.assertEqual((failure["reason"], failure["http_status"]), (reason, code))
                self.assertIn("so it is, ***", failure["detail"])
        failure = self.failure(self.server(error(400, "This model's maximum context length is 10 tokens")))
        self.assertEqual((failure["reason"], failure["code"]), ("too_long", "too_large"))
        self.assertIn("--key-env", self.ask(self.server(error(401, "no"))).err)
        self.assertIn("--model", self.ask(self.server(error(404, "no"))).err)

    def test_say_when_to_come_again(self):
        server = self.server(error(429, "slowly", Retry_After="17"))
        self.assertEqual(self.failure(server)["retry_after_ms"], 17000)
        self.assertIn("try again in 17s", self.ask(server).err)
        self.assertEqual(len(server.requests), 3, "nothing is tried twice")

    def test_inside_a_stream_are_failures_too(self):
        for frame in ('data: {"error":{"message":"it fell over","code":500}}\n\n', 'error: {"code":500,"message":"it fell over"}\n\n'):
            done = self.ask(self.server(stream(text("Hel"), frame, DONE)))
            self.assertEqual((done.code, done.out), (UNREACHABLE, "Hel\n"))
            self.assertIn("it fell over", done.err)

    def test_of_time_say_which_limit_it_was(self):
        for script, option, limit in ((stall(head=False), "--first-timeout", "first_byte"), (stall(), "--first-timeout", "first_byte"),
                                      (stall(text("Hel")), "--silence-timeout", "silence"), (stall(text("Hel")), "--timeout", "whole"),
                                      (endless(PING), "--timeout", "whole"), (stall(head=False), "--timeout", "whole")):
            with self.subTest((limit, option)):
                server = self.server(script)
                done = self.ask(server, "--json", option, "150ms")
                self.assertEqual((done.code, done.out), (UNREACHABLE, ""), done.err)
                failure = json.loads(done.err)["error"]
                self.assertEqual((failure["reason"], failure["limit"], failure["code"]), ("timed_out", limit, "timeout"))

    def test_of_the_connection_are_told(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        failure = self.failure(f"http://127.0.0.1:{port}/v1", code=UNREACHABLE)
        self.assertEqual((failure["reason"], failure["code"]), ("unreachable", "unavailable"))
        self.assertIn(f"127.0.0.1:{port}", failure["detail"])
        for script in (cut(text("Hel")), cut(text("Hel"), half='data: {"choi'), stream(text("Hel")), raw("")):
            with self.subTest(script):
                self.assertEqual(self.failure(self.server(script), code=UNREACHABLE)["reason"], "unreachable")

    def test_of_the_protocol_show_what_came(self):
        for script, says in ((stream("<html>login</html>", content_type="text/html"), "<html>login"), (status(200, "hello"), "hello"),
                             (status(200, ""), "empty"), (stream("data: {\n\n"), "no JSON"), (raw("SSH-2.0-x\r\n"), "no HTTP"),
                             (status(302, "", Location="http://127.0.0.1:1/"), "not followed"), (status(200, {}), "no answer"),
                             (stream("data: " + "x" * 1_100_000), "1048576 bytes"), (endless(text("x" * 1000)), "1048576 bytes")):
            with self.subTest(says):
                failure = self.failure(self.server(script))
                self.assertEqual((failure["reason"], failure["code"]), ("protocol", "malformed"))
                self.assertIn(says, failure["detail"])
                self.assertLess(len(failure["detail"]), 700)

    def test_a_redirection_is_not_followed(self):
        elsewhere = self.server(stream(*HELLO))
        self.failure(self.server(status(307, "", Location=elsewhere.url + "/chat/completions")))
        self.assertEqual(elsewhere.requests, [])


class CommandLine(ModelCase):
    def test_that_is_wrong_says_so_and_asks_nobody(self):
        server = self.server()
        url = ["--url", server.url]
        for typed, says in ((["try", "--model", "m"], "--url is missing"), (["try", *url], "--model is missing"),
                            (["fly", *url, "--model", "m"], "ACTION must be try"),
                            (["try", *url, "--model", "m", "--key-env", "NOT_THERE"], "NOT_THERE"),
                            (["try", *url, "--model", "m", "--header", "x"], "NAME: VALUE"),
                            (["try", *url, "--model", "m", "--header", "Host: x"], "set by Belfry"),
                            (["try", *url, "--model", "m", "--temperature", "warm"], "--temperature"),
                            (["try", *url, "--model", "m", "--max-tokens", "1", "--max-completion-tokens", "1"], "give one"),
                            (["try", *url, "--model", "m", "--timeout", "soon"], "--timeout"),
                            (["try", "--url", "ftp://x", "--model", "m"], "no http or https address")):
            with self.subTest(typed):
                done = run("model", *typed)
                self.assertEqual((done.code, done.out), (USAGE, ""))
                self.assertIn(says, done.err)
        self.assertEqual(server.requests, [])

    def test_has_a_name_for_the_limit_of_newer_models(self):
        server = self.server(stream(*HELLO))
        self.answer(server, "--max-completion-tokens", "5")
        self.assertEqual(server.requests[0].body["max_completion_tokens"], 5)
        self.assertNotIn("max_tokens", server.requests[0].body)


class Tls(ModelCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="belfry-model-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        cls.pair = cls.certificate("served")
        cls.other = cls.certificate("other")

    @classmethod
    def certificate(cls, name):
        certificate, key = (os.path.join(cls.folder, f"{name}.{kind}") for kind in ("pem", "key"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", key, "-out", certificate, "-days", "2", "-subj", f"/CN={name}",
                        "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        return certificate, key

    def test_is_spoken_with_those_whose_certificate_is_trusted(self):
        server = self.server(stream(*HELLO), certificate=self.pair)
        self.assertEqual(self.answer(server, "--ca-file", self.pair[0])["text"], "Hello, ä.")
        for wrong in ([], ["--ca-file", self.other[0]]):
            done = self.ask(server, *wrong)
            self.assertEqual((done.code, done.out), (UNREACHABLE, ""))
            self.assertIn("certificate is not trusted", done.err)
            self.assertIn("--ca-file", done.err)
        self.assertEqual(len(server.requests), 1, "nobody else was told the key")

    def test_that_is_cut_is_noticed(self):
        server = self.server(cut(text("Hel")), certificate=self.pair)
        self.assertEqual(self.failure(server, "--ca-file", self.pair[0], code=UNREACHABLE)["reason"], "unreachable")
        server = self.server(stall(text("Hel")), certificate=self.pair)
        done = self.ask(server, "--ca-file", self.pair[0], "--silence-timeout", "150ms", "--json")
        self.assertEqual(json.loads(done.err)["error"]["limit"], "silence")


class TheServer(ModelCase):
    def test_itself_answers_what_it_is_asked(self):
        server = self.server()
        self.assertEqual(self.answer(server)["text"], "Hello.")
        self.assertEqual(self.answer(server, "--tool")["calls"][0]["name"], "current_time")
        self.assertEqual(chat_server.piece({}, "stop").count("\n"), 2)
