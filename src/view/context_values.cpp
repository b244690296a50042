#include <optional>
#include <string>
#include <utility>

#include "rules/may.hpp"
#include "rules/may_context.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"

namespace belfry::view {
namespace {

// Whose values are asked for, where nobody is named: those of the session's user, else of the caller's. An error where
// the caller may not read them.
base::Result<std::string> find_user(ports::Reading& reading, const model::Principal& who, std::string user_id,
                                    const std::string& session_id, const std::string& owner) {
    std::optional<std::string> session_user;
    if (!session_id.empty()) {
        TRY_ASSIGN(const std::optional<model::Session> session, reading.sessions().find(session_id));
        if (session) session_user = session->user_id;
    }
    if (user_id.empty()) user_id = session_user.value_or(rules::default_user(who, owner));
    TRY(rules::may_read_context(who, user_id, session_id, session_user));
    return user_id;
}

}  // namespace

void Answers::context_value(const model::Principal& who, model::ContextKey key,
                            std::function<void(base::Result<model::ContextValue>)> done) {
    ask<model::ContextValue>(
        beside_,
        [who, key = std::move(key), owner = owner_,
         now = clock_.now()](ports::Reading& reading) mutable -> base::Result<model::ContextValue> {
            model::Scope& scope = key.scope;
            TRY_ASSIGN(scope.user_id, find_user(reading, who, scope.user_id, scope.session_id, owner));
            TRY_ASSIGN(std::optional<model::ContextValue> found, reading.context_values().find(key, now));
            if (found) return std::move(*found);
            return base::error(base::Code::not_found, "there is no such context value", "name");
        },
        std::move(done));
}

void Answers::context_values(const model::Principal& who, ports::ContextFilter filter,
                             std::function<void(base::Result<std::vector<model::ContextValue>>)> done) {
    using Found = base::Result<std::vector<model::ContextValue>>;
    filter.now = clock_.now();
    ask<std::vector<model::ContextValue>>(
        beside_,
        [who, filter = std::move(filter), owner = owner_](ports::Reading& reading) mutable -> Found {
            TRY_ASSIGN(filter.user_id, find_user(reading, who, filter.user_id, filter.session_id, owner));
            return reading.context_values().list(filter);
        },
        std::move(done));
}

}  // namespace belfry::view
