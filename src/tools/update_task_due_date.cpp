#include "tools/catalogue.hpp"
#include "tools/task_fields.hpp"

namespace belfry::tools {

Tool update_task_due_date() {
    model::ToolContract contract;
    contract.name = "update_task_due_date";
    contract.description = "Says by which day a task is due, or that it is not: null.";
    contract.capabilities = {model::AgentCapability::task_write};
    contract.scope_rules = {model::ToolScopeRule::target_in_scope};
    contract.changed_kinds = {"task"};
    contract.changed_tokens = {"TASK"};
    return {std::move(contract), change_task};
}

}  // namespace belfry::tools
