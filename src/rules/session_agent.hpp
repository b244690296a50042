#pragma once

#include <string>

#include "base/time.hpp"
#include "model/session.hpp"

namespace belfry::rules {

// Makes the agent the session's own; an empty id makes it a session of nobody. A principal that works for certain
// agents only may become a guest of the session by that (`is_guest`), or may be none any more: what it holds, has said
// and has decided in its turn stays its own. The turn of a principal that becomes a visitor is the session's turn no
// longer. Returns true if such a turn was running.
bool give_session(model::Session& session, std::string agent_id, base::Timestamp now);

}  // namespace belfry::rules
