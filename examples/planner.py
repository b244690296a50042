#!/usr/bin/env python3
"""A planner that looks at what its person finishes: what was left open of a task goes to a follow-up task.

    belfry category add home; belfry task add 'Move house' --id move --category home
    belfry checklist add move Boxes kitchen books
    export BELFRY_TOKEN=$(belfry token create planner --role user --user "$(id -un)")
    PYTHONPATH=clients/python CATEGORY=home examples/planner.py

and in another terminal, once it says that it waits:

    belfry task done move          # or, to have it closed: belfry wake now planner --input '{"taskId": "move"}'
    belfry task list

Rolling over is of high risk, so it is done in two calls: the first tells what would change, the second does exactly that.
"""

import os
import sys

from belfry import BelfryError, Client
from turns import NotDone, serve

AGENT = os.environ.get("AGENT", "planner")
CATEGORY = os.environ.get("CATEGORY", "general")
PREVIEWS_MAX = 3


def conclude(turn, task_id):
    """What was done, or None where there was nothing to do. Where somebody changes the task in between, it looks again."""
    for _ in range(PREVIEWS_MAX):
        told = turn.do("conclude_task_with_rollover", taskId=task_id, previewOnly=True)
        if told["changeCount"] == 0:
            return None
        for one in told["changes"]:
            print(f"would be {one['change']}: {one['kind']} {one.get('title', '')}".rstrip(), flush=True)
        try:
            return turn.do("conclude_task_with_rollover", taskId=task_id, previewToken=told["previewToken"])
        except NotDone as why:
            if why.code != "preview_required":
                raise
    raise NotDone("preview_required", "it changes faster than it can be looked at")


def plan(turn):
    named = turn.wake["input"].get("taskId")
    rolled = {}
    for task_id in turn.changed("task") + ([named] if named else []):
        try:
            done = conclude(turn, task_id)
        except NotDone as why:  # of this one; there may be others
            print(f"{task_id}: {why.code}", flush=True)
            continue
        if done is None:
            print(f"{task_id}: nothing is open", flush=True)
        elif done["followUpTask"] is None:
            print(f"{task_id}: closed", flush=True)
        else:
            rolled[task_id] = done["followUpTask"]["taskId"]
            print(f"{task_id}: {len(done['movedItemIds'])} open rolled over to “{done['followUpTask']['title']}”", flush=True)
    return {"rolled_over": rolled}


def main():
    with Client() as client:
        client.create_agent(AGENT, kind="planner", mode="autonomous", allowed_category_ids=[CATEGORY])
        client.subscribe_agent(AGENT, tokens=["sub:task.status/done"], window_ms=0)
        serve(client, AGENT, plan)


if __name__ == "__main__":
    try:
        main()
    except BelfryError as error:
        sys.exit(f"{error.code}: {error}")
