#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "host/command.hpp"

namespace belfry::cli {
namespace {

constexpr base::Duration browser_time_max = base::seconds(10);

// Hands an address to the desktop's browser. False where there is no desktop, or nothing on it that opens addresses.
bool show(const std::string& url, const host::Environment& environment) {
    if (!environment.get("DISPLAY") && !environment.get("WAYLAND_DISPLAY")) return false;
    const auto shown = host::run_command({{"xdg-open", url}, {}, browser_time_max}, environment);
    return shown.ok() && shown->status == 0;
}

Exit run_open(Context& context, const Arguments& arguments) {
    auto options = find_daemon(context, arguments);
    if (!options.ok()) return fail(context, arguments, options.error());
    client::Client client(std::move(options).value());
    const auto link = client.make_link();
    if (!link.ok()) return fail(context, arguments, link.error());
    Output& out = context.console.out;
    if (arguments.has("json")) {
        out.line(host::escape_json_controls(link->json.bytes()));
        return Exit::ok;
    }
    if (!arguments.has("print") && show(link->url, context.environment)) {
        remark(context, "the web app opens in your browser");
        return Exit::ok;
    }
    out.line(host::printable(link->url));
    remark(context, "open it within ten minutes; it works once");
    return Exit::ok;
}

}  // namespace

Command open_command() {
    Command command;
    command.name = "open";
    command.summary = "open the web app in a browser";
    command.detail =
        "Asks the daemon for a one-time link and hands it to the desktop (xdg-open), or prints it where there\n"
        "is none. Whoever opens the link within ten minutes gets an access token of the role admin for 30\n"
        "days, which the page keeps in that browser; `belfry token list` shows it and `belfry token revoke`\n"
        "ends it.";
    command.options = {{"print", "", "only print the link"}};
    command.examples = {{"belfry open", "the bell, the conversation, the runs and the ledger"},
                        {"belfry open --print", "for a browser elsewhere, through a tunnel"}};
    command.reach = Reach::daemon;
    command.run = run_open;
    return command;
}

}  // namespace belfry::cli
