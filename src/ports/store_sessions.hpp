#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/session.hpp"

namespace belfry::ports {

class SessionTable {
public:
    virtual ~SessionTable() = default;

    // Those of these ids that are there, in any order.
    virtual base::Result<std::vector<model::Session>> find(std::span<const std::string> ids) = 0;
    // Inserts or replaces.
    virtual base::Result<void> put(std::span<const model::Session> sessions) = 0;
    // Takes away what was said in it: messages, nodes, reminders. Its row stays, to say that it was deleted.
    virtual base::Result<void> empty(std::string_view id) = 0;
    virtual base::Result<void> add_node(const model::ContextNode& node) = 0;
    virtual base::Result<std::optional<model::ContextNode>> find_node(std::string_view session_id,
                                                                      const model::NodeId& id) = 0;
    // Adds members to a node's array of system messages: JSON objects, joined by commas.
    struct SystemMessages {
        model::NodeId node;
        std::string json;
    };
    virtual base::Result<void> append_system_messages(std::span<const SystemMessages> messages) = 0;
    // The node that holds the system message of a notification: looked for from the newest one on, no further back than
    // the first that was opened before `since`.
    virtual base::Result<std::optional<model::ContextNode>> find_system_message(std::string_view session_id,
                                                                                const base::Uuid& notification_id,
                                                                                base::Timestamp since) = 0;
    // Puts the node's array in the place of the one that is stored.
    virtual base::Result<void> put_system_messages(const model::ContextNode& node) = 0;
    virtual base::Result<void> add_message(const model::SessionMessage& message) = 0;
    // Returns the ordinal of a message in its session; nothing if there is no such message.
    virtual base::Result<std::optional<std::int64_t>> message_ordinal(const model::MessageId& id) = 0;

    virtual base::Result<void> add_reminder(const model::Reminder& reminder) = 0;
    virtual base::Result<std::vector<model::Reminder>> reminders(std::string_view session_id) = 0;
    virtual base::Result<void> remove_reminder(const base::Uuid& id) = 0;

    // The earliest time at which an agent is to be warned of its timeout, and the sessions where it has come.
    virtual base::Result<std::optional<base::Timestamp>> next_timeout() = 0;
    virtual base::Result<std::vector<std::string>> timed_out(base::Timestamp now, std::size_t limit) = 0;

    // A slice of a user's sessions with all that belongs to them; 0: there is nothing left.
    virtual base::Result<std::uint64_t> erase_user(std::string_view user_id, std::size_t limit) = 0;
};

class SettingsTable {
public:
    virtual ~SettingsTable() = default;
    virtual base::Result<std::vector<model::UserSettings>> load() = 0;
    virtual base::Result<void> put(const model::UserSettings& settings) = 0;
    virtual base::Result<void> erase_user(std::string_view user_id) = 0;
};

struct SessionFilter {
    std::string user_id;
    std::string after;  // the last id of the page before
    std::size_t limit = 0;
    bool or_deleted = false;  // also those of which nothing is left but that they were there
};

// One node on the way from a root to a leaf, or of a whole tree.
struct HistoryNode {
    model::ContextNode node;
    std::vector<model::SessionMessage> messages;
};

// Where the next page of a history begins: at a node, or inside of one that alone is too much for a page, at a message
// of it by its ordinal.
struct HistoryPlace {
    model::NodeId node;
    std::optional<std::int64_t> message = {};

    friend bool operator==(const HistoryPlace&, const HistoryPlace&) = default;
};
struct HistoryPage {
    std::vector<HistoryNode> nodes;
    std::optional<HistoryPlace> next;  // nothing: this was the last one
};

// Reading beside the engine.
class SessionReading {
public:
    virtual ~SessionReading() = default;
    virtual base::Result<std::optional<model::Session>> find(std::string_view id) = 0;
    virtual base::Result<std::vector<model::Session>> list(const SessionFilter& filter) = 0;
    // The way from the root to `leaf` (the head where it is nothing): the last `limit` nodes of it at the most, and of
    // those no more than hold `bytes_max` together. Where the leaf alone holds more, its last messages that fit, and at
    // least one. A leaf with a message has those before it.
    virtual base::Result<HistoryPage> path(std::string_view session_id, const std::optional<HistoryPlace>& leaf,
                                           std::size_t limit, std::size_t bytes_max) = 0;
    // All nodes in the order of their creation, after `after`; as many of them, from the first one on. After a message:
    // its node again, with those that follow it.
    virtual base::Result<HistoryPage> tree(std::string_view session_id, const std::optional<HistoryPlace>& after,
                                           std::size_t limit, std::size_t bytes_max) = 0;
    virtual base::Result<model::UserSettings> settings(std::string_view user_id) = 0;
    // The person's messages that wait for an agent and that none holds, oldest first; not more than
    // `UserMessageTable::due` gives.
    virtual base::Result<std::vector<model::SessionMessage>> waiting_messages(std::string_view session_id,
                                                                              base::Timestamp now,
                                                                              std::size_t limit) = 0;
};

}  // namespace belfry::ports
