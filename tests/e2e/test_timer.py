"""When schedules fire, as `belfry timer next` tells it: without a daemon, in the clocks of a zone."""

import json
import os
import re
import tempfile
import unittest

import belfry
from belfry import clean_environment, run

OK, FAILURE, USAGE = range(3)
SCHEDULES_PAGE = os.path.join(os.path.dirname(__file__), "../../docs/schedules.md")


def timer(*arguments, **variables):
    return run("timer", "next", *arguments, environment=clean_environment(**{"TZ": "Europe/Berlin", **variables}))


def firings(*arguments, **variables):
    shown = timer(*arguments, "--json", **variables)
    assert (shown.code, shown.err) == (OK, ""), shown
    return json.loads(shown.out)


class Next(belfry.Case):
    def test_fires_once_in_the_gap_of_spring_and_once_in_the_hour_that_comes_twice(self):
        spring = firings("--daily", "02:30", "--from", "2026-03-28T12:00:00Z", "--count", "2")
        self.assertEqual([one["at"] for one in spring["data"]], ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"])
        self.assertEqual([one["note"] for one in spring["data"]], ["gap", None])
        autumn = firings("--daily", "02:30", "--from", "2026-10-24T12:00:00Z", "--count", "2")
        self.assertEqual([one["at"] for one in autumn["data"]], ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"])
        self.assertEqual([one["note"] for one in autumn["data"]], ["repeated", None])

    def test_is_the_same_one_by_one_with_the_last_firing_as_in_one_list(self):
        for begin in ("2026-03-28T22:00:00Z", "2026-10-24T22:00:00Z"):
            listed = [one["at"] for one in firings("--cron", "*/20 * * * *", "--from", begin, "--count", "30")["data"]]
            self.assertEqual(len(set(listed)), 30)
            self.assertEqual(sorted(listed), listed)
            last = begin
            for at in listed[:20]:
                last = firings("--cron", "*/20 * * * *", "--from", last, "--count", "1")["data"][0]["at"]
                self.assertEqual(last, at)

    def test_knows_the_rule_of_the_years_behind_the_tables(self):
        for zone, wanted in (("Europe/Berlin", "2090-07-01T07:00:00+02:00"), ("America/Nuuk", "2090-07-01T07:00:00-01:00"),
                             ("Asia/Gaza", "2090-07-01T07:00:00+03:00"), ("Australia/Lord_Howe", "2090-07-01T07:00:00+10:30")):
            told = firings("--daily", "07:00", "--zone", zone, "--from", "2090-06-30T12:00:00Z", "--count", "1")
            self.assertEqual(told["data"][0]["local"], wanted, zone)

    def test_says_whose_clocks_it_shows(self):
        self.assertEqual((firings("--daily", "07:00")["zone"], firings("--daily", "07:00")["zone_from"]), ("Europe/Berlin", "TZ"))
        told = firings("--daily", "07:00", "--zone", "Asia/Tokyo")
        self.assertEqual((told["zone"], told["zone_from"]), ("Asia/Tokyo", "--zone"))
        told = firings("--daily", "07:00", TZ="CET-1CEST")
        self.assertEqual((told["zone"], told["zone_from"]), ("UTC", None))
        self.assertIn("in Asia/Tokyo (by --zone)", timer("--daily", "07:00", "--zone", "Asia/Tokyo").err)

    def test_tells_when_there_are_no_more(self):
        told = firings("--at", "2100-01-01T00:00:00Z")
        self.assertEqual((len(told["data"]), told["has_more"]), (1, False))
        self.assertTrue(firings("--every", "90m")["has_more"])
        self.assertIn("that is all: it fires once, not 5 times", timer("--at", "2100-01-01T00:00:00Z").err)

    def test_refuses_wrong_input_and_names_the_option(self):
        for typed, words in ((("--cron", "0 0 L * *"), "--cron: the day of month is \"L\""), (("--cron", "0 0 30 2 *"), "never comes"),
                             (("--daily", "25:00"), "--daily"), (("--weekly", "someday@07:00"), "--weekly"), (("--every", "0"), "--every"),
                             (("--at", "noon"), "--at"), (("--daily", "07:00", "--from", "noon"), "--from"),
                             (("--daily", "07:00", "--count", "1001"), "--count"), ((), "exactly one of"),
                             (("--daily", "07:00", "--zone", "Europe/Berln"), "did you mean Europe/Berlin?"),
                             (("--daily", "07:00", "--zone", "../../../etc/passwd"), "--zone"),
                             (("--daily", "07:00", "--zone", "/etc/localtime"), "--zone")):
            shown = timer(*typed)
            self.assertEqual((shown.code, shown.out), (USAGE, ""), typed)
            self.assertIn(words, shown.err)

    def test_of_damaged_data_is_a_failure_with_its_name(self):
        with open("/usr/share/zoneinfo/Europe/Berlin", "rb") as file:
            whole = file.read()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "Berlin")
            for size in (0, 4, 43, 44, 500, len(whole) - 1):
                with open(path, "wb") as file:
                    file.write(whole[:size])
                shown = timer("--daily", "07:00", "--zone", "Berlin", TZDIR=folder)
                self.assertEqual((shown.code, shown.out), (FAILURE, ""), size)
                self.assertIn(path, shown.err)

    def test_shows_what_the_page_says(self):
        with open(SCHEDULES_PAGE, encoding="utf-8") as file:
            blocks = re.findall(r"(?m)((?:^    .*\n)+)", file.read())
        tried = 0
        for block in blocks:
            for typed, said in re.findall(r"    \$ belfry timer next (.*)\n((?:    [^$].*\n)*)", block):
                words = [a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', typed)]
                shown, tried = timer(*words), tried + 1
                self.assertEqual(shown.err + shown.out, re.sub(r"(?m)^    ", "", said))
        self.assertEqual(tried, 3)


if __name__ == "__main__":
    unittest.main()
