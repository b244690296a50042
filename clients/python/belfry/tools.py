"""Tools that are registered with Belfry, and the work of whoever carries them out."""

from __future__ import annotations

from typing import Any, Sequence, cast
from urllib.parse import quote

from .base import Base, given
from .cursors import with_query
from .types import Tool, ToolCall


class Tools(Base):
    def put_tool(self, name: str, impact: str, *, description: str | None = None, schema: dict[str, Any] | None = None,
                 risk: str | None = None, capabilities: Sequence[str] | None = None,
                 wake_reasons: Sequence[str] | None = None, execution: dict[str, str] | None = None,
                 timeout_s: int | None = None) -> Tool:
        """Registers a tool, or registers it anew. With an `execution`, `{"by": "worker"}` or `{"by": "webhook", "url": …}`,
        agents call it through Belfry."""
        body = given(impact=impact, description=description, schema=schema, risk=risk,
                     capabilities=None if capabilities is None else list(capabilities),
                     wake_reasons=None if wake_reasons is None else list(wake_reasons), execution=execution,
                     timeout_s=timeout_s)
        return cast(Tool, self._ask("PUT", f"/v1/tools/{quote(name, safe='')}", body))

    def claim_tool_call(self, *tools: str, holder: str | None = None, lease_s: int | None = None,
                        wait_s: int | None = None) -> ToolCall | None:
        """For a worker: the oldest call of these tools that waits for one, or None where there was none in `wait_s` (at most
        60). It is the caller's until its lease runs out; `renew_tool_call` prolongs it. Tried once: what a lost answer granted
        is free again when its lease has run out, under the same `operation_id`."""
        body = given(tools=list(tools), holder=holder, lease_s=lease_s, wait_s=wait_s)
        return cast("ToolCall | None", self._once("POST", "/v1/tool-calls/claim", body))

    def renew_tool_call(self, call: ToolCall, *, lease_s: int | None = None) -> ToolCall:
        """The work goes on. Refused with conflict (`stale_claim`) where it is not the caller's any more: stop then."""
        body = given(fence=call["fence"], lease_s=lease_s)
        return cast(ToolCall, self._once("POST", _path(call["id"], "/renew"), body))

    def end_tool_call(self, call: ToolCall, result: dict[str, Any] | None = None, *, error: dict[str, str] | None = None,
                      release: bool | None = None) -> ToolCall:
        """What came of it: a result, or an error {"code", "message"}; both are its end. With `release=True`, and nothing
        else, it is given back as if it had not been claimed."""
        body = given(fence=call["fence"], result=result, error=error, release=release)
        return cast(ToolCall, self._once("POST", _path(call["id"], "/end"), body))

    def tool_call(self, call_id: str) -> ToolCall:
        return cast(ToolCall, self._ask("GET", _path(call_id)))

    def tool_calls(self, *, user: str | None = None, agent: str | None = None, tool: str | None = None,
                   state: str | None = None, after: str | None = None, limit: int | None = None) -> dict[str, Any]:
        """Newest first: {data, next, has_more}."""
        query = {"user": user, "agent": agent, "tool": tool, "state": state, "after": after, "limit": limit}
        return cast("dict[str, Any]", self._ask("GET", with_query("/v1/tool-calls", query)))


def _path(call_id: str, what: str = "") -> str:
    return f"/v1/tool-calls/{quote(call_id, safe='')}{what}"
