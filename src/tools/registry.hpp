#pragma once

#include <span>
#include <string_view>

#include "tools/tool.hpp"

// All tools of Belfry's own.
namespace belfry::tools {

// Those that work on the journal, by name.
[[nodiscard]] std::span<const Tool> all_tools();
// Null where there is none of this name.
[[nodiscard]] const Tool* find_tool(std::string_view name);

// What is agreed on about all of them, by name: about those that concern the agent and its person, too, whose doing is
// the engine's (rules/house_tool.hpp).
[[nodiscard]] std::span<const model::ToolContract> all_contracts();
[[nodiscard]] const model::ToolContract* find_contract(std::string_view name);

}  // namespace belfry::tools
