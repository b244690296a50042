"""The clients behind one face, so that one test is for all: Python's in this process, TypeScript's in a Node beside it
(clients/ts/tests/bridge.mjs), and the sender of C++ in a program of its own (tests/sender_bridge.cpp)."""

import importlib.util
import itertools
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import uuid

import belfry
from belfry import PATIENCE
from needs import lack

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
NODE = shutil.which("node")
BRIDGE = os.path.join(ROOT, "clients/ts/tests/bridge.mjs")


def load_python_client():
    """The package `belfry` of clients/python under another name: this folder has a module of that name."""
    if "belfry_client" not in sys.modules:
        folder = os.path.join(ROOT, "clients/python/belfry")
        spec = importlib.util.spec_from_file_location("belfry_client", os.path.join(folder, "__init__.py"),
                                                      submodule_search_locations=[folder])
        module = importlib.util.module_from_spec(spec)
        sys.modules["belfry_client"] = module
        spec.loader.exec_module(module)
    return sys.modules["belfry_client"]


def need_node():
    if NODE is None:
        lack("node")
    return NODE


class Failed(Exception):
    """A call that a client refused, with what its error tells."""

    def __init__(self, error):
        super().__init__(json.dumps(error))
        self.kind = error["name"]
        self.code = error.get("code")
        self.detail = error.get("detail")
        self.field = error.get("field")
        self.reason = error.get("reason")
        self.problem = error.get("problem") or {}
        self.data = error.get("data")


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


class PythonSide:
    """Makes clients of Python."""

    def __init__(self):
        self.module = load_python_client()

    def client(self, url, token, **more):
        return PythonObject(self.module.Client(url, token, **more))

    def sender(self, address, token="", ca_file=None):
        said = []
        made = self.module.Sender(address, token, ca_file=ca_file,
                                  on_feedback=lambda words, message: said.append((words, message.payload)))
        return PythonObject(made, said)

    def surface(self):
        return {camel(name) for name in dir(self.module.Client) if not name.startswith("_")}

    def close(self):
        pass


class PythonObject:
    def __init__(self, made, said=None):
        self.made = made
        self.said = said

    def _guarded(self, work):
        try:
            return work()
        except Exception as error:  # pylint: disable=broad-except
            facts = {name: getattr(error, name, None) for name in ("code", "detail", "field", "reason", "problem", "data")}
            raise Failed({"name": type(error).__name__, **facts}) from error

    def __getattr__(self, name):
        return lambda *args, **named: self._guarded(lambda: getattr(self.made, name)(*args, **named))

    def follow_items(self, name, *args, **named):
        return PythonFollowing(self._guarded(lambda: getattr(self.made, name)(*args, **named)), self._guarded)

    def begin_upload(self, run_id):
        return PythonUpload(self, run_id)

    def close(self):
        self.made.close()


class PythonFollowing:
    def __init__(self, following, guarded):
        self.following = following
        self.guarded = guarded

    def next(self):
        """The next item; None at the end."""
        return self.guarded(lambda: next(self.following, None))

    def close(self):
        self.following.close()


class PythonUpload:
    def __init__(self, owner, run_id):
        self.events = queue.Queue()
        self.outcome = queue.Queue()
        self.thread = threading.Thread(target=self._run, args=(owner, run_id), daemon=True)
        self.thread.start()

    def _run(self, owner, run_id):
        try:
            self.outcome.put(owner.upload_run(run_id, iter(self.events.get, None)))
        except Failed as error:
            self.outcome.put(error)

    def feed(self, event):
        self.events.put(event)

    def finish(self):
        self.events.put(None)
        return result_of(self.outcome.get(timeout=PATIENCE))


def result_of(outcome):
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


