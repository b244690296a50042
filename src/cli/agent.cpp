#include <algorithm>
#include <array>
#include <map>

#include "base/limits.hpp"
#include "cli/agent_text.hpp"
#include "cli/agent_transfer.hpp"
#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/input.hpp"
#include "cli/table.hpp"
#include "codec/json.hpp"

namespace belfry::cli {
namespace {

constexpr std::array<std::string_view, 10> actions{"create", "list",    "show",    "messages", "sleep",
                                                   "policy", "wake-up", "destroy", "export",   "import"};
constexpr std::int64_t messages_max = 10'000;
constexpr std::size_t shown_bytes_max = 100;  // of what a message says

// A JSON object, or the name of a file that holds one.
base::Result<model::RawJson> read_settings(const std::string& text) {
    std::string json = text;
    if (!text.starts_with('{')) {
        TRY_ASSIGN(json, read_input(text, base::limits::agent_json_bytes_max));
    }
    auto settings = codec::validate(json);
    if (settings.ok() && settings->view().kind() == model::JsonKind::object) return settings;
    return wrong("--settings must be a JSON object, or a file that holds one");
}

// TOOL=run, TOOL=ask or TOOL=propose.
base::Result<std::map<std::string, std::string>> read_policies(const Arguments& arguments) {
    std::map<std::string, std::string> policies;
    for (const std::string& text : arguments.values("policy")) {
        const std::size_t equals = text.rfind('=');
        const std::string policy = equals == std::string::npos ? "" : text.substr(equals + 1);
        if (equals == 0 || (policy != "run" && policy != "ask" && policy != "propose")) {
            return wrong("--policy must be TOOL=run, TOOL=ask or TOOL=propose, not \"" + text + '"');
        }
        policies.insert_or_assign(text.substr(0, equals), policy);
    }
    return policies;
}

base::Result<client::AgentRequest> read_request(const Arguments& arguments) {
    client::AgentRequest request;
    request.id = arguments.positional(1);
    request.user_id = arguments.value_or("user", "");
    request.kind = arguments.value_or("kind", "");
    request.display_name = arguments.value_or("display-name", "");
    request.mode = arguments.value_or("mode", "");
    request.workflow = arguments.value_or("workflow", "");
    request.allowed_category_ids = arguments.values("category");
    request.capabilities = arguments.values("capability");
    TRY_ASSIGN(request.tool_policies, read_policies(arguments));
    request.model_id = arguments.value_or("model", "");
    if (const auto settings = arguments.value("settings")) {
        TRY_ASSIGN(request.settings, read_settings(*settings));
    }
    return request;
}

Exit show_one(Context& context, const Arguments& arguments, const base::Result<client::AgentNow>& agent) {
    if (!agent.ok()) return fail(context, arguments, agent.error());
    if (arguments.has("json")) print_json(context, agent->json);
    else remark(context, agent_line(*agent));
    return Exit::ok;
}

Exit create(Context& context, const Arguments& arguments, client::Client& client) {
    const auto request = read_request(arguments);
    if (!request.ok()) return usage_error(context, arguments, request.error());
    return show_one(context, arguments, client.create_agent(*request));
}

Exit list(Context& context, const Arguments& arguments, client::Client& client) {
    client::AgentQuestion question;
    question.user_id = arguments.value_or("user", "");
    const auto found = client.agents(question);
    if (!found.ok()) return fail(context, arguments, found.error());
    Table table(
        {"ID", "USER", "LIFECYCLE", "MODE", "WORKFLOW", "STATUS", "LAST WAKE", "NEXT BY CLOCK", "SLEEPS UNTIL"});
    for (const client::AgentNow& agent : *found) {
        if (agent.lifecycle == "destroyed" && !arguments.has("all")) continue;
        if (arguments.has("json")) print_json(context, agent.json);
        table.add({agent.id, agent.user_id, agent.lifecycle, agent.mode, agent.workflow, agent.run_status,
                   agent.last_wake_at, agent.next_wake_at, agent.sleep_until});
    }
    if (!arguments.has("json")) context.console.out.write(table.text(context.console.colours_out));
    return Exit::ok;
}

Exit show(Context& context, const Arguments& arguments, client::Client& client) {
    const std::string id = arguments.positional(1);
    const auto agent = client.agent(id);
    if (!agent.ok() || arguments.has("json")) return show_one(context, arguments, agent);
    const auto subscriptions = client.wake_subscriptions(id);
    if (!subscriptions.ok()) return fail(context, arguments, subscriptions.error());
    context.console.out.line(host::printable(agent_line(*agent)));
    if (subscriptions->empty()) return Exit::ok;
    context.console.out.line("");
    context.console.out.write(subscription_table(*subscriptions).text(context.console.colours_out));
    return Exit::ok;
}

base::Result<base::Timestamp> read_until(const Context& context, const Arguments& arguments) {
    const auto until = arguments.value("until");
    TRY_ASSIGN(const auto time, arguments.duration("for"));
    if (until.has_value() == time.has_value()) return wrong("sleep needs --until TIME or --for TIME");
    if (time) return context.now() + *time;
    const auto parsed = base::parse_timestamp(*until);
    if (!parsed) return wrong("--until must be a time such as 2026-11-16T07:00:00Z, not \"" + *until + '"');
    return *parsed;
}

Exit sleep(Context& context, const Arguments& arguments, client::Client& client) {
    const auto until = read_until(context, arguments);
    if (!until.ok()) return usage_error(context, arguments, until.error());
    std::string patch;
    model::JsonWriter(patch)
        .begin_object()
        .name("state")
        .begin_object()
        .field("sleep_until", base::format_timestamp(*until))
        .end_object()
        .end_object();
    return show_one(context, arguments,
                    client.change_agent(arguments.positional(1), model::RawJson::trusted(std::move(patch))));
}

// All that it has: what is not named has none from then on.
Exit set_policies(Context& context, const Arguments& arguments, client::Client& client) {
    const auto policies = read_policies(arguments);
    if (!policies.ok()) return usage_error(context, arguments, policies.error());
    std::string patch;
    model::JsonWriter writer(patch);
    writer.begin_object().name("tool_policies").begin_object();
    for (const auto& [tool, policy] : *policies) writer.field(tool, policy);
    writer.end_object().end_object();
    return show_one(context, arguments,
                    client.change_agent(arguments.positional(1), model::RawJson::trusted(std::move(patch))));
}

Exit wake_up(Context& context, const Arguments& arguments, client::Client& client) {
    return show_one(context, arguments,
                    client.change_agent(arguments.positional(1),
                                        model::RawJson::trusted(R"({"dormant":false,"state":{"sleep_until":null}})")));
}

std::string text_of(const client::AgentMessageNow& message) {
    std::string text;
    if (!message.action_type.empty())
        text = (message.tool_name.empty() ? message.action_type : message.tool_name) + " ";
    if (!message.status.empty())
        text = message.status + (message.error_code.empty() ? " " : " " + message.error_code + " ");
    if (message.lies_apart) return text + "(more than 4 KB)";
    if (message.content != model::RawJson()) text += message.content.view().as_text();
    if (text.size() <= shown_bytes_max) return text;
    std::size_t end = shown_bytes_max;
    while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // no half of a character
    return text.substr(0, end) + "…";
}

// The oldest first, as one reads.
Exit messages(Context& context, const Arguments& arguments, client::Client& client) {
    client::AgentMessageQuestion question;
    question.thread_id = arguments.value_or("thread", "");
    question.changed_entity_id = arguments.value_or("changed", "");
    const auto limit = arguments.integer("limit", 1, messages_max);
    if (!limit.ok()) return usage_error(context, arguments, limit.error());
    if (*limit) question.limit = static_cast<std::size_t>(**limit);
    auto found = client.agent_messages(arguments.positional(1), question);
    if (!found.ok()) return fail(context, arguments, found.error());
    std::ranges::reverse(found->messages);
    Table table({"TIME", "KIND", "MESSAGE"});
    for (const client::AgentMessageNow& message : found->messages) {
        if (arguments.has("json")) print_json(context, message.json);
        table.add({message.created_at, message.kind, text_of(message)});
    }
    if (!arguments.has("json")) context.console.out.write(table.text(context.console.colours_out));
    if (found->more && !arguments.has("json")) remark(context, "(there are older ones; --limit shows more)");
    return Exit::ok;
}

Exit run_agent(Context& context, const Arguments& arguments) {
    const std::string action = arguments.positional(0);
    const auto options = find_daemon(context, arguments);
    base::Error problem;
    if (std::ranges::find(actions, action) == actions.end()) {
        problem = wrong(
            "ACTION must be create, list, show, messages, sleep, policy, wake-up, destroy, export or import, "
            "not \"" +
            action + '"');
    } else if ((arguments.positionals().size() == 2) == (action == "list")) {
        problem = wrong(action == "list" ? "list takes no NAME" : "NAME is missing: belfry agent " + action + " NAME");
    } else if (!options.ok()) {
        problem = options.error();
    }
    if (!problem.message.empty()) return usage_error(context, arguments, problem);
    client::Client client(*options);
    if (action == "create") return create(context, arguments, client);
    if (action == "list") return list(context, arguments, client);
    if (action == "show") return show(context, arguments, client);
    if (action == "messages") return messages(context, arguments, client);
    if (action == "sleep") return sleep(context, arguments, client);
    if (action == "policy") return set_policies(context, arguments, client);
    if (action == "wake-up") return wake_up(context, arguments, client);
    if (action == "export") return export_agent(context, arguments, client);
    if (action == "import") return import_agent(context, arguments, client);
    return show_one(context, arguments, client.destroy_agent(arguments.positional(1)));
}

}  // namespace

Command agent_command() {
    Command command;
    command.name = "agent";
    command.summary = "agents that wake: create, list, show, messages, sleep, policy, wake-up, destroy, export, import";
    command.detail =
        "An agent is a record: who it is, what wakes it, and who does its work. A wake that comes while it sleeps\n"
        "ends as sleeping. After five failures in a row an agent is dormant; wake-up makes it active again. What was\n"
        "destroyed stays to be read, and its name is not given again. `belfry wake` says what wakes an agent,\n"
        "`belfry work` does its work, `belfry memory` shows what it remembers. `export` writes the agent and all that\n"
        "it remembers to standard output, one JSON object a line; `import` takes such a file in, under the same name,\n"
        "where there is none of it. What wakes an agent does not go with it.";
    command.options = {
        {"kind", "KIND", "create: what it is, such as gym_coach"},
        {"display-name", "TEXT", "create: what people call it"},
        {"mode", "MODE", "create: autonomous (woken by events, the clock), interactive (its person), hybrid (both)"},
        {"workflow", "KIND", "create: who does its work: worker (a program, the usual one), script or model (Belfry)"},
        {"settings", "JSON", "create: of a script or a model, a JSON object or a file with one; docs/workflows.md"},
        {"category", "ID", "create: it may work in this category; may stand more than once", 0, true},
        {"capability", "NAME", "create: it may do this; may stand more than once", 0, true},
        {"policy", "TOOL=WHAT", "create, policy: run, ask or propose calls of this tool; * for all others", 0, true},
        {"model", "ID", "create: its language model"},
        {"user", "ID", "create, import: whose it is; list: of this user only"},
        {"all", "", "list: those that were destroyed, too"},
        {"thread", "ID", "messages: of this thread only"},
        {"changed", "ID", "messages: only results of tools that have changed this"},
        {"limit", "N", "messages: the newest so many; 50 unless told"},
        {"until", "TIME", "sleep: 2026-11-16T07:00:00Z"},
        {"for", "TIME", "sleep: 90s, 15m, 24h"}};
    command.positionals = {
        {"ACTION", "create, list, show, messages, sleep, policy, wake-up, destroy, export or import"},
        {"NAME", "of all but list: which; of import: FILE, or - for standard input", PositionalSpec::Count::optional}};
    command.examples = {
        {"belfry agent create fixer", "an agent whose work is done by `belfry work`"},
        {"belfry agent create coach --workflow script --settings coach.json", "one that needs no program"},
        {"belfry agent policy fixer --policy '*=propose'", "what it does waits for `belfry change accept`"},
        {"belfry agent show fixer", "how it is, and what wakes it"},
        {"belfry agent messages fixer", "what it remembers, the oldest first"},
        {"belfry agent sleep fixer --for 2h", "leave it in peace"},
        {"belfry agent export fixer > fixer.jsonl", "all of it, to keep or to take along"},
        {"belfry agent import fixer.jsonl --url http://other:7710", "into another daemon"}};
    command.exits = {{Exit::partial, "an import stopped after some lines were taken"}};
    command.reach = Reach::daemon;
    command.run = run_agent;
    return command;
}

}  // namespace belfry::cli
