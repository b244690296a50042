"""(g): runs: events into one and into a thousand of them, one run to many readers, the memory of ten thousand open streams,
and what one reader that takes nothing costs a hundred others."""
import http.client
import json
import subprocess
import time

from servers.belfry import Belfry
from servers.nchan import Nchan

from .common import Row, say
from .footprint import QUIET_SECONDS, resident_kb

PRODUCERS = 64
BATCH = 100
MANY = 1000
STREAMS = 10_000
READERS = 1000
CROWD = 100
RATE = 200  # publications a second for the crowd


class BelfryWithRuns(Belfry):
    """With so many runs under way: 1, 2, 3 …"""

    def __init__(self, parent, binary, runs):
        super().__init__(parent, binary)
        self.runs = runs

    def command(self):
        return [*super().command(), "--run-capacity", "100000"]

    def __enter__(self):
        entered = super().__enter__()
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Authorization": f"Bearer {self.token()}", "Content-Type": "application/json"}
        for number in range(1, self.runs + 1):
            link.request("POST", "/v1/runs", body="{}", headers=headers)
            answer = link.getresponse()
            run = json.loads(answer.read())
            if answer.status != 201 or run["id"] != number or run["state"] != "running":
                raise RuntimeError(f"belfry made another run than {number}: {run}")
        link.close()
        return entered

    def count(self):
        """All events of all runs, but for the word that each began with."""
        total = 0
        after = 0
        while True:
            status, body = self.get(f"/v1/runs?limit=1000&after={after}" if after else "/v1/runs?limit=1000")
            if status != 200:
                raise RuntimeError(f"belfry: {status} {body}")
            page = json.loads(body)
            total += sum(run["events"] - 1 for run in page["data"])
            if not page["has_more"]:
                return total
            after = page["next"]


def measure_load(bench, runs, batch):
    with BelfryWithRuns(bench.folder, bench.belfry, runs) as server:
        found = bench.run(server, "bench_load", *server.program_arguments(), "--connections", PRODUCERS, "--batch", batch,
                          "--seconds", bench.seconds, "--warm", bench.warm, "--runs", runs)
        found["stored"] = server.count()
    if found["stored"] != found["events_total"]:
        raise RuntimeError(f"belfry acknowledged {found['events_total']} events of runs and holds {found['stored']}")
    return found


def measure_fanout(bench, server, at_once, *extra):
    with server:
        return bench.run(server, "bench_fanout", *server.program_arguments(), "--at-once", at_once,
                         "--seconds", bench.seconds, "--warm", bench.warm, *extra)


def measure_memory(bench):
    """So many readers, each of a run of its own."""
    streams = STREAMS // 10 if bench.quick else STREAMS
    with BelfryWithRuns(bench.folder, bench.belfry, streams) as server:
        time.sleep(QUIET_SECONDS)
        found = {"streams": streams, "runs_kb": resident_kb(server.process.pid)}
        program = subprocess.Popen([str(bench.programs / "bench_fanout"), *server.program_arguments(), "--readers",
                                    str(streams), "--runs", str(streams), "--hold", "1"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            if program.stdout.readline() != "open\n":
                raise RuntimeError("the readers were not let in")
            time.sleep(QUIET_SECONDS)
            found["open_kb"] = resident_kb(server.process.pid)
        finally:
            program.stdin.close()
            program.stdout.close()
            program.wait(60)
    return found


def run(bench, section):
    if not bench.belfry:
        return [], {}
    results, rows = {}, []

    def alone(what, unit, values, **goal):
        rows.append(Row(section, what, unit, "", [], values, Belfry.reply_means, **goal))

    for runs in (1, MANY):
        for batch in (1, BATCH):
            founds = results[f"load-{runs}-{batch}"] = []
            for number in range(bench.rounds):
                founds.append(bench.undisturbed(lambda: measure_load(bench, runs, batch)))
                say(f"({section}) round {number + 1}: {runs:,} runs, batches of {batch}: "
                    f"{founds[-1]['events_per_s']:,.0f} events/s, p99 {founds[-1]['p99_us'] / 1000:.2f} ms")
            alone(f"events into {runs:,} run{'s' if runs > 1 else ''}, {batch} a request", "events/s",
                  [found["events_per_s"] for found in founds])

    pairs = results["fanout"] = {"belfry": [], "nchan": []}
    for number in range(bench.rounds):
        for name, server, extra in (("belfry", BelfryWithRuns(bench.folder, bench.belfry, 1), ["--runs", 1]),
                                    ("nchan", Nchan(bench.folder), [])):
            found = bench.undisturbed(lambda: measure_fanout(bench, server, 1, "--readers", READERS, *extra))
            pairs[name].append(found)
            say(f"({section}) round {number + 1}: {name}, one run to {READERS:,} readers: "
                f"{found['deliveries_per_s']:,.0f} deliveries/s")
    rows.append(Row(section, f"one run to {READERS:,} readers", "deliveries/s", f"{Nchan.label} ({Nchan.reply_means})",
                    [found["deliveries_per_s"] for found in pairs["nchan"]],
                    [found["deliveries_per_s"] for found in pairs["belfry"]], Belfry.reply_means, least=1.0))

    crowd = results["slow"] = {"without": [], "with": []}
    for number in range(bench.rounds):
        for kind, stalled in (("without", 0), ("with", 1)):
            server = BelfryWithRuns(bench.folder, bench.belfry, 1)
            found = bench.undisturbed(lambda: measure_fanout(bench, server, 10, "--readers", CROWD, "--runs", 1, "--rate",
                                                             RATE, "--bytes", 1000, "--stalled", stalled))
            crowd[kind].append(found)
            say(f"({section}) round {number + 1}: {CROWD} readers {kind} a stalled one: p99 "
                f"{found['complete_p99_us'] / 1000:.2f} ms")
    rows.append(Row(section, f"p99 to {CROWD} readers beside one that takes nothing", "ms", "the same without it",
                    [found["complete_p99_us"] / 1000 for found in crowd["without"]],
                    [found["complete_p99_us"] / 1000 for found in crowd["with"]], "", most=1.2))

    memory = results["memory"] = measure_memory(bench)
    say(f"({section}) {memory['streams']:,} open streams: {memory['open_kb'] / 1024:.0f} MB, of which runs "
        f"{memory['runs_kb'] / 1024:.0f} MB")
    rows.append(Row(section, f"memory with {memory['streams']:,} open streams, each of its own run", "MB", "", [],
                    [memory["open_kb"] / 1024], "", value_most=200))
    rows.append(Row(section, "… of which are the runs", "MB", "", [], [memory["runs_kb"] / 1024]))
    return rows, results
