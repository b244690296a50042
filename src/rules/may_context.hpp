#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "model/context_value.hpp"
#include "model/principal.hpp"

namespace belfry::rules {

// Set or delete a context value of this key, whose user is known (see `default_user`). Every role may, within the
// users, sessions, agents and types of its token; the name is judged as the type of an event.
base::Result<void> may_set_context(const model::Principal& who, const model::ContextKey& key);

// Read context values of this user and, unless empty, of this session. `session_user` is the user of that session, if
// there is one: a token that is bound to sessions only reads what belongs to the user of its session.
base::Result<void> may_read_context(const model::Principal& who, const std::string& user_id,
                                    const std::string& session_id, const std::optional<std::string>& session_user);

}  // namespace belfry::rules
