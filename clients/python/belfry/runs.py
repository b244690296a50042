"""Runs: one execution of an agent each, with a stream of its own."""

from __future__ import annotations

import json
from typing import Any, Iterable, Iterator, Literal, Sequence, cast

from .base import Base, given
from .cursors import RunCursor, with_query
from .follow import Following, OnLost
from .transport import Request
from .types import CallerContext, Run, RunEvent, RunEventInput, RunState

NDJSON = {"Content-Type": "application/x-ndjson"}


class Runs(Base):
    def create_run(self, *, run_key: str | None = None, user_id: str | None = None, session_id: str | None = None,
                   agent_id: str | None = None, parent_id: int | None = None, title: str | None = None,
                   metadata: dict[str, Any] | None = None, caller: CallerContext | None = None,
                   tree: bool | None = None, start: bool | None = None, hierarchy_id: str | None = None) -> Run:
        """Creates a run and, unless `start` is False, starts it; over capacity it is `pending` with a queue_position
        and starts by itself. With a `run_key` it may be repeated: the run that is there is given."""
        body = given(run_key=run_key, user_id=user_id, session_id=session_id, agent_id=agent_id, parent_id=parent_id,
                     title=title, metadata=metadata, caller=caller, tree=tree, start=start, hierarchy_id=hierarchy_id)
        return cast(Run, self._post("/v1/runs", body, repeatable=run_key is not None))

    def run(self, run_id: int) -> Run:
        return cast(Run, self._ask("GET", _path(run_id)))

    def runs(self, *, user: str | None = None, session: str | None = None, agent: str | None = None,
             state: RunState | None = None, root: int | None = None, after: int | None = None,
             limit: int | None = None) -> dict[str, Any]:
        """Newest first: {data, next, has_more}."""
        query = {"user": user, "session": session, "agent": agent, "state": state, "root": root, "after": after,
                 "limit": limit}
        return cast("dict[str, Any]", self._ask("GET", with_query("/v1/runs", query)))

    def start_run(self, run_id: int) -> Run:
        return cast(Run, self._once("POST", _path(run_id, "/start"), {}))

    def cancel_run(self, run_id: int, *, reason: str | None = None) -> Run:
        """Refused with conflict where it has ended."""
        return cast(Run, self._once("POST", _path(run_id, "/cancel"), given(reason=reason)))

    def finish_run(self, run_id: int, state: Literal["completed", "failed"] = "completed", *, result: Any = None,
                   error: dict[str, str] | None = None) -> Run:
        """Ends a running run. A failure has an error {"type", "message"}."""
        return cast(Run, self._once("POST", _path(run_id, "/finish"), given(state=state, result=result, error=error)))

    def pause_run(self, run_id: int) -> Run:
        return cast(Run, self._once("POST", _path(run_id, "/pause"), {}))

    def resume_run(self, run_id: int) -> Run:
        return cast(Run, self._once("POST", _path(run_id, "/resume"), {}))

    def emit_run(self, run_id: int, events: RunEventInput | Sequence[RunEventInput]) -> dict[str, Any]:
        """Adds an event, or a list of them, to the run's stream: {first, last, state, paused}. A run that is not
        running refuses them with conflict, which is how a producer learns of a cancellation."""
        return cast("dict[str, Any]", self._once("POST", _path(run_id, "/events"), events))

    def upload_run(self, run_id: int, events: Iterable[RunEventInput]) -> dict[str, Any]:
        """The same for a stream of events, in one request: readers see each as it is given here, not at the end.
        Returns {accepted, first, last, state}. Where one is refused the upload ends and the error's `problem` names
        the `line`; what was accepted before it stays."""
        answer = self._transport.send(Request("POST", _path(run_id, "/events"), _lines(events), dict(NDJSON)))
        if answer.status >= 300:
            raise answer.error()
        return cast("dict[str, Any]", answer.json())

    def run_events(self, run_id: int, *, after: int = 0, limit: int | None = None, tree: bool | None = None,
                   agent: str | None = None) -> dict[str, Any]:
        """A page of what happened, oldest first: {data, next, has_more}."""
        query = {"after": after, "limit": limit, "tree": tree, "agent": agent}
        return cast("dict[str, Any]", self._ask("GET", with_query(_path(run_id, "/events"), query)))

    def follow_run(self, run_id: int, *, after: int | None = None, start: Literal["start", "live"] = "start",
                   tree: bool | None = None, agent: str | None = None, format: Literal["ag-ui"] | None = None,
                   on_lost: OnLost | None = None) -> Following[RunEvent]:
        """The run's events, each once and in order, until it ends: all, or those after a position, or from now on.
        `tree` follows its children too (then positions are the tree's), `agent` one agent only, `format` gives AG-UI
        events instead."""
        if after is None and start == "live":
            # "From now on" becomes a position at once: what comes while a connection is down would be lost otherwise.
            now = with_query(_path(run_id, "/events"), {"from": "live", "limit": 1, "tree": tree})
            after = int(self._ask("GET", now)["next"])
        query = {"tree": tree, "agent": agent, "format": format}
        cursor = RunCursor(_path(run_id, "/events"), query, after)
        return cast("Following[RunEvent]", self._follow(cursor, on_lost))


def _path(run_id: int, what: str = "") -> str:
    return f"/v1/runs/{int(run_id)}{what}"


def _lines(events: Iterable[RunEventInput]) -> Iterator[bytes]:
    for event in events:
        yield json.dumps(event, ensure_ascii=False).encode() + b"\n"
