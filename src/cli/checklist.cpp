#include "cli/checklist_text.hpp"
#include "cli/commands.hpp"
#include "cli/journal_action.hpp"

namespace belfry::cli {
namespace {

using model::JournalKind;

// The words from `first` on as items of a list.
Exit add_items(JournalCall& call, const std::string& checklist_id, std::size_t first) {
    for (std::size_t i = first; i < call.words.size(); ++i) {
        Draft draft;
        draft.text("checklist_id", checklist_id).text("title", call.words[i]);
        const Exit made = tell_made(call, call.journal.create(JournalKind::checklist_item, draft.take()));
        if (made != Exit::ok) return i > first ? Exit::partial : made;
    }
    return Exit::ok;
}

Exit add(JournalCall& call) {
    Draft draft;
    draft.text("id", call.arguments.value("id")).text("task_id", call.word(0)).text("title", call.word(1));
    const auto list = call.journal.create(JournalKind::checklist, draft.take());
    const Exit made = tell_made(call, list);
    if (made != Exit::ok || call.words.size() == 2) return made;
    return add_items(call, list->record.id, 2) == Exit::ok ? Exit::ok : Exit::partial;
}

Exit item(JournalCall& call) {
    return add_items(call, call.word(0), 1);
}

Exit list(JournalCall& call) {
    const auto found = find_checklists(call.journal, call.word(0));
    if (!found.ok()) return fail(call.context, call.arguments, found.error());
    if (!call.is_json()) {
        call.context.console.out.write(checklists_text(*found));
        return Exit::ok;
    }
    for (const ChecklistNow& now : *found) {
        print_json(call.context, now.list.json);
        for (const client::RecordNow& one : now.items) print_json(call.context, one.json);
    }
    return Exit::ok;
}

Exit check_each(JournalCall& call, bool checked) {
    return for_each_word(call, [&](const std::string& id) {
        Draft draft;
        draft.flag("checked", checked);
        return call.journal.change(JournalKind::checklist_item, id, draft.take());
    });
}

Exit remove_items(JournalCall& call) {
    return delete_each(call, JournalKind::checklist_item);
}

Exit remove_lists(JournalCall& call) {
    return delete_each(call, JournalKind::checklist);
}

Exit run_checklist(Context& context, const Arguments& arguments) {
    const std::vector<JournalAction> actions{
        {"add", "TASK TITLE [ITEM ...]", 2, any_number, {"id"}, add},
        {"item", "LIST TITLE ...", 2, any_number, {}, item},
        {"list", "TASK", 1, 1, {}, list},
        {"check", "ITEM ...", 1, any_number, {}, [](JournalCall& call) { return check_each(call, true); }},
        {"uncheck", "ITEM ...", 1, any_number, {}, [](JournalCall& call) { return check_each(call, false); }},
        {"remove", "ITEM ...", 1, any_number, {}, remove_items},
        {"delete", "LIST ...", 1, any_number, {}, remove_lists}};
    return run_journal_action(context, arguments, "checklist", actions);
}

}  // namespace

Command checklist_command() {
    Command command;
    command.name = "checklist";
    command.summary = "checklists of tasks: add, item, list, check, uncheck, remove, delete";
    command.detail =
        "`add` makes a checklist of a task, with items if some are named; `item` adds further ones. Both write the\n"
        "ids of what is new to standard output, one a line, the checklist's first. `remove` takes items away, "
        "`delete`\n"
        "a whole checklist with its items. A checklist lies in the category of its task.";
    command.options = {{"id", "ID", "add: an id of your own for the checklist"}, user_option()};
    command.positionals = {{"ACTION", "add, item, list, check, uncheck, remove or delete"},
                           {"WORD", "of add: TASK TITLE [ITEM ...]; of item: LIST TITLE ...; of the others: ids",
                            PositionalSpec::Count::any}};
    command.examples = {{"belfry checklist add letter 'Before it goes' stamp address", "two things to tick off"},
                        {"belfry checklist list letter", "what is ticked off, and the ids"},
                        {"belfry checklist check 01993b1c-6d2e-7a40-9c1f-2f3f4a5b6c7d", "tick one off"}};
    command.exits = {{Exit::partial, "some of several were changed"}};
    command.reach = Reach::daemon;
    command.run = run_checklist;
    return command;
}

}  // namespace belfry::cli
