#pragma once

#include <string>

#include "engine/capability.hpp"
#include "engine/change_log.hpp"
#include "model/agent.hpp"
#include "model/wake.hpp"

// What agents are woken by, as changes that other devices are told of. They wake nobody.
namespace belfry::engine {

// One that was made (`before` is null), or is another than before.
void note_rule(const model::WakeSubscription* before, const model::WakeSubscription& after, const std::string& user_id,
               ChangeLog& log);
// One that is deleted: its tombstone is kept.
base::Result<void> bury_rule(const model::WakeSubscription& rule, const std::string& user_id, ChangeLog& log,
                             Unit& unit);
// All of an agent that is destroyed.
base::Result<void> bury_rules(const model::Agent& agent, ChangeLog& log, Unit& unit);

}  // namespace belfry::engine
