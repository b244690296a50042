#pragma once

#include <string>
#include <string_view>

namespace belfry::rules {

// A source as people read it: `tool_executor` is Tool Executor, `ci` is Ci, `GitHub Actions` stays as it is.
std::string display_source(std::string_view source);

}  // namespace belfry::rules
