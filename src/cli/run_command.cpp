#include <algorithm>
#include <array>
#include <charconv>

#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/run_actions.hpp"
#include "cli/table.hpp"
#include "codec/json.hpp"

namespace belfry::cli {
namespace {

constexpr std::array<std::string_view, 10> actions{"list",   "show",  "create", "start", "cancel",
                                                   "finish", "pause", "resume", "tail",  "emit"};

std::string state_words(const client::RunStateNow& run) {
    if (run.queue_position != 0) return "queued, " + std::to_string(run.queue_position);
    return run.paused ? run.state + ", paused" : run.state;
}

Exit show_one(Context& context, const Arguments& arguments, const base::Result<client::RunStateNow>& run) {
    if (!run.ok()) return fail(context, arguments, run.error());
    if (arguments.has("json")) {
        print_json(context, run->json);
        return Exit::ok;
    }
    context.console.out.line(std::to_string(run->id));
    remark(context, "run " + std::to_string(run->id) + ": " + state_words(*run) + ", " + std::to_string(run->events) +
                        " events");
    return Exit::ok;
}

Exit list(Context& context, const Arguments& arguments, client::Client& client, std::size_t limit) {
    client::RunQuestion question;
    question.user_id = arguments.value_or("user", "");
    question.session_id = arguments.value_or("session", "");
    question.agent_id = arguments.value_or("agent", "");
    question.state = arguments.value_or("state", "");
    question.limit = limit;
    const auto found = client.runs(question);
    if (!found.ok()) return fail(context, arguments, found.error());
    if (arguments.has("json")) {
        for (const client::RunStateNow& run : found->runs) {
            print_json(context, run.json);
        }
        return Exit::ok;
    }
    Table table({"ID", "STATE", "CREATED", "EVENTS", "AGENT", "SESSION", "TITLE"});
    for (const client::RunStateNow& run : found->runs) {
        table.add({std::to_string(run.id), state_words(run), run.created_at, std::to_string(run.events), run.agent_id,
                   run.session_id, run.title});
    }
    context.console.out.write(table.text(context.console.colours_out));
    if (found->more) remark(context, "there are more, see --limit");
    return Exit::ok;
}

Exit create(Context& context, const Arguments& arguments, client::Client& client) {
    client::RunRequest request;
    request.user_id = arguments.value_or("user", "");
    request.session_id = arguments.value_or("session", "");
    request.agent_id = arguments.value_or("agent", "");
    request.hierarchy_id = arguments.value_or("hierarchy", "");
    request.run_key = arguments.value_or("key", "");
    request.title = arguments.value_or("title", "");
    request.tree = arguments.has("tree");
    request.start = !arguments.has("no-start");
    const auto parent = arguments.integer("parent", 1, INT64_MAX);
    if (!parent.ok()) {
        return usage_error(context, arguments, parent.error());
    }
    request.parent_id = parent->value_or(0);
    return show_one(context, arguments, client.create_run(request));
}

Exit finish(Context& context, const Arguments& arguments, client::Client& client, model::RunId id) {
    const auto error = arguments.value("error");
    const auto result = arguments.value("result");
    if (error && result) {
        return usage_error(context, arguments, wrong("--error and --result exclude each other"));
    }
    if (error) return show_one(context, arguments, client.fail_run(id, {arguments.value_or("type", "error"), *error}));
    if (!result) return show_one(context, arguments, client.finish_run(id));
    const auto json = codec::validate(*result);
    if (!json.ok()) {
        return usage_error(context, arguments, wrong("--result must be JSON: " + json.error().message));
    }
    return show_one(context, arguments, client.finish_run(id, *json));
}

base::Result<model::RunId> read_id(const Arguments& arguments, const std::string& action) {
    const std::string text = arguments.positional(1);
    model::RunId id = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (failed != std::errc{} || end != text.data() + text.size() || id <= 0) {
        return wrong("ID must be a run's number: belfry run " + action + " ID");
    }
    return id;
}

Exit act(Context& context, const Arguments& arguments, client::Client& client, const std::string& action,
         model::RunId id) {
    if (action == "show") {
        const auto run = client.run(id);
        if (run.ok()) {
            print_json(context, run->json);
            return Exit::ok;
        }
        return fail(context, arguments, run.error());
    }
    if (action == "start") return show_one(context, arguments, client.start_run(id));
    if (action == "cancel") {
        return show_one(context, arguments, client.cancel_run(id, arguments.value_or("reason", "")));
    }
    if (action == "finish") return finish(context, arguments, client, id);
    if (action == "pause" || action == "resume") {
        return show_one(context, arguments, client.pause_run(id, action == "pause"));
    }
    if (action == "tail") return tail_run(context, arguments, client, id);
    return emit_to_run(context, arguments, client, id);
}

Exit run_run(Context& context, const Arguments& arguments) {
    const std::string action = arguments.positionals().empty() ? "list" : arguments.positional(0);
    const bool is_about_one = action != "list" && action != "create";
    const auto limit = arguments.integer("limit", 1, 100'000);
    const auto options = find_daemon(context, arguments);
    const auto id = is_about_one ? read_id(arguments, action) : base::Result<model::RunId>(model::RunId{0});
    base::Error problem;
    if (std::ranges::find(actions, action) == actions.end()) {
        problem =
            wrong("ACTION must be list, show, create, start, cancel, finish, pause, resume, tail or emit, not \"" +
                  action + '"');
    } else if (!id.ok()) {
        problem = id.error();
    } else if (arguments.positionals().size() > (action == "emit" ? 4U : is_about_one ? 2U : 1U)) {
        problem = wrong(action + " takes no further arguments");
    } else if (!limit.ok()) {
        problem = limit.error();
    } else if (!options.ok()) {
        problem = options.error();
    } else if (const auto state = arguments.value("state"); state && !model::parse_run_state(*state)) {
        problem = wrong("--state must be pending, running, completed, failed or cancelled, not \"" + *state + '"');
    }
    if (!problem.message.empty()) {
        return usage_error(context, arguments, problem);
    }
    client::Client client(*options);
    if (action == "list") return list(context, arguments, client, static_cast<std::size_t>(limit->value_or(50)));
    if (action == "create") return create(context, arguments, client);
    return act(context, arguments, client, action, *id);
}

}  // namespace

Command run_command() {
    Command command;
    command.name = "run";
    command.summary = "runs of agents: list, show, create, start, cancel, finish, pause, resume, tail, emit";
    command.detail =
        "A run is one execution of an agent, with a stream of its own. create makes and starts one and prints its ID;\n"
        "where all places are taken it waits for one. emit adds an event, or with --file one a line as they come. "
        "tail\n"
        "shows its events from the start and ends when the run does. cancel ends it, and its children.";
    command.options = {
        {"user", "ID", "whose"},
        {"session", "ID", "of this conversation"},
        {"agent", "ID", "of this agent; tail: only what came from it (its source, or else the run's agent)"},
        {"state", "STATE", "list: pending, running, completed, failed or cancelled"},
        {"limit", "N", "list: how many (50 unless given)", 'n'},
        {"hierarchy", "ID", "create: the team of agents that carries it out, by your own id"},
        {"key", "KEY", "create: its own name; made again, the run that is there is given"},
        {"parent", "ID", "create: as a child of this run"},
        {"title", "TEXT", "create: what it is about"},
        {"tree", "", "create: with a stream of its whole tree; tail: that one"},
        {"no-start", "", "create: start it later"},
        {"reason", "TEXT", "cancel: why"},
        {"result", "JSON", "finish: what it has brought"},
        {"error", "TEXT", "finish: it has failed, and why"},
        {"type", "NAME", "finish --error: the kind of error"},
        {"from", "WHERE", "tail: start (unless given), live, or after a position"},
        {"file", "FILE", "emit: events, one JSON object a line; - is standard input"}};
    command.positionals = {{"ACTION", "list unless given", PositionalSpec::Count::optional},
                           {"ID", "of all but list and create: which run", PositionalSpec::Count::optional},
                           {"EVENT", "emit: its name, such as llm.stream", PositionalSpec::Count::optional},
                           {"DATA", "emit: its data as JSON", PositionalSpec::Count::optional}};
    command.examples = {{"belfry run create --title 'Tidy the inbox'", "prints the new run's number"},
                        {R"(belfry run emit 7 llm.stream '{"delta":"Hello"}')", "one event"},
                        {"my-agent | belfry run emit 7 --file -", "as they come"},
                        {"belfry run tail 7", "all of it, until it ends"},
                        {"belfry run cancel 7 --reason 'wrong branch'", "stop it"}};
    command.reach = Reach::daemon;
    command.run = run_run;
    command.exits = {{Exit::partial, "of emit --file: some events are durable, those after them were not sent"}};
    return command;
}

}  // namespace belfry::cli
