#pragma once

#include "tools/tool.hpp"

// One file a tool. Their schemas lie in docs/agent_tools/schemas and are put in by the registry.
namespace belfry::tools {

Tool add_multiple_checklist_items();
Tool assign_task_labels();
Tool conclude_task_with_rollover();
Tool create_checklist();
Tool create_follow_up_task();
Tool create_task();
Tool list_tasks_in_scope();
Tool move_checklist_items();
Tool move_checklist_items_to_new_task();
Tool set_task_language();
Tool update_checklist_items();
Tool update_task_due_date();
Tool update_task_estimate();
Tool update_task_fields();
Tool update_task_priority();

}  // namespace belfry::tools
