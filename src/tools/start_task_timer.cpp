#include "tools/catalogue.hpp"
#include "tools/time_entries.hpp"
#include "tools/wish_of.hpp"

namespace belfry::tools {
namespace {

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    using model::TimeEntry;
    TRY_ASSIGN(const model::JournalRecord task,
               bench.find(model::JournalKind::task, arguments.text("taskId"), "taskId"));
    WishOf<TimeEntry> wish;
    wish.set(&TimeEntry::task_id, task.id).set(&TimeEntry::note, arguments.text("note"));
    TRY_ASSIGN(const model::JournalRecord made, bench.make({}, wish));
    return time_entry_answer(bench, made);
}

}  // namespace

Tool start_task_timer() {
    return {time_contract("start_task_timer",
                          "Starts a timer for a task, from now on. A person has one running timer at the most."),
            run};
}

}  // namespace belfry::tools
