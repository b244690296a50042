"""(e): memory when idle and per reader, and the time to start with a million events in the store."""
import contextlib
import pathlib
import signal
import subprocess
import time

from servers.belfry import Belfry
from servers.nchan import Nchan

from .common import Row, say

READERS = 1000
EVENTS = 1_000_000
QUIET_SECONDS = 2  # what a server still does after the last request is over by then
STARTS = 5


def resident_kb(pid):
    """Resident memory of a process and its children."""
    fields = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(fields["VmRSS"].split()[0]) + sum(map(resident_kb, children))


@contextlib.contextmanager
def idle_readers(bench, server, count):
    """So many readers that are connected and get nothing."""
    program = subprocess.Popen([str(bench.programs / "bench_fanout"), *server.program_arguments(), "--readers",
                                str(count), "--hold", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if program.stdout.readline() != "open\n":
            raise RuntimeError("the readers were not let in")
        yield
    finally:
        program.stdin.close()
        program.stdout.close()
        program.wait(30)


def measure_memory(bench, server):
    with server:
        time.sleep(QUIET_SECONDS)
        found = {"idle_kb": resident_kb(server.process.pid)}
        with idle_readers(bench, server, READERS):
            time.sleep(QUIET_SECONDS)
            found["readers_kb"] = resident_kb(server.process.pid)
    found["per_reader_kb"] = (found["readers_kb"] - found["idle_kb"]) / READERS
    return found


def measure_start(bench):
    """Start-up over a full store: after a clean stop, and after the process was killed."""
    events = EVENTS // 10 if bench.quick else EVENTS
    found = {"events": events, "clean_s": [], "killed_s": []}
    with Belfry(bench.folder, bench.belfry) as server:
        found["empty_s"] = time_of_next_start(server, None)
        filled = bench.run(server, "bench_load", *server.program_arguments(), "--batch", 100, "--events", events)
        if server.count() != events:
            raise RuntimeError(f"belfry acknowledged {filled['events_total']} events and holds {server.count()}")
        found["filled_events_per_s"] = filled["events_per_s"]
        time.sleep(QUIET_SECONDS)
        found["after_load_kb"] = resident_kb(server.process.pid)
        for _ in range(STARTS):
            found["clean_s"].append(time_of_next_start(server, None))
            found["killed_s"].append(time_of_next_start(server, signal.SIGKILL))
            if server.count() != events:
                raise RuntimeError("belfry lost events by being killed")
        time.sleep(QUIET_SECONDS)
        found["full_store_idle_kb"] = resident_kb(server.process.pid)
    return found


def time_of_next_start(server, how):
    server.stop(how)
    return server.start()


def run(bench, section):
    nchan = measure_memory(bench, Nchan(bench.folder))
    say(f"({section}) nchan: {nchan['per_reader_kb']:.1f} KB a reader")
    results = {"nchan": nchan}
    if not bench.belfry:
        return [], results
    ours = results["belfry"] = measure_memory(bench, Belfry(bench.folder, bench.belfry))
    say(f"({section}) belfry: idle {ours['idle_kb'] / 1024:.1f} MB, {ours['per_reader_kb']:.1f} KB a reader")
    start = results["belfry_start"] = measure_start(bench)
    say(f"({section}) belfry: start over {start['events']:,} events: {min(start['clean_s']) * 1000:.0f} ms at best")

    def alone(what, unit, values, **goal):
        return Row(section, what, unit, "", [], values, "", **goal)

    stored = f"{start['events']:,} events in the store"
    return [
        alone("memory, idle, empty store", "MB", [ours["idle_kb"] / 1024], value_most=20),
        alone(f"memory, idle, {stored}", "MB", [start["full_store_idle_kb"] / 1024]),
        alone("memory after taking them in", "MB", [start["after_load_kb"] / 1024]),
        Row(section, f"memory per idle reader ({READERS:,})", "KB", Nchan.label, [nchan["per_reader_kb"]],
            [ours["per_reader_kb"]]),
        alone(f"start until ready, {stored}", "ms", [s * 1000 for s in start["clean_s"]], value_most=100),
        alone("… after kill -9", "ms", [s * 1000 for s in start["killed_s"]]),
        alone("… empty store", "ms", [start["empty_s"] * 1000]),
    ], results
