#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ports/commands/agents.hpp"
#include "ports/commands/intake.hpp"
#include "ports/commands/runs.hpp"
#include "ports/commands/wakes.hpp"
#include "sim/changes_witness.hpp"
#include "sim/memory_witness.hpp"
#include "sim/timers_witness.hpp"
#include "sim/wake_look.hpp"
#include "sim/wishes_witness.hpp"

namespace belfry::sim {

// Keeps a book of agents and their wakes from what was asked and answered, and compares it with the store after each
// step. An accepted wake never vanishes and never changes after its end; none of its keys is there twice or completes
// twice; an agent works on one at a time, all together on so many; who has no claim changes nothing; what was destroyed
// does not run; and every reason to wake is there once.
class WakesWitness {
public:
    WakesWitness(std::int64_t running_max, const MadeUpZones& zones) : running_max_(running_max), timers_(zones) {}

    // What became of a command of a group, each in its turn.
    void heard(const ports::Command& command, base::Timestamp now);
    void unheard(const ports::Command& command);
    // The clock's work was done; or it was tried, and nobody knows how far it came.
    void tended(base::Timestamp now, bool is_done);
    void restarted();
    // The engine works from now on: claims that had run out by then could not be renewed.
    void opened(base::Timestamp now);
    // What is left of every pause, window and lease stays what it is; the store hears of it when a wake is written.
    void clock_was_set_back(base::Duration by);
    // The engine was told that the clock jumped. Leases may go on by that much, if the clock was set back before.
    void clock_was_set_ahead(base::Duration by);

    // Reads the store and compares. An error is the store's.
    base::Result<void> compare(store::SqlStore& store, base::Timestamp now);
    // All that ever was, and what agents remember.
    base::Result<void> compare_all(store::SqlStore& store, base::Timestamp now);
    Complaints drain() { return std::exchange(complaints_, {}); }

    // Whether the engine will look in time at what has one, by when it says that it looks next.
    void compare_due(std::optional<base::Timestamp> next_due, base::Timestamp behind_until);

    [[nodiscard]] const std::map<model::WakeId, model::Wake>& open() const { return open_; }
    [[nodiscard]] const std::map<std::string, model::AgentRecord>& agents() const { return agents_; }
    [[nodiscard]] const std::map<model::SubscriptionId, model::WakeSubscription>& rules() const { return rules_; }
    [[nodiscard]] const TimersWitness& timers() const { return timers_; }
    struct Sums {
        std::uint64_t wakes = 0;
        std::uint64_t completed = 0;
        std::uint64_t retried = 0;
        std::uint64_t stale = 0;  // words that were refused for their claim
        std::uint64_t fired = 0;
        std::uint64_t catch_ups = 0;
        std::uint64_t changes_told = 0;
        std::uint64_t events_told = 0;
        std::uint64_t dormant = 0;
    };
    [[nodiscard]] const Sums& sums() const { return sums_; }

private:
    struct Words {  // that workers said and nobody heard the answer of
        bool ended_well = false;
        bool ended_badly = false;
        bool gave_up = false;
        bool renewed = false;
        bool cancelled = false;
    };

    void complain(std::string what) { complaints_.push_back(std::move(what)); }
    [[nodiscard]] model::Wake* find(model::WakeId id);
    // The first and the last instant at which its lease may end. They differ after a step of the clock: the engine goes
    // by the time that was left, and after a restart by what is stored.
    [[nodiscard]] base::Timestamp lease_end(const model::Wake& wake) const;
    [[nodiscard]] base::Timestamp lease_end_latest(const model::Wake& wake) const;
    // By how much stored waits may have become longer since the last look, because the clock jumped.
    [[nodiscard]] base::Duration jump_max(base::Timestamp now) const;
    [[nodiscard]] bool is_moved_by_clock(const model::Wake& before, const model::Wake& wake, base::Timestamp now) const;
    // Of a word of a worker: whether it was rightly taken or refused. True: it was taken.
    template <class C>
    bool is_held(const char* what, const C& command, model::WakeId id, base::Timestamp now);

    void heard(const ports::WakeAgent& command, base::Timestamp now);
    void heard(const ports::ClaimWake& command, base::Timestamp now);
    void heard(const ports::RenewWake& command, base::Timestamp now);
    void heard(const ports::EndWake& command, base::Timestamp now);
    void heard(const ports::CancelWake& command);
    void heard(const ports::CancelRun& command);
    void heard(const ports::EmitEvents& command);
    void heard_of_agents(const ports::Command& command, base::Timestamp now);
    void granted(const ports::WakeGrant& grant, const ports::ClaimWake& command, base::Timestamp now);
    void agent_is(const model::AgentRecord& record);
    void failed(const std::string& agent_id);
    void blur_waiting(const std::string& agent_id);

    void take(model::Wake wake);
    void ended(const model::Wake& wake);
    base::Result<void> meet(store::SqlStore& store, WakeLook& look, std::vector<model::Wake>& found);
    void compare_wake(const model::Wake& before, const model::Wake& wake, const WakeLook& look);
    void compare_end(const model::Wake& before, const model::Wake& wake, const WakeLook& look);
    void compare_new(const model::Wake& wake);
    void compare_flight(const WakeLook& look);
    void compare_agents(const WakeLook& look);
    base::Result<void> read_signals(store::SqlStore& store, const model::Wake& wake, WakeLook& look);
    base::Result<void> compare_run(store::SqlStore& store, const model::Wake& wake);
    base::Result<void> compare_wakes(store::SqlStore& store, WakeLook& look);
    void compare_rules(const WakeLook& look);
    void compare_reasons(const WakeLook& look);
    [[nodiscard]] bool has_moved_wish(const SignalName& name, const WakeLook& look) const;

    std::int64_t running_max_;
    base::Timestamp latest_;  // that the clock ever was
    base::Timestamp opened_at_;
    std::map<std::string, model::AgentRecord> agents_;
    std::map<std::string, std::vector<model::AgentRecord>> seen_;  // what they were since the last look
    std::map<model::SubscriptionId, model::WakeSubscription> rules_;
    std::map<model::WakeId, model::Wake> open_;
    std::map<model::WakeId, model::Wake> ended_;
    std::map<std::string, model::WakeId> keys_;
    std::set<std::string> completed_;
    std::vector<model::WakeId> ended_now_;  // since the last look
    model::WakeId looked_to_ = 0;
    std::map<model::WakeId, std::int64_t> signals_read_;
    std::map<SignalName, model::WakeId> signals_;
    std::set<SignalName> expected_;

    std::set<model::WakeId> blurred_;  // changed by what a command did beside its answer
    std::set<model::WakeId> cancelled_;
    std::map<model::WakeId, Words> words_;
    std::map<model::WakeId, base::Duration> set_back_;  // the clock, since a wake was written
    bool was_set_back_ = false;                         // the clock, ever
    base::Duration jumped_;                             // the clock, since the last look
    base::Timestamp changed_at_;                        // the last look that showed a commit
    bool is_changed_ = false;                           // since the last look
    std::map<std::string, std::int64_t> streaks_;
    std::set<std::string> unsure_agents_;
    bool is_certain_ = true;
    bool was_tended_ = false;
    bool is_restarted_ = false;
    bool folds_ = false;
    bool wakes_by_hand_ = false;
    bool claims_ = false;

    TimersWitness timers_;
    WishesWitness wishes_;
    ChangesWitness changes_;
    MemoryWitness memory_;
    Complaints complaints_;
    Sums sums_;
};

}  // namespace belfry::sim
