#include <algorithm>
#include <array>

#include "base/context_limits.hpp"
#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/input.hpp"
#include "cli/table.hpp"
#include "client/context_values.hpp"

namespace belfry::cli {
namespace {

// What an action takes after its own name.
struct Action {
    std::string_view name;
    std::size_t positionals;
    std::string_view usage;
};
constexpr std::array<Action, 4> actions{
    {{"set", 3, "set NAME VALUE"}, {"get", 2, "get NAME"}, {"list", 1, "list"}, {"delete", 2, "delete NAME"}}};

client::ContextValueScope scope_of(const Arguments& arguments) {
    return {arguments.value_or("user", ""), arguments.value_or("session", ""), arguments.value_or("agent", "")};
}

base::Result<std::string> read_content(const Arguments& arguments) {
    const std::string typed = arguments.positional(2);
    if (typed != "-") return typed;
    TRY_ASSIGN(std::string text, read_input(typed, base::limits::context_content_bytes_max));
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

void print_lines(Context& context, std::string_view text) {
    for (;;) {
        const std::size_t end = text.find('\n');
        context.console.out.line(host::printable(text.substr(0, end)));
        if (end == std::string_view::npos) return;
        text.remove_prefix(end + 1);
    }
}

Exit set(Context& context, const Arguments& arguments, client::ContextValues& values) {
    const auto content = read_content(arguments);
    if (!content.ok()) return usage_error(context, arguments, content.error());
    const auto ttl = arguments.duration("ttl");
    if (!ttl.ok()) return usage_error(context, arguments, ttl.error());
    if (*ttl && (*ttl)->us % 1'000'000 != 0) {
        return usage_error(context, arguments, wrong("--ttl must be whole seconds"));
    }
    const auto value = values.set(arguments.positional(1), *content, scope_of(arguments), *ttl);
    if (!value.ok()) return fail(context, arguments, value.error());
    if (arguments.has("json")) print_json(context, value->json);
    else remark(context, value->name + " of " + value->scope.user_id + " is set until " + value->expires_at);
    return Exit::ok;
}

Exit get(Context& context, const Arguments& arguments, client::ContextValues& values) {
    const auto value = values.get(arguments.positional(1), scope_of(arguments));
    if (!value.ok()) return fail(context, arguments, value.error());
    if (arguments.has("json")) print_json(context, value->json);
    else print_lines(context, value->content);
    return Exit::ok;
}

Exit list(Context& context, const Arguments& arguments, client::ContextValues& values) {
    const auto found = values.list(scope_of(arguments));
    if (!found.ok()) return fail(context, arguments, found.error());
    if (arguments.has("json")) {
        for (const client::ContextValueNow& value : *found) print_json(context, value.json);
        return Exit::ok;
    }
    Table table({"NAME", "SESSION", "AGENT", "UPDATED", "EXPIRES", "CONTENT"});
    for (const client::ContextValueNow& value : *found) {
        table.add({value.name, value.scope.session_id, value.scope.agent_id, value.updated_at, value.expires_at,
                   value.content});
    }
    context.console.out.write(table.text(context.console.colours_out));
    return Exit::ok;
}

Exit remove(Context& context, const Arguments& arguments, client::ContextValues& values) {
    const std::string name = arguments.positional(1);
    const auto removed = values.remove(name, scope_of(arguments));
    if (!removed.ok()) return fail(context, arguments, removed.error());
    if (arguments.has("json")) {
        std::string json;
        model::JsonWriter(json).begin_object().field("name", name).name("deleted").boolean(true).end_object();
        context.console.out.line(host::escape_json_controls(json));
    } else {
        remark(context, name + " is deleted");
    }
    return Exit::ok;
}

base::Result<void> check_action(const Arguments& arguments) {
    const std::string name = arguments.positional(0);
    const auto* const action = std::ranges::find(actions, name, &Action::name);
    if (action == actions.end()) return wrong("ACTION must be set, get, list or delete, not \"" + name + '"');
    if (arguments.positionals().size() != action->positionals) {
        return wrong("usage: belfry context " + std::string(action->usage));
    }
    if (arguments.has("ttl") && name != "set") return wrong("--ttl is not for " + name);
    return {};
}

Exit run_context(Context& context, const Arguments& arguments) {
    const auto checked = check_action(arguments);
    if (!checked.ok()) return usage_error(context, arguments, checked.error());
    const auto options = find_daemon(context, arguments);
    if (!options.ok()) return usage_error(context, arguments, options.error());
    client::Client client(*options);
    client::ContextValues values(client);
    const std::string action = arguments.positional(0);
    if (action == "set") return set(context, arguments, values);
    if (action == "get") return get(context, arguments, values);
    return action == "list" ? list(context, arguments, values) : remove(context, arguments, values);
}

}  // namespace

Command context_command() {
    Command command;
    command.name = "context";
    command.summary = "set, get, list or delete context values, which agents read when they ask";
    command.detail =
        "A context value is a state that a program keeps up to date, such as the progress of a build. An agent reads\n"
        "the current value with a pull that asks for it. A context value wakes no agent and is never a notification.\n"
        "\n"
        "A value belongs to a user. With --session or --agent only pulls of that session, or of sessions of that\n"
        "agent, return it. `set` replaces the value of the same name and scope. docs/context.md has the rules.";
    command.options = {{"user", "ID", "user of the value (default: user of the session, of the token, or the owner)"},
                       {"session", "ID", "session of the value (default: all sessions; list: any)"},
                       {"agent", "ID", "agent of the value (default: all agents; list: any)"},
                       {"ttl", "TIME", "set: lifetime of the value (default 300s, 1s to 24h)"}};
    command.positionals = {
        {"ACTION", "set, get, list or delete"},
        {"NAME", "set, get, delete: name of the value, such as build.progress", PositionalSpec::Count::optional},
        {"VALUE", "set: text of at most 16,384 bytes; - is standard input", PositionalSpec::Count::optional}};
    command.examples = {{"belfry context set build.progress '71 % done' --ttl 60s", "a program reports where it is"},
                        {"df -h | belfry context set disk.usage - --agent coder", "for the sessions of one agent"},
                        {"belfry context list", "current values of the owner"}};
    command.reach = Reach::daemon;
    command.run = run_context;
    return command;
}

}  // namespace belfry::cli
