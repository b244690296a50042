#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/interaction.hpp"
#include "model/notification.hpp"
#include "ports/commands/command.hpp"
#include "ports/commands/outbox.hpp"

// The delivery protocol: a notification on its way, and everybody who has a word in it.
namespace belfry::ports {

struct EmittedNotification {
    model::Notification notification;  // as it is now
    bool is_new = true;                // false: it took the place of an earlier one with its deduplication key
};

// A program says something directly, without an event and a subscriber.
struct EmitNotification final : CommandOf<EmittedNotification> {
    model::Notification draft;          // scope, axes, content, text, priority, …; the rest is filled in
    std::optional<std::int64_t> lease;  // of a locked one with the same deduplication key
    std::string caused_by;              // handle or id of the notification that it comes of; empty: none
};

// A word about one notification: by id, or by its handle where `session_id` says where that counts.
struct OneNotification {
    std::string session_id;
    std::string key;
};

// A person's interface has shown it.
struct AckNotification final : CommandOf<model::Notification> {
    OneNotification which;
    std::optional<std::int64_t> lease;
    std::optional<std::int64_t> version;
    std::string how = "rendered";
};

struct MarkNotification final : CommandOf<model::Notification> {
    OneNotification which;
    model::ReadMark mark = model::ReadMark::seen;
};

// The agent says it in its own words, through Belfry.
struct NarrateNotification final : CommandOf<model::Notification> {
    OneNotification which;
    std::int64_t lease = 0;
    std::string words;
};

// An agent's turn goes on: what its session holds stays held.
struct HeartbeatReply {
    std::int64_t renewed = 0;
    std::optional<base::Timestamp> lease_until;
};
struct Heartbeat final : CommandOf<HeartbeatReply> {
    std::string session_id;
    std::optional<base::Duration> lease;  // else as the session asked before
};

// A dead letter is sent again, as a new notification.
struct RetryNotification final : CommandOf<model::Notification> {
    OneNotification which;
};

// An interface of a person comes: what waits for him, oldest first, and where to follow from.
struct OpenedInbox {
    std::string stream;         // `inbox:ada`
    model::Sequence as_of = 0;  // in it
    std::vector<model::Notification> waiting;
    std::vector<model::Interaction> questions;  // of agents, that wait for an answer
    bool more = false;                          // there are older ones than fit; the list has them
};
struct OpenInbox final : CommandOf<OpenedInbox> {
    std::string user_id;     // empty: the caller's own
    std::string session_id;  // only what belongs to this conversation; empty: all
};
struct CloseInbox final : CommandOf<Nothing> {
    std::string user_id;
};

struct DeleteSession final : CommandOf<Nothing> {
    std::string session_id;
};

struct PutTool final : CommandOf<model::ToolInfo> {
    model::ToolInfo tool;
};
struct DeleteTool final : CommandOf<Nothing> {
    std::string name;
};

}  // namespace belfry::ports
