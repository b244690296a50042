#!/usr/bin/python3
"""Holds our templates against Debian's Jinja2, through the program jinja_check.

    jinja_differential.py PATH_OF_JINJA_CHECK

Runs the cases of tests/jinja and then random templates. JINJA_DIFFERENTIAL_RANDOM: how many of those (2000).
JINJA_DIFFERENTIAL_SEED: another world (1). Exit 77 when jinja2 is not there: the test then counts as skipped.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE.parent / "jinja"

try:
    import jinja2
except ImportError:
    sys.exit("python3-jinja2 is missing; run `scripts/setup test`")

sys.path.insert(0, str(HERE))
import jinja_random  # noqa: E402


def environment(trim, lstrip, includes):
    return jinja2.Environment(trim_blocks=trim, lstrip_blocks=lstrip, loader=jinja2.DictLoader(includes))


def judge(case, data, includes):
    env = environment(case.get("trim", False), case.get("lstrip", False), includes)
    try:
        case["expected"] = env.from_string(case["template"]).render(**data)
        case["expected"].encode()
    except Exception as error:  # whatever it is, ours has to fail as well
        case.pop("expected", None)
        case["error"] = "%s: %s" % (type(error).__name__, error)
    return case


def line_cases(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line and not line.startswith("# "):
            yield {"name": "%s:%d" % (path.name, number), "template": line}


def block_cases(path):
    name, options, lines = None, "", []
    for line in path.read_text().split("\n") + ["### end"]:
        match = re.fullmatch(r"### (.*?)(?: \[(.*)\])?", line)
        if not match:
            lines.append(line)
            continue
        if name is not None:
            # The newline before the next case belongs to the file, the one before it to the template.
            yield {"name": name, "template": "\n".join(lines) + "\n", "trim": "trim" in options, "lstrip": "lstrip" in options}
        name, options, lines = match.group(1), match.group(2) or "", []


def main():
    data = json.loads((CASES / "data.json").read_text())
    includes = {path.name: path.read_text() for path in (CASES / "include").glob("*.j2")}
    written = [case for path in sorted(CASES.glob("*.txt"))
               for case in (block_cases(path) if path.name == "blocks.txt" else line_cases(path))]
    windows = [dict(case, name=case["name"] + ", windows lines", template=case["template"].replace("\n", "\r\n"))
               for case in written if case["template"].count("\n") > 2]
    cases = written + windows
    count = int(os.environ.get("JINJA_DIFFERENTIAL_RANDOM", "2000"))
    cases += jinja_random.cases(count, int(os.environ.get("JINJA_DIFFERENTIAL_SEED", "1")))
    lines = [json.dumps({"data": data})]
    for case in cases:
        lines.append(json.dumps(dict(judge(case, data, includes), includes=includes)))
    print("%d written templates, %d random ones" % (len(written) + len(windows), count))
    return subprocess.run([sys.argv[1]], input="\n".join(lines), text=True).returncode


if __name__ == "__main__":
    sys.exit(main())
