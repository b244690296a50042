"""The journal: records of nine kinds, and links between them."""

from __future__ import annotations

from typing import Any, Mapping, Sequence, cast
from urllib.parse import quote

from .base import Base, given
from .cursors import with_query
from .types import JournalKind, JournalLink, JournalRecord, JournalState, Wake

_PLURALS = {"category": "categories", "entry": "entries", "time_entry": "time_entries"}


class Journal(Base):
    """Everywhere: `user` is whose journal, the caller's own unless told; `wake` is the wake that an agent works for, whose
    changes are the agent's then and reach no further than its categories. Reads take `categories`: only of these."""

    def create_record(self, kind: JournalKind, fields: Mapping[str, Any], *, user: str | None = None,
                      wake: Wake | None = None) -> JournalRecord:
        """Makes one: `create_record("task", {"title": "Buy milk"})`. With an `id` of the caller's it may be repeated: the one
        that is there and is like this is given; another one of this id is refused with conflict (`taken`)."""
        target = with_query(_path(kind), _access(user, wake))
        return cast(JournalRecord, self._post(target, dict(fields), repeatable=fields.get("id") is not None))

    def journal(self, *, user: str | None = None, wake: Wake | None = None,
                categories: Sequence[str] | None = None) -> JournalState:
        """Whether it holds anything, and which timer runs. Where it is switched off this is refused with not_found
        (`journal_off`)."""
        return cast(JournalState, self._ask("GET", with_query("/v1/journal", _access(user, wake, categories))))

    def record(self, kind: JournalKind, record_id: str, *, user: str | None = None, wake: Wake | None = None,
               categories: Sequence[str] | None = None) -> JournalRecord:
        """One that was deleted is refused with gone."""
        return cast(JournalRecord, self._ask("GET", with_query(_path(kind, record_id), _access(user, wake, categories))))

    def records(self, kind: JournalKind, *, user: str | None = None, wake: Wake | None = None,
                categories: Sequence[str] | None = None, after: str | None = None, limit: int | None = None,
                **filters: Any) -> dict[str, Any]:
        """Newest first: {data, next, has_more}. What narrows them depends on the kind: `category`, `q`, `status` (one, or
        a list of which any is enough), `label`, `due_from`, `due_to`, `type`, `task`, `checklist`, `date`, `target`, `running`, `from` and
        `to` (moments; as `**{"from": …}`, since it is a word of Python)."""
        query = {**_access(user, wake, categories), "after": after, "limit": limit, **filters}
        return cast("dict[str, Any]", self._ask("GET", with_query(_path(kind), query)))

    def change_record(self, kind: JournalKind, record_id: str, changes: Mapping[str, Any], *,
                      revision: int | None = None, user: str | None = None, wake: Wake | None = None) -> JournalRecord:
        """What is named changes, None takes away what may be empty. With a `revision` only if it still has that one; else it
        is refused with conflict (`stale_revision`)."""
        body = {**changes, **given(revision=revision)}
        return cast(JournalRecord, self._once("PATCH", with_query(_path(kind, record_id), _access(user, wake)), body))

    def delete_record(self, kind: JournalKind, record_id: str, *, revision: int | None = None, user: str | None = None,
                      wake: Wake | None = None) -> JournalRecord:
        """For good, and what belongs to it with it."""
        query = {**_access(user, wake), "revision": revision}
        return cast(JournalRecord, self._once("DELETE", with_query(_path(kind, record_id), query)))

    def search_journal(self, q: str, *, kind: JournalKind | None = None, category: str | None = None,
                       user: str | None = None, wake: Wake | None = None, categories: Sequence[str] | None = None,
                       after: str | None = None, limit: int | None = None) -> dict[str, Any]:
        """Records with all these words, newest first: {data, next, has_more}. The last word may be a beginning."""
        query = {"q": q, "kind": kind, "category": category, **_access(user, wake, categories), "after": after,
                 "limit": limit}
        return cast("dict[str, Any]", self._ask("GET", with_query("/v1/journal/search", query)))

    def link_records(self, relation: str, from_id: str, to_id: str, *, metadata: dict[str, Any] | None = None,
                     hidden: bool | None = None, user: str | None = None, wake: Wake | None = None) -> JournalLink:
        """Makes the link, or changes what is said about it. May be repeated."""
        path = with_query(_link_path(relation, from_id, to_id), _access(user, wake))
        return cast(JournalLink, self._ask("PUT", path, given(metadata=metadata, hidden=hidden)))

    def unlink_records(self, relation: str, from_id: str, to_id: str, *, user: str | None = None,
                       wake: Wake | None = None) -> JournalLink:
        path = with_query(_link_path(relation, from_id, to_id), _access(user, wake))
        return cast(JournalLink, self._once("DELETE", path))

    def record_links(self, *, from_id: str | None = None, to_id: str | None = None, relation: str | None = None,
                     hidden: bool | None = None, user: str | None = None, wake: Wake | None = None,
                     categories: Sequence[str] | None = None, after: str | None = None,
                     limit: int | None = None) -> dict[str, Any]:
        """Those that begin or end at a record: {data, next, has_more}. `hidden`: hidden ones, too."""
        query = {"from": from_id, "to": to_id, "relation": relation, "hidden": hidden,
                 **_access(user, wake, categories), "after": after, "limit": limit}
        return cast("dict[str, Any]", self._ask("GET", with_query("/v1/journal/links", query)))


def _path(kind: JournalKind, record_id: str | None = None) -> str:
    records = f"/v1/journal/{_PLURALS.get(kind, kind + 's')}"
    return records if record_id is None else f"{records}/{quote(record_id, safe='')}"


def _link_path(relation: str, from_id: str, to_id: str) -> str:
    return "/v1/journal/links/" + "/".join(quote(part, safe="") for part in (relation, from_id, to_id))


def _access(user: str | None, wake: Wake | None, categories: Sequence[str] | None = None) -> dict[str, Any]:
    claim = {} if wake is None else {"wake": wake["id"], "fence": wake["fence"]}
    return {"user": user, **claim, "categories": None if categories is None else list(categories)}
