#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/chat.hpp"
#include "model/memory.hpp"
#include "rules/rule_summary.hpp"

// The contract with a model that makes summaries: what it is asked, word for word, and what its answer must be.
namespace belfry::rules {

inline constexpr std::string_view summary_prompt_version = "1";

// What was said is data between two lines that nobody could have foreseen (`fence`, hex), as in wake_words.
[[nodiscard]] std::vector<model::ChatMessage> ask_for_summary(std::span<const model::AgentMessage> messages,
                                                              std::string_view fence);
[[nodiscard]] std::vector<model::ChatMessage> ask_for_summary(std::span<const FoldedSummary> summaries,
                                                              std::string_view fence);

// `{"text":…,"goals":[…],"decisions":[…],"open_loops":[…]}`, also between ``` lines or with words around it. Items that
// name no message are those of the span's last (`last`). An error says what is wrong with it.
[[nodiscard]] base::Result<model::MemorySummary> read_model_summary(std::string_view answer, const base::Uuid& last);

}  // namespace belfry::rules
