#include "rules/wake_input.hpp"

#include <string_view>

#include "model/text_of.hpp"
#include "rules/client_message.hpp"

namespace belfry::rules {
namespace {

using model::JsonKind;
using model::JsonView;

bool has_text(JsonView json, std::string_view name, std::string_view text) {
    const auto member = json.member(name);
    return member && member->kind() == JsonKind::string && member->as_text() == text;
}

// The list of messages of an AG-UI request, which names the session and the turn of its wake.
std::optional<JsonView> ag_ui_messages(const model::Wake& wake) {
    const JsonView input = wake.input.view();
    if (input.kind() != JsonKind::object) return std::nullopt;
    if (!has_text(input, "threadId", wake.session_id) || !has_text(input, "runId", wake.reason_id)) return std::nullopt;
    const auto messages = input.member("messages");
    return messages && messages->kind() == JsonKind::array ? messages : std::nullopt;
}

}  // namespace

std::vector<std::string> ag_ui_texts(const model::Wake& wake) {
    std::vector<std::string> texts;
    const auto messages = ag_ui_messages(wake);
    if (!messages) return texts;
    model::JsonWalker walker(*messages);
    while (const auto message = walker.next()) {
        if (message->kind() != JsonKind::object) continue;
        if (has_text(*message, "role", "assistant")) texts.clear();
        const auto content = has_text(*message, "role", "user") ? message->member("content") : std::nullopt;
        std::string text = content ? model::text_of(*content) : std::string();
        if (!is_blank(text)) texts.push_back(std::move(text));
    }
    return texts;
}

std::string words_of_input(const model::Wake& wake) {
    if (wake.input == model::RawJson()) return {};
    if (!ag_ui_messages(wake)) return words_of(wake.input);
    std::string words;
    for (const std::string& text : ag_ui_texts(wake)) {
        if (!words.empty()) words += '\n';
        words += text;
    }
    return words;
}

}  // namespace belfry::rules
