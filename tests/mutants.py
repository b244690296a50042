#!/usr/bin/python3
"""Shows that the tests can fail: each mutant is a small mistake made in a copy of the source, and `simulate` (or another
test that the mutant names) must contradict it. Run by `make mutants`; `make test` only sees that each of them can still be
made (--check).

    tests/mutants.py [--only NAME]... [--seeds N] [--steps N] [--jobs N] [--workers N] [--resume] [--table FILE]
    tests/mutants.py --findings [--only NAME]... [--table FILE]
    tests/mutants.py --sound [--only NAME]...
    tests/mutants.py --check

`--findings` puts the findings of the audits back, one at a time, and asks the observer alone (tests/observer): first its worlds
in the simulator, then its worlds against the real binary.
The last result of each mutant is in docs/mutants.json. It counts for the sources that decide it: the product, the mutant and the
tests that have to find it. `--resume` passes over mutants that were found on the same sources.
Each worker has a copy of the build folder. All copies are at one path, in a mount namespace for each worker: compilers and ninja
keep absolute paths. More than one worker needs the right to mount.
"""
import argparse
import datetime
import fnmatch
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from sources import BINARY, PRODUCT, UNIT_TESTS, code_id, git  # noqa: E402

MUTANTS = ROOT / "tests" / "mutants"
SCRATCH = pathlib.Path(os.environ.get("MUTANTS_SCRATCH", ROOT / "build-mutants"))
SIMULATION = "simulate"
WORLDS = (["--world", "agents"], ["--world", "journal"], ["--world", "tools"], ["--world", "memory"],
          ["--world", "merges"], ["--world", "devices"])
END_TO_END = ("e2e", "e2e.postgres")
OBSERVED = "simulate_observed"  # the observer's worlds in the simulator
OBSERVER = "observer"  # the observer's worlds against the real binary
OBSERVER_DEVICES = "observer_devices"  # the observer's worlds of paired devices
REAL_WORLDS = (OBSERVER, OBSERVER_DEVICES)
DEVICES_AUDIT = "agents"  # the audit whose findings the worlds of devices show
OBSERVED_SEEDS = 1000
OBSERVER_SEEDS = 6
OBSERVER_DEVICES_SEEDS = 3
OBSERVE = SCRATCH / "observe-unchanged"
ACCOUNT = ROOT / "docs" / "mutants.json"  # the last result of each mutant
SIMULATION_SECONDS_MAX = 1800
TEST_SECONDS_MAX = 300
NOT_FOUND = {"found": False, "by": "", "in_test": False, "says": "", "repeat": "", "after": ""}


class Mutant:
    """A mutant is text: lines of `# why`, `file <path>`, then `<<<<`, the old text, `====`, the new text, `>>>>`. A line
    `by <program> [<filter>]` names a test that has to find it in the place of `simulate`, with the filter that GoogleTest
    takes; a line `finding <audit> <number>` names the finding of an audit that the mutant puts back; `by e2e <test>` one of tests/e2e, as unittest names it (`test_access.Strangers`), and `by e2e.postgres <test>` one
    that is run on PostgreSQL; `by simulate_observed` and `by observer` the observer's worlds, `by observer_devices` its worlds of paired devices; `by simulate --world agents` (or `journal`, `tools`, `memory`, `merges`, `devices`) that world of the simulation. Of several such lines one that finds
    it is enough. A line `with <words>` says what `simulate` is to be tried with beside what `make test` runs."""

    def __init__(self, path):
        self.name, self.finders, self.changes, self.first = path.stem, [], [], []
        self.finding = ""
        why, file, part = [], None, None
        for line in path.read_text().splitlines():
            if part is None:
                if line.startswith("# "):
                    why.append(line[2:])
                elif line.startswith("file "):
                    file = line[5:].strip()
                elif line.startswith("by "):
                    self.finders.append(line[3:].strip())
                elif line.startswith("finding "):
                    self.finding = line[8:].strip()
                elif line.startswith("with "):
                    self.first = [line[5:].split()]
                elif line == "<<<<":
                    old, new, part = [], [], "old"
            elif part == "old" and line == "====":
                part = "new"
            elif part == "new" and line == ">>>>":
                self.changes.append((file, "\n".join(old), "\n".join(new)))
                part = None
            else:
                (old if part == "old" else new).append(line)
        self.why = " ".join(why)
        self.finders = self.finders or [SIMULATION]

    def texts(self):
        """The files that it changes, as it changes them. Raises ValueError where it cannot be made in today's source."""
        if not self.changes:
            raise ValueError("there is no change in it")
        texts = {}
        for file, old, new in self.changes:
            if file not in texts:
                if not (ROOT / file).is_file():
                    raise ValueError(f"there is no file {file}")
                texts[file] = (ROOT / file).read_text()
            times = texts[file].count(old)
            if times != 1:
                raise ValueError(f"what it changes is in {file} {times} times")
            texts[file] = texts[file].replace(old, new)
        return texts


