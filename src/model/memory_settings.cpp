#include "model/memory_settings.hpp"

#include <array>
#include <charconv>

#include "model/record_json.hpp"

namespace belfry::model {
namespace {

constexpr std::array<std::string_view, 2> summarizers{"rules", "model"};

void read_number(JsonView json, std::string_view name, std::int64_t& number) {
    const auto member = json.member(name);
    if (!member || member->kind() != JsonKind::number) return;
    std::from_chars(member->text.data(), member->text.data() + member->text.size(), number);
}

std::string text_of(JsonView json, std::string_view name) {
    const auto member = json.member(name);
    return member && member->kind() == JsonKind::string ? member->as_text() : std::string();
}

}  // namespace

std::string_view summarizer_name(Summarizer summarizer) {
    return summarizers[static_cast<std::size_t>(summarizer)];
}
std::optional<Summarizer> parse_summarizer(std::string_view name) {
    return parse_choice<Summarizer>(summarizers, name);
}

void append_memory_settings(JsonWriter& writer, const MemorySettings& settings) {
    writer.begin_object().field("budget_tokens", settings.budget_tokens).field("hot_tokens", settings.hot_tokens);
    writer.field("hot_messages", settings.hot_messages);
    append_text(writer, "summarizer", settings.summarizer ? summarizer_name(*settings.summarizer) : std::string_view());
    append_text(writer, "base_url", settings.base_url);
    append_text(writer, "model", settings.model);
    append_text(writer, "key_env", settings.key_env);
    writer.end_object();
}

MemorySettings memory_settings_of(JsonView json) {
    MemorySettings settings;
    read_number(json, "budget_tokens", settings.budget_tokens);
    read_number(json, "hot_tokens", settings.hot_tokens);
    read_number(json, "hot_messages", settings.hot_messages);
    settings.summarizer = parse_summarizer(text_of(json, "summarizer"));
    settings.base_url = text_of(json, "base_url");
    settings.model = text_of(json, "model");
    settings.key_env = text_of(json, "key_env");
    return settings;
}

}  // namespace belfry::model
