"""What gym_coach, planner, strategy and pomodoro share: a worker that waits for wakes, and turns that plan before they act.

Whatever dies in between, the next attempt of a wake goes the same way: a round has one plan for good, each of its actions has
an operation, and what was done under an operation gives the result that it gave then. So what a turn does should depend on what
woke it and on what its tools have said, and not on what it changes itself.
"""

import os
import time

from belfry import BelfryError

LEASE_S = 60
ANSWER_S = 20  # of one wait for a person's answer; the claim is renewed after each


class NotDone(Exception):
    """A tool has refused, with its error code; or its person wants to decide about it first, which is `proposed`."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Turn:
    """One wake that is ours."""

    def __init__(self, client, grant):
        self.client = client
        self.wake = grant["wake"]
        self.agent = grant["agent"]
        self.round = 0

    def signals(self):
        """Why it was woken: all of them, page by page."""
        after = None
        while True:
            page = self.client.wake_signals(self.wake["id"], after=after)
            yield from page["data"]
            if not page["has_more"]:
                return
            after = page["next"]

    def changed(self, kind):
        """The ids of the records of this kind whose changes woke it, each once."""
        changes = [change for signal in self.signals() if signal["kind"] == "change" for change in signal["body"]["changes"]]
        return list(dict.fromkeys(change["id"] for change in changes if change["kind"] == kind))

    def do(self, tool_name, **arguments):
        """One call; what the tool says."""
        return self.do_all((tool_name, arguments))[0]

    def do_all(self, *calls):
        """Calls that do not depend on each other: all are planned, then done one after the other."""
        wanted = [{"tool_name": name, "arguments": arguments} for name, arguments in calls]
        actions = None
        # What an earlier attempt has planned, and is not wanted any more, is passed over.
        while actions is None or [{name: action[name] for name in ("tool_name", "arguments")} for action in actions] != wanted:
            self.round += 1
            actions = self.client.store_plan(self.wake, wanted, round=self.round)["actions"]
        return [self.said(action["operation_id"]) for action in actions]

    def said(self, operation_id):
        called = self.client.call_tool(self.wake, operation_id=operation_id)
        while called["result"] is None:  # its person is asked
            self.client.interaction(called["waits_for"]["id"], wait_s=ANSWER_S)
            self.client.renew_wake(self.wake, lease_s=LEASE_S)
            called = self.client.call_tool(self.wake, operation_id=operation_id)
        told, content = called["result"]["tool_result"], called["result"]["content"]
        if told["status"] == "error":
            raise NotDone(told["error_code"], told["error_message"])
        if content.get("proposed"):
            raise NotDone("proposed", "it waits in change set " + content["changeSetId"])
        return content


def work(client, grant, handle):
    wake = grant["wake"]
    print(f"wake {wake['id']}: {wake['reason']}, attempt {wake['attempts']}", flush=True)
    try:
        outcome = {"result": handle(Turn(client, grant))}
    except NotDone as why:  # the same operation would be refused again
        outcome = {"result": {"not_done": why.code, "message": str(why)}}
    except Exception as error:  # it is tried again, after a pause
        outcome = {"error": {"type": type(error).__name__, "message": str(error)}}
    try:
        state = client.end_wake(wake, **outcome)["state"]
    except BelfryError as error:
        state = f"not ours any more ({error})"
    print(f"wake {wake['id']}: {state}", flush=True)


def serve(client, agent_id, handle):
    """Waits for wakes of an agent and handles each; WAKES=1 ends it after the first."""
    print(f"{agent_id} waits", flush=True)
    left = int(os.environ.get("WAKES", "0"))
    while True:
        try:
            grant = client.claim_wake(agent_id, holder=agent_id, lease_s=LEASE_S, wait_s=30)
        except BelfryError as error:
            if not error.may_pass:
                raise
            time.sleep(max(1.0, error.retry_after_s))  # it is away, and comes back
            continue
        if grant is None:
            continue
        work(client, grant, handle)
        left -= 1
        if left == 0:
            return
