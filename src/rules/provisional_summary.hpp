#pragma once

#include <span>

#include "model/memory.hpp"

namespace belfry::rules {

// Returns what rules say of a job's span while its summary is not there yet, as a context has it: goals, decisions and
// open loops of another thread are told before a model has answered. It has the id that the summary will have, and is
// stored nowhere. `messages`: the span, the oldest first.
[[nodiscard]] model::RecalledSummary provisional_summary(const model::FoldJob& job,
                                                         std::span<const model::AgentMessage> messages);

}  // namespace belfry::rules
