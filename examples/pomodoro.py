#!/usr/bin/env python3
"""A kitchen clock that its person talks to. Nothing else starts it: it is interactive.

    belfry task add 'Write the report'
    export BELFRY_TOKEN=$(belfry token create pomodoro --role user --user "$(id -un)")
    PYTHONPATH=clients/python examples/pomodoro.py

and in another terminal, once it says that it waits:

    belfry send pomodoro 'start report'
    belfry send pomodoro 'stop 4 the first half is there'

The web app shows the conversation. Each thing that is said is a turn; which task is worked on, the agent keeps in its state.
"""

import os
import re
import sys

from belfry import BelfryError, Client
from turns import NotDone, serve

AGENT = os.environ.get("AGENT", "pomodoro")
CATEGORY = os.environ.get("CATEGORY", "general")
SESSION = os.environ.get("SESSION", "pomodoro")


class Clock:
    def __init__(self, turn):
        self.turn = turn
        self.task_id = turn.agent["state"]["slots"]["active_task_id"]  # for which it runs, or ran last

    def start(self, reference):
        found = self.turn.do("resolve_task_reference", reference=reference)
        task_id = found["resolvedTaskId"]
        if task_id is None:
            titles = ", ".join(f"“{one['title']}”" for one in found["candidates"])
            return f"Which one is it? {titles}" if titles else f"I know no task “{reference}”."
        self.turn.do("start_task_timer", taskId=task_id)
        self.task_id = task_id
        title = next(one["title"] for one in found["candidates"] if one["taskId"] == task_id)
        return f"The clock runs for “{title}”."

    def stop(self, score, note):
        if self.task_id is None:
            return "No clock runs."
        worked = self.turn.do("stop_task_timer", taskId=self.task_id, note=note)["timeEntry"]
        if score is None:
            return "Stopped."
        self.turn.do("create_or_update_rating", target="session", targetId=worked["timeEntryId"], score=int(score), note=note)
        return f"Stopped, {score} of 5."

    def reply(self, words):
        try:
            if asked := re.fullmatch(r"start\s+(.+)", words, re.IGNORECASE):
                return self.start(asked[1])
            if asked := re.fullmatch(r"stop(?:\s+([1-5]))?(?:\s+(.*))?", words, re.IGNORECASE):
                return self.stop(asked[1], asked[2] or "")
            return "Say “start” and a task, or “stop” and how good it was, from 1 to 5."
        except NotDone as why:
            return f"That does not go: {why}."


def converse(turn):
    """What its person has said since the last turn is pulled; what is not pulled has not been heard, and comes again."""
    session = turn.wake["session_id"]
    if session is None:  # it was woken by hand
        return
    turn.client.report_turn(session, "start", agent_id=AGENT)
    clock = Clock(turn)
    before = clock.task_id
    for message in turn.client.pull(session, "turn_start")["user_messages"]:
        text = clock.reply(message["content"].strip())
        turn.do("say", text=text)
        print(f"{message['content']} → {text}", flush=True)
    if clock.task_id != before:
        turn.do("set_state", active_task=clock.task_id)
    turn.client.report_turn(session, "end", agent_id=AGENT)


def main():
    with Client() as client:
        client.create_agent(AGENT, kind="pomodoro", mode="interactive", allowed_category_ids=[CATEGORY])
        client.put_session(SESSION, agent_id=AGENT, title="Pomodoro")
        serve(client, AGENT, converse)


if __name__ == "__main__":
    try:
        main()
    except BelfryError as error:
        sys.exit(f"{error.code}: {error}")
