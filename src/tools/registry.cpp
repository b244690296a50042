#include "tools/registry.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/assert.hpp"
#include "tools/catalogue.hpp"
#include "tools/tool_schemas.hpp"

namespace belfry::tools {
namespace {

// Without the line breaks that are there for people.
model::RawJson schema_of(const std::string& file) {
    const auto files = tool_schemas();
    const auto at = std::ranges::find(files, file, &EmbeddedFile::name);
    ASSERT(at != files.end());
    std::string text;
    bool is_quoted = false;
    for (std::size_t i = 0; i < at->content.size(); ++i) {
        const char c = at->content[i];
        if (c == '"' && (i == 0 || at->content[i - 1] != '\\')) is_quoted = !is_quoted;
        if (is_quoted || (c != '\n' && c != ' ')) text += c;
    }
    return model::RawJson::trusted(std::move(text));
}

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
        pin_day_plan_tasks(),
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
        tool.contract.input_schema = schema_of(tool.contract.name + ".input.json");
        tool.contract.output_schema = schema_of(tool.contract.name + ".output.json");
    }
    return tools;
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

}  // namespace belfry::tools
