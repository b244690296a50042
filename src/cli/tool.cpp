#include <algorithm>
#include <array>

#include "base/limits.hpp"
#include "base/message_limits.hpp"
#include "cli/claim.hpp"
#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/input.hpp"
#include "cli/table.hpp"
#include "codec/json.hpp"

namespace belfry::cli {
namespace {

struct Action {
    std::string_view name;
    bool has_name;                            // whether it takes a NAME
    std::array<std::string_view, 3> options;  // of the command's own
};
constexpr std::array<Action, 6> actions{{{"list", false, {}},
                                         {"show", true, {}},
                                         {"call", true, {"arguments", "operation"}},
                                         {"put", true, {"impact", "description", "schema"}},
                                         {"remove", true, {}},
                                         {"contract", false, {}}}};

struct Wish {
    model::Impact impact = model::Impact::external;
    std::optional<model::RawJson> schema;
};

base::Result<model::RawJson> read_object(const std::string& option, std::string_view text) {
    auto json = codec::validate(text);
    if (json.ok() && json->view().kind() == model::JsonKind::object) return json;
    return wrong(option + " is no JSON object" + (json.ok() ? "" : ": " + json.error().message));
}

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
        return wrong("ACTION must be list, show, call, put, remove or contract, not \"" + name + '"');
    }
    const bool has_name = arguments.positionals().size() == 2 && !arguments.positional(1).empty();
    if (has_name != action->has_name) {
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
    command.summary = "tools of agents: list, show, call, put, remove, contract";
    command.detail =
        "`list` and `show` tell which tools there are: Belfry's own, and those that somebody has registered. `call`\n"
        "calls one within `belfry work`, in the agent's name and inside its categories, and prints what it says.\n"
        "What changes something needs an --operation: the same one again is not done again.\n"
        "\n"
        "`put` registers one of somebody else's. An agent may deal with some notifications by itself, without a word\n"
        "to the person. As soon as it uses a tool whose effects are felt outside in doing so, the person is told. A\n"
        "tool that is not registered counts as external. `contract` tells what this binary has agreed on about its "
        "own\n"
        "tools, and needs no daemon. docs/tools.md tells more.";
    command.options = {{"arguments", "JSON", "call: its arguments, as its schema has them; - is standard input"},
                       {"operation", "ID", "call: by which a call that is repeated is known"},
                       {"impact", "IMPACT", "put: internal or external"},
                       {"description", "TEXT", "put: what it does"},
                       {"schema", "FILE", "put: the JSON schema of its arguments; - is standard input"}};
    command.positionals = {{"ACTION", "list, show, call, put, remove or contract"},
                           {"NAME", "of show, call, put and remove: which", PositionalSpec::Count::optional}};
    command.examples = {{"belfry tool list", "what there is"},
                        {"belfry tool show create_task", "what it takes and what it says"},
                        {"belfry tool call create_task --operation o1 --arguments '{\"title\": \"Buy milk\"}'",
                         "in the command of `belfry work`"},
                        {"belfry tool put read_file --impact internal", "nobody outside notices it"},
                        {"belfry tool put send_mail --impact external --schema send_mail.json", "with its arguments"}};
    command.exits = {{Exit::failure, "it failed, or the tool refuses; the message begins with the code"},
                     {Exit::partial, "the call waits for a person, or for somebody outside: make it again"}};
    command.reach = Reach::daemon;
    command.run = [own](Context& context, const Arguments& arguments) { return run_tool(context, arguments, own); };
    return command;
}

}  // namespace belfry::cli
