#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "host/command.hpp"
#include "host/files.hpp"
#include "host/folders.hpp"

namespace belfry::cli {
namespace {

// How long the desktop has to say that it cannot. Where no browser runs yet, what it starts may be the browser itself,
// which ends when the person closes it.
constexpr base::Duration refusal_time_max = base::seconds(3);

std::string page_that_leads_to(std::string_view url) {
    std::string address;
    for (const char c : url) {
        if (c == '&') address += "&amp;";
        else if (c == '"') address += "&quot;";
        else if (c == '<') address += "&lt;";
        else address += c;
    }
    return "<!doctype html><meta charset=\"utf-8\"><title>Belfry</title><meta http-equiv=\"refresh\" content=\"0;url=" +
           address + "\"><a href=\"" + address + "\">Belfry</a>\n";
}

// What is on a command line everybody on the machine can read, and the link is for the first who opens it. So the
// browser is given a page of our own, which nobody else can read and which leads there.
base::Result<std::string> write_page(const std::string& url, const host::Environment& environment) {
    const host::Folders folders = host::standard_folders(environment);
    const std::string& folder = folders.runtime.empty() ? folders.data : folders.runtime;
    TRY(host::make_folder(folder, host::mode_private_folder));
    std::string path = host::join_path(folder, "open.html");
    TRY(host::write_file_atomically(path, page_that_leads_to(url), host::mode_private_file));
    return path;
}

// Shows an address in the desktop's browser. False where there is no desktop, or nothing on it that opens pages.
bool show(const std::string& url, const host::Environment& environment) {
    if (!environment.get("DISPLAY") && !environment.get("WAYLAND_DISPLAY")) return false;
    const auto page = write_page(url, environment);
    if (!page.ok()) return false;
    const auto ended = host::start_command({"xdg-open", *page}, refusal_time_max, environment);
    return ended.ok() && ended->value_or(0) == 0;
}

Exit run_open(Context& context, const Arguments& arguments) {
    auto options = find_daemon(context, arguments);
    if (!options.ok()) return usage_error(context, arguments, options.error());
    client::Client client(std::move(options).value());
    const auto link = client.make_link();
    if (!link.ok()) return fail(context, arguments, link.error());
    Output& out = context.console.out;
    if (arguments.has("json")) {
        out.line(host::escape_json_controls(link->json.bytes()));
        return Exit::ok;
    }
    if (!arguments.has("print") && show(link->url, context.environment)) {
        remark(context,
               "the web app opens in your browser; if that may not read the page that leads there (browsers of snap "
               "or flatpak may not): belfry open --print");
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
        "Asks the daemon for a one-time link and shows it on the desktop (xdg-open, by a page of its own that no\n"
        "other user can read), or prints it where there is none. A browser in a sandbox (snap, flatpak) may not be\n"
        "allowed to read that page: then --print. Whoever opens the link within ten minutes gets\n"
        "an access token of the role admin for 30 days, which the page keeps in that browser; `belfry token\n"
        "list` shows it and `belfry token revoke` ends it.";
    command.options = {{"print", "", "only print the link"}};
    command.examples = {{"belfry open", "the bell, the conversation, the runs and the ledger"},
                        {"belfry open --print", "for a browser elsewhere, through a tunnel"}};
    command.reach = Reach::daemon;
    command.run = run_open;
    return command;
}

}  // namespace belfry::cli
