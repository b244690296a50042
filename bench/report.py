"""Figures as people read them: the tables in Markdown, and where and with what they were measured."""
import os
import pathlib
import platform
import subprocess
import time

import results

ROOT = pathlib.Path(__file__).resolve().parent.parent


def number(value):
    if value is None:
        return "—"
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def amount(value, unit):
    return "—" if value is None else f"{number(value)} {unit}"


def goal(row):
    found = row["goal"]
    if found is None:
        return "—"
    sign, bound = ("≥", found["least"]) if "least" in found else ("≤", found["most"])
    return f"{sign} {bound:g} ×" if found["of"] == "ratio" else f"{sign} {amount(bound, row['unit'])}"


def times(value):
    if value < 0.01:
        return f"{value:.1g}"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}"


def spread(row, form):
    return f" ({'–'.join(map(form, row['range']))})" if row["range"] else ""


def ratio(row):
    return "—" if row["ratio"] is None else f"{times(row['ratio'])} ×{spread(row, times)}"


def ours(row):
    """Belfry's figure; the range of a row is that of its ratio, and of this where there is no peer."""
    return amount(row["belfry_value"], row["unit"]) + ("" if row["peer"] else spread(row, number))


def reached(row):
    """What the goal is about: the ratio or the figure itself."""
    return ratio(row) if row["goal"]["of"] == "ratio" else ours(row)


def lines(head, cells):
    return "\n".join([head, *(f"| {' | '.join(row)} |" for row in cells)])


def markdown(rows):
    """A table; the column of what Belfry's reply means is there where a row says it."""
    says = any(row["belfry_says"] for row in rows)
    head = "| | what | peer | peer | Belfry | ratio (range) | goal | |\n|---|---|---|---:|---:|---:|---:|---|"
    if says:
        head = ("| | what | peer (a reply means) | peer | Belfry | Belfry's reply means | ratio (range) | goal | |\n"
                "|---|---|---|---:|---:|---|---:|---:|---|")
    verdicts = {True: "met", False: "**short**", None: ""}
    return lines(head, [[row["section"], row["what"], row["peer"] or "—", amount(row["peer_value"], row["unit"]),
                         ours(row), *([row["belfry_says"] or "—"] if says else []),
                         ratio(row), goal(row), verdicts[row["met"]]] for row in rows])


def series(found):
    """What was measured at several sizes: one line a kind, one column a size."""
    sizes = [f"{at} {found[0]['at']}" for at, _ in found[0]["points"]]
    head = f"| {found[0]['unit']} | {' | '.join(sizes)} |\n|---|{'---:|' * len(sizes)}"
    return lines(head, [[one["what"], *(number(value) for _, value in one["points"])] for one in found])


def short(rows):
    """The rows that miss their goal, the furthest first."""
    missed = sorted((row for row in rows if row["met"] is False), key=lambda row: results.share_of_goal(row) or 0)
    head = "| | what | peer | reached | goal | of the goal |\n|---|---|---|---:|---:|---:|"
    return lines(head, [[row["section"], row["what"], row["peer"] or "—", reached(row), goal(row),
                         "—" if results.share_of_goal(row) is None else f"{results.share_of_goal(row) * 100:.0f} %"]
                        for row in missed])


def summary(kept):
    """Where all of it was measured, how many goals are met, and which are not."""
    rows = results.rows_of(kept)
    judged = [row for row in rows if row["met"] is not None]
    good = sum(row["met"] for row in judged)
    parts = [machines(kept), measured(kept, list(kept["sections"])), f"**{good} of {len(judged)} goals are met.**"]
    if good < len(judged):
        parts[-1] += " Short, the furthest first:"
        parts.append(short(rows))
    return "\n\n".join(parts)


def machines(kept):
    """Where it was measured; usually one."""
    found = [run["machine"] for run in kept["runs"].values()]
    words = [f"{one['cpu']}, {one['cores']} cores, Linux {one['kernel']}, {one['file_system']}" for one in found]
    return "; ".join(dict.fromkeys(words)) + "."


def measured(kept, letters):
    """One sentence for each run that these sections are of."""
    told = []
    for at, run in kept["runs"].items():
        of_it = [letter for letter in letters if kept["sections"][letter]["run"] == at]
        if of_it:
            told.append(f"- {', '.join(of_it)}: {run_words(run, [kept['sections'][letter] for letter in of_it])}")
    return "\n".join(told)


def run_words(run, sections):
    how = "entered by hand with" if run.get("by_hand") else "measured at"
    words = [f"{run['at'].replace('T', ' ')}, {how} commit {run['commit']}"]
    if "belfry" in run:
        words.append(f"`{run['belfry']}`")
    words.append(run["settings"])
    if run.get("load_before") is not None:
        words.append(f"load before {run['load_before']:.1f}")
    others = [section["other_cores"] for section in sections if section.get("other_cores") is not None]
    if others:
        words.append(f"others used up to {max(others):.2f} cores meanwhile")
    if all("seconds" in section for section in sections):
        seconds = sum(section["seconds"] for section in sections)
        words.append(f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds} s")
    return "; ".join(words) + "."


def machine(folder):
    """Where this is measured."""
    cpu = [line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
           if line.startswith("model name")]
    return {"cpu": cpu[0] if cpu else platform.machine(), "cores": os.cpu_count(), "kernel": platform.release(),
            "file_system": file_system(folder), "versions": versions()}


def run_record(folder, belfry, settings):
    """What a figure cannot be understood without."""
    return {"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "commit": commit(),
            "belfry": os.path.relpath(belfry, ROOT) if belfry and belfry.is_relative_to(ROOT) else str(belfry),
            "settings": settings, "load_before": round(os.getloadavg()[0], 2), "machine": machine(folder)}


def commit():
    """The commit of this tree; with a plus where files of it were changed since."""
    head = said(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]) or "unknown"
    changed = said(["git", "-C", str(ROOT), "status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs"])
    return head + ("+" if changed else "")


def file_system(folder):
    return said(["stat", "-f", "-c", "%T", str(folder)])


def versions():
    """Of the peers, as they name themselves."""
    commands = {"redis": ["redis-server", "--version"], "nats": ["nats-server", "--version"],
                "postgres": ["/usr/lib/postgresql/15/bin/postgres", "--version"], "nginx": ["nginx", "-v"],
                "node": ["node", "--version"], "rsync": ["rsync", "--version"],
                "jinja2": ["/usr/bin/python3", "-c", "import jinja2; print('Jinja2', jinja2.__version__)"]}
    return {name: said(command).partition("\n")[0] or "not installed" for name, command in commands.items()}


def said(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return ""
    return (done.stdout or done.stderr).strip() if done.returncode == 0 else ""
