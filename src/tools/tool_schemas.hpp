#pragma once

#include <span>
#include <string_view>

namespace belfry::tools {

struct EmbeddedFile {
    std::string_view name;  // `create_task.input.json`
    std::string_view content;
};

// The files of docs/agent_tools/schemas, carried by the binary.
std::span<const EmbeddedFile> tool_schemas();

}  // namespace belfry::tools
