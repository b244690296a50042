"""For an agent's runtime: it reports what its agent does and pulls what the agent must know."""

from __future__ import annotations

from typing import Any, Literal, Sequence, cast

from .base import Base, given
from .cursors import EntryCursor, quote, with_query
from .follow import Following, OnLost
from .types import Budget, ItemLease, MessageFormat, Point, Priority, Pulled, Report


def _path(session: str, what: str = "") -> str:
    return "/v1/sessions/" + quote(session) + what


class Sessions(Base):
    def _naming(self, session: str, body: dict[str, Any]) -> dict[str, Any]:
        """With the last hand-over that was got in this session, unless the caller says which."""
        last = self._pulls.get(session)
        return body if last is None or "pull_id" in body else {**body, "pull_id": last}

    def put_session(self, session: str, *, user_id: str | None = None, agent_id: str | None = None,
                    title: str | None = None, metadata: dict[str, Any] | None = None,
                    budget: Budget | None = None) -> dict[str, Any]:
        """Makes a session, or changes what is given of it. A budget sets the count back."""
        body = given(user_id=user_id, agent_id=agent_id, title=title, metadata=metadata, budget=budget)
        return cast("dict[str, Any]", self._ask("PUT", _path(session), body))

    def session(self, session: str) -> dict[str, Any]:
        return cast("dict[str, Any]", self._ask("GET", _path(session)))

    def sessions(self, *, user: str | None = None, after: str | None = None,
                 limit: int | None = None) -> dict[str, Any]:
        """A page: {data, next, has_more}."""
        query = {"user": user, "after": after, "limit": limit}
        return cast("dict[str, Any]", self._ask("GET", with_query("/v1/sessions", query)))

    def remove_session(self, session: str) -> None:
        """Forgets it. What it still had to be told goes to its user."""
        self._once("DELETE", _path(session))

    def post_message(self, session: str, role: str, content: str, *, metadata: dict[str, Any] | None = None,
                     node_id: str | None = None, parent_id: str | None = None,
                     deliver: bool | None = None) -> dict[str, Any]:
        """Adds a message. With `deliver` a user's message waits for the agent like one sent by `Sender`."""
        body = given(role=role, content=content, metadata=metadata, node_id=node_id, parent_id=parent_id,
                     deliver=deliver)
        return cast("dict[str, Any]", self._once("POST", _path(session, "/messages"), body))

    def history(self, session: str, *, shape: Literal["path", "tree"] | None = None, node: str | None = None,
                after: str | None = None, limit: int | None = None) -> dict[str, Any]:
        query = {"shape": shape, "node": node, "after": after, "limit": limit}
        return cast("dict[str, Any]", self._ask("GET", with_query(_path(session, "/history"), query)))

    def follow_session(self, session: str, *, after: int | None = None, start: Literal["live", "start"] = "live",
                       on_lost: OnLost | None = None) -> Following[dict[str, Any]]:
        """What happens in a conversation, an entry {sequence, event} each: which message, node, turn or question,
        without its words. From `after` on, or from `start`. Ends when the session is deleted. `{"gap": {"from", "to"}}`
        stands where entries are gone for good."""
        if after is None and start == "live":
            # "From now on" becomes a position at once: what comes while a connection is down would be lost otherwise.
            found = self._ask("GET", with_query("/v1/streams", {"name": "session:" + session}))["data"]
            after = int(found[0]["head"]) if found else 0
        return self._follow(EntryCursor(_path(session, "/stream"), {}, after), on_lost)

    def report_turn(self, session: str, event: Literal["start", "end"], *, turn_number: int | None = None,
                    agent_id: str | None = None, reason: str | None = None, tool_calls: int | None = None,
                    tokens_used: int | None = None, context_tokens: int | None = None, lease_s: int | None = None,
                    acknowledged: Sequence[str | ItemLease] | None = None, pull_id: str | None = None,
                    only_named: bool | None = None, leases: Sequence[ItemLease] | None = None) -> Report:
        """A turn begins or ends. `acknowledged`, at an end, are the handles that the model has named as dealt with.
        `pull_id` is the last pull that was received (default: the last one of this client). It proves that the caller
        holds what it ends; `leases` prove the same for single notifications. `only_named`, at an end: what was neither
        named nor acknowledged has not arrived."""
        body = given(event=event, turn_number=turn_number, agent_id=agent_id, reason=reason, tool_calls=tool_calls,
                     tokens_used=tokens_used, context_tokens=context_tokens, lease_s=lease_s,
                     acknowledged=acknowledged, pull_id=pull_id, only_named=only_named, leases=leases)
        report = cast(Report, self._once("POST", _path(session, "/turns"), self._naming(session, body)))
        if event == "end":
            self._pulls.pop(session, None)
        return report

    def report_tool_call(self, session: str, status: Literal["pending", "success", "failure", "timeout"], *,
                         tool_name: str, call_id: str, agent_id: str | None = None, source: str | None = None,
                         arguments: Any = None, duration_ms: int | None = None, result_summary: str | None = None,
                         error_type: str | None = None, error_message: str | None = None,
                         retry_count: int | None = None, timeout_ms: int | None = None,
                         tokens_used: int | None = None, handling: str | None = None,
                         pull_id: str | None = None, leases: Sequence[ItemLease] | None = None) -> Report:
        """A tool is called, or was. success needs `duration_ms`, failure its error's type and message, timeout
        `timeout_ms`."""
        body = given(status=status, tool_name=tool_name, call_id=call_id, agent_id=agent_id, source=source,
                     arguments=arguments, duration_ms=duration_ms, result_summary=result_summary,
                     error_type=error_type, error_message=error_message, retry_count=retry_count,
                     timeout_ms=timeout_ms, tokens_used=tokens_used, handling=handling, pull_id=pull_id, leases=leases)
        return cast(Report, self._once("POST", _path(session, "/tool-calls"), self._naming(session, body)))

    def notify_self(self, session: str, message: str, *, agent_id: str | None = None,
                    priority: Priority | None = None, category: str | None = None,
                    deliver_at: Literal["immediate", "next_turn", "after_tool"] | None = None,
                    after_turns: int | None = None, when: dict[str, float] | None = None) -> dict[str, Any]:
        """The agent's note to itself, now or later."""
        body = given(message=message, agent_id=agent_id, priority=priority, category=category, deliver_at=deliver_at,
                     after_turns=after_turns, when=when)
        return cast("dict[str, Any]", self._once("POST", _path(session, "/notify-self"), body))

    def pull(self, session: str, point: Point, *, format: MessageFormat | None = None,
             budget_tokens: int | None = None, lease_s: int | None = None, acknowledge: str | None = None,
             pull_id: str | None = None, context: bool | Sequence[str] | None = None) -> Pulled:
        """What is due at this point of the agent's turn, under a lease. With a format, `messages` is ready for that
        model interface. `acknowledge` is the `pull_id` before, confirmed with this call; `pull_id` the last one that
        was got: what went out with others and was not confirmed comes again. `context`: the context values to return, True
        for all in scope or their names."""
        body = given(point=point, budget_tokens=budget_tokens, lease_s=lease_s, acknowledge=acknowledge,
                     pull_id=pull_id, context=context)
        target = with_query(_path(session, "/pull"), {"format": format})
        pulled = cast(Pulled, self._once("POST", target, self._naming(session, body)))
        self._pulls[session] = pulled["pull_id"]
        return pulled

    def acknowledge(self, session: str, *, pull_id: str | None = None,
                    items: Sequence[ItemLease] | None = None) -> int:
        """What was handed over has arrived: all of a pull, or single items. Returns how many ended with it."""
        body = given(pull_id=pull_id, items=items)
        return int(self._ask("POST", _path(session, "/acknowledge"), body)["acknowledged"])

    def heartbeat(self, session: str, *, lease_s: int | None = None, pull_id: str | None = None,
                  leases: Sequence[ItemLease] | None = None) -> dict[str, Any]:
        """A turn goes on: what the caller holds stays held."""
        body = self._naming(session, given(lease_s=lease_s, pull_id=pull_id, leases=leases))
        return cast("dict[str, Any]", self._ask("POST", _path(session, "/heartbeat"), body))

    def context(self, session: str, *, point: Point | None = None, budget_tokens: int | None = None,
                context: bool | Sequence[str] | None = None) -> dict[str, Any]:
        """A preview of a pull; it changes nothing. `context` as in `pull`."""
        named = ("true" if context else None) if context is None or isinstance(context, bool) else ",".join(context)
        query = {"point": point, "budget_tokens": budget_tokens, "context": named or None}
        return cast("dict[str, Any]", self._ask("GET", with_query(_path(session, "/context"), query)))
