#!/usr/bin/python3
"""Holds the firings of schedules against Python's zoneinfo, through the program occurrences.

    oracle.py PATH_OF_OCCURRENCES

What is expected is worked out here by brute force and in another way than there: every wall time of every day becomes an
instant by `fold=0`; one that does not come back from UTC as the same lies in a gap and becomes the first instant at which
the clocks show something later. The clocks' changes are found by looking at each zone every few hours from 1970 to 2100.

SCHEDULE_ZONES: `all` for every zone, every change and the whole time; else a part of the zones (a number: every nth one,
60, and the odd ones) and every third change. Exit 77 where Python has no time zones: the test then counts as skipped.
"""
import collections
import concurrent.futures
import datetime
import functools
import hashlib
import itertools
import os
import pathlib
import subprocess
import sys
import zoneinfo

UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1)
BEGIN = datetime.datetime(1970, 1, 4, tzinfo=UTC)
END = datetime.datetime(2100, 12, 28, tzinfo=UTC)
DAY = datetime.timedelta(days=1)
SECOND = datetime.timedelta(seconds=1)
# Clocks that do what few others do: half an hour, two hours, a day left out, Ramadan, summer time in winter, seconds.
ODD = ("Europe/Berlin", "Australia/Lord_Howe", "Antarctica/Troll", "Pacific/Apia", "Pacific/Kwajalein", "Africa/Casablanca",
       "Europe/Dublin", "Africa/Monrovia", "America/Nuuk", "America/St_Johns", "Asia/Gaza", "Africa/Cairo", "Asia/Kathmandu",
       "America/Santiago", "Pacific/Chatham", "America/Scoresbysund", "UTC")

AROUND_CHANGES = (("daily", "00:00"), ("daily", "00:30"), ("daily", "02:00"), ("daily", "02:30"), ("daily", "03:00"),
                  ("daily", "23:59"), ("weekly", "sun@02:15"), ("weekly", "mon-sat@01:00"), ("cron", "*/30 * * * *"),
                  ("cron", "7,37 0-3 * * *"), ("cron", "30 2 * * 0"), ("cron", "0 0 1 * *"))
# Asked for from instants around a change, too: whoever comes then gets what is still to come and no more.
FROM_INSIDE = (("daily", "02:30"), ("cron", "*/30 * * * *"))
OVER_ALL_YEARS = (("cron", "0 0 29 2 *"), ("cron", "30 2 13 * fri"), ("cron", "45 1 */9 * mon"), ("cron", "0 12 31 */2 *"),
                  ("cron", "15 2 8-14 MAR,NOV sun"), ("cron", "@yearly"), ("cron", "0 3 29 feb */6"))
EVERY_DAY = (("daily", "02:30"), ("daily", "00:00"))

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "sun mon tue wed thu fri sat".split()


def number(word, names, first):
    return names.index(word.lower()) + first if word.lower() in names else int(word)


def matches(field, value, low, high, names=(), first=0):
    """Whether one value is in a field of cron."""
    for item in field.split(","):
        span, _, step = item.partition("/")
        begin, _, end = (f"{low}-{high}" if span == "*" else span).partition("-")
        begin = number(begin, names, first)
        end = number(end, names, first) if end else begin
        if begin <= value <= end and (value - begin) % int(step or 1) == 0:
            return True
    return False


def day_matches(fields, date):
    _, _, days, months, weekdays = fields
    if not matches(months, date.month, 1, 12, MONTHS, 1):
        return False
    sunday_first = date.isoweekday() % 7
    by_day = matches(days, date.day, 1, 31)
    by_weekday = any(matches(weekdays, n, 0, 6, WEEKDAYS) for n in ({0, 7} if sunday_first == 0 else {sunday_first}))
    if days[0] != "*" and weekdays[0] != "*":
        return by_day or by_weekday
    return by_day and by_weekday


@functools.lru_cache(maxsize=None)
def minutes_of(fields):
    return [datetime.timedelta(hours=hour, minutes=minute) for hour in range(24) for minute in range(60)
            if matches(fields[0], minute, 0, 59) and matches(fields[1], hour, 0, 23)]


