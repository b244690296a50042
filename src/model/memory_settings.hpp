#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/memory_limits.hpp"
#include "model/raw_json.hpp"

namespace belfry::model {

enum class Summarizer : std::uint8_t { rules, model };
std::string_view summarizer_name(Summarizer summarizer);
std::optional<Summarizer> parse_summarizer(std::string_view name);

// How much of it an agent wants before it. Where a model makes its summaries, which one: the agent's own where
// `base_url` is empty.
struct MemorySettings {
    std::int64_t budget_tokens = base::limits::memory_budget_tokens_default;
    std::int64_t hot_tokens = base::limits::memory_hot_tokens_default;
    std::int64_t hot_messages = base::limits::memory_hot_messages_default;
    std::optional<Summarizer> summarizer;  // nothing: the model for an agent that has one, else rules
    std::string base_url;
    std::string model;
    std::string key_env;

    bool operator==(const MemorySettings&) const = default;
};

void append_memory_settings(JsonWriter& writer, const MemorySettings& settings);
// What was written by this.
[[nodiscard]] MemorySettings memory_settings_of(JsonView json);

}  // namespace belfry::model
