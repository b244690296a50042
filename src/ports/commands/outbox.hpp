#pragma once

#include <string>

#include "base/uuid.hpp"
#include "ports/commands/command.hpp"

namespace belfry::ports {

struct Nothing {};

// A performer could not do what is owed: it is tried again later, under a new claim. Fenced by the claim that failed.
struct PostponeObligation final : CommandOf<Nothing> {
    base::Uuid obligation;
    std::int64_t fence = 0;
    std::string reason;
};

}  // namespace belfry::ports