def tests_of(program):
    """All tests of a unit test program, as its filter names them."""
    text = "".join(path.read_text() for path in (ROOT / "src" / program.removeprefix("test_")).glob("*_test.cpp"))
    return [".".join(names) for names in re.findall(r"^TEST\w*\((\w+),\s*(\w+)\)", text, re.MULTILINE)]


def check_finder(finder):
    """Raises ValueError where it names a test that there is not: that would fail, and be taken for a find."""
    kind, *names = finder.split()
    if kind in END_TO_END:
        file, *parts = names[0].split(".")
        path = ROOT / "tests" / "e2e" / f"{file}.py"
        text = path.read_text() if path.is_file() else ""
        there = text and all(re.search(rf"^ *(class|def) {part}\b", text, re.MULTILINE) for part in parts)
    elif kind in (OBSERVED, *REAL_WORLDS):
        there = not names
    elif kind == SIMULATION:
        there = not names or names in WORLDS
    else:
        there = not names or any(fnmatch.fnmatchcase(test, names[0]) for test in tests_of(kind))
    if not there:
        raise ValueError(f"there is no test {finder}")


def check(mutants):
    """Each can be made, its finders are there, and no two of them are one mistake for the same finders."""
    wrong, made = [], {}
    for mutant in mutants:
        try:
            for finder in mutant.finders:
                check_finder(finder)
            same = made.setdefault((*mutant.finders, *sorted(mutant.texts().items())), mutant.name)
        except ValueError as error:
            wrong.append(f"{mutant.name}: {error}")
            continue
        if same != mutant.name:
            wrong.append(f"{mutant.name}: it is {same} once more")
    for line in wrong:
        print(line)
    if wrong:
        sys.exit(f"{len(wrong)} of {len(mutants)} mutants cannot be made")
    print(f"{len(mutants)} mutants can be made")


def copy_source():
    """The copy keeps unchanged files untouched, so that only what a mutant changes is compiled again."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout
    files = {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
    for name in files:
        copy = SCRATCH / name
        if copy.exists() and copy.read_bytes() == (ROOT / name).read_bytes():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy)
    for copy in (SCRATCH / "src").rglob("*"):
        if copy.is_file() and str(copy.relative_to(SCRATCH)) not in files:
            copy.unlink()


def build(program, jobs):
    log = SCRATCH / "build.log"
    with log.open("w") as out:
        if not (SCRATCH / "build-test" / "build.ninja").exists():
            subprocess.run(["cmake", "--preset", "test", "-DBELFRY_UNITY=OFF"], cwd=SCRATCH, stdout=out, stderr=out, check=True)
        done = subprocess.run(["ninja", "-C", "build-test", f"-j{jobs}", program], cwd=SCRATCH, stdout=out, stderr=out)
    if done.returncode != 0:
        raise ValueError(f"it does not compile: see {log}")


def build_observer(options):
    """The checker of the real binary's worlds is built once; no mutant changes it."""
    build("observe", options.jobs)
    shutil.copy(SCRATCH / "build-test" / "observe", OBSERVE)


def program_of(finder):
    """What has to be built for it."""
    kind = finder.split()[0]
    return "belfry" if kind in (*END_TO_END, *REAL_WORLDS) else kind


def words_of(finder):
    """The command that `make test` runs, or the part of it that the finder names."""
    kind, *names = finder.split()
    beside = [sys.executable, SCRATCH / "tests" / "with_postgres.py"] if kind in ("test_store", "e2e.postgres") else []
    if kind in END_TO_END:
        return [*beside, sys.executable, "-m", "unittest", "-f", *names]
    if kind == OBSERVER:
        worlds = ["--seconds", "15", "--stop", "--seeds", ",".join(str(seed) for seed in range(1, OBSERVER_SEEDS + 1))]
        return [sys.executable, SCRATCH / "tests" / "observer" / "world.py", "--observe", OBSERVE, *worlds, *names]
    if kind == OBSERVER_DEVICES:
        worlds = ["--seconds", "30", "--stop", "--seeds", ",".join(str(seed) for seed in range(1, OBSERVER_DEVICES_SEEDS + 1))]
        return [sys.executable, SCRATCH / "tests" / "observer" / "devices_world.py", "--observe", OBSERVE, *worlds, *names]
    program = SCRATCH / "build-test" / kind
    if kind == OBSERVED:
        return [program, "--quiet", "--seeds", str(OBSERVED_SEEDS), *names]
    if kind == SIMULATION:
        return [program, *names]
    return [*beside, program, "--gtest_brief=1", "--gtest_fail_fast", *(f"--gtest_filter={name}" for name in names)]