@functools.lru_cache(maxsize=None)
def fields_of(kind, text):
    """Every schedule as five fields."""
    if kind == "cron":
        return tuple({"@yearly": "0 0 1 1 *"}.get(text, text).split())
    days, _, time = text.rpartition("@")
    hour, minute = time.split(":")
    return (str(int(minute)), str(int(hour)), "*", "*", days or "*")


@functools.lru_cache(maxsize=1 << 20)
def walls_of_day(kind, text, date):
    """The wall times of a schedule on a date, as any clock shows them."""
    fields = fields_of(kind, text)
    midnight = datetime.datetime.combine(date, datetime.time())
    return tuple(midnight + minute for minute in minutes_of(fields)) if day_matches(fields, date) else ()


@functools.lru_cache(maxsize=None)
def walls_of_years(kind, text):
    days = (BEGIN.date() + DAY * n for n in range((END - BEGIN).days))
    return tuple(itertools.chain.from_iterable(walls_of_day(kind, text, day) for day in days))


def shown(zone, instant):
    return instant.astimezone(zone).replace(tzinfo=None, fold=0)


def instant_of(zone, wall):
    """When a wall time comes."""
    instant = wall.replace(tzinfo=zone).astimezone(UTC)
    if shown(zone, instant) == wall:
        return instant
    before, after = wall.replace(tzinfo=zone, fold=1).astimezone(UTC) - SECOND, instant
    assert shown(zone, before) < wall < shown(zone, after), (zone, wall)
    while after - before > SECOND:
        middle = before + (after - before) // SECOND // 2 * SECOND
        before, after = (middle, after) if shown(zone, middle) < wall else (before, middle)
    return after


def seconds(instant):
    return int(instant.timestamp())


def changes_of(zone, step):
    """The instants at which the clocks are moved, found by looking every `step`."""
    found, at, offset = [], BEGIN, BEGIN.astimezone(zone).utcoffset()
    while at < END:
        following = at + step
        if following.astimezone(zone).utcoffset() != offset:
            before, after = at, following
            while after - before > SECOND:
                middle = before + (after - before) // SECOND // 2 * SECOND
                same = middle.astimezone(zone).utcoffset() == offset
                before, after = (middle, after) if same else (before, middle)
            found.append(after)
            offset = after.astimezone(zone).utcoffset()
            at = after
            continue
        at = following
    return found


class Questions:
    """What to ask, and what the answer must be."""

    def __init__(self):
        self.lines, self.expected = [], []

    def add(self, name, schedule, after, until, firings):
        self.lines.append("\t".join((name, *schedule, str(seconds(after)), str(seconds(until)))))
        self.expected.append(sorted({seconds(one) for one in firings if after < one <= until}))

    def around(self, name, zone, change):
        after, until = change - datetime.timedelta(hours=26), change + datetime.timedelta(hours=26)
        days = [change.date() + DAY * n for n in range(-2, 3)]
        for schedule in AROUND_CHANGES:
            firings = [instant_of(zone, wall) for day in days for wall in walls_of_day(*schedule, day)]
            self.add(name, schedule, after, until, firings)
            if schedule in FROM_INSIDE:
                for offset_s in (-1801, -1, 0, 1799, 3600, 5400):
                    self.add(name, schedule, change + SECOND * offset_s, until, firings)

    def over(self, name, zone, schedule, begin, end):
        walls = (wall for wall in walls_of_years(*schedule) if begin - 2 * DAY < wall.replace(tzinfo=UTC) < end + 2 * DAY)
        self.add(name, schedule, begin, end, [instant_of(zone, wall) for wall in walls])


def distinct_zones():
    """One name for each content: aliases are the same file."""
    folders = [pathlib.Path(folder) for folder in zoneinfo.TZPATH if (pathlib.Path(folder) / "Europe/Berlin").is_file()]
    if not folders:
        sys.exit("Python finds no time zones here: the package tzdata is missing; run `scripts/setup test`")
    names = sorted(zoneinfo.available_timezones())
    by_content = collections.defaultdict(list)
    for name in names:
        by_content[hashlib.sha256((folders[0] / name).read_bytes()).digest()].append(name)
    distinct = [next((name for name in same if name in ODD), same[0]) for same in by_content.values()]
    return str(folders[0]), names, sorted(distinct)


