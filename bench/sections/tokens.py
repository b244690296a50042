"""(m): what documents in TOON, and notifications, cost a model, beside JSON. Counted, not timed: once is enough."""
import pathlib
import tempfile

from . import npm
from .common import Row, say

HERE = pathlib.Path(__file__).resolve().parent.parent
EVENTS = 10_000


def documents(bench, packages):
    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        bench.run_alone(bench.programs / "bench_text", "documents", folder)
        return bench.run_alone("node", HERE / "text/peer.mjs", packages, folder, "tokens")["lines"]


def notifications(bench, packages):
    return bench.run_alone("node", HERE / "notifications/tokens.mjs", bench.programs / "notification_corpus", packages,
                           EVENTS // 10 if bench.quick else EVENTS, "json")["lines"][0]


def run(bench, section):
    if not bench.belfry:
        return [], {}
    packages = npm.folder(bench)
    told, counted = notifications(bench, packages), documents(bench, packages)
    say(f"({section}) {told['events']:,} events in {told['notifications']:,} notifications of {told['rows']:,} rows: "
        f"{told['content']:,} tokens")

    def row(what, peer, theirs, ours, **goal):
        return Row(section, what, "tokens", peer, [theirs], [ours], "", **goal)

    # As many events on both sides is how the goals are read: 40 % and 30 % fewer.
    kinds = (("the same events, same cells, JSON of two spaces", "events_pretty", {"most": 0.6}),
             ("the same events, same cells, compact JSON", "events_compact", {"most": 0.7}),
             ("the same rows, folded too, JSON of two spaces", "pretty", {}),
             ("the same rows, folded too, compact JSON", "compact", {}),
             ("the same documents, lines left lines, JSON of two spaces", "document_pretty", {}),
             ("the same documents, lines left lines, compact JSON", "document_compact", {}))
    what = f"notifications of {told['events']:,} events"
    rows = [row(what, peer, told[name], told["content"], **goal) for peer, name, goal in kinds]
    for line in counted:
        rows.append(row(f"TOON: {line['document']}", "JSON of two spaces", line["json"], line["toon"]))
        rows.append(row(f"TOON: {line['document']}", "compact JSON", line["compact"], line["toon"]))
    return rows, {"notifications": told, "documents": counted}
