#include <algorithm>

#include "tools/catalogue.hpp"
#include "tools/say.hpp"
#include "tools/task_fields.hpp"

namespace belfry::tools {
namespace {

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    TRY_ASSIGN(const model::JournalRecord task,
               bench.find(model::JournalKind::task, arguments.text("taskId"), "taskId"));
    const std::vector<std::string> named = arguments.texts("labelIds");
    const std::string mode = arguments.text("mode");
    std::vector<std::string> labels = std::get<model::Task>(task.body).label_ids;
    if (mode == "replace") {
        labels = named;
    } else if (mode == "remove") {
        std::erase_if(labels, [&](const std::string& id) { return std::ranges::find(named, id) != named.end(); });
    } else {
        labels.insert(labels.end(), named.begin(), named.end());  // the journal keeps each once
    }
    WishOf<model::Task> wish;
    TRY_ASSIGN(const model::JournalRecord changed,
               bench.change(task.id, wish.set(&model::Task::label_ids, std::move(labels))));
    return task_answer(changed);
}

}  // namespace

Tool assign_task_labels() {
    return {task_contract("assign_task_labels",
                          "Gives labels to a task, takes some away, or puts these in the place of all that it has."),
            run};
}

}  // namespace belfry::tools
