#!/usr/bin/env python3
"""An hour at half of the load that the machine bears: is memory flat, are descriptors, is latency, and is anything lost?

    bench/soak/run.py [--belfry build/belfry] [--minutes 60] [--events 30000] [--plot docs/soak.svg] [--out soak.json]

Everybody takes part at once (actors.py). Every ten seconds the daemon is looked at from outside. At the end all that was
promised is compared with what is there; the exit code is 1 where something was lost, doubled, or grew.
"""
import argparse
import collections
import json
import os
import pathlib
import statistics
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

import soak.actors as actors  # noqa: E402, the folder must be known first
import soak.plot as plot  # noqa: E402
from servers.belfry import Belfry  # noqa: E402

LOOK_SECONDS = 10
SESSIONS = 40
DRAIN_SECONDS_MAX = 120
# What may differ between the second quarter and the last: a heap breathes, a page cache of SQLite fills.
MEMORY_GROWTH_MAX = 1.15
LATENCY_GROWTH_MAX = 1.5


class Kept(Belfry):
    """With a small ration of events, so that retention works all the time."""

    def command(self):
        return [*super().command(), "--keep-events-bytes", "1GiB", "--keep-runs", "5m", "--owner", "ada"]


class Soak:
    def __init__(self, server, options):
        self.server, self.user = server, "ada"
        self.sessions = [f"soak-{number}" for number in range(SESSIONS)]
        self.samples = collections.defaultdict(list)
        self.stopping, self.ended, self.failures = threading.Event(), threading.Event(), []
        call = actors.Call(server)
        for session in self.sessions:
            call.ask("PUT", "/v1/sessions/" + session, {"user_id": self.user})
        self.producers = [actors.Producer(self, f"p{number}", options.events / 2) for number in range(2)]
        self.agents = [actors.Agent(self, 20)]
        self.notifier, self.person = actors.Notifier(self, 20), actors.Person(self)
        self.runs, self.speaker, self.probe = actors.Runs(self, 2), actors.Speaker(self, 5), actors.Probe(self, 10)

    def everybody(self):
        return [*self.producers, *self.agents, self.notifier, self.runs, self.speaker, self.probe]

    def fail(self, who, error):
        self.failures.append(f"{type(who).__name__}: {error}")
        self.stopping.set()

    def look(self):
        """The daemon from outside, and how long everybody waited since the last look."""
        proc = pathlib.Path(f"/proc/{self.server.process.pid}")
        status = dict(line.split(":\t", 1) for line in (proc / "status").read_text().splitlines())
        seen = {"rss_mb": int(status["VmRSS"].split()[0]) / 1024, "descriptors": len(os.listdir(proc / "fd")),
                "threads": int(status["Threads"]),
                "store_mb": sum(one.stat().st_size for one in self.server.data.glob("*.db*")) / 2**20,
                "events": sum(one.taken for one in self.producers)}
        for name in list(self.samples):
            waits, self.samples[name] = sorted(self.samples[name]), []
            if waits:
                seen[f"{name}, p50 ms"] = waits[len(waits) // 2] * 1000
                seen[f"{name}, p99 ms"] = waits[min(len(waits) - 1, len(waits) * 99 // 100)] * 1000
        return seen

    def run(self, seconds):
        begin, looks = time.monotonic(), []
        self.person.start()
        for one in self.everybody():
            one.start()
        while not self.stopping.wait(LOOK_SECONDS):
            looks.append({"second": round(time.monotonic() - begin), **self.look()})
            print(json.dumps({name: round(value, 2) for name, value in looks[-1].items()}), flush=True)
            if time.monotonic() - begin > seconds:
                self.stopping.set()
        for one in self.everybody():
            one.join(60)
        return looks

    def lost(self):
        """What was promised and is not there. Everybody has stopped but the person, and one more agent clears up."""
        found = list(self.failures)
        taken = sum(one.taken for one in self.producers) + self.probe.taken
        begin, agent = time.monotonic(), actors.Agent(self, 1)
        waiting = self.waiting()
        while waiting and time.monotonic() - begin < DRAIN_SECONDS_MAX and not self.failures:
            for number in range(SESSIONS):
                agent.once(number)
            waiting = self.waiting()
        words = sum((one.words for one in [*self.agents, agent]), collections.Counter())
        missing, twice = set(self.speaker.sent) - set(words), [one for one, times in words.items() if times > 1]
        shown = collections.Counter()
        for (one, _, _), times in self.person.shown.items():
            shown[one] += times
        state = {one: self.state(one) for one in self.notifier.sent}
        open_ones = [one for one, what in state.items() if what != "delivered"]
        stored = self.events_stored()
        if stored < taken:
            found.append(f"{taken} events were acknowledged, {stored} are numbered")
        if missing or twice:
            found.append(f"of {len(self.speaker.sent)} words {len(missing)} never reached an agent, {len(twice)} did twice")
        if open_ones:
            found.append(f"of {len(state)} notifications {len(open_ones)} are not delivered, for example {open_ones[0]}")
        if waiting:
            found.append(f"{waiting} notifications are still on their way")
        doubled = [one for one, times in self.person.shown.items() if times > 1]
        if doubled:
            found.append(f"{len(doubled)} were shown twice under one lease and version, for example {doubled[0]}")
        self.counted = {"events": taken, "words": len(self.speaker.sent), "notifications": len(state),
                        "shown": len(shown), "turns": sum(one.done for one in self.agents), "runs": self.runs.done,
                        "run_events": self.runs.read, "handed_over": sum(one.items for one in self.agents)}
        return found

    def waiting(self):
        answer = actors.Call(self.server).ask("GET", "/v1/notifications?open=true&limit=1000")
        return len(answer["data"])

    def state(self, one):
        return actors.Call(self.server).ask("GET", "/v1/notifications/" + one)["state"]

    def events_stored(self):
        return self.server.count()


def quarter(looks, name, which):
    part = looks[len(looks) * which // 4:len(looks) * (which + 1) // 4]
    return statistics.median(look[name] for look in part if name in look)


def grown(looks):
    """What is not flat: the last quarter beside the second, when everything is warm."""
    found = []
    for name in sorted({name for look in looks for name in look} - {"second", "events", "store_mb"}):
        if "p99" in name:
            continue  # a neighbour's moment; it is in the picture
        before, after = quarter(looks, name, 1), quarter(looks, name, 3)
        most = LATENCY_GROWTH_MAX if "ms" in name else MEMORY_GROWTH_MAX
        if after > before * most:
            found.append(f"{name} grew from {before:.1f} to {after:.1f}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--belfry", default=os.environ.get("BELFRY") or str(ROOT / "build/belfry"))
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--events", type=int, default=30000, help="events a second (30000)")
    parser.add_argument("--folder", default="/var/tmp", help="a folder on the disk to use")
    parser.add_argument("--plot", help="write the picture to this file")
    parser.add_argument("--out", help="write all figures as JSON to this file")
    options = parser.parse_args()
    with Kept(pathlib.Path(options.folder), pathlib.Path(options.belfry).resolve()) as server:
        soak = Soak(server, options)
        looks = soak.run(options.minutes * 60)
        found = soak.lost()
        soak.ended.set()
    found += grown(looks) if len(looks) >= 8 else []
    result = {"counted": soak.counted, "late_s": {type(one).__name__: round(one.late, 2) for one in soak.everybody()},
              "found": found}
    print(json.dumps(result, indent=1))
    if options.out:
        pathlib.Path(options.out).write_text(json.dumps({**result, "looks": looks}))
    if options.plot and looks:
        pathlib.Path(options.plot).write_text(plot.picture(looks))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
