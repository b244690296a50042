#include <algorithm>
#include <array>
#include <charconv>

#include "base/limits.hpp"
#include "cli/agent_text.hpp"
#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/table.hpp"
#include "cli/worker.hpp"
#include "codec/json.hpp"
#include "rules/agent.hpp"

namespace belfry::cli {
namespace {

constexpr std::array<std::string_view, 6> actions{"on", "off", "now", "list", "show", "cancel"};
constexpr base::Duration look = base::seconds(50);  // of one request that waits; less than a client waits for an answer

// What stands between the action and a command.
std::vector<std::string> words_of(const Arguments& arguments) {
    const auto& all = arguments.positionals();
    return {all.begin() + 1, all.end() - static_cast<std::ptrdiff_t>(arguments.after_dashes().size())};
}

base::Result<client::WakeSubscriptionRequest> read_rule(const Arguments& arguments) {
    client::WakeSubscriptionRequest rule;
    rule.types = words_of(arguments);
    rule.tokens = arguments.values("changed");
    rule.synced = arguments.has("synced");
    rule.severity = arguments.value_or("severity", "");
    rule.sources = arguments.values("source");
    rule.predicate = arguments.value_or("where", "");
    TRY_ASSIGN(rule.window, arguments.duration("window"));
    TRY_ASSIGN(const auto priority,
               arguments.integer("priority", -base::limits::wake_priority_max, base::limits::wake_priority_max));
    rule.priority = priority.value_or(0);
    if (rule.types.empty() && rule.tokens.empty()) {
        return wrong("PATTERN is missing: belfry wake on PATTERN --agent NAME, or --changed for changes");
    }
    if (!rule.types.empty() && !rule.tokens.empty())
        return wrong("a PATTERN of events and --changed exclude each other");
    if (rule.tokens.empty() && rule.synced) return wrong("--synced is about changes, see --changed");
    if (!rule.tokens.empty() && (!rule.severity.empty() || !rule.sources.empty())) {
        return wrong("--severity and --source are about events, not about changes");
    }
    if (arguments.has("immediate") && rule.window) return wrong("--immediate and --window exclude each other");
    if (arguments.has("immediate")) rule.window = base::Duration{};
    return rule;
}

// What the daemon would refuse whosever rule it is.
base::Result<void> check_rule(const client::WakeSubscriptionRequest& rule) {
    model::WakeSubscription draft;
    draft.types = rule.types;
    draft.tokens = rule.tokens;
    draft.sources = rule.sources;
    draft.predicate = rule.predicate;
    draft.window = rule.window.value_or(base::limits::wake_window_default);
    draft.priority = rule.priority;
    if (!rule.severity.empty() && !model::parse_severity(rule.severity)) {
        return base::error(base::Code::invalid, "must be debug, info, warning, error or critical", "severity");
    }
    return rules::check_subscription(draft);
}

// The agent that is there, or one that is made with nothing but its name and categories.
base::Result<void> need_agent(Context& context, client::Client& client, const std::string& name,
                              const Arguments& arguments) {
    auto there = client.agent(name);
    if (there.ok()) return {};
    if (there.error().code != base::Code::not_found) return std::move(there).error();
    client::AgentRequest request;
    request.id = name;
    request.user_id = arguments.value_or("user", "");
    request.allowed_category_ids = arguments.values("category");
    TRY_ASSIGN(const client::AgentNow made, client.create_agent(request));
    remark(context, "made " + agent_line(made));
    return {};
}

Exit wake_on(Context& context, const Arguments& arguments, const client::Options& options) {
    const auto rule = read_rule(arguments);
    const auto wish = read_worker_wish(context, arguments);
    base::Error problem;
    if (!wish.ok()) problem = wish.error();
    else if (wish->agents.size() != 1) problem = wrong("on takes one --agent");
    else if (!rule.ok()) problem = rule.error();
    if (!problem.message.empty()) return usage_error(context, arguments, problem);
    // Before anything is made.
    if (const auto checked = check_rule(*rule); !checked.ok()) return fail(context, arguments, checked.error());
    client::Client client(options);
    const std::string& name = wish->agents.front();
    const auto made = need_agent(context, client, name, arguments);
    if (!made.ok()) return fail(context, arguments, made.error());
    const auto subscription = client.subscribe_agent(name, *rule);
    if (!subscription.ok()) return fail(context, arguments, subscription.error());
    if (!wish->command.empty()) return run_worker(context, arguments, options, *wish);
    if (arguments.has("json")) print_json(context, subscription->json);
    else context.console.out.line(subscription->id);
    return Exit::ok;
}

Exit wake_off(Context& context, const Arguments& arguments, client::Client& client) {
    const std::vector<std::string> words = words_of(arguments);
    const std::string agent = arguments.value_or("agent", "");
    const std::vector<std::string> tokens = arguments.values("changed");
    if (agent.empty() || words.empty() == tokens.empty()) {
        return usage_error(context, arguments,
                           wrong("usage: belfry wake off SUBSCRIPTION|PATTERN --agent NAME, or --changed TOKEN"));
    }
    const auto subscriptions = client.wake_subscriptions(agent);
    if (!subscriptions.ok()) return fail(context, arguments, subscriptions.error());
    std::size_t gone = 0;
    for (const client::WakeSubscriptionNow& one : *subscriptions) {
        const bool is_meant = tokens.empty() ? one.types == words || std::ranges::find(words, one.id) != words.end()
                                             : one.tokens == tokens;
        if (!is_meant) continue;
        const auto removed = client.unsubscribe_agent(agent, one.id);
        if (!removed.ok()) return fail(context, arguments, removed.error());
        ++gone;
    }
    if (gone == 0) {
        return fail(context, arguments,
                    base::error(base::Code::not_found, agent + " has no such subscription; see belfry agent show"));
    }
    remark(context, std::to_string(gone) + (gone == 1 ? " subscription is gone" : " subscriptions are gone"));
    return Exit::ok;
}

Exit show_one(Context& context, const Arguments& arguments, const base::Result<client::WakeNow>& wake) {
    if (!wake.ok()) return fail(context, arguments, wake.error());
    if (arguments.has("json")) {
        print_json(context, wake->json);
        return Exit::ok;
    }
    context.console.out.line(std::to_string(wake->id));
    remark(context, wake_line(*wake));
    return Exit::ok;
}

Exit wake_now(Context& context, const Arguments& arguments, client::Client& client) {
    client::WakeRequest request;
    request.request_id = arguments.value_or("request-id", "");
    if (const auto input = arguments.value("input")) {
        auto json = codec::validate(*input);
        if (!json.ok() || json->view().kind() != model::JsonKind::object) {
            return usage_error(context, arguments, wrong("--input must be a JSON object"));
        }
        request.input = std::move(*json);
    }
    auto wake = client.wake_agent(arguments.positional(1), request);
    while (wake.ok() && arguments.has("wait") && !wake->is_ended()) wake = client.wake(wake->id, look);
    const Exit exit = show_one(context, arguments, wake);
    const bool is_unwell = wake.ok() && wake->is_ended() && wake->state != "completed";
    return exit == Exit::ok && is_unwell ? Exit::failure : exit;
}

Exit list(Context& context, const Arguments& arguments, client::Client& client) {
    client::WakeQuestion question;
    question.user_id = arguments.value_or("user", "");
    question.agent_id = arguments.value_or("agent", "");
    question.state = arguments.value_or("state", "");
    question.open = arguments.has("open");
    const auto limit = arguments.integer("limit", 1, 1'000'000);
    if (!limit.ok()) return usage_error(context, arguments, limit.error());
    if (*limit) question.limit = static_cast<std::size_t>(**limit);
    const auto found = client.wakes(question);
    if (!found.ok()) return fail(context, arguments, found.error());
    Table table({"ID", "AGENT", "REASON", "STATE", "SIGNALS", "ATTEMPTS", "RUN", "DUE", "ENDED"});
    for (const client::WakeNow& wake : found->wakes) {
        if (arguments.has("json")) print_json(context, wake.json);
        table.add({std::to_string(wake.id), wake.agent_id, wake.reason, wake.state, std::to_string(wake.signals),
                   std::to_string(wake.attempts), wake.run_id == 0 ? "" : std::to_string(wake.run_id), wake.due_at,
                   wake.ended_at});
    }
    if (arguments.has("json")) return Exit::ok;
    context.console.out.write(table.text(context.console.colours_out));
    if (found->more) remark(context, "there are more, see --limit");
    return Exit::ok;
}

Exit show(Context& context, const Arguments& arguments, client::Client& client, model::WakeId id) {
    const auto wake = client.wake(id);
    if (!wake.ok()) return fail(context, arguments, wake.error());
    const auto signals = client.wake_signals(id);
    if (!signals.ok()) return fail(context, arguments, signals.error());
    if (arguments.has("json")) {
        std::string json;
        model::JsonWriter writer(json);
        writer.begin_object().name("wake").raw(wake->json.bytes()).name("signals").begin_array();
        for (const client::WakeSignalNow& signal : *signals) writer.raw(signal.json.bytes());
        writer.end_array().end_object();
        print_json(context, model::RawJson::trusted(std::move(json)));
        return Exit::ok;
    }
    context.console.out.line(host::printable(wake_line(*wake)));
    context.console.out.line(host::printable("reason: " + wake->reason + " " + wake->reason_id));
    context.console.out.line(host::printable("key: " + wake->run_key));
    if (signals->empty()) return Exit::ok;
    context.console.out.line("");
    Table table({"CAME", "KIND", "KEY", "RULE", "WHAT"});
    for (const client::WakeSignalNow& signal : *signals) {
        table.add({signal.came_at, signal.kind, signal.key, signal.rule, std::string(signal.body.bytes())});
    }
    context.console.out.write(table.text(context.console.colours_out));
    return Exit::ok;
}

base::Result<model::WakeId> read_id(const Arguments& arguments) {
    const std::string text = arguments.positional(1);
    model::WakeId id = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (failed == std::errc{} && end == text.data() + text.size() && id > 0) return id;
    return wrong("ID must be the number of a wake, not \"" + text + '"');
}

Exit run_wake(Context& context, const Arguments& arguments) {
    const std::string action = arguments.positional(0);
    const auto options = find_daemon(context, arguments);
    const bool has_command = !arguments.after_dashes().empty();
    const std::size_t words = arguments.positionals().size();
    base::Error problem;
    if (std::ranges::find(actions, action) == actions.end()) {
        problem = wrong("ACTION must be on, off, now, list, show or cancel, not \"" + action + '"');
    } else if (has_command && action != "on") {
        problem = wrong("only `belfry wake on` takes a command");
    } else if (action == "list" && words != 1) {
        problem = wrong("list takes no more words; see --agent");
    } else if (action == "now" && words != 2) {
        problem = wrong("usage: belfry wake now NAME");
    } else if (!options.ok()) {
        problem = options.error();
    }
    if (!problem.message.empty()) return usage_error(context, arguments, problem);
    if (action == "on") return wake_on(context, arguments, *options);
    client::Client client(*options);
    if (action == "off") return wake_off(context, arguments, client);
    if (action == "now") return wake_now(context, arguments, client);
    if (action == "list") return list(context, arguments, client);
    const auto id = read_id(arguments);
    if (!id.ok()) return usage_error(context, arguments, id.error());
    if (action == "show") return show(context, arguments, client, *id);
    return show_one(context, arguments, client.cancel_wake(*id, arguments.value_or("reason", "")));
}

}  // namespace

Command wake_command() {
    Command command;
    command.name = "wake";
    command.summary = "what wakes agents: on, off, now, list, show, cancel";
    command.detail =
        "`on` wakes an agent by events of these types, or by changes with one of these tokens (it is made where it is "
        "not\n"
        "there). The first event waits out its window, two minutes unless told, and those that come in between join "
        "it. With a\n"
        "command after -- it goes on as the agent's worker, as `belfry work` does. `off` takes such a subscription "
        "back. `now`\n"
        "wakes an agent by hand, and what waits for it is done along with it. `list` and `show` tell which wakes there "
        "are and\n"
        "were, what became of them and why they came.";
    command.options = {
        {"agent", "NAME", "on, off: whose; list: of this agent only", 0, true},
        {"changed", "TOKEN", "on, off: by changes instead: key:agentChanged, sub:agent/coach, id:fixer", 0, true},
        {"synced", "", "on, with --changed: changes that came from another device, too"},
        {"severity", "LEVEL", "on: at least this; debug, info, warning, error or critical"},
        {"source", "TEXT", "on: from this source only; may stand more than once", 0, true},
        {"where", "PREDICATE", "on: only what this is true of; docs/predicates.md has the language"},
        {"window", "TIME", "on: from the first event to the run: 120s, 500ms, 15m"},
        {"immediate", "", "on: run at once"},
        {"priority", "N", "on: -100 to 100; the larger runs first"},
        {"input", "JSON", "now: what it is given, a JSON object"},
        {"request-id", "ID", "now: the same wakes once"},
        {"wait", "", "now: until it has ended; not completed is exit code 1"},
        {"state", "STATE", "list: in this state only"},
        {"open", "", "list: only those that have not ended"},
        {"limit", "N", "list: at most so many; 50 unless told", 'n'},
        {"user", "ID", "on: whose agent is made; list: of this user only"},
        {"category", "ID", "on: an agent that is made may work in this category; its changes wake it", 0, true},
        {"reason", "TEXT", "cancel: why"}};
    for (OptionSpec& option : worker_options()) {
        option.help = "on, with a command: " + option.help;
        command.options.push_back(std::move(option));
    }
    command.positionals = {
        {"ACTION", "on, off, now, list, show or cancel"},
        {"WORD", "on, off: types and patterns; now: the agent; show, cancel: the wake; after -- a command",
         PositionalSpec::Count::any}};
    command.examples = {
        {"belfry wake on 'ci.*' --agent fixer -- ./fix.sh", "a subscription and a worker in one line"},
        {"belfry wake on ci.failed --agent fixer --where 'payload.branch == \"main\"' --immediate",
         "only the subscription"},
        {"belfry wake on --changed key:agentStateChanged --agent coach --where 'agent.kind == \"pupil\"'",
         "by changes of other agents"},
        {R"(belfry wake now fixer --input '{"branch":"main"}' --wait)", "by hand"},
        {"belfry wake list --agent fixer --open", "what waits or runs"}};
    command.reach = Reach::daemon;
    command.run = run_wake;
    return command;
}

}  // namespace belfry::cli
