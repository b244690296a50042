"""The figures as two pictures: every row beside its goal, and every row beside its peer, on logarithmic scales."""
import html
import math
import re

import report
import results
import svg

LABELS, BARS, VALUES = 430, 400, 230  # the widths of the three columns
TOP, LINE, BOTTOM = 46, 15, 20
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
LABEL_CHARACTERS_MAX = 76
SMALL_IS_GOOD = ("us", "ms", "s", "bytes", "KB", "MB", "tokens")


class Scale:
    """A logarithmic axis that holds 1 and all of these values."""

    def __init__(self, values):
        low, high = min([1, *values]), max([1, *values])
        self.low = max((tick for tick in TICKS if tick <= low), default=TICKS[0])
        self.high = min((tick for tick in TICKS if tick >= high), default=TICKS[-1])
        if self.low == self.high:
            self.high = TICKS[TICKS.index(self.low) + 1]

    def place(self, value):
        inside = min(max(value, self.low), self.high)
        return LABELS + BARS * math.log(inside / self.low) / math.log(self.high / self.low)

    def ticks(self):
        return [tick for tick in TICKS if self.low <= tick <= self.high]


def is_small_good(row):
    goal = row["goal"]
    return "most" in goal if goal else row["unit"] in SMALL_IS_GOOD


def advantage(row, ratio):
    """A ratio turned so that more is better."""
    return 1 / ratio if is_small_good(row) else ratio


def label(row):
    peer = re.sub(r"\s*\([^)]*\)$", "", row["peer"]).replace("`", "")
    words = row["what"] + (f" · {peer}" if peer else "")
    return words if len(words) <= LABEL_CHARACTERS_MAX else words[:LABEL_CHARACTERS_MAX - 1].rstrip() + "…"


def bar(scale, row, value, y):
    """From 1 to the value, in the colour of what is short where the row misses its goal."""
    begin, end = sorted((scale.place(1), scale.place(value)))
    colour = svg.COLOURS[1] if row["met"] is False else svg.COLOURS[0]
    return (f'<rect x="{begin:.1f}" y="{y + 3:.1f}" width="{max(end - begin, 1):.1f}" height="{LINE - 5}" class="{colour}">'
            f"<title>{html.escape(row['section'] + ': ' + row['what'])}</title></rect>")


def chart(title, explained, scale, rows, drawn):
    """`drawn` gives what stands in the bars' column of a row, and the words behind it."""
    parts, y, section = [], TOP, None
    for row in rows:
        if row["section"] != section:
            section = row["section"]
            y += 5
            parts.append(svg.text(8, y + 11, section, "title"))
        more, words = drawn(scale, row, y)
        parts += [svg.text(LABELS - 8, y + 11, label(row), "end"), *more,
                  svg.text(LABELS + BARS + 8, y + 11, words, "quiet")]
        y += LINE
    height = y + BOTTOM
    grid = []
    for tick in scale.ticks():
        x = scale.place(tick)
        grid.append(svg.path(f"M{x:.1f} {TOP - 4}V{y + 4}", "axis" if tick == 1 else "grid"))
        grid.append(svg.text(x, y + 16, f"{tick:g}", "middle", "quiet"))
    heading = [svg.text(8, 16, title, "title"), svg.text(8, 32, explained, "quiet")]
    return svg.sheet(LABELS + BARS + VALUES, height, heading + grid + parts)


def beside_goals(kept):
    rows = [row for row in results.rows_of(kept) if results.share_of_goal(row) is not None]

    def drawn(scale, row, y):
        words = f"{report.reached(row).split(' (')[0]}, goal {report.goal(row)}"
        return [bar(scale, row, results.share_of_goal(row), y)], words

    return chart("Beside the goals", "1 is the goal; bars to the right are better than it, bars to the left fall short of it.",
                 Scale([results.share_of_goal(row) for row in rows]), rows, drawn)


def beside_peers(kept):
    rows = [row for row in results.rows_of(kept) if row["ratio"]]

    def drawn(scale, row, y):
        parts = [bar(scale, row, advantage(row, row["ratio"]), y)]
        middle = y + LINE / 2 + 0.5
        if row["range"]:
            low, high = sorted(scale.place(advantage(row, one)) for one in row["range"])
            parts.append(svg.path(f"M{low:.1f} {middle}H{high:.1f}", "range"))
        words = f"{report.times(row['ratio'])} ×"
        if row["goal"] and row["goal"]["of"] == "ratio":
            x = scale.place(advantage(row, row["goal"].get("least") or row["goal"]["most"]))
            parts.append(svg.path(f"M{x:.1f} {y + 1}V{y + LINE - 1}", "range"))
            words += f", goal {report.goal(row)}"
        return parts, words

    return chart("Beside the peers", "1 is the peer; to the right Belfry is faster or takes less. A thin line is the range of "
                 "the rounds, an upright one the goal.",
                 Scale([advantage(row, row["ratio"]) for row in rows]), rows, drawn)


PICTURES = {"goals.svg": beside_goals, "peers.svg": beside_peers}


def draw(folder, kept):
    folder.mkdir(exist_ok=True)
    for name, picture in PICTURES.items():
        (folder / name).write_text(picture(kept))
