#include "tools/catalogue.hpp"
#include "tools/follow_up.hpp"
#include "tools/say.hpp"
#include "tools/task_fields.hpp"

namespace belfry::tools {
namespace {

using model::JournalRecord;

base::Result<JournalRecord> make_task(Bench& bench, const JournalRecord& source, const Arguments& arguments) {
    std::string title = arguments.text("newTaskTitle");
    if (!arguments.flag("preserveCategoryAndLabels", true)) {
        TRY_ASSIGN(std::string category, category_for_new(bench, arguments));
        return make_plain(bench, std::move(category), std::move(title));
    }
    if (arguments.has("categoryId")) {
        return arguments.wrong("categoryId", "goes only with preserveCategoryAndLabels false");
    }
    return make_like(bench, source, std::move(title));
}

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    TRY_ASSIGN(JournalRecord source,
               bench.find(model::JournalKind::task, arguments.text("sourceTaskId"), "sourceTaskId"));
    TRY_ASSIGN(const JournalRecord task, make_task(bench, source, arguments));
    TRY(bench.link(follow_up_relation, source.id, task.id));
    std::vector<std::string> moved;
    if (arguments.flag("carryOverOpenChecklistItems")) {
        TRY_ASSIGN(const std::vector<ListedItems> open, open_items_of(bench, source.id));
        TRY_ASSIGN(moved, carry_over(bench, open, task));
    }
    if (arguments.has("closeSourceTaskAs")) {
        TRY_ASSIGN(source, close_task(bench, source.id, arguments.text("closeSourceTaskAs")));
    }
    std::string says;
    model::JsonWriter writer(says);
    writer.begin_object().name("task");
    append_task(writer, task);
    writer.name("sourceTask");
    append_task(writer, source);
    writer.field("movedItemCount", static_cast<long long>(moved.size())).end_object();
    return says;
}

}  // namespace

Tool create_follow_up_task() {
    model::ToolContract contract;
    contract.name = "create_follow_up_task";
    contract.description =
        "Makes a task that follows another one and is linked with it; what is not checked of that one can go along, "
        "and it can be closed.";
    contract.capabilities = {model::AgentCapability::task_write, model::AgentCapability::checklist_write};
    contract.scope_rules = {model::ToolScopeRule::both_sides_in_scope};
    contract.changed_kinds = {"task", "checklist", "checklist_item", "link"};
    contract.changed_tokens = {"TASK", "CHECKLIST", "CHECKLIST_ITEM", "LINK"};
    contract.risk = model::ToolRisk::medium;
    contract.high_risk_with = {"carryOverOpenChecklistItems"};
    return {std::move(contract), run, true};
}

}  // namespace belfry::tools
