#!/usr/bin/env python3
"""What it costs to add a message to what an agent remembers, to put together what it is told, and to look for a word, with few messages
there and with many.

    bench/memory/run.py [--belfry build/belfry] [--few 10000] [--many 1000000] [--rounds 5] [--folder DIR]

Both histories come in by `POST /v1/agents/import` and are folded by rules until nothing is left to fold. Both daemons run at once, and the
rounds alternate between them. Prints a line of JSON for each round of each: the median of its requests, in microseconds.
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
AGENT = "a"


class Worker:
    """One who holds a wake of an agent that has a history."""

    def __init__(self, server):
        self.link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        self.token = server.token()

    def ask(self, method, path, body=None):
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        kind = "application/x-ndjson" if isinstance(body, str) else "application/json"
        self.link.request(method, path, text, {"Authorization": f"Bearer {self.token}", "Content-Type": kind})
        answer = self.link.getresponse()
        said = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {said}")
        return json.loads(said) if said else None

    def fill(self, count):
        first, query, last = json.dumps({"agent": {"id": AGENT, "user_id": "ada"}}) + "\n", "", ""
        for begin in range(0, count, BATCH):
            numbers = range(begin, min(begin + BATCH, count))
            self.ask("POST", "/v1/agents/import" + query + last, first + "".join(map(line_of, numbers)))
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

    def append(self, number):
        self.ask("POST", f"/v1/wakes/{self.wake['id']}/messages",
                 {"fence": self.wake["fence"], "messages": [{"kind": "thought", "content": {"text": f"thought number {number}"}}]})

    def assemble(self, _):
        told = self.ask("GET", f"/v1/agents/{AGENT}/memory?thread_id={self.wake['thread_id']}")
        if not told["summaries"] or not told["messages"] or told["used_tokens"] > told["budget_tokens"]:
            raise RuntimeError(f"it is told {told['used_tokens']} tokens, {len(told['summaries'])} summaries")

    def recall(self, number):
        wanted = number * 7919 % self.count
        found = self.ask("GET", f"/v1/agents/{AGENT}/memory/search?limit=1&q=the+matter+m{wanted}")["data"]
        if not found or f"m{wanted} " not in found[0]["snippet"]:
            raise RuntimeError(f"m{wanted} is not found")


def id_of(number):
    return f"00000000-0000-4000-8000-{number + 1:012x}"


def line_of(number):
    seconds = number // 100
    at = f"2026-01-{seconds // 86400 + 1:02d}T{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{number % 100:02d}0000Z"
    mark = "Decision: " if number % 10_000 == 17 else ""
    return json.dumps({"message": {
        "id": id_of(number), "agent_id": AGENT, "thread_id": f"{AGENT}:session:s{number // 50 % THREADS}", "kind": "thought",
        "created_at": at, "tokens_approx": 20,
        "content": {"text": f"{mark}we spoke of the matter m{number} and of what somebody said in the evening"}}}) + "\n"


def microseconds(call, round_):
    times = []
    for number in range(REQUESTS):
        begun = time.perf_counter()
        call(round_ * REQUESTS + number)
        times.append((time.perf_counter() - begun) * 1e6)
    return statistics.median(times)


def prepared(server, count):
    worker = Worker(server)
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
    parser.add_argument("--folder", help="on the disk that is measured")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder, Belfry(folder, arguments.belfry) as first, \
            Belfry(folder, arguments.belfry) as second:
        sides = [prepared(second, arguments.many), prepared(first, arguments.few)]
        for round_ in range(arguments.rounds):
            for what in ("append", "assemble", "recall"):
                for worker in sides:
                    took = microseconds(getattr(worker, what), round_)
                    print(json.dumps({"what": what, "messages": worker.count, "us_each": round(took, 1)}), flush=True)


if __name__ == "__main__":
    main()
