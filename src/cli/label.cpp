#include "cli/commands.hpp"
#include "cli/journal_named.hpp"

namespace belfry::cli {

Command label_command() {
    Command command = named_command(model::JournalKind::label, "labels for tasks: add, list, edit, delete",
                                    "A task has any number of labels, `belfry task add … --label urgent`.");
    command.examples = {{"belfry label add urgent --color '#cc0000'", "a new one"},
                        {"belfry label list", "which there are"},
                        {"belfry task list --label urgent", "what has it"}};
    return command;
}

}  // namespace belfry::cli
