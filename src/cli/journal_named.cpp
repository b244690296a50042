#include "cli/journal_named.hpp"

#include "cli/journal_action.hpp"

namespace belfry::cli {
namespace {

using model::JournalKind;

Exit add(JournalCall& call, JournalKind kind) {
    Draft draft;
    draft.text("id", call.word(0)).text("name", call.arguments.value_or("name", call.word(0)));
    draft.text("color", call.arguments.value("color"));
    if (kind != JournalKind::category) draft.text("category_id", call.arguments.value("category"));
    return tell_made(call, call.journal.create(kind, draft.take()));
}

Exit edit(JournalCall& call, JournalKind kind) {
    Draft draft;
    draft.text("name", call.arguments.value("name")).text_or_none("color", call.arguments.value("color"));
    if (draft.is_empty()) return usage_error(call.context, call.arguments, wrong("edit needs --name or --color"));
    return tell_changed(call, call.journal.change(kind, call.word(0), draft.take()));
}

Exit list(JournalCall& call, JournalKind kind) {
    const auto limit = read_limit(call.arguments);
    if (!limit.ok()) return usage_error(call.context, call.arguments, limit.error());
    client::RecordQuestion question;
    question.kind = kind;
    question.limit = *limit;
    return show_list(call, call.journal.list(question), {"ID", "NAME", "COLOR"},
                     [](const client::RecordNow& now) -> std::vector<std::string> {
                         if (const auto* const label = std::get_if<model::Label>(&now.record.body)) {
                             return {now.record.id, label->name, label->color};
                         }
                         const auto& category = std::get<model::Category>(now.record.body);
                         return {now.record.id, category.name, category.color};
                     });
}

Exit run_named(Context& context, const Arguments& arguments, JournalKind kind) {
    std::vector<std::string> of_new{"name", "color"};
    if (kind != JournalKind::category) of_new.emplace_back("category");
    const std::vector<JournalAction> actions{
        {"add", "ID", 1, 1, of_new, [kind](JournalCall& call) { return add(call, kind); }},
        {"list", "", 0, 0, {"limit"}, [kind](JournalCall& call) { return list(call, kind); }},
        {"edit", "ID [options]", 1, 1, {"name", "color"}, [kind](JournalCall& call) { return edit(call, kind); }},
        {"delete", "ID ...", 1, any_number, {}, [kind](JournalCall& call) { return delete_each(call, kind); }}};
    return run_journal_action(context, arguments, std::string(model::journal_kind_name(kind)), actions);
}

}  // namespace

Command named_command(JournalKind kind, const std::string& summary, const std::string& detail) {
    Command command;
    command.name = model::journal_kind_name(kind);
    command.summary = summary;
    command.detail = detail;
    command.options = {{"name", "TEXT", "add and edit: what it is called (its id unless given)"},
                       {"color", "COLOR", "add and edit: #3366cc; edit: or none"},
                       {"limit", "N", "list: so many at the most (50)"},
                       user_option()};
    if (kind != JournalKind::category) {
        command.options.insert(command.options.begin() + 2,
                               {"category", "ID", "add: where it belongs (general unless given)"});
    }
    command.positionals = {{"ACTION", "add, list, edit or delete"},
                           {"ID", "of all but list: which", PositionalSpec::Count::any}};
    command.exits = {{Exit::partial, "some of several were deleted"}};
    command.reach = Reach::daemon;
    command.run = [kind](Context& context, const Arguments& arguments) { return run_named(context, arguments, kind); };
    return command;
}

}  // namespace belfry::cli
