#!/usr/bin/env python3
"""An agent that looks at the week behind and the day ahead, every morning, and says a sentence about both. It changes no tasks.

    export BELFRY_TOKEN=$(belfry token create strategy --role user --user "$(id -un)")
    PYTHONPATH=clients/python examples/strategy.py

and in another terminal, once it says that it waits (or at 06:30):

    belfry rate day yesterday 4; belfry plan add 09:00-11:00 'Write'
    belfry wake now strategy; belfry inbox

`--input '{"date": "2026-11-16"}'` asks for another day than today; ZONE=Europe/Berlin says where it is morning.
"""

import datetime
import os
import sys

from belfry import BelfryError, Client
from turns import serve

AGENT = os.environ.get("AGENT", "strategy")
CATEGORY = os.environ.get("CATEGORY", "general")
MORNING = "06:30"
WEEK = datetime.timedelta(days=7)


def counted(number, noun):
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


def sentence(ratings, day):
    week = "Nothing of the last week was rated"
    if ratings["count"]:
        week = f"The last week was {ratings['average']:.1f} of 5 in {counted(ratings['count'], 'rating')}"
    return f"{week}; today has {counted(len(day['blocks']), 'block')} and {counted(len(day['pinnedTaskIds']), 'pinned task')}."


def advise(turn):
    woken_at = datetime.datetime.fromisoformat(turn.wake["created_at"]).astimezone()
    day = datetime.date.fromisoformat(turn.wake["input"].get("date") or woken_at.date().isoformat())
    ratings, planned = turn.do_all(
        ("get_ratings_summary", {"from": str(day - WEEK), "to": str(day - datetime.timedelta(days=1))}),
        ("get_or_create_day_plan", {"planDate": str(day)}))
    text = sentence(ratings, planned["dayPlan"])
    turn.do("notify_user", title="Strategy", text=text)
    print(text, flush=True)


def main():
    with Client() as client:
        client.create_agent(AGENT, kind="strategy", mode="autonomous", allowed_category_ids=[CATEGORY])
        client.add_timer(AGENT, "morning", {"kind": "daily", "time": MORNING}, zone=os.environ.get("ZONE"))
        serve(client, AGENT, advise)


if __name__ == "__main__":
    try:
        main()
    except BelfryError as error:
        sys.exit(f"{error.code}: {error}")
