#!/usr/bin/env python3
"""A coach that reads what its person writes about his training, and records the time that it took.

    belfry category add gym; belfry task add 'Leg day' --category gym
    export BELFRY_TOKEN=$(belfry token create coach --role user --user "$(id -un)")
    PYTHONPATH=clients/python examples/gym_coach.py

and in another terminal, once it says that it waits:

    belfry entry add 'leg day 16:00 to 18:00' --category gym
    belfry time list

Which task is meant is never guessed: where it is not clear, the coach asks in the inbox. AGENT and CATEGORY name it and its
category.
"""

import datetime
import os
import re
import sys

from belfry import BelfryError, Client
from turns import serve

AGENT = os.environ.get("AGENT", "gym_coach")
CATEGORY = os.environ.get("CATEGORY", "gym")
CLOCK = r"((?:[01]?\d|2[0-3]):[0-5]\d)"
TRAINING = re.compile(rf"(.+?),?\s+(?:from\s+)?{CLOCK}\s*(?:to|until|-|–)\s*{CLOCK}")


def at(day, clock):
    hour, minute = clock.split(":")
    return day.replace(hour=int(hour), minute=int(minute), second=0, microsecond=0)


def span(entry, start, end):
    """The last such span that was over when the entry was written, by the clocks of this machine."""
    written = datetime.datetime.fromisoformat(entry["started_at"] or entry["created_at"]).astimezone().replace(tzinfo=None)
    begin, over = at(written, start), at(written, end)
    day = datetime.timedelta(days=1)
    over += day if over <= begin else datetime.timedelta()
    while over > written:
        begin, over = begin - day, over - day
    return [moment.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ") for moment in (begin, over)]


def is_recorded(turn, entry, start, end):
    """Its time is there already: the entry was changed since, or an attempt before this one has recorded it."""
    there = turn.client.records("time_entry", wake=turn.wake, **{"from": start, "to": end})["data"]
    return any(one["source_entry_id"] == entry["id"] for one in there)


def record(turn, entry, reference, start, end):
    found = turn.do("resolve_task_reference", reference=reference)
    if found["resolvedTaskId"] is None:
        titles = ", ".join(f"“{one['title']}”" for one in found["candidates"]) or "I know none like that."
        print(f"{reference}: asks", flush=True)
        turn.do("notify_user", title="Which task?", text=f"You wrote “{entry['text']}”. Which task is it? {titles}")
        return
    turn.do("create_retrospective_time_entry", taskId=found["resolvedTaskId"], startedAt=start, endedAt=end,
            description=entry["text"], sourceEntryId=entry["id"])
    print(f"{reference}: recorded, {start} to {end}", flush=True)


def coach(turn):
    for entry_id in turn.changed("entry"):
        try:
            entry = turn.client.record("entry", entry_id, wake=turn.wake)
        except BelfryError as error:
            if error.code in ("gone", "not_found"):
                continue
            raise
        said = TRAINING.match(entry["text"] or "")
        if said is None:
            continue
        start, end = span(entry, said[2], said[3])
        if not is_recorded(turn, entry, start, end):
            record(turn, entry, said[1], start, end)


def main():
    with Client() as client:
        client.create_agent(AGENT, kind="gym_coach", mode="autonomous", allowed_category_ids=[CATEGORY])
        client.subscribe_agent(AGENT, tokens=["key:TEXT_ENTRY"], window_ms=0)
        serve(client, AGENT, coach)


if __name__ == "__main__":
    try:
        main()
    except BelfryError as error:
        sys.exit(f"{error.code}: {error}")
