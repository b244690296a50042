#include "cli/commands.hpp"

namespace belfry::cli {
namespace {

Exit run_help(Context& context, const Arguments& arguments) {
    const std::string name = arguments.positional(0);
    if (name.empty()) {
        context.console.out.write(overview_text(context.commands));
        return Exit::ok;
    }
    for (const Command& command : context.commands) {
        if (command.name != name) continue;
        context.console.out.write(help_text(command));
        return Exit::ok;
    }
    return usage_error(context, arguments, base::error(base::Code::not_found, no_such_command(context.commands, name)));
}

}  // namespace

Command help_command() {
    Command command;
    command.name = "help";
    command.summary = "this overview, or the help of one command";
    command.positionals = {{"COMMAND", "the command to explain", PositionalSpec::Count::optional}};
    command.examples = {{"belfry help emit", "the same as belfry emit --help"}};
    command.run = run_help;
    return command;
}

}  // namespace belfry::cli
