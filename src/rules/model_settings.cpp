#include "rules/model_settings.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/limits.hpp"

namespace belfry::rules {
namespace {

using base::Code;
using model::JsonKind;
using model::JsonView;
constexpr std::int64_t rounds_most = 100;
constexpr std::int64_t tokens_most = 100'000'000;
constexpr std::int64_t timeout_most_s = base::limits::wake_time_max.us / 1'000'000;
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

base::Result<std::int64_t> integer_of(std::string_view name, JsonView json, std::int64_t most) {
    std::int64_t number = 0;
    const char* const end = json.text.data() + json.text.size();
    const auto [at, failed] = std::from_chars(json.text.data(), end, number);
    if (failed != std::errc{} || at != end || number < 1 || number > most) {
        return wrong(name, "must be a whole number from 1 to " + std::to_string(most));
    }
    return number;
}

base::Result<double> temperature_of(JsonView json) {
    double number = -1;
    const char* const end = json.text.data() + json.text.size();
    const auto [at, failed] = std::from_chars(json.text.data(), end, number);
    if (failed != std::errc{} || at != end || !(number >= 0 && number <= 2)) {
        return wrong("temperature", "must be a number from 0 to 2");
    }
    return number;
}

bool is_variable_name(std::string_view name) {
    const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return !name.empty() && is_letter(name.front()) &&
           std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c); });
}

base::Result<void> read_one(ModelSettings& settings, std::string_view name, JsonView json) {
    if (name == "base_url") {
        TRY_ASSIGN(settings.base_url, text_of(name, json, url_bytes_max));
    } else if (name == "model") {
        TRY_ASSIGN(settings.model, text_of(name, json, base::limits::scope_id_bytes_max));
    } else if (name == "key_env") {
        TRY_ASSIGN(settings.key_env, text_of(name, json, base::limits::scope_id_bytes_max));
        if (!is_variable_name(settings.key_env)) return wrong(name, "must be the name of an environment variable");
    } else if (name == "system") {
        TRY_ASSIGN(settings.system, text_of(name, json, base::limits::agent_json_bytes_max));
    } else if (name == "temperature") {
        TRY_ASSIGN(settings.temperature, temperature_of(json));
    } else if (name == "max_output_tokens") {
        TRY_ASSIGN(settings.output_tokens_max, integer_of(name, json, tokens_most));
    } else if (name == "rounds_max") {
        TRY_ASSIGN(settings.rounds_max, integer_of(name, json, rounds_most));
    } else if (name == "tokens_max") {
        TRY_ASSIGN(settings.tokens_max, integer_of(name, json, tokens_most));
    } else if (name == "timeout_s") {
        TRY_ASSIGN(const std::int64_t seconds, integer_of(name, json, timeout_most_s));
        settings.timeout = base::seconds(seconds);
    } else if (name == "stream") {
        if (json.kind() != JsonKind::boolean) return wrong(name, "must be true or false");
        if (json.text == "false") settings.streaming = model::ChatStreaming::whole;
    } else {
        return wrong(name, "is unknown");
    }
    return {};
}

}  // namespace

base::Result<ModelSettings> read_model_settings(const model::Agent& agent) {
    ModelSettings settings;
    model::JsonWalker walker(agent.workflow_settings.view());
    std::string_view name;
    while (const auto member = walker.next(&name)) TRY(read_one(settings, name, *member));
    const std::string_view url = settings.base_url;
    if (!url.starts_with("http://") && !url.starts_with("https://")) {
        return wrong("base_url", "must be where the server is, as http://127.0.0.1:11434/v1");
    }
    if (settings.model.empty()) settings.model = agent.config.model_id;
    if (settings.model.empty()) return wrong("model", "must be given: which of the server's models");
    return settings;
}

}  // namespace belfry::rules
