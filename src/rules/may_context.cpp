#include "rules/may_context.hpp"

#include <algorithm>

#include "rules/may.hpp"
#include "rules/type_pattern.hpp"

namespace belfry::rules {
namespace {

base::Error refused(std::string why, std::string field) {
    return base::error(base::Code::forbidden, std::move(why), std::move(field));
}

bool allows(const std::vector<std::string>& bound, std::string_view value) {
    return bound.empty() || std::ranges::find(bound, value) != bound.end();
}

}  // namespace

base::Result<void> may_set_context(const model::Principal& who, const model::ContextKey& key) {
    if (who.role == model::Role::user && key.scope.user_id != who.user_id) {
        return refused("a user token sets context values of its own user only", "user_id");
    }
    const model::Bounds& bounds = who.bounds;
    if (!allows(bounds.users, key.scope.user_id)) {
        return refused("this token may not set context values of this user", "user_id");
    }
    if (!allows(bounds.sessions, key.scope.session_id)) {
        return refused("this token may set context values of its sessions only", "session_id");
    }
    TRY(may_use_agent(who, key.scope.agent_id));
    const auto is_above = [&](const std::string& prefix) { return is_below_prefix(prefix, key.name); };
    if (!bounds.type_prefixes.empty() && std::ranges::none_of(bounds.type_prefixes, is_above)) {
        return refused("this token may not set context values of this name", "name");
    }
    return {};
}

base::Result<void> may_read_context(const model::Principal& who, const std::string& user_id,
                                    const std::string& session_id, const std::optional<std::string>& session_user) {
    if (is_confined(who)) return refused("a token that is bound to agents reads context values with its pulls", {});
    if (session_id.empty()) {
        std::string of = user_id;
        return may_see_of(who, of);
    }
    if (session_user) TRY(may_use_session(who, session_id, *session_user));
    TRY(may_use_session(who, session_id, user_id));
    const bool is_bound_to_users = who.role == model::Role::user || !who.bounds.users.empty();
    if (!who.bounds.sessions.empty() && !is_bound_to_users && session_user != user_id) {
        return refused("this token reads context values of its sessions' own users only", "user");
    }
    return {};
}

}  // namespace belfry::rules
