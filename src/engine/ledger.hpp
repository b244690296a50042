#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/capability.hpp"
#include "engine/outbox.hpp"
#include "engine/overload.hpp"
#include "engine/session_book.hpp"
#include "model/notification.hpp"
#include "ports/sinks.hpp"
#include "rules/delivery.hpp"
#include "rules/route.hpp"

namespace belfry::engine {

// A notification that was decided on, and who its system message is to name.
struct NewNotification {
    model::Notification notification;  // without id, ordinal, time
    std::string source;                // `Tool Executor`
    bool visible = true;
    bool user_is_named = false;             // its emitter has named or proved whose it is
    bool gives_way = false;                 // there was no room for it in its queue
    std::optional<model::Axes> asked = {};  // where the end of a chain gave it another way
    model::NotificationId id = {};          // that it is to have, and nobody has yet; nil: any
};

// Where notifications are recorded: the rows, the audit of every step, and what their readers are told in the same
// commit. What is added waits until `settle` (at the latest in `flush`) writes it in bulk. A queue of an agent, a
// session's or a user's, has an end: beyond it the least severe give way, oldest first, never error or critical, and a
// summary says how many.
class Ledger final : public Capability {
public:
    // `sinks`: null where there are none. `queue_rows_max`: the room of each queue.
    Ledger(SessionBook& sessions, Outbox& outbox, const ports::Sinks* sinks, std::string owner,
           std::size_t queue_rows_max)
        : sessions_(sessions),
          outbox_(outbox),
          sinks_(sinks),
          owner_(std::move(owner)),
          room_(static_cast<std::int64_t>(queue_rows_max)) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override { return {}; }
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    base::Result<void> flush(Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;

    void add(NewNotification added, Unit& unit);
    base::Result<void> settle(Unit& unit);
    // One that its emitter waits for: written at once, and given back as it is.
    base::Result<model::Notification> add_now(NewNotification added, Unit& unit);

    // A row that a rule has changed, with its steps: written under the lease that it had before, audited, and told to
    // the readers whom it concerns. `by` is who did it.
    base::Result<void> change(model::Notification& row, std::int64_t lease_before, rules::Steps steps,
                              std::string_view by, Unit& unit);

    // Steps of a row that is as it was: it was tried again.
    void note(rules::Steps steps);

    // A row whose content has changed, and perhaps its way: readers get it anew. `before` is as it was.
    base::Result<void> tell_update(model::Notification& row, const model::Notification& before, rules::Steps steps,
                                   Unit& unit);

    // Finds the session and the user that it belongs to. What is another user's, or of a session that was deleted,
    // stays out of it and lives with its user.
    base::Result<void> house(NewNotification& added, Unit& unit);

    // Asks for a turn of an agent once more, if the row waits for one and nobody holds it.
    base::Result<void> request_turn(const model::Notification& row, Unit& unit);

    // It has come into the inbox otherwise than by being sent there.
    base::Result<void> ring(const model::Notification& row, Unit& unit);

    // What a person has done with it: also of one that has come to its end.
    base::Result<void> mark(model::Notification& row, std::string_view by, Unit& unit);

    // Counts the connected interfaces of a user: those that show everything (`session_id` is empty) and those that show
    // one conversation. The counts are in memory only and are zero after a start.
    void came(const std::string& user_id, const std::string& session_id) { ++interfaces_[user_id][session_id]; }
    void went(const std::string& user_id, const std::string& session_id);
    [[nodiscard]] bool is_there(const std::string& user_id) const { return interfaces_.contains(user_id); }
    // An interface comes (1) or goes (-1) with this transaction. An interface that comes is sent what later commands of
    // the transaction record.
    void will_move(std::string user_id, std::string session_id, int change) {
        moves_.push_back({std::move(user_id), std::move(session_id), change});
    }
    base::Result<model::StreamId> inbox_stream(const std::string& user_id, Unit& unit);

    // When the watchdog has to look, at the earliest.
    [[nodiscard]] std::optional<base::Timestamp> next_deadline() const { return next_deadline_; }
    void set_next_deadline(std::optional<base::Timestamp> deadline) { pending_deadline_ = {true, deadline}; }

    // Notifications went away otherwise than by their end.
    void count_anew() { queues_.clear(); }
    // Of the newest notification.
    [[nodiscard]] std::int64_t last_ordinal() const { return next_ordinal_ - 1; }
    [[nodiscard]] const std::string& owner() const { return owner_; }

private:
    base::Result<void> show(const model::Notification& notification, const std::string& source, Unit& unit);
    base::Result<void> take_place(const std::string& session_id, Unit& unit);
    base::Result<void> send_to_user(model::Notification& row, std::string_view by, Unit& unit);
    base::Result<void> show_update(const model::Notification& row, const model::Notification& before, Unit& unit);
    base::Result<void> send(model::Notification& notification, rules::Steps& steps, Unit& unit);
    base::Result<void> make_room(const std::string& key, std::vector<NewNotification*>& arrivals, Unit& unit);
    base::Result<void> say_what_gave_way(const model::Scope& scope, Overload overload, Unit& unit);
    enum class Entry : std::uint8_t { turn_requested, notification, notification_state };
    // `by`: of a changed state, whose doing it is.
    base::Result<void> put_entry(Entry kind, const model::Notification& about, std::string_view by, Unit& unit);
    void note_deadline(const model::Notification& row);
    // Records what the user knows of a row after it was written.
    base::Result<void> note_awareness(model::Notification& row, Unit& unit);
    // True if an interface that is connected gets this row.
    [[nodiscard]] bool has_interface(const model::Notification& row) const;
    // The interfaces of a user with this filter (empty: none), after the moves of this transaction.
    [[nodiscard]] int count_interfaces(const std::string& user_id, const std::string& session_id) const;
    void note_delivery(const model::Notification& row, const rules::Steps& steps, base::Timestamp now);
    void count(const model::Notification& notification, int sign);
    base::Result<void> owe_sinks(const model::Notification& notification, Unit& unit);
    void forget();

    SessionBook& sessions_;
    Outbox& outbox_;
    const ports::Sinks* sinks_;
    std::string owner_;
    std::int64_t room_;
    std::int64_t next_ordinal_ = 1;  // those of a transaction that is dropped are not given again
    std::vector<NewNotification> added_;
    rules::Steps steps_;  // to be written with this transaction
    // Rows in open notifications for an agent, by queue: of the queues that were looked at lately.
    std::unordered_map<std::string, std::int64_t> queues_;
    bool counted_ = false;                                                    // queues_ was changed in this transaction
    std::unordered_map<std::string, std::map<std::string, int>> interfaces_;  // by user, then by session
    struct Move {
        std::string user_id;
        std::string session_id;
        int change = 0;
    };
    std::vector<Move> moves_;  // of this transaction
    std::optional<base::Timestamp> next_deadline_;
    std::optional<base::Timestamp> new_deadline_;                         // the earliest of this transaction
    std::pair<bool, std::optional<base::Timestamp>> pending_deadline_{};  // what the watchdog has found out
    std::vector<base::Duration> deliveries_;                              // of this transaction, how long each took
    std::uint64_t made_ = 0;
    std::uint64_t gave_way_ = 0;
    std::string body_;  // scratch
};

}  // namespace belfry::engine
