"""(l): templates beside Debian's Jinja2, the same ones over the same data."""
import pathlib

from .common import Row, say

HERE = pathlib.Path(__file__).resolve().parent.parent / "text"
PYTHON = "/usr/bin/python3"  # the one that Debian's package of Jinja2 is for
LEAST = 20.0


def per_second(founds):
    found = {}
    for line in (line for one in founds for line in one["lines"]):
        found.setdefault(line["document"], []).append(1 / line["seconds"])
    return found


def run(bench, section):
    if not bench.belfry:
        return [], {}
    ours, theirs = [], []
    for number in range(bench.rounds):
        theirs.append(bench.undisturbed(lambda: bench.run_alone(PYTHON, HERE / "peer.py", HERE / "templates.json")))
        ours.append(bench.undisturbed(
            lambda: bench.run_alone(bench.programs / "bench_text", "templates", HERE / "templates.json")))
        say(f"({section}) round {number + 1}: {len(ours[-1]['lines'])} templates")
    peer = per_second(theirs)
    return [Row(section, f"template: {name}", "renderings/s", "Jinja2, compiled", peer[name], values, "", least=LEAST)
            for name, values in per_second(ours).items()], {"ours": ours, "jinja2": theirs}
