#!/usr/bin/python3
"""Writes src/text/unicode_*.inc: what Python's str knows of characters, as ranges.

Run it with Debian's python3, whose Unicode version the templates follow: /usr/bin/python3 scripts/unicode_tables.py
"""
import sys
import unicodedata

LAST = 0x110000


def ranges(holds):
    out, start = [], None
    for c in range(LAST + 1):
        yes = c < LAST and holds(c)
        if yes and start is None:
            start = c
        elif not yes and start is not None:
            out.append((start, c - 1))
            start = None
    return out


def shifts(convert):
    """Runs of characters that move by one distance, with a stride of 1 or 2."""
    pairs = [(c, ord(convert(chr(c)))) for c in range(LAST)
             if not 0xD800 <= c < 0xE000 and len(convert(chr(c))) == 1 and convert(chr(c)) != chr(c)]
    runs = []
    for c, to in pairs:
        if runs:
            first, last, stride, delta = runs[-1]
            if to - c == delta and c - last in (1, 2) and (first == last or c - last == stride):
                runs[-1] = (first, c, c - last, delta)
                continue
        runs.append((c, c, 1, to - c))
    return runs


def specials(convert):
    return [(c, convert(chr(c))) for c in range(LAST) if not 0xD800 <= c < 0xE000 and len(convert(chr(c))) > 1]


def rows(items, width=116):
    line, out = "   ", []
    for item in items:
        if len(line) + len(item) + 1 > width:
            out.append(line)
            line = "   "
        line += " " + item
    out.append(line)
    return "\n".join(out)


def range_table(name, holds):
    body = rows("{0x%X, 0x%X}," % pair for pair in ranges(holds))
    return "constexpr CharRange %s[] = {\n%s\n};\n" % (name, body)


def shift_table(name, convert):
    body = rows("{0x%X, 0x%X, %d, %d}," % run for run in shifts(convert))
    return "constexpr CharShift %s[] = {\n%s\n};\n" % (name, body)


def special_table(name, convert):
    def item(c, text):
        codes = [ord(x) for x in text] + [0] * (3 - len(text))
        return "{0x%X, {0x%X, 0x%X, 0x%X}}," % (c, *codes)
    return "constexpr CharSpecial %s[] = {\n%s\n};\n" % (name, rows(item(*s) for s in specials(convert)))


def write(name, parts):
    with open("src/text/%s.inc" % name, "w") as out:
        out.write("// Made by scripts/unicode_tables.py from Unicode %s; not edited by hand.\n" % unicodedata.unidata_version)
        out.write("\n".join(parts))


def main():
    write("unicode_kinds", [
        range_table("unprintable_ranges", lambda c: not chr(c).isprintable()),
        range_table("letter_ranges", lambda c: chr(c).isalpha()),
        range_table("digit_ranges", lambda c: chr(c).isdigit()),
        range_table("number_ranges", lambda c: chr(c).isalnum() and not chr(c).isalpha()),
    ])
    write("unicode_cased", [
        range_table("lower_ranges", lambda c: chr(c).islower()),
        range_table("upper_ranges", lambda c: chr(c).isupper()),
        range_table("title_ranges", lambda c: unicodedata.category(chr(c)) == "Lt"),
        range_table("ignorable_ranges", case_ignorable),
    ])
    write("unicode_shifts", [
        shift_table("to_upper", str.upper),
        shift_table("to_lower", str.lower),
        shift_table("to_title", str.title),
        special_table("upper_specials", str.upper),
        special_table("lower_specials", str.lower),
        special_table("title_specials", str.title),
    ])


def case_ignorable(c):
    """Found by what a final sigma looks through: 'A' + c + sigma ends in a final sigma only past such a character."""
    if 0xD800 <= c < 0xE000:
        return False
    return ("A" + chr(c) + "\u03A3").lower().endswith("\u03C2") and not (chr(c) + "\u03A3").lower().endswith("\u03C2")


if __name__ == "__main__":
    sys.exit(main())
