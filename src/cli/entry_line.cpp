#include "cli/entry_line.hpp"

#include "cli/console.hpp"
#include "codec/sse.hpp"
#include "model/severity.hpp"

namespace belfry::cli {
namespace {

std::string text_of(const model::RawJson& event, std::string_view name) {
    const auto value = event.member(name);
    const bool is_there = value && value->kind() != model::JsonKind::null;
    return is_there ? host::printable(value->as_text()) : std::string();
}

Colour colour_of(const std::string& severity) {
    switch (model::parse_severity(severity).value_or(model::Severity::info)) {
        case model::Severity::debug: return Colour::dim;
        case model::Severity::info: return Colour::green;
        case model::Severity::warning: return Colour::yellow;
        case model::Severity::error:
        case model::Severity::critical: return Colour::red;
    }
    return Colour::plain;
}

void append_word(std::string& line, const std::string& word) {
    if (word.empty()) return;
    line += ' ';
    line += word;
}

std::string event_words(const model::RawJson& event, bool colours) {
    std::string line;
    const std::string severity = text_of(event, "severity");
    append_word(line, text_of(event, "timestamp"));
    append_word(line, paint(severity, colour_of(severity), colours));
    append_word(line, paint(text_of(event, "type"), Colour::bold, colours));
    append_word(line, paint(text_of(event, "source"), Colour::cyan, colours));
    for (const auto& [member, shown] : {std::pair{"user_id", "user"}, std::pair{"session_id", "session"},
                                        std::pair{"run_id", "run"}, std::pair{"agent_id", "agent"}}) {
        const std::string value = text_of(event, member);
        if (!value.empty()) line += " " + paint(std::string(shown) + "=", Colour::dim, colours) + value;
    }
    append_word(line, text_of(event, "text"));    // of an inbox
    append_word(line, text_of(event, "reason"));  // of an agent's turns
    const auto payload = event.member("payload");
    if (payload && payload->text != "{}") append_word(line, host::printable(host::escape_json_controls(payload->text)));
    return line;
}

}  // namespace

std::string entry_line(const client::Entry& entry, bool colours) {
    const std::string number = paint("#" + std::to_string(entry.sequence), Colour::dim, colours);
    if (entry.erased) return number + " " + paint("(erased)", Colour::dim, colours);
    // Other streams than `events` have records of their own shapes.
    if (!entry.event.member("type")) {
        return number + " " + host::printable(host::escape_json_controls(entry.event.bytes()));
    }
    return number + event_words(entry.event, colours);
}

std::string entry_json(const client::Entry& entry) {
    std::string json;
    codec::append_entry_json(json, entry.sequence, entry.erased ? std::string_view() : entry.event.bytes());
    return host::escape_json_controls(json);
}

}  // namespace belfry::cli
