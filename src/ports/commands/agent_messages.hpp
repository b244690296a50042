#pragma once

#include <vector>

#include "model/agent_message.hpp"
#include "ports/commands/command.hpp"

// What whoever works for an agent adds to what it remembers, into the thread of the wake that he holds. Fenced by his
// claim: `conflict` with the reason `stale_claim` where somebody else has it by now, or it has ended.
namespace belfry::ports {

struct AppendedMessages {
    std::vector<model::AgentMessage> messages;  // as many as were given, each as it is there now
    std::size_t added = 0;                      // how many of them were not there before
};

// All of them or none. One that is there already under its id, or as the action of its operation, or as the same result
// of its action, is not added again. `conflict` with a reason: `taken` where something else has the id,
// `operation_taken` where another action has the operation, `not_planned` where it is not what the plan has there,
// `answered` where the action has another result.
struct AppendAgentMessages final : CommandOf<AppendedMessages> {
    model::WakeId id = 0;
    std::int64_t fence = 0;
    std::vector<model::AgentMessage> drafts;
};

struct StoredPlan {
    model::PlanNow plan;
    bool is_new = true;  // false: the round had one, which is the reply, whatever was asked for
};

// Before the first effect of the round. `conflict` with the reason `round` where the one before it has no plan.
struct StorePlan final : CommandOf<StoredPlan> {
    model::WakeId id = 0;
    std::int64_t fence = 0;
    std::int64_t round = 1;
    std::vector<model::PlannedAction> actions;
};

}  // namespace belfry::ports
