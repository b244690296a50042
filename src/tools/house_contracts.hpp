#pragma once

#include <vector>

#include "model/tool.hpp"

namespace belfry::tools {

// The tools that concern the agent and its person, not the journal: rules/house_tool.hpp reads their calls, and the
// engine does them.
[[nodiscard]] std::vector<model::ToolContract> house_contracts();

}  // namespace belfry::tools
