"""A bad line between two devices: a proxy for TCP that cuts, slows, holds back, loses, doubles and swaps what goes through it, and counts it.

A line of TCP neither loses nor swaps; whoever sits in between can. What it does to bytes, TLS must notice: the link breaks, and
the devices must go on with the next one as if nothing had been."""

import contextlib
import ctypes
import os
import random
import selectors
import socket
import threading
import time

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000
CHUNK = 4096
FAULTS = ("cut", "lose", "swap", "double", "flip")


def inside(namespace, work):
    """Does something, such as opening a socket, in a network namespace: a thread goes there, and ends there."""
    if namespace is None:
        return work()
    made = {}

    def go():
        try:
            with open(f"/run/netns/{namespace}", "rb") as place:
                if LIBC.setns(place.fileno(), CLONE_NEWNET) != 0:
                    raise OSError(ctypes.get_errno(), f"cannot enter the namespace {namespace}")
            made["result"] = work()
        except BaseException as failure:  # pylint: disable=broad-except
            made["failure"] = failure

    thread = threading.Thread(target=go)
    thread.start()
    thread.join()
    if "failure" in made:
        raise made["failure"]
    return made["result"]


class Fate:
    """What becomes of one direction of one connection: after so many bytes something happens to it, once."""

    def __init__(self, fault=None, after=0):
        self.fault = fault
        self.after = after
        self.passed = 0
        self.kept = b""

    def pieces(self, data):
        """What goes on of a piece that came; None: the line is cut here."""
        self.passed += len(data)
        if self.fault is None or self.passed < self.after:
            return [data]
        if self.fault == "cut":
            return None
        if self.fault == "swap":
            if not self.kept:
                self.kept = data
                return []
            pieces = [data, self.kept]
        else:
            half = max(1, len(data) // 2)
            pieces = {"lose": [data[half:]], "double": [data, data], "flip": [bytes([data[0] ^ 0x55]) + data[1:]]}[self.fault]
        self.fault = None
        return pieces


class Line:
    """One connection: what came from one side waits here until the other takes it, or its time has come."""

    def __init__(self, near, far, fates):
        self.ends = {near: far, far: near}
        self.fates = {near: fates[0], far: fates[1]}
        self.waiting = {near: [], far: []}  # (due, bytes) to go to this end

    def close(self):
        for end in self.ends:
            end.close()


class Proxy:
    """Listens in one namespace (or here) and calls in another. `fates` gives each new connection what becomes of its two directions."""

    def __init__(self, to, listen="127.0.0.1", near=None, far=None, seed=1):
        self.to = to
        self.far = far
        self.random = random.Random(seed)
        self.fates = lambda: (Fate(), Fate())
        self.delay_s = 0.0       # each piece comes so much later
        self.rate = None         # bytes a second and direction; nothing: as fast as they come
        self.is_held = False     # connections stand, and nothing goes through
        self.is_open = True      # new ones are taken
        self.passed = 0          # bytes, both ways
        self.connections = 0
        self.broken = 0          # lines that a fate has ended or spoilt
        self.lock = threading.RLock()
        self.lines = []
        self.selector = selectors.DefaultSelector()
        self.listener = inside(near, lambda: socket.create_server((listen, 0)))
        self.address = "{}:{}".format(*self.listener.getsockname()[:2])
        self.listener.setblocking(False)
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.wake, self.waker = socket.socketpair()
        self.selector.register(self.wake, selectors.EVENT_READ)
        self.is_over = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    # -- what the test does --------------------------------------------------------------------------------------

    def cut(self):
        """All lines break, and nobody gets through until `heal`."""
        with self.lock:
            self.is_open = False
            for line in list(self.lines):
                self._end(line)

    def break_lines(self):
        """All lines break; whoever calls again gets through."""
        with self.lock:
            for line in list(self.lines):
                self._end(line)

    def hold(self, held=True):
        self.is_held = held
        self.waker.send(b"x")

    def heal(self):
        """From now on it is a good line. What was spoilt already is spoilt."""
        with self.lock:
            self.is_open, self.is_held, self.delay_s, self.rate = True, False, 0.0, None
            self.fates = lambda: (Fate(), Fate())
        self.waker.send(b"x")

    def spoil(self, share=0.8, least=200, most=60_000):
        """So many of the next connections meet with something, in one direction, somewhere on their way."""
        def fates():
            if self.random.random() > share:
                return Fate(), Fate()
            bad = Fate(self.random.choice(FAULTS), self.random.randint(least, most))
            return self.random.sample((bad, Fate()), 2)
        self.fates = fates

    @contextlib.contextmanager
    def counted(self):
        """How many bytes went through meanwhile, in a list of one."""
        before, found = self.passed, [0]
        yield found
        found[0] = self.passed - before

    def close(self):
        self.is_over = True
        self.waker.send(b"x")
        self.thread.join()
        self.wake.close()
        self.waker.close()

    # -- its thread ----------------------------------------------------------------------------------------------

    def _run(self):
        while not self.is_over:
            ready = self.selector.select(self._patience())
            with self.lock:
                for key, events in ready:
                    if key.fileobj is self.listener:
                        self._accept()
                    elif key.fileobj is self.wake:
                        self.wake.recv(100)
                    elif key.data in self.lines:
                        self._move(key.data, key.fileobj, events)
                for line in list(self.lines):
                    self._flush(line)
        with self.lock:
            for line in list(self.lines):
                self._end(line)
            self.listener.close()
            self.selector.close()

    def _patience(self):
        with self.lock:
            due = [pieces[0][0] for line in self.lines for pieces in line.waiting.values() if pieces]
        return 1.0 if not due or self.is_held else max(0.0, min(1.0, min(due) - time.monotonic()))

    def _accept(self):
        near, _ = self.listener.accept()
        if not self.is_open:
            near.close()
            return
        host, port = self.to.rsplit(":", 1)
        try:
            far = inside(self.far, lambda: socket.create_connection((host, int(port)), timeout=10))
        except OSError:
            near.close()
            return
        self.connections += 1
        line = Line(near, far, self.fates())
        self.lines.append(line)
        for end in line.ends:
            end.setblocking(False)
            self.selector.register(end, selectors.EVENT_READ, line)

    def _move(self, line, end, events):
        if not events & selectors.EVENT_READ or self.is_held or sum(len(piece) for _, piece in line.waiting[line.ends[end]]) > 1 << 20:
            return
        try:
            data = end.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._flush(line, at_once=True)
            self._end(line)
            return
        fate, had_fault = line.fates[end], line.fates[end].fault
        pieces = fate.pieces(data)
        if had_fault and fate.fault is None or pieces is None:
            self.broken += 1
        if pieces is None:
            self._end(line)
            return
        wait = self.delay_s + (len(data) / self.rate if self.rate else 0.0)
        queue = line.waiting[line.ends[end]]
        begin = max(time.monotonic(), queue[-1][0] if queue else 0.0) if self.rate else time.monotonic()
        queue += [(begin + wait, piece) for piece in pieces if piece]

    def _flush(self, line, at_once=False):
        if self.is_held or line not in self.lines:
            return
        now = time.monotonic()
        for end, queue in line.waiting.items():
            while queue and (at_once or queue[0][0] <= now):
                due, piece = queue[0]
                try:
                    sent = end.send(piece)
                except BlockingIOError:
                    queue[0] = (now + 0.005, piece)
                    break
                except OSError:
                    self._end(line)
                    return
                self.passed += sent
                if sent == len(piece):
                    queue.pop(0)
                else:
                    queue[0] = (due, piece[sent:])

    def _end(self, line):
        if line not in self.lines:
            return
        self.lines.remove(line)
        for end in line.ends:
            with contextlib.suppress(KeyError, ValueError):
                self.selector.unregister(end)
        line.close()


def can_have_namespaces():
    """Why not; nothing: they can be had."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    name = f"belfry-{os.getpid()}-try"
    if os.system(f"ip netns add {name} 2>/dev/null") != 0:
        return "this machine gives no network namespaces"
    os.system(f"ip netns del {name} 2>/dev/null")
    return None
