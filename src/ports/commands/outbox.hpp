#pragma once

#include <string>

#include "base/uuid.hpp"
#include "ports/commands/command.hpp"

namespace belfry::ports {

struct Nothing {};

// A performer could not do what is owed: it is tried again later, under a new claim; a sink's call is given up after
// limits::sink_attempts_max of them. Fenced by the claim that failed.
struct PostponeObligation final : CommandOf<Nothing> {
    base::Uuid obligation;
    std::int64_t fence = 0;
    std::string reason;
};

// What is owed has come to its end. Fenced by the claim under which it did. `not_needed`: it was not done, and nobody
// waits for it any more.
enum class ObligationEnd : std::uint8_t { done, not_needed, given_up };
struct FinishObligation final : CommandOf<Nothing> {
    base::Uuid obligation;
    std::int64_t fence = 0;
    ObligationEnd end = ObligationEnd::done;
    std::string note;  // how it went; of one that was given up, why
};

}  // namespace belfry::ports
