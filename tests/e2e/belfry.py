"""What the end-to-end tests share: a daemon of the real binary in a temporary folder, and clients that speak to it.

BELFRY names the binary. BELFRY_TEST_STORE=postgres runs the same tests on PostgreSQL: BELFRY_TEST_POSTGRES (see
tests/with_postgres.py) then says where, and every daemon gets a database of its own there.

Nothing here waits blindly: every wait polls for what it waits for and has an end.
"""

import collections
import contextlib
import ctypes
import glob
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse
import uuid

from readers import PATIENCE, Answer, Bytes, Sse, WebSocket, read_response  # noqa: F401, what tests use too

BINARY = os.path.abspath(os.environ.get("BELFRY") or os.path.join(os.path.dirname(__file__),
                                                                  "../../build-test/belfry"))
STORE = os.environ.get("BELFRY_TEST_STORE", "sqlite")
POSTGRES = os.environ.get("BELFRY_TEST_POSTGRES", "")
LIBC = ctypes.CDLL(None)

if STORE == "postgres" and POSTGRES in ("", "skip"):
    raise unittest.SkipTest("BELFRY_TEST_POSTGRES says that there is no PostgreSQL to test with")



class Refused(Exception):
    """The daemon ended instead of serving; its exit code and what it said."""

    def __init__(self, code, said):
        super().__init__(f"exit {code}: {said}")
        self.code = code
        self.said = said


def eventually(what, condition, patience=PATIENCE, pause=0.01):
    """Polls until `condition()` is true and returns what it returned."""
    end = time.monotonic() + patience
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f"in {patience} s this did not become true: {what}")
        time.sleep(pause)


def end_with_parent():
    """In a child: the kernel ends it when the test ends, also where that is killed by a limit of time."""
    pr_set_pdeathsig = 1
    LIBC.prctl(pr_set_pdeathsig, signal.SIGKILL)


