"""(i): how soon a person's word is received, and reaches its agent, while a run streams beside it."""
import pathlib
import sys

from servers.belfry import Belfry

from .common import Row, say

PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "messages/run.py"
WORDS = 1000
PACE = 2000
GOAL_MS = 100


def measure(bench):
    found = bench.run_alone(sys.executable, PROGRAM, "--belfry", bench.belfry, "--folder", bench.folder, "--messages",
                            WORDS // 10 if bench.quick else WORDS, "--pace", PACE)
    return {**found, **found["lines"][0]}


def run(bench, section):
    if not bench.belfry:
        return [], {}
    founds = []
    for number in range(bench.rounds):
        founds.append(bench.undisturbed(lambda: measure(bench)))
        say(f"({section}) round {number + 1}: receipt p99 {founds[-1]['receipt_p99_ms']} ms, handed over p99 "
            f"{founds[-1]['handed_over_p99_ms']} ms")

    def row(what, name, **goal):
        return Row(section, what, "ms", "", [], [found[name] for found in founds], Belfry.reply_means, **goal)

    return [row(f"a person's word while a run takes {PACE:,} events/s: its receipt, p50", "receipt_p50_ms"),
            row("a person's word: its receipt, p99", "receipt_p99_ms", value_most=GOAL_MS),
            row("a person's word until a pull of the agent has it, p50", "handed_over_p50_ms"),
            row("a person's word until a pull of the agent has it, p99", "handed_over_p99_ms")], {"words": founds}
