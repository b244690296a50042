"""What the tests of the small clients share: a daemon, a client of the language under test, and a line that can be cut."""

import contextlib
import os
import socket
import sys
import threading
import time

import belfry
import ports
from belfry import PATIENCE, unique
from sdk import ROOT, CppSide, Failed, PythonSide, TypescriptSide

sys.path.append(os.path.join(ROOT, "clients/python/tests"))
from scripted import Scripted  # noqa: E402, F401 pylint: disable=wrong-import-position, unused-import


def make_side(name):
    return {"python": PythonSide, "typescript": TypescriptSide, "cpp": CppSide}[name]()


class ClientCase(belfry.SharedCase):
    """A daemon, a client and the name of an own user; `language` and `way` say which client."""

    language = "python"
    way = "tcp"
    side = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.side = make_side(cls.language)
        cls.addClassCleanup(cls.side.close)

    def setUp(self):
        self.user = unique("u-")
        self.agent = self.client(self.belfry.mint("agent", bounds={"users": [self.user]})[0])
        self.person_token = self.belfry.mint("user", user_id=self.user)[0]
        self.person = self.client(self.person_token)

    def url(self):
        return f"http://127.0.0.1:{self.belfry.port}" if self.way == "tcp" else f"unix:{self.belfry.socket_path}"

    def client(self, token):
        made = self.side.client(self.url(), token)
        self.addCleanup(made.close)
        return made

    def refused(self, code, work, **facts):
        with self.assertRaises(Failed) as caught:
            work()
        self.assertEqual(caught.exception.code, code, caught.exception)
        for name, value in facts.items():
            self.assertEqual(getattr(caught.exception, name), value)
        return caught.exception

    def session(self):
        name = unique("s-")
        self.agent.put_session(name, user_id=self.user)
        return name


class Sent:
    """A message that is being sent, and what became of it: a receipt, or Failed."""

    def __init__(self, sender, *args, **named):
        self.outcome = None
        self.thread = threading.Thread(target=self._run, args=(sender, args, named), daemon=True)
        self.thread.start()

    def _run(self, sender, args, named):
        try:
            self.outcome = sender.send(*args, **named)
        except Failed as error:
            self.outcome = error

    def result(self):
        self.thread.join(PATIENCE)
        return self.outcome


def seconds(work):
    begin = time.monotonic()
    work()
    return time.monotonic() - begin


class Line:
    """A Unix socket in front of another one, that can be cut, mended, and made to lose answers."""

    def __init__(self, path, target):
        self.path = path
        self.target = target
        self.answers_to_lose = 0
        self.is_mute = False  # answers are lost, and the line stays
        self.listener = None
        self.open = []

    def listen(self):
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.path)

    def connect(self):
        far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            far.connect(self.target)
        except OSError:
            far.close()
            raise
        return far

    def mend(self):
        self.listen()
        self.listener.listen()
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    def cut(self):
        if self.listener is None:
            return
        if self.path:
            os.remove(self.path)
        listener, self.listener = self.listener, None
        for one in [listener, *self.open]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self.open = []

    def _accept(self, listener):
        with contextlib.suppress(OSError):
            while True:
                near, _ = listener.accept()
                try:
                    far = self.connect()
                except OSError:  # there is nobody at the other end just now
                    near.close()
                    continue
                self.open += [near, far]
                threading.Thread(target=self._carry, args=(near, far, False), daemon=True).start()
                threading.Thread(target=self._carry, args=(far, near, True), daemon=True).start()

    def _carry(self, source, target, are_answers):
        with contextlib.suppress(OSError):
            while piece := source.recv(1 << 16):
                if are_answers and self.answers_to_lose:
                    self.answers_to_lose -= 1
                    break
                if not (are_answers and self.is_mute):
                    target.sendall(piece)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


class TcpLine(Line):
    """The same in front of a port of this machine, at a port that stays the same."""

    def __init__(self, target):
        super().__init__(None, target)
        self.port = ports.reserve_port()

    def listen(self):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", self.port))

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.target))
