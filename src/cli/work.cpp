#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/worker.hpp"

namespace belfry::cli {
namespace {

Exit run_work(Context& context, const Arguments& arguments) {
    const auto wish = read_worker_wish(context, arguments);
    const auto options = find_daemon(context, arguments);
    base::Error problem;
    if (!wish.ok()) problem = wish.error();
    else if (wish->command.empty()) problem = wrong("COMMAND is missing: belfry work --agent NAME -- COMMAND");
    else if (wish->command.size() != arguments.positionals().size()) problem = wrong("COMMAND must stand after --");
    else if (!options.ok()) problem = options.error();
    if (!problem.message.empty()) return usage_error(context, arguments, problem);
    return run_worker(context, arguments, *options, *wish);
}

}  // namespace

Command work_command() {
    Command command;
    command.name = "work";
    command.summary = "run a command for each wake of an agent, as its worker";
    command.detail =
        "Waits for the wakes of these agents and runs the command for each, one after the other. The command gets the\n"
        "wake, its agent, its signals, the newest messages of its thread and the plans that an earlier attempt has\n"
        "stored as JSON on standard input, and BELFRY_WAKE_ID, BELFRY_RUN_ID, "
        "BELFRY_RUN_KEY,\n"
        "BELFRY_AGENT, BELFRY_FENCE, BELFRY_REASON, BELFRY_EVENT_TYPE (of the first event) and BELFRY_URL in its\n"
        "environment. What it writes is shown here and goes into its run. When it ends with 0 the wake is completed,\n"
        "and the last line of its standard output, where that is a JSON object, is the result; else the wake has\n"
        "failed and is tried again after a pause, under the same BELFRY_RUN_KEY.\n"
        "A wake that is cancelled, or that somebody else has taken over, ends the command: SIGTERM, then SIGKILL "
        "after\n"
        "five seconds. Ctrl-C ends it, too, and gives the wake back. A daemon that is away is waited for. Several\n"
        "workers may serve one agent: each wake is run by one of them.";
    command.options = worker_options();
    command.options.insert(command.options.begin(),
                           {"agent", "NAME", "whose wakes; may stand more than once", 0, true});
    command.positionals = {{"COMMAND", "after --: the program and its arguments", PositionalSpec::Count::any}};
    command.examples = {
        {"belfry work --agent coach -- ./my-agent.py", "until Ctrl-C"},
        {"belfry work --agent coach --once -- ./my-agent.py", "one wake, and its end is the exit code"}};
    command.reach = Reach::daemon;
    command.run = run_work;
    command.exits = {{Exit::ok, "it was told to stop; with --once: the wake is completed"},
                     {Exit::failure, "an agent is not there or was destroyed; with --once: the wake has failed"},
                     {Exit::unreachable, ""}};
    return command;
}

}  // namespace belfry::cli