class TypescriptSide:
    """Makes clients of TypeScript, in a Node of its own."""

    def __init__(self, **environment):
        # Node 20 has a WebSocket, but does not show it unasked; from version 22 on the word changes nothing.
        self.process = subprocess.Popen([need_node(), "--experimental-websocket", BRIDGE], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, encoding="utf-8", preexec_fn=belfry.end_with_parent,
                                        env=belfry.clean_environment(**environment))
        self.ids = itertools.count(1)
        self.inboxes = {}
        self.said = {}
        self.senders = set()
        self.lock = threading.Lock()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "feedback" in message:
                self.said[message["id"]].append((message["feedback"], message.get("payload")))
            else:
                self.inboxes[message["id"]].put(message)
        for inbox in list(self.inboxes.values()):
            inbox.put({"error": {"name": "Gone", "detail": "the Node ended"}})

    def order(self, **order):
        """Gives an order and returns where its messages will come."""
        number = next(self.ids)
        self.inboxes[number] = queue.Queue()
        self.write(id=number, **order)
        return number

    def write(self, **order):
        with self.lock:
            self.process.stdin.write(json.dumps(order) + "\n")
            self.process.stdin.flush()

    def answer(self, number):
        message = self.inboxes[number].get(timeout=PATIENCE)
        if "error" in message:
            raise Failed(message["error"])
        return message

    def client(self, url, token):
        return self._open("client", {"url": url, "token": token})

    def sender(self, address, token="", ca_file=None):
        return self._open("sender", address, {"token": token, "caFile": ca_file})

    def _open(self, kind, *args):
        number = next(self.ids)
        self.inboxes[number], self.said[number] = queue.Queue(), []
        self.write(id=number, open=kind, args=args)
        self.answer(number)
        if kind == "sender":
            self.senders.add(number)
        return TypescriptObject(self, number)

    def is_sender(self, number):
        return number in self.senders

    def surface(self):
        return set(self.answer(self.order(surface=True))["result"])

    def close(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        self.process.stdout.close()


class TypescriptObject:
    def __init__(self, side, number):
        self.side = side
        self.number = number
        self.said = side.said[number]

    def _args(self, args, named):
        return [*args, {camel(name) if name in ("idempotency_key", "message_id") else name: value for name, value in named.items()}] \
            if named else list(args)

    def __getattr__(self, name):
        def call(*args, **named):
            number = self.side.order(on=self.number, call=camel(name), args=self._args(args, named))
            return self.side.answer(number)["result"]
        return call

    def follow_items(self, name, *args, **named):
        return TypescriptFollowing(self.side, self.side.order(on=self.number, follow=camel(name), args=self._args(args, named)))

    def begin_upload(self, run_id):
        return TypescriptUpload(self.side, self.side.order(on=self.number, upload=run_id))

    def close(self):
        """A client has nothing to close."""
        if self.side.is_sender(self.number):
            self.side.answer(self.side.order(on=self.number, call="close", args=[]))


class TypescriptFollowing:
    def __init__(self, side, number):
        self.side = side
        self.number = number

    def next(self):
        return self.side.answer(self.number).get("item")

    def close(self):
        self.side.write(close=self.number)


class TypescriptUpload:
    def __init__(self, side, number):
        self.side = side
        self.number = number

    def feed(self, event):
        self.side.write(feed=self.number, event=event)

    def finish(self):
        self.side.write(feed=self.number)
        return self.side.answer(self.number)["result"]


class CppSide(PythonSide):
    """Senders of C++, in a program of their own; everything else is Python's."""

    def __init__(self):
        super().__init__()
        self.ids = itertools.count(1)
        self.inboxes = {}
        self.senders = {}
        self.lock = threading.Lock()
        self.process = subprocess.Popen([os.path.join(os.path.dirname(belfry.BINARY), "sender_bridge")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, encoding="utf-8", env=belfry.clean_environment(),
                                        preexec_fn=belfry.end_with_parent)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "feedback" in message:
                sender = self.senders[message["id"]]
                sender.said.append((message["feedback"], sender.payloads[message["message_id"]]))
            else:
                self.inboxes[message["id"]].put(message)
        for inbox in list(self.inboxes.values()):
            inbox.put({"error": {"name": "Gone", "detail": "the bridge ended"}})

    def ask(self, number, **order):
        self.inboxes[number] = queue.Queue()
        with self.lock:
            self.process.stdin.write(json.dumps({"id": number, **order}, ensure_ascii=False) + "\n")
            self.process.stdin.flush()
        message = self.inboxes[number].get(timeout=PATIENCE)
        if "error" in message:
            raise Failed(message["error"])
        return message["result"]

    def sender(self, address, token="", ca_file=None):
        number = next(self.ids)
        self.senders[number] = made = CppSender(self, number)
        self.ask(number, open=address, token=token, ca_file=ca_file or "")
        return made

    def close(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        self.process.stdout.close()


class CppSender:
    def __init__(self, side, number):
        self.side = side
        self.number = number
        self.said = []
        self.payloads = {}
        self.is_open = True

    def send(self, session_id, message_type="user_input", payload=None, message_id=None):
        message_id = message_id or str(uuid.uuid4())
        self.payloads[message_id] = payload
        more = {} if payload is None else {"payload": payload}
        return self.side.ask(next(self.side.ids), on=self.number, session_id=session_id, message_type=message_type,
                             message_id=message_id, **more)

    def close(self):
        if self.is_open:
            self.is_open = False
            self.side.ask(next(self.side.ids), close=self.number)
