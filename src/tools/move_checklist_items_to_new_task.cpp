#include <algorithm>

#include "tools/catalogue.hpp"
#include "tools/follow_up.hpp"
#include "tools/say.hpp"

namespace belfry::tools {
namespace {

using model::JournalRecord;

// The checklists that these items are of, each once.
base::Result<Records> owners_of(Bench& bench, const Records& items) {
    std::vector<std::string> ids;
    for (const JournalRecord& item : items) {
        const std::string& id = std::get<model::ChecklistItem>(item.body).checklist_id;
        if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
    }
    TRY_ASSIGN(Records owners, bench.find_all(ids));
    // What was imported may name anything.
    std::erase_if(owners, [](const JournalRecord& one) { return one.kind() != model::JournalKind::checklist; });
    return owners;
}

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    TRY_ASSIGN(const Records items, named_items(bench, arguments));
    TRY_ASSIGN(const Records owners, owners_of(bench, items));
    if (owners.empty()) return arguments.wrong("itemIds", "are of no checklist in your categories");
    const auto& first = std::get<model::Checklist>(owners.front().body);
    std::string category = arguments.has("categoryId") ? arguments.text("categoryId") : owners.front().category_id;
    TRY_ASSIGN(const JournalRecord task, make_plain(bench, std::move(category), arguments.text("newTaskTitle")));
    for (const JournalRecord& owner : owners) {
        TRY(bench.link(follow_up_relation, std::get<model::Checklist>(owner.body).task_id, task.id));
    }
    ListedItems list;
    TRY_ASSIGN(list.checklist, make_checklist(bench, task.id, first.title));
    TRY_ASSIGN(list.items, move_items(bench, items, list.checklist));
    std::string says;
    model::JsonWriter writer(says);
    writer.begin_object().name("task");
    append_task(writer, task);
    writer.name("checklist");
    append_checklist(writer, list);
    writer.end_object();
    return says;
}

}  // namespace

Tool move_checklist_items_to_new_task() {
    model::ToolContract contract;
    contract.name = "move_checklist_items_to_new_task";
    contract.description =
        "Makes a task with a checklist out of items of others, which are moved there. The tasks that they come from "
        "are linked with it.";
    contract.capabilities = {model::AgentCapability::task_write, model::AgentCapability::checklist_write};
    contract.scope_rules = {model::ToolScopeRule::both_sides_in_scope};
    contract.changed_kinds = {"task", "checklist", "checklist_item", "link"};
    contract.changed_tokens = {"TASK", "CHECKLIST", "CHECKLIST_ITEM", "LINK"};
    contract.risk = model::ToolRisk::high;
    return {std::move(contract), run, true};
}

}  // namespace belfry::tools
