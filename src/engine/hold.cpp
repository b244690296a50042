#include "engine/hold.hpp"

#include <string>

#include "model/handle.hpp"
#include "rules/may_wake.hpp"

namespace belfry::engine {

rules::HoldProof proof_of(const model::Session& session, const model::Principal& who,
                          const std::optional<base::Uuid>& pull_id, std::span<const ports::Named> leases,
                          base::Timestamp now, std::span<const ports::Named> more) {
    rules::HoldProof proof{who.id,
                           pull_id,
                           {},
                           rules::is_guest(who, session),
                           rules::is_visitor(who, session),
                           rules::works_beside(who, session, now)};
    for (const auto named : {leases, more}) {
        for (const ports::Named& one : named) {
            if (one.lease) proof.leases.push_back({one.key, *one.lease});
        }
    }
    return proof;
}

rules::TurnOwner turn_owner(const model::Principal& who, const model::Session& session) {
    const bool is_guest = rules::is_guest(who, session);
    return {who.id, is_guest, is_guest ? rules::only_agent(who, session) : std::string(), rules::agents_of(who)};
}

bool is_handle_of(const model::Session& session, std::string_view key) {
    const auto handle = model::parse_handle(key);
    return handle && *handle < session.next_handle;
}

base::Error not_holder(rules::Hold hold, std::string_view handle) {
    const std::string what = handle.empty() ? "what this session holds" : std::string(handle);
    if (hold == rules::Hold::unnamed) {
        return base::error(base::Code::conflict,
                           what + " was taken over or belongs to another token; name its lease or the pull_id", "lease",
                           "no_lease");
    }
    return base::error(base::Code::conflict,
                       "the lease of " + what + " is stale: it was handed over again since, or has come to its end",
                       "lease", "stale_lease");
}

}  // namespace belfry::engine
