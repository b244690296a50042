"""Where else the inbox rings: sinks through the real daemon, with a real server, a real program and real failures; and the command
line of delivery."""

import base64
import hashlib
import hmac
import http.server
import json
import os
import stat
import subprocess
import threading

import belfry
from belfry import eventually

SECRET = os.urandom(32)
SECRET_TEXT = "whsec_" + base64.b64encode(SECRET).decode()


class Receiver:
    """A server that answers with these statuses in turn, the last one for ever, and keeps what it got."""

    def __init__(self, *statuses):
        self.requests = []
        self.may_answer = threading.Event()
        self.may_answer.set()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # pylint: disable=invalid-name
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = statuses[min(len(receiver.requests), len(statuses) - 1)]
                receiver.requests.append((self.path, self.headers, body))
                receiver.may_answer.wait(30)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def webhook(name, url, when=""):
    return (f'[sink]\nid = "{name}"\nkind = "webhook"\n[when]\n{when}\n[webhook]\nurl = "{url}/in"\n'
            f'secret = "{SECRET_TEXT}"\nheaders = {{ X-Team = "blue" }}\n')


class Sinks(belfry.Case):
    def receiver(self, *statuses):
        made = Receiver(*statuses)
        self.addCleanup(made.close)
        return made

    def ringing(self, **files):
        """A daemon with these sinks."""
        daemon = self.daemon("--owner", "ada", start=False)
        self.sinks = os.path.join(daemon.folder, "sinks")
        os.mkdir(self.sinks)
        daemon.options += ["--sinks", self.sinks]
        daemon.environment["BELFRY_NOTIFICATIONS_SINKS"] = self.sinks
        for name, text in files.items():
            self.write(name, text)
        return daemon.start()

    def write(self, name, text):
        path = os.path.join(self.sinks, name + ".toml")
        with open(path + "~", "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path + "~", 0o600)
        os.rename(path + "~", path)

    def script(self, daemon, text):
        path = os.path.join(daemon.folder, "script")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, stat.S_IRWXU)
        return path

    def notify(self, daemon, text, *more):
        done = daemon.run("notify", text, *more)
        self.assertEqual(done.code, 0, done.err)
        return done.out.strip()

    def steps(self, daemon, which):
        story = json.loads(daemon.run("why", which, "--json").out)
        return [step["reason"].split(":")[0] for step in story["notifications"][0]["steps"]
                if (step["holder"] or "").startswith("sink:")]

    def test_a_call_that_is_under_way_when_the_daemon_stops_is_made_once(self):
        receiver = self.receiver(204)
        receiver.may_answer.clear()
        daemon = self.ringing(ops=webhook("ops", receiver.url))
        which = self.notify(daemon, "Tea is ready")
        eventually("called", lambda: receiver.requests)
        stopping = threading.Thread(target=daemon.stop)
        stopping.start()

        def is_closed():
            try:
                daemon.raw().close()
            except ConnectionRefusedError:
                return True
            except ConnectionResetError:  # it was in the queue of the door that was closed just then
                pass
            return False

        eventually("it takes no more connections", is_closed)
        receiver.may_answer.set()
        stopping.join()
        daemon.start()
        eventually("the call is over", lambda: "sink_delivered" in self.steps(daemon, which))
        self.assertEqual(self.steps(daemon, which), ["sink_delivered"])
        self.assertEqual(len(receiver.requests), 1)

    def test_a_webhook_that_fails_twice_gets_the_same_signed_message_again(self):
        receiver = self.receiver(503, 500, 204)
        daemon = self.ringing(ops=webhook("ops", receiver.url))
        which = self.notify(daemon, "The house is on fire", "--priority", "critical", "--title", "Fire")
        eventually("delivered", lambda: "sink_delivered" in self.steps(daemon, which))
        self.assertEqual(self.steps(daemon, which), ["sink_failed", "sink_failed", "sink_delivered"])
        self.assertEqual(len(receiver.requests), 3)
        self.assertEqual(len({headers["webhook-id"] for _, headers, _ in receiver.requests}), 1)
        for path, headers, body in receiver.requests:
            self.assertEqual((path, headers["X-Team"]), ("/in", "blue"))
            signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
            code = base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest()).decode()
            self.assertEqual(headers["webhook-signature"], "v1," + code)
            sent = json.loads(body)
            self.assertEqual((sent["type"], sent["data"]["id"], sent["data"]["text"], sent["data"]["user_id"]),
                             ("notification", which, "The house is on fire", "ada"))
        # The sink carried the word; that the person knows is another's to say.
        self.assertEqual([row["id"] for row in self.lines(daemon, "ledger", "--open")], [which])

    def lines(self, daemon, *arguments):
        done = daemon.run(*arguments, "--json")
        self.assertEqual(done.code, 0, done.err)
        return [json.loads(line) for line in done.out.splitlines()]

    def test_a_daemon_that_dies_between_two_attempts_goes_on_with_them(self):
        receiver = self.receiver(503, 204)
        daemon = self.ringing(ops=webhook("ops", receiver.url))
        which = self.notify(daemon, "Still here?")
        eventually("the first attempt", lambda: receiver.requests)
        daemon.kill()
        daemon.start()
        eventually("delivered", lambda: "sink_delivered" in self.steps(daemon, which))
        self.assertEqual(len({headers["webhook-id"] for _, headers, _ in receiver.requests}), 1)

    def test_a_server_that_is_gone_for_good_is_given_up_with_the_reason(self):
        receiver = self.receiver(410)
        daemon = self.ringing(ops=webhook("ops", receiver.url))
        which = self.notify(daemon, "Anybody?")
        eventually("given up", lambda: self.steps(daemon, which) == ["sink_given_up"])
        last = [entry["event"] for entry in daemon.entries("audit") if entry["event"]["action"] == "obligation.given_up"]
        self.assertEqual(last[-1]["detail"], {"sink": "ops", "notification": which})
        self.assertIn("HTTP 410", last[-1]["why"])

    def test_a_call_that_was_given_up_is_a_dead_letter_and_can_be_made_again(self):
        receiver = self.receiver(410, 200)
        daemon = self.ringing(hook=webhook("hook", receiver.url))
        daemon.run("notify", "hello")
        listed = lambda: [json.loads(line) for line in daemon.run("ledger", "dead", "--sinks", "--json").out.splitlines()]
        calls = eventually("the call to be given up", listed)
        self.assertEqual((len(calls), calls[0]["sink"]), (1, "hook"))
        self.assertIn("410", calls[0]["error"])
        self.assertEqual(len(receiver.requests), 1)
        self.assertEqual(daemon.run("ledger", "retry", "--sinks", calls[0]["id"]).code, 0)
        eventually("the sink to be called again", lambda: len(receiver.requests) == 2)
        first, second = (headers["webhook-id"] for _, headers, _ in receiver.requests)
        self.assertEqual(first, second, "it is the same message")
        eventually("it to be no dead letter any more", lambda: not listed())
        again = daemon.run("ledger", "retry", "--sinks", calls[0]["id"])
        self.assertEqual(again.code, 1)
        self.assertIn("given up", again.err)

    def test_only_what_a_sink_wants_is_carried(self):
        receiver = self.receiver(204)
        daemon = self.ringing(ops=webhook("ops", receiver.url, 'priorities = ["high"]\nusers = ["ada"]'))
        self.notify(daemon, "quiet")
        self.notify(daemon, "not hers", "--user", "bob", "--priority", "high")
        which = self.notify(daemon, "hers", "--priority", "high")
        eventually("delivered", lambda: "sink_delivered" in self.steps(daemon, which))
        self.assertEqual([json.loads(body)["data"]["text"] for _, _, body in receiver.requests], ["hers"])

    def test_a_command_gets_the_notification_and_a_new_file_counts_at_once(self):
        daemon = self.ringing()
        heard = os.path.join(daemon.folder, "heard")
        script = self.script(daemon, f'cat > "{heard}.part" && env > "{heard}.env" && mv "{heard}.part" "{heard}"\n')
        self.write("say", f'[sink]\nid = "say"\nkind = "command"\n[command]\nargv = ["{script}", "$(id)"]\n')
        eventually("read", lambda: "the sinks were read again" in daemon.log())
        which = self.notify(daemon, "Look")
        eventually("heard", lambda: os.path.exists(heard))
        with open(heard, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["id"], which)
        with open(heard + ".env", encoding="utf-8") as file:
            self.assertNotIn("BELFRY_", file.read())

    def test_test_sends_a_sample_right_away_and_tells_the_outcome(self):
        receiver = self.receiver(200, 500)
        daemon = self.ringing(ops=webhook("ops", receiver.url), bad='[sink]\nid = "bad"\nkind = "pigeon"\n')
        done = daemon.run("sink", "test", "ops", "--json")
        self.assertEqual((done.code, json.loads(done.out)["note"]), (0, "HTTP 200"), done.err)
        done = daemon.run("sink", "test", "ops")
        self.assertEqual(done.code, 1)
        self.assertIn("answered HTTP 500", done.err)
        listed = daemon.run("sink", "list")
        self.assertEqual(listed.code, 1)
        self.assertIn("ops  webhook", listed.out)
        self.assertNotIn(SECRET_TEXT, listed.out + listed.err)
        self.assertIn("bad.toml:3:8: sink.kind: must be desktop, command, ntfy or webhook", listed.err)
        self.assertEqual(daemon.run("sink", "test", "nobody").code, 1)
        self.assertIn("bad.toml:3:8", daemon.run("doctor").out)


