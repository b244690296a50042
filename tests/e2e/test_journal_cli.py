"""The journal on the command line: a day in the life, what others see of it, and what is refused."""

import json
import unittest

import belfry
from agents import AgentCase, Worker
from belfry import unique

OK, FAILURE, USAGE, UNREACHABLE, REFUSED, PARTIAL = range(6)
DAY = "2026-11-17"
BERLIN = {"TZ": "Europe/Berlin"}


class CommandCase(AgentCase):
    def typed(self, daemon, *words, code=OK, **more):
        """What a command said; it ends with this code."""
        shown = daemon.run(*words, environment={**BERLIN, **more.pop("environment", {})}, **more)
        self.assertEqual(shown.code, code, f"{words}: {shown.out}{shown.err}")
        return shown

    def told(self, daemon, *words, **more):
        """The same in JSON, one object a line."""
        return [json.loads(line) for line in self.typed(daemon, *words, "--json", **more).out.splitlines()]

    def exported(self, daemon):
        return sorted(json.dumps(json.loads(line), sort_keys=True)
                      for line in self.typed(daemon, "journal", "export").out.splitlines())


class ADay(CommandCase):
    def test_is_planned_done_rated_and_taken_to_another_daemon(self):
        one = self.daemon()
        self.assertEqual(self.typed(one, "journal", "status").out, "the journal is empty\n")
        self.typed(one, "category", "add", "focus", "--name", "Deep work", "--color", "#3366cc")
        self.typed(one, "label", "add", "urgent")
        made = self.typed(one, "task", "add", "Write the letter", "--category", "focus", "--priority", "p1", "--due", DAY,
                          "--estimate", "90m", "--label", "urgent", "--language", "de", "--text", "-", stdin=b"To Ada.\nSoon.")
        task = made.out.strip()
        self.assertEqual(made.err, f"task {task}: Write the letter (open, p1, due {DAY}), in focus\n")
        [record] = self.told(one, "task", "show", task)
        self.assertEqual([record[name] for name in ("text", "estimate_min", "label_ids", "language", "category_id")],
                         ["To Ada.\nSoon.", 90, ["urgent"], "de", "focus"])

        boxes = self.typed(one, "checklist", "add", task, "Before it goes", "stamp", "address").out.split()
        self.typed(one, "checklist", "check", boxes[1])
        self.assertEqual(self.typed(one, "checklist", "list", task).out,
                         f"Before it goes ({boxes[0]})\n  [x] stamp ({boxes[1]})\n  [ ] address ({boxes[2]})\n")

        self.typed(one, "plan", "add", "11:00-12:00", "Walk", "--date", DAY)
        self.typed(one, "plan", DAY, "add", "09:00-11:00", "Deep work", "--category", "focus", "--task", task)
        self.typed(one, "plan", DAY, "pin", task)
        [plan] = self.told(one, "plan", DAY)
        self.assertEqual([(block["start_at"], block["category_id"], block["note"]) for block in plan["blocks"]],
                         [(f"{DAY}T08:00:00Z", "focus", "Deep work"), (f"{DAY}T10:00:00Z", "general", "Walk")])
        self.assertEqual(plan["pinned_task_ids"], [task])
        shown = self.typed(one, "plan", DAY).out
        self.assertRegex(shown, r"(?m)^09:00  11:00  focus +Deep work  Write the letter  \S+$")
        self.assertRegex(shown, rf"(?m)^{task}  open +Write the letter$")

        session = self.typed(one, "time", "start", task).out.strip()
        again = self.typed(one, "time", "start", code=FAILURE)
        self.assertIn("belfry time stop", again.err)
        self.assertRegex(self.typed(one, "time", "status").out, r"^0:00 since \S+ \S+ on Write the letter\n$")
        self.typed(one, "time", "stop", "--note", "First draft")
        [entry] = self.told(one, "time", "list", "--task", task)
        self.assertEqual((entry["id"], entry["note"], entry["category_id"]), (session, "First draft", "focus"))
        self.assertGreaterEqual(entry["ended_at"], entry["started_at"])
        self.assertIn("no timer runs", self.typed(one, "time", "stop", code=FAILURE).err)

        self.typed(one, "rate", "session", "5")
        self.typed(one, "rate", "day", DAY, "3")
        self.typed(one, "rate", "day", DAY, "4", "--note", "Quiet")
        self.assertEqual([(rating["target"], rating["target_id"], rating["score"], rating["note"])
                          for rating in self.told(one, "rate", "list")],
                         [("day", DAY, 4, "Quiet"), ("session", session, 5, None)])

        run = self.typed(one, "entry", "add", "Along the river", "--workout", "running", "--duration", "45m").out.strip()
        self.typed(one, "link", "add", task, "follow_up", run, "--metadata", '{"why": "air"}')
        [link] = self.told(one, "link", "list", run)
        self.assertEqual((link["from_id"], link["relation"], link["metadata"]), (task, "follow_up", {"why": "air"}))

        self.typed(one, "task", "done", task)
        self.assertEqual(self.told(one, "task", "list"), [])
        self.assertEqual([found["status"] for found in self.told(one, "task", "list", "--all")], ["done"])
        gone = self.typed(one, "task", "add", "Forget this", "--id", "gone").out.strip()
        self.typed(one, "task", "delete", gone)
        self.assertIn(task, self.typed(one, "journal", "search", "the", "lett").out)

        lines = self.typed(one, "journal", "export").out
        other = self.daemon()
        taken = self.typed(other, "journal", "import", "-", stdin=lines.encode())
        self.assertEqual(taken.err, f"{len(lines.splitlines())} taken, 0 unchanged, 0 in conflict\n")
        self.assertEqual(self.exported(other), self.exported(one))
        repeated = self.typed(other, "journal", "import", "-", stdin=lines.encode())
        self.assertEqual(repeated.err, f"0 taken, {len(lines.splitlines())} unchanged, 0 in conflict\n")
        self.assertEqual([found["title"] for found in self.told(other, "task", "list", "--all")], ["Write the letter"])

    def test_that_was_changed_on_both_sides_is_a_conflict_and_stays(self):
        one, other = self.daemon(), self.daemon()
        for number in range(3):
            self.typed(one, "task", "add", f"Task {number}", "--id", f"t{number}")
        lines = self.typed(one, "journal", "export").out
        self.typed(other, "journal", "import", "-", stdin=lines.encode())
        self.typed(other, "task", "edit", "t1", "--title", "Another")
        place = next(i for i, line in enumerate(lines.splitlines(), 1) if json.loads(line)["id"] == "t1")
        shown = self.typed(other, "journal", "import", "-", stdin=lines.encode(), code=FAILURE)
        self.assertRegex(shown.err, rf"(?m)^line {place}: t1: ")
        self.assertIn(f"0 taken, {len(lines.splitlines()) - 1} unchanged, 1 in conflict", shown.err)
        [sums] = self.told(other, "journal", "import", "-", stdin=lines.encode(), code=FAILURE)
        self.assertEqual([(found["line"], found["id"]) for found in sums["conflicts"]], [(place, "t1")])
        self.assertEqual(self.told(other, "task", "show", "t1")[0]["title"], "Another")

    def test_of_many_lines_goes_in_slices_and_names_the_line_at_fault(self):
        one, other = self.daemon(), self.daemon()
        self.typed(one, "task", "add", "First", "--id", "t")
        lines = self.typed(one, "journal", "export").out.splitlines()
        general, task = [json.loads(line) for line in lines]
        many = [general] + [{**task, "id": f"t{number}"} for number in range(1100)]
        text = "\n".join(json.dumps(record) for record in many) + "\n"
        shown = self.typed(other, "journal", "import", "-", stdin=text.encode() + b'{"kind":"task"}\n', code=PARTIAL)
        self.assertIn("line 1102: id must be given", shown.err)
        self.assertIn("1000 taken", shown.err)
        self.assertIn("101 taken, 1000 unchanged", self.typed(other, "journal", "import", "-", stdin=text.encode()).err)
        self.assertEqual(len(self.told(other, "task", "list", "--all", "--limit", "5000")), 1100)
        self.assertEqual(len(self.typed(other, "journal", "export").out.splitlines()), 1101)


