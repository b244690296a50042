#pragma once

#include <string_view>

#include "base/result.hpp"
#include "model/principal.hpp"

// Who may wake agents and do their work, beside rules/may.hpp.
namespace belfry::rules {

// Work for agents of this user: claim their wakes, and all that is said under a claim. What works has the agent's whole
// power, so a token that is bound to sessions has no part in it.
base::Result<void> may_work_for(const model::Principal& who, std::string_view user_id);

// Wake an agent of this user in a session, or (empty) in none. A session of which nobody has said whose it is proves
// nothing to one who is bound to it alone.
base::Result<void> may_wake(const model::Principal& who, std::string_view user_id, std::string_view session_id,
                            bool session_is_named);

// Say whose a session is. Who is bound to sessions and to no user is to find out: else a session that he was promised
// would become that of whomever he likes, with all that may be done in it.
base::Result<void> may_name_user(const model::Principal& who);

}  // namespace belfry::rules
