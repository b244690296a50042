#include "cli/commands.hpp"
#include "cli/journal_action.hpp"
#include "cli/journal_import.hpp"
#include "cli/journal_text.hpp"

namespace belfry::cli {
namespace {

Exit export_all(JournalCall& call) {
    Output& out = call.context.console.out;
    const auto exported = call.journal.export_lines([&out](std::string_view lines) {
        while (!lines.empty()) {
            const std::size_t end = std::min(lines.find('\n'), lines.size());
            out.line(host::escape_json_controls(lines.substr(0, end)));
            lines.remove_prefix(std::min(end + 1, lines.size()));
        }
        return !out.is_closed() && out.failure().empty();
    });
    return exported.ok() ? Exit::ok : fail(call.context, call.arguments, exported.error());
}

Exit search(JournalCall& call) {
    const auto limit = read_limit(call.arguments);
    if (!limit.ok()) return usage_error(call.context, call.arguments, limit.error());
    client::SearchQuestion question;
    for (const std::string& word : call.words) question.words += (question.words.empty() ? "" : " ") + word;
    question.kind = call.arguments.value_or("kind", "");
    question.limit = *limit;
    return show_list(call, call.journal.search(question), {"KIND", "ID", "CATEGORY", "TITLE"},
                     [&call](const client::RecordNow& now) -> std::vector<std::string> {
                         return {std::string(model::journal_kind_name(now.record.kind())), now.record.id,
                                 now.record.category_id, record_title(now.record, call.clock)};
                     });
}

Exit status(JournalCall& call) {
    const auto now = call.journal.status();
    if (!now.ok()) return fail(call.context, call.arguments, now.error());
    if (call.is_json()) {
        print_json(call.context, now->json);
        return Exit::ok;
    }
    Output& out = call.context.console.out;
    out.line(now->holds_anything ? "the journal holds something" : "the journal is empty");
    if (now->running) out.line(host::printable(record_line(now->running->record, call.clock)));
    return Exit::ok;
}

Exit run_journal(Context& context, const Arguments& arguments) {
    const std::vector<JournalAction> actions{{"search", "WORD ...", 1, any_number, {"kind", "limit"}, search},
                                             {"export", "", 0, 0, {}, export_all},
                                             {"import", "FILE", 1, 1, {}, import_file},
                                             {"status", "", 0, 0, {}, status}};
    return run_journal_action(context, arguments, "journal", actions);
}

}  // namespace

Command journal_command() {
    Command command;
    command.name = "journal";
    command.summary = "the journal as a whole: search, export, import, status";
    command.detail =
        "`export` writes every record and link to standard output, one JSON object a line, deleted ones too. `import`\n"
        "takes such lines in, with their revisions and times: what is there already is unchanged, and what is there "
        "and\n"
        "differs is a conflict and stays as it is. Lines are sent 500 at a time; what was taken before a failure "
        "stays.\n"
        "Within `belfry work` the commands of the journal act in the name of the agent, for its wake and within its\n"
        "categories. docs/journal.md says what a journal is.";
    command.options = {
        {"kind", "KIND", "search: task, entry, checklist, checklist_item, time_entry, day_plan, rating …"},
        {"limit", "N", "search: so many at the most (50)"},
        user_option()};
    command.positionals = {{"ACTION", "search, export, import or status"},
                           {"WORD",
                            "of search: words, the last may be a beginning; of import: FILE, or - for "
                            "standard input",
                            PositionalSpec::Count::any}};
    command.examples = {{"belfry journal search letter ada", "whatever has both words"},
                        {"belfry journal export > journal.jsonl", "all of it, to keep"},
                        {"belfry journal import journal.jsonl --url http://other:7710", "into another daemon"}};
    command.exits = {{Exit::failure, "it failed, or some lines of an import were in conflict"},
                     {Exit::partial, "an import stopped after some lines were taken"}};
    command.reach = Reach::daemon;
    command.run = run_journal;
    return command;
}

}  // namespace belfry::cli
