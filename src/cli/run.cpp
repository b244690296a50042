#include "cli/run.hpp"

#include <algorithm>
#include <unistd.h>

#include "cli/commands.hpp"
#include "host/signals.hpp"
#include "host/system_clock.hpp"

namespace belfry::cli {
namespace {

Exit wrong_usage(Context& context, const std::string& message, const std::string& hint) {
    std::string text = paint("belfry:", Colour::red, context.console.colours_err) + " ";
    host::append_printable(text, message);
    context.console.err.line(text);
    context.console.err.line(hint);
    return Exit::usage;
}

// Options may stand before the command, where they belong to every command: `belfry --data x tail`. They are moved
// behind it.
std::vector<std::string> command_first(std::span<const std::string> typed) {
    const std::vector<OptionSpec> common = common_options(Reach::daemon);
    std::size_t at = 0;
    while (at < typed.size() && typed[at].starts_with("--") && typed[at] != "--help" && typed[at] != "--version") {
        const std::string name = typed[at].substr(2, typed[at].find('=') - 2);
        const auto known = std::find_if(common.begin(), common.end(), [&](const auto& o) { return o.name == name; });
        const bool takes_next =
            known != common.end() && !known->placeholder.empty() && typed[at].find('=') == std::string::npos;
        at += takes_next ? 2 : 1;
    }
    std::vector<std::string> words;
    if (at >= typed.size()) return {typed.begin(), typed.end()};
    words.push_back(typed[at]);
    words.insert(words.end(), typed.begin(), typed.begin() + static_cast<std::ptrdiff_t>(at));
    words.insert(words.end(), typed.begin() + static_cast<std::ptrdiff_t>(at) + 1, typed.end());
    return words;
}

const Command* find_command(const std::vector<Command>& commands, std::string_view name) {
    for (const Command& command : commands) {
        if (command.name == name) return &command;
    }
    return nullptr;
}

Exit unknown_command(Context& context, const std::string& name) {
    return wrong_usage(context, no_such_command(context.commands, name), "`belfry help` lists the commands");
}

}  // namespace

std::vector<Command> own_commands(std::span<const model::ToolContract> tools) {
    return {emit_command(),    notify_command(), send_command(),      tail_command(),        inbox_command(),
            context_command(), run_command(),    agent_command(),     memory_command(),      wake_command(),
            work_command(),    task_command(),   checklist_command(), entry_command(),       plan_command(),
            time_command(),    rate_command(),   category_command(),  label_command(),       link_command(),
            journal_command(), why_command(),    ledger_command(),    subscriber_command(),  tool_command(tools),
            token_command(),   hook_command(),   wait_command(),      status_command(),      doctor_command(),
            config_command(),  timer_command(),  toon_command(),      render_command(),      backup_command(),
            restore_command(), erase_command(),  rpc_command(),       interaction_command(), change_command(),
            open_command(),    peer_command(),   sync_command(),      version_command(),     demo_command(),
            help_command()};
}

Exit run_commands(Context& context, std::span<const std::string> typed) {
    std::vector<std::string> words = command_first(typed);
    if (words.empty()) {
        context.console.err.write(overview_text(context.commands));
        return Exit::usage;
    }
    if (words.front() == "--help" || words.front() == "-h") words.front() = "help";
    if (words.front() == "--version") words.front() = "version";
    const Command* command = find_command(context.commands, words.front());
    if (command == nullptr) return unknown_command(context, words.front());
    words.erase(words.begin());
    const auto last_option = std::find(words.begin(), words.end(), "--");
    if (std::any_of(words.begin(), last_option, [](const auto& w) { return w == "--help" || w == "-h"; })) {
        context.console.out.write(help_text(*command));
        return Exit::ok;
    }
    const base::Result<Arguments> arguments = parse_arguments(full_spec(*command), words);
    if (!arguments.ok()) {
        wrong_usage(context, arguments.error().message,
                    "usage: " + usage_line(*command) + "\nmore: belfry " + command->name + " --help");
        return command->unknown_option;
    }
    return command->run(context, *arguments);
}

int run(int argc, const char* const* argv, std::vector<Command> extra, std::span<const model::ToolContract> tools) {
    host::ignore_broken_pipes();
    std::vector<Command> commands = std::move(extra);
    for (Command& command : own_commands(tools)) commands.push_back(std::move(command));
    const host::Environment environment = host::Environment::of_process();
    const host::SystemClock clock;
    Output out(STDOUT_FILENO);
    Output err(STDERR_FILENO);
    Console console{out,
                    err,
                    wants_colours(STDOUT_FILENO, environment),
                    wants_colours(STDERR_FILENO, environment),
                    ::isatty(STDERR_FILENO) == 1,
                    ::isatty(STDOUT_FILENO) == 1};
    Context context{console, environment, [&clock] { return clock.now(); }, commands};
    const std::vector<std::string> typed(argv + std::min(argc, 1), argv + argc);
    const Exit exit = run_commands(context, typed);
    out.flush();
    if (!out.failure().empty()) {
        err.line("belfry: cannot write to standard output: " + out.failure());
        return static_cast<int>(Exit::failure);
    }
    return static_cast<int>(exit);
}

}  // namespace belfry::cli
