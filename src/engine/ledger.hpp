#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/capability.hpp"
#include "engine/overload.hpp"
#include "engine/session_book.hpp"
#include "model/notification.hpp"

namespace belfry::engine {

// A notification that was decided on, and who its system message is to name.
struct NewNotification {
    model::Notification notification;  // without id, ordinal, time
    std::string source;                // `Tool Executor`
    bool visible = true;
};

// Where notifications are recorded. What is added waits until `settle` (at the latest in `flush`) writes it in bulk,
// with its system message. A queue, a session's or a user's, has an end: beyond it the least severe give way, oldest
// first, never error or critical, and a summary says how many.
class Ledger final : public Capability {
public:
    Ledger(SessionBook& sessions, std::string owner) : sessions_(sessions), owner_(std::move(owner)) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override { return {}; }
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    base::Result<void> flush(Unit& unit) override { return settle(unit); }
    void committed(Effects& effects) override;
    void dropped() override;

    void add(NewNotification added, Unit& unit);
    base::Result<void> settle(Unit& unit);

    // Of a notification that has come to its end, in this transaction.
    void ended(const model::Notification& notification);
    // Notifications went away otherwise than by their end.
    void count_anew() { queues_.clear(); }
    [[nodiscard]] const std::string& owner() const { return owner_; }

private:
    base::Result<void> house(NewNotification& added, Unit& unit);
    base::Result<void> show(const NewNotification& added, Unit& unit);
    base::Result<void> make_room(const std::string& key, std::vector<NewNotification*>& arrivals, Unit& unit);
    base::Result<void> say_what_gave_way(const model::Scope& scope, Overload overload, Unit& unit);

    SessionBook& sessions_;
    std::string owner_;
    std::int64_t next_ordinal_ = 1;  // those of a transaction that is dropped are not given again
    std::vector<NewNotification> added_;
    // Rows in open notifications for an agent, by queue: of the queues that were looked at lately.
    std::unordered_map<std::string, std::int64_t> queues_;
    bool counted_ = false;  // queues_ was changed in this transaction
    std::uint64_t made_ = 0;
    std::uint64_t gave_way_ = 0;
};

}  // namespace belfry::engine
