#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "model/principal.hpp"
#include "model/session.hpp"
#include "ports/commands/sessions.hpp"
#include "rules/due.hpp"
#include "rules/hold_proof.hpp"

// Shared by all calls of a holder: reads the proof, and makes the error for a caller without a right.
namespace belfry::engine {

// `more`: names with a lease of the same call, which are proof as well.
rules::HoldProof proof_of(const model::Session& session, const model::Principal& who,
                          const std::optional<base::Uuid>& pull_id, std::span<const ports::Named> leases,
                          base::Timestamp now, std::span<const ports::Named> more = {});

// Returns the owner of the turn that this principal begins with a report or a pull.
rules::TurnOwner turn_owner(const model::Principal& who, const model::Session& session);

// True if `key` is a handle that the session has given out. Where no notification of the session has it any more, the
// notification has left for another session of the user.
bool is_handle_of(const model::Session& session, std::string_view key);

// 409, reason `stale_lease` or `no_lease`. `handle`: of the notification; empty: of everything that the session holds.
base::Error not_holder(rules::Hold hold, std::string_view handle);

}  // namespace belfry::engine
