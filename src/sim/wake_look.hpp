#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "model/agent.hpp"
#include "model/change_log.hpp"
#include "model/timer.hpp"
#include "model/wake.hpp"
#include "store/sql_store.hpp"

namespace belfry::sim {

using Complaints = std::vector<std::string>;

// What the store holds of agents at one moment, and what the witnesses know about how it came to be so.
struct WakeLook {
    base::Timestamp now;
    bool is_certain = false;  // nothing was done since the last look that was not heard of
    bool was_tended = false;  // all that is due was seen to, just now
    std::map<std::string, model::AgentRecord> agents;
    std::map<model::SubscriptionId, model::WakeSubscription> rules;
    std::map<model::TimerId, model::AgentTimer> timers;
    std::map<model::WakeId, model::Wake> open;
    std::vector<model::Change> unbatched;
    std::vector<model::WakeSignal> signals;  // that were not there at the last look
    std::vector<model::WakeSignal> moved;    // that were, in a wake that was folded into theirs
};

base::Result<WakeLook> look_at_wakes(store::SqlStore& store, base::Timestamp now);

}  // namespace belfry::sim
