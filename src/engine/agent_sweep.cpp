#include "engine/agent_sweep.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "engine/agent_tombstone.hpp"
#include "model/sync.hpp"
#include "rules/timer.hpp"

namespace belfry::engine {

namespace limits = base::limits;

base::Result<bool> AgentSweep::go_on(Unit& unit) {
    const base::Timestamp older_than = unit.now - limits::wakes_kept;
    TRY_ASSIGN(const bool more_timers, drop_timers(older_than, unit));
    TRY_ASSIGN(const bool more_agents, drop_agents(older_than, unit));
    return more_timers || more_agents;
}

base::Result<bool> AgentSweep::drop_timers(base::Timestamp older_than, Unit& unit) {
    TRY_ASSIGN(const auto some, unit.store.timers().ended(timer_, limits::sweep_slice_rows));
    for (const model::AgentTimer& timer : some) {
        if (!rules::is_spent(timer, older_than)) continue;
        TRY(unit.store.timers().remove(timer.id));
        const std::pair<std::string, std::string> name(model::agent_timer_kind, base::format_uuid(timer.id.uuid));
        TRY(unit.store.sync().remove_notes(std::span(&name, 1)));
    }
    const bool goes_on = some.size() >= limits::sweep_slice_rows;
    timer_ = goes_on ? some.back().id : model::TimerId{};
    return goes_on;
}

base::Result<bool> AgentSweep::drop_agents(base::Timestamp older_than, Unit& unit) {
    TRY_ASSIGN(const auto some, unit.store.agents().lives(agent_, limits::sweep_slice_rows));
    // Another device may have destroyed it long ago: its user has the full time from when this device knows of it. A
    // clock that was ahead when the agent was destroyed does not count.
    const auto is_over = [&](const ports::AgentLife& life) {
        if (!life.destroyed_at) return false;
        const bool is_ahead = *life.destroyed_at > unit.now;
        return (is_ahead ? life.updated_at : std::max(*life.destroyed_at, life.updated_at)) < older_than;
    };
    std::vector<std::string> over;
    for (const ports::AgentLife& life : some) {
        if (is_over(life)) over.push_back(life.id);
    }
    // A device that is away, or a store that was made from a backup, still has the agent and would bring it back.
    if (!over.empty()) TRY(bury_agents(over, unit));
    std::uint64_t gone = 0;
    for (const ports::AgentLife& life : some) {
        if (is_over(life)) {
            TRY_ASSIGN(const std::uint64_t rows,
                       unit.store.agents().drop(life.id, limits::sweep_slice_rows - static_cast<std::size_t>(gone)));
            gone += rows;
            if (gone >= limits::sweep_slice_rows) return true;  // with the same one again
        }
        agent_ = life.id;
    }
    const bool goes_on = some.size() >= limits::sweep_slice_rows;
    if (!goes_on) agent_.clear();
    return goes_on;
}

}  // namespace belfry::engine
