#include <algorithm>

#include "cli/commands.hpp"
#include "cli/journal_action.hpp"
#include "cli/journal_text.hpp"

namespace belfry::cli {
namespace {

using model::JournalKind;

const model::TimeEntry& entry_of(const client::RecordNow& now) {
    return std::get<model::TimeEntry>(now.record.body);
}

base::Result<std::string> read_day(const JournalCall& call) {
    const auto typed = call.arguments.value("date");
    return typed ? call.clock.read_date("--date", *typed) : call.clock.today();
}

// --at, or nothing.
base::Result<std::optional<base::Timestamp>> read_at(const JournalCall& call) {
    const auto typed = call.arguments.value("at");
    if (!typed) return std::optional<base::Timestamp>{};
    TRY_ASSIGN(const base::Timestamp at, call.clock.read_moment("--at", *typed, call.clock.today()));
    return std::optional(at);
}

void fill(Draft& draft, const JournalCall& call, const std::string& task_id) {
    draft.text("id", call.arguments.value("id")).text("category_id", call.arguments.value("category"));
    if (!task_id.empty()) draft.text("task_id", task_id);
    draft.text("note", call.arguments.value("note"));
}

Exit start(JournalCall& call) {
    const auto at = read_at(call);
    if (!at.ok()) return usage_error(call.context, call.arguments, at.error());
    Draft draft;
    fill(draft, call, call.word(0));
    draft.time("started_at", *at);
    auto made = call.journal.create(JournalKind::time_entry, draft.take());
    if (!made.ok() && made.error().reason == "running") made.error().message += "; end it with `belfry time stop`";
    return tell_made(call, made);
}

base::Result<client::RecordNow> find_running(JournalCall& call) {
    TRY_ASSIGN(const client::JournalNow now, call.journal.status());
    if (!now.running) return base::error(base::Code::not_found, "no timer runs");
    return *now.running;
}

Exit stop(JournalCall& call) {
    const auto at = read_at(call);
    if (!at.ok()) return usage_error(call.context, call.arguments, at.error());
    const auto running = find_running(call);
    if (!running.ok()) return fail(call.context, call.arguments, running.error());
    Draft draft;
    // The clock of the daemon, by which it began, may be ahead of this one.
    draft.time("ended_at", *at ? *at : std::max(call.clock.now(), entry_of(*running).started_at));
    draft.text("note", call.arguments.value("note"));
    return tell_changed(call, call.journal.change(JournalKind::time_entry, running->record.id, draft.take()));
}

Exit add(JournalCall& call) {
    const auto date = read_day(call);
    if (!date.ok()) return usage_error(call.context, call.arguments, date.error());
    const auto span = call.clock.read_span("TIME", call.word(0), *date);
    if (!span.ok()) return usage_error(call.context, call.arguments, span.error());
    Draft draft;
    fill(draft, call, call.word(1));
    draft.time("started_at", span->from).time("ended_at", span->to);
    return tell_made(call, call.journal.create(JournalKind::time_entry, draft.take()));
}

Exit status(JournalCall& call) {
    const auto now = call.journal.status();
    if (!now.ok()) return fail(call.context, call.arguments, now.error());
    if (call.is_json()) {
        call.context.console.out.line(now->running ? host::escape_json_controls(now->running->json.bytes()) : "null");
        return Exit::ok;
    }
    if (!now->running) {
        remark(call.context, "no timer runs");
        return Exit::ok;
    }
    const model::TimeEntry& entry = entry_of(*now->running);
    std::string line = hours_text(call.clock.now() - entry.started_at) + " since " + call.clock.shown(entry.started_at);
    if (!entry.task_id.empty()) {
        const auto task = call.journal.find(JournalKind::task, entry.task_id);
        line += " on " + (task.ok() ? record_title(task->record, call.clock) : entry.task_id);
    }
    if (!entry.note.empty()) line += ": " + shortened(entry.note);
    call.context.console.out.line(host::printable(line));
    return Exit::ok;
}

Exit list(JournalCall& call) {
    const auto limit = read_limit(call.arguments);
    if (!limit.ok()) return usage_error(call.context, call.arguments, limit.error());
    client::RecordQuestion question;
    question.kind = JournalKind::time_entry;
    question.filters = {{"task", call.arguments.value_or("task", "")},
                        {"category", call.arguments.value_or("category", "")},
                        {"q", call.arguments.value_or("search", "")}};
    question.limit = *limit;
    base::Duration all;
    const auto found = call.journal.list(question);
    const Exit exit = show_list(call, found, {"ID", "FROM", "TO", "SPENT", "CATEGORY", "TASK", "NOTE"},
                                [&](const client::RecordNow& now) -> std::vector<std::string> {
                                    const model::TimeEntry& entry = entry_of(now);
                                    const base::Timestamp end = entry.ended_at.value_or(call.clock.now());
                                    all = all + (end - entry.started_at);
                                    return {now.record.id,
                                            call.clock.shown(entry.started_at),
                                            entry.ended_at ? call.clock.shown(*entry.ended_at) : "running",
                                            hours_text(end - entry.started_at),
                                            now.record.category_id,
                                            entry.task_id,
                                            shortened(entry.note)};
                                });
    if (exit == Exit::ok && !call.is_json() && !found->records.empty())
        remark(call.context, hours_text(all) + " in all");
    return exit;
}

Exit remove(JournalCall& call) {
    return delete_each(call, JournalKind::time_entry);
}

Exit run_time(Context& context, const Arguments& arguments) {
    const std::vector<JournalAction> actions{
        {"start", "[TASK]", 0, 1, {"at", "note", "category", "id"}, start},
        {"stop", "", 0, 0, {"at", "note"}, stop},
        {"add", "09:00-10:30 [TASK]", 1, 2, {"date", "note", "category", "id"}, add},
        {"status", "", 0, 0, {}, status},
        {"list", "", 0, 0, {"task", "category", "search", "limit"}, list},
        {"delete", "ID ...", 1, any_number, {"revision"}, remove}};
    return run_journal_action(context, arguments, "time", actions);
}

}  // namespace

Command time_command() {
    Command command;
    command.name = "time";
    command.summary = "time that is spent: start, stop, add, status, list, delete";
    command.detail =
        "`start` starts a timer, on a task or on nothing in particular; a person has one at the most. `stop` ends it.\n"
        "`add` writes down what was forgotten. Times are those of the zone's clocks. Time lies in the category of its\n"
        "task. `belfry rate session` says how good it was.";
    command.options = {{"at", "TIME", "start and stop: not now but at 09:00 of today, or 2026-11-16T09:00:00Z"},
                       {"date", "DATE", "add: which day (today)"},
                       {"note", "TEXT", "start, stop and add: what was done"},
                       {"category", "ID", "start and add: where it belongs; list: of this category only"},
                       {"id", "ID", "start and add: an id of your own"},
                       {"task", "ID", "list: of this task only"},
                       {"search", "WORDS", "list: those with all these words; the last may be a beginning"},
                       {"limit", "N", "list: so many at the most (50)"},
                       {"revision", "N", "delete: only if it has not changed since that one"},
                       zone_option(),
                       user_option()};
    command.positionals = {
        {"ACTION", "start, stop, add, status, list or delete"},
        {"WORD", "of start: [TASK]; of add: 09:00-10:30 [TASK]; of delete: ID", PositionalSpec::Count::any}};
    command.examples = {{"belfry time start letter", "begin"},
                        {"belfry time status", "what runs, and for how long"},
                        {"belfry time stop --note 'First draft'", "enough"},
                        {"belfry time add 20:00-21:30 letter --date yesterday", "what was forgotten"},
                        {"belfry time list --task letter", "what it took"}};
    command.exits = {{Exit::partial, "some of several were deleted"}};
    command.reach = Reach::daemon;
    command.run = run_time;
    return command;
}

}  // namespace belfry::cli
