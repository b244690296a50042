#include "engine/access.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "rules/admit.hpp"
#include "rules/may.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;

base::Result<void> check_list(const std::vector<std::string>& list, const char* field) {
    if (list.size() > limits::access_bound_entries_max) {
        return base::error(Code::invalid,
                           std::string(field) + " has " + std::to_string(list.size()) + " entries; at most " +
                               std::to_string(limits::access_bound_entries_max) + " are allowed",
                           field);
    }
    for (const std::string& entry : list) {
        if (entry.empty() || entry.size() > limits::scope_id_bytes_max) {
            return base::error(Code::invalid,
                               std::string(field) + " must have entries of 1 to " +
                                   std::to_string(limits::scope_id_bytes_max) + " bytes",
                               field);
        }
        TRY(rules::check_scope_id(entry, field));
    }
    return {};
}

base::Result<void> check_wish(const ports::MintToken& wish) {
    if (wish.name.empty() || wish.name.size() > limits::access_name_chars_max) {
        return base::error(Code::invalid,
                           "name must have 1 to " + std::to_string(limits::access_name_chars_max) + " bytes", "name");
    }
    if (wish.role == model::Role::user && wish.user_id.empty()) {
        return base::error(Code::invalid, "a token of role user needs user_id", "user_id");
    }
    if (wish.role != model::Role::user && !wish.user_id.empty()) {
        return base::error(Code::invalid, "user_id is for role user; bound other roles by bounds.users", "user_id");
    }
    TRY(rules::check_scope_id(wish.user_id, "user_id"));
    if (wish.role == model::Role::admin && wish.bounds != model::Bounds{}) {
        return base::error(Code::invalid, "a token of role admin may do everything: bounds are for the other roles",
                           "bounds");
    }
    if (wish.life && wish.life->us <= 0) return base::error(Code::invalid, "ttl_s must be at least 1", "ttl_s");
    if (wish.events_per_second < 0) {
        return base::error(Code::invalid, "events_per_second must not be negative", "events_per_second");
    }
    TRY(check_list(wish.bounds.users, "bounds.users"));
    TRY(check_list(wish.bounds.sessions, "bounds.sessions"));
    TRY(check_list(wish.bounds.agents, "bounds.agents"));
    if (wish.role != model::Role::agent && !wish.bounds.agents.empty()) {
        return base::error(Code::invalid, "bounds.agents is for role agent", "bounds.agents");
    }
    return check_list(wish.bounds.type_prefixes, "bounds.type_prefixes");
}

std::string describe(const model::AccessToken& token) {
    std::string out;
    model::JsonWriter writer(out);
    writer.field("token", token.id).field("name", token.name).field("role", model::role_name(token.role));
    if (!token.user_id.empty()) writer.field("user_id", token.user_id);
    return out;
}

}  // namespace

std::vector<std::type_index> Access::handles() const {
    return {typeid(ports::MintToken), typeid(ports::RevokeToken)};
}

base::Result<void> Access::rebuild(Unit& unit) {
    TRY_ASSIGN(const std::vector<model::AccessToken> tokens, unit.store.tokens().load());
    tokens_.clear();
    for (const model::AccessToken& token : tokens) tokens_.emplace(token.id, token);
    pending_ = tokens_;
    changed_ = false;
    publish_ = true;
    return {};
}

base::Result<void> Access::apply(ports::Command& command, Unit& unit) {
    if (auto* wish = dynamic_cast<ports::MintToken*>(&command)) return mint(*wish, unit);
    return revoke(static_cast<ports::RevokeToken&>(command), unit);
}

// The id of an agent that is gone may be given again to an agent of another user, so a token that is bound to agents is
// bound to their users, too. The inner result says why it cannot be.
base::Result<base::Result<std::vector<std::string>>> Access::users_of(const ports::MintToken& command, Unit& unit) {
    using Users = base::Result<std::vector<std::string>>;
    const model::Bounds& bounds = command.bounds;
    if (bounds.agents.empty() || !bounds.users.empty()) return Users(bounds.users);
    std::vector<std::string> users;
    TRY_ASSIGN(const std::vector<model::AgentRecord> found, unit.store.agents().find(bounds.agents));
    for (const std::string& id : bounds.agents) {
        const auto at = std::ranges::find(found, id, [](const model::AgentRecord& one) { return one.agent.id; });
        if (at == found.end()) {
            return Users(base::error(Code::invalid, "there is no agent " + id + "; name its user in bounds.users",
                                     "bounds.agents"));
        }
        const std::string& user = at->agent.user_id;
        if (std::ranges::find(users, user) == users.end()) users.push_back(user);
    }
    return Users(std::move(users));
}

