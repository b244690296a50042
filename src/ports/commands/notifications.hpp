#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/context_value.hpp"
#include "model/notification.hpp"
#include "model/session.hpp"
#include "ports/commands/command.hpp"
#include "ports/commands/outbox.hpp"

namespace belfry::ports {

// The files of subscribers have changed: take the newest catalogue. Batches stay open; those of a subscriber that is
// gone leave.
struct ReloadSubscribers final : CommandOf<Nothing> {};

// Replaces a user's list of subscribers that are off.
struct PutSettings final : CommandOf<model::UserSettings> {
    std::string user_id;
    std::vector<std::string> disabled_subscribers;
};

// Switches one subscriber on or off for a user.
struct ToggleSubscriber final : CommandOf<model::UserSettings> {
    std::string user_id;  // empty: the principal's own user, or the owner
    std::string subscriber_id;
    bool enabled = true;
};

// One thing that is handed over: a notification, or a line that stands for several.
struct PulledItem {
    std::string handle;                   // `n7`
    model::Notification notification;     // of a summary: the last one that it stands for, with the summary's content
    std::vector<std::string> stands_for;  // of a summary: the handles of all; else empty
    bool needs_answer = false;  // somebody must hear of it, or it is the agent's to decide: not passive context
    bool must_tell = false;     // the agent must tell the user; else it decides by itself
    bool again = false;         // it was handed over before and nobody confirmed it
};

struct PullReply {
    base::Uuid pull_id;
    std::vector<PulledItem> items;  // in the order in which they are to be read
    std::int64_t model_tokens = 0;  // of all of them, estimated
    std::int64_t waiting = 0;       // due as well, but did not fit
    std::optional<base::Timestamp> lease_until;
    std::string fence;  // closes the text around the items; a word that the items do not hold
    std::int64_t acknowledged = 0;
    std::vector<model::SessionMessage> user_messages;  // what the person has said meanwhile, in his order
    // What the person knows already, for the agent to know and not to announce: facts in a line each, and the inbox as
    // one sentence. Only at the start of a turn.
    std::vector<std::string> seen;
    std::string digest;
    base::Timestamp at;                         // when it was read
    std::vector<model::ContextValue> context;   // that were asked for
    std::vector<std::string> context_left_out;  // names of values that did not fit
};

// Hand over what is due in a session at a point of the agent's turn.
struct PullNotifications final : CommandOf<PullReply> {
    std::string session_id;
    model::InjectAt point = model::InjectAt::turn_start;
    std::int64_t budget_tokens = 0;  // 0: no limit
    base::Duration lease = base::limits::lease_default;
    std::optional<base::Uuid> acknowledge;  // an earlier hand-over that has arrived
    std::optional<base::Uuid> pull_id;      // the last one that the runtime has: what it did not get comes again
    // Pulls these notifications only, if they are free; empty: everything that is due.
    std::vector<model::NotificationId> only;
    std::vector<model::NotificationId> except;  // the pull leaves these to another run
    model::ContextRequest context;              // the context values that it asks for
};

struct AcknowledgeReply {
    std::int64_t acknowledged = 0;
    std::vector<std::string> untold;  // handles that the user must be told of, and was not: still held
};

// What was handed over has arrived. Either a whole hand-over, or single items under their lease.
struct Acknowledge final : CommandOf<AcknowledgeReply> {
    struct Item {
        std::string key;  // handle or id
        std::int64_t lease = 0;
        std::optional<std::int64_t> version;  // of the content that the model was given
    };
    std::string session_id;
    std::optional<base::Uuid> pull_id;
    std::vector<Item> items;
};

}  // namespace belfry::ports
