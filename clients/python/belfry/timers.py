"""What wakes agents by the clock."""

from __future__ import annotations

from typing import Any, cast
from urllib.parse import quote

from .base import Base, given
from .cursors import with_query
from .types import Schedule, Timer


class Timers(Base):
    def add_timer(self, agent_id: str, name: str, schedule: Schedule, *, zone: str | None = None,
                  input: dict[str, Any] | None = None, priority: int | None = None, active: bool | None = None,
                  dry_run: bool | None = None) -> Timer:
        """Wakes an agent by a schedule: `{"kind": "daily", "time": "07:00"}`, in a zone. May be repeated: the timer that is
        there under its name and is like this is given; another one of this name is refused with conflict (`taken`). With
        `dry_run` it is only said what would be."""
        body = given(name=name, schedule=schedule, zone=zone, input=input, priority=priority, active=active,
                     dry_run=dry_run)
        return cast(Timer, self._ask("POST", _path(agent_id), body))

    def timer(self, agent_id: str, timer_id: str) -> Timer:
        return cast(Timer, self._ask("GET", _path(agent_id, timer_id)))

    def timers(self, *, agent: str | None = None, user: str | None = None, after: str | None = None,
               limit: int | None = None) -> dict[str, Any]:
        """Those of one agent, or all that the caller may see, whichever fires next first: {data, next, has_more}."""
        path = "/v1/timers" if agent is None else _path(agent)
        query = {"user": user, "after": after, "limit": limit}
        return cast("dict[str, Any]", self._ask("GET", with_query(path, query)))

    def change_timer(self, agent_id: str, timer_id: str, **changes: Any) -> Timer:
        """What is named changes: `active=False`, `zone="UTC"`. Another zone keeps the wall time."""
        return cast(Timer, self._once("PATCH", _path(agent_id, timer_id), changes))

    def remove_timer(self, agent_id: str, timer_id: str) -> None:
        self._once("DELETE", _path(agent_id, timer_id))


def _path(agent_id: str, timer_id: str | None = None) -> str:
    timers = f"/v1/agents/{quote(agent_id, safe='')}/timers"
    return timers if timer_id is None else f"{timers}/{quote(timer_id, safe='')}"
