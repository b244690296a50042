#include "tools/catalogue.hpp"
#include "tools/task_fields.hpp"

namespace belfry::tools {

Tool set_task_language() {
    model::ToolContract contract;
    contract.name = "set_task_language";
    contract.description = "Says in which language a task is written.";
    contract.capabilities = {model::AgentCapability::task_write};
    contract.scope_rules = {model::ToolScopeRule::target_in_scope};
    contract.changed_kinds = {"task"};
    contract.changed_tokens = {"TASK"};
    return {std::move(contract), change_task};
}

}  // namespace belfry::tools