def clean_environment(**changes):
    """An environment in which nothing of the machine's own Belfry is found."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BELFRY", "XDG_"))}
    kept.update(changes)
    return kept


def json_of(answer):
    return json.loads(answer.body)


def unique(prefix="t"):
    return f"{prefix}{uuid.uuid4().hex[:10]}"


class Daemon:
    """One `belfry serve` on a folder that outlives it, so that it can be started again on the same data."""

    def __init__(self, *options, folder=None, environment=None, data=None):
        self.folder = folder or tempfile.mkdtemp(prefix="belfry-e2e-")
        self.data = data or os.path.join(self.folder, "data")
        self.socket_path = os.path.join(self.data, "belfry.sock")
        self.log_path = os.path.join(self.folder, "log")
        self.options = list(options)
        self.environment = clean_environment(HOME=self.folder, **(environment or {}))
        self.process = None
        self.port = None
        self.tls = None
        self.source = None  # the address to call from, where it matters
        self.database = None
        if STORE == "postgres":
            self.database = self._make_database()

    # -- its life ------------------------------------------------------------------------------------------------

    def _make_database(self):
        name = unique("belfry_")
        subprocess.run(["psql", "-q", POSTGRES, "-c", f"CREATE DATABASE {name}"], check=True, stdin=subprocess.DEVNULL)
        parts = urllib.parse.urlsplit(POSTGRES)
        return urllib.parse.urlunsplit(parts._replace(path="/" + name))

    def command(self, *more):
        store = ["--backend", "postgres", "--postgres-url", self.database] if self.database else []
        return [BINARY, "serve", "--port", "0", "--data", self.data, *store, *self.options, *more]

    def start(self, *more, ready=True):
        """Starts it and waits until it serves. Raises Refused where it ends instead."""
        assert self.process is None or self.process.poll() is not None
        begin = os.path.getsize(self.log_path) if os.path.exists(self.log_path) else 0
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(self.command(*more), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env=self.environment, cwd=self.folder, preexec_fn=end_with_parent)
        end = time.monotonic() + PATIENCE
        while True:
            said = self.log()[begin:]
            found = re.search(r"belfry serves.*?(?:address=|\"address\":\")\S*?:(\d+)[\s\"]", said)
            if found:
                self.port = int(found.group(1))
                break
            if self.process.poll() is not None:
                raise Refused(self.process.returncode, self.log()[begin:])
            if time.monotonic() > end:
                self.kill()
                raise AssertionError("the daemon does not serve: " + said)
            time.sleep(0.005)
        if ready:
            eventually("ready", lambda: self.get("/readyz", token=None).status == 200)
        return self

    def stop(self):
        """Asks it to stop and returns its exit code."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill()
                raise AssertionError("the daemon did not stop: " + self.log()) from None
        return self.process.returncode

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def close(self):
        """The end of it, and of what it left. One that has crashed meanwhile, or that a sanitizer has complained of, fails
        the test that it served."""
        crashed = self.process is not None and self.process.poll() not in (None, 0, 1, 2, -signal.SIGKILL)
        self.kill()
        if self.database:
            name = urllib.parse.urlsplit(self.database).path[1:]
            subprocess.run(["psql", "-q", POSTGRES, "-c", f"DROP DATABASE {name} WITH (FORCE)"], check=False,
                           stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        said = self.log()
        shutil.rmtree(self.folder, ignore_errors=True)
        for word in ("ThreadSanitizer", "AddressSanitizer", "LeakSanitizer", "runtime error:", "assertion failed"):
            assert word not in said, said[max(0, said.index(word) - 200):][:6000]
        assert not crashed, f"the daemon ended with {self.process.returncode}: {said[-3000:]}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def log(self):
        if not os.path.exists(self.log_path):
            return ""
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read()

    def memory(self):
        """Resident bytes."""
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as status:
            return int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1)) * 1024

    def page_faults(self):
        """How often it was given a page of memory since it began."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as stat:
            return int(stat.read().rsplit(")", 1)[1].split()[7])

    @property
    def admin_token(self):
        with open(os.path.join(self.data, "admin.token"), encoding="utf-8") as file:
            return file.read().strip()

    # -- requests ------------------------------------------------------------------------------------------------

    def connect(self, timeout=PATIENCE):
        """A connection of http.client, kept open by whoever asks for it."""
        if self.tls:
            return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=self.tls)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout, source_address=self.source)

    def raw(self, timeout=PATIENCE):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=timeout, source_address=self.source)
        return self.tls.wrap_socket(connection, server_hostname="127.0.0.1") if self.tls else connection

    def request(self, method, path, body=None, headers=None, token="admin", connection=None):
        own = connection or self.connect()
        fields = dict(headers or {})
        if token == "admin":
            token = self.admin_token
        if token:
            fields["Authorization"] = "Bearer " + token
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        if body is not None and not any(name.lower() == "content-type" for name in fields):
            fields["Content-Type"] = "application/json"
        if isinstance(body, str):
            body = body.encode()
        try:
            own.request(method, path, body=body, headers=fields)
            response = own.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            if connection is None:
                own.close()

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.request("POST", path, body=body, **more)

    def emit(self, body, **more):
        return self.post("/v1/events", body, **more)

    def emit_ok(self, body, **more):
        answer = self.emit(body, **more)
        assert answer.status == 201, (answer.status, answer.body[:500])
        return json_of(answer)

    def mint(self, role, **more):
        """A token of this role: its text and its id."""
        if role == "user":
            more.setdefault("user_id", "ada")
        answer = self.post("/v1/tokens", {"name": unique("token-"), "role": role, **more})
        assert answer.status == 201, (answer.status, answer.body)
        return json_of(answer)["token"], json_of(answer)["id"]

    def page(self, stream="events", token="admin", connection=None, **query):
        text = urllib.parse.urlencode(query, doseq=True)
        answer = self.get(f"/v1/streams/{stream}?{text}", token=token, connection=connection)
        assert answer.status == 200, (answer.status, answer.body[:500])
        return json_of(answer)

    def entries(self, stream="events", after=0, token="admin", **query):
        """Everything after a position, page by page."""
        found = []
        while True:
            page = self.page(stream, token=token, after=after, limit=1000, **query)
            found += page["data"]
            if not page["has_more"]:
                return found
            assert page["next"] > after, page["next"]
            after = page["next"]

    def head(self, stream="events"):
        streams = json_of(self.get(f"/v1/streams?name={stream}"))["data"]
        return next(entry["head"] for entry in streams if entry["name"] == stream)

    def metrics(self):
        """Every sample of /metrics by its name with labels."""
        samples = {}
        for line in self.get("/metrics").body.decode().splitlines():
            if line and not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                samples[name] = float(value)
        return samples

    def sse(self, path="/v1/streams/events", token="admin", headers=None, body=None):
        return Sse(self, path, self.admin_token if token == "admin" else token, headers, body)

    def websocket(self, path="/v1/streams/events", token="admin", headers=None):
        return WebSocket(self, path, self.admin_token if token == "admin" else token, headers)

    # -- the command line ----------------------------------------------------------------------------------------

    def run(self, *arguments, stdin=b"", environment=None, timeout=PATIENCE):
        """A command against this daemon's folder."""
        return run(*arguments, "--data", self.data, stdin=stdin, timeout=timeout, cwd=self.folder,
                   environment={**self.environment, **(environment or {})})


