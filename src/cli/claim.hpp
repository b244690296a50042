#pragma once

#include <optional>

#include "client/journal_types.hpp"
#include "host/environment.hpp"

namespace belfry::cli {

// The claim that a program works under, as `belfry work` tells it: BELFRY_WAKE_ID and BELFRY_FENCE.
[[nodiscard]] std::optional<client::JournalScope::Claim> claim_in(const host::Environment& environment);

}  // namespace belfry::cli
