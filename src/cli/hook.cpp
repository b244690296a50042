#include "base/limits.hpp"
#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/hook_install.hpp"
#include "cli/hook_run.hpp"
#include "cli/input.hpp"
#include "host/files.hpp"
#include "host/folders.hpp"

namespace belfry::cli {
namespace {

constexpr std::int64_t budget_default = 2000;

// To a coding agent, exit code 2 means that its own doing is forbidden, and any other failure is a nuisance. So
// whatever Belfry cannot do at the moment is done without: silence and 0. A command line that is wrong is told, with 1.
Exit run_claude_code(Context& context, const Arguments& arguments) {
    const auto budget = arguments.integer("budget", 1, base::limits::pull_budget_tokens_max);
    if (!budget.ok()) return fail(context, arguments, budget.error());
    const auto text = read_input(arguments.value_or("input", "-"), base::limits::hook_input_bytes_max);
    if (!text.ok()) return fail(context, arguments, text.error());
    const auto input = read_hook_input(*text);
    if (!input.ok()) {
        return fail(context, arguments,
                    base::error(input.error().code, "the input is none of a hook: " + input.error().message));
    }
    if (!*input) return Exit::ok;
    auto options = find_daemon(context, arguments);
    if (!options.ok()) {
        fail(context, arguments, options.error());
        return Exit::failure;
    }
    client::Client client(hook_options(*options));
    const host::Folders folders = host::standard_folders(context.environment);
    HookRun hook(client, {arguments.value_or("agent", "claude-code"), arguments.value_or("for-user", ""),
                          budget->value_or(budget_default), host::join_path(folders.data, "hooks")});
    const auto told = hook.run(**input);
    if (!told.ok()) {
        if (arguments.has("verbose")) fail(context, arguments, told.error());
        return Exit::ok;
    }
    if (hook.unreported() && arguments.has("verbose")) fail(context, arguments, *hook.unreported());
    if (told->empty()) return Exit::ok;
    context.console.out.line(host::escape_json_controls(hook_answer((*input)->event, *told)));
    if (context.console.out.flush()) hook.given();
    return Exit::ok;
}

Exit run_hook(Context& context, const Arguments& arguments) {
    const std::string action = arguments.positional(0);
    const std::string program = arguments.positional(1);
    if (action == "claude-code" && program.empty()) return run_claude_code(context, arguments);
    if (action != "install" && action != "uninstall") {
        fail(context, arguments, wrong("ACTION must be claude-code, install or uninstall, not \"" + action + '"'));
        return Exit::failure;  // also what an older version of the settings may have written
    }
    if (program != "claude-code") {
        return usage_error(context, arguments, wrong("which program? belfry hook " + action + " claude-code"));
    }
    return action == "install" ? install_hooks(context, arguments) : uninstall_hooks(context, arguments);
}

}  // namespace

Command hook_command() {
    Command command;
    command.name = "hook";
    command.summary = "be the hook of a coding agent, or install it there";
    command.detail =
        "claude-code is what Claude Code runs: it reads the hook's JSON on standard input, reports what happened\n"
        "(turns, calls of tools, failures) and answers with what the agent must know now as additional context. With\n"
        "the daemon down it says nothing and ends at once with 0.\n"
        "install puts it into the settings of Claude Code, after showing the difference; doing it twice changes\n"
        "nothing. uninstall takes it out again and leaves the file as it was before.";
    command.options = {{"settings", "FILE", "install, uninstall: this settings file"},
                       {"project", "", "install, uninstall: ./.claude/settings.json"},
                       {"user", "", "install, uninstall: ~/.claude/settings.json (unless given)"},
                       {"yes", "", "install, uninstall: write without asking", 'y'},
                       {"program", "PATH", "install: the belfry to run; this one unless given"},
                       {"agent", "ID", "the agent's id in Belfry (claude-code unless given)"},
                       {"for-user", "ID", "whose sessions they are; without it the token's, or the daemon's owner"},
                       {"budget", "N", "model tokens that one hook may add (2000 unless given)"},
                       {"input", "FILE", "claude-code: read this file, to try it out"},
                       {"verbose", "", "claude-code: say on standard error why nothing was done"}};
    command.positionals = {{"ACTION", "claude-code, install or uninstall"},
                           {"PROGRAM", "of install and uninstall: claude-code", PositionalSpec::Count::optional}};
    command.examples = {{"belfry hook install claude-code", "for all my projects; shows the difference and asks"},
                        {"belfry hook install claude-code --project --yes", "for this project, without asking"},
                        {"belfry hook uninstall claude-code", "as if it had never been there"},
                        {"belfry hook claude-code --input prompt.json --verbose", "try a hook's input by hand"}};
    command.reach = Reach::daemon;
    command.run = run_hook;
    command.exits = {
        {Exit::ok, "done; of claude-code also: the daemon is not there"},
        {Exit::failure, "it failed, or an option is wrong; of install and uninstall also: nothing was written"},
        {Exit::usage, "never of claude-code; of install and uninstall: it is not clear what to do"}};
    command.unknown_option = Exit::failure;
    return command;
}

}  // namespace belfry::cli
