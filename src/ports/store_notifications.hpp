#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "model/notification.hpp"
#include "model/tool.hpp"

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
    std::string user_id;                       // notifications of this user without a session are due too,
    std::string agent_id;                      // unless they are for another agent than this
    std::string only_agent;                    // not empty: of all these, those for this agent or for no agent
    std::uint32_t classes = 0;                 // a bit for each class that is due
    std::optional<base::Timestamp> or_before;  // whatever its class: created at or before
    bool or_handed_before = false;             // whatever its class: this session was handed it before
    base::Timestamp now;                       // leases that ran out by now do not count
    std::size_t limit = 0;
};

struct Due {
    std::vector<model::Notification> first;  // as many as the limit allows
    std::int64_t count = 0;                  // of all
};

// Asks for the facts that a session's agent was not told yet: of the session itself and of its user without a session,
// except narrations of this very session.
struct FactQuestion {
    std::string_view user_id;
    std::string_view session_id;
    std::optional<std::int64_t> after = {};  // the number of the last fact told; none: begin with those since `since`
    base::Timestamp since = {};
    std::int64_t counted = 0;  // the number of the last fact that a digest has counted
    std::size_t limit = base::limits::facts_read_max;
    // Of other sessions only facts of this agent and of no agent; empty: of all agents.
    std::string_view only_agent = {};
};
struct Facts {
    std::vector<model::Notification> oldest;  // as many as the limit allows, by the number of their fact
    std::int64_t count = 0;                   // of all
    std::int64_t in_inbox = 0;                // of all, how many are in the user's inbox and no digest has counted
};

class NotificationTable {
public:
    virtual ~NotificationTable() = default;

    // The ordinal after the last one.
    virtual base::Result<std::int64_t> next_ordinal() = 0;
    virtual base::Result<void> insert(std::span<const model::Notification> notifications) = 0;

    // Of channel C (for the agent, or for it to speak of), open, not escalated and not held by anybody; by priority,
    // then ordinal.
    virtual base::Result<std::vector<model::Notification>> due(const DueQuestion& question) = 0;
    // How many there are, whatever the limit.
    virtual base::Result<std::int64_t> count_due(const DueQuestion& question) = 0;
    // How many rows those of channel C that are open and not escalated have in this scope's queue (a session's, or a
    // user's without session).
    virtual base::Result<std::int64_t> count_open(const model::Scope& scope) = 0;
    // Of that queue the pending one of passive context below `below` that is the least severe, and of those the oldest;
    // never a summary of what gave way.
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

    // Writes everything that may change after creation (all but id, ordinal, user, subscriber, emitter, time of
    // creation, depth and what it comes of), of a row whose lease still is `lease_before`; false where it is not, or
    // the row is terminal.
    virtual base::Result<bool> update(const model::Notification& notification, std::int64_t lease_before) = 0;
    virtual base::Result<void> pass_over(std::span<const model::NotificationId> ids) = 0;

    // Writes what a person has done with it, also where it has ended; false where there is no such row.
    virtual base::Result<bool> mark(const model::Notification& notification) = 0;
    // Writes text, content, their tokens and the version, also where it has ended; false where there is no such row.
    virtual base::Result<bool> revise(const model::Notification& notification) = 0;

