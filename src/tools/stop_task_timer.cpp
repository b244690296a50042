#include "rules/journal_terms.hpp"
#include "tools/catalogue.hpp"
#include "tools/time_entries.hpp"
#include "tools/wish_of.hpp"

namespace belfry::tools {
namespace {

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    using model::TimeEntry;
    TRY_ASSIGN(const model::JournalRecord task,
               bench.find(model::JournalKind::task, arguments.text("taskId"), "taskId"));
    TRY_ASSIGN(const std::vector<model::JournalRecord> running,
               bench.newest(model::JournalKind::time_entry,
                            {std::string(rules::running_term), rules::parent_term(task.id)}, 1));
    if (running.empty()) {
        return base::error(base::Code::conflict, "no timer runs for this task", "taskId", "not_running");
    }
    WishOf<TimeEntry> wish;
    wish.set(&TimeEntry::ended_at, std::optional(bench.now()));
    if (arguments.has("note")) wish.set(&TimeEntry::note, arguments.text("note"));
    TRY_ASSIGN(const model::JournalRecord stopped, bench.change(running.front().id, wish));
    return time_entry_answer(bench, stopped);
}

}  // namespace

Tool stop_task_timer() {
    return {
        time_contract("stop_task_timer", "Stops the timer that runs for a task. A note takes the place of its own."),
        run};
}

}  // namespace belfry::tools
