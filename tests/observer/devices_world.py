"""A random world of three paired devices against the real binary, judged by what users, workers and models saw.

    BELFRY=build-test/belfry python3 tests/observer/devices_world.py --observe build-test/observe --seconds 60 --seed 7

The devices are daemons on one machine. Links are cut and come back, daemons are killed with kill -9, clocks are set wrong and right,
and a device is away for months. BELFRY_TEST_STORE=postgres runs it on PostgreSQL. Exit code 0: every promise was kept. --keep writes
the recorded observations there; threads and daemons race, so the file is the evidence.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from recorder import Recorder
from devices_machines import DAY, Machine, Meetings, StallWatch, instant_of, until
from devices_memory import BoundToken, LyingModel, SilentModel, Speaker
from devices_parties import Editors, PlannerModel, TICK_SECONDS, Timers, USER, Worker

import belfry

NAMES = ("a", "b", "c")
EPISODES_MIN = 3         # two chains and a triangle
CONNECTED_SECONDS = 12   # of each episode, with links
PLAN_SECONDS_MAX = 40
FIRING_SECONDS_MAX = TICK_SECONDS + 45
AHEAD_DAYS = (9, 366, 73 * 365)
# How long a device is away, in steps of the others' clocks; between them daemons live for a while.
AWAY_SHORT = {10: (10,), 45: (31, 14)}
AWAY_LONG = {120: (31, 30, 30, 29), 400: (31, 30, 30, 109, 200)}
STEP_SECONDS = 5


class World(Meetings):
    """One seed: three devices, their parties, wrong clocks, and a device that is away."""

    def __init__(self, seed, seconds, phases):
        self.seed, self.seconds, self.phases = seed, seconds, phases
        self.random = random.Random(seed)
        self.recorder = Recorder()
        self.folder = tempfile.mkdtemp(prefix="belfry-devices-")
        self.ended = threading.Event()
        self.machines, self.scenes, self.closing = [], [], []
        self.shift_s = 0.0  # all clocks are so far ahead of the machine's: months passed for all devices

    def run(self):
        self.prepare()
        if "life" in self.phases:
            self.live()
        if "clocks" in self.phases:
            self.set_clocks_wrong()
        if "away" in self.phases:
            self.timers.switch(self.machines[0], False)
            self.be_away(*self.random.choice(list(AWAY_SHORT.items())))
            self.be_away(*self.random.choice(list(AWAY_LONG.items())))
        self.recorder.add("quiet", "world")

    def prepare(self):
        self.model = PlannerModel(self)
        self.closing.append(self.model)
        for name in NAMES:
            self.machines.append(Machine(self, name, {"MODEL_KEY": f"key-{name}"}))
        self.make_links()
        self.closing.append(self.lines)
        first = self.machines[0]
        self.timers = Timers(self, first, self.model)
        self.timers.switch(first, False)
        self.editors = Editors(self, first)
        StallWatch(self).start()
        self.meet()
        for machine in self.machines:
            Worker(self, machine, ["tick", "watch", "clocked"]).start()

    # -- links that are cut and come back ------------------------------------------------------------------------

    def live(self):
        a, b, c = self.machines
        self.scenes = [SilentModel(self, a), LyingModel(self, b), BoundToken(self, c), Speaker(self, c)]
        self.closing += self.scenes
        for scene in self.scenes:
            scene.start()
        end = time.monotonic() + self.seconds
        number = 0
        while number < EPISODES_MIN or time.monotonic() < end:
            number += 1
            self.play_episode(number)
        for scene in self.scenes:
            scene.join(180)
            if scene.error or scene.is_alive():
                raise AssertionError(f"{type(scene).__name__} did not end well: {scene.error}")

    def play_episode(self, number):
        """Some time with links, some without; then the devices meet and tell what they know."""
        is_chain = number % 2 == 1
        self.editors.prepare(self.random.choice(self.machines))
        self.meet(judge_digests=False)
        self.note_links("up")
        self.timers.switch(self.machines[0], True)
        edits = 3
        for _ in range(edits):
            time.sleep(CONNECTED_SECONDS / edits)
            self.timers.edit_watched(self.random.choice(self.machines))
        time.sleep(1.0)
        self.cut()
        self.change_alone(is_chain)
        # In a chain the two ends know each other through the one in the middle only, which hears from one end first.
        pairs = self.PAIRS[:2] if is_chain else self.PAIRS
        if is_chain:
            self.heal_chain(pairs if number % 4 == 1 else pairs[::-1])
        else:
            self.heal(pairs)
        self.timers.switch(self.random.choice(self.machines), False)
        self.meet(pairs)
        for machine in self.machines:
            self.timers.read_story(machine)
            self.editors.read(machine)
        if is_chain:
            self.heal()

    def change_alone(self, is_chain):
        """Each device changes the same records, and the same timer plans on each."""
        plans = {machine.name: self.model.count(machine.name) for machine in self.machines}
        for hour, machine in enumerate(self.random.sample(self.machines, len(self.machines)), 8):
            self.editors.edit(machine, hour)
        # Where only the ends of a chain wrote, the one in the middle decides between them.
        for machine in self.machines[::2] if is_chain else self.machines:
            self.editors.write_title(machine)
        if not any(scene.is_alive() for scene in self.scenes):
            self.crash(self.random.choice(self.machines))
        until(lambda: all(self.model.count(one.name) > plans[one.name] + 1 for one in self.machines), PLAN_SECONDS_MAX)

    def crash(self, machine):
        """kill -9, and a start without links."""
        machine.kill()
        time.sleep(self.random.choice([0.0, 0.5]))
        machine.start()

    # -- wrong clocks --------------------------------------------------------------------------------------------

    def set_clocks_wrong(self):
        """The clock of one device is far ahead for a while; then it is right. A device that is paired later knows the same timers."""
        first = self.machines[0]
        self.clocked = [(TICK_SECONDS, *self.timers.ticking),
                        (DAY, *self.timers.add(first, "clocked", {"kind": "daily", "time": "07:00"}, DAY)),
                        (3600, *self.timers.add(first, "clocked", {"kind": "every", "interval": "1h"}, 3600))]
        self.timers.switch(first, True)
        self.meet(judge_digests=False)
        is_alone = self.random.random() < 0.5
        if is_alone:
            self.cut()
        ahead_s = self.random.choice(AHEAD_DAYS) * DAY
        self.note_links("uncertain")
        first.set_clock(ahead_s, ahead_s)
        until(lambda: self.has_fired_ahead(first, ahead_s), 30)
        first.set_clock(-ahead_s, 0)
        if self.random.random() < 0.5:
            self.crash(first)
        self.await_firing(first if is_alone else None)
        if is_alone:
            self.read_timers([first])
            self.heal()
        self.join_later(first)

    def has_fired_ahead(self, machine, ahead_s):
        """True if every timer has fired in the wrong time."""
        for _, agent, timer in self.clocked:
            _, _, document = machine.call("GET", f"/v1/agents/{agent}/timers/{timer}")
            last = document.get("last_scheduled_at")
            if not last or instant_of(last) < time.time() + self.shift_s + ahead_s / 2:
                return False
        return True

    def await_firing(self, machine):
        """Waits for a firing on this device, or on any."""
        timer = self.timers.ticking[1]
        began, position = time.monotonic(), len(self.recorder.lines)

        def has_fired():
            return any(line["kind"] == "granted" and (not machine or line["device"] == machine.name)
                       and any(one.startswith(timer) for one in line["instants"]) for line in self.recorder.lines[position:])
        if not until(has_fired, FIRING_SECONDS_MAX):
            self.recorder.add("timer_awaited", "world", device=(machine or self.machines[1]).name, timer=timer,
                              waited_ms=int((time.monotonic() - began) * 1000))

    def join_later(self, first):
        """A new device, whose clock was always right, is paired; then all devices show their timers."""
        later = Machine(self, f"d{self.seed}", {"MODEL_KEY": "key-d"})
        try:
            later.daemon.faults.jump(wall_s=self.shift_s)
            self.pair(first, later, first.daemon.address)
            self.meet([*self.PAIRS, (0, 3)], [*self.machines, later], judge_digests=False)
            self.read_timers([*self.machines, later])
            first.must("DELETE", f"/v1/peers/{next(one['id'] for one in first.status()['peers'] if one['name'] == later.name)}")
        finally:
            later.daemon.close()

    def read_timers(self, machines):
        for machine in machines:
            for seconds, agent, timer in self.clocked:
                until(lambda: self.read_timer(machine, seconds, agent, timer, False), 15, pause=1.0)
                self.read_timer(machine, seconds, agent, timer, True)

    def read_timer(self, machine, seconds, agent, timer, is_recorded):
        """Returns whether the timer has a firing in its time."""
        began, answer, document = machine.ask("GET", f"/v1/agents/{agent}/timers/{timer}")
        following = document.get("next_run_at")
        next_in = instant_of(following) - time.time() - self.shift_s if following else 0
        if is_recorded:
            self.recorder.add("timer_read", machine.name, began, device=machine.name, timer=timer, is_active=document.get("active", False),
                              has_next=bool(following), next_in_ms=int(next_in * 1000), answer=answer)
        return answer["status"] == 200 and following and next_in <= seconds + 2

    # -- a device that is away -----------------------------------------------------------------------------------

    def be_away(self, days, steps):
        """A device is away for so many days; meanwhile an agent is destroyed that it knows."""
        a, b, c = self.machines
        agent = f"gone{days}"
        a.must("POST", "/v1/agents", {"id": agent, "user_id": USER})
        if self.random.random() < 0.5:
            a.must("POST", f"/v1/agents/{agent}/timers", {"name": "daily", "schedule": {"kind": "daily", "time": "07:00"}})
        self.meet()
        b.kill()
        began, answer, _ = a.ask("DELETE", f"/v1/agents/{agent}")
        self.recorder.add("agent_destroyed", a.name, began, device=a.name, agent=agent, answer=answer)
        for step in steps:
            for machine in (a, c):
                machine.daemon.faults.jump(wall_s=step * DAY, steady_s=step * DAY)
            # The daemons live for a while in which their clocks are there: sweeps run now and then.
            until(lambda: False, STEP_SECONDS)
        b.daemon.faults.jump(wall_s=days * DAY, steady_s=days * DAY)
        self.shift_s += days * DAY
        b.start()
        self.meet()
        self.look_for(agent)

    def look_for(self, agent):
        """Where the agent that was destroyed still is, and whether it can be woken."""
        def is_gone():
            found = [machine.call("GET", f"/v1/agents/{agent}") for machine in self.machines]
            return all(status == 404 or document.get("lifecycle") == "destroyed" for status, _, document in found)
        until(is_gone, 15)
        for machine in self.machines:
            began, answer, document = machine.ask("GET", f"/v1/agents/{agent}")
            self.recorder.add("agent_read", machine.name, began, device=machine.name, agent=agent,
                              lifecycle=document.get("lifecycle", ""), answer=answer)
            began, answer, wake = machine.ask("POST", f"/v1/agents/{agent}/wake", {"request_id": f"{agent}-{machine.name}"})
            self.recorder.add("agent_woken", machine.name, began, device=machine.name, agent=agent, answer=answer,
                              state=self.await_end(machine, wake) if answer["status"] == 201 else "")

    @staticmethod
    def await_end(machine, wake):
        """The state of a wake that nobody works for, after some seconds."""
        return until(lambda: (state := machine.call("GET", f"/v1/wakes/{wake['id']}")[2].get("state")) != "queued" and state, 8) or "queued"

    def close(self):
        self.ended.set()
        for one in self.closing:
            one.close()
        for machine in self.machines:
            machine.daemon.close()


def play(seed, arguments):
    """Runs one seed and judges it; returns whether every promise was kept."""
    world = World(seed, arguments.seconds, arguments.phases.split(","))
    path = os.path.join(arguments.keep or world.folder, f"devices-{seed}.jsonl")
    began = time.monotonic()
    try:
        world.run()
    finally:
        world.recorder.write(path)
        world.close()
    done = subprocess.run([arguments.observe, path], check=False)
    if done.returncode == 0 or arguments.keep:
        shutil.rmtree(world.folder, ignore_errors=True)
    else:
        print(f"recorded observations: {path}")
    print(f"seed {seed}: {len(world.recorder.lines)} observations in {time.monotonic() - began:.0f} s, exit {done.returncode}", flush=True)
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--observe", default=os.path.join(os.path.dirname(__file__), "../../build-test/observe"))
    parser.add_argument("--seconds", type=float, default=60, help="length of the part with links that are cut (default 60)")
    parser.add_argument("--phases", default="life,clocks,away", help="parts of a seed, comma separated (default life,clocks,away)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", default="", help="several seeds, comma separated")
    parser.add_argument("--until", type=float, default=0, help="further seeds until so many seconds have passed")
    parser.add_argument("--stop", action="store_true", help="stop after the first seed with a violation")
    parser.add_argument("--keep", default="", help="folder for the recorded observations")
    arguments = parser.parse_args()
    if belfry.is_sanitized():
        print("a sanitizer wants to be loaded first: clocks cannot be set")
        return 0
    if arguments.keep:
        os.makedirs(arguments.keep, exist_ok=True)
    seeds = [int(seed) for seed in arguments.seeds.split(",")] if arguments.seeds else [arguments.seed]
    began = time.monotonic()
    kept = True
    while seeds:
        seed = seeds.pop(0)
        kept = play(seed, arguments) and kept
        if arguments.stop and not kept:
            break
        if not seeds and time.monotonic() - began < arguments.until:
            seeds.append(seed + 1)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
