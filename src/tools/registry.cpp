#include "tools/registry.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "tools/catalogue.hpp"
#include "tools/house_contracts.hpp"
#include "tools/read_schema.hpp"

namespace belfry::tools {
namespace {

std::vector<Tool> make_all() {
    std::vector<Tool> tools{
        add_multiple_checklist_items(),
        annotate_time_entry(),
        assign_task_labels(),
        conclude_task_with_rollover(),
        create_checklist(),
        create_follow_up_task(),
        create_or_update_rating(),
        create_retrospective_time_entry(),
        create_task(),
        get_or_create_day_plan(),
        get_rating_for_target(),
        get_ratings_summary(),
        list_allowed_categories(),
        list_tasks_in_scope(),
        move_checklist_items(),
        move_checklist_items_to_new_task(),
        notify_self(),
        open_summary(),
        pin_day_plan_tasks(),
        recall(),
        replan_day_blocks(),
        resolve_task_reference(),
        set_task_language(),
        start_task_timer(),
        stop_task_timer(),
        update_checklist_items(),
        update_task_due_date(),
        update_task_estimate(),
        update_task_fields(),
        update_task_priority(),
        upsert_day_plan_blocks(),
    };
    std::ranges::sort(tools, {}, [](const Tool& tool) -> const std::string& { return tool.contract.name; });
    for (Tool& tool : tools) {
        tool.contract.input_schema = input_schema_of(tool.contract.name);
        tool.contract.output_schema = output_schema_of(tool.contract.name);
    }
    return tools;
}

std::vector<model::ToolContract> make_contracts() {
    std::vector<model::ToolContract> contracts = house_contracts();
    for (const Tool& tool : all_tools()) contracts.push_back(tool.contract);
    std::ranges::sort(contracts, {}, &model::ToolContract::name);
    return contracts;
}

}  // namespace

std::span<const Tool> all_tools() {
    static const std::vector<Tool> tools = make_all();
    return tools;
}

const Tool* find_tool(std::string_view name) {
    const auto tools = all_tools();
    const auto at = std::ranges::lower_bound(tools, name, {},
                                             [](const Tool& tool) -> std::string_view { return tool.contract.name; });
    return at != tools.end() && at->contract.name == name ? &*at : nullptr;
}

std::span<const model::ToolContract> all_contracts() {
    static const std::vector<model::ToolContract> contracts = make_contracts();
    return contracts;
}

const model::ToolContract* find_contract(std::string_view name) {
    const auto contracts = all_contracts();
    const auto at = std::ranges::lower_bound(
        contracts, name, {}, [](const model::ToolContract& one) -> std::string_view { return one.name; });
    return at != contracts.end() && at->name == name ? &*at : nullptr;
}

}  // namespace belfry::tools
