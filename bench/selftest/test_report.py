"""What was measured is kept, judged and shown rightly. No server and no program of the build is needed for it."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

import page  # noqa: E402, the folder must be known first
import plots  # noqa: E402
import report  # noqa: E402
import results  # noqa: E402
import run  # noqa: E402
import soak.plot  # noqa: E402
from sections.common import Row  # noqa: E402

MACHINE = {"cpu": "a processor", "cores": 2, "kernel": "6.1", "file_system": "ext4"}
PAGE = """# Figures

By hand | before.

<!-- figures: summary -->
<!-- end of figures -->
Between.
<!-- figures: a b -->
old
<!-- end of figures -->

By hand, after.\\1
"""


def one_run(at):
    return {"at": at, "commit": "c" + at, "belfry": "build/belfry", "settings": "medians", "load_before": 0.1,
            "machine": MACHINE}


def section(letter, ours, **goal):
    return {"seconds": 7, "other_cores": 0.05,
            "rows": [Row(letter, f"row of {letter}", "events/s", "a peer", [100.0, 80.0, 120.0], ours, **goal).as_json()]}


def kept_of(*sections):
    return results.merged(results.nothing(), one_run("1"),
                          {one["rows"][0]["section"]: one for one in sections})


class Judging(unittest.TestCase):
    def row(self, ours, peers=(), **goal):
        return Row("a", "what", "ms", "peer" if peers else "", list(peers), ours, **goal).as_json()

    def test_a_row_has_the_ratio_of_its_medians_and_the_range_of_its_rounds(self):
        found = self.row([150, 90, 300], [100, 90, 200], least=1.25)
        self.assertEqual((found["belfry_value"], found["peer_value"], found["ratio"]), (150, 100, 1.5))
        self.assertEqual(found["range"], [1.0, 1.5])
        self.assertEqual((found["goal"], found["met"]), ({"of": "ratio", "least": 1.25}, True))

    def test_without_a_peer_the_range_is_that_of_the_figures(self):
        found = self.row([3, 1, 2], value_most=2)
        self.assertEqual((found["range"], found["met"], report.ours(found)), ([1, 3], True, "2 ms (1–3)"))

    def test_every_kind_of_goal_is_met_or_missed(self):
        for goal, good, bad in (({"least": 2}, 200, 199), ({"most": 2}, 200, 201), ({"value_least": 50}, 50, 49),
                                ({"value_most": 50}, 50, 51)):
            with self.subTest(goal):
                self.assertIs(self.row([good], [100], **goal)["met"], True)
                self.assertIs(self.row([bad], [100], **goal)["met"], False)
                self.assertGreaterEqual(results.share_of_goal(self.row([good], [100], **goal)), 1)
                self.assertLess(results.share_of_goal(self.row([bad], [100], **goal)), 1)

    def test_no_goal_or_nothing_to_compare_is_no_verdict(self):
        self.assertIsNone(self.row([1], [1])["met"])
        self.assertIsNone(self.row([1], least=2)["met"])
        self.assertIsNone(self.row([], [1], least=2)["met"])

    def test_a_goal_of_none_at_all_can_be_met(self):
        found = self.row([0], value_most=0)
        self.assertIs(found["met"], True)
        self.assertIsNone(results.share_of_goal(found))


class Keeping(unittest.TestCase):
    def test_a_part_measured_anew_leaves_the_others_with_their_own_run(self):
        before = kept_of(section("a", [200.0]), section("b", [300.0]))
        after = results.merged(before, one_run("2"), {"b": section("b", [400.0])})
        self.assertEqual(after["sections"]["a"], before["sections"]["a"])
        self.assertEqual(after["sections"]["b"]["rows"][0]["belfry_value"], 400.0)
        self.assertEqual({letter: one["run"] for letter, one in after["sections"].items()}, {"a": "1", "b": "2"})
        self.assertEqual(list(after["runs"]), ["1", "2"])

    def test_a_run_of_which_nothing_is_left_is_forgotten(self):
        before = kept_of(section("a", [200.0]))
        self.assertEqual(list(results.merged(before, one_run("2"), {"a": section("a", [1.0])})["runs"]), ["2"])
        self.assertEqual(list(results.merged(before, one_run("2"), {})["runs"]), ["1"])

    def test_a_file_gives_back_what_was_saved_and_another_format_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "kept.json"
            self.assertEqual(results.load(path), results.nothing())
            results.save(path, kept_of(section("a", [200.0])))
            self.assertEqual(results.load(path), kept_of(section("a", [200.0])))
            path.write_text(json.dumps({"format": 99}))
            self.assertRaises(ValueError, results.load, path)

    def test_a_section_that_fails_does_not_keep_the_others_from_theirs(self):
        def fails(_):
            raise RuntimeError("no peer")

        sections = {"a": fails, "b": lambda _: ([Row("b", "what", "ms", "", [], [1])],
                                                {"x": [{"other_cores": 0.1}, {"other_cores": 0.3}], "series": [1]})}
        measured, said = {}, {}
        with unittest.mock.patch.object(run, "SECTIONS", sections), unittest.mock.patch.object(run, "say") as told:
            self.assertEqual(run.measure(None, ["a", "b"], measured, said), ["a"])
        self.assertEqual(list(measured), ["b"])
        self.assertEqual((measured["b"]["other_cores"], measured["b"]["series"]), (0.3, [1]))
        self.assertIn("(a) FAILED, and is left as it was: no peer", told.call_args_list[0].args[0])


class Page(unittest.TestCase):
    def test_words_outside_of_the_marks_stay_and_tables_are_made_anew(self):
        text = page.rendered(PAGE, kept_of(section("a", [200.0], least=1.25), section("b", [100.0], least=1.25)))
        outside = page.MARKED.sub("", text)
        self.assertEqual(outside, page.MARKED.sub("", PAGE))
        self.assertNotIn("old", text)
        self.assertIn("| a | row of a | a peer | 100 events/s | 200 events/s | 2.00 × | ≥ 1.25 × | met |", text)
        self.assertIn("| b | row of b | a peer | 100 events/s | 100 events/s | 1.00 × | ≥ 1.25 × | **short** |", text)
        self.assertIn("**1 of 2 goals are met.** Short, the furthest first:", text)
        self.assertIn("| b | row of b | a peer | 1.00 × | ≥ 1.25 × | 80 % |", text)
        self.assertIn("- a, b: 1, measured at commit c1; `build/belfry`; medians; load before 0.1; others used up to 0.05 "
                      "cores meanwhile; 14 s.", text)

    def test_a_page_made_twice_is_the_same(self):
        kept = kept_of(section("a", [200.0]), section("b", [100.0]))
        once = page.rendered(PAGE, kept)
        self.assertEqual(page.rendered(once, kept), once)

    def test_each_table_names_its_run_once_there_are_several(self):
        kept = results.merged(kept_of(section("a", [1.0]), section("b", [1.0])), one_run("2"), {"b": section("b", [2.0])})
        table = page.part("a b", kept)
        self.assertIn("- a: 1, measured at commit c1", table)
        self.assertIn("- b: 2, measured at commit c2", table)
        self.assertNotIn("measured at", page.part("a", kept_of(section("a", [1.0]))))

    def test_a_section_that_the_page_does_not_show_is_no_silence(self):
        with self.assertRaisesRegex(page.PageError, "no table of section c"):
            page.rendered(PAGE, kept_of(section("a", [1.0]), section("c", [1.0])))

    def test_a_mark_without_an_end_is_refused(self):
        for broken in (PAGE.replace(page.END, "", 1), PAGE + page.END):
            self.assertRaises(page.PageError, page.rendered, broken, kept_of(section("a", [1.0])))

    def test_sizes_are_columns(self):
        kept = kept_of({**section("a", [1.0]), "series": [
            {"what": "encode", "unit": "MB/s", "at": "MB", "points": [[1, 987], [66, 965]]}]})
        self.assertEqual(page.part("series a", kept), "| MB/s | 1 MB | 66 MB |\n|---|---:|---:|\n| encode | 987 | 965 |")
        self.assertEqual(page.part("series z", kept), "Not measured yet.")

    def test_the_page_is_what_its_figures_make_of_it(self):
        """By the program itself, in a copy: whoever changes one of them has to make the others anew."""
        files = ["performance.json", "performance.md", *(f"plots/{name}" for name in plots.PICTURES)]
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder)
            for name in files[:2]:
                shutil.copy(ROOT / "docs" / name, copy)
            subprocess.run([sys.executable, ROOT / "bench/run.py", "--render", "--docs", copy], check=True)
            for name in files:
                self.assertEqual((copy / name).read_text(), (ROOT / "docs" / name).read_text(),
                                 f"docs/{name} is old: python3 bench/run.py --render")


class Pictures(unittest.TestCase):
    def bars(self, picture):
        """(left, right, class) of each bar, after the sheet itself."""
        tree = xml.etree.ElementTree.fromstring(picture)
        return [(float(bar.get("x")), float(bar.get("x")) + float(bar.get("width")), bar.get("class"))
                for bar in tree.iter("{http://www.w3.org/2000/svg}rect") if bar.get("x")]

    def test_bars_begin_at_the_goal_and_go_to_the_side_that_the_row_is_on(self):
        kept = kept_of(section("a", [200.0], least=1.0), section("b", [200.0], most=1.0), section("c", [200.0]))
        better, worse = self.bars(plots.beside_goals(kept))
        self.assertEqual((better[2], worse[2]), ("first", "second"))
        self.assertEqual(better[0], worse[1])
        self.assertAlmostEqual(better[1] - better[0], worse[1] - worse[0], delta=0.2)

    def test_less_time_than_the_peer_is_to_the_right(self):
        rows = [Row("a", "a < b & c", unit, "peer", [100], [50]).as_json() for unit in ("ms", "events/s")]
        quick, slow = self.bars(plots.beside_peers(kept_of({"rows": rows})))
        self.assertEqual(quick[0], slow[1])

    def test_a_row_of_zero_has_no_place_on_a_logarithmic_scale(self):
        kept = kept_of({"rows": [Row("a", "lost", "events", "", [], [0], value_most=0).as_json()]})
        self.assertEqual(self.bars(plots.beside_goals(kept)) + self.bars(plots.beside_peers(kept)), [])

    def test_the_soak_s_picture_is_on_the_same_sheet(self):
        looks = [{"second": second, "rss_mb": 10, "pull, p50 ms": 1, "pull, p99 ms": 2} for second in (10, 20)]
        tree = xml.etree.ElementTree.fromstring(soak.plot.picture(looks))
        lines = [line.get("class") for line in tree.iter("{http://www.w3.org/2000/svg}polyline") if line.get("points")]
        self.assertEqual(sorted(lines), ["line first", "line first", "line second"])


if __name__ == "__main__":
    unittest.main()
