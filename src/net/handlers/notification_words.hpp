#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "codec/json.hpp"
#include "codec/notification_json.hpp"
#include "net/exchange.hpp"
#include "ports/commands/delivery.hpp"

// What is said about one notification, over HTTP and on a connection of an interface.
namespace belfry::net::handlers {

// A handle such as `n7`, or an id.
bool is_notification_key(std::string_view text);
// Or why it cannot be one: `must be a handle such as n7, or an id`.
base::Result<void> check_notification_key(std::string_view text);
base::Result<std::string> read_notification_key(codec::JsonReader& reader);

// A list of `"n7"` or `{"id": "n7", "lease": 2, "version": 1}`, appended to `all`.
base::Result<void> read_named(codec::JsonReader& reader, std::vector<ports::Named>& all);
// The same, where each must have its lease.
base::Result<void> read_leases(codec::JsonReader& reader, std::vector<ports::Named>& all);

// What an interface says: that it has shown one (`ack`), or what its person did with it (`read`).
struct InterfaceWord {
    std::string type;  // ack, read; over HTTP the path tells
    std::string id;
    std::optional<std::int64_t> lease;
    std::optional<std::int64_t> version;
    std::optional<std::string> how;
    std::optional<model::ReadMark> mark;
};
base::Result<void> read_word_member(codec::JsonReader& reader, std::string_view name, InterfaceWord& word);

std::unique_ptr<ports::AckNotification> ack_of(const InterfaceWord& word, ports::OneNotification which);
base::Result<std::unique_ptr<ports::MarkNotification>> mark_of(const InterfaceWord& word, ports::OneNotification which);

// The notification of the path, with `?session=` for a handle.
base::Result<ports::OneNotification> notification_of_path(const Exchange& exchange);

// Answers with the notification as it is now.
void answer_notification(const Reply& to, int status, const model::Notification& notification, codec::Readers readers);

// Whom an answer to this caller is for.
codec::Readers readers_of(const model::Principal& caller);

// A message of the person that waits for an agent.
void append_user_message(model::JsonWriter& writer, const model::SessionMessage& message);

}  // namespace belfry::net::handlers
