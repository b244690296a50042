#include "sim/wake_look.hpp"

#include <memory>
#include <set>
#include <span>

#include "sim/borrowed_database.hpp"
#include "store/sql_reading.hpp"

namespace belfry::sim {
namespace {

constexpr std::size_t all = 100'000;

}  // namespace

base::Result<WakeLook> look_at_wakes(store::SqlStore& store, base::Timestamp now) {
    WakeLook look;
    look.now = now;
    store::SqlReading reading(std::make_unique<BorrowedDatabase>(store.database()), "simulated");
    ports::AgentFilter every_agent;
    every_agent.limit = all;
    TRY_ASSIGN(auto agents, reading.agents().list(every_agent));
    std::set<std::string> users;
    for (model::AgentRecord& one : agents) {
        users.insert(one.agent.user_id);
        std::string id = one.agent.id;
        // A wish is known by the time in the record, also where this device goes by another time.
        TRY_ASSIGN(const auto records, store.agents().find(std::span(&id, 1)));
        if (!records.empty()) {
            const model::AgentState& record = records.front().state;
            look.said[id] = {{record.next_wake_at, one.state.next_wake_at},
                             {record.sleep_until, one.state.sleep_until}};
            one.state.next_wake_at = record.next_wake_at;
        }
        look.agents.emplace(std::move(id), std::move(one));
    }
    TRY_ASSIGN(auto rules, store.agents().load_subscriptions());
    for (model::WakeSubscription& one : rules) look.rules.emplace(one.id, std::move(one));
    ports::TimerFilter every_timer;
    every_timer.limit = all;
    TRY_ASSIGN(auto timers, reading.timers().list(every_timer));
    for (model::AgentTimer& one : timers) look.timers.emplace(one.id, std::move(one));
    TRY_ASSIGN(auto open, store.wakes().load_open());
    for (model::Wake& one : open) look.open.emplace(one.id, std::move(one));
    for (const std::string& user : users) {
        TRY_ASSIGN(auto changes, store.changes().unbatched_of(user, false, all));
        for (model::Change& one : changes) look.unbatched.push_back(std::move(one));
    }
    return look;
}

}  // namespace belfry::sim
