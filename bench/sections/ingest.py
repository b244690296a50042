"""(a) and (b): durable intake from 64 producers, one event at a time and in batches of 100."""
from servers.belfry import Belfry
from servers.nats import Nats
from servers.postgres import Postgres
from servers.redis import Redis

from .common import Row, say

PRODUCERS = 64


def contestants(bench):
    """(key, server, extra arguments of the load program), in the order of one round."""
    ours = []
    if bench.belfry:
        ours.append(("belfry", Belfry(bench.folder, bench.belfry), []))
    peers = [Redis(bench.folder, "always"), Nats(bench.folder), Postgres(bench.folder), Redis(bench.folder, "everysec")]
    all_of_them = ours + [(peer.name, peer, []) for peer in peers]
    if bench.belfry:
        all_of_them.append(("belfry-ids", Belfry(bench.folder, bench.belfry), ["--ids", 1]))
    return all_of_them


def measure(bench, server, batch, extra):
    """One measurement on a fresh server that is alone on the machine, with the server's own count as the witness."""
    with server:
        before = server.count()
        found = bench.run(server, "bench_load", *server.program_arguments(), "--connections", PRODUCERS,
                          "--batch", batch, "--seconds", bench.seconds, "--warm", bench.warm, *extra)
        found["stored"] = server.count() - before
    if found["stored"] != found["events_total"]:
        raise RuntimeError(f"{server.name} acknowledged {found['events_total']} events and holds {found['stored']}")
    return found


def run(bench, section, batch):
    results = {}
    labels = {}
    for number in range(bench.rounds):
        for key, server, extra in contestants(bench):
            found = bench.undisturbed(lambda: measure(bench, server, batch, extra))
            results.setdefault(key, []).append(found)
            labels[key] = f"{server.label} ({server.reply_means})"
            say(f"({section}) round {number + 1}: {key}: {found['events_per_s']:,.0f} events/s, "
                f"p50 {found['p50_us'] / 1000:.2f} ms, p99 {found['p99_us'] / 1000:.2f} ms")
    return rows(section, batch, results, labels), results


def rows(section, batch, results, labels):
    speeds = {key: [found["events_per_s"] for found in founds] for key, founds in results.items()}
    what = "one event at a time" if batch == 1 else f"batches of {batch}"
    ours = {"belfry_values": speeds.get("belfry", []), "belfry_says": Belfry.reply_means}
    table = [Row(section, what, "events/s", labels[key], speeds[key], least=least, **ours)
             for key, least in (("redis-always", 1.25), ("nats", 2.0), ("postgres", None), ("redis-everysec", None))]
    if "belfry-ids" in speeds:
        table.append(Row(section, f"{what}, each with its own id", "events/s", labels["redis-always"],
                         speeds["redis-always"], speeds["belfry-ids"], Belfry.reply_means + ", repeats looked for"))
    return table
