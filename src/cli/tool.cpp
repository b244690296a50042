#include "base/limits.hpp"
#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/input.hpp"
#include "cli/table.hpp"
#include "cli/tool_serve.hpp"
#include "client/tools.hpp"
#include "codec/json.hpp"

namespace belfry::cli {
namespace {

base::Result<client::ToolRequest> read_wish(const Arguments& arguments) {
    client::ToolRequest wish;
    wish.name = arguments.positional(1);
    const std::string impact = arguments.value_or("impact", "");
    if (impact != "internal" && impact != "external") {
        return wrong("--impact must be internal or external: is what it does felt outside?");
    }
    if (impact == "internal") wish.impact = model::Impact::internal;
    wish.description = arguments.value_or("description", "");
    wish.risk = arguments.value_or("risk", "");
    if (arguments.value("capability")) wish.capabilities = arguments.values("capability");
    wish.wake_reasons = arguments.values("wake-reason");
    wish.url = arguments.value_or("webhook", "");
    wish.secret_env = arguments.value_or("secret-env", "");
    if (!wish.url.empty() && arguments.has("worker")) return wrong("--worker and --webhook exclude one another");
    if (!wish.url.empty()) wish.by = "webhook";
    else if (arguments.has("worker")) wish.by = "worker";
    if (!wish.secret_env.empty() && wish.url.empty()) return wrong("--secret-env belongs to --webhook");
    TRY_ASSIGN(wish.timeout, arguments.duration("timeout"));
    if (wish.timeout && wish.timeout->us % 1'000'000 != 0) return wrong("--timeout must be whole seconds");
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
    const auto tool = client::Tools(client).put(*wish);
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
    const bool is_known = action == "list" || action == "put" || action == "remove" || action == "serve";
    const bool has_name = arguments.positionals().size() == 2 && !arguments.positional(1).empty();
    const auto options = find_daemon(context, arguments);
    base::Error problem;
    if (!is_known) problem = wrong("ACTION must be list, put, remove or serve, not \"" + action + '"');
    else if (action != "serve" && has_name != (action != "list")) {
        problem = wrong(has_name ? "list takes no NAME" : "NAME is missing: belfry tool " + action + " NAME");
    } else if (!options.ok()) problem = options.error();
    if (!problem.message.empty()) {
        return usage_error(context, arguments, problem);
    }
    if (action == "serve") return serve_tools(context, arguments, *options);
    client::Client client(*options);
    if (action == "list") return list(context, arguments, client);
    return action == "put" ? put(context, arguments, client) : remove(context, arguments, client);
}

}  // namespace

Command tool_command() {
    Command command;
    command.name = "tool";
    command.summary = "tools of agents that are not Belfry's own: list, put, remove, serve";
    command.detail =
        "An agent may deal with some notifications by itself, without a word to the person. As soon as it uses a tool\n"
        "whose effects are felt outside in doing so, the person is told. A tool that is not registered counts as\n"
        "external.\n"
        "With --worker or --webhook agents call it here, and somebody outside carries it out. `serve` is such a "
        "worker:\n"
        "it waits for calls of these tools and runs the command for each, one after the other. The command gets the\n"
        "arguments as JSON on standard input, and BELFRY_OPERATION_ID, BELFRY_TOOL and BELFRY_AGENT in its "
        "environment.\n"
        "What it writes to standard output, a JSON object, is the result; when it does not end with 0 the call has\n"
        "failed, and its last words on standard error say why. A call whose worker died is tried again under the same\n"
        "BELFRY_OPERATION_ID: by it the command knows what it has done already.";
    command.options = {
        {"impact", "IMPACT", "put: internal or external"},
        {"description", "TEXT", "put: what it does"},
        {"schema", "FILE", "put: the JSON schema of its arguments; - is standard input"},
        {"risk", "RISK", "put: low, medium or high; low unless told"},
        {"capability", "NAME", "put: that an agent must have; tool:NAME unless told", 0, true},
        {"wake-reason", "REASON", "put: of the runs that may call it; any unless told", 0, true},
        {"worker", "", "put: it is carried out by whoever claims its calls"},
        {"webhook", "URL", "put: it is carried out by this server"},
        {"secret-env", "NAME", "put: the daemon's variable with the secret that signs calls of --webhook"},
        {"timeout", "TIME", "put: from a call to its result; 60s unless told, 1s to 3600s"},
        {"lease", "TIME", "serve: how long a call is ours without a word; 60s unless told, 1s to 600s"},
        {"once", "", "serve: one call, and its end is the exit code"},
        {"quiet", "", "serve: only what the command writes to standard error"}};
    command.positionals = {{"ACTION", "list, put, remove or serve"},
                           {"NAME", "of put and remove: which; of serve: which ones, then -- and the command",
                            PositionalSpec::Count::any}};
    command.examples = {{"belfry tool put read_file --impact internal", "nobody outside notices it"},
                        {"belfry tool put send_mail --impact external --schema send_mail.json", "with its arguments"},
                        {"belfry tool put send_mail --impact external --worker", "agents call it here"},
                        {"belfry tool serve send_mail -- ./send-mail.py", "and this carries it out, until Ctrl-C"},
                        {"belfry tool list", "what is registered"}};
    command.reach = Reach::daemon;
    command.run = run_tool;
    return command;
}

}  // namespace belfry::cli
