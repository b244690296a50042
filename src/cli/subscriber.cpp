#include "codec/subscriber.hpp"

#include <algorithm>
#include <array>

#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/subscriber_alone.hpp"
#include "cli/table.hpp"

namespace belfry::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::string_view state_of(const client::SubscriberState& subscriber) {
    if (subscriber.core) return "core";
    if (!subscriber.enabled) return "";
    return *subscriber.enabled ? "on" : "off";
}

Exit list(Context& context, const Arguments& arguments, client::Client& client) {
    const auto found = client.subscribers(arguments.value_or("user", ""));
    if (!found.ok()) return fail(context, arguments, found.error());
    if (arguments.has("json")) {
        for (const client::SubscriberState& subscriber : found->subscribers) {
            print_json(context, subscriber.json);
        }
    } else {
        Table table({"ID", "STATE", "PRIORITY", "POINT", "TYPES", "NAME", "FILE"});
        for (const client::SubscriberState& subscriber : found->subscribers) {
            table.add({subscriber.id, std::string(state_of(subscriber)), subscriber.priority, subscriber.inject_at,
                       joined(subscriber.types), subscriber.name, subscriber.origin});
        }
        context.console.out.write(table.text(context.console.colours_out));
    }
    for (const model::SubscriberProblem& problem : found->problems) {
        remark(context, host::printable(codec::problem_line(problem)));
    }
    return Exit::ok;
}

// One member a line, but for those that say nothing.
void show_members(Context& context, const model::RawJson& json) {
    model::JsonWalker walker(json.view());
    std::string_view name;
    while (const auto value = walker.next(&name)) {
        std::string text = value->as_text();
        if (value->kind() == model::JsonKind::null || text == "[]") continue;
        if (value->kind() == model::JsonKind::array) {
            text.clear();
            model::JsonWalker elements(*value);
            while (const auto element = elements.next()) text += (text.empty() ? "" : ", ") + element->as_text();
        }
        std::string title(name);
        title.append(title.size() < 18 ? 18 - title.size() : 1, ' ');
        context.console.out.line(host::printable(title + text));
    }
}

Exit show(Context& context, const Arguments& arguments, client::Client& client) {
    const auto found = client.subscriber(arguments.positional(1), arguments.value_or("user", ""));
    if (!found.ok()) return fail(context, arguments, found.error());
    if (arguments.has("json")) print_json(context, found->json);
    else show_members(context, found->json);
    return Exit::ok;
}

Exit enable(Context& context, const Arguments& arguments, client::Client& client, bool enabled) {
    const auto done = client.enable_subscriber(arguments.positional(1), enabled, arguments.value_or("user", ""));
    if (!done.ok()) return fail(context, arguments, done.error());
    if (arguments.has("json")) print_json(context, done->json);
    else remark(context, done->id + " is " + std::string(state_of(*done)) + ", from the next event on");
    return Exit::ok;
}

Exit ask_daemon(Context& context, const Arguments& arguments, const std::string& action) {
    const auto options = find_daemon(context, arguments);
    if (!options.ok()) {
        return usage_error(context, arguments, options.error());
    }
    client::Client client(*options);
    if (action == "list") return list(context, arguments, client);
    if (action == "show") return show(context, arguments, client);
    return enable(context, arguments, client, action == "enable");
}

Exit run_subscriber(Context& context, const Arguments& arguments) {
    constexpr std::array<std::string_view, 6> actions{"list", "show", "test", "enable", "disable", "lint"};
    const std::string action = arguments.positional(0);
    const std::size_t named = arguments.positionals().size() - 1;
    std::string problem;
    if (std::find(actions.begin(), actions.end(), action) == actions.end()) {
        problem = "ACTION must be list, show, test, enable, disable or lint, not \"" + action + '"';
    } else if (action == "list" ? named > 0 : action != "lint" && named != 1) {
        problem = action == "list" ? "list takes no ID" : "one ID is expected: belfry subscriber " + action + " ID";
    }
    if (!problem.empty()) {
        return usage_error(context, arguments, wrong(problem));
    }
    if (action == "lint") return lint_subscribers(context, arguments);
    if (action == "test") return test_subscriber(context, arguments);
    return ask_daemon(context, arguments, action);
}

}  // namespace

Command subscriber_command() {
    Command command;
    command.name = "subscriber";
    command.summary = "list, show, try, switch and check what turns events into notifications";
    command.detail =
        "list and show ask the running daemon, enable and disable switch a subscriber on and off for one person\n"
        "from the next event on (a core one cannot be switched off). test renders what a subscriber makes of\n"
        "events and lint names every problem of subscriber files with line and field: both need no daemon.\n"
        "docs/subscribers.md describes the files.";
    command.options = {{"user", "ID", "for whom; without it whoever asks, or the daemon's owner"},
                       {"events", "FILE", "test: events as JSON, one a line; - is standard input; without it samples"},
                       {"folder", "DIR", "test and lint: the folder of your own files, if not the configured one"}};
    command.positionals = {{"ACTION", "list, show, test, enable, disable or lint"},
                           {"ID or FILE", "which subscriber; of lint, files and folders", PositionalSpec::Count::any}};
    command.examples = {
        {"belfry subscriber list", "what there is, and what is switched off"},
        {"belfry subscriber disable source_stale", "no more of these for me"},
        {"belfry subscriber lint ./subscribers", "before they are put in place"},
        {"belfry subscriber test tool_failure", "what a notification looks like"},
        {"belfry tail -n 50 --no-follow --json | belfry subscriber test mine --events -", "over the newest events"}};
    command.reach = Reach::daemon;
    command.exits = {{Exit::failure, "it failed; of lint, a file cannot be used; of test, a template failed"}};
    command.run = run_subscriber;
    return command;
}

}  // namespace belfry::cli
