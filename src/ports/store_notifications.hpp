#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "model/notification.hpp"

namespace belfry::ports {

// What waits in open batches and dedupe windows, so that a crash neither loses nor doubles it.
class WaitingTable {
public:
    virtual ~WaitingTable() = default;
    // All of it, by ordinal.
    virtual base::Result<std::vector<model::WaitingRow>> load() = 0;
    virtual base::Result<void> insert(std::span<const model::WaitingRow> rows) = 0;
    struct Count {
        std::int64_t ordinal = 0;
        std::int64_t count = 0;
        model::Severity severity = model::Severity::info;  // the greatest of those counted
    };
    virtual base::Result<void> update(std::span<const Count> counts) = 0;
    virtual base::Result<void> remove(std::span<const std::int64_t> ordinals) = 0;
    // Of a user who is erased.
    virtual base::Result<std::uint64_t> erase_user(std::string_view user_id) = 0;
};

// Which notifications a session is to be handed at a point. Class = priority * 4 + point.
struct DueQuestion {
    std::string session_id;
    std::string user_id;                       // notifications of this user without a session are due too
    std::uint32_t classes = 0;                 // a bit for each class that is due
    std::optional<base::Timestamp> or_before;  // whatever its class: created at or before
    base::Timestamp now;                       // leases that ran out by now do not count
    std::size_t limit = 0;
};

class NotificationTable {
public:
    virtual ~NotificationTable() = default;

    // The ordinal after the last one.
    virtual base::Result<std::int64_t> next_ordinal() = 0;
    virtual base::Result<void> insert(std::span<const model::Notification> notifications) = 0;

    // Of target agent, open and not held by anybody; by priority, then ordinal.
    virtual base::Result<std::vector<model::Notification>> due(const DueQuestion& question) = 0;
    // How many rows the open ones of target agent have in this scope's queue (a session's, or a user's without
    // session).
    virtual base::Result<std::int64_t> count_open(const model::Scope& scope) = 0;
    // Of that queue the pending one below `below` that is the least severe, and of those the oldest; never a summary of
    // what gave way.
    virtual base::Result<std::optional<model::Notification>> least(const model::Scope& scope,
                                                                   model::Severity below) = 0;
    // The open, pending one of a subscriber in that queue, the newest.
    virtual base::Result<std::optional<model::Notification>> newest_pending(const model::Scope& scope,
                                                                            std::string_view subscriber_id) = 0;

    virtual base::Result<std::optional<model::Notification>> find(const model::NotificationId& id) = 0;
    // By its short handle in a session.
    virtual base::Result<std::optional<model::Notification>> find_handle(std::string_view session_id,
                                                                         std::int64_t handle) = 0;
    virtual base::Result<std::vector<model::Notification>> of_pull(const base::Uuid& pull_id) = 0;
    // Those of subscribers created at or after `since`, for the dedupe windows that they started: ids, scopes,
    // subscriber, events and time; content may be left out.
    virtual base::Result<std::vector<model::Notification>> created_since(base::Timestamp since) = 0;

    // Writes everything that may change after creation (content, text, events, severity, tokens, version, state,
    // outcome, ended_at, handle, lease, holder, lease_until, pull_id, passed_over), of a row whose lease still is
    // `lease_before`; false where it is not, or the row is terminal.
    virtual base::Result<bool> update(const model::Notification& notification, std::int64_t lease_before) = 0;
    virtual base::Result<void> pass_over(std::span<const model::NotificationId> ids) = 0;

    virtual base::Result<std::uint64_t> drop_ended(base::Timestamp older_than, std::size_t limit) = 0;
    virtual base::Result<std::uint64_t> erase_user(std::string_view user_id, std::size_t limit) = 0;
};

// Reading beside the engine.
struct NotificationFilter {
    std::string user_id;  // empty fields do not narrow
    std::string session_id;
    std::string subscriber_id;
    std::optional<model::DeliveryState> state;
    bool open_only = false;
    std::int64_t after = 0;  // ordinal
    std::size_t limit = 0;
};

class NotificationReading {
public:
    virtual ~NotificationReading() = default;
    virtual base::Result<std::optional<model::Notification>> find(const model::NotificationId& id) = 0;
    virtual base::Result<std::optional<model::Notification>> find_handle(std::string_view session_id,
                                                                         std::int64_t handle) = 0;
    // By ordinal.
    virtual base::Result<std::vector<model::Notification>> list(const NotificationFilter& filter) = 0;
    // How many there are in each state, and how many events wait in open batches.
    struct Figures {
        std::vector<std::pair<model::DeliveryState, std::uint64_t>> by_state;
        std::uint64_t waiting_rows = 0;
    };
    virtual base::Result<Figures> figures() = 0;
};

}  // namespace belfry::ports
