#include "cli/commands.hpp"
#include "cli/journal_named.hpp"

namespace belfry::cli {

Command category_command() {
    Command command = named_command(
        model::JournalKind::category, "categories of the journal: add, list, edit, delete",
        "Every record lies in one category; agents work in those that they are allowed. What is given none lies in\n"
        "`general`, which is there as soon as it is needed. One that holds anything is not deleted.");
    command.examples = {{"belfry category add gym --name 'The gym' --color '#3366cc'", "a new one"},
                        {"belfry category list", "which there are"},
                        {"belfry category edit gym --name Sport", "another name; its id stays"}};
    return command;
}

}  // namespace belfry::cli
