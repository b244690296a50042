#include "tools/catalogue.hpp"
#include "tools/checklists.hpp"

namespace belfry::tools {
namespace {

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    constexpr auto kind = model::JournalKind::checklist;
    TRY_ASSIGN(const model::JournalRecord from, bench.find(kind, arguments.text("fromChecklistId"), "fromChecklistId"));
    ListedItems to;
    TRY_ASSIGN(to.checklist, bench.find(kind, arguments.text("toChecklistId"), "toChecklistId"));
    if (from.id == to.checklist.id) return arguments.wrong("toChecklistId", "is where they are already");
    TRY_ASSIGN(const Records items, named_items(bench, arguments));
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (std::get<model::ChecklistItem>(items[i].body).checklist_id == from.id) continue;
        return arguments.wrong("itemIds[" + std::to_string(i) + ']', "is not of fromChecklistId");
    }
    const Checks checks = arguments.flag("preserveCheckedState", true) ? Checks::kept : Checks::taken_away;
    TRY_ASSIGN(to.items, move_items(bench, items, to.checklist, checks));
    return checklist_answer(to);
}

}  // namespace

Tool move_checklist_items() {
    model::ToolContract contract;
    contract.name = "move_checklist_items";
    contract.description =
        "Moves items from one checklist to the end of another, of the same task or another. Says those that were "
        "moved.";
    contract.capabilities = {model::AgentCapability::checklist_write};
    contract.scope_rules = {model::ToolScopeRule::both_sides_in_scope};
    contract.changed_kinds = {"checklist_item"};
    contract.changed_tokens = {"CHECKLIST_ITEM"};
    contract.risk = model::ToolRisk::high;
    return {std::move(contract), run, true};
}

}  // namespace belfry::tools
