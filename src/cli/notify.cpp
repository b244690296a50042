#include "base/limits.hpp"
#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/event_arguments.hpp"
#include "cli/input.hpp"
#include "cli/notification_text.hpp"

namespace belfry::cli {
namespace {

base::Result<void> read_receiver(const Arguments& arguments, client::NotifyRequest& request) {
    constexpr std::string_view agent = "agent:";
    const std::string to = arguments.value_or("to", "inbox");
    const bool is_quiet = arguments.has("quiet");
    if (to.starts_with(agent)) {
        request.agent_id = to.substr(agent.size());
        if (request.agent_id.empty()) return wrong("--to agent:ID needs the agent's id");
        request.address = model::Address::user;
        request.target = model::Target::agent;
        request.handler = is_quiet ? model::Handler::system : model::Handler::agent;
        return {};
    }
    if (is_quiet) return wrong("--quiet is for --to agent:ID");
    if (to.empty()) return wrong("--to must be inbox, a session or agent:ID");
    if (to != "inbox") request.session_id = to;
    return {};
}

base::Result<client::NotifyRequest> read_request(const Arguments& arguments) {
    client::NotifyRequest request;
    request.text = arguments.positional(0);
    if (request.text == "-") {
        TRY_ASSIGN(request.text, read_input("-", base::limits::notification_text_bytes_max + 1));
        while (request.text.ends_with('\n')) request.text.pop_back();
    }
    if (request.text.empty()) return wrong("TEXT must not be empty");
    TRY(read_receiver(arguments, request));
    request.title = arguments.value_or("title", "");
    request.user_id = arguments.value_or("user", "");
    request.deduplication_key = arguments.value_or("key", "");
    TRY_ASSIGN(request.severity, read_severity(arguments, "severity"));
    const auto priority = arguments.value("priority");
    if (!priority) return request;
    request.priority = model::parse_priority(*priority);
    if (!request.priority) return wrong("--priority must be critical, high, normal or low, not \"" + *priority + '"');
    return request;
}

Exit run_notify(Context& context, const Arguments& arguments) {
    const auto request = read_request(arguments);
    const auto options = find_daemon(context, arguments);
    if (!request.ok() || !options.ok()) {
        return usage_error(context, arguments, request.ok() ? options.error() : request.error());
    }
    client::Client client(*options);
    const auto made = client.notify(*request);
    if (!made.ok()) return fail(context, arguments, made.error());
    if (arguments.has("json")) {
        print_json(context, made->json);
        return Exit::ok;
    }
    context.console.out.line(host::printable(made->id));
    remark(context, (made->version > 1 ? "updated, " : "") + route_words(made->address, made->target, made->handler) +
                        ", " + made->state);
    return Exit::ok;
}

}  // namespace

Command notify_command() {
    Command command;
    command.name = "notify";
    command.summary = "tell a person or an agent something, now";
    command.detail =
        "Rings the bell without an event: the text goes to a person's inbox, into a conversation, or to an agent, who\n"
        "is asked for a turn and, where he stays silent, is replaced by the system. Its id goes to standard output;\n"
        "`belfry why ID` tells later what became of it. With --key, a further one with the same key takes the place\n"
        "of the first as long as that is open.";
    command.options = {{"to", "WHERE", "inbox (unless given), the id of a session, or agent:ID"},
                       {"priority", "P", "critical, high, normal (unless given) or low", 'p'},
                       {"severity", "LEVEL", "debug, info (unless given), warning, error or critical"},
                       {"title", "TEXT", "a headline"},
                       {"user", "ID", "whose; without it whoever asks, or the daemon's owner"},
                       {"key", "KEY", "deduplication key"},
                       {"quiet", "", "to an agent: only into its context, without a turn of its own"}};
    command.positionals = {{"TEXT", "what to say; - reads it from standard input"}};
    command.examples = {
        {"belfry notify \"The build is done\"", "into my inbox"},
        {"belfry notify \"Disk almost full\" --priority high --key disk", "once, however often it is said"},
        {"make 2>&1 | tail -n 1 | belfry notify - --to chat-7", "into a conversation"},
        {"belfry notify \"Look at the failed build\" --to agent:coder", "an agent is to act on it"}};
    command.reach = Reach::daemon;
    command.run = run_notify;
    return command;
}

}  // namespace belfry::cli
