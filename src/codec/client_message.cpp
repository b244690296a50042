#include "codec/client_message.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/iso_time.hpp"
#include "codec/json.hpp"

namespace belfry::codec {
namespace {

using base::Code;

std::optional<base::Timestamp> read_time(std::string_view text) {
    if (const auto time = base::parse_timestamp_from(base::year_one, text)) return time;
    return base::parse_timestamp_from(base::year_one, std::string(text) + "Z");
}

// In the order in which they are read below; the last is the one that is left.
constexpr std::array<std::string_view, 5> names{"session_id", "message_type", "timestamp", "payload", "message_id"};

struct Found {
    bool session = false;
    bool type = false;
    bool timestamp = false;
};

base::Result<void> read_member(JsonReader& reader, std::string_view name, model::ClientMessage& message, Found& found) {
    if (name == "session_id") {
        TRY_ASSIGN(message.session_id, reader.read_string());
        found.session = true;
    } else if (name == "message_type") {
        TRY_ASSIGN(message.message_type, reader.read_string());
        found.type = true;
    } else if (name == "timestamp") {
        TRY_ASSIGN(const std::string_view text, reader.read_string());
        const auto time = read_time(text);
        if (!time) return reader.invalid("must be ISO 8601, such as 2025-12-30T10:30:00Z");
        message.timestamp = *time;
        found.timestamp = true;
    } else if (name == "payload") {
        TRY_ASSIGN(const JsonSpan span, reader.raw_value());
        message.payload = span.compact();
    } else {
        TRY_ASSIGN(const std::string_view text, reader.read_string());
        message.message_id = base::parse_uuid(text);
        if (!message.message_id) return reader.invalid("must be a UUID");
    }
    return {};
}

base::Result<void> read_members(JsonReader& reader, model::ClientMessage& message, Found& found) {
    TRY(reader.begin_object());
    std::string_view name;
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_field(name));
        if (!more) return reader.finish();
        if (std::ranges::find(names, name) == names.end()) return reader.invalid("is not known");
        TRY_ASSIGN(const bool absent, reader.take_null());
        if (!absent) TRY(read_member(reader, name, message, found));
    }
}

}  // namespace

base::Result<void> read_client_message(std::string_view params, model::ClientMessage& message) {
    Found found;
    JsonReader reader(params);
    auto read = params.empty() ? base::Result<void>{} : read_members(reader, message, found);
    if (!read.ok()) {
        base::Error error = std::move(read).error();
        if (error.field.empty()) error.field = "params";
        error.message = error.field + " " + error.message;
        return error;
    }
    const char* const missing = !found.session     ? "session_id"
                                : !found.type      ? "message_type"
                                : !found.timestamp ? "timestamp"
                                                   : nullptr;
    if (missing != nullptr) return base::error(Code::invalid, std::string(missing) + " must be given", missing);
    return {};
}

}  // namespace belfry::codec
