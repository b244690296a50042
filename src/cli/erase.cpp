#include <algorithm>
#include <chrono>
#include <thread>

#include "cli/commands.hpp"
#include "cli/connection.hpp"

namespace belfry::cli {
namespace {

constexpr std::chrono::milliseconds pause_min{100};
constexpr std::chrono::milliseconds pause_max{2000};

void show_result(Context& context, const Arguments& arguments, const client::ErasureState& erasure) {
    if (arguments.has("json")) print_json(context, erasure.json);
    else context.console.out.line(host::printable(erasure.id));
}

// Polls until it is done. The daemon goes on by itself whether somebody waits or not.
Exit wait_for(Context& context, const Arguments& arguments, client::Client& client, const std::string& id) {
    std::string last_told;
    for (auto pause = pause_min;; pause = std::min(pause * 2, pause_max)) {
        const auto erasure = client.erasure(id);
        if (!erasure.ok()) {
            const Exit exit = fail(context, arguments, erasure.error());
            remark(context, "erasure " + id + " is recorded and goes on without us");
            return exit;
        }
        std::string now = erasure->state + " " + erasure->progress.bytes();
        if (!erasure->last_error.empty()) now += ", last failure: " + erasure->last_error;
        if (now != last_told && !arguments.has("json")) remark(context, "erasure " + id + ": " + now);
        last_told = now;
        if (erasure->state == "done") {
            show_result(context, arguments, *erasure);
            return Exit::ok;
        }
        std::this_thread::sleep_for(pause);
    }
}

Exit run_erase(Context& context, const Arguments& arguments) {
    const auto user = arguments.value("user");
    const auto options = find_daemon(context, arguments);
    if (!user || user->empty() || !options.ok()) {
        return usage_error(context, arguments,
                           options.ok() ? wrong("--user is missing: whose data?") : options.error());
    }
    client::Client client(*options);
    const auto owed = client.erase_user(*user);
    if (!owed.ok()) return fail(context, arguments, owed.error());
    if (!arguments.has("no-wait")) return wait_for(context, arguments, client, owed->id);
    show_result(context, arguments, *owed);
    return Exit::ok;
}

}  // namespace

Command erase_command() {
    Command command;
    command.name = "erase";
    command.summary = "remove a person's data for good";
    command.detail =
        "The wish is recorded first and then carried out in small steps, also across a restart of the daemon. Every\n"
        "entry that concerns the person loses its content; its place in the stream stays, marked as erased. That it\n"
        "was done is kept in the stream `audit`. Copies made by `belfry backup` are not touched.\n"
        "The erasure's id goes to standard output.";
    command.options = {{"user", "ID", "whose data"}, {"no-wait", "", "return once the wish is recorded"}};
    command.examples = {{"belfry erase --user ada", "and wait until it is done"},
                        {"belfry erase --user ada --no-wait --json", "only record it"}};
    command.reach = Reach::daemon;
    command.run = run_erase;
    return command;
}

}  // namespace belfry::cli
