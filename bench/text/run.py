#!/usr/bin/python3
"""TOON and templates beside their peers, on this machine, in one run.

    cmake --preset bench && cmake --build --preset bench --target bench_text
    /usr/bin/python3 bench/text/run.py [--out docs/performance-text.md]

Needs node, npm (@toon-format/toon and gpt-tokenizer are installed into build-bench/npm) and python3-jinja2. Takes about two
minutes.
"""
import argparse
import json
import pathlib
import platform
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "bench" / "text"
PACKAGES = ["@toon-format/toon@4.4.0", "gpt-tokenizer@3"]


def lines(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("%s failed:\n%s" % (" ".join(map(str, command)), done.stderr))
    return [json.loads(line) for line in done.stdout.splitlines()]


def table(head, rows):
    return "\n".join(["| %s |" % " | ".join(head), "|%s" % ("---|" * len(head))] + ["| %s |" % " | ".join(map(str, row)) for row in rows])


def speed(row):
    return row["json_bytes"] / row["seconds"] / 1e6


def by_key(rows, into):
    """Keeps the fastest figure of each: what disturbs a measurement only ever makes it slower."""
    for row in rows:
        key = (row["what"], row.get("document"))
        if "seconds" in row and (key not in into or row["seconds"] < into[key]["seconds"]):
            into[key] = row


def toon_section(ours, theirs):
    rows = []
    for what, json_what in (("toon encode", "json write"), ("toon decode", "json read")):
        for (kind, document), row in ours.items():
            if kind != what:
                continue
            peer, own = theirs[(what, document)], ours[(json_what, document)]
            rows.append([what, document, "%.0f" % speed(row), "%.1f" % speed(peer), "**%.0f ×**" % (peer["seconds"] / row["seconds"]),
                         "%.0f" % speed(own), "%.2f ×" % (own["seconds"] / row["seconds"])])
    return table(["", "document, 1 MB of JSON", "Belfry MB/s", "npm MB/s", "ratio", "own JSON MB/s", "ratio"], rows)


def linear_section(rows):
    out = {}
    for row in rows:
        out.setdefault((row["what"], row["document"]), []).append(row)
    sizes = [round(row["json_bytes"] / 1e6) for row in next(iter(out.values()))]
    body = [[what, document] + ["%.0f" % speed(row) for row in found] for (what, document), found in out.items()]
    return table(["MB/s", "document"] + ["%d MB" % size for size in sizes], body)


def template_section(ours, theirs):
    rows = []
    for key, row in ours.items():
        peer = theirs[key]
        rows.append([key[1], "%.2f" % (row["seconds"] * 1e6), "%.1f" % (peer["seconds"] * 1e6), "**%.0f ×**" % (peer["seconds"] / row["seconds"])])
    return table(["template", "Belfry µs", "Jinja2 µs", "ratio"], rows)


def token_section(rows):
    def share(row, other):
        return "%+.0f %%" % ((row["toon"] / row[other] - 1) * 100)
    return table(["document", "TOON", "JSON, 2 spaces", "compact JSON", "TOON to JSON", "TOON to compact"],
                 [[row["document"], row["toon"], row["json"], row["compact"], share(row, "json"), share(row, "compact")] for row in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=str(ROOT / "build-bench" / "bench_text"))
    parser.add_argument("--out", help="write the report there")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured (3)")
    arguments = parser.parse_args()
    npm = ROOT / "build-bench" / "npm"
    npm.mkdir(parents=True, exist_ok=True)
    subprocess.run(["npm", "install", "--prefix", npm, "--no-audit", "--no-fund", "--silent", *PACKAGES], check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([arguments.program, "documents", folder], check=True)
        ours, theirs, templates_ours, templates_theirs = {}, {}, {}, {}
        for _ in range(arguments.rounds):  # in turn, so that both see the same machine
            by_key(lines(["node", HERE / "peer.mjs", npm, folder, "speed"]), theirs)
            by_key(lines([arguments.program, "toon"]), ours)
            by_key(lines(["/usr/bin/python3", HERE / "peer.py", HERE / "templates.json"]), templates_theirs)
            by_key(lines([arguments.program, "templates", HERE / "templates.json"]), templates_ours)
        tokens = lines(["node", HERE / "peer.mjs", npm, folder, "tokens"])
    linear = lines([arguments.program, "linear"])
    node = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout.strip()
    report = (HERE / "report.md").read_text()
    for name, value in {"toon": toon_section(ours, theirs), "linear": linear_section(linear), "templates": template_section(templates_ours, templates_theirs),
                        "tokens": token_section(tokens), "node": node, "python": platform.python_version()}.items():
        report = report.replace("{{%s}}" % name, value)
    if arguments.out:
        pathlib.Path(arguments.out).write_text(report)
    else:
        print(report)


if __name__ == "__main__":
    main()
