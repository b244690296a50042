#include "codec/agent_messages.hpp"

#include <algorithm>

#include "base/characters.hpp"
#include "model/context_value.hpp"

namespace belfry::codec {
namespace {

constexpr std::string_view tag = "system_notification";
constexpr std::string_view blunt = "‹";

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

// White space of any width.
bool is_space(char32_t code) {
    return code == ' ' || (code >= '\t' && code <= '\r') || code == 0xA0 || code == 0x1680 ||
           (code >= 0x2000 && code <= 0x200A) || code == 0x202F || code == 0x205F || code == 0x3000;
}

// Models read loosely: white space and slashes before the name make it no other tag.
bool begins_tag(std::string_view after_bracket) {
    while (!after_bracket.empty()) {
        const base::Character next = base::first_character(after_bracket);
        if (next.code != '/' && !is_space(next.code)) break;
        after_bracket.remove_prefix(next.bytes);
    }
    if (after_bracket.size() < tag.size()) return false;
    for (std::size_t i = 0; i < tag.size(); ++i) {
        if (lower(after_bracket[i]) != tag[i]) return false;
    }
    return true;
}

// Asked of the lines as they will be read: what stood apart, in two kinds of line break or in two members of an item,
// may be side by side there.
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

// Bytes of the line break that begins here, of any kind that a reader may take for one; 0: none does.
std::size_t line_break(std::string_view text) {
    if (text.starts_with("\r\n")) return 2;
    if (text[0] >= '\n' && text[0] <= '\r') return 1;
    if (text.starts_with("\xC2\x85")) return 2;
    return text.starts_with("\xE2\x80\xA8") || text.starts_with("\xE2\x80\xA9") ? 3 : 0;
}

// What would command a terminal, turn a line around or be read by the model and seen by nobody is written out.
void append_seen(std::string& out, std::string_view text) {
    const base::Character next = base::first_character(text);
    if (base::is_harmful(next.code) && next.code != '\t') base::append_written_out(out, next.code);
    else out += text.substr(0, next.bytes);
}

// What stands at the left edge is Belfry's own word: a text of others that has a line there could pose as an item.
void append_lines(std::string& out, std::string_view text, std::string_view between) {
    while (!text.empty()) {
        const std::size_t size = line_break(text);
        if (size > 0) out += between;
        else append_seen(out, text);
        text.remove_prefix(size > 0 ? size : base::first_character(text).bytes);
    }
}

void append_line(std::string& out, std::string_view text) {
    append_lines(out, text, " ");
    out += '\n';
}

// Bytes of the line end that begins here, as TOON has them; 0: none does.
std::size_t line_end(std::string_view text) {
    if (text.starts_with("\r\n")) return 2;
    return text[0] == '\n' || text[0] == '\r' ? 1 : 0;
}

// A line separator inside a cell (U+2028, a form feed) is written out: a line end there would break a row of a table.
void append_indented(std::string& out, std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    out += "  ";
    while (!text.empty()) {
        const std::size_t size = line_end(text);
        if (size > 0) out += "\n  ";
        else append_seen(out, text);
        text.remove_prefix(size > 0 ? size : base::first_character(text).bytes);
    }
    out += '\n';
}

void append_item(std::string& out, const AgentItem& item) {
    out += '[';
    out += item.handle;
    out += ' ';
    out += item.priority;
    if (!item.subscriber.empty()) out.append(" ").append(item.subscriber);
    if (item.needs_answer) out += item.must_tell ? ", tell the user" : ", your decision";
    out += "]\n";
    if (!item.directive.empty()) {
        out += "directive: ";
        append_line(out, item.directive);
    }
    if (!item.tone.empty()) {
        out += "tone: ";
        append_line(out, item.tone);
    }
    append_indented(out, item.content);
}

void append_values(std::string& out, const AgentContext& context) {
    if (!context.values.empty()) out.append(model::context_heading).append("\n");
    for (const AgentValue& value : context.values) {
        out.append("[value ").append(value.name).append(", ").append(std::to_string(value.age_s)).append(" s old]\n");
        append_indented(out, value.content);
    }
    if (context.values_left_out > 0) out.append(model::context_left_out_line(context.values_left_out)).append("\n");
}

bool is_empty(const AgentContext& context) {
    return context.items.empty() && context.seen.empty() && context.digest.empty() && context.values.empty() &&
           context.values_left_out == 0;
}

void append_tag(std::string& out, std::string_view opening, std::string_view fence) {
    out += opening;
    out += tag;
    out += " fence=\"";
    out += fence;
    out += "\">";
}

void append_request(std::string& out, const std::vector<AgentItem>& items, bool must_tell) {
    std::string handles;
    int count = 0;
    for (const AgentItem& item : items) {
        if (!item.needs_answer || item.must_tell != must_tell) continue;
        if (count++ > 0) handles += ", ";
        handles += item.handle;
    }
    if (count == 0) return;
    out += must_tell ? "Tell the user about " : "Decide what to do about ";
    out += handles + ", then call belfry_ack with " + (count == 1 ? "its handle.\n" : "the handles.\n");
}

constexpr std::string_view ack_name = "belfry_ack";
constexpr std::string_view ack_description =
    "Confirm that notifications are dealt with. Pass the handles of notifications marked \"tell the user\" after you "
    "have told the user about them, and of those marked \"your decision\" after you have decided what to do. If you "
    "confirm a notification that the user must be told about without telling the user, the system tells the user.";
constexpr std::string_view ack_schema =
    R"({"type":"object","properties":{"handles":{"type":"array","items":{"type":"string"},)"
    R"("description":"Handles such as n7, as they stand in front of each notification."}},)"
    R"("required":["handles"],"additionalProperties":false})";

}  // namespace

std::string wrap_for_agent(const AgentContext& context, std::string_view fence) {
    std::string out;
    if (is_empty(context)) return out;
    append_tag(out, "<", fence);
    out += '\n';
    std::string lines = "From the notification system; no person wrote this.\n";
    if (!context.seen.empty()) {
        lines +=
            "Shown to the user already, not to be announced ([SEEN]: acknowledged, [SHOWN]: not acknowledged yet):\n";
    }
    for (const std::string& fact : context.seen) append_line(lines, fact);
    if (!context.digest.empty()) append_line(lines, context.digest);
    for (const AgentItem& item : context.items) append_item(lines, item);
    append_request(lines, context.items, true);
    append_request(lines, context.items, false);
    append_values(lines, context);
    append_harmless(out, lines);
    append_tag(out, "</", fence);
    return out;
}

std::optional<AgentFormat> parse_agent_format(std::string_view name) {
    if (name == "openai") return AgentFormat::openai;
    if (name == "anthropic") return AgentFormat::anthropic;
    return std::nullopt;
}

void append_agent_messages(model::JsonWriter& writer, AgentFormat format, std::string_view text,
                           std::span<const std::string_view> words) {
    writer.begin_array();
    if (!text.empty() && format == AgentFormat::openai) {
        writer.begin_object().field("role", "developer").field("content", text).end_object();
    }
    if (!text.empty() && format == AgentFormat::anthropic) {
        writer.begin_object().field("role", "user").name("content").begin_array();
        writer.begin_object().field("type", "text").field("text", text).end_object();
        writer.end_array().end_object();
    }
    for (const std::string_view said : words) {
        if (format == AgentFormat::openai) {
            writer.begin_object().field("role", "user").field("content", said).end_object();
        }
        if (format == AgentFormat::anthropic) {
            writer.begin_object().field("role", "user").name("content").begin_array();
            writer.begin_object().field("type", "text").field("text", said).end_object();
            writer.end_array().end_object();
        }
    }
    writer.end_array();
}

void append_agent_tools(model::JsonWriter& writer, AgentFormat format) {
    writer.begin_array();
    if (format == AgentFormat::openai) {
        writer.begin_object().field("type", "function").name("function").begin_object().field("name", ack_name);
        writer.field("description", ack_description).name("parameters").raw(ack_schema);
        writer.name("strict").boolean(true).end_object().end_object();
    }
    if (format == AgentFormat::anthropic) {
        writer.begin_object().field("name", ack_name).field("description", ack_description);
        writer.name("input_schema").raw(ack_schema).end_object();
    }
    writer.end_array();
}

}  // namespace belfry::codec
