"""(n): what an agent's memory costs with 10,000 and with 1,000,000 messages."""
import pathlib
import sys

from .common import Row, say

PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "memory/run.py"
FEW, MANY = 10_000, 1_000_000
ROUNDS = 5  # short beside the filling, so always five
STEPS = {"append": ("a message added", 1.2), "assemble": ("what an agent is told put together", 1.2),
         "recall": ("one fact looked for", None)}


def measure(bench):
    few, many = (FEW // 10, MANY // 100) if bench.quick else (FEW, MANY)
    found = bench.run_alone(sys.executable, PROGRAM, "--belfry", bench.belfry, "--folder", bench.folder, "--few", few,
                            "--many", many, "--rounds", ROUNDS)
    return {**found, "few": few, "many": many}


def run(bench, section):
    if not bench.belfry:
        return [], {}
    found = bench.undisturbed(lambda: measure(bench))
    rows = []
    for step, (what, most) in STEPS.items():
        few, many = ([line["us_each"] for line in found["lines"] if (line["what"], line["messages"]) == (step, size)]
                     for size in (found["few"], found["many"]))
        rows.append(Row(section, f"{what}, memory of {found['many']:,} messages", "us",
                        f"a memory of {found['few']:,}", few, many, "", most=most))
        say(f"({section}) {what}: {min(few):.0f} us at best among {found['few']:,}, {min(many):.0f} us among {found['many']:,}")
    return rows, {"memory": found}
