"""What the tests of the small clients share: a daemon, a client of the language under test, and a line that can be cut."""

import contextlib
import os
import socket
import threading

import belfry
from belfry import unique
from sdk import Failed, PythonSide, TypescriptSide


def make_side(name):
    return PythonSide() if name == "python" else TypescriptSide()


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


class Line:
    """A Unix socket in front of another one, that can be cut, mended, and made to lose answers."""

    def __init__(self, path, target):
        self.path = path
        self.target = target
        self.answers_to_lose = 0
        self.listener = None
        self.open = []

    def mend(self):
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.path)
        self.listener.listen()
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    def cut(self):
        if self.listener is None:
            return
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
                far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                far.connect(self.target)
                self.open += [near, far]
                threading.Thread(target=self._carry, args=(near, far, False), daemon=True).start()
                threading.Thread(target=self._carry, args=(far, near, True), daemon=True).start()

    def _carry(self, source, target, are_answers):
        with contextlib.suppress(OSError):
            while piece := source.recv(1 << 16):
                if are_answers and self.answers_to_lose:
                    self.answers_to_lose -= 1
                    break
                target.sendall(piece)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
