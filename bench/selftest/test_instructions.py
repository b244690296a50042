"""Instruction counts are read, compared and shown rightly. No program of the build is needed for it."""
import json
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "bench" / "instructions"
sys.path.insert(0, str(FOLDER))

import counts  # noqa: E402, the folder must be known first


def dump(name, summary, totals=None):
    return f"version: 1\ndesc: Trigger: Client Request: {name}\nevents: Ir\nsummary: {summary}\n\nfn=(1) f\n0 7\n\n" \
           f"totals: {summary if totals is None else totals}\n"


def table(**paths):
    return {name: {"instructions": value, "operations": 10} for name, value in paths.items()}


class Reading(unittest.TestCase):
    def test_instructions_of_an_operation_are_those_of_the_dump_divided_by_its_operations(self):
        dumps = [dump("set-up", 99), dump("ingest", 2000), "desc: Trigger: Program termination\nsummary: 5\ntotals: 5\n",
                 dump("pull", 305)]
        self.assertEqual(counts.per_operation(dumps, {"ingest": 20, "pull": 10}),
                         {"ingest": {"instructions": 100, "operations": 20}, "pull": {"instructions": 30, "operations": 10}})

    def test_a_dump_that_is_not_whole_or_missing_is_no_count(self):
        for dumps in ([dump("ingest", 2000, 2001)], [dump("ingest", 2000).split("totals")[0]], [dump("pull", 2000)], []):
            with self.assertRaises(counts.CountError):
                counts.per_operation(dumps, {"ingest": 20})


class Comparing(unittest.TestCase):
    def test_a_path_may_grow_by_five_percent_and_no_more(self):
        lines, failed = counts.compare(table(ingest=1000, pull=1000), table(ingest=1050, pull=1051))
        self.assertEqual(failed, ["pull"])
        self.assertEqual(lines, ["ingest: 1,000 -> 1,050 instructions per operation (+5.00%)",
                                 "pull: 1,000 -> 1,051 instructions per operation (+5.10%); FAILED: grew by more than 5%"])

    def test_a_path_may_shrink(self):
        self.assertEqual(counts.compare(table(ingest=1000), table(ingest=500))[1], [])

    def test_table_and_program_have_the_same_paths(self):
        lines, failed = counts.compare(table(ingest=1000, pull=1000), table(ingest=1000, wake=1000))
        self.assertEqual(failed, ["pull", "wake"])
        self.assertIn("pull: not counted any more; FAILED", lines)

    def test_two_runs_differ_by_their_largest_difference_in_either_direction(self):
        self.assertEqual(counts.largest_difference(table(ingest=1000, pull=1000), table(ingest=1001, pull=990)), 0.01)


class TheTable(unittest.TestCase):
    def setUp(self):
        self.table = json.loads((FOLDER / "counts.json").read_text())

    def test_has_every_path_that_the_program_counts(self):
        counted = []
        for path in sorted(FOLDER.glob("*.cpp")):
            counted += re.findall(r'(?:count\(|count_requests\(folder, )"(\w+)"', path.read_text())
        self.assertEqual(sorted(counted), sorted(self.table["paths"]))
        self.assertEqual(sorted(counted), sorted(counts.PATHS))

    def test_was_repeated(self):
        self.assertLessEqual(self.table["repeat"], counts.REPEAT_MAX)

    def test_is_what_the_page_shows(self):
        self.assertEqual((ROOT / "docs" / "instructions.md").read_text(), counts.page(self.table),
                         "bench/instructions/run.py --page makes it anew")


if __name__ == "__main__":
    unittest.main()
