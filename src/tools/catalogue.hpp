#pragma once

#include "tools/tool.hpp"

// One file a tool. Their schemas lie in docs/agent_tools/schemas and are put in by the registry.
namespace belfry::tools {

Tool create_task();
Tool list_tasks_in_scope();

}  // namespace belfry::tools
