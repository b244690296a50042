"""(h): what a step of the delivery costs with 1,000 and with 1,000,000 notifications in the ledger."""
from .common import Row, say

FEW, MANY = 1000, 1_000_000
ROUNDS = 5  # short beside the filling of the ledgers, so always five
STEPS = {"emit": ("an emit", 1.2), "ack": ("an acknowledgement", 1.2),
         "sweep": ("the watchdog's sweep, for each row that is due", 1.2),
         "look": ("the watchdog's look when nothing is due", None)}


def measure(bench):
    many = MANY // 10 if bench.quick else MANY
    found = bench.run_alone(bench.programs / "bench_ledger", "--folder", bench.folder, "--few", FEW, "--many", many,
                            "--rounds", ROUNDS)
    return {**found, "many": many}


def run(bench, section):
    if not bench.belfry:
        return [], {}
    found = bench.undisturbed(lambda: measure(bench))
    rows = []
    for step, (what, most) in STEPS.items():
        few, many = ([line["us_each"] for line in found["lines"] if (line["what"], line["rows"]) == (step, size)]
                     for size in (FEW, found["many"]))
        rows.append(Row(section, f"{what}, ledger of {found['many']:,}", "us",
                        f"a ledger of {FEW:,}", few, many, "", most=most))
        say(f"({section}) {what}: {min(few):.1f} us at best among {FEW:,}, {min(many):.1f} us among {found['many']:,}")
    return rows, {"ledger": found}
