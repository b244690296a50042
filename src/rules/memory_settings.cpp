#include "rules/memory_settings.hpp"

#include <algorithm>
#include <charconv>

#include "base/limits.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using base::Code;
using model::JsonKind;
using model::JsonView;
using model::MemorySettings;

constexpr std::size_t url_bytes_max = 2000;

base::Error wrong(std::string_view name, std::string message) {
    return base::error(Code::invalid, std::move(message), std::string(name));
}

base::Result<std::string> text_of(std::string_view name, JsonView json, std::size_t bytes_max) {
    if (json.kind() != JsonKind::string) return wrong(name, "must be a text");
    std::string text = json.as_text();
    if (text.size() > bytes_max) {
        return base::error(Code::too_large, "is longer than " + std::to_string(bytes_max) + " bytes",
                           std::string(name));
    }
    return text;
}

base::Result<std::int64_t> integer_of(std::string_view name, JsonView json, std::int64_t least, std::int64_t most) {
    std::int64_t number = 0;
    const char* const end = json.text.data() + json.text.size();
    const auto [at, failed] = std::from_chars(json.text.data(), end, number);
    if (failed != std::errc{} || at != end || number < least || number > most) {
        return wrong(name, "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return number;
}

bool is_variable_name(std::string_view name) {
    const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return !name.empty() && is_letter(name.front()) &&
           std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c); });
}

base::Result<void> read_one(MemorySettings& settings, std::string_view name, JsonView json) {
    if (name == "budget_tokens") {
        TRY_ASSIGN(settings.budget_tokens,
                   integer_of(name, json, limits::memory_budget_tokens_min, limits::memory_budget_tokens_max));
    } else if (name == "hot_tokens") {
        TRY_ASSIGN(settings.hot_tokens,
                   integer_of(name, json, limits::memory_hot_tokens_min, limits::memory_budget_tokens_max));
    } else if (name == "hot_messages") {
        TRY_ASSIGN(settings.hot_messages, integer_of(name, json, 1, limits::memory_hot_messages_max));
    } else if (name == "summarizer") {
        settings.summarizer = json.kind() == JsonKind::string ? model::parse_summarizer(json.as_text()) : std::nullopt;
        if (!settings.summarizer) return wrong(name, "must be rules or model");
    } else if (name == "base_url") {
        TRY_ASSIGN(settings.base_url, text_of(name, json, url_bytes_max));
    } else if (name == "model") {
        TRY_ASSIGN(settings.model, text_of(name, json, limits::scope_id_bytes_max));
    } else if (name == "key_env") {
        TRY_ASSIGN(settings.key_env, text_of(name, json, limits::scope_id_bytes_max));
        if (!is_variable_name(settings.key_env)) return wrong(name, "must be the name of an environment variable");
    } else {
        return wrong(name, "is unknown");
    }
    return {};
}

// Of another server than the agent's own, which of its models; without one, nothing that only belongs to it.
base::Result<void> check_server(const MemorySettings& settings) {
    const std::string_view url = settings.base_url;
    if (url.empty()) {
        if (!settings.model.empty())
            return wrong("model", "needs a base_url: without one the agent's own model is asked");
        if (!settings.key_env.empty())
            return wrong("key_env", "needs a base_url: without one the agent's own key is sent");
        return {};
    }
    if (!url.starts_with("http://") && !url.starts_with("https://")) {
        return wrong("base_url", "must be where the server is, as http://127.0.0.1:11434/v1");
    }
    if (settings.model.empty()) return wrong("model", "must be given: which of the server's models");
    return {};
}

}  // namespace

base::Result<MemorySettings> read_memory_settings(JsonView json) {
    MemorySettings settings;
    if (json.kind() == JsonKind::null) return settings;
    if (json.kind() != JsonKind::object) return wrong("", "must be an object");
    bool has_hot = false;
    model::JsonWalker walker(json);
    std::string_view name;
    while (const auto member = walker.next(&name)) {
        if (member->kind() == JsonKind::null) continue;
        TRY(read_one(settings, name, *member));
        has_hot = has_hot || name == "hot_tokens";
    }
    if (!has_hot) settings.hot_tokens = std::min(settings.hot_tokens, settings.budget_tokens / 2);
    if (settings.hot_tokens > settings.budget_tokens) {
        return wrong("hot_tokens",
                     "must not be more than budget_tokens, which is " + std::to_string(settings.budget_tokens));
    }
    TRY(check_server(settings));
    return settings;
}

}  // namespace belfry::rules
