"""The table that people read and the JSON that programs read."""
import dataclasses
import os
import pathlib
import platform
import subprocess
import time


def number(value):
    if value is None:
        return "—"
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def goal(row):
    if row.value_most is not None:
        return f"≤ {number(row.value_most)} {row.unit}"
    if row.least is not None:
        return f"≥ {row.least:g} ×"
    return f"≤ {row.most:g} ×" if row.most is not None else "—"


def ratio(row):
    if row.ratio() is None:
        return "—"
    low, high = row.ratio_range()
    spread = f" ({low:.2f}–{high:.2f})" if len(row.peer_values) > 1 else ""
    return f"{row.ratio():.2f} ×{spread}"


def markdown(rows):
    lines = ["| | what | peer (a reply means) | peer | Belfry | Belfry's reply means | ratio (range) | goal | |",
             "|---|---|---|---:|---:|---|---:|---:|---|"]
    for row in rows:
        verdict = {True: "met", False: "**short**", None: ""}[row.met()]
        peer = f"{number(row.peer_value())} {row.unit}" if row.peer_values else "—"
        ours = f"{number(row.belfry_value())} {row.unit}" if row.belfry_values else "—"
        cells = (row.section, row.what, row.peer or "—", peer, ours, row.belfry_says or "—", ratio(row), goal(row),
                 verdict)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def machine(folder):
    """Where this was measured."""
    cpu = [line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
           if line.startswith("model name")]
    return {"cpu": cpu[0] if cpu else platform.machine(), "cores": os.cpu_count(), "kernel": platform.release(),
            "file_system": file_system(folder), "load_before": os.getloadavg()[0],
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "versions": versions()}


def file_system(folder):
    return subprocess.run(["stat", "-f", "-c", "%T", str(folder)], capture_output=True, text=True).stdout.strip()


def versions():
    """Of the peers, as they name themselves."""
    commands = {"redis": ["redis-server", "--version"], "nats": ["nats-server", "--version"],
                "postgres": ["/usr/lib/postgresql/15/bin/postgres", "--version"], "nginx": ["nginx", "-v"]}
    found = {}
    for name, command in commands.items():
        try:
            done = subprocess.run(command, capture_output=True, text=True)
            found[name] = (done.stdout or done.stderr).strip()
        except OSError:
            found[name] = "not installed"
    return found


def as_json(machine_found, settings, rows, results):
    table = [{**dataclasses.asdict(row), "ratio": row.ratio(), "met": row.met()} for row in rows]
    return {"machine": machine_found, "settings": settings, "table": table, "rounds": results}
