#include "tools/catalogue.hpp"
#include "tools/checklists.hpp"

namespace belfry::tools {
namespace {

constexpr const char* title_default = "Checklist";

// The one that is named, or the first of the task, which is made where it has none.
base::Result<model::JournalRecord> checklist_for(Bench& bench, const Arguments& arguments) {
    if (arguments.has("checklistId")) {
        if (arguments.has("taskId")) return arguments.wrong("taskId", "does not go with a checklistId");
        return bench.find(model::JournalKind::checklist, arguments.text("checklistId"), "checklistId");
    }
    if (!arguments.has("taskId")) return arguments.wrong("taskId", "must be given, or a checklistId");
    TRY_ASSIGN(const model::JournalRecord task,
               bench.find(model::JournalKind::task, arguments.text("taskId"), "taskId"));
    TRY_ASSIGN(Records there, checklists_of(bench, task.id));
    if (!there.empty()) return std::move(there.front());
    return make_checklist(bench, task.id, title_default);
}

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    ListedItems added;
    TRY_ASSIGN(added.checklist, checklist_for(bench, arguments));
    TRY_ASSIGN(added.items, make_items(bench, added.checklist, arguments.objects("items")));
    return checklist_answer(added);
}

}  // namespace

Tool add_multiple_checklist_items() {
    model::ToolContract contract;
    contract.name = "add_multiple_checklist_items";
    contract.description =
        "Adds items to a checklist, or to the first one of a task, which is made where it has none. Says the new ones.";
    contract.capabilities = {model::AgentCapability::checklist_write};
    contract.scope_rules = {model::ToolScopeRule::target_in_scope};
    contract.changed_kinds = {"checklist", "checklist_item"};
    contract.changed_tokens = {"CHECKLIST", "CHECKLIST_ITEM"};
    return {std::move(contract), run, true};
}

}  // namespace belfry::tools
