#include "net/handlers/notification_words.hpp"

#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "codec/notification_json.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/parameters.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;

constexpr std::size_t handle_chars_max = 19;
constexpr const char* key_rule = "must be a handle such as n7, or an id";

bool is_handle(std::string_view text) {
    if (text.size() < 2 || text.size() > handle_chars_max || text[0] != 'n' || text[1] == '0') return false;
    return std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool is_notification_key(std::string_view text) {
    return is_handle(text) || base::parse_uuid(text);
}

base::Result<void> check_notification_key(std::string_view text) {
    if (is_notification_key(text)) return {};
    return base::error(base::Code::invalid, key_rule, "id");
}

base::Result<std::string> read_notification_key(JsonReader& reader) {
    TRY_ASSIGN(const std::string_view key, reader.read_string());
    if (!is_notification_key(key)) return reader.invalid(key_rule);
    return std::string(key);
}

namespace {

base::Result<ports::Named> read_one(JsonReader& reader) {
    ports::Named named;
    TRY_ASSIGN(const model::JsonKind kind, reader.peek());
    if (kind != model::JsonKind::object) {
        TRY_ASSIGN(named.key, read_notification_key(reader));
        return named;
    }
    TRY(read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "id") {
            TRY_ASSIGN(named.key, read_notification_key(reader));
        } else if (name == "lease") {
            TRY_ASSIGN(named.lease, read_integer(reader, 1, limits::reported_count_max));
        } else if (name == "version") {
            TRY_ASSIGN(named.version, read_integer(reader, 1, limits::reported_count_max));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    if (named.key.empty()) return reader.invalid("must have an id");
    return named;
}

base::Result<void> read_list(JsonReader& reader, std::vector<ports::Named>& all, bool needs_lease) {
    TRY(reader.begin_array());
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_element());
        if (!more) return {};
        if (all.size() == limits::pull_items_max) {
            return reader.invalid("is one too many; at most " + std::to_string(limits::pull_items_max) +
                                  " items are allowed");
        }
        TRY_ASSIGN(ports::Named named, read_one(reader));
        if (needs_lease && !named.lease) return reader.invalid("must have a lease");
        all.push_back(std::move(named));
    }
}

}  // namespace

base::Result<void> read_named(JsonReader& reader, std::vector<ports::Named>& all) {
    return read_list(reader, all, false);
}

base::Result<void> read_leases(JsonReader& reader, std::vector<ports::Named>& all) {
    return read_list(reader, all, true);
}

base::Result<void> read_word_member(JsonReader& reader, std::string_view name, InterfaceWord& word) {
    if (name == "type") {
        TRY_ASSIGN(word.type, reader.read_string());
        if (word.type != "ack" && word.type != "read") return reader.invalid("must be ack or read");
    } else if (name == "id") {
        TRY_ASSIGN(word.id, read_notification_key(reader));
    } else if (name == "lease") {
        TRY_ASSIGN(word.lease, read_integer(reader, 1, limits::reported_count_max));
    } else if (name == "version") {
        TRY_ASSIGN(word.version, read_integer(reader, 1, limits::reported_count_max));
    } else if (name == "how") {
        TRY_ASSIGN(word.how, reader.read_string());
        if (word.how != "rendered" && word.how != "clicked") return reader.invalid("must be rendered or clicked");
    } else if (name == "mark") {
        TRY_ASSIGN(const std::string_view mark, reader.read_string());
        word.mark = model::parse_read_mark(mark);
        if (!word.mark) return reader.invalid("must be seen, acted or dismissed");
    } else {
        return unknown(reader);
    }
    return {};
}

std::unique_ptr<ports::AckNotification> ack_of(const InterfaceWord& word, ports::OneNotification which) {
    auto ack = std::make_unique<ports::AckNotification>();
    ack->lane = ports::Lane::control;
    ack->which = std::move(which);
    ack->lease = word.lease;
    ack->version = word.version;
    if (word.how) ack->how = *word.how;
    return ack;
}

base::Result<std::unique_ptr<ports::MarkNotification>> mark_of(const InterfaceWord& word,
                                                               ports::OneNotification which) {
    if (!word.mark) return missing("mark");
    auto mark = std::make_unique<ports::MarkNotification>();
    mark->lane = ports::Lane::control;
    mark->which = std::move(which);
    mark->mark = *word.mark;
    return mark;
}

base::Result<ports::OneNotification> notification_of_path(const Exchange& exchange) {
    ports::OneNotification which;
    which.key = exchange.captures.front();
    TRY(read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
        if (name != "session") return unknown_parameter(name);
        TRY_ASSIGN(which.session_id, parse_filter(name, value));
        return {};
    }));
    TRY(check_notification_key(which.key));
    if (is_handle(which.key) && which.session_id.empty()) {
        return base::error(base::Code::invalid, "a handle is known in its session only: name it", "session");
    }
    return which;
}

codec::Readers readers_of(const model::Principal& caller) {
    return caller.role == model::Role::user ? codec::Readers::person : codec::Readers::all;
}

void answer_notification(const Reply& to, int status, const model::Notification& notification, codec::Readers readers) {
    std::string body;
    model::JsonWriter writer(body);
    codec::append_notification(writer, notification, readers);
    to.respond({status, "application/json", body, {}});
}

void append_user_message(model::JsonWriter& writer, const model::SessionMessage& message) {
    writer.begin_object().field("id", base::format_uuid(message.id.uuid)).field("content", message.content);
    writer.name("metadata").raw(message.metadata.bytes());
    writer.field("created_at", base::format_timestamp(message.created_at)).end_object();
}

}  // namespace belfry::net::handlers