def rounds_of(mutant, seeds, steps):
    """What to run until something contradicts it: first what `make test` runs, then the cheapest first. Mistakes of delivery
    show where much is delivered, so crowds come before the rest; most others show in the first steps of some seed. Each is
    the finder, its command, and whether `make test` runs it."""
    rounds = [(finder, words_of(finder), True) for finder in mutant.finders]
    if any(world in mutant.finders for world in REAL_WORLDS):
        return rounds
    if SIMULATION in mutant.finders:
        crowded = ["--crowded", "--seeds", "16", "--steps", "300"]
        mixed = ["--seeds", str(seeds), "--steps", str(steps)]
        more = mutant.first + ([crowded, mixed] if mutant.name.startswith("protocol_") else [mixed])
        rounds += [(SIMULATION, words_of(SIMULATION) + words, False) for words in more]
    for finder in mutant.finders:
        if finder.split()[1:] in WORLDS:
            words = ["--seeds", str(seeds), "--steps", str(steps)]
            rounds.append((finder, words_of(finder) + words, False))
    return rounds


def complaint(finder, words):
    """What it says where it fails; nothing where it does not."""
    environment = {**os.environ, "BELFRY": str(SCRATCH / "build-test" / "belfry"), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("SIM_SEEDS", None)
    if finder.startswith("e2e.postgres "):
        environment["BELFRY_TEST_STORE"] = "postgres"
    is_simulated = program_of(finder) in (SIMULATION, OBSERVED) or finder in REAL_WORLDS
    seconds = SIMULATION_SECONDS_MAX if is_simulated else TEST_SECONDS_MAX
    try:
        done = subprocess.run(words, cwd=SCRATCH / "tests" / "e2e", env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=seconds)
    except subprocess.TimeoutExpired:
        if is_simulated:
            raise  # so many seeds may take their time
        return [f"it has not ended after {seconds} s"]
    if done.returncode == 0:
        return None
    lines = done.stdout.strip().splitlines()
    if finder in (OBSERVED, *REAL_WORLDS) and not any(line.split(":")[0] in invariants() for line in lines):
        raise ValueError(f"the observer failed without a report: {lines[-1] if lines else 'no output'}")
    return done.stdout.strip().splitlines() or ["it ended without a word"]


@functools.cache
def invariants():
    """The names of the observer's invariants."""
    texts = [path.read_text() for path in (ROOT / "tests" / "observer").glob("invariants_*.cpp")]
    return {name for text in texts for name in re.findall(r'^ *\{"([a-z_]+)",', text, re.MULTILINE)}


def telling(said):
    """The complaint, the line that repeats it, and after how many steps it came."""
    judged = [line for line in said if line.split(":")[0] in invariants()]
    first = judged or [line for line in said if line.startswith(("step ", "[  FAILED  ]", "FAIL: ", "ERROR: ")) or "assertion" in line]
    text = "\n".join(said)
    again = re.search(r"repeat with: simulate(?:_observed)? (.*)", text)
    after = re.search(r"found after (.*)", text)
    return {"says": (first or said)[0], "repeat": again.group(1).strip() if again else "",
            "after": after.group(1) if after else ""}


def write_table(path, mutants, results):
    lines = ["| mutant | what it breaks | found by | after | by `make test` |", "|---|---|---|---|---|"]
    for mutant in mutants:
        found = results.get(mutant.name)
        if not found:
            continue
        by = f"`{found['repeat'] or found['by']}`" if found["found"] else "**not found**"
        in_test = "yes" if found["in_test"] else "**no**"
        lines.append(f"| `{mutant.name}` | {mutant.why} | {by} | {found['after']} | {in_test} |")
    path.write_text("\n".join(lines) + "\n")


def write_findings(path, mutants, results):
    """The findings that were put back, and which invariant of the observer reports each."""
    lines = ["| finding | mutant | reported by | world |", "|---|---|---|---|"]
    worlds = {OBSERVED: "simulator", OBSERVER: "real binary", OBSERVER_DEVICES: "devices"}
    for mutant in sorted(mutants, key=lambda one: (one.finding.split()[0], natural_key(one.finding))):
        found = results.get(mutant.name, NOT_FOUND)
        by = f"`{found['says'].split(':')[0]}`" if found["found"] else "**not reported**"
        lines.append(f"| {mutant.finding} | `{mutant.name}` | {by} | {worlds.get(found['by'], '')} |")
    path.write_text("\n".join(lines) + "\n")


def natural_key(finding):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", finding)]


def attempt(mutant, options):
    """Makes it, builds it and lets it be found; the copy is as it was afterwards."""
    result, began = NOT_FOUND, time.monotonic()
    for file, text in mutant.texts().items():
        (SCRATCH / file).write_text(text)
    try:
        for finder, words, in_test in rounds_of(mutant, options.seeds, options.steps):
            build(program_of(finder), options.jobs)
            if finder in REAL_WORLDS and not OBSERVE.exists():
                build_observer(options)
            if said := complaint(finder, words):
                result = {"found": True, "by": finder, "in_test": in_test, **telling(said)}
                break
    finally:
        for file in mutant.texts():
            shutil.copyfile(ROOT / file, SCRATCH / file)
    seconds = time.monotonic() - began
    print(f"{'found   ' if result['found'] else 'SURVIVED'} {mutant.name:40} {seconds:6.1f} s  {mutant.why}", flush=True)
    if result["found"]:
        print(f"         {result['says'][:150]}\n         {result['repeat'] or result['by']}  {result['after']}", flush=True)
    return result


@functools.cache
def code_of(*paths):
    return code_id(paths)


def tests_behind(finder):
    """The sources of the test that a finder names, beside the product."""
    kind, *names = finder.split()
    if kind in END_TO_END:
        return ["tests/e2e", ":(exclude)tests/e2e/test_*", "tests/with_postgres.py"], [f"tests/e2e/{names[0].split('.')[0]}.py"]
    if kind in (OBSERVED, *REAL_WORLDS):
        return ["tests/observer", "src/sim", *UNIT_TESTS], ["tests/e2e"]
    if kind == SIMULATION:
        return ["src/sim", "tests/simulate.cpp", *UNIT_TESTS], []
    folder = kind.removeprefix("test_")
    if folder == "sim":
        return ["src/sim"], ["subscribers"]
    return [f"src/{folder}/*_test.*", f"src/{folder}/test_*"], ["tests/with_postgres.py", "tests/stores"]


class Results:
    """One file for each mutant, beside the copies of the source, so that workers write at the same time. The caller moves them to
    docs/mutants.json at the end. A result counts for the sources that decide it."""

    def __init__(self, name):
        self.name = name
        self.folder = SCRATCH.with_name(SCRATCH.name + "-results") / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.product = code_id([*PRODUCT, *BINARY])
        self.account = json.loads(ACCOUNT.read_text()) if ACCOUNT.exists() else {}

    def code_of(self, mutant):
        parts = [self.product, code_of(f"tests/mutants/{mutant.name}.mutant")]
        parts += [code_of(*paths) for finder in mutant.finders for paths in tests_behind(finder) if paths]
        return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:16]

    def of(self, mutant):
        file = self.folder / f"{mutant.name}.json"
        kept = json.loads(file.read_text()) if file.exists() else self.account.get(self.name, {}).get(mutant.name, {})
        return kept if kept.get("code") == self.code_of(mutant) else {}

    def keep(self, mutant, result):
        one = {**result, "code": self.code_of(mutant), "commit": git("rev-parse", "--short=8", "HEAD"),
               "at": datetime.date.today().isoformat()}
        (self.folder / f"{mutant.name}.json").write_text(json.dumps(one, indent=1))

    def write_account(self, mutants):
        """Writes the results of these mutants that count, and leaves out mutants that are gone."""
        kept = self.account.setdefault(self.name, {})
        kept.update({mutant.name: result for mutant in mutants if (result := self.of(mutant))})
        names = {path.stem for path in MUTANTS.glob("*.mutant")}
        self.account[self.name] = {name: one for name, one in kept.items() if name in names}
        ACCOUNT.write_text(json.dumps(self.account, indent=1, sort_keys=True) + "\n")

    def claim(self, mutant, round_name):
        """True for the first worker that asks in this round."""
        try:
            (self.folder / f"{mutant.name}.{round_name}").touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