base::Result<void> Access::mint(ports::MintToken& command, Unit& unit) {
    auto allowed = rules::may_mint(
        command.principal, {command.role, command.user_id, command.bounds, command.life, command.events_per_second});
    if (allowed.ok()) allowed = check_wish(command);
    if (allowed.ok() && pending_.size() >= limits::access_tokens_max) {
        allowed = base::error(Code::too_large, "there are " + std::to_string(limits::access_tokens_max) +
                                                   " access tokens already; revoke some first");
    }
    std::vector<std::string> users;
    if (allowed.ok()) {
        TRY_ASSIGN(auto found, users_of(command, unit));
        if (found.ok()) users = *std::move(found);
        else allowed = std::move(found).error();
    }
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    model::AccessToken token;
    token.id = base::hex(unit.random.bytes(6));
    const std::string secret = base::base64url(unit.random.bytes(32));
    token.secret_hash = base::sha256(secret);
    token.name = command.name;
    token.role = command.role;
    token.user_id = command.user_id;
    token.bounds = command.bounds;
    token.bounds.users = std::move(users);
    token.events_per_second = command.events_per_second;
    token.created_at = unit.now;
    if (command.life) token.expires_at = unit.now + *command.life;
    token.created_by = command.principal.id;
    TRY(unit.store.tokens().put(token));
    unit.audit("token.mint", command.principal, describe(token));
    pending_[token.id] = token;
    changed_ = true;
    std::string text = "bf_" + token.id + "_" + secret;
    command.settle(ports::MintedToken{std::move(token), std::move(text)});
    return {};
}

base::Result<void> Access::revoke(ports::RevokeToken& command, Unit& unit) {
    auto allowed = rules::may_administer(command.principal);
    const auto at = pending_.find(command.token_id);
    if (allowed.ok() && at == pending_.end()) {
        allowed = base::error(Code::not_found, "there is no access token " + command.token_id, "id");
    }
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    const model::AccessToken token = at->second;
    TRY(remove(token.id, command.principal, "token.revoke", unit));
    command.settle(token);
    return {};
}

base::Result<void> Access::remove(const std::string& id, const model::Principal& by, const char* why, Unit& unit) {
    TRY(unit.store.tokens().remove(id));
    unit.audit(why, by, describe(pending_.at(id)));
    pending_.erase(id);
    changed_ = true;
    return {};
}

base::Result<void> Access::revoke_user(const std::string& user_id, Unit& unit) {
    std::vector<std::string> his;
    for (const auto& [id, token] : pending_) {
        if (token.user_id == user_id) his.push_back(id);
    }
    for (const std::string& id : his) TRY(remove(id, model::house_principal(), "token.revoke", unit));
    return {};
}

void Access::committed(Effects& effects) {
    if (changed_) tokens_ = pending_;
    if (changed_ || publish_) {
        auto list = std::make_shared<std::vector<model::AccessToken>>();
        first_expiry_.reset();
        for (const auto& [id, token] : tokens_) {
            list->push_back(token);
            if (token.expires_at && (!first_expiry_ || *token.expires_at < *first_expiry_)) {
                first_expiry_ = token.expires_at;
            }
        }
        effects.tokens = std::move(list);
    }
    changed_ = false;
    publish_ = false;
}

void Access::dropped() {
    if (changed_) pending_ = tokens_;
    changed_ = false;
}

base::Result<void> Access::tend(Unit& unit) {
    std::vector<std::string> expired;
    for (const auto& [id, token] : pending_) {
        if (token.expires_at && *token.expires_at <= unit.now) expired.push_back(id);
    }
    for (const std::string& id : expired) TRY(remove(id, model::house_principal(), "token.expire", unit));
    return {};
}

}  // namespace belfry::engine
