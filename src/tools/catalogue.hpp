#pragma once

#include "tools/tool.hpp"

// One file a tool. Their schemas lie in docs/agent_tools/schemas and are put in by the registry.
namespace belfry::tools {

Tool add_multiple_checklist_items();
Tool annotate_time_entry();
Tool assign_task_labels();
Tool conclude_task_with_rollover();
Tool create_checklist();
Tool create_follow_up_task();
Tool create_or_update_rating();
Tool create_retrospective_time_entry();
Tool create_task();
Tool get_or_create_day_plan();
Tool get_rating_for_target();
Tool get_ratings_summary();
Tool list_allowed_categories();
Tool list_tasks_in_scope();
Tool move_checklist_items();
Tool move_checklist_items_to_new_task();
Tool notify_self();
Tool open_summary();
Tool pin_day_plan_tasks();
Tool recall();
Tool replan_day_blocks();
Tool resolve_task_reference();
Tool set_task_language();
Tool start_task_timer();
Tool stop_task_timer();
Tool update_checklist_items();
Tool update_task_due_date();
Tool update_task_estimate();
Tool update_task_fields();
Tool update_task_priority();
Tool upsert_day_plan_blocks();

}  // namespace belfry::tools
