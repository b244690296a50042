#!/usr/bin/env python3
"""Belfry beside its peers and its goals, on this machine, in one run. See README.md."""
import argparse
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import page
import plots
import report
import results
from sections import (fanout, footprint, ingest, isolation, latency, ledger, memory, notifications, runs, sync, templates,
                      tokens, toon, words)
from sections.common import Bench, say

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ("bench_load", "bench_fanout", "bench_latency", "bench_notifications", "bench_ledger", "bench_isolation",
            "bench_text", "notification_corpus")
WITHOUT_PROGRAMS = set("ino")  # sections that need nothing but Belfry and its peers

SECTIONS = {
    "a": lambda bench: ingest.run(bench, "a", batch=1),
    "b": lambda bench: ingest.run(bench, "b", batch=100),
    "c": lambda bench: fanout.run(bench, "c"),
    "d": lambda bench: latency.run(bench, "d"),
    "e": lambda bench: footprint.run(bench, "e"),
    "f": lambda bench: notifications.run(bench, "f"),
    "g": lambda bench: runs.run(bench, "g"),
    "h": lambda bench: ledger.run(bench, "h"),
    "i": lambda bench: words.run(bench, "i"),
    "j": lambda bench: isolation.run(bench, "j"),
    "k": lambda bench: toon.run(bench, "k"),
    "l": lambda bench: templates.run(bench, "l"),
    "m": lambda bench: tokens.run(bench, "m"),
    "n": lambda bench: memory.run(bench, "n"),
    "o": lambda bench: sync.run(bench, "o"),
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, for example a,c")
    parser.add_argument("--rounds", type=int, help="how often each is measured (3; quick: 1)")
    parser.add_argument("--seconds", type=float, help="how long each measurement lasts (3; quick: 1)")
    parser.add_argument("--quick", action="store_true", help="a short run, to see that everything works")
    parser.add_argument("--peers-only", action="store_true", help="measure the peers without Belfry")
    parser.add_argument("--belfry", help="the binary (otherwise build/belfry)")
    parser.add_argument("--programs", default=str(ROOT / "build-bench"), help="the folder of the bench programs")
    parser.add_argument("--folder", default="/var/tmp", help="a folder on the disk to measure")
    parser.add_argument("--patience", type=float, default=5, help="seconds to wait each time for a quiet machine (5)")
    parser.add_argument("--attempts", type=int, default=1, help="repeat a measurement that others disturbed (1)")
    parser.add_argument("--out", help="write all that the programs said as JSON to this file")
    parser.add_argument("--page", action="store_true",
                        help="put the rows into performance.json and make performance.md and its plots anew")
    parser.add_argument("--render", action="store_true", help="make the page anew from performance.json, measure nothing")
    parser.add_argument("--docs", default=str(ROOT / "docs"), help="the folder of performance.md and performance.json")
    options = parser.parse_args()
    if options.page and (options.quick or options.peers_only):
        parser.error("--page wants figures that mean something: neither --quick nor --peers-only")
    return options


def find_belfry(given):
    place = pathlib.Path(given or ROOT / "build/belfry")
    if not os.access(place, os.X_OK):
        sys.exit(f"bench: no belfry at {place}; see bench/README.md")
    return place.resolve()


def check(options, sections):
    unknown = set(sections) - set(SECTIONS)
    if unknown:
        sys.exit(f"bench: no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    for name in PROGRAMS if set(sections) - WITHOUT_PROGRAMS else ():
        if not os.access(pathlib.Path(options.programs) / name, os.X_OK):
            sys.exit(f"bench: {name} is not in {options.programs}; see bench/README.md")
    if report.file_system(options.folder) in ("tmpfs", "ramfs"):
        sys.exit(f"bench: {options.folder} is in memory, where fsync means nothing; name a folder on a disk (--folder)")
    if os.getloadavg()[0] > 0.5:
        say(f"bench: the machine is busy (load {os.getloadavg()[0]:.1f}): take the figures for noise")


def main():
    options = arguments()
    docs = pathlib.Path(options.docs)
    if options.render:
        return render(docs, results.load(docs / "performance.json"))
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
                  seconds=options.seconds or (1 if options.quick else 3), warm=0.3 if options.quick else 1,
                  quick=options.quick, patience=options.patience, attempts=options.attempts)
    how = "one round" if bench.rounds == 1 else f"medians of {bench.rounds} interleaved rounds"
    run = report.run_record(folder, bench.belfry, f"{how} of {bench.seconds:g} s")
    measured, said = {}, {}
    try:
        failed = measure(bench, sections, measured, said)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        kept = results.merged(results.nothing(), run, measured)
        print("\n\n".join([report.machines(kept), report.measured(kept, measured), report.markdown(results.rows_of(kept))]))
        if options.out:
            pathlib.Path(options.out).write_text(json.dumps({**kept, "said": said}, indent=1) + "\n")
        if options.page:
            render(docs, results.merged(results.load(docs / "performance.json"), run, measured))
    return 1 if failed else 0


def measure(bench, sections, measured, said):
    """Section by section, into `measured` and `said`. One that fails is told of and does not keep the others from theirs."""
    failed = []
    for section in sections:
        begin = time.monotonic()
        try:
            rows, said[section] = SECTIONS[section](bench)
        except (RuntimeError, OSError, subprocess.SubprocessError) as error:
            say(f"({section}) FAILED, and is left as it was: {error}")
            failed.append(section)
            continue
        measured[section] = {"seconds": round(time.monotonic() - begin), "other_cores": others(said[section]),
                             **({"series": said[section]["series"]} if "series" in said[section] else {}),
                             "rows": [row.as_json() for row in rows]}
        say(f"({section}) took {measured[section]['seconds']} s")
    return failed


def others(found):
    """The most that others used of the machine during a measurement of these; None where that was not looked at."""
    if isinstance(found, dict):
        inner = [others(one) for one in found.values()] + [found.get("other_cores")]
    else:
        inner = [others(one) for one in found] if isinstance(found, list) else []
    return max((one for one in inner if one is not None), default=None)


def render(docs, kept):
    """The JSON, the page and the plots, in this order: what was measured is safe before anything can go wrong."""
    results.save(docs / "performance.json", kept)
    plots.draw(docs / "plots", kept)
    text = docs / "performance.md"
    try:
        text.write_text(page.rendered(text.read_text(), kept))
    except page.PageError as error:
        sys.exit(f"bench: {text}: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
