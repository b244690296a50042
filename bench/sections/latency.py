"""(d): one durable event from its POST to a reader's socket, as a multiple of this disk's fdatasync."""
from servers.belfry import Belfry

from .common import Row, say

EVENTS = 5000


def measure(bench):
    events = 1000 if bench.quick else EVENTS
    with Belfry(bench.folder, bench.belfry) as server:
        arguments = [word for word in server.program_arguments() if word not in ("--protocol", server.protocol)]
        found = bench.run(server, "bench_latency", *arguments, "--folder", server.folder, "--events", events)
        if server.count() != found["events_total"]:
            raise RuntimeError(f"belfry delivered {found['events_total']} events and holds {server.count()}")
    return found


def run(bench, section):
    if not bench.belfry:
        return [], {}
    results = []
    for number in range(bench.rounds):
        found = bench.undisturbed(lambda: measure(bench))
        results.append(found)
        say(f"({section}) round {number + 1}: p50 {found['delivered_p50_us']:.0f} us, p99 "
            f"{found['delivered_p99_us']:.0f} us; fdatasync p50 {found['append_p50_us']:.0f} us, p99 "
            f"{found['append_p99_us']:.0f} us")
    return [row(section, results, disk, percentile) for disk in ("append", "overwrite") for percentile in (50, 99)], {
        "belfry": results}


def row(section, results, disk, percentile):
    goal = {"most": 4.0} if (disk, percentile) == ("append", 99) else {}
    how = "appended" if disk == "append" else "overwritten"
    return Row(section, f"POST until the reader has it, p{percentile}", "us", f"fdatasync of 4 KB {how}, p{percentile}",
               [found[f"{disk}_p{percentile}_us"] for found in results],
               [found[f"delivered_p{percentile}_us"] for found in results], Belfry.reply_means, **goal)
