#pragma once

#include <span>
#include <vector>

#include "model/agent.hpp"
#include "model/chat.hpp"
#include "model/tool.hpp"
#include "model/wake.hpp"

namespace belfry::rules {

// Those of the tools that this agent may use in such a run, as a language model is told of them: without the argument
// by which a repeated call is known, for its plan names each call; without `say`, for its words are heard anyway;
// `belfry_ack` only where something is to be acknowledged.
[[nodiscard]] std::vector<model::ChatTool> tools_for_model(std::span<const model::ToolContract> tools,
                                                           const model::Agent& agent, model::WakeReason reason,
                                                           bool with_acknowledge);
// The same of tools of others; whether the agent may use them was asked before.
void offer_outside_tools(std::vector<model::ChatTool>& offered, std::span<const model::ToolInfo> tools);

}  // namespace belfry::rules
