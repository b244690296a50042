#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/capability.hpp"
#include "engine/ledger.hpp"
#include "engine/settings.hpp"
#include "engine/subscriber_set.hpp"
#include "model/event.hpp"
#include "ports/commands/notifications.hpp"
#include "ports/subscribers.hpp"
#include "rules/batch.hpp"

namespace belfry::engine {

// The member of an event by which its report says how many notifications caused one another before it.
inline constexpr std::string_view chain_depth_member = "chain_depth";

// From events to notifications: each event goes to the subscribers that want it, is gathered in the batch of its scope,
// and leaves with it as a notification. What waits is written with every commit. The memory is changed in place; where
// a transaction is dropped, it is built anew from the store before it is used again.
class Notify final : public Capability {
public:
    // What waits is at most about `bytes_max`: beyond it, what comes leaves at once.
    Notify(const ports::Subscribers& subscribers, Settings& settings, SessionBook& sessions, Ledger& ledger,
           std::size_t bytes_max)
        : subscribers_(subscribers),
          settings_(settings),
          sessions_(sessions),
          ledger_(ledger),
          waiting_bytes_max_(bytes_max) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override { return {typeid(ports::ReloadSubscribers)}; }
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    base::Result<void> flush(Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;
    [[nodiscard]] std::optional<base::Timestamp> next_due() const override;
    base::Result<void> tend(Unit& unit) override;
    void clock_was_set_back(base::Duration by) override;

    // An event that was just taken in, with its line in the log.
    base::Result<void> notice(const model::Event& event, std::string_view body, model::Sequence sequence, Unit& unit);
    // The agent of this session has come to a point of its turn: batches leave that were to wait for it.
    base::Result<void> reach(const model::Session& session, model::InjectAt point, Unit& unit);
    // The turn of this session's agent has ended without a pull at its end: low context leaves, so that it is there at
    // the start of the next turn.
    base::Result<void> end_turn(const model::Session& session, Unit& unit);
    // What waits for this user is erased from the store.
    base::Result<void> forget_user(std::string_view user_id, Unit& unit);

private:
    // What one subscriber gathers in one scope; events that choose their own priority or point are gathered apart.
    struct Group {
        std::uint64_t serial = 0;
        std::string key;
        std::string subscriber_id;
        model::Scope scope;
        model::Priority priority = model::Priority::normal;
        model::InjectAt inject_at = model::InjectAt::turn_start;
        bool is_chosen = false;  // by its events; else the subscriber's file says both, as it is when they are used
        rules::Batch batch;
        std::optional<base::Timestamp> due;  // as it stands in due_
        bool is_touched = false;             // stands in touched_
        int looks = 0;                       // how often it stands in idle_
    };

    base::Result<void> refresh(Unit& unit);
    base::Result<void> load_waiting(Unit& unit);
    base::Result<void> reload(Unit& unit);
    void take(const Listener& listener, const model::Scope& scope, const model::Event& event, std::string_view body,
              model::Sequence sequence, Unit& unit);
    Group& group_of(const Listener& listener, const model::Scope& scope, model::JsonView payload);
    Group& group_for(const model::Subscriber& subscriber, const model::Scope& scope, model::Priority priority,
                     model::InjectAt inject_at);
    void tend_group(Group& group, const Listener& listener, Unit& unit);
    // Why rows leave.
    enum class Leaving : std::uint8_t {
        batch,      // its window has ended, it is full, or its point is reached
        overdue,    // low context that no turn's end came for
        follow_up,  // repeats whose window has ended
    };
    void leave(Group& group, const Listener& listener, Leaving why, Unit& unit);
    void follow_up(Group& group, const Listener& listener, base::Timestamp until, Unit& unit);
    void rejoin(Group& group, const Listener& listener, std::vector<model::WaitingRow> repeats, Unit& unit);
    void collect(Group& group, const Listener& listener, Unit& unit);
    void release(Group& group, const Listener& listener, std::span<const model::WaitingRow> rows, Leaving why,
                 Unit& unit);
    static NewNotification draft_of(const Group& group, const model::Subscriber& subscriber,
                                    std::span<const model::WaitingRow> rows, Leaving why);
    static model::Priority priority_of(const Group& group, const model::Subscriber& subscriber);
    // True if the group waits for the end of a turn.
    static bool is_low(const Group& group, const model::Subscriber& subscriber);
    // How long its open batch waits.
    static base::Duration wait_of(const Group& group, const model::Subscriber& subscriber);
    void render(model::Notification& draft, const Listener& listener, std::span<const model::WaitingRow> rows,
                base::Timestamp now);
    [[nodiscard]] const Listener& listener_of(const Group& group);
    base::Result<model::Scope> scope_of(const model::Event& event, Unit& unit);
    void schedule(Group& group);
    void touch(Group& group);
    void look_again(Group& group, base::Timestamp at);
    void forget_idle(base::Timestamp now);
    void forget_group(Group& group);

    const ports::Subscribers& subscribers_;
    Settings& settings_;
    SessionBook& sessions_;
    Ledger& ledger_;
    std::size_t waiting_bytes_max_;

    std::unique_ptr<SubscriberSet> set_;
    std::unordered_map<std::string, std::unique_ptr<Group>> groups_;
    // By session, or by user without; in the order in which they were made, like all else here: two runs from one seed
    // must do the same, and addresses differ.
    std::unordered_map<std::string, std::map<std::uint64_t, Group*>> groups_of_queue_;
    std::set<std::tuple<base::Timestamp, std::uint64_t, Group*>> due_;
    std::set<std::tuple<base::Timestamp, std::uint64_t, Group*>> idle_;  // when to look whether it can be forgotten
    std::vector<Group*> touched_;                                        // since the last flush
    std::uint64_t next_serial_ = 1;
    std::vector<std::int64_t> gone_;  // ordinals of stored rows that left since the last flush
    std::int64_t next_waiting_ = 1;
    std::size_t waiting_bytes_ = 0;
    bool stale_ = true;
    bool used_ = false;                           // in this transaction
    std::unordered_set<std::string> complained_;  // of which subscribers' templates
    std::vector<std::string> complaints_;

    std::vector<std::uint32_t> found_;  // scratch
    std::string key_;
    std::string group_key_;
    Listener orphan_;  // stands in for a subscriber that is gone
    model::Subscriber orphan_subscriber_;
};

}  // namespace belfry::engine
