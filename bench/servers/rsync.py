"""rsync's daemon over one folder. It holds no events: it is the peer of what goes between two devices."""
import os
import pathlib
import subprocess
import time

from .process import Server

SECONDS_MAX = 300


class Rsync(Server):
    name = "rsync"
    label = "rsync"

    def prepare(self):
        self.there = self.folder / "there"
        self.there.mkdir()
        (self.folder / "rsyncd.conf").write_text(
            f"use chroot = no\nuid = {os.getuid()}\ngid = {os.getgid()}\n[there]\npath = {self.there}\nread only = no\n")

    def command(self):
        return ["rsync", "--daemon", "--no-detach", "--address=127.0.0.1", f"--port={self.port}",
                f"--config={self.folder / 'rsyncd.conf'}"]

    def send(self, file, port, *options):
        """Brings the copy of a file up to date by way of this port; says how many seconds that took."""
        begun = time.monotonic()
        done = subprocess.run(["rsync", "--times", *options, str(file), f"rsync://127.0.0.1:{port}/there/"],
                              capture_output=True, text=True, timeout=SECONDS_MAX)
        took = time.monotonic() - begun
        if done.returncode != 0:
            raise RuntimeError(f"rsync: {done.stderr.strip()}")
        if pathlib.Path(file).stat().st_size != (self.there / pathlib.Path(file).name).stat().st_size:
            raise RuntimeError("rsync left the copy as it was")
        return took
