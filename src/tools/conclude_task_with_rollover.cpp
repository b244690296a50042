#include <optional>

#include "tools/catalogue.hpp"
#include "tools/follow_up.hpp"
#include "tools/say.hpp"

namespace belfry::tools {
namespace {

using model::JournalRecord;

std::string answer(const JournalRecord& task, const std::optional<JournalRecord>& follow_up,
                   const std::vector<std::string>& moved) {
    std::string says;
    model::JsonWriter writer(says);
    writer.begin_object().name("task");
    append_task(writer, task);
    writer.name("followUpTask");
    if (follow_up) append_task(writer, *follow_up);
    else writer.null();
    writer.name("movedItemIds").begin_array();
    for (const std::string& id : moved) writer.text(id);
    writer.end_array().end_object();
    return says;
}

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    TRY_ASSIGN(const JournalRecord task, bench.find(model::JournalKind::task, arguments.text("taskId"), "taskId"));
    std::vector<ListedItems> open;
    if (arguments.flag("carryOverOpenItems", true)) {
        TRY_ASSIGN(open, open_items_of(bench, task.id));
    }
    TRY_ASSIGN(const JournalRecord closed, close_task(bench, task.id, arguments.text("closeAs")));
    const bool has_title = arguments.has("followUpTitle");
    if (open.empty() && !has_title) return answer(closed, std::nullopt, {});
    std::string title = has_title ? arguments.text("followUpTitle") : std::get<model::Task>(task.body).title;
    TRY_ASSIGN(const JournalRecord follow_up, make_like(bench, task, std::move(title)));
    TRY(bench.link(follow_up_relation, task.id, follow_up.id));
    TRY_ASSIGN(const std::vector<std::string> moved, carry_over(bench, open, follow_up));
    return answer(closed, follow_up, moved);
}

}  // namespace

Tool conclude_task_with_rollover() {
    model::ToolContract contract;
    contract.name = "conclude_task_with_rollover";
    contract.description =
        "Closes a task. What is not checked of it goes to a new task of the same category and labels, which is linked "
        "with it; where nothing is open and no followUpTitle is given, none is made.";
    contract.capabilities = {model::AgentCapability::task_write, model::AgentCapability::checklist_write};
    contract.scope_rules = {model::ToolScopeRule::target_in_scope};
    contract.changed_kinds = {"task", "checklist", "checklist_item", "link"};
    contract.changed_tokens = {"TASK", "CHECKLIST", "CHECKLIST_ITEM", "LINK"};
    contract.risk = model::ToolRisk::high;
    return {std::move(contract), run, true};
}

}  // namespace belfry::tools