def outcome_of(mutant, options):
    try:
        return attempt(mutant, options)
    except (ValueError, subprocess.TimeoutExpired) as error:
        print(f"FAILED   {mutant.name}: {error}", flush=True)
        return {**NOT_FOUND, "says": str(error)}


def run_workers(waiting, options):
    """Builds all programs once, copies the build folder for each worker, and lets the workers claim one mutant after the other."""
    for program in sorted({program_of(finder) for mutant in waiting for finder in mutant.finders}):
        build(program, options.jobs * options.workers)
    round_name = f"claim-{os.getpid()}"
    words = [sys.executable, __file__, "--worker", round_name, "--jobs", str(options.jobs), "--seeds", str(options.seeds), "--steps",
             str(options.steps), *(["--resume"] if options.resume else []), *(["--findings"] if options.findings else [])]
    words += [word for mutant in waiting for word in ("--only", mutant.name)]
    workers = []
    for number in range(options.workers):
        copy = SCRATCH.with_name(f"{SCRATCH.name}-{number}")
        shutil.rmtree(copy, ignore_errors=True)
        subprocess.run(["cp", "-a", "--reflink=auto", SCRATCH, copy], check=True)
        mount = f'mount --bind "{copy}" "{SCRATCH}" && exec "$@"'
        workers.append(subprocess.Popen(["unshare", "--mount", "--propagation", "private", "sh", "-c", mount, "sh", *words]))
    ended = [worker.wait() for worker in workers]
    for claim in SCRATCH.with_name(SCRATCH.name + "-results").glob(f"*/*.{round_name}"):
        claim.unlink()
    for number in range(options.workers):
        shutil.rmtree(SCRATCH.with_name(f"{SCRATCH.name}-{number}"), ignore_errors=True)
    if any(ended):
        sys.exit("a worker of tests/mutants.py failed; --workers 1 needs no right to mount")


