#pragma once

#include <string>

#include "engine/capability.hpp"
#include "model/timer.hpp"

namespace belfry::engine {

// Goes through what agents leave behind and lets go of what is old: one-shot timers that have fired, and agents that
// were destroyed, with what they remembered. A round takes as many slices as there are rows to look at.
class AgentSweep {
public:
    // One slice; whether the round goes on.
    base::Result<bool> go_on(Unit& unit);

private:
    base::Result<bool> drop_timers(base::Timestamp older_than, Unit& unit);
    base::Result<bool> drop_agents(base::Timestamp older_than, Unit& unit);

    // Where the next slice begins. What a transaction that was dropped has passed over is found in the next round.
    model::TimerId timer_;
    std::string agent_;
};

}  // namespace belfry::engine
