#include "daemon/activity.hpp"

#include <filesystem>

#include "cli/demo_player.hpp"
#include "host/command.hpp"
#include "host/program.hpp"

namespace belfry::daemon {
namespace {

constexpr base::Duration between_rounds = base::seconds(20);

// As a person would have to type it: after `make run` the program is on no PATH.
std::string typed_name(const host::Environment& environment) {
    std::string own = host::own_program();
    std::error_code failed;
    const std::string found = host::find_program("belfry", environment);
    if (own.empty() || (!found.empty() && std::filesystem::equivalent(found, own, failed))) return "belfry";
    return own;
}

}  // namespace

void Activity::greet(cli::Context& context, const std::string& base, const std::string& link,
                     const std::string& token) {
    cli::Output& out = context.console.out;
    const bool colours = context.console.colours_out;
    out.line("");
    out.line("  " + cli::paint("Belfry rings.", cli::Colour::bold, colours) +
             " A temporary store; everything is gone when it stops (Ctrl-C).");
    out.line("");
    out.line("  look    " + cli::paint(link, cli::Colour::cyan, colours));
    out.line("  follow  " + typed_name(context.environment) + " tail --url " + base + " --token " + token);
    out.line("  ring    curl -s " + base + "/v1/events -H 'Authorization: Bearer " + token + "' \\");
    out.line(
        "            -d "
        "'{\"type\":\"ci.failed\",\"source\":\"me\",\"severity\":\"error\",\"payload\":{\"branch\":\"main\"}}'");
    out.line("");
    out.flush();
}

void Activity::start() {
    thread_ = std::thread([this] { run(); });
}

void Activity::stop() {
    client_.interrupt();
    if (thread_.joinable()) thread_.join();
}

void Activity::run() {
    cli::DemoPlayer player(client_, clock_);
    for (std::int64_t round = 1;; ++round) {
        const auto played = player.play(round);
        if (!played.ok() || !*played) return;
        if (client_.rest(between_rounds)) return;
    }
}

}  // namespace belfry::daemon
