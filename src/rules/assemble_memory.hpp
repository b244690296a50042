#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/memory.hpp"

namespace belfry::rules {

using CountTokens = std::function<std::int64_t(std::string_view)>;

// What there is to choose from. All of it is bounded, however long the history is.
struct MemorySource {
    const model::Agent* agent = nullptr;
    const model::AgentState* state = nullptr;
    model::MemorySettings settings;
    std::string thread_id;
    std::int64_t reserved_tokens = 0;
    std::vector<model::AgentMessage> newest;        // of the thread, the newest first, without summaries
    std::vector<model::RecalledSummary> summaries;  // those that nothing has folded, of all threads, in any order
    std::vector<std::int64_t> summary_positions;    // as many: where each stands
};

// One deterministic choice under one budget: what is reserved; slots; what is carried on (open loops, goals, decisions,
// each from the newest, marked ones first, up to three quarters of what is left and never in the newest message's way);
// the newest raw messages as far as hot_tokens and hot_messages go; summaries of the thread from the newest on, then
// those of other threads. A summary whose whole span stands in the context raw is not told again. The newest raw
// message is there even if it alone is too much for the hot share, unless it breaks the budget. What a summary carries
// on stands with the rest of that, and not in `summaries` once more.
[[nodiscard]] model::AssembledMemory assemble_memory(MemorySource source, const CountTokens& count);

// A summary as `MemorySource` takes it, from its place and its message. One that nobody can read has its text alone.
[[nodiscard]] model::RecalledSummary recalled_summary(const model::SummaryPlace& place,
                                                      const model::AgentMessage& message);

// As a model is told: slots, what is carried on and summaries in one text; empty where there is none.
[[nodiscard]] std::string memory_words_for_model(const model::AssembledMemory& memory);
// What one message or summary counts: its text as a model is told it.
[[nodiscard]] std::string told_message(const model::AgentMessage& message);
[[nodiscard]] std::string told_summary(const model::RecalledSummary& summary);

}  // namespace belfry::rules
