#include "base/limits.hpp"
#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/input.hpp"
#include "client/sender.hpp"
#include "codec/json.hpp"

namespace belfry::cli {
namespace {

// --rpc, then BELFRY_RPC, then the socket of the configuration.
base::Result<client::RpcOptions> find_rpc(const Context& context, const Arguments& arguments) {
    client::RpcOptions options;
    options.token = arguments.value_or("token", context.environment.get("BELFRY_TOKEN").value_or(""));
    const std::string chosen = arguments.value_or("rpc", context.environment.get("BELFRY_RPC").value_or(""));
    options.tls_ca_file = arguments.value_or("ca-file", "");
    if (!chosen.empty()) {
        TRY_ASSIGN(options.endpoint, client::parse_rpc_address(chosen));
        return options;
    }
    TRY_ASSIGN(const host::LoadedConfig loaded, load_config(context, arguments));
    options.endpoint.scheme = wire::Endpoint::Scheme::unix_socket;
    options.endpoint.socket_path = loaded.config.rpc.socket;
    if (options.endpoint.socket_path.empty()) return wrong("rpc.socket is off: name the daemon's address with --rpc");
    return options;
}

base::Result<client::UserMessage> read_message(const Arguments& arguments) {
    client::UserMessage message;
    message.session_id = arguments.positional(0);
    message.message_type = arguments.value_or("type", "user_input");
    message.message_id = arguments.value_or("id", "");
    const bool has_text = arguments.positionals().size() > 1;
    if (const auto payload = arguments.value("payload")) {
        if (has_text) return wrong("TEXT and --payload exclude each other");
        auto json = codec::validate(*payload);
        if (!json.ok()) return wrong("--payload is no JSON: " + json.error().message);
        message.payload = std::move(json).value();
        return message;
    }
    if (!has_text) {
        if (message.message_type == "user_input") return wrong("TEXT is missing: what to say");
        return message;
    }
    std::string text = arguments.positional(1);
    if (text == "-") {
        TRY_ASSIGN(text, read_input("-", base::limits::send_message_bytes_max));
        while (text.ends_with('\n')) text.pop_back();
    }
    if (text.empty()) return wrong("TEXT must not be empty");
    std::string payload;
    model::JsonWriter(payload).begin_object().field("text", text).end_object();
    message.payload = model::RawJson::trusted(std::move(payload));
    return message;
}

void show(Context& context, const Arguments& arguments, const client::Receipt& receipt) {
    if (!arguments.has("json")) {
        context.console.out.line(host::printable(receipt.notification_id));
        if (!receipt.message.empty()) remark(context, receipt.message);
        return;
    }
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object().name("success").boolean(true).field("message", receipt.message);
    writer.field("notification_id", receipt.notification_id).field("message_id", receipt.message_id).end_object();
    context.console.out.line(host::escape_json_controls(json));
}

Exit run_send(Context& context, const Arguments& arguments) {
    const auto message = read_message(arguments);
    auto server = find_rpc(context, arguments);
    if (!message.ok() || !server.ok()) {
        return usage_error(context, arguments, message.ok() ? server.error() : message.error());
    }
    client::SenderOptions options;
    options.server = *server;
    // Given to a person while it goes on; to a program, the outcome says it all.
    if (!arguments.has("json")) {
        options.on_feedback = [&context](std::string_view text, const std::string&) { remark(context, text); };
    }
    client::Sender sender(std::move(options));
    const auto receipt = sender.send(*message);
    if (!receipt.ok()) return fail(context, arguments, receipt.error());
    show(context, arguments, *receipt);
    return Exit::ok;
}

}  // namespace

Command send_command() {
    Command command;
    command.name = "send";
    command.summary = "say something to a running agent, as the person in its session";
    command.detail =
        "The text becomes a message of the user in that session: the agent gets it at its next step, or is asked for\n"
        "a turn. Other types become events (`client.status_update`) or do what they say (control_signal,\n"
        "tool_confirmation, elicitation_response). What became of it, its id, goes to standard output.\n"
        "A daemon that is away is tried again after 100 ms, 500 ms and 2 s; the message arrives once or is reported\n"
        "as failed.";
    command.options = {{"type", "TYPE", "user_input (unless given), status_update, control_signal, …"},
                       {"payload", "JSON", "the payload, instead of TEXT"},
                       {"id", "UUID", "your own id of the message: sent again, it is not taken twice"},
                       {"rpc", "WHERE", "the daemon's JSON-RPC socket: unix:/path, tcp://host:port, tcps://host:port"},
                       {"token", "TOKEN", "access token; better in BELFRY_TOKEN, where others cannot read it"},
                       {"ca-file", "FILE", "for tcps: PEM file of certificates to trust besides the system's"}};
    command.positionals = {{"SESSION", "the conversation"},
                           {"TEXT", "what to say; - reads it from standard input", PositionalSpec::Count::optional}};
    command.examples = {
        {"belfry send chat-7 \"Yes, go on with the changes\"", "into a running turn"},
        {"belfry send chat-7 --type control_signal --payload '{\"action\":\"cancel\"}'", "stop its run"},
        {"git diff | belfry send chat-7 -", "something longer"}};
    command.run = run_send;
    command.exits = {{Exit::unreachable, "the daemon cannot be reached, or does not serve at the moment"},
                     {Exit::refused, "no or not enough access"}};
    return command;
}

}  // namespace belfry::cli
