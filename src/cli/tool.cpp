#include <algorithm>
#include <array>

#include "base/limits.hpp"
#include "base/message_limits.hpp"
#include "cli/claim.hpp"
#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/input.hpp"
#include "cli/table.hpp"
#include "cli/tool_serve.hpp"
#include "client/tools.hpp"
#include "codec/json.hpp"

namespace belfry::cli {
namespace {

constexpr std::size_t options_max = 10;
// What an action takes after its own name.
enum class Names : std::uint8_t { none, one, some };
struct Action {
    std::string_view name;
    Names names;
    std::array<std::string_view, options_max> options;  // of the command's own
};
constexpr std::array<Action, 7> actions{{{"list", Names::none, {}},
                                         {"show", Names::one, {}},
                                         {"call", Names::one, {"arguments", "operation"}},
                                         {"put",
                                          Names::one,
                                          {"impact", "description", "schema", "risk", "capability", "wake-reason",
                                           "worker", "webhook", "secret-env", "timeout"}},
                                         {"remove", Names::one, {}},
                                         {"serve", Names::some, {"lease", "once", "quiet"}},
                                         {"contract", Names::none, {}}}};

base::Result<model::RawJson> read_object(const std::string& option, std::string_view text) {
    auto json = codec::validate(text);
    if (json.ok() && json->view().kind() == model::JsonKind::object) return json;
    return wrong(option + " is no JSON object" + (json.ok() ? "" : ": " + json.error().message));
}

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
    TRY_ASSIGN(wish.schema, read_object("--schema " + *file, text));
    return wish;
}

std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
    return all;
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
    Table table({"NAME", "ORIGIN", "IMPACT", "RISK", "CAPABILITIES", "CHANGED", "DESCRIPTION"});
    for (const client::ToolState& tool : *tools) {
        table.add({tool.name, tool.origin, tool.impact, tool.risk, joined(tool.capabilities), tool.updated_at,
                   tool.description});
    }
    context.console.out.write(table.text(context.console.colours_out));
    return Exit::ok;
}

// Every member in a line of its own, lists in words and schemas as they are.
void show_members(Context& context, const model::RawJson& object) {
    model::JsonWalker walker(object.view());
    std::string_view name;
    while (const auto member = walker.next(&name)) {
        std::string shown = member->as_text();
        if (member->kind() == model::JsonKind::null) continue;
        if (member->kind() == model::JsonKind::array) {
            std::vector<std::string> texts;
            model::JsonWalker each(*member);
            while (const auto one = each.next()) texts.push_back(one->as_text());
            if (texts.empty()) continue;
            shown = joined(texts);
        }
        context.console.out.line(host::printable(std::string(name) + ": " + shown));
    }
}

Exit show(Context& context, const Arguments& arguments, client::Client& client) {
    const auto tool = client.tool(arguments.positional(1));
    if (!tool.ok()) return fail(context, arguments, tool.error());
    if (arguments.has("json")) print_json(context, tool->json);
    else show_members(context, tool->json);
    return Exit::ok;
}

base::Result<client::ToolCallRequest> read_call(const Arguments& arguments) {
    client::ToolCallRequest call;
    call.tool_name = arguments.positional(1);
    call.operation_id = arguments.value_or("operation", "");
    std::string typed = arguments.value_or("arguments", "{}");
    if (typed == "-") {
        TRY_ASSIGN(typed, read_input(typed, base::limits::agent_message_bytes_max));
    }
    TRY_ASSIGN(call.arguments, read_object("--arguments", typed));
    return call;
}

