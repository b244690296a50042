#pragma once

#include <string>

#include "base/result.hpp"
#include "model/principal.hpp"
#include "ports/reading.hpp"

// What several questions look for, each with the question whether its asker may see it.
namespace belfry::view {

base::Result<void> may_use_session(ports::Reading& reading, const model::Principal& who, const std::string& id);
// A token that is bound to agents uses the sessions of those, and the one in which such an agent works at the moment.
base::Result<void> may_use_session(ports::Reading& reading, const model::Principal& who, const model::Session& session);
// Returns the agent as which a principal uses a session: the session's own agent, or a bound agent that works in the
// session at the moment.
base::Result<std::string> agent_in_session(ports::Reading& reading, const model::Principal& who,
                                           const model::Session& session);
// Checks that `who` may use the session, and narrows `user_id` to the session's user unless `who` may see every user: a
// session that became another user's may still be named by records of the user before.
base::Result<void> narrow_to_session(ports::Reading& reading, const model::Principal& who, const std::string& id,
                                     std::string& user_id);

// What lies in a session belongs to whoever may use it, and what lies with a user to whoever sees him.
base::Result<void> may_read(ports::Reading& reading, const model::Principal& who, const model::Scope& scope);

// By id, or with a session by its handle there.
base::Result<model::Notification> find_notification(ports::Reading& reading, const model::Principal& who,
                                                    const std::string& session_id, const std::string& key);

}  // namespace belfry::view
