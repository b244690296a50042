#include "daemon/sink_command.hpp"

#include "cli/connection.hpp"
#include "cli/table.hpp"
#include "codec/http_url.hpp"
#include "codec/subscriber.hpp"
#include "daemon/sink_call.hpp"
#include "host/entropy.hpp"
#include "host/sink_folder.hpp"
#include "host/system_clock.hpp"

namespace belfry::daemon {
namespace {

using cli::Arguments;
using cli::Context;
using cli::Exit;

base::Error wrong(std::string message) {
    return base::error(base::Code::invalid, std::move(message));
}

// Where it leads, without its secrets.
std::string destination(const model::Sink& sink) {
    switch (sink.kind) {
        case model::SinkKind::desktop: return std::string(model::desktop_program);
        case model::SinkKind::ntfy:
        case model::SinkKind::webhook: {
            // Many a path and topic is a key.
            const auto url = codec::split_http_url(sink.url);
            return url ? url->origin : std::string();
        }
        case model::SinkKind::command: break;
    }
    std::string words;
    for (const std::string& word : sink.argv) words += (words.empty() ? "" : " ") + word;
    return words;
}

template <class T>
std::vector<std::string> names_of(const std::vector<T>& values, std::string_view (*name)(T)) {
    std::vector<std::string> names;
    for (const T value : values) names.emplace_back(name(value));
    return names;
}

std::string when(const model::Sink& sink) {
    std::string words;
    const auto add = [&words](std::string_view what, const std::vector<std::string>& names) {
        if (names.empty()) return;
        words += (words.empty() ? "" : ", ") + std::string(what);
        for (const std::string& name : names) words += ' ' + name;
    };
    add("users", sink.users);
    add("priority", names_of(sink.priorities, model::priority_name));
    add("severity", names_of(sink.severities, model::severity_name));
    return words.empty() ? "always" : words;
}

void append_texts(model::JsonWriter& writer, std::string_view name, const std::vector<std::string>& texts) {
    writer.name(name).begin_array();
    for (const std::string& text : texts) writer.text(text);
    writer.end_array();
}

std::string sink_line(const model::Sink& sink) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object().field("id", sink.id).field("kind", model::sink_kind_name(sink.kind));
    writer.field("to", destination(sink)).field("timeout_s", static_cast<long long>(sink.time_max.us / 1'000'000));
    append_texts(writer, "users", sink.users);
    append_texts(writer, "priorities", names_of(sink.priorities, model::priority_name));
    append_texts(writer, "severities", names_of(sink.severities, model::severity_name));
    writer.field("file", sink.origin).end_object();
    return host::escape_json_controls(json);
}

Exit list(Context& context, const Arguments& arguments, const model::SinkCatalogue& found) {
    if (arguments.has("json")) {
        for (const model::Sink& sink : found.sinks) context.console.out.line(sink_line(sink));
    } else {
        cli::Table table({"ID", "KIND", "TO", "WHEN", "FILE"});
        for (const model::Sink& sink : found.sinks) {
            table.add(
                {sink.id, std::string(model::sink_kind_name(sink.kind)), destination(sink), when(sink), sink.origin});
        }
        context.console.out.write(table.text(context.console.colours_out));
    }
    for (const model::SubscriberProblem& problem : found.problems) cli::remark(context, codec::problem_line(problem));
    return found.problems.empty() ? Exit::ok : Exit::failure;
}

model::Notification sample(const Arguments& arguments, const std::string& sink, const std::string& user,
                           base::Timestamp now, host::Entropy& entropy) {
    model::Notification made;
    made.id.uuid = base::make_uuid7(now, entropy.next(), entropy.next());
    made.scope.user_id = user;
    made.emitter = "belfry sink test";
    made.address = model::Address::user;
    made.target = model::Target::user;
    made.text = arguments.value_or("text", "This is a test of the sink " + sink + ".");
    made.content = made.text;
    made.state = model::DeliveryState::dispatched;
    made.created_at = now;
    return made;
}

Exit test(Context& context, const Arguments& arguments, const model::Sink& sink, const std::string& user) {
    const host::SystemClock clock;
    host::Entropy entropy;
    const wire::Interrupt interrupt;
    const base::Timestamp now = context.now();
    const model::Notification notification = sample(arguments, sink.id, user, now, entropy);
    const SinkCall call{sink, notification, base::format_uuid(notification.id.uuid), now};
    const base::Duration before = clock.monotonic();
    const auto outcome = call_sink(call, context.environment, interrupt);
    const std::int64_t took_ms = (clock.monotonic() - before).us / 1000;
    if (!outcome.ok()) return cli::fail(context, arguments, outcome.error());
    if (!arguments.has("json")) {
        cli::remark(context, "sink " + sink.id + " took it after " + std::to_string(took_ms) + " ms: " + *outcome);
        return Exit::ok;
    }
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object().field("sink", sink.id).field("notification", call.id).field("note", *outcome);
    writer.field("took_ms", static_cast<long long>(took_ms)).end_object();
    context.console.out.line(host::escape_json_controls(json));
    return Exit::ok;
}

Exit usage(Context& context, const Arguments& arguments, const base::Error& error) {
    cli::fail(context, arguments, error);
    return Exit::usage;
}

Exit run_sink(Context& context, const Arguments& arguments) {
    const std::string action = arguments.positional(0);
    const std::string id = arguments.positional(1);
    if (action != "list" && action != "test") {
        return usage(context, arguments, wrong("ACTION must be list or test, not \"" + action + '"'));
    }
    if (id.empty() != (action == "list")) {
        return usage(context, arguments, wrong(id.empty() ? "ID is missing: belfry sink test ID" : "list takes no ID"));
    }
    const auto loaded = cli::load_config(context, arguments);
    if (!loaded.ok()) return usage(context, arguments, loaded.error());
    const auto& notifications = loaded->config.notifications;
    const std::string folder = arguments.value_or("folder", notifications.sinks);
    const model::SinkCatalogue found = host::read_sinks(folder);
    if (action == "list") return list(context, arguments, found);
    if (const model::Sink* sink = found.find(id)) return test(context, arguments, *sink, notifications.owner);
    for (const model::SubscriberProblem& problem : found.problems) cli::remark(context, codec::problem_line(problem));
    return cli::fail(context, arguments,
                     base::error(base::Code::not_found, "there is no sink \"" + id + "\" in " + folder));
}

}  // namespace

cli::Command sink_command() {
    cli::Command command;
    command.name = "sink";
    command.summary = "where else the inbox rings: list the sinks, and try one";
    command.detail =
        "A sink is a TOML file that carries a person's notifications to the desktop, a command, a phone (ntfy) or a\n"
        "server (a signed webhook). list shows them and what is wrong with their files. test sends a sample through "
        "one\n"
        "of them right away, whatever its [when] says, from here and as you, and shows the outcome; it needs no\n"
        "daemon. docs/sinks.md describes the files.";
    command.options = {{"folder", "DIR", "the folder of the files, if not the configured one"},
                       {"text", "TEXT", "test: what to say"}};
    command.positionals = {{"ACTION", "list or test"}, {"ID", "of test: which", cli::PositionalSpec::Count::optional}};
    command.examples = {{"belfry sink list", "what there is, and what is wrong"},
                        {"belfry sink test phone", "does it ring?"},
                        {"belfry sink test ops --folder ./sinks --json", "before it is put in place"}};
    command.exits = {{Exit::failure, "the sink did not take it; of list, a file cannot be used"}};
    command.run = run_sink;
    return command;
}

}  // namespace belfry::daemon
