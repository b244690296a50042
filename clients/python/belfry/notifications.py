"""Notifications to people and agents, and a person's inbox."""

from __future__ import annotations

from typing import Any, Literal, cast

from .base import Base, given, new_key
from .cursors import InboxCursor, quote, with_query
from .follow import Following, OnLost
from .types import Point, Priority, Routing, Severity


def _path(notification: str, what: str = "", session: str | None = None) -> str:
    return with_query("/v1/notifications/" + quote(notification) + what, {"session": session})


class Notifications(Base):
    def notify(self, text: str | None = None, *, content: str | None = None, routing: Routing | None = None,
               priority: Priority | None = None, inject_at: Point | None = None, severity: Severity | None = None,
               session_id: str | None = None, user_id: str | None = None, agent_id: str | None = None,
               deduplication_key: str | None = None, directive: str | None = None, tone_hint: str | None = None,
               metadata: dict[str, Any] | None = None, ttl_s: int | None = None, caused_by: str | None = None,
               lease: int | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Notifies a user or an agent directly. The request is repeated under one idempotency key, by default a new
        one, so that the notification is made once."""
        body = given(text=text, content=content, routing=routing, priority=priority, inject_at=inject_at,
                     severity=severity, session_id=session_id, user_id=user_id, agent_id=agent_id,
                     deduplication_key=deduplication_key, directive=directive, tone_hint=tone_hint,
                     metadata=metadata, ttl_s=ttl_s, caused_by=caused_by, lease=lease)
        headers = {"Idempotency-Key": idempotency_key or new_key()}
        return cast("dict[str, Any]", self._ask("POST", "/v1/notifications", body, headers))

    def notification(self, notification: str, *, session: str | None = None) -> dict[str, Any]:
        """By id, or in a session by handle."""
        return cast("dict[str, Any]", self._ask("GET", _path(notification, session=session)))

    def notifications(self, *, user: str | None = None, session: str | None = None, subscriber: str | None = None,
                      state: str | None = None, outcome: str | None = None, older_than_s: int | None = None,
                      open: bool | None = None, after: int | None = None, limit: int | None = None) -> dict[str, Any]:
        """The ledger, oldest first: {data, next, has_more}."""
        query = {"user": user, "session": session, "subscriber": subscriber, "state": state, "outcome": outcome,
                 "older_than_s": older_than_s, "open": open, "after": after, "limit": limit}
        return cast("dict[str, Any]", self._ask("GET", with_query("/v1/notifications", query)))

    def acknowledge_notification(self, notification: str, *, lease: int, version: int, how: str = "rendered",
                                 session: str | None = None) -> dict[str, Any]:
        """A person's interface has shown it. Lease and version are those of what was shown; stale ones are refused."""
        body = {"lease": lease, "version": version, "how": how}
        return cast("dict[str, Any]", self._once("POST", _path(notification, "/ack", session), body))

    def mark_notification(self, notification: str, mark: Literal["seen", "acted", "dismissed"], *,
                          session: str | None = None) -> dict[str, Any]:
        """What the person has done with it."""
        return cast("dict[str, Any]", self._once("POST", _path(notification, "/read", session), {"mark": mark}))

    def narrate(self, session: str, notification: str, *, lease: int, text: str,
                version: int | None = None) -> dict[str, Any]:
        """The agent tells the user in its own text. It is delivered when an interface of the user has shown it. A stale
        lease, or a version that is not the newest, is rejected."""
        body = {"lease": lease, "text": text}
        if version is not None:
            body["version"] = version
        return cast("dict[str, Any]", self._once("POST", _path(notification, "/narrate", session), body))

    def retry_notification(self, notification: str, *, session: str | None = None) -> dict[str, Any]:
        """Sends a dead letter again, as a new notification."""
        return cast("dict[str, Any]", self._once("POST", _path(notification, "/retry", session)))

    def inbox(self, *, user: str | None = None, session: str | None = None, unread: bool | None = None,
              before: int | None = None, limit: int | None = None) -> dict[str, Any]:
        """Newest first, with the counts of unread and waiting."""
        query = {"user": user, "session": session, "unread": unread, "before": before, "limit": limit}
        return cast("dict[str, Any]", self._ask("GET", with_query("/v1/inbox", query)))

    def follow_inbox(self, *, user: str | None = None, session: str | None = None,
                     on_lost: OnLost | None = None) -> Following[dict[str, Any]]:
        """Is an interface of this person: what waits, oldest first, then {"type": "caught_up"}, then what comes. After
        a lost connection what still waits comes again: acknowledge what you have shown."""
        return self._follow(InboxCursor(user, session), on_lost)

    def why(self, id: str, *, session: str | None = None) -> dict[str, Any]:
        """The whole way of an event or a notification."""
        return cast("dict[str, Any]", self._ask("GET", with_query("/v1/why/" + quote(id), {"session": session})))
