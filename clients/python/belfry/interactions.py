"""Questions of an agent to a person."""

from __future__ import annotations

from typing import Any, Literal, cast

from .base import Base, given
from .cursors import quote, with_query
from .types import Action, Decision, Interaction

WAIT_S = 30  # of one long poll; the daemon allows 60


class Interactions(Base):
    def ask_person(self, session: str, kind: Literal["confirmation", "elicitation"], message: str, *,
                   tool_name: str | None = None, arguments: Any = None, schema: Any = None,
                   run_id: int | None = None, timeout_s: int | None = None) -> Interaction:
        """Asks whether a tool may be used, or for a small form to be filled in. Without an answer in time it is
        denied, or cancelled."""
        body = given(kind=kind, message=message, tool_name=tool_name, arguments=arguments, schema=schema,
                     run_id=run_id, timeout_s=timeout_s)
        return cast(Interaction, self._once("POST", f"/v1/sessions/{quote(session)}/interactions", body))

    def interaction(self, interaction: str, *, wait_s: int | None = None) -> Interaction:
        """As it is now, or when it is answered, but not later than after `wait_s` (60 at the most)."""
        return cast(Interaction, self._ask("GET", with_query("/v1/interactions/" + quote(interaction),
                                                             {"wait_s": wait_s})))

    def await_interaction(self, interaction: str) -> Interaction:
        """Waits until it is answered or has expired."""
        while True:
            found = self.interaction(interaction, wait_s=WAIT_S)
            if found["state"] != "pending":
                return found

    def interactions(self, *, session: str | None = None, user: str | None = None,
                     state: str | None = None, always_allowed: Literal[True] | None = None) -> dict[str, Any]:
        """`always_allowed`: only those by which a tool is used in its session without asking."""
        query = {"session": session, "user": user, "state": state, "always_allowed": always_allowed}
        return cast("dict[str, Any]", self._ask("GET", with_query("/v1/interactions", query)))

    def answer_interaction(self, interaction: str, *, decision: Decision | None = None, action: Action | None = None,
                           content: Any = None) -> Interaction:
        """A person's answer: `decision` to a confirmation, `action` (and content) to an elicitation. It needs a
        person's credential."""
        body = given(decision=decision, action=action, content=content)
        return cast(Interaction, self._once("POST", f"/v1/interactions/{quote(interaction)}/answer", body))

    def take_back_allowance(self, interaction: str) -> Interaction:
        """The tool that was allowed for good by this answer is asked for again. It needs a person's credential."""
        return cast(Interaction, self._once("DELETE", f"/v1/interactions/{quote(interaction)}/always-allowed"))
