#!/usr/bin/env python3
"""Counts the instructions of the hottest paths with callgrind and compares them with bench/instructions/counts.json.

    bench/instructions/run.py             compare; exit code 1 if a path grew by more than 5 %
    bench/instructions/run.py --write     count twice, write counts.json and docs/instructions.md
    bench/instructions/run.py --page      write docs/instructions.md from counts.json, without counting

Nothing is built: `cmake --preset bench && cmake --build --preset bench --target bench_instructions`.
"""
import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import counts

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "bench" / "instructions" / "counts.json"
PAGE = ROOT / "docs" / "instructions.md"


def count(program, folder):
    """Counts every path once. The environment is empty, so that nothing of it moves a count."""
    command = ["valgrind", "--tool=callgrind", "--dump-instr=no", "--dump-line=no", f"--callgrind-out-file={folder}/counts",
               program, "--folder", f"{folder}/data"]
    done = subprocess.run(command, capture_output=True, text=True, env={"PATH": os.environ["PATH"], "LC_ALL": "C"})
    if done.returncode != 0:
        raise counts.CountError(f"the program ended with {done.returncode}: {done.stderr[-2000:]}")
    ran = [json.loads(line) for line in done.stdout.splitlines()]
    dumps = [path.read_text() for path in sorted(folder.glob("counts.*"))]
    if not dumps:
        raise counts.CountError("callgrind was not asked to count: install valgrind, then build the program")
    return counts.per_operation(dumps, {one["path"]: one["operations"] for one in ran})


def count_in(program, kept, prefix="belfry-counts-"):
    with tempfile.TemporaryDirectory(prefix=prefix) as name:
        folder = pathlib.Path(name)
        found = count(program, folder)
        if kept:
            shutil.rmtree(folder / "data")
            shutil.copytree(folder, kept, dirs_exist_ok=True)
        return found


def how_built(program):
    """Compiler and flags, as the program's build folder names them, processor and C library."""
    cache = (program.parent / "CMakeCache.txt").read_text()
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", cache, re.MULTILINE)[1]
    flags = re.search(r"^CMAKE_CXX_FLAGS_RELEASE:\w+=(.*)$", cache, re.MULTILINE)[1]
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    cpu = re.search(r"^model name\s*: (.+)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    machine = f"{cpu[1] if cpu else platform.machine()}, {' '.join(platform.libc_ver())}"
    return {"compiler": version, "flags": flags, "machine": machine}


def commit():
    def git(*words):
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    return git("rev-parse", "--short=8", "HEAD") + (" with changes" if git("status", "--porcelain", "--", "src") else "")


def write(program, kept):
    # The same folder gives exactly the same counts; a longer name moves memory, as small changes of the program do.
    found, again = count_in(program, kept), count_in(program, kept, prefix="belfry-counts-again-" + "n" * 40)
    repeat = counts.largest_difference(found, again)
    if repeat > counts.REPEAT_MAX:
        raise counts.CountError(f"two runs differ by {repeat:.2%}")
    table = {"commit": commit(), **how_built(program), "repeat": round(repeat, 6), "paths": found}
    TABLE.write_text(json.dumps(table, indent=1) + "\n")
    PAGE.write_text(counts.page(table))
    print(f"{len(found)} paths written; two runs differ by at most {repeat:.4%}")


def compare(program, kept):
    table = json.loads(TABLE.read_text())
    built = how_built(program)
    found = count_in(program, kept)
    for what, now in built.items():
        if now != table[what]:
            print(f"note: {what} is {now}; the table was counted with {table[what]}")
    lines, failed = counts.compare(table["paths"], found)
    print("\n".join(lines))
    if failed:
        sys.exit(f"{len(failed)} of {len(lines)} paths failed: {', '.join(failed)}")
    print(f"{len(lines)} passed: no path grew by more than {counts.GROWTH_MAX:.0%}")


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build-bench" / "bench_instructions", help="the built program")
    parser.add_argument("--write", action="store_true", help="count twice and write table and page")
    parser.add_argument("--page", action="store_true", help="write the page from the table")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="keep callgrind's files there")
    options = parser.parse_args()
    try:
        if options.page:
            PAGE.write_text(counts.page(json.loads(TABLE.read_text())))
        elif options.write:
            write(options.program, options.keep)
        else:
            compare(options.program, options.keep)
    except (counts.CountError, OSError) as error:
        sys.exit(f"bench/instructions: {error}")


if __name__ == "__main__":
    main()
