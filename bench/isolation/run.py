#!/usr/bin/env python3
"""Do events of runs stay with their run? Starts a daemon and lets bench_isolation look (bench/isolation.cpp).

    bench/isolation/run.py [--belfry build/belfry] [--program build-bench/bench_isolation] [--runs 1000] [--events 10000]
"""
import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from servers.belfry import Belfry  # noqa: E402, the folder must be known first


class BelfryForRuns(Belfry):
    """With room for all runs and for all that is written into one: what is trimmed away could not be checked."""

    def __init__(self, parent, binary, runs, events):
        super().__init__(parent, binary)
        self.room = ["--run-capacity", str(runs), "--run-events-kept", str(events + 10)]

    def command(self):
        return [*super().command(), *self.room]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--belfry", default=os.environ.get("BELFRY") or str(ROOT / "build/belfry"))
    parser.add_argument("--program", default=str(ROOT / "build-bench/bench_isolation"))
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--events", type=int, default=10000, help="in each run")
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--readers", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", default="/var/tmp", help="where the daemon keeps its store")
    options = parser.parse_args()
    with BelfryForRuns(pathlib.Path(options.folder), pathlib.Path(options.belfry).resolve(), options.runs,
                       options.events) as server:
        words = [options.program, "--port", str(server.port), "--token", server.token()]
        for name in ("runs", "events", "writers", "readers", "seed"):
            words += [f"--{name}", str(getattr(options, name))]
        done = subprocess.run(words, check=False)
        alive = server.process.poll() is None
    if not alive:
        print("the daemon ended", file=sys.stderr)
    return 0 if done.returncode == 0 and alive else 1


if __name__ == "__main__":
    sys.exit(main())
