"""(o): what goes between two devices for one new message, after a week apart and for a new device, and how soon they know the same."""
import pathlib
import statistics
import sys

from .common import Row, say

PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "sync/run.py"
FEW, MANY, ONE_BY_ONE = 10, 1_000_000, 200
WEEK = 100_000
APART = {3: 3000, 100: 10_000}  # agents at work at once, messages: three are, unless the configuration says otherwise
SECONDS_MAX = 1800
SAME, TOLD_TO_NEW = 1.05, 1.1  # counters have more digits among many
RSYNC = {"rsync": "`rsync -z` of its export", "rsync --append": "`rsync -z --append` of its export, which reads nothing of what is there"}


def measure(bench, *part):
    return bench.undisturbed(lambda: bench.run_alone(
        sys.executable, PROGRAM, *part, "--belfry", bench.belfry, "--folder", bench.folder, seconds_max=SECONDS_MAX))


def sized(bench, count):
    return count // 100 if bench.quick else count


def of(found, figure, **which):
    """One figure of the lines that fit: without a peer unless one is named."""
    wanted = {"peer": None, **which}
    return [line[figure] for line in found["lines"] if all(line.get(name) == value for name, value in wanted.items())]


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def live_rows(section, found, many):
    def one(figure, count=many, **which):
        return of(found, figure, what="one message", messages=count, **which)

    def middle(figure, **which):
        return [statistics.median(one(figure, **which))]

    among = f"among {many:,}"
    rows = [Row(section, f"one new message {among}: told, both ways", "bytes", f"among {FEW}", middle("told", count=FEW), middle("told"),
                most=SAME),
            Row(section, f"one new message {among}: on the wire", "bytes", f"among {FEW}", middle("wire", count=FEW), middle("wire"), most=SAME)]
    for peer, words in RSYNC.items():
        rows.append(Row(section, f"one new message {among}: on the wire", "bytes", words, middle("wire", peer=peer), middle("wire")))
    rows += [Row(section, f"… until it can be read on the other device, p50, {among}", "ms", f"among {FEW}", middle("ms", count=FEW), middle("ms")),
             Row(section, f"… p99, {among}", "ms", f"among {FEW}", [percentile(one("ms", count=FEW), 0.99)], [percentile(one("ms"), 0.99)])]
    for peer, words in RSYNC.items():
        rows.append(Row(section, f"… until it can be read on the other device, p50, {among}", "ms", words, middle("ms", peer=peer), middle("ms")))
    say(f"({section}) one message {among}: {rows[0].belfry_values[0]:.0f} bytes told, {rows[1].belfry_values[0]:.0f} on the wire, "
        f"{middle('ms')[0]:.0f} ms")
    return rows


def new_device_rows(section, found, many):
    seconds, wire, told = (of(found, figure, what="new device", messages=many)[0] for figure in ("seconds", "wire", "told"))
    say(f"({section}) a new device: {many:,} messages in {seconds:.1f} s")
    return [Row(section, f"a new device, {many:,} messages: until both know the same", "s", "", [], [seconds]),
            Row(section, "…", "messages/s", "", [], [many / seconds]),
            Row(section, "… told, both ways", "MB", "", [], [told / 1e6]),
            Row(section, "… on the wire", "MB", "", [], [wire / 1e6])]


def away_row(section, what, founds, part, peer):
    new, told = ([of(found, figure, what=part)[0] / 1e6 for found in founds] for figure in ("new", "told"))
    say(f"({section}) {what}: {statistics.median(told) / statistics.median(new):.3f} of the new data")
    return Row(section, what, "MB", peer, new, told, most=TOLD_TO_NEW)


def week_rows(section, founds, short, aparts, week):
    seconds, wire = ([of(found, figure, what="week")[0] for found in founds] for figure in ("seconds", "wire"))
    peer_wire, peer_ms = ([of(found, figure, what="week", peer="rsync")[0] for found in founds] for figure in ("wire", "ms"))
    new, away = "the new messages as compact JSON", f"one device was away, {week:,} new messages"
    return [away_row(section, f"{away} of 200–600 characters: told, both ways", founds, "week", new),
            *(away_row(section, f"… {of(found, 'new_messages', what='apart')[0]:,}, each in a batch of its own, {at_once} agents at work at once",
                       [found], "apart", new) for at_once, found in aparts.items()),
            away_row(section, f"… {week:,} of 5–20 characters", [short], "week", new),
            Row(section, f"{away}: on the wire", "MB", RSYNC["rsync"], [one / 1e6 for one in peer_wire], [one / 1e6 for one in wire]),
            Row(section, f"{away}: until both know the same", "s", f"{RSYNC['rsync']}, which keeps a file the same and no store",
                [one / 1e3 for one in peer_ms], seconds),
            Row(section, "…", "messages/s", "", [], [week / one for one in seconds])]


def run(bench, section):
    if not bench.belfry:
        return [], {}
    many, week = sized(bench, MANY), sized(bench, WEEK)
    live = measure(bench, "live", "--few", FEW, "--many", many, "--messages", 5 if bench.quick else ONE_BY_ONE)
    weeks = [measure(bench, "week", "--messages", week) for _ in range(bench.rounds)]
    short = measure(bench, "week", "--messages", week, "--lengths", "short")
    aparts = {at_once: measure(bench, "apart", "--messages", 300 if bench.quick else count, "--at-once", at_once)
              for at_once, count in APART.items()}
    rows = [*live_rows(section, live, many), *week_rows(section, weeks, short, aparts, week), *new_device_rows(section, live, many)]
    return rows, {"live": live, "weeks": weeks, "short": short, "aparts": list(aparts.values())}
