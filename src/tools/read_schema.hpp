#pragma once

#include <string>

#include "model/raw_json.hpp"

namespace belfry::tools {

// The schemas of a tool's arguments and of what it says, as docs/agent_tools/schemas has them, in one line.
[[nodiscard]] model::RawJson input_schema_of(const std::string& tool);
[[nodiscard]] model::RawJson output_schema_of(const std::string& tool);

}  // namespace belfry::tools
