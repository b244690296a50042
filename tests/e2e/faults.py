"""A daemon whose files fail and whose clocks jump when the test says so: fault.c is compiled here and preloaded into it."""

import atexit
import contextlib
import errno
import functools
import itertools
import mmap
import os
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest

import belfry
from belfry import eventually
from needs import lack

KINDS = ("write", "read", "sync", "open", "truncate")
RULE = struct.Struct("64s32sqqqqqq")  # as fault.c has it
HANG = 0
CLOCKS = struct.Struct("qq")
FAILED, ARMED = RULE.size - 16, RULE.size - 8


@functools.cache
def library():
    """fault.c, compiled once."""
    compiler = shutil.which("clang-19") or shutil.which("cc")
    if compiler is None:
        lack("a C compiler")
    folder = tempfile.mkdtemp(prefix="belfry-fault-")
    atexit.register(shutil.rmtree, folder, True)
    path = os.path.join(folder, "fault.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fault.c")
    subprocess.run([compiler, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o", path, source], check=True)
    return path


class Faults:
    """The page that fault.c reads."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "faults")
        with open(self.path, "wb") as file:
            file.write(b"\0" * 4096)
        with open(self.path, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), 4096)

    @staticmethod
    def _place(kind):
        return CLOCKS.size + KINDS.index(kind) * RULE.size

    def arm(self, kind, end, part="", skip=0, times=-1, error=errno.EIO, torn=False):
        """Calls of this kind on files whose path ends so fail, after `skip` of them, `times` or for ever; or a signal comes
        instead, where `error` is one; or they HANG."""
        place = self._place(kind)
        number = -error if isinstance(error, signal.Signals) else error
        self.heal(kind)
        RULE.pack_into(self.page, place, part.encode(), end.encode(), skip, times, number, int(torn), 0, 0)
        struct.pack_into("q", self.page, place + ARMED, 1)

    def heal(self, *kinds):
        for kind in kinds or KINDS:
            struct.pack_into("q", self.page, self._place(kind) + ARMED, 0)

    def failed(self, kind):
        """How many calls have failed since it was armed."""
        return struct.unpack_from("q", self.page, self._place(kind) + FAILED)[0]

    def jump(self, wall_s=0.0, steady_s=0.0):
        """Clocks go on from so much later, or earlier."""
        wall, steady = CLOCKS.unpack_from(self.page, 0)
        CLOCKS.pack_into(self.page, 0, wall + int(wall_s * 1e6), steady + int(steady_s * 1e6))


class Case(belfry.Case):
    """A test whose daemon can be broken."""

    def breakable(self, *options, start=True, **more):
        if belfry.is_sanitized():
            self.skipTest("a sanitizer wants to be loaded first")
        daemon = self.daemon(*options, start=False, **more)
        self.faults = Faults(daemon.folder)
        daemon.environment.update(LD_PRELOAD=library(), BELFRY_FAULTS=self.faults.path)
        return daemon.start() if start else daemon

    @contextlib.contextmanager
    def stopped(self, daemon, seconds):
        """The daemon stands still; to it, as to a machine that slept, so many seconds have passed when it goes on."""
        daemon.process.send_signal(signal.SIGSTOP)
        eventually("stopped", lambda: self.state(daemon) == "T")
        began = time.monotonic()
        try:
            yield
        finally:
            # Its own tick of a second is overdue when it goes on, as it would be after so long.
            time.sleep(max(0.0, began + 1.1 - time.monotonic()))
            self.faults.jump(seconds, seconds)
            daemon.process.send_signal(signal.SIGCONT)

    @staticmethod
    def state(daemon):
        with open(f"/proc/{daemon.process.pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0]


class NoDescriptors:
    """As long as this lasts the daemon can open nothing more, or only so many files that are left to it."""

    def __init__(self, daemon, left=0):
        self.pid, self.left = daemon.process.pid, left

    def __enter__(self):
        self.before = resource.prlimit(self.pid, resource.RLIMIT_NOFILE)
        taken = {int(name) for name in os.listdir(f"/proc/{self.pid}/fd")}
        free = (number for number in itertools.count() if number not in taken)
        # A new one gets the least number that is free, which must lie below the limit.
        resource.prlimit(self.pid, resource.RLIMIT_NOFILE, (next(itertools.islice(free, self.left, None)), self.before[1]))
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(self.pid, resource.RLIMIT_NOFILE, self.before)
