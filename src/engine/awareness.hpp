#pragma once

#include <cstdint>

#include "engine/capability.hpp"
#include "model/session.hpp"
#include "ports/commands/notifications.hpp"

// Shared awareness (docs/decisions/0024): an agent is told at the start of its turn what its user was shown.
namespace belfry::engine {

// Adds facts to the reply of a pull whose id is set, with their cost: at most half of the budget (0: no limit). A fact
// counts as told once the pull is confirmed. A caller that is bound to agents gets no facts of other agents, except
// those of this session.
base::Result<void> add_awareness(ports::PullReply& reply, model::Session& session, const model::Principal& who,
                                 std::int64_t budget_tokens, Unit& unit);

// The session's agent has the facts of its last pull. Returns false if no pull with facts waited for that.
bool confirm_awareness(model::Session& session);

// Records that the user knows a notification this far, in the row and in the store. Does nothing if agents know it
// already.
base::Result<void> note_fact(model::Notification& row, model::FactStatus status, Unit& unit);
// The same for a row that was sent to the user: to an interface that is connected, or by a sink.
base::Result<void> note_shown(model::Notification& row, Unit& unit);
// Gives a fact to the sessions of another scope, which have told their agents later facts already.
base::Result<void> renumber_fact(model::Notification& row, Unit& unit);

}  // namespace belfry::engine
