#include "tools/catalogue.hpp"
#include "tools/time_entries.hpp"
#include "tools/wish_of.hpp"

namespace belfry::tools {
namespace {

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    using model::TimeEntry;
    TRY_ASSIGN(const model::JournalRecord entry,
               bench.find(model::JournalKind::time_entry, arguments.text("timeEntryId"), "timeEntryId"));
    std::string note = arguments.text("note");
    const std::string& before = std::get<TimeEntry>(entry.body).note;
    if (arguments.flag("append") && !before.empty()) note = before + '\n' + note;
    WishOf<TimeEntry> wish;
    TRY_ASSIGN(const model::JournalRecord changed, bench.change(entry.id, wish.set(&TimeEntry::note, std::move(note))));
    return time_entry_answer(bench, changed);
}

}  // namespace

Tool annotate_time_entry() {
    return {time_contract("annotate_time_entry",
                          "Gives a time entry a note, instead of the one that it has, or below it with append."),
            run};
}

}  // namespace belfry::tools