Result = collections.namedtuple("Result", "code out err")


def run(*arguments, stdin=b"", environment=None, timeout=PATIENCE, cwd=None):
    """Runs the binary; standard output and standard error stay apart."""
    done = subprocess.run([BINARY, *arguments], input=stdin, capture_output=True, timeout=timeout, check=False,
                          env=environment or clean_environment(), cwd=cwd)
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


class Case(unittest.TestCase):
    """A test with daemons of its own, which end with it."""

    longMessage = True

    def daemon(self, *options, start=True, **more):
        made = Daemon(*options, **more)
        self.addCleanup(made.close)
        return made.start() if start else made

    def assert_problem(self, answer, status, code, field=None, says=None):
        """A problem document with this status and code; `says` are words that its detail must have."""
        self.assertEqual(answer.status, status, answer.body)
        self.assertEqual(answer.headers["content-type"], "application/problem+json")
        document = json.loads(answer.body)
        self.assertEqual(document["status"], status)
        self.assertEqual(document["code"], code, document)
        self.assertTrue(document["title"])
        self.assertTrue(document["detail"])
        self.assertEqual(document.get("field"), field, document)
        for word in [says] if isinstance(says, str) else says or []:
            self.assertIn(word, document["detail"])
        return document

    def assert_described(self, method, path, answer):
        """The OpenAPI document knows this status of this operation, and every member of the answer."""
        document = json_of(self.belfry.get("/openapi.json", token=None))
        schemas = document["components"]["schemas"]
        answers = document["paths"][path][method]["responses"]
        self.assertIn(str(answer.status), answers)
        content = answers[str(answer.status)]["content"][answer.headers["content-type"]]

        def members(schema):
            if "$ref" in schema:
                return members(schemas[schema["$ref"].rsplit("/", 1)[1]])
            return set(schema.get("properties", {})).union(*[members(part) for part in schema.get("allOf", [])])

        self.assertLessEqual(set(json_of(answer)), members(content["schema"]))

    def assert_whole(self, entries, first=1):
        """Sequences without a gap and without a double."""
        self.assertEqual([entry["sequence"] for entry in entries], list(range(first, first + len(entries))))


class SharedCase(Case):
    """Tests of one class that share a daemon: each keeps to names of its own."""

    options = ()
    belfry = None

    @classmethod
    def setUpClass(cls):
        cls.belfry = Daemon(*cls.options)
        cls.addClassCleanup(cls.belfry.close)
        cls.belfry.start()


def is_sanitized():
    """A binary with a sanitizer in it needs several times the memory."""
    with open(BINARY, "rb") as file:
        content = file.read()
    return b"__asan_init" in content or b"__tsan_init" in content


def sqlite_only(test):
    return unittest.skipIf(STORE == "postgres", "the embedded store only")(test)


def files_of(daemon):
    """Every byte that the daemon keeps, by file."""
    found = {}
    for path in glob.glob(os.path.join(daemon.data, "*")):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                found[os.path.basename(path)] = file.read()
    return found


def traces_of(daemon, mark):
    """Where these words still stand: the files of the embedded store, or the tables in PostgreSQL; there bytes read as hexadecimal."""
    if STORE == "sqlite":
        return [name for name, content in files_of(daemon).items() if mark.encode() in content]

    def ask(statement):
        done = subprocess.run(["psql", "-X", "-q", "-t", "-A", daemon.database, "-c", statement], check=True, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        return done.stdout.split()

    tables = ask("SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')")
    return [table for table in tables
            if ask(f"SELECT 1 FROM {table} AS one WHERE one::text LIKE '%{mark}%' OR one::text LIKE '%{mark.encode().hex()}%' LIMIT 1")]


def event(**members):
    return {"type": "test.event", "source": "e2e", **members}


@contextlib.contextmanager
def threads(*works):
    """Runs functions beside the block and waits for them; what they raise is raised here."""
    failures = []

    def guarded(work):
        try:
            work()
        except BaseException as failure:  # pylint: disable=broad-except
            failures.append(failure)

    running = [threading.Thread(target=guarded, args=(work,), daemon=True) for work in works]
    for thread in running:
        thread.start()
    try:
        yield
    finally:
        for thread in running:
            thread.join(PATIENCE * 2)
    if failures:
        raise failures[0]
    assert not any(thread.is_alive() for thread in running), "a thread of the test did not end"