Exit call(Context& context, const Arguments& arguments, client::Client& client) {
    const auto claim = claim_in(context.environment);
    if (!claim) {
        return usage_error(context, arguments,
                           wrong("a tool is called for a wake: BELFRY_WAKE_ID and BELFRY_FENCE, as `belfry work` sets "
                                 "them, are missing"));
    }
    const auto wish = read_call(arguments);
    if (!wish.ok()) return usage_error(context, arguments, wish.error());
    const auto called = client.call_tool(claim->wake_id, claim->fence, *wish);
    if (!called.ok()) return fail(context, arguments, called.error());
    if (called->status == "success") {
        print_json(context, called->says);
        return Exit::ok;
    }
    if (called->status.empty()) {
        const std::string whom = called->waits_for == "person" ? "the person" : "somebody outside";
        remark(context,
               "it waits for " + whom + " (" + called->waits_for_id + "): call it again with the same --operation");
        return Exit::partial;
    }
    if (arguments.has("json")) {
        std::string json;
        model::JsonWriter writer(json);
        writer.begin_object().name("error").begin_object().field("code", called->error_code);
        writer.field("detail", called->error_message).end_object().end_object();
        context.console.err.line(host::escape_json_controls(json));
    } else {
        remark(context, called->error_code + ": " + called->error_message);
    }
    return Exit::failure;
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

// What this binary carries, whatever daemon runs.
Exit contract(Context& context, const Arguments& arguments, std::span<const model::ToolContract> own) {
    if (arguments.has("json")) {
        for (const model::ToolContract& one : own) {
            std::string json;
            model::JsonWriter writer(json);
            model::append_tool_contract(writer, one);
            context.console.out.line(json);
        }
        return Exit::ok;
    }
    Table table({"NAME", "VERSION", "RISK", "CAPABILITIES", "DESCRIPTION"});
    for (const model::ToolContract& one : own) {
        std::vector<std::string> capabilities;
        for (const auto capability : one.capabilities) {
            capabilities.emplace_back(model::agent_capability_name(capability));
        }
        table.add({one.name, std::to_string(one.version), std::string(model::tool_risk_name(one.risk)),
                   joined(capabilities), one.description});
    }
    context.console.out.write(table.text(context.console.colours_out));
    return Exit::ok;
}

// An option of another action would be passed over in silence.
base::Result<const Action*> choose(const Arguments& arguments) {
    const std::string name = arguments.positional(0);
    const auto* const action = std::ranges::find(actions, name, &Action::name);
    if (action == actions.end()) {
        return wrong("ACTION must be list, show, call, put, remove, serve or contract, not \"" + name + '"');
    }
    const bool has_name = arguments.positionals().size() == 2 && !arguments.positional(1).empty();
    if (action->names != Names::some && has_name != (action->names == Names::one)) {
        return wrong(has_name ? name + " takes no NAME" : "NAME is missing: belfry tool " + name + " NAME");
    }
    for (const Action& other : actions) {
        for (const std::string_view option : other.options) {
            if (option.empty() || !arguments.has(option) || &other == action) continue;
            return wrong("--" + std::string(option) + " is not for " + name);
        }
    }
    return action;
}

Exit run_tool(Context& context, const Arguments& arguments, std::span<const model::ToolContract> own) {
    const auto chosen = choose(arguments);
    if (!chosen.ok()) return usage_error(context, arguments, chosen.error());
    const std::string_view action = (*chosen)->name;
    if (action == "contract") return contract(context, arguments, own);
    const auto options = find_daemon(context, arguments);
    if (!options.ok()) return usage_error(context, arguments, options.error());
    if (action == "serve") return serve_tools(context, arguments, *options);
    client::Client client(*options);
    if (action == "list") return list(context, arguments, client);
    if (action == "show") return show(context, arguments, client);
    if (action == "call") return call(context, arguments, client);
    return action == "put" ? put(context, arguments, client) : remove(context, arguments, client);
}

}  // namespace

Command tool_command(std::span<const model::ToolContract> own) {
    Command command;
    command.name = "tool";
    command.summary = "tools of agents: list, show, call, put, remove, serve, contract";
    command.detail =
        "`list` and `show` tell which tools there are: Belfry's own, and those that somebody has registered. `call`\n"
        "calls one within `belfry work`, in the agent's name and inside its categories, and prints what it says.\n"
        "What changes something needs an --operation: the same one again is not done again.\n"
        "\n"
        "`put` registers one of somebody else's. An agent may deal with some notifications by itself, without a word\n"
        "to the person. As soon as it uses a tool whose effects are felt outside in doing so, the person is told. A\n"
        "tool that is not registered counts as external. With --worker or --webhook agents call it here, and\n"
        "somebody outside carries it out.\n"
        "\n"
        "`serve` is such a worker: it waits for calls of these tools and runs the command for each, one after the\n"
        "other. The command gets the arguments as JSON on standard input, and BELFRY_OPERATION_ID, BELFRY_TOOL and\n"
        "BELFRY_AGENT in its environment. What it writes to standard output, a JSON object, is the result; when it\n"
        "does not end with 0 the call has failed, and its last words on standard error say why. A call whose worker\n"
        "died is tried again under the same BELFRY_OPERATION_ID: by it the command knows what it has done already.\n"
        "\n"
        "`contract` tells what this binary has agreed on about its own tools, and needs no daemon. docs/tools.md\n"
        "tells more.";
    command.options = {
        {"arguments", "JSON", "call: its arguments, as its schema has them; - is standard input"},
        {"operation", "ID", "call: by which a call that is repeated is known"},
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
    command.positionals = {
        {"ACTION", "list, show, call, put, remove, serve or contract"},
        {"NAME", "of show, call, put and remove: which; of serve: which ones, then -- and the command",
         PositionalSpec::Count::any}};
    command.examples = {{"belfry tool list", "what there is"},
                        {"belfry tool show create_task", "what it takes and what it says"},
                        {"belfry tool call create_task --operation o1 --arguments '{\"title\": \"Buy milk\"}'",
                         "in the command of `belfry work`"},
                        {"belfry tool put read_file --impact internal", "nobody outside notices it"},
                        {"belfry tool put send_mail --impact external --schema send_mail.json", "with its arguments"},
                        {"belfry tool put send_mail --impact external --worker", "agents call it here"},
                        {"belfry tool serve send_mail -- ./send-mail.py", "and this carries it out, until Ctrl-C"}};
    command.exits = {{Exit::failure, "it failed, or the tool refuses; the message begins with the code"},
                     {Exit::partial, "the call waits for a person, or for somebody outside: make it again"}};
    command.reach = Reach::daemon;
    command.run = [own](Context& context, const Arguments& arguments) { return run_tool(context, arguments, own); };
    return command;
}

}  // namespace belfry::cli
