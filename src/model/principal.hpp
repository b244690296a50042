#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "base/time.hpp"
#include "model/severity.hpp"

namespace belfry::model {

enum class Role : std::uint8_t {
    admin,    // everything
    service,  // acts for any user inside its bounds, mints short-lived user tokens
    user,     // one person: what is his
    agent,    // an agent's runtime: its sessions
    emitter,  // events in, nothing out
};

std::string_view role_name(Role role);
std::optional<Role> parse_role(std::string_view name);

// What narrows a role. An empty list does not narrow.
struct Bounds {
    std::vector<std::string> users;
    std::vector<std::string> sessions;
    std::vector<std::string> type_prefixes;  // `ci.` or `ci`: the event's type is it or lies below it
    std::optional<Severity> severity_max;    // the greatest that it may emit
    std::vector<std::string> agents = {};    // of role agent: only what belongs to one of these agents

    bool operator==(const Bounds&) const = default;
};

// How somebody proved who he is. An answer to an agent's question needs a person's credential, never the peer's user
// id alone.
enum class Proof : std::uint8_t { token, ticket, peer };

// Who asks. Every command and every query carries one; `rules/may` decides with it.
struct Principal {
    std::string id;  // `token:<id>` or `peer:<uid>`: what idempotency keys are kept under
    Role role = Role::emitter;
    std::string user_id;  // of role user: whose person
    Bounds bounds;
    Proof proof = Proof::token;
    std::int64_t events_per_second = 0;  // 0: no limit of its own
    std::string works_as;                // of a worker inside Belfry: the agent of its wake
};

// An access token as it is kept: the secret only as its hash.
struct AccessToken {
    std::string id;  // public, part of the token's text: `bf_<id>_<secret>`
    base::Sha256 secret_hash{};
    std::string name;
    Role role = Role::emitter;
    std::string user_id;
    Bounds bounds;
    std::int64_t events_per_second = 0;
    base::Timestamp created_at;
    std::optional<base::Timestamp> expires_at;
    std::string created_by;
};

Principal principal_of(const AccessToken& token);

// Belfry itself, where nobody asked: expiry, retention, what it owes.
Principal house_principal();

// A worker inside Belfry that works on a wake of this agent. It has the rights of Belfry, and in sessions of other
// agents it gets and changes only what a token bound to the agent would (`rules::is_visitor`).
Principal house_worker(std::string_view agent_id);

// True if this is the id of Belfry itself or of one of its workers.
bool is_house(std::string_view principal_id);

}  // namespace belfry::model
