"""What agents propose to a person instead of doing it."""

from __future__ import annotations

from typing import Any, Literal, cast

from .base import Base
from .cursors import quote, with_query
from .types import ChangeSet


class ChangeSets(Base):
    def change_sets(self, *, state: Literal["open", "all"] | None = None, agent: str | None = None,
                    user: str | None = None, after: int | None = None, limit: int | None = None) -> dict[str, Any]:
        """Oldest first, without their items: {data, next, has_more}. Only those of which something is open, unless
        `state="all"`."""
        query = {"state": state, "agent": agent, "user": user, "after": after, "limit": limit}
        return cast("dict[str, Any]", self._ask("GET", with_query("/v1/change-sets", query)))

    def change_set(self, change_set: str) -> ChangeSet:
        """With its items."""
        return cast(ChangeSet, self._ask("GET", _path(change_set)))

    def accept_changes(self, change_set: str, item: int | None = None) -> ChangeSet:
        """Has an item done in the agent's name, or all that is open, each with its own outcome. May be repeated: it is
        done once. It needs a person's credential."""
        return cast(ChangeSet, self._ask("POST", _path(change_set, item) + "/accept"))

    def reject_changes(self, change_set: str, item: int | None = None) -> ChangeSet:
        """An item, or all that is open, is not done. May be repeated. It needs a person's credential."""
        return cast(ChangeSet, self._ask("POST", _path(change_set, item) + "/reject"))


def _path(change_set: str, item: int | None = None) -> str:
    path = "/v1/change-sets/" + quote(change_set)
    return path if item is None else f"{path}/items/{item}"
