"""The soak as a picture: one small chart a figure, over the minutes."""
import svg

WIDTH, HEIGHT, MARGIN, COLUMNS = 420, 120, 46, 2
CHARTS = (
    ("memory, MB", ("rss_mb",)),
    ("open descriptors", ("descriptors",)),
    ("store on disk, MB", ("store_mb",)),
    ("batch of 100 events, ms", ("batch of 100 events, p50 ms", "batch of 100 events, p99 ms")),
    ("an event until its reader has it, ms",
     ("an event until its reader has it, p50 ms", "an event until its reader has it, p99 ms")),
    ("pull, ms", ("pull, p50 ms", "pull, p99 ms")),
    ("50 events of a run, ms", ("50 events of a run, p50 ms", "50 events of a run, p99 ms")),
    ("a person's word, ms", ("a person's word, p50 ms", "a person's word, p99 ms")),
)


def line(looks, name, top, end):
    points = " ".join(f"{MARGIN + look['second'] / end * (WIDTH - MARGIN - 10):.1f},"
                      f"{HEIGHT - 20 - look[name] / top * (HEIGHT - 45):.1f}" for look in looks if name in look)
    return points


def chart(looks, title, names):
    values = [look[name] for look in looks for name in names if name in look]
    top, end = max(values, default=1) * 1.1 or 1, max(looks[-1]["second"], 1)
    parts = [svg.text(MARGIN, 16, title, "title"), svg.path(f"M{MARGIN} 25V{HEIGHT - 20}H{WIDTH - 10}", "axis"),
             svg.text(MARGIN - 4, 34, f"{top:.4g}", "end", "quiet"), svg.text(MARGIN - 4, HEIGHT - 18, "0", "end", "quiet"),
             svg.text(WIDTH - 10, HEIGHT - 6, f"{end / 60:.0f} min", "end", "quiet")]
    for number, (colour, name) in enumerate(zip(svg.COLOURS, names)):
        parts.append(f'<polyline points="{line(looks, name, top, end)}" class="line {colour}"/>')
        if len(names) > 1:
            parts.append(svg.text(WIDTH - 70 + 35 * number, 16, name.split(", ")[1][:3], colour))
    return parts


def picture(looks):
    rows = (len(CHARTS) + COLUMNS - 1) // COLUMNS
    parts = []
    for number, (title, names) in enumerate(CHARTS):
        parts.append(f'<g transform="translate({number % COLUMNS * WIDTH},{number // COLUMNS * HEIGHT})">')
        parts += chart(looks, title, names) + ["</g>"]
    return svg.sheet(WIDTH * COLUMNS, HEIGHT * rows, parts)
