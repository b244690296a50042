#!/usr/bin/env python3
"""An agent that is woken when a build fails, through the worker protocol, with Belfry's client for Python.

With `belfry serve` in one terminal, this in another:

    export BELFRY_TOKEN=$(belfry token create fixer --role user --user "$(id -un)")
    PYTHONPATH=clients/python examples/build_fixer.py

and in a third, once it says that it waits:

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


def wait_for_belfry(error):
    """It is away, and comes back."""
    threading.Event().wait(max(1.0, error.retry_after_s))


def failures_of(signals):
    """What has failed, as the events tell it. A large event comes without its body."""
    payloads = [signal["body"].get("payload", {}) for signal in signals if signal["kind"] == "event"]
    return [{"job": "something", "branch": "unknown", **payload} for payload in payloads]


def fix(failures, say, claim):
    """Looks at what has failed, for as long as it is ours. Whatever it does under the same run key a second time must do no harm."""
    for failure in failures:
        if claim.is_lost:
            break
        say(f"looking at {failure['job']} on {failure['branch']}")
    return {"fixed": sorted({failure["branch"] for failure in failures})}


def end(client, claim, outcome):
    wake = claim.wake
    while not claim.is_lost:
        try:
            print(f"wake {wake['id']}: {client.end_wake(wake, **outcome)['state']}", flush=True)
            return
        except BelfryError as error:
            if not error.may_pass:
                break
            wait_for_belfry(error)
    print(f"wake {wake['id']} is not ours any more", flush=True)


def work(client, grant):
    wake = grant["wake"]
    print(f"wake {wake['id']}: {wake['reason']}, {wake['signals']} signals, attempt {wake['attempts']}", flush=True)

    def say(text):
        print(text, flush=True)
        client.emit_run(wake["run_id"], {"event": "agent.status", "data": {"text": text}})

    with Claim(client, wake) as claim:
        try:
            outcome = {"result": fix(failures_of(grant["signals"]), say, claim)}
        except Exception as error:  # it is tried again, after a pause
            outcome = {"error": {"type": type(error).__name__, "message": str(error)}}
        end(client, claim, outcome)


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
                wait_for_belfry(error)
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
