"""What agents remember, and what it is folded into."""

from __future__ import annotations

from typing import Any, cast

from .base import Base, given
from .cursors import quote, with_query
from .types import AssembledMemory, FoldJob, FoldState, OpenedSummary


class Memory(Base):
    def memory(self, agent_id: str, *, thread_id: str | None = None, explain: bool = False) -> AssembledMemory:
        """What an agent would be told of what it remembers, were it woken now; in the thread that was spoken in last
        unless one is named. With `explain`, its `choices` say what was left out, and why."""
        query = {"thread_id": thread_id, "explain": "1" if explain else None}
        return cast(AssembledMemory, self._ask("GET", with_query(_path(agent_id), query)))

    def memory_threads(self, agent_id: str, *, after: str | None = None, limit: int | None = None) -> dict[str, Any]:
        """The one that was spoken in last first: {data, next, has_more}."""
        return cast("dict[str, Any]", self._ask("GET", with_query(_path(agent_id, "/threads"), {"after": after, "limit": limit})))

    def memory_summaries(self, agent_id: str, *, folded: str | None = None) -> dict[str, Any]:
        """Those that nothing has folded yet, or that the summary `folded` has: {data, next, has_more}."""
        return cast("dict[str, Any]", self._ask("GET", with_query(_path(agent_id, "/summaries"), {"folded": folded})))

    def open_summary(self, agent_id: str, summary_id: str, *, after: int | None = None,
                     limit: int | None = None) -> OpenedSummary:
        """A summary with a page of what it was made of, the oldest first."""
        path = _path(agent_id, "/summaries/" + quote(summary_id))
        return cast(OpenedSummary, self._ask("GET", with_query(path, {"after": after, "limit": limit})))

    def search_memory(self, agent_id: str, q: str, *, thread_id: str | None = None, kind: str | None = None,
                      limit: int | None = None) -> dict[str, Any]:
        """Messages that have most of these words, the newest first: {data, next, has_more}."""
        query = {"q": q, "thread_id": thread_id, "kind": kind, "limit": limit}
        return cast("dict[str, Any]", self._ask("GET", with_query(_path(agent_id, "/search"), query)))

    def folds(self, agent_id: str, *, state: FoldState | None = None, after: str | None = None,
              limit: int | None = None) -> dict[str, Any]:
        """The work of folding, newest first: {data, next, has_more}."""
        query = {"state": state, "after": after, "limit": limit}
        return cast("dict[str, Any]", self._ask("GET", with_query(_path(agent_id, "/folds"), query)))

    def fold_memory(self, agent_id: str, *, thread_id: str | None = None) -> int:
        """Folds what can be folded now, without waiting until it is due: how many jobs are open. May be repeated."""
        return cast(int, self._ask("POST", _path(agent_id, "/folds"), given(thread_id=thread_id))["jobs"])

    def restart_fold(self, agent_id: str, job: str) -> FoldJob:
        """Tries one again that was given up. May be repeated."""
        return cast(FoldJob, self._ask("POST", _path(agent_id, f"/folds/{quote(job)}/restart")))

    def forget_memory(self, agent_id: str, *, message_id: str | None = None, thread_id: str | None = None,
                      before: str | None = None) -> dict[str, Any]:
        """Takes away for good a message, or what lies in a thread, before a time, or both, with all that was made of it:
        {messages, summaries, has_more}. While there is more: the same once more."""
        body = given(message_id=message_id, thread_id=thread_id, before=before)
        return cast("dict[str, Any]", self._once("POST", _path(agent_id, "/forget"), body))


def _path(agent_id: str, what: str = "") -> str:
    return f"/v1/agents/{quote(agent_id)}/memory{what}"
