"""Redis Streams with an append-only file."""
import socket

from .process import Server


class Redis(Server):
    protocol = "redis"

    def __init__(self, parent, fsync, traced=False):
        super().__init__(parent, traced)
        self.fsync = fsync
        self.name = f"redis-{fsync}"
        self.label = f"Redis Streams, `appendfsync {fsync}`"
        self.reply_means = "fdatasync done" if fsync == "always" else "written; synced within a second"

    def command(self):
        # Snapshots and rewrites of the append-only file are off: they would only slow it down in a short run.
        return ["redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.folder),
                "--appendonly", "yes", "--appendfsync", self.fsync, "--save", "", "--daemonize", "no",
                "--auto-aof-rewrite-percentage", "0"]

    def is_ready(self):
        try:
            return self.ask("PING") == "+PONG"
        except OSError:
            return False

    def arrange(self):
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as link:
            link.sendall(b"CONFIG GET appendfsync\r\n")
            answer = link.recv(4096)
        if self.fsync.encode() not in answer:
            raise RuntimeError(f"redis does not sync as asked: {answer!r}")

    def count(self):
        return int(self.ask("XLEN events").removeprefix(":"))

    def ask(self, command):
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as link:
            link.sendall(command.encode() + b"\r\n")
            return link.makefile("rb").readline().decode().strip()
