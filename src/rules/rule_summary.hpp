#pragma once

#include <span>

#include "model/memory.hpp"

// Summaries without a model: what was aimed at, decided, left open, gone wrong and changed, and how much there was of
// everything. The same input gives the same summary on every device.
namespace belfry::rules {

// Of raw messages, the oldest first.
[[nodiscard]] model::MemorySummary summarize_messages(std::span<const model::AgentMessage> messages);

// Of summaries, the oldest first: a summary that nobody can read (a worker's own) counts with its text alone. Items are
// joined, each once; a loop or a goal that was closed after it was said last is gone; where there are too many, goals
// and open loops stay before decisions, what was marked before what a model found, and newer ones before older.
struct FoldedSummary {
    model::AgentMessage message;  // of the kind summary
    std::optional<model::MemorySummary> summary;
};
[[nodiscard]] model::MemorySummary summarize_summaries(std::span<const FoldedSummary> summaries);

// Puts what rules find beside what a model wrote: lists are the rules' and, as far as there is room then, the model's;
// the text is the model's.
[[nodiscard]] model::MemorySummary joined(model::MemorySummary by_rules, model::MemorySummary by_model);

}  // namespace belfry::rules
