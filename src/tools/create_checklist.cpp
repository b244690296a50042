#include "tools/catalogue.hpp"
#include "tools/checklists.hpp"

namespace belfry::tools {
namespace {

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    TRY_ASSIGN(const model::JournalRecord task,
               bench.find(model::JournalKind::task, arguments.text("taskId"), "taskId"));
    ListedItems list;
    TRY_ASSIGN(list.checklist, make_checklist(bench, task.id, arguments.text("title")));
    TRY_ASSIGN(list.items, make_items(bench, list.checklist, arguments.objects("items")));
    return checklist_answer(list);
}

}  // namespace

Tool create_checklist() {
    model::ToolContract contract;
    contract.name = "create_checklist";
    contract.description = "Makes a checklist of a task, with its items.";
    contract.capabilities = {model::AgentCapability::checklist_write};
    contract.scope_rules = {model::ToolScopeRule::target_in_scope};
    contract.changed_kinds = {"checklist", "checklist_item"};
    contract.changed_tokens = {"CHECKLIST", "CHECKLIST_ITEM"};
    return {std::move(contract), run, true};
}

}  // namespace belfry::tools
