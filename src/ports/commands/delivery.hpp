#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/interaction.hpp"
#include "model/notification.hpp"
#include "model/tool.hpp"
#include "ports/commands/command.hpp"
#include "ports/commands/outbox.hpp"
#include "ports/commands/sessions.hpp"

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
    std::optional<std::int64_t> lease;    // this or the pull must be given
    std::optional<base::Uuid> pull_id;    // the last pull that the runtime has
    std::optional<std::int64_t> version;  // of the content that the agent was given
    std::string words;
    std::vector<Named> also;  // notifications of the same session that the same words tell
};

// An agent's turn goes on: what its session holds stays held.
struct HeartbeatReply {
    std::int64_t renewed = 0;
    std::optional<base::Timestamp> lease_until;
};
struct Heartbeat final : CommandOf<HeartbeatReply> {
    std::string session_id;
    std::optional<base::Duration> lease;  // else as the session asked before
    std::optional<base::Uuid> pull_id;    // the last pull that the runtime has
    std::vector<Named> leases;            // of notifications that the caller holds
};

// A dead letter is sent again, as a new notification.
struct RetryNotification final : CommandOf<model::Notification> {
    OneNotification which;
};

// What waits for a person, oldest first: as much as one answer holds. `more`: newer ones follow.
struct InboxPortion {
    std::vector<model::Notification> waiting;
    bool more = false;
};
// An interface of a person comes: the first portion of what waits for him, and where to follow from.
struct OpenedInbox : InboxPortion {
    std::string stream;         // `inbox:ada`
    model::Sequence as_of = 0;  // in it
    std::int64_t until = 0;     // the newest notification of that moment; what comes later stands in the stream
    std::vector<model::Interaction> questions;  // of agents, that wait for an answer
};
struct OpenInbox final : CommandOf<OpenedInbox> {
    std::string user_id;     // empty: the caller's own
    std::string session_id;  // only what belongs to this conversation; empty: all
};
// The next portion, for an interface that has written out the one before.
struct ContinueInbox final : CommandOf<InboxPortion> {
    std::string user_id;
    std::string session_id;
    std::int64_t after = 0;  // the ordinal of the last one that it has
    std::int64_t until = 0;  // as the opening said
};
struct CloseInbox final : CommandOf<Nothing> {
    std::string user_id;
    std::string session_id;  // as the opening named it
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
