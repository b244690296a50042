"""Context values: states that programs keep up to date and that agents read with a pull that asks."""

from __future__ import annotations

from typing import cast
from urllib.parse import quote

from .base import Base, given
from .cursors import with_query
from .types import ContextValue


def _path(name: str) -> str:
    return "/v1/context/" + quote(name, safe="")


class ContextValues(Base):
    def set_context_value(self, name: str, content: str, *, user_id: str | None = None, session_id: str | None = None,
                          agent_id: str | None = None, ttl_s: int | None = None) -> ContextValue:
        """Sets a value, or replaces the one of the same name and scope. It expires after `ttl_s` (default 300)."""
        body = given(content=content, user_id=user_id, session_id=session_id, agent_id=agent_id, ttl_s=ttl_s)
        return cast(ContextValue, self._ask("PUT", _path(name), body))

    def context_value(self, name: str, *, user: str | None = None, session: str | None = None,
                      agent: str | None = None) -> ContextValue:
        query = {"user": user, "session": session, "agent": agent}
        return cast(ContextValue, self._ask("GET", with_query(_path(name), query)))

    def context_values(self, *, user: str | None = None, session: str | None = None,
                       agent: str | None = None) -> list[ContextValue]:
        """The current values of a user by name, at most 100."""
        query = {"user": user, "session": session, "agent": agent}
        return cast("list[ContextValue]", self._ask("GET", with_query("/v1/context", query))["data"])

    def delete_context_value(self, name: str, *, user: str | None = None, session: str | None = None,
                             agent: str | None = None) -> None:
        query = {"user": user, "session": session, "agent": agent}
        self._once("DELETE", with_query(_path(name), query))
