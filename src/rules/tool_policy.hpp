#pragma once

#include <string_view>

#include "model/agent.hpp"
#include "model/tool.hpp"

namespace belfry::rules {

// What becomes of an agent's call of a tool: as its person has said for this one, by its name before `*`; where he said
// nothing, it is done. Nobody is asked about a call that changes nothing, nor about what only concerns the agent itself
// (say, set_state, sleep, belfry_ack, notify_self). `contract`: null where it has none.
[[nodiscard]] model::ToolPolicy policy_of(const model::Agent& agent, std::string_view tool_name,
                                          const model::ToolContract* contract, model::JsonView arguments);

}  // namespace belfry::rules
