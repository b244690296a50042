#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/agent.hpp"
#include "model/agent_message.hpp"

// What a message of an agent must be, field by field, and which result belongs to which action.
namespace belfry::rules {

// Checks a draft of whoever works for this agent, and fills in what was left out: the hash of an action's arguments,
// the scope of the agent, about how many model tokens it takes. An error names the field and its limit.
base::Result<void> check_message(model::AgentMessage& draft, const model::Agent& agent);

// Checks the actions of a round and gives them their ordinals, after so many of the rounds before, their operations and
// hashes.
base::Result<void> check_plan(std::vector<model::PlannedAction>& actions, std::string_view run_key,
                              std::int64_t actions_before);

// An action that names an operation of the plan is that operation.
base::Result<void> check_planned(const model::PlannedAction& planned, const model::AgentMessage& action);
// The message that says that an action of the plan was done.
model::AgentMessage message_of(const model::PlannedAction& planned, const model::Agent& agent);

// What a result answers is an action, and of the same thread.
bool may_be_answered(const model::AgentMessage& action, std::string_view thread_id);

// Whether a draft, as it was checked, says what is there already.
bool is_same_message(const model::AgentMessage& there, const model::AgentMessage& draft);

}  // namespace belfry::rules
