#include "tools/task_fields.hpp"

#include <algorithm>

#include "tools/say.hpp"

namespace belfry::tools {
namespace {

// The schema has let only these names through.
template <class Enum, class Names>
Enum choice_of(const std::string& name, const Names& names) {
    return static_cast<Enum>(std::ranges::find(names, name) - names.begin());
}

}  // namespace

WishOf<model::Task> task_wish(const Arguments& arguments) {
    using model::Task;
    WishOf<Task> wish;
    const auto is_named = [&](std::string_view name) { return arguments.has(name) || arguments.is_null(name); };
    if (is_named("title")) wish.set(&Task::title, arguments.text("title"));
    if (is_named("text")) wish.set(&Task::text, arguments.text("text"));
    if (arguments.has("status")) {
        wish.set(&Task::status, choice_of<model::TaskStatus>(arguments.text("status"), model::task_status_names));
    }
    if (arguments.has("priority")) {
        wish.set(&Task::priority,
                 choice_of<model::TaskPriority>(arguments.text("priority"), model::task_priority_names));
    }
    if (is_named("dueDate")) wish.set(&Task::due_date, arguments.text("dueDate"));
    if (is_named("estimateMinutes")) wish.set(&Task::estimate_min, arguments.integer("estimateMinutes"));
    if (is_named("language")) wish.set(&Task::language, arguments.text("language"));
    if (is_named("labelIds")) wish.set(&Task::label_ids, arguments.texts("labelIds"));
    if (arguments.has("categoryId")) wish.category(arguments.text("categoryId"));
    return wish;
}

base::Result<std::string> change_task(Bench& bench, const Arguments& arguments) {
    TRY_ASSIGN(const model::JournalRecord task,
               bench.find(model::JournalKind::task, arguments.text("taskId"), "taskId"));
    TRY_ASSIGN(const model::JournalRecord changed, bench.change(task.id, task_wish(arguments)));
    return task_answer(changed);
}

model::ToolContract task_contract(std::string name, std::string description) {
    model::ToolContract contract;
    contract.name = std::move(name);
    contract.description = std::move(description);
    contract.capabilities = {model::AgentCapability::task_write};
    contract.scope_rules = {model::ToolScopeRule::target_in_scope};
    contract.changed_kinds = {"task"};
    contract.changed_tokens = {"TASK"};
    return contract;
}

base::Result<std::string> category_for_new(const Bench& bench, const Arguments& arguments) {
    if (arguments.has("categoryId")) return arguments.text("categoryId");
    if (bench.categories().size() == 1) return bench.categories().front();
    if (bench.categories().empty()) {
        return base::error(base::Code::forbidden, "this agent has no category to work in", "categoryId",
                           "out_of_scope");
    }
    return arguments.wrong("categoryId", "must be given: this agent works in more than one category");
}

}  // namespace belfry::tools
