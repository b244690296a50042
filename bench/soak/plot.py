"""The soak as a picture: one small chart a figure, over the minutes."""

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
COLOURS = ("#1f6feb", "#d29922")


def line(looks, name, top, end):
    points = " ".join(f"{MARGIN + look['second'] / end * (WIDTH - MARGIN - 10):.1f},"
                      f"{HEIGHT - 20 - look[name] / top * (HEIGHT - 45):.1f}" for look in looks if name in look)
    return points


def chart(looks, title, names):
    values = [look[name] for look in looks for name in names if name in look]
    top, end = max(values, default=1) * 1.1 or 1, max(looks[-1]["second"], 1)
    parts = [f'<text x="{MARGIN}" y="16" class="title">{title}</text>',
             f'<path d="M{MARGIN} 25V{HEIGHT - 20}H{WIDTH - 10}" class="axis"/>',
             f'<text x="{MARGIN - 4}" y="34" class="end">{top:.4g}</text>',
             f'<text x="{MARGIN - 4}" y="{HEIGHT - 18}" class="end">0</text>',
             f'<text x="{WIDTH - 10}" y="{HEIGHT - 6}" class="end">{end / 60:.0f} min</text>']
    for colour, name in zip(COLOURS, names):
        parts.append(f'<polyline points="{line(looks, name, top, end)}" stroke="{colour}"/>')
        if len(names) > 1:
            place = WIDTH - 70 + 35 * names.index(name)
            parts.append(f'<text x="{place}" y="16" fill="{colour}">{name.split(", ")[1][:3]}</text>')
    return parts


def picture(looks):
    rows = (len(CHARTS) + COLUMNS - 1) // COLUMNS
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * COLUMNS} {HEIGHT * rows}" '
             'font-family="sans-serif" font-size="11">',
             '<style>polyline{fill:none;stroke-width:1.2}.axis{fill:none;stroke:#888}.title{font-weight:bold}'
             '.end{text-anchor:end;fill:#666}</style>', '<rect width="100%" height="100%" fill="#fff"/>']
    for number, (title, names) in enumerate(CHARTS):
        parts.append(f'<g transform="translate({number % COLUMNS * WIDTH},{number // COLUMNS * HEIGHT})">')
        parts += chart(looks, title, names) + ["</g>"]
    return "\n".join([*parts, "</svg>", ""])
