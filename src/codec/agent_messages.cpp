#include "codec/agent_messages.hpp"

namespace belfry::codec {
namespace {

constexpr std::string_view tag = "system_notification";
constexpr std::string_view blunt = "‹";

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

// Models read loosely: white space and slashes before the name make it no other tag.
bool begins_tag(std::string_view after_bracket) {
    while (!after_bracket.empty() && (after_bracket.front() == '/' || after_bracket.front() == ' ' ||
                                      (after_bracket.front() >= '\t' && after_bracket.front() <= '\r'))) {
        after_bracket.remove_prefix(1);
    }
    if (after_bracket.size() < tag.size()) return false;
    for (std::size_t i = 0; i < tag.size(); ++i) {
        if (lower(after_bracket[i]) != tag[i]) return false;
    }
    return true;
}

void append_harmless(std::string& out, std::string_view text) {
    for (;;) {
        const std::size_t bracket = text.find('<');
        out.append(text.substr(0, bracket));
        if (bracket == std::string_view::npos) return;
        text.remove_prefix(bracket + 1);
        if (begins_tag(text)) {
            out += blunt;
        } else {
            out += '<';
        }
    }
}

void append_line(std::string& out, std::string_view text) {
    const std::size_t from = out.size();
    append_harmless(out, text);
    for (std::size_t i = from; i < out.size(); ++i) {
        if (out[i] == '\n' || out[i] == '\r') out[i] = ' ';
    }
    out += '\n';
}

void append_item(std::string& out, const AgentItem& item) {
    out += '[';
    out += item.handle;
    out += ' ';
    out += item.priority;
    out += ' ';
    out += item.subscriber;
    out += "]\n";
    if (!item.directive.empty()) {
        out += "directive: ";
        append_line(out, item.directive);
    }
    append_harmless(out, item.content);
    if (!out.ends_with('\n')) out += '\n';
}

void append_tag(std::string& out, std::string_view opening, std::string_view fence) {
    out += opening;
    out += tag;
    out += " fence=\"";
    out += fence;
    out += "\">";
}

}  // namespace

std::string wrap_for_agent(std::span<const AgentItem> items, std::string_view fence) {
    std::string out;
    if (items.empty()) return out;
    append_tag(out, "<", fence);
    out += '\n';
    for (const AgentItem& item : items) append_item(out, item);
    append_tag(out, "</", fence);
    return out;
}

std::optional<AgentFormat> parse_agent_format(std::string_view name) {
    if (name == "openai") return AgentFormat::openai;
    if (name == "anthropic") return AgentFormat::anthropic;
    return std::nullopt;
}

void append_agent_messages(model::JsonWriter& writer, AgentFormat format, std::string_view text) {
    writer.begin_array();
    if (!text.empty() && format == AgentFormat::openai) {
        writer.begin_object().field("role", "developer").field("content", text).end_object();
    }
    if (!text.empty() && format == AgentFormat::anthropic) {
        writer.begin_object().field("role", "user").name("content").begin_array();
        writer.begin_object().field("type", "text").field("text", text).end_object();
        writer.end_array().end_object();
    }
    writer.end_array();
}

}  // namespace belfry::codec