    // Of the delivery protocol. The open one of this user under a deduplication key, the newest.
    virtual base::Result<std::optional<model::Notification>> find_key(std::string_view user_id,
                                                                      std::string_view deduplication_key) = 0;
    // The one under this key that somebody holds under this lease, the newest.
    virtual base::Result<std::optional<model::Notification>> find_held_key(std::string_view user_id,
                                                                           std::string_view deduplication_key,
                                                                           std::int64_t lease) = 0;
    // Open ones whose deadline has come, oldest deadline first; and the earliest deadline of all.
    virtual base::Result<std::vector<model::Notification>> overdue(base::Timestamp now, std::size_t limit) = 0;
    virtual base::Result<std::optional<base::Timestamp>> next_deadline() = 0;
    // What a person's interfaces have yet to acknowledge: open, of channels A and B or escalated, oldest first; those
    // after one ordinal and up to another.
    struct InterfaceQuestion {
        std::string_view user_id;
        std::string_view session_id = {};  // empty: all
        std::int64_t after = 0;
        std::int64_t until = std::numeric_limits<std::int64_t>::max();
        std::size_t limit = 0;
    };
    virtual base::Result<std::vector<model::Notification>> for_interfaces(const InterfaceQuestion& question) = 0;
    // Locked ones that this session's agent holds, also where its time has run out; not those that it let go.
    virtual base::Result<std::vector<model::Notification>> held_by_session(std::string_view session_id) = 0;
    // The same, as far as a lease is concerned: id, state, lease, holder, how long and the deadline.
    virtual base::Result<std::vector<model::Notification>> leases_of_session(std::string_view session_id) = 0;
    // Writes how long such rows are held, and their deadlines; how many were locked under their lease still.
    virtual base::Result<std::int64_t> renew(std::span<const model::Notification> rows) = 0;
    virtual base::Result<Facts> facts(const FactQuestion& question) = 0;
    // Returns a number greater than every number that this ledger has given to a fact.
    virtual std::int64_t next_fact_number() = 0;
    // Writes the facts of these rows, whatever their state. `insert`, `update` and `mark` write only the fact's time.
    virtual base::Result<void> put_facts(std::span<const model::Notification> rows) = 0;
    // Whether this user's dead letter was sent again and that one is still on its way.
    virtual base::Result<bool> has_open_retry(std::string_view user_id, const model::NotificationId& id) = 0;
    // The greatest depth of what this session's agent holds; nothing where it holds nothing.
    virtual base::Result<std::optional<std::int64_t>> depth_held(std::string_view session_id) = 0;
    // The same of what a token holds, in any session of any user.
    virtual base::Result<std::optional<std::int64_t>> depth_held_by(std::string_view holder) = 0;
    // Open ones that live in a session, for when it goes.
    virtual base::Result<std::vector<model::Notification>> open_of_session(std::string_view session_id,
                                                                           std::size_t limit) = 0;
    // The audit of their way; ordinals are given here. Goes with its notification.
    virtual base::Result<void> add_steps(std::span<const model::Transition> steps) = 0;
    // How many steps of its way have this reason.
    virtual base::Result<std::int64_t> count_steps(const model::NotificationId& id, std::string_view reason) = 0;

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
    std::optional<base::Timestamp> created_before;  // at least so old
    std::string outcome;
    std::string search;  // words, each of which a row has to hold somewhere; not for `NotificationReading`
    bool newest_first = false;
    std::int64_t after = 0;  // the ordinal of the one before, in the order asked for; 0: from the first
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
    // How many there are in each state, and how many events wait in open batches; of one user, or (empty) of all.
    struct Figures {
        std::vector<std::pair<model::DeliveryState, std::uint64_t>> by_state;
        std::vector<std::pair<std::string, std::uint64_t>> failures;  // by what became of them
        std::optional<base::Timestamp> oldest_open;
        std::uint64_t waiting_rows = 0;
    };
    virtual base::Result<Figures> figures(std::string_view user_id) = 0;

    // Its whole way, oldest step first.
    virtual base::Result<std::vector<model::Transition>> steps(const model::NotificationId& id) = 0;
    // Of the notifications created between the two times, by ordinal: those that hold this event in a row of its own,
    // and, where wanted, those that may have folded it into another's, because they say of one that it came more than
    // once.
    enum class Repeats : std::uint8_t { wanted, left_out };
    virtual base::Result<std::vector<model::Notification>> of_event(const model::EventId& id, base::Timestamp from,
                                                                    base::Timestamp to, Repeats repeats) = 0;
    // What of a user's events waits in open batches, without their JSON.
    virtual base::Result<std::vector<model::WaitingRow>> waiting_of(std::string_view user_id) = 0;
    // How many events those are that would come to this session: its own, and the user's without a session.
    virtual base::Result<std::int64_t> count_waiting(std::string_view user_id, std::string_view session_id) = 0;
    // As `NotificationTable` has them.
    virtual base::Result<Due> due(const DueQuestion& question) = 0;
    virtual base::Result<Facts> facts(const FactQuestion& question) = 0;
    // A person's inbox as a list, newest first, before `before` (an ordinal; 0: from the newest): channels A and B,
    // escalated ones, narrations; unread only on request.
    struct InboxQuestion {
        std::string user_id;
        std::string session_id;
        bool unread_only = false;
        std::int64_t before = 0;
        std::size_t limit = 0;
    };
    virtual base::Result<std::vector<model::Notification>> inbox(const InboxQuestion& question) = 0;
    struct InboxCounts {
        std::uint64_t unread = 0;
        std::uint64_t waiting = 0;  // not acknowledged by any interface
    };
    // Of one session, or (empty) of all that is the person's.
    virtual base::Result<InboxCounts> inbox_counts(std::string_view user_id, std::string_view session_id) = 0;
};

class ToolTable {
public:
    virtual ~ToolTable() = default;
    virtual base::Result<std::vector<model::ToolInfo>> load() = 0;
    virtual base::Result<std::optional<model::ToolInfo>> find(std::string_view name) = 0;
    virtual base::Result<void> put(const model::ToolInfo& tool) = 0;
    virtual base::Result<void> remove(std::string_view name) = 0;
};

}  // namespace belfry::ports
