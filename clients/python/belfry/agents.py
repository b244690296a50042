"""Agents that wake: records of them, what wakes them, and the work of a worker."""

from __future__ import annotations

from typing import Any, Sequence, cast
from urllib.parse import quote

from .base import Base, given
from .cursors import with_query
from .types import (Agent, AgentLifecycle, AgentMessage, AgentMode, CalledTool, MemorySettings, Plan, Severity, Tool, ToolPolicy, Wake, WakeGrant,
                    WakeState, WakeSubscription, WorkflowKind)


class Agents(Base):
    def create_agent(self, agent_id: str, *, user_id: str | None = None, kind: str | None = None,
                     display_name: str | None = None, mode: AgentMode | None = None,
                     allowed_category_ids: Sequence[str] | None = None, capabilities: Sequence[str] | None = None,
                     tool_policies: dict[str, ToolPolicy] | None = None,
                     config: dict[str, Any] | None = None, memory: MemorySettings | None = None,
                     workflow: WorkflowKind | None = None, settings: dict[str, Any] | None = None) -> Agent:
        """Makes an agent. May be repeated: the one that is there and is like this is given; another one of this id is
        refused with conflict (`taken`)."""
        body = given(id=agent_id, user_id=user_id, kind=kind, display_name=display_name, mode=mode,
                     allowed_category_ids=_listed(allowed_category_ids), capabilities=_listed(capabilities),
                     tool_policies=tool_policies, config=config, memory=memory,
                     workflow=given(kind=workflow, settings=settings) or None)
        return cast(Agent, self._ask("POST", "/v1/agents", body))

    def agent(self, agent_id: str) -> Agent:
        return cast(Agent, self._ask("GET", _path(agent_id)))

    def agents(self, *, user: str | None = None, lifecycle: AgentLifecycle | None = None, after: str | None = None,
               limit: int | None = None) -> dict[str, Any]:
        """By id: {data, next, has_more}."""
        query = {"user": user, "lifecycle": lifecycle, "after": after, "limit": limit}
        return cast("dict[str, Any]", self._ask("GET", with_query("/v1/agents", query)))

    def change_agent(self, agent_id: str, **changes: Any) -> Agent:
        """What is named changes: `mode="interactive"`, `dormant=False`, `state={"sleep_until": None}`."""
        return cast(Agent, self._once("PATCH", _path(agent_id), changes))

    def destroy_agent(self, agent_id: str) -> Agent:
        """For good: its wakes end as destroyed, and what its worker still says is refused."""
        return cast(Agent, self._once("DELETE", _path(agent_id)))

    def subscribe_agent(self, agent_id: str, *types: str, severity: Severity | None = None,
                        sources: Sequence[str] | None = None, tokens: Sequence[str] | None = None,
                        predicate: str | None = None, window_ms: int | None = None, synced: bool | None = None,
                        priority: int | None = None) -> WakeSubscription:
        """Wakes it by events of these types, or by changes with these tokens. May be repeated: the same rule is there
        once."""
        body = given(types=list(types) or None, severity=severity, sources=_listed(sources), tokens=_listed(tokens),
                     predicate=predicate, window_ms=window_ms, synced=synced, priority=priority)
        return cast(WakeSubscription, self._ask("POST", _path(agent_id, "/subscriptions"), body))

    def wake_subscriptions(self, agent_id: str, *, after: str | None = None, limit: int | None = None) -> dict[str, Any]:
        """By id: {data, next, has_more}."""
        query = {"after": after, "limit": limit}
        return cast("dict[str, Any]", self._ask("GET", with_query(_path(agent_id, "/subscriptions"), query)))

    def unsubscribe_agent(self, agent_id: str, subscription_id: str) -> None:
        self._once("DELETE", _path(agent_id, "/subscriptions/" + quote(subscription_id, safe="")))

    def wake_agent(self, agent_id: str, *, request_id: str | None = None, session_id: str | None = None,
                   turn_id: str | None = None, input: dict[str, Any] | None = None) -> Wake:
        """Wakes it now: by hand, or with a `session_id` because its person says something there. With a `request_id`,
        or a `turn_id`, it may be repeated: the same wakes once."""
        reason = None if session_id is None else "user_initiated"
        body = given(reason=reason, request_id=request_id, session_id=session_id, turn_id=turn_id, input=input)
        named = request_id is not None or turn_id is not None
        return cast(Wake, self._post(_path(agent_id, "/wake"), body, repeatable=named))

    def wakes(self, *, user: str | None = None, agent: str | None = None, state: WakeState | None = None,
              open: bool = False, after: int | None = None, limit: int | None = None) -> dict[str, Any]:
        """Newest first: {data, next, has_more}. `open`: only those that have not ended."""
        query = {"user": user, "agent": agent, "state": state, "open": True if open else None, "after": after,
                 "limit": limit}
        return cast("dict[str, Any]", self._ask("GET", with_query("/v1/wakes", query)))

    def wake(self, wake_id: int, *, wait_s: int | None = None) -> Wake:
        """With `wait_s` (at most 60), when it has ended or so much later."""
        return cast(Wake, self._ask("GET", with_query(_wake_path(wake_id), {"wait_s": wait_s})))

    def wake_signals(self, wake_id: int, *, after: int | None = None, limit: int | None = None) -> dict[str, Any]:
        """Why it is there, in order: {data, next, has_more}."""
        query = {"after": after, "limit": limit}
        return cast("dict[str, Any]", self._ask("GET", with_query(_wake_path(wake_id, "/signals"), query)))

    def cancel_wake(self, wake_id: int, *, reason: str | None = None) -> Wake:
        """Refused with conflict (`ended`) where it has ended."""
        return cast(Wake, self._once("POST", _wake_path(wake_id, "/cancel"), given(reason=reason)))

    def claim_wake(self, *agents: str, holder: str | None = None, lease_s: int | None = None,
                   wait_s: int | None = None, context_messages: int | None = None) -> WakeGrant | None:
        """For a worker: the next wake of these agents, or None where nothing was due in `wait_s` (at most 60). It is
        the caller's until its lease runs out; `renew_wake` prolongs it. Tried once: what a lost answer granted is free
        again when its lease has run out. With `context_messages` (at most 200) the grant has so many of the newest
        `messages` of the thread, the `plans` that an earlier attempt has stored, and what else the agent remembers as
        its `memory`. No agents: those that the token is bound to."""
        body = given(agents=list(agents) or None, holder=holder, lease_s=lease_s, wait_s=wait_s,
                     context_messages=context_messages)
        return cast("WakeGrant | None", self._once("POST", "/v1/wakes/claim", body))

    def renew_wake(self, wake: Wake, *, lease_s: int | None = None) -> Wake:
        """The work goes on. Refused with conflict (`stale_claim`) where it is not the caller's any more: stop then."""
        return cast(Wake, self._once("POST", _wake_path(wake["id"], "/renew"), given(fence=wake["fence"], lease_s=lease_s)))

    def end_wake(self, wake: Wake, *, result: Any = None, error: dict[str, str] | None = None,
                 release: bool | None = None, sleep_until: str | None = None, next_wake_at: str | None = None) -> Wake:
        """It is done, or with an error {"type", "message"} it has failed: then it is tried again after a pause. With
        `release=True`, and nothing else, it is given back as if it had not been claimed."""
        body = given(fence=wake["fence"], result=result, error=error, release=release, sleep_until=sleep_until,
                     next_wake_at=next_wake_at)
        return cast(Wake, self._once("POST", _wake_path(wake["id"], "/end"), body))

    def append_agent_messages(self, wake: Wake, *messages: dict[str, Any]) -> dict[str, Any]:
        """What the worker of this wake thinks and does, into its thread: {data, added}. Each has a `kind` and `content`,
        an action its `action`, a result its `tool_result`. Those with an `id` of the caller's are added once; where all
        have one it may be repeated."""
        body = {"fence": wake["fence"], "messages": list(messages)}
        named = all("id" in message for message in messages)
        return cast("dict[str, Any]", self._post(_wake_path(wake["id"], "/messages"), body, repeatable=named))

    def store_plan(self, wake: Wake, actions: Sequence[dict[str, Any]], *, round: int | None = None) -> Plan:
        """What the run is going to do, before it does anything. May be repeated: a round has one plan for good, and
        what is given says which of its actions have a `result` already."""
        body = given(fence=wake["fence"], round=round, actions=list(actions))
        return cast(Plan, self._ask("POST", _wake_path(wake["id"], "/plan"), body))

    def plans(self, wake_id: int) -> list[Plan]:
        """What the run of a wake was going to do, a round after the other."""
        return cast("list[Plan]", self._ask("GET", _wake_path(wake_id, "/plan"))["data"])

    def call_tool(self, wake: Wake, tool_name: str | None = None, arguments: dict[str, Any] | None = None, *,
                  operation_id: str | None = None) -> CalledTool:
        """Calls a tool for the wake: by its name, or, with the `operation_id` alone, an action of the stored plan. What it
        says is `result["content"]`, what it refuses `result["tool_result"]["error_code"]`. With an `operation_id` it may be
        repeated: it is done once. Without a `result` it waits for somebody (`waits_for`): call it again."""
        body = given(fence=wake["fence"], operation_id=operation_id, tool_name=tool_name, arguments=arguments)
        target = _wake_path(wake["id"], "/call")
        return cast(CalledTool, self._post(target, body, repeatable=operation_id is not None))

    def tools(self, *, after: str | None = None, limit: int | None = None) -> dict[str, Any]:
        """Belfry's own and those that are registered, by name: {data, next, has_more}."""
        return cast("dict[str, Any]", self._ask("GET", with_query("/v1/tools", {"after": after, "limit": limit})))

    def tool(self, name: str) -> Tool:
        """One tool, with the schema of its arguments."""
        return cast(Tool, self._ask("GET", "/v1/tools/" + quote(name, safe="")))

    def agent_messages(self, agent_id: str, *, thread: str | None = None, changed: str | None = None,
                       after: str | None = None, limit: int | None = None) -> dict[str, Any]:
        """What an agent remembers, newest first: {data, next, has_more}."""
        query = {"thread": thread, "changed": changed, "after": after, "limit": limit}
        return cast("dict[str, Any]", self._ask("GET", with_query(_path(agent_id, "/messages"), query)))

    def agent_message(self, agent_id: str, message_id: str) -> AgentMessage:
        """One message with its whole content."""
        return cast(AgentMessage, self._ask("GET", _path(agent_id, "/messages/" + quote(message_id, safe=""))))


def _listed(texts: Sequence[str] | None) -> list[str] | None:
    return None if texts is None else list(texts)


def _path(agent_id: str, what: str = "") -> str:
    return f"/v1/agents/{quote(agent_id, safe='')}{what}"


def _wake_path(wake_id: int, what: str = "") -> str:
    return f"/v1/wakes/{int(wake_id)}{what}"