def check_sound(mutants, options):
    """Each finder but `simulate` finds nothing in the source as it is."""
    unsound = []
    for finder in sorted({finder for mutant in mutants for finder in mutant.finders} - {SIMULATION}):
        build(program_of(finder), options.jobs)
        said = complaint(finder, words_of(finder))
        print(f"{'FAILS   ' if said else 'passes  '} {finder}", flush=True)
        if said:
            unsound.append(finder)
            print("         " + telling(said)["says"][:150], flush=True)
    if unsound:
        sys.exit(f"{len(unsound)} finders fail without a mutant: {', '.join(unsound)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true", help="only see that each can be made; nothing is built")
    parser.add_argument("--findings", action="store_true", help="put findings of audits back and ask the observer alone")
    parser.add_argument("--sound", action="store_true", help="only see that what is to find them passes without them")
    parser.add_argument("--seeds", type=int, default=120)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--jobs", type=int, default=2, help="of the compiler")
    parser.add_argument("--workers", type=int, default=1, help="mutants that are made beside each other")
    parser.add_argument("--worker", help=argparse.SUPPRESS)  # the round in which this worker claims its mutants
    parser.add_argument("--only", action="append", help="a name, or a pattern; may be given again")
    parser.add_argument("--resume", action="store_true", help="leave out those that an earlier run on the same sources found")
    parser.add_argument("--table", type=pathlib.Path, help="write what was found as a Markdown table")
    options = parser.parse_args()
    mutants = [Mutant(path) for path in sorted(MUTANTS.glob("*.mutant"))]
    if options.check:
        return check(mutants)
    chosen = [mutant for mutant in mutants
              if not options.only or any(pathlib.PurePath(mutant.name).match(one) for one in options.only)]
    if options.worker is None:
        copy_source()
    if options.findings:
        chosen = [mutant for mutant in chosen if mutant.finding]
        for mutant in chosen:
            mutant.finders = [OBSERVER_DEVICES] if mutant.finding.startswith(DEVICES_AUDIT) else [OBSERVED, OBSERVER]
        if options.worker is None:
            build_observer(options)
    if options.sound:
        return check_sound(chosen, options)
    results = Results("findings" if options.findings else "mutants")
    waiting = [mutant for mutant in chosen if not (options.resume and results.of(mutant).get("found"))]
    if options.workers > 1 and len(waiting) > 1:
        run_workers(waiting, options)
    else:
        for mutant in waiting:
            if options.worker is None or results.claim(mutant, options.worker):
                results.keep(mutant, outcome_of(mutant, options))
    if options.worker is not None:
        return None
    results.write_account(chosen)
    found = {mutant.name: results.of(mutant) for mutant in mutants}
    if options.table and options.findings:
        write_findings(options.table, [mutant for mutant in mutants if mutant.finding], found)
    elif options.table:
        write_table(options.table, mutants, found)
    survivors = [mutant.name for mutant in chosen if not found[mutant.name].get("found")]
    print(f"{len(chosen)} mutants, {len(survivors)} mutants survived")
    if survivors:
        sys.exit(f"{len(survivors)} mutants survived: {' '.join(survivors)}")
    return None


if __name__ == "__main__":
    main()
