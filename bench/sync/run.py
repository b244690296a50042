#!/usr/bin/env python3
"""What goes between two devices, and how soon they know the same: two daemons on loopback, paired by a code, and between them a line that
counts bytes.

    bench/sync/run.py live  [--few 10] [--many 1000000] [--messages 200]     one new message, with few and with many in the history
    bench/sync/run.py week  [--messages 100000] [--lengths usual|short]      one device was away while so many were added on the other
    bench/sync/run.py apart [--messages 3000] [--at-once 3]                  the same, each in a batch of its own, so many agents at work at once
    … [--belfry build/belfry] [--folder DIR]

`live` takes turns between two pairs of devices, one with few messages and one with many, which came there as a new device gets them: in whole.
Each message is measured from the answer on one device until it can be read on the other, and its bytes until both have fallen silent.
Bytes "told" are those of the messages between devices before compression, both ways, hello and acknowledgements with them; bytes
"on the wire" are those of TCP, both ways. "New" are the messages as compact JSON, without members that are null, 0 or empty. Prints lines of JSON.
"""
import argparse
import contextlib
import dataclasses
import json
import pathlib
import shutil
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from servers.rsync import Rsync  # noqa: E402, the folder must be known first

from device import Device, await_even, await_true, check_same, pair, settled  # noqa: E402
from history import LENGTHS, MEMORY, History  # noqa: E402
from line import Line  # noqa: E402

SPEAKERS = 4            # agents that take turns in `live`; nothing of theirs is folded
EACH = 100              # messages of a person's agent in `apart`; a batch is of one person
BATCH_SECONDS = 0.12    # a batch is closed after 0.1 s
SILENCE_SECONDS = 0.15  # after it nothing more is said about a message
MESSAGE_SECONDS_MAX = 60
RSYNC_ROUNDS = 3
RSYNC = {"rsync": ("--compress", "--inplace"), "rsync --append": ("--compress", "--append")}


@dataclasses.dataclass
class Pair:
    """Two devices, of which the second calls the first through a line that counts."""
    first: Device
    second: Device
    line: Line

    def join(self):
        pair(self.first, self.second, self.line.address)
        begun = time.monotonic()
        self.await_even()
        return time.monotonic() - begun

    def await_even(self):
        await_even(self.first, self.second)

    def counts(self):
        """Bytes so far: told, on the wire; and messages."""
        told = self.first.told()
        return {"told": told["bytes_sent"] + told["bytes_received"], "wire": self.line.passed,
                "frames": told["messages_sent"] + told["messages_received"]}

    def since(self, before):
        return {name: value - before[name] for name, value in self.counts().items()}


@contextlib.contextmanager
def two(folder, binary):
    with Device(folder, binary, "first") as first, Device(folder, binary, "second") as second, Line(first.listens_on()) as line:
        yield Pair(first, second, line)


class Speaker:
    """Whoever works for an agent that is awake."""

    def __init__(self, device, agent, person, history):
        self.device, self.agent, self.history = device, agent, history
        device.ask("POST", "/v1/agents", {"id": agent, "user_id": person, "memory": MEMORY})
        device.ask("POST", f"/v1/agents/{agent}/wake", {"request_id": "r"})
        self.wake = device.ask("POST", "/v1/wakes/claim", {"agents": [agent], "lease_s": 600, "wait_s": 10})["wake"]

    def say(self):
        name = self.history.identity()
        self.device.ask("POST", f"/v1/wakes/{self.wake['id']}/messages", {"fence": self.wake["fence"], "messages": [
            {"id": name, "kind": "thought", "content": self.history.content()}]})
        return name


def tell(**figures):
    print(json.dumps(figures), flush=True)


def progress(text):
    print(text, file=sys.stderr, flush=True)


def filled(pair_, count):
    """A pair whose second device is new and gets everything at once."""
    begun = time.monotonic()
    pair_.first.take_in("a", History(1), count)
    settled(pair_.first)
    progress(f"{count:,} messages: filled in {time.monotonic() - begun:.0f} s")
    took, counts = pair_.join(), pair_.counts()
    progress(f"{count:,} messages: told to a new device in {took:.1f} s")
    check_same(pair_.first, pair_.second)
    tell(what="new device", messages=count, seconds=round(took, 3), **counts)
    return pair_


def one_message(pair_, speaker):
    before = pair_.counts()
    name = speaker.say()
    begun = time.monotonic()
    path = f"/v1/agents/{speaker.agent}/messages/{name}"
    await_true("the message is there", lambda: pair_.second.send("GET", path)[0] == 200, MESSAGE_SECONDS_MAX, pause=0.001)
    took = time.monotonic() - begun
    pair_.await_even()
    time.sleep(SILENCE_SECONDS)
    return {"ms": round(took * 1000, 3), **pair_.since(before)}