class CommandLine(belfry.Case):
    def run_ok(self, daemon, *arguments, **more):
        done = daemon.run(*arguments, **more)
        self.assertEqual(done.code, 0, done.err)
        return done.out

    def test_a_notification_is_made_listed_read_acknowledged_and_explained(self):
        daemon = self.daemon("--owner", "ada")
        which = self.run_ok(daemon, "notify", "-", "--priority", "high", stdin=b"The build is done\n").strip()
        self.assertIn("The build is done", self.run_ok(daemon, "inbox", "--unread"))
        self.assertEqual(self.run_ok(daemon, "inbox", "read", which), "The build is done\n")
        self.assertNotIn(which, self.run_ok(daemon, "inbox", "--unread"))
        self.run_ok(daemon, "inbox", "ack", which)
        again = daemon.run("inbox", "ack", which)
        self.assertEqual(again.code, 1, again.out)
        story = self.run_ok(daemon, "why", which)
        for words in ("notification " + which, "for the user, said by the system: inbox", "delivered", "acted by the person"):
            self.assertIn(words, story)
        rows = self.run_ok(daemon, "ledger", "--state", "delivered", "--user", "ada")
        self.assertIn(which, rows)
        self.assertNotIn(which, self.run_ok(daemon, "ledger", "--open"))
        self.assertEqual(len(self.run_ok(daemon, "ledger", "dead").splitlines()), 1)

    def test_why_tells_of_an_event_that_reached_nobody(self):
        daemon = self.daemon()
        event = self.run_ok(daemon, "emit", "demo.hello").split("\t")[0]
        self.assertIn("it reached nobody: ", self.run_ok(daemon, "why", event))

    def test_following_the_inbox_shows_what_waits_and_what_comes_and_acknowledges_it(self):
        daemon = self.daemon("--owner", "ada")
        first = self.run_ok(daemon, "notify", "waiting").strip()
        with subprocess.Popen([belfry.BINARY, "inbox", "follow", "--ack", "--json", "--data", daemon.data],
                              stdout=subprocess.PIPE, env=daemon.environment, text=True,
                              preexec_fn=belfry.end_with_parent) as follower:
            self.assertEqual(json.loads(follower.stdout.readline())["id"], first)
            second = self.run_ok(daemon, "notify", "fresh").strip()
            shown = []
            while second not in shown:
                message = json.loads(follower.stdout.readline())
                if message["type"] == "notification":
                    shown.append(message["id"])
            self.assertEqual(shown, [second])
            eventually("both delivered",
                       lambda: len(self.run_ok(daemon, "ledger", "--state", "delivered", "--json").splitlines()) == 2)
            follower.terminate()

    def test_tools_are_put_listed_and_removed(self):
        daemon = self.daemon()
        self.run_ok(daemon, "tool", "put", "read_file", "--impact", "internal", "--description", "Reads")
        self.assertRegex(self.run_ok(daemon, "tool", "list"), "read_file +registered +internal")
        self.run_ok(daemon, "tool", "remove", "read_file")
        self.assertNotIn("read_file", self.run_ok(daemon, "tool", "list"))


if __name__ == "__main__":
    import unittest
    unittest.main()
