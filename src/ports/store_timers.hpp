#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/timer.hpp"

namespace belfry::ports {

// An agent's own wish to be woken: `next_wake_at` of its state.
struct WakeWish {
    std::string agent_id;
    base::Timestamp at;

    bool operator==(const WakeWish&) const = default;
};

// Timers as the engine's thread sees them. What is not due is not looked at.
class TimerTable {
public:
    virtual ~TimerTable() = default;
    // Active ones whose `due_at` has come, the earliest first.
    virtual base::Result<std::vector<model::AgentTimer>> due(base::Timestamp now, std::size_t limit) = 0;
    // Wishes of agents whose time has come, the earliest first.
    virtual base::Result<std::vector<WakeWish>> due_wishes(base::Timestamp now, std::size_t limit) = 0;
    // When the next timer or wish is due; nothing: none ever.
    virtual base::Result<std::optional<base::Timestamp>> next_due() = 0;

    virtual base::Result<std::optional<model::AgentTimer>> find(const model::TimerId& id) = 0;
    // Returns the timers of these that are there.
    virtual base::Result<std::vector<model::AgentTimer>> find_all(std::span<const model::TimerId> ids) = 0;
    virtual base::Result<std::optional<model::AgentTimer>> find_name(std::string_view agent_id,
                                                                     std::string_view name) = 0;
    // Of those that fire any more, or rest.
    virtual base::Result<std::int64_t> count(std::string_view agent_id) = 0;
    // Inserts or replaces.
    virtual base::Result<void> put(std::span<const model::AgentTimer> timers) = 0;
    virtual base::Result<bool> remove(const model::TimerId& id) = 0;
    // Those of an agent do not fire any more.
    virtual base::Result<void> stop_agent(std::string_view agent_id, base::Timestamp now) = 0;
    // Those that do not fire any more, by id, after this one.
    virtual base::Result<std::vector<model::AgentTimer>> ended(const model::TimerId& after, std::size_t limit) = 0;
    // A slice of those of a user's agents; how many went, 0 when there are none left.
    virtual base::Result<std::uint64_t> erase_user(std::string_view user_id, std::size_t limit) = 0;
};

// Behind which timer a list goes on. It may be gone by then, or have fired.
struct TimerPlace {
    std::optional<base::Timestamp> next_run_at;
    model::TimerId id;
};

struct TimerFilter {
    std::string user_id;  // empty fields do not narrow
    std::string agent_id;
    std::optional<TimerPlace> after;
    std::size_t limit = 0;
};

// Reading beside the engine.
class TimerReading {
public:
    virtual ~TimerReading() = default;
    virtual base::Result<std::optional<model::AgentTimer>> find(const model::TimerId& id) = 0;
    // Whichever fires next comes first, those that do not fire any more last.
    virtual base::Result<std::vector<model::AgentTimer>> list(const TimerFilter& filter) = 0;
};

}  // namespace belfry::ports
