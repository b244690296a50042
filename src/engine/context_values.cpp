#include "engine/context_values.hpp"

#include <utility>

#include "base/limits.hpp"
#include "engine/check_text.hpp"
#include "engine/enter_session.hpp"
#include "rules/admit.hpp"
#include "rules/fit_context.hpp"
#include "rules/may.hpp"
#include "rules/may_context.hpp"

namespace belfry::engine {
namespace {

using base::Code;
namespace limits = base::limits;

base::Result<void> check_key(const model::ContextKey& key) {
    TRY(model::check_context_name(key.name));
    TRY(rules::check_scope_id(key.scope.user_id, "user_id"));
    TRY(rules::check_scope_id(key.scope.session_id, "session_id"));
    return rules::check_scope_id(key.scope.agent_id, "agent_id");
}

base::Result<void> check_value(const ports::PutContextValue& command) {
    TRY(check_text(command.content, limits::context_content_bytes_max, "content"));
    if (command.content.empty()) return base::error(Code::invalid, "content must not be empty", "content");
    if (command.ttl < limits::context_ttl_min || command.ttl > limits::context_ttl_max) {
        return base::error(Code::invalid,
                           "ttl_s must lie between " + std::to_string(limits::context_ttl_min.us / 1'000'000) +
                               " and " + std::to_string(limits::context_ttl_max.us / 1'000'000),
                           "ttl_s");
    }
    return {};
}

}  // namespace

std::vector<std::type_index> ContextValues::handles() const {
    return {typeid(ports::PutContextValue), typeid(ports::DeleteContextValue)};
}

base::Result<void> ContextValues::rebuild(Unit&) {
    dropped();
    set_back_ = {};
    return {};
}

base::Result<void> ContextValues::load(std::span<ports::Command* const> commands, Unit& unit) {
    std::vector<std::string> ids;
    for (const ports::Command* command : commands) {
        const auto* const put = dynamic_cast<const ports::PutContextValue*>(command);
        const model::ContextKey& key =
            put != nullptr ? put->key : static_cast<const ports::DeleteContextValue&>(*command).key;
        if (!key.scope.session_id.empty()) ids.push_back(key.scope.session_id);
    }
    return sessions_.load(ids, unit);
}

base::Result<void> ContextValues::apply(ports::Command& command, Unit& unit) {
    TRY(follow_clock(unit));
    if (auto* wish = dynamic_cast<ports::PutContextValue*>(&command)) return put(*wish, unit);
    return remove(static_cast<ports::DeleteContextValue&>(command), unit);
}

base::Result<base::Result<model::ContextKey>> ContextValues::admit(const model::Principal& who, model::ContextKey key,
                                                                   Unit& unit) {
    using Admitted = base::Result<model::ContextKey>;
    if (auto checked = check_key(key); !checked.ok()) return Admitted(std::move(checked).error());
    model::Scope& scope = key.scope;
    TRY_ASSIGN(auto may_name, check_naming(sessions_, who, scope.session_id, scope.user_id, unit));
    const model::Session* session = nullptr;
    if (!scope.session_id.empty()) {
        TRY_ASSIGN(session, sessions_.find(scope.session_id, unit));
    }
    if (scope.user_id.empty()) {
        scope.user_id = session != nullptr ? session->user_id : rules::default_user(who, owner_);
    }
    auto allowed = rules::may_set_context(who, key);
    if (allowed.ok()) {
        TRY_ASSIGN(allowed, check_addressing(sessions_, who, scope.session_id, unit));
    }
    if (allowed.ok()) allowed = std::move(may_name);
    if (!allowed.ok()) return Admitted(std::move(allowed).error());
    if (session != nullptr && session->deleted_at) return Admitted(base::error(Code::gone, "this session was deleted"));
    // A session whose user is a guess may become this user's.
    const bool is_anothers = session != nullptr && !session->user_is_default && session->user_id != scope.user_id;
    if (is_anothers) {
        return Admitted(
            base::error(Code::forbidden, "session_id belongs to another user; leave out user_id", "session_id"));
    }
    return Admitted(std::move(key));
}

base::Result<base::Result<void>> ContextValues::check_room(const model::ContextKey& key, Unit& unit) {
    using Room = base::Result<void>;
    ports::ContextTable& table = unit.store.context_values();
    TRY(table.drop_expired_of(key.scope.user_id, unit.now));
    TRY_ASSIGN(const std::int64_t others, table.count_others(key, unit.now));
    if (others < static_cast<std::int64_t>(limits::context_values_per_user_max)) return Room{};
    return Room(base::error(Code::conflict,
                            "a user has at most " + std::to_string(limits::context_values_per_user_max) +
                                " context values; delete one, or wait until one expires",
                            "name", "too_many"));
}

base::Result<void> ContextValues::put(ports::PutContextValue& command, Unit& unit) {
    TRY_ASSIGN(auto admitted, admit(command.principal, command.key, unit));
    if (!admitted.ok()) {
        command.refuse(std::move(admitted).error());
        return {};
    }
    auto checked = check_value(command);
    if (checked.ok()) {
        TRY_ASSIGN(checked, check_room(*admitted, unit));
    }
    if (!checked.ok()) {
        command.refuse(std::move(checked).error());
        return {};
    }
    model::ContextValue value;
    value.key = std::move(*admitted);
    value.content = command.content;
    value.set_at = unit.now;
    value.expires_at = unit.now + command.ttl;
    value.set_by = command.principal.id;
    TRY(unit.store.context_values().put(value));
    command.settle(std::move(value));
    return {};
}

base::Result<void> ContextValues::remove(ports::DeleteContextValue& command, Unit& unit) {
    TRY_ASSIGN(auto admitted, admit(command.principal, command.key, unit));
    if (!admitted.ok()) {
        command.refuse(std::move(admitted).error());
        return {};
    }
    TRY_ASSIGN(const bool was_there, unit.store.context_values().remove(*admitted, unit.now));
    if (was_there) command.settle(ports::Nothing{});
    else command.refuse(base::error(Code::not_found, "there is no such context value", "name"));
    return {};
}

base::Result<void> ContextValues::read(const model::ContextRequest& request, const model::Scope& where,
                                       std::int64_t budget_tokens, ports::PullReply& reply, Unit& unit) {
    reply.at = unit.now;
    if (request.is_empty()) return {};
    TRY(follow_clock(unit));
    ports::ContextScope scope{where, unit.now};
    if (!request.all) scope.names = request.names;
    TRY_ASSIGN(std::vector<model::ContextValue> values, unit.store.context_values().in_scope(scope));
    rules::FittedContext fitted = rules::fit_context(std::move(values), request, budget_tokens, reply.model_tokens);
    reply.context = std::move(fitted.values);
    reply.context_left_out = std::move(fitted.left_out);
    reply.model_tokens += fitted.model_tokens;
    return {};
}

// Where nobody watched the clock, at a start, the store begins the time of values again that were set in the future
// (ClockTable::bring_back_deadlines).
base::Result<void> ContextValues::follow_clock(Unit& unit) {
    const base::Duration by = set_back_ - moved_;
    if (by.us == 0) return {};
    moved_ = set_back_;
    return unit.store.context_values().set_back(by);
}

std::optional<base::Timestamp> ContextValues::next_due() const {
    if (set_back_.us == 0) return std::nullopt;
    return base::Timestamp{};
}

base::Result<void> ContextValues::tend(Unit& unit) {
    return follow_clock(unit);
}

void ContextValues::committed(Effects&) {
    set_back_ = set_back_ - moved_;
    moved_ = {};
}

void ContextValues::dropped() {
    moved_ = {};
}

}  // namespace belfry::engine
