#!/usr/bin/python3
"""Shows that the simulation can find bugs: each mutant below is a small mistake made in a copy of the source, and
`simulate` (or another program that the mutant names) must contradict it. Run by `make mutants`; not part of `make test`.

    tests/mutants.py [--seeds N] [--steps N] [--only NAME]
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MUTANTS = ROOT / "tests" / "mutants"
SCRATCH = ROOT / "build-mutants"


def read_mutant(path):
    """A mutant is text: lines of `# why`, `file <path>`, then `<<<<`, the old text, `====`, the new text, `>>>>`. A line
    `by <program>` names a test that has to find it in the place of `simulate`."""
    why, changes, file, part, finder = [], [], None, None, "simulate"
    for line in path.read_text().splitlines():
        if part is None:
            if line.startswith("# "):
                why.append(line[2:])
            elif line.startswith("file "):
                file = line[5:].strip()
            elif line.startswith("by "):
                finder = line[3:].strip()
            elif line == "<<<<":
                old, new, part = [], [], "old"
        elif part == "old" and line == "====":
            part = "new"
        elif part == "new" and line == ">>>>":
            changes.append((file, "\n".join(old), "\n".join(new)))
            part = None
        else:
            (old if part == "old" else new).append(line)
    if not changes:
        sys.exit(f"{path}: no change in it")
    return " ".join(why), finder, changes


def copy_source(target):
    """The copy keeps unchanged files untouched, so that only what a mutant changes is compiled again."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout
    files = {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
    for name in files:
        copy = target / name
        if copy.exists() and copy.read_bytes() == (ROOT / name).read_bytes():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy)
    for copy in (target / "src").rglob("*"):
        if copy.is_file() and str(copy.relative_to(target)) not in files:
            copy.unlink()


def build(target, program):
    log = target / "build.log"
    with log.open("w") as out:
        if not (target / "build-test" / "build.ninja").exists():
            subprocess.run(["cmake", "--preset", "test"], cwd=target, stdout=out, stderr=out, check=True)
        done = subprocess.run(["ninja", "-C", "build-test", "-j2", program], cwd=target, stdout=out, stderr=out)
    if done.returncode != 0:
        sys.exit(f"a mutant does not compile: see {log}")
    return target / "build-test" / program


def run(program, seeds, steps):
    words = ["--seeds", str(seeds), "--steps", str(steps)] if program.name == "simulate" else ["--gtest_brief=1"]
    done = subprocess.run([program, *words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", timeout=1800)
    return done.returncode != 0, done.stdout.strip().splitlines()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=120)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--only", help="a name, or its beginning and *")
    options = parser.parse_args()
    survivors = 0
    copy_source(SCRATCH)
    for path in sorted(MUTANTS.glob("*.mutant")):
        if options.only and not path.match(options.only + ".mutant"):
            continue
        why, finder, changes = read_mutant(path)
        texts = {file: (ROOT / file).read_text() for file, _, _ in changes}
        for file, old, new in changes:
            if texts[file].count(old) != 1:
                sys.exit(f"{path}: what it changes is in {file} {texts[file].count(old)} times")
            texts[file] = texts[file].replace(old, new)
        for file, text in texts.items():
            (SCRATCH / file).write_text(text)
        program = build(SCRATCH, finder)
        built = time.monotonic()
        found, said = run(program, options.seeds, options.steps)
        survivors += not found
        telling = [line for line in said if line.startswith(("step ", "[  FAILED  ]")) or "assertion" in line]
        says = (telling or said or [""])[0]
        verdict = "found   " if found else "SURVIVED"
        print(f"{verdict} {path.stem:28} {time.monotonic() - built:6.1f} s  {why}", flush=True)
        if found:
            print(f"         {says[:150]}", flush=True)
        copy_source(SCRATCH)
    if survivors:
        sys.exit(f"{survivors} mutants survived")


if __name__ == "__main__":
    main()
