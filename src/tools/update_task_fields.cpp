#include "tools/catalogue.hpp"
#include "tools/task_fields.hpp"

namespace belfry::tools {
namespace {

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    if (task_wish(arguments).is_empty()) return arguments.wrong("", "name at least one field that is to change");
    return change_task(bench, arguments);
}

}  // namespace

Tool update_task_fields() {
    model::ToolContract contract;
    contract.name = "update_task_fields";
    contract.description =
        "Changes several fields of a task at once. With categoryId it is moved, and all that belongs to it.";
    contract.capabilities = {model::AgentCapability::task_write};
    contract.scope_rules = {model::ToolScopeRule::both_sides_in_scope};
    contract.changed_kinds = {"task", "checklist", "checklist_item", "time_entry", "rating"};
    contract.changed_tokens = {"TASK", "CHECKLIST", "CHECKLIST_ITEM", "TIME_ENTRY", "RATING"};
    contract.risk = model::ToolRisk::medium;
    contract.high_risk_with = {"categoryId"};
    return {std::move(contract), run, true};
}

}  // namespace belfry::tools
