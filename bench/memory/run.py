#!/usr/bin/env python3
"""What it costs to add a message to what an agent remembers, to put together what it is told, and to look for a word, with few messages
there and with many.

    bench/memory/run.py [--belfry build/belfry] [--few 10000] [--many 1000000] [--rounds 5] [--budget 4000] [--folder DIR]

Both histories come in by `POST /v1/agents/import` and are folded by rules until nothing is left to fold. What is compared is the same work: as
many messages of either are marked as decisions, and the budget is one that both contexts fill, so that both agents are told as much. (With
`--budget 16000`, as it is for everybody, the longer history is told three times as much as the shorter, which has no more to tell.) Both daemons
run at once, and the rounds alternate between them.
Prints a line of JSON for each round of each: the median of its requests, in microseconds, from the request to the last byte of the answer.
"""
import argparse
import http.client
import json
import pathlib
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from servers.belfry import Belfry  # noqa: E402, the folder must be known first

REQUESTS = 200  # of a round
BATCH = 500     # messages of one request
THREADS = 10
MARKED = 100    # messages of each history
AGENT = "a"


class Worker:
    """One who holds a wake of an agent that has a history."""

    def __init__(self, server, budget):
        self.budget = budget
        self.link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        self.token = server.token()

    def send(self, method, path, body=None):
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        kind = "application/x-ndjson" if isinstance(body, str) else "application/json"
        self.link.request(method, path, text, {"Authorization": f"Bearer {self.token}", "Content-Type": kind})
        answer = self.link.getresponse()
        said = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {said}")
        return said

    def ask(self, method, path, body=None):
        said = self.send(method, path, body)
        return json.loads(said) if said else None

    def fill(self, count):
        first, query, last = json.dumps({"agent": {"id": AGENT, "user_id": "ada", "memory": {"budget_tokens": self.budget}}}) + "\n", "", ""
        for begin in range(0, count, BATCH):
            numbers = range(begin, min(begin + BATCH, count))
            self.ask("POST", "/v1/agents/import" + query + last, first + "".join(line_of(number, count) for number in numbers))
            first, query, last = "", f"?agent={AGENT}", f"&after={id_of(numbers[-1])}"
        self.count = count

    def fold(self):
        while True:
            self.ask("POST", f"/v1/agents/{AGENT}/memory/folds", {})
            waiting = [state for state in ("pending", "running", "failed_terminal")
                       if self.ask("GET", f"/v1/agents/{AGENT}/memory/folds?state={state}")["data"]]
            if "failed_terminal" in waiting:
                raise RuntimeError("a fold was given up")
            threads = self.ask("GET", f"/v1/agents/{AGENT}/memory/threads")["data"]
            if not waiting and not any(thread["hot_messages"] for thread in threads):
                return
            time.sleep(0.1)

    def claim(self):
        self.ask("POST", f"/v1/agents/{AGENT}/wake", {"request_id": "r"})
        self.wake = self.ask("POST", "/v1/wakes/claim", {"agents": [AGENT], "lease_s": 600})["wake"]

    # What is measured sends a request; what it answered is looked at afterwards.
    def append(self, number):
        return self.send("POST", f"/v1/wakes/{self.wake['id']}/messages",
                         {"fence": self.wake["fence"], "messages": [{"kind": "thought", "content": {"text": f"thought number {number}"}}]})

    def assemble(self, _):
        return self.send("GET", f"/v1/agents/{AGENT}/memory?thread_id={self.wake['thread_id']}")

    def recall(self, number):
        return self.send("GET", f"/v1/agents/{AGENT}/memory/search?limit=1&q=the+matter+m{self.wanted(number)}")

    def wanted(self, number):
        return number * 7919 % self.count

    def look(self, what, number, said):
        if what == "assemble":
            told = json.loads(said)
            if not told["summaries"] or not told["messages"] or told["used_tokens"] > told["budget_tokens"] or len(told["decisions"]) != MARKED:
                raise RuntimeError(f"it is told {told['used_tokens']} tokens, {len(told['summaries'])} summaries, {len(told['decisions'])} decisions")
        if what == "recall":
            found = json.loads(said)["data"]
            if not found or f"m{self.wanted(number)} " not in found[0]["snippet"]:
                raise RuntimeError(f"m{self.wanted(number)} is not found")


def id_of(number):
    return f"00000000-0000-4000-8000-{number + 1:012x}"


def line_of(number, count):
    seconds = number // 100
    at = f"2026-01-{seconds // 86400 + 1:02d}T{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{number % 100:02d}0000Z"
    every = count // MARKED
    mark = "Decision: " if number % every == every // 2 else ""
    return json.dumps({"message": {
        "id": id_of(number), "agent_id": AGENT, "thread_id": f"{AGENT}:session:s{number // 50 % THREADS}", "kind": "thought",
        "created_at": at, "tokens_approx": 20,
        "content": {"text": f"{mark}we spoke of the matter m{number} and of what somebody said in the evening"}}}) + "\n"


def microseconds(worker, what, round_):
    times = []
    for number in range(round_ * REQUESTS, (round_ + 1) * REQUESTS):
        begun = time.perf_counter()
        said = getattr(worker, what)(number)
        times.append((time.perf_counter() - begun) * 1e6)
        worker.look(what, number, said)
    return statistics.median(times)


def prepared(server, count, budget):
    worker = Worker(server, budget)
    begun = time.monotonic()
    worker.fill(count)
    filled = time.monotonic()
    worker.fold()
    print(f"{count:,} messages: filled in {filled - begun:.0f} s, folded in {time.monotonic() - filled:.0f} s", file=sys.stderr)
    worker.claim()
    worker.append(0)
    return worker


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--belfry", type=pathlib.Path, default=ROOT / "build" / "belfry")
    parser.add_argument("--few", type=int, default=10_000)
    parser.add_argument("--many", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget", type=int, default=4000, help="in tokens, of what each agent is told")
    parser.add_argument("--folder", help="on the disk that is measured")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder, Belfry(folder, arguments.belfry) as first, \
            Belfry(folder, arguments.belfry) as second:
        sides = [prepared(second, arguments.many, arguments.budget), prepared(first, arguments.few, arguments.budget)]
        for round_ in range(arguments.rounds):
            for what in ("append", "assemble", "recall"):
                for worker in sides:
                    took = microseconds(worker, what, round_)
                    print(json.dumps({"what": what, "messages": worker.count, "us_each": round(took, 1)}), flush=True)
        for worker in sides:
            told = json.loads(worker.assemble(0))
            print(f"{worker.count:,} messages: told {told['used_tokens']:,} tokens, {len(told['summaries'])} summaries, {len(told['decisions'])} "
                  f"decisions, {len(told['messages'])} messages; {told['left_out']} left out", file=sys.stderr)


if __name__ == "__main__":
    main()
