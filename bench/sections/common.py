"""What the sections share: how a program is run, how rounds become a row."""
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys

from .cpu import Accounting, await_quiet

PROGRAM_SECONDS_MAX = 600
OTHER_CORES_MAX = 0.2


@dataclasses.dataclass
class Bench:
    """The settings of one run."""
    programs: pathlib.Path      # the folder of bench_load and its like
    belfry: pathlib.Path | None  # None: only the peers are measured
    folder: pathlib.Path        # on the disk that is measured
    rounds: int
    seconds: float
    warm: float
    quick: bool
    patience: float             # so many seconds a measurement waits for a quiet machine
    attempts: int               # so often it is made, until nobody disturbs it

    def run(self, server, program, *arguments):
        """Runs one of the bench programs against a server, on a quiet disk, and gives what it reported."""
        os.sync()  # what an earlier server left unwritten is not this one's burden
        quiet = await_quiet(self.patience)
        accounting = Accounting(server.process.pid)
        command = [str(self.programs / program), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PROGRAM_SECONDS_MAX)
        if done.returncode != 0:
            raise RuntimeError(f"{program} failed: {done.stderr.strip()}")
        return {**json.loads(done.stdout), **accounting.cores(), "quiet_before": quiet}

    def run_alone(self, *command, seconds_max=PROGRAM_SECONDS_MAX):
        """Runs a program that needs no server, on a quiet machine, and gives the JSON of each line that it wrote."""
        os.sync()
        quiet = await_quiet(self.patience)
        accounting = Accounting(0)
        command = [str(word) for word in command]
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds_max)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} failed: {done.stderr.strip()}")
        return {"lines": [json.loads(line) for line in done.stdout.splitlines()], **accounting.cores(),
                "quiet_before": quiet}

    def undisturbed(self, measure):
        """What `measure` finds when nobody else uses the machine, or else what it found when others used it least."""
        founds = []
        while not founds or (len(founds) < self.attempts and founds[-1]["other_cores"] > OTHER_CORES_MAX):
            founds.append(measure())
        best = min(founds, key=lambda found: found["other_cores"])
        if best["other_cores"] > OTHER_CORES_MAX:
            say(f"    others used {best['other_cores']} cores meanwhile: the next figure is noise")
        return best


@dataclasses.dataclass
class Row:
    """One line of the table: a figure of Belfry beside a peer's, and what it should be. One value a round."""
    section: str
    what: str
    unit: str
    peer: str
    peer_values: list
    belfry_values: list
    belfry_says: str = ""
    least: float | None = None        # the ratio Belfry/peer should be at least this
    most: float | None = None         # … or at most this
    value_least: float | None = None  # or Belfry's own figure should be at least this
    value_most: float | None = None   # … or at most this

    def goal(self):
        """As it stands in the JSON, or None."""
        goals = {"least": ("ratio", "least"), "most": ("ratio", "most"), "value_least": ("value", "least"),
                 "value_most": ("value", "most")}
        for name, (of, bound) in goals.items():
            if getattr(self, name) is not None:
                return {"of": of, bound: getattr(self, name)}
        return None

    def range(self):
        """The least and the greatest ratio of two measurements of one round; without a peer, of Belfry's own figures."""
        values = [ours / theirs for ours, theirs in zip(self.belfry_values, self.peer_values)]
        values = values if self.peer_values else self.belfry_values
        return [min(values), max(values)] if len(values) > 1 else None

    def as_json(self):
        ours = statistics.median(self.belfry_values) if self.belfry_values else None
        theirs = statistics.median(self.peer_values) if self.peer_values else None
        ratio = ours / theirs if ours is not None and theirs else None
        found = {"section": self.section, "what": self.what, "peer": self.peer, "unit": self.unit,
                 "belfry_says": self.belfry_says, "peer_value": theirs, "belfry_value": ours, "ratio": ratio,
                 "range": self.range(), "goal": self.goal(), "met": met(self.goal(), ours, ratio),
                 "peer_values": self.peer_values, "belfry_values": self.belfry_values}
        return {name: shortened(value) for name, value in found.items()}


def met(goal, value, ratio):
    """True, False, or None where there is no goal or nothing to compare."""
    reached = None if goal is None else ratio if goal["of"] == "ratio" else value
    if reached is None:
        return None
    return reached >= goal["least"] if "least" in goal else reached <= goal["most"]


def shortened(value):
    """Six digits say all that a measurement can."""
    if isinstance(value, list):
        return [shortened(one) for one in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def say(text):
    print(text, file=sys.stderr, flush=True)
