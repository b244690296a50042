#include <charconv>

#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/table.hpp"

namespace belfry::cli {
namespace {

std::string counts_text(const client::ChangeSetNow& set) {
    std::string text;
    const auto add = [&](std::int64_t count, const char* what) {
        if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + ' ' + what;
    };
    add(set.proposed, "proposed");
    add(set.accepted, "accepted");
    add(set.rejected, "rejected");
    add(set.failed, "failed");
    return text;
}

// `made task "Stretch", changed task "Run"`.
std::string changes_text(const client::ChangeItemNow& item) {
    std::string text;
    model::JsonWalker walker(item.changes.view());
    while (const auto change = walker.next()) {
        const auto word = [&](std::string_view name) {
            const auto member = change->member(name);
            return member ? member->as_text() : std::string();
        };
        if (!text.empty()) text += ", ";
        text += word("change") + ' ' + word("kind");
        if (const std::string title = word("title"); !title.empty()) text += " \"" + title + '"';
    }
    return text;
}

void print_set(Context& context, const Arguments& arguments, const client::ChangeSetNow& set) {
    if (arguments.has("json")) return print_json(context, set.json);
    remark(context, set.agent_name + ": " + counts_text(set));
    Table table({"ITEM", "TOOL", "STATE", "CHANGES", "ARGUMENTS", "ERROR"});
    for (const client::ChangeItemNow& item : set.items) {
        table.add({std::to_string(item.number), item.tool_name, item.state, changes_text(item), item.arguments.bytes(),
                   item.error});
    }
    context.console.out.write(table.text(context.console.colours_out));
}

Exit list(Context& context, const Arguments& arguments, client::Client& client) {
    client::ChangeSetQuestion question;
    question.user_id = arguments.value_or("user", "");
    question.agent_id = arguments.value_or("agent", "");
    question.all = arguments.has("all");
    const auto found = client.change_sets(question);
    if (!found.ok()) return fail(context, arguments, found.error());
    Table table({"ID", "AGENT", "STATE", "CHANGES", "SINCE"});
    for (const client::ChangeSetNow& set : *found) {
        if (arguments.has("json")) print_json(context, set.json);
        table.add({set.id, set.agent_id, set.state, counts_text(set), set.created_at});
    }
    if (!arguments.has("json")) context.console.out.write(table.text(context.console.colours_out));
    return Exit::ok;
}

base::Result<std::optional<std::int64_t>> read_item(const Arguments& arguments) {
    if (arguments.positionals().size() < 3) return std::optional<std::int64_t>{};
    const std::string text = arguments.positional(2);
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed == std::errc{} && end == text.data() + text.size() && number > 0) return std::optional(number);
    return wrong("ITEM must be the number of an item, such as 1, not \"" + text + '"');
}

// Somebody has to look where something was accepted and could not be done.
Exit decide(Context& context, const Arguments& arguments, client::Client& client, client::ChangeDecision decision) {
    const auto number = read_item(arguments);
    if (!number.ok()) return usage_error(context, arguments, number.error());
    const auto decided = client.decide_changes(arguments.positional(1), *number, decision);
    if (!decided.ok()) return fail(context, arguments, decided.error());
    print_set(context, arguments, *decided);
    for (const client::ChangeItemNow& item : decided->items) {
        const bool is_asked = !*number || **number == item.number;
        const bool is_undone = decision == client::ChangeDecision::accept && item.state == "failed";
        if (is_asked && is_undone) return Exit::failure;
    }
    return Exit::ok;
}

Exit show(Context& context, const Arguments& arguments, client::Client& client) {
    const auto found = client.change_set(arguments.positional(1));
    if (!found.ok()) return fail(context, arguments, found.error());
    print_set(context, arguments, *found);
    return Exit::ok;
}

Exit run_change(Context& context, const Arguments& arguments) {
    const std::string action = arguments.positional(0);
    const std::size_t words = arguments.positionals().size();
    const bool is_decision = action == "accept" || action == "reject";
    const auto options = find_daemon(context, arguments);
    base::Error problem;
    if (action != "list" && action != "show" && !is_decision) {
        problem = wrong("ACTION must be list, show, accept or reject, not \"" + action + '"');
    } else if (action == "list" ? words != 1 : words < 2) {
        problem = wrong(action == "list" ? "list takes no SET" : "SET is missing: belfry change " + action + " SET");
    } else if (action == "show" && words != 2) {
        problem = wrong("show takes a SET only");
    } else if (!options.ok()) {
        problem = options.error();
    }
    if (!problem.message.empty()) return usage_error(context, arguments, problem);
    client::Client client(*options);
    if (action == "list") return list(context, arguments, client);
    if (action == "show") return show(context, arguments, client);
    const bool accepts = action == "accept";
    return decide(context, arguments, client,
                  accepts ? client::ChangeDecision::accept : client::ChangeDecision::reject);
}

}  // namespace

Command change_command() {
    Command command;
    command.name = "change";
    command.summary = "what agents propose instead of doing it: list, show, accept, reject";
    command.detail =
        "An agent whose policy for a tool is propose does not change anything by itself: its calls wait in a set, one\n"
        "for each wake. What is accepted is done then, within what the agent may do then; what the tool refuses is\n"
        "failed. Who decides needs an access token of the person, or of one who acts for him. Without an ITEM, accept\n"
        "and reject are about all that is open in the set. The exit status is 1 where something could not be done.";
    command.options = {{"agent", "ID", "list: of this agent only"},
                       {"user", "ID", "list: to this person only"},
                       {"all", "", "list: those that were decided, too"}};
    command.positionals = {
        {"ACTION", "list, show, accept or reject"},
        {"SET", "of all but list: which", PositionalSpec::Count::optional},
        {"ITEM", "accept, reject: its number; all that is open unless told", PositionalSpec::Count::optional}};
    command.examples = {{"belfry change list", "what waits for a decision"},
                        {"belfry change show ID", "what would change"},
                        {"belfry change accept ID 2 --token bf_…", "have the second one done"},
                        {"belfry change reject ID --token bf_…", "nothing of what is left"}};
    command.reach = Reach::daemon;
    command.run = run_change;
    return command;
}

}  // namespace belfry::cli
