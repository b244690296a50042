#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "client/rpc_bridge.hpp"

namespace belfry::cli {
namespace {

Exit run_rpc(Context& context, const Arguments& arguments) {
    const auto loaded = load_config(context, arguments);
    if (!loaded.ok()) {
        return usage_error(context, arguments, loaded.error());
    }
    const std::string path = arguments.value_or("rpc-socket", loaded->config.rpc.socket);
    if (path.empty()) {
        return usage_error(context, arguments,
                           base::error(base::Code::invalid, "rpc.socket is off: there is nothing to speak to"));
    }
    const auto done = client::bridge_rpc(path, STDIN_FILENO, STDOUT_FILENO);
    return done.ok() ? Exit::ok : fail(context, arguments, done.error());
}

}  // namespace

Command rpc_command() {
    Command command;
    command.name = "rpc";
    command.summary = "speak JSON-RPC with the daemon over standard input and output";
    command.detail =
        "For programs that start what they speak to. Messages are framed as language servers do it (Content-Length: "
        "N,\n"
        "an empty line, N bytes) and carried to the daemon's Unix socket and back. Ends when standard input has ended\n"
        "and everything is answered. The methods are in docs/client-messages.md.";
    command.options = {{"rpc-socket", "PATH", "the daemon's socket for JSON-RPC; rpc.socket unless given"}};
    command.examples = {{"belfry rpc < messages", "send what is in a file, and see the answers"}};
    command.run = run_rpc;
    command.exits = {{Exit::unreachable, "nobody listens on the socket, or the daemon went before it had everything"}};
    return command;
}

}  // namespace belfry::cli
