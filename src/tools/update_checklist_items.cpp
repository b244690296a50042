#include "tools/catalogue.hpp"
#include "tools/checklists.hpp"
#include "tools/wish_of.hpp"

namespace belfry::tools {
namespace {

using model::ChecklistItem;

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    Records changed;
    for (const Arguments& one : arguments.objects("items")) {
        TRY_ASSIGN(const model::JournalRecord item,
                   bench.find(model::JournalKind::checklist_item, one.text("itemId"), one.place_of("itemId")));
        WishOf<ChecklistItem> wish;
        if (one.has("title")) wish.set(&ChecklistItem::title, one.text("title"));
        if (one.has("checked")) wish.set(&ChecklistItem::checked, one.flag("checked"));
        if (wish.is_empty()) return one.wrong("itemId", "is to have another title, or to be checked or not");
        TRY_ASSIGN(model::JournalRecord there, bench.change(item.id, wish));
        changed.push_back(std::move(there));
    }
    std::string says;
    model::JsonWriter writer(says);
    writer.begin_object().name("items");
    append_items(writer, changed);
    writer.end_object();
    return says;
}

}  // namespace

Tool update_checklist_items() {
    model::ToolContract contract;
    contract.name = "update_checklist_items";
    contract.description = "Checks items of checklists, or takes that back, or gives them other titles.";
    contract.capabilities = {model::AgentCapability::checklist_write};
    contract.scope_rules = {model::ToolScopeRule::target_in_scope};
    contract.changed_kinds = {"checklist_item"};
    contract.changed_tokens = {"CHECKLIST_ITEM"};
    return {std::move(contract), run, true};
}

}  // namespace belfry::tools
