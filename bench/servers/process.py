"""One server process: started on a free port of 127.0.0.1, awaited, and ended by its own process id."""
import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

START_SECONDS_MAX = 60
STOP_SECONDS_MAX = 60
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """What all servers share. A subclass names its command and says when it is ready and how many events it holds."""

    name = ""           # in the JSON
    label = ""          # in the table
    reply_means = ""    # what the server promises when it acknowledges
    protocol = ""       # of the bench programs
    stop_signal = signal.SIGTERM

    def __init__(self, parent, traced=False):
        self.parent = parent
        self.traced = traced    # its calls of fsync and fdatasync are written down; slow, for tests only
        self.process = None

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"bench-{self.name}-", dir=self.parent))
        self.folder.chmod(0o755)  # some servers step down to a user of their own
        self.port = free_port()
        try:
            self.prepare()
            self.start()
            self.arrange()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        """Runs the command and waits until it is ready; says how many seconds that took."""
        with open(self.folder / "server.log", "ab") as log:
            begin = time.monotonic()
            self.process = subprocess.Popen(
                self.tracer() + self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                env=self.environment(), preexec_fn=self._die_with_us, **self.identity())
        while not self.is_ready():
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.name} ended with {self.process.returncode}:\n{self.log_tail()}")
            if time.monotonic() - begin > START_SECONDS_MAX:
                raise RuntimeError(f"{self.name} did not become ready:\n{self.log_tail()}")
            time.sleep(0.001)
        return time.monotonic() - begin

    def stop(self, how=None):
        """Ends the process that `start` made, and nothing else."""
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(how or self.stop_signal)
            try:
                self.process.wait(STOP_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def tracer(self):
        if not self.traced:
            return []
        # -D: the server stays our own child.
        return ["strace", "-D", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", str(self.folder / "syncs")]

    def syncs(self):
        """How often the traced server has asked the disk to be sure."""
        return (self.folder / "syncs").read_text().count("sync(")

    def log_tail(self):
        return (self.folder / "server.log").read_text(errors="replace")[-2000:]

    def _die_with_us(self):
        _libc.prctl(PR_SET_PDEATHSIG, int(self.stop_signal), 0, 0, 0)

    # What a subclass says about itself.

    def command(self):
        raise NotImplementedError

    def count(self):
        """The number of events in the store, as the server itself counts them."""
        raise NotImplementedError

    def environment(self):
        return {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}

    def identity(self):
        """Under which user the process runs, as Popen takes it."""
        return {}

    def prepare(self):
        """Before the start."""

    def arrange(self):
        """After the start."""

    def is_ready(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        except OSError:
            return False

    def program_arguments(self):
        """What the bench programs must be told to speak to it."""
        return ["--protocol", self.protocol, "--port", str(self.port)]
