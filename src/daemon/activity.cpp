#include "daemon/activity.hpp"

#include "cli/demo_player.hpp"

namespace belfry::daemon {
namespace {

constexpr base::Duration between_rounds = base::seconds(20);

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
    out.line("  follow  belfry tail --url " + base + " --token " + token);
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
    cli::DemoPlayer player(client_);
    for (std::int64_t round = 1;; ++round) {
        const auto played = player.play(round);
        if (!played.ok() || !*played) return;
        if (client_.rest(between_rounds)) return;
    }
}

}  // namespace belfry::daemon
