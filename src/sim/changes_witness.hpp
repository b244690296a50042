#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "sim/wake_look.hpp"

namespace belfry::sim {

// Remembers changes of records from their first sight on, and sees that each of them is told once to every rule that is
// about it; and that no agent counts a change as processed for which it has still to wake.
class ChangesWitness {
public:
    // `before`: agents and rules as they were known before.
    void compare(const WakeLook& look, const std::map<std::string, model::AgentRecord>& agents_before,
                 const std::map<model::SubscriptionId, model::WakeSubscription>& rules_before, Complaints& complaints);

private:
    using Told = std::pair<std::string, std::uint64_t>;  // a rule, and a change by its counter

    void carry(const model::WakeSignal& signal);
    void compare_processed(const model::AgentRecord& before, const model::AgentRecord& agent, const WakeLook& look,
                           Complaints& complaints) const;

    std::map<std::int64_t, model::Change> waiting_;  // for their batch, by number
    std::set<Told> told_;
    std::map<model::WakeId, std::uint64_t> first_;  // the first change that a wake is there for
};

}  // namespace belfry::sim
