#!/usr/bin/env python3
"""Runs a command beside a PostgreSQL of its own.

    tests/with_postgres.py COMMAND [ARGUMENT…]

A fresh cluster in a temporary folder listens on 127.0.0.1, on a free port; BELFRY_TEST_POSTGRES tells the command where.
It ends, and its folder goes, with the command; the exit code is the command's. Without PostgreSQL's programs this fails,
because a store test that ran on one database only has shown nothing about the other; BELFRY_TEST_POSTGRES=skip says
that it is meant, and an address there is used as it is. As root, which PostgreSQL refuses to run as, the server gets
the user postgres.
"""

import contextlib
import fcntl
import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

START_SECONDS_MAX = 60
STOP_SECONDS_MAX = 30


def programs():
    """The folder of the newest installed server."""
    found = shutil.which("postgres")
    folders = glob.glob("/usr/lib/postgresql/*/bin") + glob.glob("/usr/pgsql-*/bin")
    folders = [folder for folder in folders if os.path.exists(os.path.join(folder, "postgres"))]
    if folders:
        return max(folders, key=lambda folder: [int(part) for part in folder.split("/") if part.isdigit()])
    if found:
        return os.path.dirname(os.path.realpath(found))
    sys.exit("with_postgres: no PostgreSQL server here; install the package postgresql (scripts/setup test does), "
             "or set BELFRY_TEST_POSTGRES=skip to leave its tests out")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One cluster, from its making to its end."""

    def __init__(self):
        self.bin = programs()
        self.folder = tempfile.mkdtemp(prefix="belfry-pg-")
        self.data = os.path.join(self.folder, "data")
        self.log = os.path.join(self.folder, "log")
        self.user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        self.process = None
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)

    def as_user(self):
        if not self.user:
            return {}
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}

    def make_cluster(self, data):
        subprocess.run([os.path.join(self.bin, "initdb"), "-D", data, "-U", "belfry", "-A", "trust", "-E", "UTF8",
                        "--no-sync", "--locale=C"],
                       check=True, cwd=self.folder, stdout=subprocess.DEVNULL, **self.as_user())

    def copy_cluster(self, shared):
        """Copies the cluster that the first test of this run of ctest has made."""
        made = os.path.join(shared, "belfry-pg-cluster")
        with open(made + ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not os.path.exists(made):
                self.make_cluster(self.data)
                shutil.rmtree(made + ".part", ignore_errors=True)  # of a test that was killed
                subprocess.run(["cp", "-a", self.data, made + ".part"], check=True)
                os.rename(made + ".part", made)
                return
        subprocess.run(["cp", "-a", made, self.data], check=True)

    def start(self):
        shared = os.environ.get("BELFRY_TEST_FOLDER")  # scripts/run-tests removes it after all tests
        if shared:
            self.copy_cluster(shared)
        else:
            self.make_cluster(self.data)
        # Another process may take the port between the probe and the start: then with another one.
        for _ in range(3):
            port = free_port()
            if self.listen_on(port):
                return f"postgresql://belfry@127.0.0.1:{port}/postgres"
        with open(self.log, encoding="utf-8", errors="replace") as log:
            sys.exit("with_postgres: the server did not start\n" + log.read())

    def listen_on(self, port):
        settings = {"listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": self.folder,
                    # The tests end connections and servers in order; what a crash of the machine leaves is not theirs.
                    "fsync": "off", "full_page_writes": "off", "wal_level": "minimal", "max_wal_senders": 0, "autovacuum": "off",
                    "max_connections": 60, "shared_buffers": "32MB", "log_min_messages": "warning"}
        command = [os.path.join(self.bin, "postgres"), "-D", self.data]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            start_new_session=True, **self.as_user())
        ready = [os.path.join(self.bin, "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
        end = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < end and self.process.poll() is None:
            if subprocess.run(ready, check=False).returncode == 0:
                return True
            time.sleep(0.05)
        self.stop()
        return False

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)  # fast shutdown: sessions are ended
            try:
                self.process.wait(STOP_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self.process.send_signal(signal.SIGQUIT)
                self.process.wait()

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    if os.environ.get("BELFRY_TEST_POSTGRES"):
        return subprocess.run(command, check=False).returncode
    server = Server()
    # A time-out of ctest arrives as a signal; the cluster must go then too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with contextlib.ExitStack() as stack:
        stack.callback(server.remove)
        environment = dict(os.environ, BELFRY_TEST_POSTGRES=server.start())
        return subprocess.run(command, check=False, env=environment).returncode


if __name__ == "__main__":
    code = main()
    sys.exit(code if code >= 0 else 128 - code)