def live(arguments, folder):
    with two(folder, arguments.belfry) as few, two(folder, arguments.belfry) as many:
        sides = [(filled(few, arguments.few), arguments.few), (filled(many, arguments.many), arguments.many)]
        speakers = []
        for side, _ in sides:
            history = History(2)
            speakers.append([Speaker(side.first, f"s{number}", "ada", history) for number in range(SPEAKERS)])
            side.await_even()
        time.sleep(1)
        for number in range(arguments.messages + SPEAKERS):
            for (side, count), those in zip(sides, speakers):
                found = one_message(side, those[number % SPEAKERS])
                if number >= SPEAKERS:  # the first of each agent also says that it is active
                    tell(what="one message", messages=count, **found)
        for side, _ in sides:
            check_same(side.first, side.second)
        with Rsync(folder) as server, tempfile.TemporaryDirectory(dir=folder) as place:
            file = written(pathlib.Path(place) / "export.jsonl", many.first)
            shutil.copy2(file, server.there)
            line = [text for text in b"".join(few.first.export("a")).splitlines(True) if b'"message"' in text][-1]
            for _ in range(RSYNC_ROUNDS):
                for how, options in RSYNC.items():
                    with open(file, "ab") as end:
                        end.write(line)
                    tell(what="one message", peer=how, messages=arguments.many, **by_rsync(server, file, options))


def written(path, device):
    """The export of an agent as a file, which is what the peer keeps the same."""
    with open(path, "wb") as file:
        for part in device.export("a"):
            file.write(part)
    return path


def by_rsync(server, file, options):
    with Line(server.port) as line:
        took = server.send(file, line.port, *options)
        return {"ms": round(took * 1000, 3), "wire": line.passed}


def size_of(device, agents):
    """What the messages of these agents are: how many, their bytes as JSON that says only what there is (`new`), as the export has them, and
    of their contents alone."""
    found = {"new": 0, "new_messages": 0, "new_exported": 0, "new_contents": 0}
    for agent in agents:
        for part in device.export(agent):
            for line in part.splitlines(True):
                message = json.loads(line).get("message")
                if message is not None:
                    found["new"] += bytes_of(without_nothing(message))
                    found["new_messages"] += 1
                    found["new_exported"] += len(line)
                    found["new_contents"] += bytes_of(message["content"])
    return found


def without_nothing(value):
    """Without members that are null, 0 or empty."""
    if not isinstance(value, dict):
        return value
    kept = {name: without_nothing(one) for name, one in value.items()}
    return {name: one for name, one in kept.items() if one not in (None, 0, "", [], {})}


def bytes_of(value):
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def returns(side, what, new, **more):
    """The second device comes back and is told what is new; from its call until both know the same."""
    settled(side.first)
    before = side.counts()
    side.line.called_at = None
    side.second.start()
    await_true("it has called", lambda: side.line.called_at is not None, MESSAGE_SECONDS_MAX, pause=0.001)
    side.await_even()
    took = time.monotonic() - side.line.called_at
    time.sleep(SILENCE_SECONDS)
    counts = side.since(before)
    check_same(side.first, side.second)
    tell(what=what, seconds=round(took, 3), **counts, **new, **more)


def week(arguments, folder):
    history = History(3, arguments.lengths)
    with two(folder, arguments.belfry) as side, Rsync(folder) as server, tempfile.TemporaryDirectory(dir=folder) as place:
        side.first.take_in("a", history, 1)
        side.join()
        shutil.copy2(written(pathlib.Path(place) / "export.jsonl", side.first), server.there)
        before = size_of(side.first, ["a"])
        side.second.stop()
        side.first.take_in("a", history, arguments.messages, first=1)
        after = size_of(side.first, ["a"])
        new = {name: after[name] - before[name] for name in after}
        returns(side, "week", new, lengths=arguments.lengths)
        file = written(pathlib.Path(place) / "export.jsonl", side.first)
        tell(what="week", peer="rsync", lengths=arguments.lengths, **by_rsync(server, file, RSYNC["rsync"]))


def apart(arguments, folder):
    history = History(4)
    with two(folder, arguments.belfry) as side:
        speakers = [Speaker(side.first, f"a{number}", f"person{number}", history) for number in range(arguments.messages // EACH)]
        side.join()
        side.second.stop()
        for begin in range(0, len(speakers), arguments.at_once):
            for _ in range(EACH):
                say_apart(speakers[begin:begin + arguments.at_once])
        returns(side, "apart", size_of(side.first, [speaker.agent for speaker in speakers]), at_once=arguments.at_once)


def say_apart(speakers):
    """A message of each, and no two of one person in one batch."""
    begun = time.monotonic()
    for speaker in speakers:
        speaker.say()
    time.sleep(max(0.0, begun + BATCH_SECONDS - time.monotonic()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("live", "week", "apart"))
    parser.add_argument("--belfry", type=pathlib.Path, default=ROOT / "build" / "belfry")
    parser.add_argument("--few", type=int, default=10)
    parser.add_argument("--many", type=int, default=1_000_000)
    parser.add_argument("--messages", type=int)
    parser.add_argument("--lengths", choices=LENGTHS, default="usual")
    parser.add_argument("--at-once", type=int, default=3)
    parser.add_argument("--folder", help="on the disk that is measured")
    arguments = parser.parse_args()
    part, messages = {"live": (live, 200), "week": (week, 100_000), "apart": (apart, 3000)}[arguments.part]
    arguments.messages = arguments.messages or messages
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        part(arguments, folder)


if __name__ == "__main__":
    main()
