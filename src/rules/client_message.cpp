#include "rules/client_message.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/limits.hpp"
#include "rules/admit.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using base::Code;
using model::JsonKind;
using model::JsonView;

base::Error invalid(std::string message, const char* field) {
    return base::error(Code::invalid, std::move(message), field);
}

bool is_session_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool is_type_char(char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
}

base::Result<void> check_alias_session_id(const std::string& id) {
    if (!id.empty() && id.size() <= limits::client_session_id_chars_max && std::ranges::all_of(id, is_session_char)) {
        return {};
    }
    return invalid("session_id must have 1 to " + std::to_string(limits::client_session_id_chars_max) +
                       " letters, digits, '-' or '_'",
                   "session_id");
}

// Every id that a session can have: the rule of PUT /v1/sessions/{id}.
base::Result<void> check_session_id(const model::ClientMessage& message) {
    if (message.method == model::ClientMethod::kaiak_alias) return check_alias_session_id(message.session_id);
    if (message.session_id.empty()) return invalid("session_id must not be empty", "session_id");
    return check_scope_id(message.session_id, "session_id");
}

base::Result<void> check_type(const std::string& type) {
    if (!type.empty() && type.size() <= limits::client_message_type_chars_max &&
        std::ranges::all_of(type, is_type_char)) {
        return {};
    }
    return invalid("message_type must have 1 to " + std::to_string(limits::client_message_type_chars_max) +
                       " small letters or '_', such as user_input",
                   "message_type");
}

base::Result<void> check_time(base::Timestamp time, base::Timestamp now) {
    if (time >= now - limits::client_message_age_max && time <= now + limits::client_message_age_max) return {};
    return invalid("timestamp must lie within 24 hours of now", "timestamp");
}

// `level` is that of this value; the recursion ends where the limit is passed.
base::Result<void> check_value(const JsonView& value, std::size_t level) {
    const JsonKind kind = value.kind();
    if (kind != JsonKind::object && kind != JsonKind::array) return {};
    if (level > limits::client_payload_depth_max) {
        return invalid("payload may be nested " + std::to_string(limits::client_payload_depth_max) + " levels deep",
                       "payload");
    }
    std::size_t members = 0;
    model::JsonWalker walker(value);
    std::string_view name;
    while (const auto member = walker.next(kind == JsonKind::object ? &name : nullptr)) {
        if (kind == JsonKind::object && ++members > limits::client_payload_properties_max) {
            return invalid("payload may have " + std::to_string(limits::client_payload_properties_max) + " properties",
                           "payload");
        }
        TRY(check_value(*member, level + 1));
    }
    return {};
}

bool has_words(const model::RawJson& payload) {
    if (payload.view().kind() != JsonKind::object) return false;
    const auto text = payload.member("text");
    return text && text->kind() == JsonKind::string;
}

}  // namespace

bool is_blank(std::string_view words) {
    return words.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

base::Result<void> check_client_message(const model::ClientMessage& message, base::Timestamp now) {
    TRY(check_session_id(message));
    TRY(check_type(message.message_type));
    TRY(check_time(message.timestamp, now));
    const bool is_input = message.message_type == "user_input";
    if (is_input && !message.payload) return invalid("user_input needs a payload", "payload");
    if (!message.payload) return {};
    TRY(check_value(message.payload->view(), 1));
    if (is_input && is_blank(words_of(*message.payload))) {
        return invalid("user_input needs words", has_words(*message.payload) ? "payload.text" : "payload");
    }
    return {};
}

std::string words_of(const model::RawJson& payload) {
    if (has_words(payload)) return payload.member("text")->as_text();
    return payload.view().kind() == JsonKind::string ? payload.view().as_text() : payload.bytes();
}

std::string besides_words(const model::RawJson& payload) {
    std::string members;
    if (!has_words(payload)) return members;
    model::JsonWalker walker(payload.view());
    std::string_view name;
    while (const auto value = walker.next(&name)) {
        if (name == "text") continue;
        if (!members.empty()) members += ',';
        members.append("\"").append(name).append("\":").append(value->text);
    }
    return members;
}

}  // namespace belfry::rules
