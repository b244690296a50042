#include "engine/memory_settings.hpp"

#include <string>
#include <string_view>

#include "base/limits.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
constexpr std::size_t url_bytes_max = 2000;

base::Result<void> in_range(std::int64_t value, std::int64_t least, std::int64_t most, const char* field) {
    if (value >= least && value <= most) return {};
    return base::error(Code::invalid, "must lie between " + std::to_string(least) + " and " + std::to_string(most),
                       field);
}

base::Result<void> check_length(std::string_view text, std::size_t bytes_max, const char* field) {
    if (text.size() <= bytes_max) return {};
    return base::error(Code::too_large, "is longer than " + std::to_string(bytes_max) + " bytes", field);
}

bool is_variable_name(std::string_view name) {
    const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
    for (const char c : name) {
        if (!is_letter(c) && (c < '0' || c > '9')) return false;
    }
    return name.empty() || is_letter(name.front());
}

// Which model makes the summaries, where one does.
base::Result<void> check_model(const model::Agent& agent) {
    const model::MemorySettings& memory = agent.memory;
    TRY(check_length(memory.base_url, url_bytes_max, "memory.base_url"));
    TRY(check_length(memory.model, limits::scope_id_bytes_max, "memory.model"));
    TRY(check_length(memory.key_env, limits::scope_id_bytes_max, "memory.key_env"));
    if (!is_variable_name(memory.key_env)) {
        return base::error(Code::invalid, "must be the name of an environment variable", "memory.key_env");
    }
    if (memory.base_url.empty()) {
        if (memory.summarizer != model::Summarizer::model || agent.workflow == model::WorkflowKind::model) return {};
        return base::error(Code::invalid, "must be given: the agent has no model of its own", "memory.base_url");
    }
    if (!memory.base_url.starts_with("http://") && !memory.base_url.starts_with("https://")) {
        return base::error(Code::invalid, "must be where the server is, as http://127.0.0.1:11434/v1",
                           "memory.base_url");
    }
    if (!memory.model.empty() || !agent.config.model_id.empty()) return {};
    return base::error(Code::invalid, "must be given: which of the server's models", "memory.model");
}

}  // namespace

base::Result<void> check_memory_settings(const model::Agent& agent) {
    const model::MemorySettings& memory = agent.memory;
    TRY(in_range(memory.budget_tokens, limits::memory_budget_tokens_min, limits::memory_budget_tokens_max,
                 "memory.budget_tokens"));
    TRY(in_range(memory.hot_tokens, limits::memory_hot_tokens_min, memory.budget_tokens, "memory.hot_tokens"));
    TRY(in_range(memory.hot_messages, 1, limits::memory_hot_messages_max, "memory.hot_messages"));
    return check_model(agent);
}

}  // namespace belfry::engine
