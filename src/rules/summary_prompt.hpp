#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/chat.hpp"
#include "model/memory.hpp"
#include "rules/mark_sources.hpp"
#include "rules/rule_summary.hpp"

// The contract with a model that makes summaries: what it is asked, word for word, and what its answer must be.
namespace belfry::rules {

inline constexpr std::string_view summary_prompt_version = "2";

// Returns the text of a message as the model gets it, cut to its share of a span of so many messages.
[[nodiscard]] std::string told_to_summarizer(const model::AgentMessage& message, std::size_t messages);

// What was said is data between two lines that nobody could have foreseen (`fence`, hex), as in wake_words.
[[nodiscard]] std::vector<model::ChatMessage> ask_for_summary(std::span<const model::AgentMessage> messages,
                                                              std::string_view fence);
[[nodiscard]] std::vector<model::ChatMessage> ask_for_summary(std::span<const FoldedSummary> summaries,
                                                              std::string_view fence);

// What a model answered.
struct ModelSummary {
    model::MemorySummary summary;
    std::size_t rejected = 0;  // items that `sources` does not allow; the summary is without them
};

// `{"text":…,"goals":[…],"decisions":[…],"open_loops":[…]}`, also between ``` lines or with words around it. Items that
// MarkSources::may_set rejects are left out and counted. An error says what is wrong with the answer.
[[nodiscard]] base::Result<ModelSummary> read_model_summary(std::string_view answer, const MarkSources& sources);

}  // namespace belfry::rules
