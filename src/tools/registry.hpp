#pragma once

#include <span>
#include <string_view>

#include "tools/tool.hpp"

// All tools of Belfry's own that work on the journal.
namespace belfry::tools {

// By name.
[[nodiscard]] std::span<const Tool> all_tools();
// Null where there is none of this name.
[[nodiscard]] const Tool* find_tool(std::string_view name);

}  // namespace belfry::tools
