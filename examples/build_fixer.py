#!/usr/bin/env python3
"""An agent that is woken when a build fails, through the worker protocol, with Belfry's client for Python.

    belfry serve &
    PYTHONPATH=clients/python examples/build_fixer.py &
    belfry emit ci.failed --payload '{"branch": "main", "job": "unit tests"}'

BELFRY_URL says where Belfry is, BELFRY_TOKEN (of role user or above) who asks. `fix` is the place for a real agent. With
ONCE=1 it ends after the first wake.
"""

import os
import sys
import threading

from belfry import BelfryError, Client

AGENT = os.environ.get("AGENT", "build_fixer")
LEASE_S = 30


class Claim:
    """A wake that is ours. It is renewed while the work goes on; `is_lost` says that it is somebody else's by now."""

    def __init__(self, client, wake):
        self.client = client
        self.wake = wake
        self.is_lost = False
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.renew)

    def renew(self):
        while not self.is_over.wait(LEASE_S / 3):
            try:
                self.client.renew_wake(self.wake, lease_s=LEASE_S)
            except BelfryError as error:
                if not error.may_pass:  # cancelled, destroyed, or taken over
                    self.is_lost = True
                    return

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()


def fix(failures, say):
    """Looks at what has failed. Whatever it does under the same run key a second time must do no harm."""
    for failure in failures:
        say(f"looking at {failure['job']} on {failure['branch']}")
    return {"fixed": sorted({failure["branch"] for failure in failures})}


def work(client, grant):
    wake = grant["wake"]
    print(f"wake {wake['id']}: {wake['reason']}, {wake['signals']} signals, attempt {wake['attempts']}", flush=True)
    failures = [signal["body"]["payload"] for signal in grant["signals"] if signal["kind"] == "event"]

    def say(text):
        print(text, flush=True)
        client.emit_run(wake["run_id"], {"event": "agent.status", "data": {"text": text}})

    with Claim(client, wake) as claim:
        try:
            outcome = {"result": fix(failures, say)}
        except Exception as error:  # it is tried again, after a pause
            outcome = {"error": {"type": type(error).__name__, "message": str(error)}}
    if claim.is_lost:
        print(f"wake {wake['id']} is not ours any more", flush=True)
        return
    ended = client.end_wake(wake, **outcome)
    print(f"wake {wake['id']}: {ended['state']}", flush=True)


def main():
    with Client() as client:
        client.create_agent(AGENT, kind="build_fixer", mode="autonomous")
        client.subscribe_agent(AGENT, "ci.failed", window_ms=int(os.environ.get("WINDOW_MS", "2000")))
        print(f"{AGENT} waits for ci.failed", flush=True)
        while True:
            try:
                grant = client.claim_wake(AGENT, holder="build_fixer.py", lease_s=LEASE_S, wait_s=30)
            except BelfryError as error:
                if not error.may_pass:
                    raise
                threading.Event().wait(max(1.0, error.retry_after_s))  # Belfry is away: it comes back
                continue
            if grant is not None:
                work(client, grant)
                if os.environ.get("ONCE"):
                    return


if __name__ == "__main__":
    try:
        main()
    except BelfryError as error:
        sys.exit(f"{error.code}: {error}")
