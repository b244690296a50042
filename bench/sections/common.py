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
    ids: bool
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
    """One line of the table: a figure of Belfry beside a peer's, and what it should be."""
    section: str
    what: str
    unit: str
    peer: str
    peer_values: list
    belfry_values: list
    belfry_says: str = ""
    least: float | None = None      # the ratio Belfry/peer should be at least this
    most: float | None = None       # … or at most this
    value_most: float | None = None  # or Belfry's own figure should be at most this

    def peer_value(self):
        return statistics.median(self.peer_values) if self.peer_values else None

    def belfry_value(self):
        return statistics.median(self.belfry_values) if self.belfry_values else None

    def ratio(self):
        """Of the medians."""
        if not self.peer_values or not self.belfry_values:
            return None
        return self.belfry_value() / self.peer_value()

    def ratio_range(self):
        """The least and the greatest ratio of two measurements of one round."""
        if not self.peer_values or not self.belfry_values:
            return None
        ratios = [ours / theirs for ours, theirs in zip(self.belfry_values, self.peer_values)]
        return min(ratios), max(ratios)

    def met(self):
        """True, False, or None where there is no goal or nothing to compare."""
        if self.value_most is not None:
            return None if not self.belfry_values else self.belfry_value() <= self.value_most
        if self.ratio() is None or (self.least is None and self.most is None):
            return None
        return self.ratio() >= self.least if self.least is not None else self.ratio() <= self.most


def say(text):
    print(text, file=sys.stderr, flush=True)
