#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/emit_file.hpp"
#include "cli/event_arguments.hpp"
#include "model/raw_json.hpp"

namespace belfry::cli {
namespace {

Exit emit_one(Context& context, const Arguments& arguments, client::Client& client) {
    const base::Result<model::Event> event = read_event(arguments);
    if (!event.ok()) {
        return usage_error(context, arguments, event.error());
    }
    const auto emitted = client.emit({*event}, arguments.value_or("idempotency-key", ""));
    if (!emitted.ok()) return fail(context, arguments, emitted.error());
    if (emitted->entries.empty()) {
        return fail(context, arguments, base::error(base::Code::malformed, "the daemon's answer names no event"));
    }
    const client::Admission& admission = emitted->entries.front();
    if (!admission.ok()) return fail(context, arguments, admission.error());
    if (arguments.has("json")) {
        std::string json;
        model::JsonWriter writer(json);
        writer.begin_object().field("id", admission->id).name("sequence").raw(std::to_string(admission->sequence));
        writer.name("replayed").boolean(emitted->replayed).end_object();
        context.console.out.line(host::escape_json_controls(json));
    } else {
        context.console.out.line(host::printable(admission->id) + "\t" + std::to_string(admission->sequence));
        if (emitted->replayed) remark(context, "the daemon knew this event already; it was not taken twice");
    }
    return Exit::ok;
}

Exit run_emit(Context& context, const Arguments& arguments) {
    const bool from_file = arguments.has("file");
    if (from_file != arguments.positionals().empty()) {
        return usage_error(context, arguments,
                           wrong(from_file ? "TYPE and --file exclude each other"
                                           : "TYPE is missing; or give a file of events with --file"));
    }
    const base::Result<client::Options> options = find_daemon(context, arguments);
    if (!options.ok()) {
        return usage_error(context, arguments, options.error());
    }
    client::Client client(*options);
    return from_file ? emit_file(context, arguments, client) : emit_one(context, arguments, client);
}

}  // namespace

Command emit_command() {
    Command command;
    command.name = "emit";
    command.summary = "send an event, or a file of them; returns when they are durable";
    command.detail =
        "On success the event's id and its sequence in the stream `events` go to standard output. A lost\n"
        "connection is made again and the same event sent again under the same key: it is never taken twice.\n"
        "With --file, each line is one event as JSON; refused lines are named on standard error, the others taken;\n"
        "their ids are shown with --json only. docs/events.md has the fields of an event, and what known types need.";
    command.options = event_options();
    command.options.push_back({"idempotency-key", "KEY", "makes repeating this very command harmless for 24 hours"});
    command.options.push_back({"file", "FILE", "events as NDJSON, one a line; - for standard input", 'f'});
    command.positionals = {
        {"TYPE", "what happened: build.failed, disk.space.low", PositionalSpec::Count::optional},
        {"key=value", "payload: key=value is a text, key:=JSON any value", PositionalSpec::Count::any}};
    command.examples = {
        {"belfry emit build.failed --severity error --source ci branch=main attempt:=2", "one event with a payload"},
        {"belfry emit deploy.done --user ada --payload '{\"version\":\"1.4\"}'", "for one person"},
        {"belfry emit --file events.ndjson --json", "a file, one answer a line"},
        {"journalctl -f -o json | jq -c '{type:\"log.line\",source:\"journal\",payload:{text:.MESSAGE}}' | belfry emit "
         "--file -",
         "a stream that never ends"}};
    command.reach = Reach::daemon;
    command.exits = {{Exit::ok, "all events are durable"},
                     {Exit::failure, "refused as invalid, or a failure"},
                     {Exit::partial, "with --file: some events are durable, others were refused or not sent"}};
    command.run = run_emit;
    return command;
}

}  // namespace belfry::cli
