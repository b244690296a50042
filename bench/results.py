"""The JSON in which figures are kept: sections of rows, each with the run that measured it."""
import json
import pathlib

FORMAT = 1


def nothing():
    return {"format": FORMAT, "runs": {}, "sections": {}}


def load(path):
    path = pathlib.Path(path)
    if not path.exists():
        return nothing()
    found = json.loads(path.read_text())
    if found["format"] != FORMAT:
        raise ValueError(f"{path} has format {found['format']}, not {FORMAT}")
    return found


def save(path, kept):
    """One row a line, so that people see what a new run has changed."""
    runs = [f"{line(at)}: {line(run)}" for at, run in kept["runs"].items()]
    sections = [f"{line(letter)}: {{{members(section)}\"rows\": [\n{joined(map(line, section['rows']))}]}}"
                for letter, section in kept["sections"].items()]
    pathlib.Path(path).write_text(f'{{"format": {FORMAT},\n"runs": {{\n{joined(runs)}}},\n'
                                  f'"sections": {{\n{joined(sections)}}}}}\n')


def line(value):
    return json.dumps(value, ensure_ascii=False)


def joined(lines):
    return ",\n".join(lines)


def members(section):
    """All of a section but its rows."""
    return "".join(f"{line(name)}: {line(value)}, " for name, value in section.items() if name != "rows")


def merged(kept, run, sections):
    """What was kept, with the sections of a new run in place of theirs. The others stay, and so do the runs they are of."""
    new = {letter: {"run": run["at"], **section} for letter, section in sections.items()}
    together = dict(sorted({**kept["sections"], **new}.items()))
    runs = {**kept["runs"], run["at"]: run}
    used = {section["run"] for section in together.values()}
    return {"format": FORMAT, "runs": {at: runs[at] for at in sorted(used)}, "sections": together}


def rows_of(kept, letters=None):
    return [row for letter, section in kept["sections"].items() if letters is None or letter in letters
            for row in section["rows"]]


def share_of_goal(row):
    """How much of its goal a row reaches: 1 is the goal, more is better; None where there is none, or nothing to divide."""
    goal = row["goal"]
    reached = None if goal is None else row["ratio"] if goal["of"] == "ratio" else row["belfry_value"]
    if not reached:
        return None
    return reached / goal["least"] if "least" in goal else goal["most"] / reached
