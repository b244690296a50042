#pragma once

#include <string_view>

#include "model/agent.hpp"
#include "model/agent_message.hpp"
#include "model/interaction.hpp"
#include "model/wake.hpp"

// What a person is asked before an agent's call of a tool is done.
namespace belfry::rules {

// The same for the same operation of an agent, however often it is called.
[[nodiscard]] model::InteractionId question_id(std::string_view agent_id, std::string_view operation_id);

// Arguments that are too long for a question are left out of it.
[[nodiscard]] model::Interaction question_of(const model::InteractionId& id, const model::Agent& agent,
                                             const model::Wake& wake, const model::PlannedAction& action);

}  // namespace belfry::rules
