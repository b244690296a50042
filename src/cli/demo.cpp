#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/demo_player.hpp"

namespace belfry::cli {
namespace {

constexpr std::int64_t rounds_max = 1000;

Exit run_demo(Context& context, const Arguments& arguments) {
    const auto rounds = arguments.integer("rounds", 1, rounds_max);
    if (!rounds.ok()) return usage_error(context, arguments, rounds.error());
    auto options = find_daemon(context, arguments);
    if (!options.ok()) return usage_error(context, arguments, options.error());
    client::Client client(std::move(options).value());
    auto clock = LocalClock::of(context, arguments);
    if (!clock.ok()) return usage_error(context, arguments, clock.error());
    DemoPlayer player(client, std::move(clock).value());
    // Rounds of two calls must not meet in one session.
    const std::int64_t first = context.now().us / 1'000'000;
    for (std::int64_t i = 0; i < rounds->value_or(1); ++i) {
        remark(context, "a little life, for about half a minute; `belfry open` shows it");
        const auto played = player.play(first + i);
        if (!played.ok()) return fail(context, arguments, played.error());
        if (!*played) break;  // interrupted
    }
    for (const std::string& complaint : player.complaints()) remark(context, host::printable(complaint));
    return player.complaints().empty() ? Exit::ok : Exit::partial;
}

}  // namespace

Command demo_command() {
    Command command;
    command.name = "demo";
    command.summary = "fill a daemon with believable activity, to look at";
    command.detail =
        "Plays for about half a minute what a few agents and programs do: a download that fails, an agent that\n"
        "narrates, one that crashes and is escalated, a budget that runs out, a run with three workers, a\n"
        "question that waits for you. With it comes a journal: tasks, a checklist, time, a plan for today, and an\n"
        "agent that speaks up when a task is done. Played again, it leaves that as you have made it. It is all\n"
        "real, and stays in the daemon's store: use it with one that you can throw away (`belfry serve --dev`\n"
        "plays it by itself).";
    command.options = {{"rounds", "N", "how often, one after the other; 1 unless told"}};
    command.examples = {{"belfry demo", "once"}, {"belfry demo --rounds 10", "while you look around"}};
    command.reach = Reach::daemon;
    command.run = run_demo;
    command.exits = {{Exit::partial, "some of it was refused"}};
    return command;
}

}  // namespace belfry::cli
