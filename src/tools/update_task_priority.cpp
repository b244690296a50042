#include "tools/catalogue.hpp"
#include "tools/task_fields.hpp"

namespace belfry::tools {

Tool update_task_priority() {
    model::ToolContract contract;
    contract.name = "update_task_priority";
    contract.description = "Says how important a task is: p0 is the most, p3 the least.";
    contract.capabilities = {model::AgentCapability::task_write};
    contract.scope_rules = {model::ToolScopeRule::target_in_scope};
    contract.changed_kinds = {"task"};
    contract.changed_tokens = {"TASK"};
    return {std::move(contract), change_task};
}

}  // namespace belfry::tools
