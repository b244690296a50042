"""The counts of bench_instructions: read from callgrind's dumps, compared with the table, shown as a page."""
import re

GROWTH_MAX = 0.05
REPEAT_MAX = 0.005  # between two runs of the same program

# Name in the program: (operation, what it leaves out besides sockets and TLS).
PATHS = {
    "ingest": ("`POST /v1/events` with one event of 400 bytes, to the written answer", "matching subscribers"),
    "batch_ingest": ("`POST /v1/events` with 100 such events", "matching subscribers"),
    "notification": ("a failed tool call by `POST /v1/events`, to the notification of the subscriber `tool_failure` 2 s later",
                     "sinks"),
    "fan_out": ("`POST /v1/events` with one event, to the bytes for 1,000 followers (server-sent events)", "slow readers"),
    "pull": ("`POST /v1/sessions/{id}/pull` of three notifications", "context values"),
    "acknowledgement": ("`POST /v1/sessions/{id}/acknowledge` of that pull", ""),
    "wake": ("an event that matches a subscription, `POST /v1/wakes/claim`, `POST /v1/wakes/{id}/end`",
             "waiting claims, memory of the agent"),
    "tool_call": ("`POST /v1/wakes/{id}/call` of `create_task`, with its action and result", "approval, external tools"),
    "toon_encode": ("TOON text of 100 events", ""),
    "toon_decode": ("tree of the same 100 events from their TOON text", ""),
    "template": ("both texts of a notification of three events by the templates of `tool_failure`",
                 "compilation of the templates"),
    "sync_record": ("`POST /v1/journal/tasks` on one device, to the acknowledgement of a second device that has the task",
                    "WebSocket, compression"),
}

PAGE = """# Instruction counts

`bench/instructions/run.py --page` writes this page from `bench/instructions/counts.json`; do not edit it.

The table has the processor instructions of the hottest paths. [Performance](performance.md) has times, which vary by 10 to 40 %
from run to run. Instruction counts hardly vary, so they show that a change made a path more expensive.

## What is counted

Callgrind counts every instruction that Belfry executes for an operation. Instructions of the kernel do not count. An HTTP request runs
from its bytes to the bytes of the answer: parser, router, JSON, command queue, engine, commit to SQLite, streams.

- All parts run in one thread, one request after the other: every request has a commit of its own. A loaded daemon puts requests
  that arrive together into one commit.
- Requests and answers pass through memory instead of sockets. TLS, the wait for the disk and checkpoints are left out.
- Clock and random numbers are fixed. The ledger is nearly empty. The shipped subscribers are active.
- Set-up and a warm-up run before the count.

## Counts

| path | operation | left out | instructions per operation | operations counted |
|---|---|---|---:|---:|
{rows}

Counted at commit {commit} with {compiler}, flags `{flags}`, on {machine}. A second run in a folder
with another name differed by at most {repeat}.

## Repeat the count

```
scripts/setup check
cmake --preset bench && cmake --build --preset bench --target bench_instructions
bench/instructions/run.py             # compare with the table
bench/instructions/run.py --write     # count twice and write the table and this page
```

`make check` makes the comparison (`make check STAGES=instructions`). The comparison fails if a path needs over {growth} more instructions
than the table says.

- If the growth is a fault: `callgrind_annotate` shows the functions. `run.py --keep FOLDER` keeps callgrind's files.
- If the growth is intended: write the table again, and give the reason in the commit.
- Another compiler, C library or processor changes counts. The comparison prints a note if one of them differs.
"""


class CountError(Exception):
    """The run gave no usable counts."""


def read_dump(text):
    """The name and the instructions of one dump, or None for a dump that has no path."""
    name = re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.MULTILINE)
    summary = re.search(r"^summary: (\d+)$", text, re.MULTILINE)
    totals = re.search(r"^totals: (\d+)$", text, re.MULTILINE)
    if not name or name[1] == "set-up":
        return None
    if not summary or not totals or summary[1] != totals[1]:
        raise CountError(f"the dump of {name[1]} is not whole")
    return name[1], int(summary[1])


def per_operation(dumps, operations):
    """Instructions of one operation by path. `dumps` are texts; `operations` has how many were counted."""
    totals = dict(found for found in map(read_dump, dumps) if found)
    if set(totals) != set(operations):
        raise CountError("callgrind counted " + (", ".join(sorted(totals)) or "nothing") + " and the program ran " +
                         ", ".join(sorted(operations)))
    return {path: {"instructions": round(totals[path] / operations[path]), "operations": operations[path]} for path in operations}


def difference(old, new):
    return (new["instructions"] - old["instructions"]) / old["instructions"]


def compare(old, new):
    """One line for each path, and the names of the paths that fail."""
    lines, failed = [], []
    for path in [*old, *(path for path in new if path not in old)]:
        if path not in old or path not in new:
            lines.append(f"{path}: " + ("not in the table" if path in new else "not counted any more") + "; FAILED")
            failed.append(path)
            continue
        change = difference(old[path], new[path])
        verdict = f"; FAILED: grew by more than {GROWTH_MAX:.0%}" if change > GROWTH_MAX else ""
        lines.append(f"{path}: {old[path]['instructions']:,} -> {new[path]['instructions']:,} instructions per operation "
                     f"({change:+.2%}){verdict}")
        if verdict:
            failed.append(path)
    return lines, failed


def largest_difference(one, other):
    return max(abs(difference(one[path], other[path])) for path in one)


def page(table):
    rows = []
    for path, counted in table["paths"].items():
        what, left_out = PATHS[path]
        rows.append(f"| {path.replace('_', ' ')} | {what} | {left_out or '–'} | {counted['instructions']:,} | {counted['operations']} |")
    return PAGE.format(rows="\n".join(rows), commit=table["commit"], compiler=table["compiler"], flags=table["flags"],
                       machine=table["machine"], repeat=f"{table['repeat']:.2%}".replace("%", " %"),
                       growth=f"{GROWTH_MAX:.0%}".replace("%", " %"))
