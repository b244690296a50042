#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/agent.hpp"
#include "model/wake.hpp"

namespace belfry::ports {

// Whether an agent is still there.
struct AgentLife {
    std::string id;
    std::optional<base::Timestamp> destroyed_at;
    base::Timestamp updated_at = {};  // of its state, on this device

    bool operator==(const AgentLife&) const = default;
};

// Agents as the engine's thread sees them: each with its state and what it does here.
class AgentTable {
public:
    virtual ~AgentTable() = default;
    // Those of these ids that are there, destroyed ones too, in any order.
    virtual base::Result<std::vector<model::AgentRecord>> find(std::span<const std::string> ids) = 0;
    // Inserts or replaces.
    virtual base::Result<void> put(std::span<const model::AgentRecord> records) = 0;
    virtual base::Result<std::int64_t> count(std::string_view user_id) = 0;

    // All subscriptions, by id; for the index in memory.
    virtual base::Result<std::vector<model::WakeSubscription>> load_subscriptions() = 0;
    virtual base::Result<std::optional<model::WakeSubscription>> find_subscription(const model::SubscriptionId& id) = 0;
    virtual base::Result<std::vector<model::WakeSubscription>> subscriptions_of(std::string_view agent_id) = 0;
    virtual base::Result<void> put_subscription(const model::WakeSubscription& subscription) = 0;
    virtual base::Result<bool> remove_subscription(const model::SubscriptionId& id) = 0;

    // Of all agents, by id, those after this one.
    virtual base::Result<std::vector<AgentLife>> lives(std::string_view after, std::size_t limit) = 0;
    // A slice of what one agent was, its memory first; how many rows went, 0 when there are none left. It is there
    // itself as long as one of its wakes is.
    virtual base::Result<std::uint64_t> drop(std::string_view agent_id, std::size_t limit) = 0;

    // A slice of what belongs to a user's agents; how many rows went, 0 when there are none left.
    virtual base::Result<std::uint64_t> erase_user(std::string_view user_id, std::size_t limit) = 0;
};

// The queue of wakes, and the record of those that were.
class WakeTable {
public:
    virtual ~WakeTable() = default;
    // Those that have not ended, by id.
    virtual base::Result<std::vector<model::Wake>> load_open() = 0;
    // The largest id that is there; 0: there is none.
    virtual base::Result<model::WakeId> last_id() = 0;
    virtual base::Result<std::optional<model::Wake>> find(model::WakeId id) = 0;
    virtual base::Result<std::optional<model::Wake>> find_key(std::string_view run_key) = 0;
    // Inserts or replaces.
    virtual base::Result<void> put(std::span<const model::Wake> wakes) = 0;
    virtual base::Result<void> add_signals(std::span<const model::WakeSignal> signals) = 0;
    // Of one wake, in their order; after this ordinal.
    virtual base::Result<std::vector<model::WakeSignal>> signals(model::WakeId id, std::int64_t after,
                                                                 std::size_t limit) = 0;
    // The signals of one become those of another, after those that it has.
    virtual base::Result<void> move_signals(model::WakeId from, model::WakeId to, std::int64_t after) = 0;
    virtual base::Result<void> remove_signals(model::WakeId id) = 0;
    virtual base::Result<std::uint64_t> drop_ended(base::Timestamp older_than, std::size_t limit) = 0;
};

struct AgentFilter {
    std::string user_id;  // empty fields do not narrow
    std::optional<model::AgentLifecycle> lifecycle;
    std::string after;  // the last id of the page before
    std::size_t limit = 0;
};

struct WakeFilter {
    std::string user_id;
    std::string agent_id;
    std::optional<model::WakeState> state;
    bool open = false;        // only those that have not ended
    model::WakeId after = 0;  // the last id of the page before; 0: from the newest on
    std::size_t limit = 0;
};

// Reading beside the engine.
class AgentReading {
public:
    virtual ~AgentReading() = default;
    virtual base::Result<std::optional<model::AgentRecord>> find(std::string_view id) = 0;
    // By id.
    virtual base::Result<std::vector<model::AgentRecord>> list(const AgentFilter& filter) = 0;
    virtual base::Result<std::vector<model::WakeSubscription>> subscriptions(std::string_view agent_id) = 0;
    virtual base::Result<std::optional<model::Wake>> wake(model::WakeId id) = 0;
    // Newest first.
    virtual base::Result<std::vector<model::Wake>> wakes(const WakeFilter& filter) = 0;
    virtual base::Result<std::vector<model::WakeSignal>> signals(model::WakeId id, std::int64_t after,
                                                                 std::size_t limit) = 0;
    // Returns the ids, from the first to the last one, of agents that have a wake in the queue.
    virtual base::Result<std::set<std::string>> queued(std::string_view first, std::string_view last) = 0;
};

}  // namespace belfry::ports
