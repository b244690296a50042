#include "base/limits.hpp"
#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/input.hpp"
#include "cli/table.hpp"
#include "codec/json.hpp"

namespace belfry::cli {
namespace {

struct Wish {
    model::Impact impact = model::Impact::external;
    std::optional<model::RawJson> schema;
};

base::Result<Wish> read_wish(const Arguments& arguments) {
    Wish wish;
    const std::string impact = arguments.value_or("impact", "");
    if (impact != "internal" && impact != "external") {
        return wrong("--impact must be internal or external: is what it does felt outside?");
    }
    if (impact == "internal") wish.impact = model::Impact::internal;
    const auto file = arguments.value("schema");
    if (!file) return wish;
    TRY_ASSIGN(const std::string text, read_input(*file, base::limits::tool_schema_bytes_max));
    auto schema = codec::validate(text);
    if (!schema.ok() || schema->view().kind() != model::JsonKind::object) {
        return wrong("--schema " + *file + " is no JSON object" + (schema.ok() ? "" : ": " + schema.error().message));
    }
    wish.schema = std::move(*schema);
    return wish;
}

Exit list(Context& context, const Arguments& arguments, client::Client& client) {
    const auto tools = client.tools();
    if (!tools.ok()) return fail(context, arguments, tools.error());
    if (arguments.has("json")) {
        for (const client::ToolState& tool : *tools) {
            print_json(context, tool.json);
        }
        return Exit::ok;
    }
    Table table({"NAME", "IMPACT", "CHANGED", "DESCRIPTION"});
    for (const client::ToolState& tool : *tools) {
        table.add({tool.name, tool.impact, tool.updated_at, tool.description});
    }
    context.console.out.write(table.text(context.console.colours_out));
    return Exit::ok;
}

Exit put(Context& context, const Arguments& arguments, client::Client& client) {
    const auto wish = read_wish(arguments);
    if (!wish.ok()) {
        return usage_error(context, arguments, wish.error());
    }
    const auto tool =
        client.put_tool(arguments.positional(1), wish->impact, arguments.value_or("description", ""), wish->schema);
    if (!tool.ok()) return fail(context, arguments, tool.error());
    if (arguments.has("json")) print_json(context, tool->json);
    else remark(context, tool->name + " is " + tool->impact);
    return Exit::ok;
}

Exit remove(Context& context, const Arguments& arguments, client::Client& client) {
    const std::string name = arguments.positional(1);
    const auto removed = client.remove_tool(name);
    if (!removed.ok()) return fail(context, arguments, removed.error());
    if (arguments.has("json")) {
        std::string json;
        model::JsonWriter(json).begin_object().field("name", name).name("removed").boolean(true).end_object();
        context.console.out.line(host::escape_json_controls(json));
    } else {
        remark(context, name + " is removed, and counts as external from now on");
    }
    return Exit::ok;
}

Exit run_tool(Context& context, const Arguments& arguments) {
    const std::string action = arguments.positional(0);
    const bool is_known = action == "list" || action == "put" || action == "remove";
    const bool has_name = arguments.positionals().size() == 2 && !arguments.positional(1).empty();
    const auto options = find_daemon(context, arguments);
    base::Error problem;
    if (!is_known) problem = wrong("ACTION must be list, put or remove, not \"" + action + '"');
    else if (has_name != (action != "list")) {
        problem = wrong(has_name ? "list takes no NAME" : "NAME is missing: belfry tool " + action + " NAME");
    } else if (!options.ok()) problem = options.error();
    if (!problem.message.empty()) {
        return usage_error(context, arguments, problem);
    }
    client::Client client(*options);
    if (action == "list") return list(context, arguments, client);
    return action == "put" ? put(context, arguments, client) : remove(context, arguments, client);
}

}  // namespace

Command tool_command() {
    Command command;
    command.name = "tool";
    command.summary = "which tools of agents are felt outside: list, put, remove";
    command.detail =
        "An agent may deal with some notifications by itself, without a word to the person. As soon as it uses a tool\n"
        "whose effects are felt outside in doing so, the person is told. A tool that is not registered counts as\n"
        "external.";
    command.options = {{"impact", "IMPACT", "put: internal or external"},
                       {"description", "TEXT", "put: what it does"},
                       {"schema", "FILE", "put: the JSON schema of its arguments; - is standard input"}};
    command.positionals = {{"ACTION", "list, put or remove"},
                           {"NAME", "of put and remove: which", PositionalSpec::Count::optional}};
    command.examples = {{"belfry tool put read_file --impact internal", "nobody outside notices it"},
                        {"belfry tool put send_mail --impact external --schema send_mail.json", "with its arguments"},
                        {"belfry tool list", "what is registered"}};
    command.reach = Reach::daemon;
    command.run = run_tool;
    return command;
}

}  // namespace belfry::cli
