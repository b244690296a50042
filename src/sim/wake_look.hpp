#pragma once

#include <map>
#include <optional>
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

// A wake time or a sleep of an agent: the record has what was said, and this device goes by the other time.
struct SaidTime {
    std::optional<base::Timestamp> record;
    std::optional<base::Timestamp> here;
};

// What the store holds of agents at one moment, and what the witnesses know about how it came to be so.
struct WakeLook {
    base::Timestamp now;
    bool is_certain = false;  // nothing was done since the last look that was not heard of
    bool was_tended = false;  // all that is due was seen to, just now
    std::map<std::string, model::AgentRecord> agents;
    struct SaidTimes {
        SaidTime wake;
        SaidTime sleep;
    };
    std::map<std::string, SaidTimes> said;  // by the agent's id
    std::map<model::SubscriptionId, model::WakeSubscription> rules;
    std::map<model::TimerId, model::AgentTimer> timers;
    std::map<model::WakeId, model::Wake> open;
    std::vector<model::Change> unbatched;
    std::vector<model::WakeSignal> signals;      // that were not there at the last look
    std::vector<model::WakeSignal> moved;        // that were, in a wake that was folded into theirs
    std::map<model::WakeId, std::string> woken;  // whose wakes have these signals

    [[nodiscard]] std::string agent_of(model::WakeId id) const {
        const auto at = woken.find(id);
        return at == woken.end() ? std::string() : at->second;
    }
};

base::Result<WakeLook> look_at_wakes(store::SqlStore& store, base::Timestamp now);

}  // namespace belfry::sim
