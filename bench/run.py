#!/usr/bin/env python3
"""Belfry beside its peers, on this machine, in one run. See README.md."""
import argparse
import json
import os
import pathlib
import resource
import shutil
import signal
import sys
import tempfile

import report
from sections import fanout, footprint, ingest, latency, notifications, runs
from sections.common import Bench, say

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ("bench_load", "bench_fanout", "bench_latency", "bench_notifications")

SECTIONS = {
    "a": lambda bench: ingest.run(bench, "a", batch=1),
    "b": lambda bench: ingest.run(bench, "b", batch=100),
    "c": lambda bench: fanout.run(bench, "c"),
    "d": lambda bench: latency.run(bench, "d"),
    "e": lambda bench: footprint.run(bench, "e"),
    "f": lambda bench: notifications.run(bench, "f"),
    "g": lambda bench: runs.run(bench, "g"),
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="a,b,c,d,e,f,g", help="sections, for example a,c")
    parser.add_argument("--rounds", type=int, help="how often each is measured (3; quick: 1)")
    parser.add_argument("--seconds", type=float, help="how long each measurement lasts (5; quick: 1)")
    parser.add_argument("--quick", action="store_true", help="a short run, to see that everything works")
    parser.add_argument("--ids", action="store_true", help="one more row in a and b: events that name their own id")
    parser.add_argument("--peers-only", action="store_true", help="measure the peers without Belfry")
    parser.add_argument("--belfry", help="the binary (otherwise $BELFRY, build/belfry, build-bench/belfry)")
    parser.add_argument("--programs", default=str(ROOT / "build-bench"), help="the folder of the bench programs")
    parser.add_argument("--folder", default="/var/tmp", help="a folder on the disk to measure")
    parser.add_argument("--patience", type=float, default=5, help="seconds to wait each time for a quiet machine (5)")
    parser.add_argument("--attempts", type=int, default=1, help="repeat a measurement that others disturbed (1)")
    parser.add_argument("--out", help="write all figures as JSON to this file")
    return parser.parse_args()


def find_belfry(given):
    places = [given] if given else [os.environ.get("BELFRY"), ROOT / "build/belfry", ROOT / "build-bench/belfry"]
    for place in places:
        if place and os.access(place, os.X_OK):
            return pathlib.Path(place).resolve()
    sys.exit(f"bench: no belfry at {', '.join(str(place) for place in places if place)}; see bench/README.md")


def check(options, sections):
    unknown = set(sections) - set(SECTIONS)
    if unknown:
        sys.exit(f"bench: no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    for name in PROGRAMS:
        if not os.access(pathlib.Path(options.programs) / name, os.X_OK):
            sys.exit(f"bench: {name} is not in {options.programs}; see bench/README.md")
    if report.file_system(options.folder) in ("tmpfs", "ramfs"):
        sys.exit(f"bench: {options.folder} is in memory, where fsync means nothing; name a folder on a disk (--folder)")
    if os.getloadavg()[0] > 0.5:
        say(f"bench: the machine is busy (load {os.getloadavg()[0]:.1f}): take the figures for noise")


def main():
    options = arguments()
    sections = options.only.split(",")
    check(options, sections)
    # A readers' thousand and its servers need descriptors; children inherit the limit.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    # A plain end by signal would skip the `with` blocks that stop the servers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

    folder = pathlib.Path(tempfile.mkdtemp(prefix="belfry-bench-", dir=options.folder))
    folder.chmod(0o755)
    bench = Bench(programs=pathlib.Path(options.programs).resolve(),
                  belfry=None if options.peers_only else find_belfry(options.belfry), folder=folder,
                  rounds=options.rounds or (1 if options.quick else 3),
                  seconds=options.seconds or (1 if options.quick else 5), warm=0.3 if options.quick else 1,
                  quick=options.quick, ids=options.ids, patience=options.patience,
                  attempts=options.attempts)
    machine = report.machine(folder)
    rows, results = [], {}
    try:
        for section in sections:
            more, results[section] = SECTIONS[section](bench)
            rows += more
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        print_table(machine, bench, rows)
        if options.out:
            settings = {"rounds": bench.rounds, "seconds": bench.seconds, "warm": bench.warm, "quick": bench.quick}
            found = report.as_json(machine, settings, rows, results)
            pathlib.Path(options.out).write_text(json.dumps(found, indent=1) + "\n")


def print_table(machine, bench, rows):
    print(f"{machine['cpu']}, {machine['cores']} cores, Linux {machine['kernel']}, {machine['file_system']}; medians of "
          f"{bench.rounds} interleaved rounds of {bench.seconds:g} s; load before: {machine['load_before']:.1f}\n")
    print(report.markdown(rows))


if __name__ == "__main__":
    main()
