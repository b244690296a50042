#include <algorithm>

#include "cli/checklist_text.hpp"
#include "cli/commands.hpp"
#include "cli/journal_action.hpp"
#include "cli/journal_text.hpp"
#include "model/journal_fields.hpp"

namespace belfry::cli {
namespace {

using model::JournalKind;

base::Result<std::int64_t> read_minutes(const std::string& text) {
    const auto time = base::parse_duration(text);
    if (time && time->us % base::minutes(1).us == 0) return time->us / base::minutes(1).us;
    return wrong("--estimate must be whole minutes or hours such as 90m or 2h, not \"" + text + '"');
}

// The fields that have an option. Where something is edited, `none` takes it away.
base::Result<void> add_options(Draft& draft, const JournalCall& call, bool is_edit) {
    const Arguments& arguments = call.arguments;
    const auto is_none = [is_edit](const std::optional<std::string>& value) { return is_edit && value == "none"; };
    if (const auto text = arguments.value("text"); text && !is_none(text)) {
        TRY_ASSIGN(const std::string read, read_text(*text));
        draft.text("text", read);
    } else if (text) {
        draft.null("text");
    }
    draft.text("status", arguments.value("status")).text("priority", arguments.value("priority"));
    if (const auto due = arguments.value("due"); due && !is_none(due)) {
        TRY_ASSIGN(const std::string date, call.clock.read_date("--due", *due));
        draft.text("due_date", date);
    } else if (due) {
        draft.null("due_date");
    }
    if (const auto estimate = arguments.value("estimate"); estimate && !is_none(estimate)) {
        TRY_ASSIGN(const std::int64_t minutes, read_minutes(*estimate));
        draft.number("estimate_min", minutes);
    } else if (estimate) {
        draft.null("estimate_min");
    }
    const auto language = arguments.value("language");
    is_edit ? draft.text_or_none("language", language) : draft.text("language", language);
    const std::vector<std::string> labels = arguments.values("label");
    if (is_none(labels.size() == 1 ? std::optional(labels.front()) : std::nullopt)) draft.texts("label_ids", {});
    else if (!labels.empty()) draft.texts("label_ids", labels);
    return {};
}

Exit add(JournalCall& call) {
    Draft draft;
    draft.text("id", call.arguments.value("id")).text("title", call.word(0));
    draft.text("category_id", call.arguments.value("category"));
    if (auto added = add_options(draft, call, false); !added.ok()) {
        return usage_error(call.context, call.arguments, added.error());
    }
    return tell_made(call, call.journal.create(JournalKind::task, draft.take()));
}

Exit edit(JournalCall& call) {
    Draft draft;
    draft.text("title", call.arguments.value("title"));
    if (auto added = add_options(draft, call, true); !added.ok()) {
        return usage_error(call.context, call.arguments, added.error());
    }
    if (draft.is_empty()) return usage_error(call.context, call.arguments, wrong("edit needs an option: what changes"));
    const auto revision = call.arguments.integer("revision", 1, std::numeric_limits<std::int64_t>::max());
    if (!revision.ok()) return usage_error(call.context, call.arguments, revision.error());
    draft.number("revision", *revision);
    return tell_changed(call, call.journal.change(JournalKind::task, call.word(0), draft.take()));
}

Exit done(JournalCall& call) {
    return for_each_word(call, [&call](const std::string& id) {
        return call.journal.change(JournalKind::task, id, model::RawJson::trusted(R"({"status":"done"})"));
    });
}

Exit move(JournalCall& call) {
    const std::string category = call.words.back();
    call.words.pop_back();
    return for_each_word(call, [&](const std::string& id) {
        Draft draft;
        draft.text("category_id", category);
        return call.journal.change(JournalKind::task, id, draft.take());
    });
}

// A task, then its checklists.
Exit show(JournalCall& call) {
    const auto task = call.journal.find(JournalKind::task, call.word(0));
    const Exit shown = show_whole(call, task);
    if (shown != Exit::ok || call.is_json()) return shown;
    const auto lists = find_checklists(call.journal, task->record.id);
    if (!lists.ok()) return fail(call.context, call.arguments, lists.error());
    if (!lists->empty()) call.context.console.out.write("\n" + checklists_text(*lists));
    return Exit::ok;
}

// The statuses that are asked for, with commas; empty: any.
base::Result<std::string> read_statuses(const Arguments& arguments) {
    if (const auto typed = arguments.value("status")) {
        std::string_view rest = *typed;
        while (true) {
            const std::string_view one = rest.substr(0, rest.find(','));
            if (std::ranges::find(model::task_status_names, one) == model::task_status_names.end()) {
                return wrong(
                    "--status must be some of open, groomed, in_progress, blocked, on_hold, done, rejected, "
                    "not \"" +
                    std::string(one) + '"');
            }
            if (one.size() == rest.size()) return std::string(*typed);
            rest.remove_prefix(one.size() + 1);
        }
    }
    // Only what is not closed is found by its due date.
    if (arguments.has("all") || arguments.has("due-to")) return std::string();
    std::string statuses;
    for (std::size_t i = 0; i < model::task_status_names.size(); ++i) {
        model::Task task;
        task.status = static_cast<model::TaskStatus>(i);
        if (is_closed(task)) continue;
        if (!statuses.empty()) statuses += ',';
        statuses += model::task_status_names[i];
    }
    return statuses;
}

const model::Task& task_of(const client::RecordNow& now) {
    return std::get<model::Task>(now.record.body);
}

base::Result<client::RecordList> find_tasks(JournalCall& call, const std::string& statuses, const std::string& due_to,
                                            std::size_t limit) {
    const Arguments& arguments = call.arguments;
    client::RecordQuestion question;
    question.kind = JournalKind::task;
    question.filters = {{"category", arguments.value_or("category", "")},
                        {"status", statuses},
                        {"label", arguments.value_or("label", "")},
                        {"due_to", due_to},
                        {"q", arguments.value_or("search", "")}};
    question.limit = limit;
    return call.journal.list(question);
}

std::string estimate_text(const model::Task& task) {
    return task.estimate_min ? hours_text(base::minutes(*task.estimate_min)) : "";
}

Exit list(JournalCall& call) {
    const auto statuses = read_statuses(call.arguments);
    const auto limit = read_limit(call.arguments);
    const auto typed = call.arguments.value("due-to");
    const auto due_to = typed ? call.clock.read_date("--due-to", *typed) : base::Result<std::string>("");
    if (!statuses.ok()) return usage_error(call.context, call.arguments, statuses.error());
    if (!limit.ok()) return usage_error(call.context, call.arguments, limit.error());
    if (call.arguments.values("label").size() > 1) {
        return usage_error(call.context, call.arguments, wrong("list takes one --label"));
    }
    if (!due_to.ok()) return usage_error(call.context, call.arguments, due_to.error());
    return show_list(call, find_tasks(call, *statuses, *due_to, *limit),
                     {"ID", "STATUS", "PRIORITY", "DUE", "ESTIMATE", "CATEGORY", "LABELS", "TITLE"},
                     [](const client::RecordNow& now) -> std::vector<std::string> {
                         const model::Task& task = task_of(now);
                         std::string labels;
                         for (const std::string& id : task.label_ids) labels += (labels.empty() ? "" : " ") + id;
                         return {now.record.id,
                                 std::string(model::task_status_names[static_cast<std::size_t>(task.status)]),
                                 std::string(model::task_priority_names[static_cast<std::size_t>(task.priority)]),
                                 task.due_date,
                                 estimate_text(task),
                                 now.record.category_id,
                                 labels,
                                 shortened(task.title)};
                     });
}

Exit remove(JournalCall& call) {
    return delete_each(call, JournalKind::task);
}

Exit run_task(Context& context, const Arguments& arguments) {
    const std::vector<JournalAction> actions{
        {"add",
         "TITLE",
         1,
         1,
         {"id", "category", "priority", "status", "due", "estimate", "label", "language", "text"},
         add},
        {"list", "", 0, 0, {"category", "status", "label", "due-to", "search", "all", "limit"}, list},
        {"show", "ID", 1, 1, {}, show},
        {"edit",
         "ID [options]",
         1,
         1,
         {"title", "priority", "status", "due", "estimate", "label", "language", "text", "revision"},
         edit},
        {"done", "ID ...", 1, any_number, {}, done},
        {"move", "ID ... CATEGORY", 2, any_number, {}, move},
        {"delete", "ID ...", 1, any_number, {"revision"}, remove}};
    return run_journal_action(context, arguments, "task", actions);
}

}  // namespace

Command task_command() {
    Command command;
    command.name = "task";
    command.summary = "tasks of the journal: add, list, show, edit, done, move, delete";
    command.detail =
        "`add` writes the id of the new task to standard output, alone. `list` shows what is not closed, the newest\n"
        "first, or with --due-to by its due date. With `edit`, the word none takes away a text, a date, an estimate, "
        "a\n"
        "language or all labels. What was deleted stays so: its id is not given again. Checklists of a task:\n"
        "`belfry checklist`; time for it: `belfry time`. docs/journal.md has the rules.";
    command.options = {
        {"id", "ID", "add: an id of your own, which is easier to type"},
        {"category", "ID", "add: where it belongs (general unless given); list: of this category only"},
        {"priority", "P", "add and edit: p0 to p3 (p2)"},
        {"status", "STATUS", "open, groomed, in_progress, blocked, on_hold, done, rejected; list: some, with commas"},
        {"due", "DATE", "add and edit: 2026-11-20, today or tomorrow"},
        {"estimate", "TIME", "add and edit: 90m or 2h"},
        {"label", "ID", "add and edit: all its labels; list: of this label only", 0, true},
        {"language", "TAG", "add and edit: de or pt-BR"},
        {"text", "TEXT", "add and edit: more about it; - reads standard input"},
        {"title", "TEXT", "edit: another title"},
        {"revision", "N", "edit and delete: only if it has not changed since that one"},
        {"due-to", "DATE", "list: due until this day, the most pressing first"},
        {"search", "WORDS", "list: those with all these words; the last may be a beginning"},
        {"all", "", "list: those that are done or rejected, too"},
        {"limit", "N", "list: so many at the most (50)"},
        user_option()};
    command.positionals = {
        {"ACTION", "add, list, show, edit, done, move or delete"},
        {"WORD", "of add: TITLE; of the others: ID, of move also a CATEGORY", PositionalSpec::Count::any}};
    command.examples = {
        {"belfry task add 'Leg day' --category gym --priority p1 --due tomorrow --estimate 90m", "something to do"},
        {"belfry task add 'Write to Ada' --id letter --text - < notes.txt", "with an id of your own, and a text"},
        {"belfry task list --category gym --status open,blocked", "what waits there"},
        {"belfry task list --due-to today --json | jq -r .title", "what is due, for a script"},
        {"belfry task done letter", "done"}};
    command.exits = {{Exit::partial, "some of several were changed"}};
    command.reach = Reach::daemon;
    command.run = run_task;
    return command;
}

}  // namespace belfry::cli
