#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/table.hpp"
#include "host/sizes.hpp"

namespace belfry::cli {
namespace {

std::string text_of(const client::DaemonStatus& status, const std::string& endpoint, bool colours) {
    const Colour colour = status.readiness == "ready" ? Colour::green : Colour::yellow;
    std::string readiness = host::printable(status.readiness);
    readiness.append(readiness.size() < 8 ? 8 - readiness.size() : 1, ' ');
    std::string text = paint(readiness, colour, colours) + "Belfry " + host::printable(status.version) + " at " +
                       host::printable(endpoint) + ", process " + std::to_string(status.pid) + ", since " +
                       host::printable(status.started_at) + "\n";
    text += "store   " + host::printable(status.backend) + " " + host::printable(status.location) + ": schema " +
            std::to_string(status.schema_version) + ", " + host::about_bytes(status.file_bytes) + ", write-ahead log " +
            host::about_bytes(status.wal_bytes) + ", commit " + std::to_string(status.commit_number) + "\n";
    text += "queue   " + std::to_string(status.queue_commands) + " commands, " + host::about_bytes(status.queue_bytes) +
            "; " + std::to_string(status.connections) + " connections\n\n";
    Table table({"STREAM", "LAST", "KEPT FROM", "ENTRIES"});
    for (const client::StreamState& stream : status.streams) {
        const auto entries = stream.head - std::min(stream.head, stream.floor);
        table.add(
            {stream.name, std::to_string(stream.head), std::to_string(stream.floor + 1), std::to_string(entries)});
    }
    return text + table.text(colours);
}

Exit run_status(Context& context, const Arguments& arguments) {
    const auto options = find_daemon(context, arguments);
    if (!options.ok()) {
        return usage_error(context, arguments, options.error());
    }
    client::Client client(*options);
    const auto status = client.status();
    if (!status.ok()) return fail(context, arguments, status.error());
    if (arguments.has("json")) print_json(context, status->json);
    else context.console.out.write(text_of(*status, client.endpoint().text(), context.console.colours_out));
    return status->readiness == "ready" || status->readiness == "standby" ? Exit::ok : Exit::unreachable;
}

}  // namespace

Command status_command() {
    Command command;
    command.name = "status";
    command.summary = "what the running daemon does: readiness, store, queue, streams";
    command.examples = {{"belfry status", "a look"},
                        {"belfry status --json | jq .store.wal_bytes", "one figure"},
                        {"until belfry status > /dev/null 2>&1; do sleep 1; done", "wait for a start"}};
    command.reach = Reach::daemon;
    command.exits = {{Exit::ok, "the daemon is ready (or a standby)"}};
    command.run = run_status;
    return command;
}

}  // namespace belfry::cli