def choose(names, wanted):
    if wanted == "all":
        return names
    return [name for i, name in enumerate(names) if name in ODD or i % int(wanted) == 0]


def ask(program, folder, lines):
    done = subprocess.run([program], input="\n".join(lines) + "\n", stdout=subprocess.PIPE, text=True, check=True,
                          env={**os.environ, "TZDIR": folder})
    answers = done.stdout.split("\n")[:-1]
    assert len(answers) == len(lines), (len(answers), len(lines))
    return answers


def compare(lines, answers, expected, totals):
    for line, answer, wanted in zip(lines, answers, expected):
        if answer.startswith("error"):
            totals["errors"] += 1
            print(f"{line}: {answer}")
            continue
        fired = [int(word) for word in answer.split()]
        missed = sorted(set(wanted) - set(fired))
        doubled = sorted((collections.Counter(fired) - collections.Counter(wanted)).elements())
        totals["firings"] += len(wanted)
        totals["missed"] += len(missed)
        totals["doubled"] += len(doubled)
        if (missed or doubled or fired != wanted) and totals["shown"] < 20:
            totals["shown"] += 1
            print(f"{line}: missed {missed[:5]}, fired without reason or twice {doubled[:5]}")


def check_zone(program, folder, name, years, is_whole):
    zone, questions, totals = zoneinfo.ZoneInfo(name), Questions(), collections.Counter()
    changes = changes_of(zone, datetime.timedelta(hours=6 if is_whole else 24))
    changes = changes if is_whole else changes[::3]
    for change in changes:
        questions.around(name, zone, change)
    for schedule in OVER_ALL_YEARS:
        questions.over(name, zone, schedule, BEGIN, END - 7 * DAY)
    for schedule in EVERY_DAY:
        questions.over(name, zone, schedule, *(datetime.datetime(year, 1, 1, tzinfo=UTC) for year in years))
    compare(questions.lines, ask(program, folder, questions.lines), questions.expected, totals)
    totals.update(changes=len(changes), questions=len(questions.lines))
    return totals


def check_names(program, folder, names):
    """Every name is known, aliases, too."""
    totals, begin = collections.Counter(), datetime.datetime(2025, 1, 1, tzinfo=UTC)
    questions = Questions()
    for name in names:
        walls = (datetime.datetime(2025, 1, 1, 12) + DAY * n for n in range(-1, 5))
        questions.add(name, ("daily", "12:00"), begin, begin + 3 * DAY,
                      [instant_of(zoneinfo.ZoneInfo(name), wall) for wall in walls])
    compare(questions.lines, ask(program, folder, questions.lines), questions.expected, totals)
    return totals


def main():
    program, wanted = sys.argv[1], os.environ.get("SCHEDULE_ZONES", "60")
    folder, names, distinct = distinct_zones()
    chosen, is_whole = choose(distinct, wanted), wanted == "all"
    totals = check_names(program, folder, names)
    with concurrent.futures.ProcessPoolExecutor() as pool:
        years = [(1971, 2100) if is_whole else (1975 + i % 120, 1977 + i % 120) for i in range(len(chosen))]
        several = len(chosen) * (program,), len(chosen) * (folder,), chosen, years, len(chosen) * (is_whole,)
        for of_zone in pool.map(check_zone, *several):
            totals.update(of_zone)
    print(f"{len(names)} zones read, {len(chosen)} of {len(distinct)} different ones compared: {totals['changes']} changes of clocks, "
          f"{totals['questions']} questions, {totals['firings']} firings; {totals['missed']} missed, {totals['doubled']} doubled, "
          f"{totals['errors']} errors")
    few = totals["changes"] < 1000 or totals["firings"] < 100_000
    return 1 if few or totals["missed"] or totals["doubled"] or totals["errors"] or totals["shown"] else 0


if __name__ == "__main__":
    sys.exit(main())
