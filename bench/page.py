"""docs/performance.md: words that people write, and between marks the tables that come from the JSON."""
import re

import report
import results

BEGIN = "<!-- figures: {} -->"
END = "<!-- end of figures -->"
MARKED = re.compile(r"<!-- figures: (?P<what>[^>]*?) -->\n(?P<old>.*?)<!-- end of figures -->", re.DOTALL)


class PageError(Exception):
    """The page and the figures do not fit together."""


def rendered(text, kept):
    """The page with each marked part made anew. What stands outside of the marks is not touched."""
    if not len(MARKED.findall(text)) == text.count("<!-- figures: ") == text.count(END):
        raise PageError("a mark of the page has no end, or an end no mark")
    shown = [what for match in MARKED.finditer(text) for what in match["what"].split()]
    missing = [letter for letter in kept["sections"] if letter not in shown]
    if missing:
        raise PageError(f"the page shows no table of section {', '.join(missing)}")
    return MARKED.sub(lambda match: f"{BEGIN.format(match['what'])}\n\n{part(match['what'], kept)}\n\n{END}", text)


def part(what, kept):
    """`summary`; or letters of sections, whose rows are one table; `series x` the sizes that section x was measured at."""
    words = what.split()
    if words == ["summary"]:
        return report.summary(kept)
    letters = [word for word in words if word in kept["sections"]]
    if not letters:
        return "Not measured yet."
    if words[0] == "series":
        return "\n\n".join(report.series(kept["sections"][letter]["series"]) for letter in letters)
    tables = [report.markdown(results.rows_of(kept, letters))]
    if len(kept["runs"]) > 1:
        tables.append(report.measured(kept, letters))
    return "\n\n".join(tables)
