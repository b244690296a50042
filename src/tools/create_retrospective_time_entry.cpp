#include "tools/catalogue.hpp"
#include "tools/time_entries.hpp"
#include "tools/wish_of.hpp"

namespace belfry::tools {
namespace {

constexpr base::Duration span_max = base::hours(24);

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    using model::TimeEntry;
    TRY_ASSIGN(const base::Timestamp started, arguments.required_time("startedAt"));
    TRY_ASSIGN(const base::Timestamp ended, arguments.required_time("endedAt"));
    if (ended <= started) return arguments.wrong("endedAt", "must lie after startedAt");
    if (ended > bench.now()) return arguments.wrong("endedAt", "must not lie in the future");
    if (ended - started > span_max)
        return arguments.wrong("endedAt", "must not lie more than 24 hours after startedAt");
    TRY_ASSIGN(const model::JournalRecord task,
               bench.find(model::JournalKind::task, arguments.text("taskId"), "taskId"));
    WishOf<TimeEntry> wish;
    wish.set(&TimeEntry::task_id, task.id).set(&TimeEntry::started_at, started);
    wish.set(&TimeEntry::ended_at, std::optional(ended)).set(&TimeEntry::note, arguments.text("description"));
    if (arguments.has("sourceEntryId")) {
        TRY_ASSIGN(const model::JournalRecord source,
                   bench.find(model::JournalKind::entry, arguments.text("sourceEntryId"), "sourceEntryId"));
        wish.set(&TimeEntry::source_entry_id, source.id);
    }
    TRY_ASSIGN(const model::JournalRecord made, bench.make({}, wish));
    return time_entry_answer(bench, made);
}

}  // namespace

Tool create_retrospective_time_entry() {
    return {time_contract("create_retrospective_time_entry",
                          "Records time that was spent on a task: it is over, and has at most 24 hours."),
            run};
}

}  // namespace belfry::tools
