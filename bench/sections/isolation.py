"""(j): do events of runs stay with their run? A proof more than a figure: the program ends with the first that does not."""
import pathlib
import sys

from .common import Row, say

PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "isolation/run.py"
RUNS = 1000
EVENTS_EACH = 10_000


def measure(bench):
    each = EVENTS_EACH // 100 if bench.quick else EVENTS_EACH
    found = bench.run_alone(sys.executable, PROGRAM, "--belfry", bench.belfry, "--program",
                            bench.programs / "bench_isolation", "--folder", bench.folder, "--runs", RUNS, "--events", each)
    return {**found, **found["lines"][0]}


def run(bench, section):
    if not bench.belfry:
        return [], {}
    found = measure(bench)  # once: who is beside it changes how long it takes, not what it shows
    say(f"({section}) {found['events']:,} events into {found['runs']:,} runs, {found['visits']:,} visits of readers: "
        f"{found['seconds']:.0f} s, each with its run")
    whole = f"{found['events']:,} events into {found['runs']:,} runs at once, read meanwhile"
    # A wrong one would have ended the program, and with it the section.
    return [Row(section, f"{whole}: in a wrong stream, missing, twice or out of order", "events", "", [], [0], "",
                value_most=0),
            Row(section, f"{whole}: written and read", "events/s", "", [], [found["events"] / found["seconds"]])], {
                "isolation": found}
