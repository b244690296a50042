#pragma once

#include "tools/tool.hpp"

// One file a tool. Their schemas lie in docs/agent_tools/schemas and are put in by the registry.
namespace belfry::tools {

Tool annotate_time_entry();
Tool create_or_update_rating();
Tool create_retrospective_time_entry();
Tool create_task();
Tool get_or_create_day_plan();
Tool get_rating_for_target();
Tool get_ratings_summary();
Tool list_allowed_categories();
Tool list_tasks_in_scope();
Tool notify_self();
Tool pin_day_plan_tasks();
Tool replan_day_blocks();
Tool resolve_task_reference();
Tool start_task_timer();
Tool stop_task_timer();
Tool upsert_day_plan_blocks();

}  // namespace belfry::tools
