#pragma once

#include <cstdint>

#include "engine/capability.hpp"
#include "model/session.hpp"
#include "ports/commands/notifications.hpp"

// Nobody ignorant: an agent learns at the start of its turn what the person was shown, and that it is not its to say
// again.
namespace belfry::engine {

// Adds it to a hand-over whose id is set, with what it costs: at most half of the budget (0: no limit), the newest
// facts first. It counts as told once that is confirmed; what found no room at all is told another time.
base::Result<void> add_awareness(ports::PullReply& reply, model::Session& session, std::int64_t budget_tokens,
                                 Unit& unit);

// What the session's agent was told has arrived. False: there was nothing that waited for that.
bool confirm_awareness(model::Session& session);

}  // namespace belfry::engine
