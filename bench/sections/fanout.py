"""(c): one stream to 1,000 readers of server-sent events, event by event and in bursts."""
from servers.belfry import Belfry
from servers.nchan import Nchan

from .common import Row, say

READERS = 1000
BURST = 1000
BURST_QUICK = 100


def measure(bench, server, at_once):
    with server:
        return bench.run(server, "bench_fanout", *server.program_arguments(), "--readers", READERS,
                         "--at-once", at_once, "--seconds", bench.seconds, "--warm", bench.warm)


def run(bench, section):
    results = {}
    burst = BURST_QUICK if bench.quick else BURST
    for number in range(bench.rounds):
        for kind, at_once in (("steady", 1), ("burst", burst)):
            servers = [Belfry(bench.folder, bench.belfry)] if bench.belfry else []
            for server in [*servers, Nchan(bench.folder)]:
                found = bench.undisturbed(lambda: measure(bench, server, at_once))
                results.setdefault(f"{server.name}-{kind}", []).append(found)
                say(f"({section}) round {number + 1}: {server.name}, {kind}: {found['deliveries_per_s']:,.0f} "
                    f"deliveries/s, all readers p50 {found['complete_p50_us'] / 1000:.1f} ms")
    speeds = {key: [found["deliveries_per_s"] for found in founds] for key, founds in results.items()}
    peer = f"{Nchan.label} ({Nchan.reply_means})"
    kinds = ((f"{READERS:,} readers, event by event", "steady", 1.2),
             (f"{READERS:,} readers, bursts of {burst:,}", "burst", 10.0))
    return [Row(section, what, "deliveries/s", peer, speeds[f"nchan-{kind}"], speeds.get(f"belfry-{kind}", []),
                Belfry.reply_means, least=least) for what, kind, least in kinds], results
