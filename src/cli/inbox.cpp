#include <algorithm>
#include <array>

#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/inbox_follow.hpp"
#include "cli/notification_text.hpp"
#include "cli/table.hpp"

namespace belfry::cli {
namespace {

Exit show_one(Context& context, const Arguments& arguments, const base::Result<client::NotificationState>& one) {
    if (!one.ok()) return fail(context, arguments, one.error());
    if (arguments.has("json")) print_json(context, one->json);
    else
        remark(context, one->id + ": " + state_words(*one) + (read_words(*one).empty() ? "" : ", " + read_words(*one)));
    return Exit::ok;
}

Exit list(Context& context, const Arguments& arguments, client::Client& client, std::size_t limit) {
    client::InboxQuestion question;
    question.user_id = arguments.value_or("user", "");
    question.session_id = arguments.value_or("session", "");
    question.unread = arguments.has("unread");
    question.limit = limit;
    const auto inbox = client.inbox(question);
    if (!inbox.ok()) return fail(context, arguments, inbox.error());
    if (arguments.has("json")) {
        for (const client::NotificationState& item : inbox->items) {
            print_json(context, item.json);
        }
        return Exit::ok;
    }
    Table table({"ID", "WHEN", "PRIORITY", "STATE", "READ", "TEXT"});
    for (const client::NotificationState& item : inbox->items) {
        table.add({item.id, item.created_at, item.priority, state_words(item), read_words(item), gist(item)});
    }
    context.console.out.write(table.text(context.console.colours_out));
    remark(context, std::to_string(inbox->unread) + " unread, " + std::to_string(inbox->waiting) + " waiting" +
                        (inbox->more ? "; there are more, see --limit" : ""));
    return Exit::ok;
}

Exit read_one(Context& context, const Arguments& arguments, client::Client& client) {
    const std::string id = arguments.positional(1);
    const auto mark = model::parse_read_mark(arguments.value_or("mark", "seen"));
    if (!mark) {
        return usage_error(context, arguments, wrong("--mark must be seen, acted or dismissed"));
    }
    const auto marked = client.mark_notification(id, *mark);
    if (marked.ok() && !arguments.has("json")) {
        const std::string& text = marked->text.empty() ? marked->content : marked->text;
        context.console.out.line(printable_lines(marked->narration.empty() ? text : marked->narration));
    }
    return show_one(context, arguments, marked);
}

// Under the lease and the version that it has now, unless what was shown had others.
Exit acknowledge(Context& context, const Arguments& arguments, client::Client& client) {
    const std::string id = arguments.positional(1);
    const auto lease = arguments.integer("lease", 1, INT64_MAX);
    const auto version = arguments.integer("version", 1, INT64_MAX);
    if (!lease.ok() || !version.ok()) {
        return usage_error(context, arguments, lease.ok() ? version.error() : lease.error());
    }
    std::int64_t lease_now = lease->value_or(0);
    std::int64_t version_now = version->value_or(0);
    if (lease_now == 0 || version_now == 0) {
        const auto now = client.notification(id);
        if (!now.ok()) return fail(context, arguments, now.error());
        if (lease_now == 0) lease_now = now->lease;
        if (version_now == 0) version_now = now->version;
    }
    return show_one(context, arguments, client.acknowledge_notification(id, lease_now, version_now, "clicked"));
}

Exit run_inbox(Context& context, const Arguments& arguments) {
    constexpr std::array<std::string_view, 4> actions{"list", "follow", "read", "ack"};
    const std::string action = arguments.positionals().empty() ? "list" : arguments.positional(0);
    const bool is_about_one = action == "read" || action == "ack";
    const bool has_id = arguments.positionals().size() == 2 && !arguments.positional(1).empty();
    const auto limit = arguments.integer("limit", 1, 100'000);
    const auto options = find_daemon(context, arguments);
    base::Error problem;
    if (std::ranges::find(actions, action) == actions.end()) {
        problem = wrong("ACTION must be list, follow, read or ack, not \"" + action + '"');
    } else if (is_about_one != has_id) {
        problem = wrong(is_about_one ? "ID is missing: belfry inbox " + action + " ID" : action + " takes no ID");
    } else if (!limit.ok()) {
        problem = limit.error();
    } else if (!options.ok()) {
        problem = options.error();
    }
    if (!problem.message.empty()) {
        return usage_error(context, arguments, problem);
    }
    client::Client client(*options);
    if (action == "list") return list(context, arguments, client, static_cast<std::size_t>(limit->value_or(50)));
    if (action == "read") return read_one(context, arguments, client);
    if (action == "ack") return acknowledge(context, arguments, client);
    return follow_inbox(context, arguments, client);
}

}  // namespace

Command inbox_command() {
    Command command;
    command.name = "inbox";
    command.summary = "a person's notifications: list, follow, read, acknowledge";
    command.detail =
        "list shows the newest first. follow is an interface: what waits is shown, oldest first, and then what comes,\n"
        "until it is interrupted; with --ack each one counts as delivered when it was shown here, else it goes on\n"
        "waiting for an interface. read shows one and marks it as seen; ack says that the\n"
        "person has it and has acted on it.";
    command.options = {{"user", "ID", "whose; without it whoever asks, or the daemon's owner"},
                       {"session", "ID", "only of this conversation"},
                       {"unread", "", "list: only what was not seen"},
                       {"limit", "N", "list: how many (50 unless given)", 'n'},
                       {"ack", "", "follow: acknowledge what was shown"},
                       {"mark", "MARK", "read: seen (unless given), acted or dismissed"},
                       {"lease", "N", "ack: of what was shown; without it the present one"},
                       {"version", "N", "ack: of what was shown; without it the present one"}};
    command.positionals = {{"ACTION", "list (unless given), follow, read or ack", PositionalSpec::Count::optional},
                           {"ID", "of read and ack: which", PositionalSpec::Count::optional}};
    command.examples = {{"belfry inbox", "what is new"},
                        {"belfry inbox follow --ack", "in a terminal of its own"},
                        {"belfry inbox read 0198…", "one in full"},
                        {"belfry inbox list --unread --json | jq -r .text", "for a status bar"}};
    command.reach = Reach::daemon;
    command.run = run_inbox;
    return command;
}

}  // namespace belfry::cli
