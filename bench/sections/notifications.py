"""(f): events through match, dedupe, batch, render and commit; and one event until its notification is durable."""
import http.client
import json

from servers.belfry import Belfry

from .common import Row, say

EVENTS = 1_000_000
WORST_EVENTS = 100_000
GOAL_EVENTS_PER_S = 100_000
FEW, MANY = 10, 100_000
LATENCY_EVENTS = 800    # a session's queue holds a thousand, and nobody is to give way
WARM_EVENTS = 100

SUBSCRIBER = """
[subscriber]
id = "builds"
name = "Builds"
description = "Each finished build at once."
version = "1.0.0"
[events]
types = ["bench.build.finished"]
[batching]
window_ms = 0
dedupe_window_ms = 0
[output]
priority = "high"
inject_at = "turn_start"
"""


class Listening(Belfry):
    """With one subscriber that wants every event by itself."""

    def prepare(self):
        super().prepare()
        self.subscribers = self.folder / "subscribers"
        self.subscribers.mkdir()
        (self.subscribers / "builds.toml").write_text(SUBSCRIBER)

    def command(self):
        return [*super().command(), "--subscribers", str(self.subscribers)]

    def pull_all(self):
        """How many events the session's agent is told of, pull by pull."""
        told, last = 0, None
        while True:
            items = self.post("/v1/sessions/session-0000/pull",
                              {"point": "turn_start", **({"acknowledge": last} if last else {})})
            if not items["items"]:
                return told
            last = items["pull_id"]
            told += sum(event["count"] for item in items["items"] for event in item["events"])

    def post(self, target, body):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            link.request("POST", target, json.dumps(body), {"Authorization": f"Bearer {self.token()}",
                                                            "Content-Type": "application/json"})
            answer = link.getresponse()
            text = answer.read().decode()
            if answer.status != 200:
                raise RuntimeError(f"belfry: {answer.status} {text}")
            return json.loads(text)
        finally:
            link.close()


def measure_engine(bench):
    share = 20 if bench.quick else 1
    found = bench.run_alone(bench.programs / "bench_notifications", "--folder", bench.folder, "--events",
                            EVENTS // share, "--worst-events", WORST_EVENTS // share, "--few", FEW, "--many", MANY)
    return {**found, **dict(zip(("few", "many", "worst"), found["lines"]))}


def measure_latency(bench):
    with Listening(bench.folder, bench.belfry) as server:
        arguments = [word for word in server.program_arguments() if word not in ("--protocol", server.protocol)]
        found = bench.run(server, "bench_latency", *arguments, "--folder", server.folder, "--events", LATENCY_EVENTS,
                          "--warm-events", WARM_EVENTS)
        told = server.pull_all()
        if told != found["events_total"]:
            raise RuntimeError(f"{found['events_total']} events were acknowledged and an agent was told of {told}")
    return found


def run(bench, section):
    if not bench.belfry:
        return [], {}
    engine, latency = [], []
    for number in range(bench.rounds):
        found = bench.undisturbed(lambda: measure_engine(bench))
        engine.append(found)
        say(f"({section}) round {number + 1}: {found['few']['events_per_s']:,.0f} events/s with {FEW} subscribers, "
            f"{found['many']['events_per_s']:,.0f} with {MANY:,}; the worst mix {found['worst']['events_per_s']:,.0f}")
        found = bench.undisturbed(lambda: measure_latency(bench))
        latency.append(found)
        say(f"({section}) round {number + 1}: to a durable notification p50 {found['answered_p50_us']:.0f} us, p99 "
            f"{found['answered_p99_us']:.0f} us; fdatasync p99 {found['append_p99_us']:.0f} us")
    return rows(section, engine, latency), {"engine": engine, "latency": latency}


def rows(section, engine, latency):
    durable = Belfry.reply_means
    few = [found["few"]["events_per_s"] for found in engine]
    many = [found["many"]["events_per_s"] for found in engine]
    found = [
        Row(section, f"events to notifications, {FEW} subscribers", "events/s", "", [], few, durable,
            value_least=GOAL_EVENTS_PER_S),
        Row(section, f"… {MANY:,} subscribers", "events/s", f"{FEW} subscribers", few, many, durable, least=0.9),
        Row(section, "… notifications made of them", "notifications/s", "", [],
            [found["few"]["notifications_per_s"] for found in engine], durable),
        Row(section, "… the worst mix: a notification for each", "events/s", "", [],
            [found["worst"]["events_per_s"] for found in engine], durable),
    ]
    for percentile in (50, 99):
        found.append(Row(section, f"POST until its notification is durable, no window, p{percentile}", "us",
                         f"fdatasync of 4 KB appended, p{percentile}",
                         [one[f"append_p{percentile}_us"] for one in latency],
                         [one[f"answered_p{percentile}_us"] for one in latency], durable))
    return found
