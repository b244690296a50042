"""(k): TOON beside the npm package and beside Belfry's own JSON, on the same documents, and from 1 to 64 MB."""
import pathlib
import tempfile

from . import npm
from .common import Row, say

PEER = pathlib.Path(__file__).resolve().parent.parent / "text/peer.mjs"
# What, what our own JSON calls it, and how many times as fast as npm's it should be.
KINDS = (("toon encode", "json write", 20.0), ("toon decode", "json read", 50.0))
OWN_JSON_LEAST = 0.7


def speed(line):
    """MB/s of the document as compact JSON, for everybody, so that all do the same work."""
    return line["json_bytes"] / line["seconds"] / 1e6


def speeds(founds):
    """The speeds of all rounds by what was done to which document."""
    found = {}
    for line in (line for one in founds for line in one["lines"] if "seconds" in line):
        found.setdefault((line["what"], line["document"]), []).append(speed(line))
    return found


def measure(bench, section, packages):
    ours, theirs = [], []
    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        bench.run_alone(bench.programs / "bench_text", "documents", folder)
        for number in range(bench.rounds):  # in turn, so that both see the same machine
            theirs.append(bench.undisturbed(lambda: bench.run_alone("node", PEER, packages, folder, "speed")))
            ours.append(bench.undisturbed(lambda: bench.run_alone(bench.programs / "bench_text", "toon")))
            say(f"({section}) round {number + 1}: {len(ours[-1]['lines'])} figures of TOON and JSON")
    return ours, theirs


def rows(section, ours, theirs):
    made = []
    for what, json_what, least in KINDS:
        for kind, document in ours:
            if kind == what:
                label = f"{what.replace('toon', 'TOON')}, {document}, 1 MB"
                speeds_here = ours[(kind, document)]
                made.append(Row(section, label, "MB/s", f"npm {npm.TOON}", theirs[(what, document)], speeds_here, "",
                                least=least))
                made.append(Row(section, label, "MB/s", f"our own JSON, {json_what.split()[1]}", ours[(json_what, document)],
                                speeds_here, "", least=OWN_JSON_LEAST))
    return made


def run(bench, section):
    if not bench.belfry:
        return [], {}
    ours, theirs = measure(bench, section, npm.folder(bench))
    results = {"ours": ours, "npm": theirs}
    if not bench.quick:
        results["linear"] = bench.undisturbed(lambda: bench.run_alone(bench.programs / "bench_text", "linear"))
        say(f"({section}) linear: up to {max(line['json_bytes'] for line in results['linear']['lines']) / 1e6:.0f} MB")
        results["series"] = series(results["linear"]["lines"])
    return rows(section, speeds(ours), speeds(theirs)), results


def series(lines):
    """The same speed at every size: a table of its own."""
    found = {}
    for line in lines:
        found.setdefault((line["what"], line["document"]), []).append([round(line["json_bytes"] / 1e6), round(speed(line))])
    return [{"what": f"{what.replace('toon', 'TOON')}, {document}", "unit": "MB/s", "at": "MB", "points": points}
            for (what, document), points in found.items()]