class Commands(CommandCase, belfry.SharedCase):
    def test_lists_are_narrowed(self):
        where, label = unique("c"), unique("l")
        self.typed(self.belfry, "category", "add", where)
        self.typed(self.belfry, "label", "add", label)
        wanted = {}
        for name, more in {"plain": [], "late": ["--due", "2026-11-10"], "soon": ["--due", "2026-12-24"], "marked": ["--label", label],
                           "blocked": ["--status", "blocked"], "done": ["--status", "done"]}.items():
            wanted[name] = self.typed(self.belfry, "task", "add", f"{name} {where}", "--category", where, *more).out.strip()
        names = {task: name for name, task in wanted.items()}

        def listed(*words):
            return [names.get(found["id"]) for found in self.told(self.belfry, "task", "list", *words)]

        self.assertEqual(listed("--category", where), ["blocked", "marked", "soon", "late", "plain"])
        self.assertEqual(listed("--category", where, "--all"), ["done", "blocked", "marked", "soon", "late", "plain"])
        self.assertEqual(listed("--category", where, "--status", "done,blocked"), ["done", "blocked"])
        self.assertEqual(listed("--category", where, "--due-to", "2026-12-24"), ["late", "soon"])
        self.assertEqual(listed("--category", where, "--due-to", "2026-12-23"), ["late"])
        self.assertEqual(listed("--label", label), ["marked"])
        self.assertEqual(listed("--search", f"soon {where[:-2]}"), ["soon"])
        shown = self.typed(self.belfry, "task", "list", "--category", where, "--limit", "2")
        self.assertEqual((len(shown.out.splitlines()), shown.err), (3, "(there are more; --limit shows them)\n"))

    def test_a_stale_revision_a_tombstone_and_a_wrong_field_are_refused_with_words(self):
        task = self.typed(self.belfry, "task", "add", "Once").out.strip()
        self.typed(self.belfry, "task", "edit", task, "--title", "Twice", "--revision", "1")
        stale = self.typed(self.belfry, "task", "edit", task, "--title", "Thrice", "--revision", "1", code=FAILURE)
        self.assertIn("2", stale.err)
        self.typed(self.belfry, "task", "edit", task, "--due", "tomorrow", "--estimate", "2h")
        self.typed(self.belfry, "task", "edit", task, "--due", "none", "--estimate", "none")
        [record] = self.told(self.belfry, "task", "show", task)
        self.assertEqual((record["title"], record["due_date"], record["estimate_min"]), ("Twice", None, None))
        self.typed(self.belfry, "task", "delete", task)
        for words in (["show", task], ["edit", task, "--title", "x"], ["delete", task], ["add", "x", "--id", task]):
            shown = self.belfry.run("task", *words, "--json")
            self.assertEqual((shown.code, json.loads(shown.err)["error"]["code"]), (FAILURE, "gone"), words)
        for words, said in ((["task", "add", "x" * 1001], "1000 bytes"), (["task", "add", "x", "--language", "?"], "--language must"),
                            (["task", "add", "x", "--category", unique()], "category"),
                            (["category", "add", unique(), "--color", "red"], "--color must"),
                            (["entry", "add", "x", "--type", "text", "--workout", "running"], "workout"),
                            (["link", "add", "a", "tool_effect", "b"], "by Belfry alone")):
            shown = self.belfry.run(*words)
            self.assertEqual((shown.code, shown.out), (FAILURE, ""), words)
            self.assertIn(said, shown.err)

    def test_a_task_is_moved_with_what_belongs_to_it(self):
        where = unique("c")
        self.typed(self.belfry, "category", "add", where)
        task = self.typed(self.belfry, "task", "add", "Move me").out.strip()
        box = self.typed(self.belfry, "checklist", "add", task, "Boxes", "one").out.split()
        self.typed(self.belfry, "task", "move", task, where)
        self.assertEqual({found["category_id"] for found in self.told(self.belfry, "checklist", "list", task)}, {where})
        full = self.typed(self.belfry, "category", "delete", where, "--json", code=FAILURE)
        self.assertEqual(json.loads(full.err)["error"]["reason"], "not_empty")
        self.typed(self.belfry, "checklist", "remove", box[1])
        self.typed(self.belfry, "checklist", "delete", box[0])
        self.assertEqual(self.typed(self.belfry, "checklist", "list", task).out, "")

    def test_one_person_does_not_see_the_journal_of_another(self):
        task = self.typed(self.belfry, "task", "add", "Secret", "--user", "bob").out.strip()
        token, _ = self.belfry.mint("user", user_id="ada")
        url = f"http://127.0.0.1:{self.belfry.port}"
        for words in (["show", task], ["done", task], ["delete", task]):
            shown = self.belfry.run("task", *words, "--url", url, "--token", token)
            self.assertEqual((shown.code, shown.out), (FAILURE, ""), shown.err)
        self.assertNotEqual(self.belfry.run("task", "list", "--user", "bob", "--url", url, "--token", token).code, OK)
        self.assertEqual(self.told(self.belfry, "task", "show", task, "--user", "bob")[0]["status"], "open")

    def test_a_link_is_hidden_shown_and_removed(self):
        ends = [self.typed(self.belfry, "entry", "add", f"End {number}").out.strip() for number in range(2)]
        self.typed(self.belfry, "link", "add", ends[0], "blocked_by", ends[1], "--hidden")
        self.assertEqual(self.told(self.belfry, "link", "list", ends[1]), [])
        self.assertEqual(len(self.told(self.belfry, "link", "list", ends[1], "--hidden", "--incoming")), 1)
        self.typed(self.belfry, "link", "remove", ends[0], "blocked_by", ends[1])
        self.assertEqual(self.told(self.belfry, "link", "list", ends[1], "--hidden"), [])

    def test_within_work_the_agent_reaches_no_further_than_its_categories(self):
        agent, inside, outside = unique("a"), unique("in"), unique("out")
        for where in (inside, outside):
            self.typed(self.belfry, "category", "add", where)
            self.typed(self.belfry, "task", "add", f"Of {where}", "--id", f"t-{where}", "--category", where)
        self.typed(self.belfry, "agent", "create", agent, "--category", inside)
        worker = Worker(self.belfry, ["work", "--agent", agent, "--once"], f"""
            {belfry.BINARY} task list --json > seen
            {belfry.BINARY} task done t-{inside}; echo $? >> codes
            {belfry.BINARY} task done t-{outside}; echo $? >> codes
            """)
        self.addCleanup(worker.end)
        self.typed(self.belfry, "wake", "now", agent, "--wait")
        self.assertEqual(worker.wait_for("codes", 2), [str(OK), str(FAILURE)], "it is not there")
        self.assertEqual([json.loads(line)["id"] for line in worker.lines("seen")], [f"t-{inside}"])
        self.assertEqual(self.told(self.belfry, "task", "show", f"t-{inside}")[0]["status"], "done")
        self.assertEqual(self.told(self.belfry, "task", "show", f"t-{outside}")[0]["status"], "open")


class SwitchedOff(CommandCase):
    def test_the_commands_say_so(self):
        daemon = self.daemon("--no-journal")
        for words in (["task", "list"], ["plan"], ["time", "status"], ["journal", "export"]):
            shown = self.typed(daemon, *words, code=FAILURE)
            self.assertIn("journal", shown.err)


if __name__ == "__main__":
    unittest.main()
