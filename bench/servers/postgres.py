"""PostgreSQL 15 with synchronous commit."""
import os
import pathlib
import pwd
import signal
import subprocess

from .process import Server

BIN = pathlib.Path("/usr/lib/postgresql/15/bin")

# Everything that a reply depends on is as it comes. Memory and the distance between checkpoints are raised, so that no
# checkpoint falls into a short run.
SETTINGS = {"listen_addresses": "127.0.0.1", "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on",
            "max_connections": "200", "shared_buffers": "512MB", "max_wal_size": "8GB", "checkpoint_timeout": "30min"}


class Postgres(Server):
    name = "postgres"
    label = "PostgreSQL 15, one INSERT a transaction"
    reply_means = "fdatasync done"
    protocol = "postgres"
    stop_signal = signal.SIGINT  # its fast way to stop

    def identity(self):
        """It refuses to run as root."""
        if os.getuid() != 0:
            return {}
        user = pwd.getpwnam("postgres")
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def prepare(self):
        self.data = self.folder / "data"
        self.data.mkdir()
        identity = self.identity()
        if identity:
            for path in (self.folder, self.data):
                os.chown(path, identity["user"], identity["group"])
        subprocess.run([BIN / "initdb", "-D", self.data, "-U", "postgres", "--auth=trust", "--encoding=UTF8",
                        "--locale=C.UTF-8", "--no-sync"],
                       check=True, stdout=subprocess.DEVNULL, cwd=self.folder, env=self.environment(), **identity)

    def command(self):
        settings = {"port": self.port, "unix_socket_directories": self.folder, **SETTINGS}
        return [BIN / "postgres", "-D", self.data, *(f"--{name}={value}" for name, value in settings.items())]

    def is_ready(self):
        return subprocess.run([BIN / "pg_isready", "-q", "-h", "127.0.0.1", "-U", "postgres", "-p",
                               str(self.port)]).returncode == 0

    def arrange(self):
        self.ask("create table events (sequence bigint generated always as identity primary key, body text not null)")
        if self.ask("show fsync") + self.ask("show synchronous_commit") != "onon":
            raise RuntimeError("postgres does not sync as asked")

    def count(self):
        return int(self.ask("select count(*) from events"))

    def ask(self, statement):
        command = [BIN / "psql", "-X", "-q", "-A", "-t", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres",
                   "-d", "postgres", "-c", statement]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout.strip()
