#!/usr/bin/env python3
"""How soon a person's word reaches its session while a run streams: from the request on one connection to its receipt (it is on
disk then), and to the moment when a pull of the agent carries it. Goal: p99 under 100 ms.

    bench/messages/run.py [--belfry build/belfry] [--messages 1000] [--pace 2000]

Prints one line of JSON; section (i) of bench/run.py is this, round by round.
"""
import argparse
import datetime
import http.client
import json
import os
import pathlib
import re
import socket
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from servers.belfry import Belfry  # noqa: E402, the folder must be known first

BURST = 100  # messages of one client before it has to wait: every hundred come from a new one


class Client:
    """JSON-RPC over the Unix socket."""

    def __init__(self, server):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(server.data / "belfry-rpc.sock"))
        self.buffer = b""

    def call(self, method, params):
        text = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        self.socket.sendall(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.socket.recv(1 << 16)
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        length = int(re.search(rb"\d+", head).group())
        while len(self.buffer) < length:
            self.buffer += self.socket.recv(1 << 16)
        answer, self.buffer = json.loads(self.buffer[:length]), self.buffer[length:]
        if "result" not in answer:
            raise RuntimeError(answer)
        return answer["result"]


class Agent:
    """A connection of the agent's runtime."""

    def __init__(self, server):
        self.link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        self.token = server.token()

    def ask(self, method, path, body=None, kind="application/json"):
        text = body if isinstance(body, (str, type(None))) else json.dumps(body)
        self.link.request(method, path, body=text, headers={"Authorization": "Bearer " + self.token, "Content-Type": kind})
        answer = self.link.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{path}: {answer.status} {text[:500]}")
        return json.loads(text)


def stream(server, run, pace, done, sent):
    """Tokens of a model into the run, `pace` a second, fifty at a time."""
    agent = Agent(server)
    lines = "\n".join(['{"event":"llm.stream","data":{"message_id":"m","delta":"word "}}'] * 50)
    begin = time.monotonic()
    while not done.is_set():
        agent.ask("POST", f"/v1/runs/{run}/events", lines, "application/x-ndjson")
        sent[0] += 50
        time.sleep(max(0.0, begin + sent[0] / pace - time.monotonic()))


def percentile(samples, share):
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000


def measure(server, messages, pace):
    agent = Agent(server)
    agent.ask("PUT", "/v1/sessions/bench", {"user_id": "ada"})
    run = agent.ask("POST", "/v1/runs", {"session_id": "bench"})["id"]
    done, sent = threading.Event(), [0]
    streaming = threading.Thread(target=stream, args=(server, run, pace, done, sent))
    streaming.start()
    receipts, handed = [], []
    begin = time.monotonic()
    try:
        for number in range(messages):
            if number % BURST == 0:
                client = Client(server)
            stamp = datetime.datetime.now(datetime.timezone.utc).isoformat()
            start = time.monotonic()
            receipt = client.call("client/user_message", {"session_id": "bench", "message_type": "user_input",
                                                          "timestamp": stamp, "payload": {"text": f"word {number}"}})
            receipts.append(time.monotonic() - start)
            pulled = agent.ask("POST", "/v1/sessions/bench/pull", {"point": "after_tool"})
            handed.append(time.monotonic() - start)
            if [one["id"] for one in pulled["user_messages"]] != [receipt["notification_id"]]:
                raise RuntimeError(f"message {number} was not handed over: {pulled}")
            agent.ask("POST", "/v1/sessions/bench/acknowledge", {"pull_id": pulled["pull_id"]})
    finally:
        seconds = time.monotonic() - begin
        done.set()
        streaming.join()
    return {"messages": messages, "run_events_per_second": round(sent[0] / seconds),
            **{f"{name}_p{share}_ms": round(percentile(samples, share / 100), 2)
               for name, samples in (("receipt", receipts), ("handed_over", handed)) for share in (50, 99)}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--belfry", default=os.environ.get("BELFRY") or str(ROOT / "build/belfry"))
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--pace", type=int, default=2000, help="run events a second beside them")
    parser.add_argument("--folder", default="/var/tmp", help="a folder on the disk to measure")
    options = parser.parse_args()
    with Belfry(pathlib.Path(options.folder), pathlib.Path(options.belfry).resolve()) as server:
        found = measure(server, options.messages, options.pace)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
