#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/notification_text.hpp"
#include "cli/table.hpp"

namespace belfry::cli {
namespace {

base::Result<client::LedgerQuestion> read_question(const Arguments& arguments, bool dead_letters) {
    client::LedgerQuestion question;
    question.dead_letters = dead_letters;
    question.user_id = arguments.value_or("user", "");
    question.session_id = arguments.value_or("session", "");
    question.subscriber = arguments.value_or("subscriber", "");
    question.outcome = arguments.value_or("outcome", "");
    question.open = arguments.has("open");
    question.state = arguments.value_or("state", "");
    if (!question.state.empty() && !model::parse_delivery_state(question.state)) {
        return wrong("--state must be pending, dispatched, locked, escalated, delivered or failed, not \"" +
                     question.state + '"');
    }
    TRY_ASSIGN(question.older_than, arguments.duration("older-than"));
    TRY_ASSIGN(const auto limit, arguments.integer("limit", 1, 1'000'000));
    question.limit = static_cast<std::size_t>(limit.value_or(100));
    return question;
}

Exit show(Context& context, const Arguments& arguments, client::Client& client,
          const client::LedgerQuestion& question) {
    const auto ledger = client.ledger(question);
    if (!ledger.ok()) return fail(context, arguments, ledger.error());
    if (arguments.has("json")) {
        for (const client::NotificationState& row : ledger->rows) {
            print_json(context, row.json);
        }
        return Exit::ok;
    }
    Table table({"ID", "CREATED", "USER", "SESSION", "FOR", "PRIORITY", "STATE", "LEASE", "TEXT"});
    for (const client::NotificationState& row : ledger->rows) {
        table.add({row.id, row.created_at, row.user_id, row.session_id, row.target, row.priority, state_words(row),
                   std::to_string(row.lease), gist(row)});
    }
    context.console.out.write(table.text(context.console.colours_out));
    if (ledger->more) remark(context, "there are more, see --limit");
    return Exit::ok;
}

Exit show_calls(Context& context, const Arguments& arguments, client::Client& client, std::size_t limit) {
    const auto found = client.given_up_calls(limit);
    if (!found.ok()) return fail(context, arguments, found.error());
    if (arguments.has("json")) {
        for (const client::SinkCallState& call : found->calls) {
            print_json(context, call.json);
        }
        return Exit::ok;
    }
    Table table({"CALL", "GIVEN UP", "SINK", "NOTIFICATION", "WHY"});
    for (const client::SinkCallState& call : found->calls) {
        table.add({call.id, call.given_up_at, call.sink, call.notification_id, call.error});
    }
    context.console.out.write(table.text(context.console.colours_out));
    if (found->more) remark(context, "there are more, see --limit");
    return Exit::ok;
}

Exit retry_call(Context& context, const Arguments& arguments, client::Client& client) {
    const auto made = client.retry_sink_call(arguments.positional(1));
    if (!made.ok()) return fail(context, arguments, made.error());
    remark(context, "the sink is called again");
    return Exit::ok;
}

Exit retry(Context& context, const Arguments& arguments, client::Client& client) {
    const auto made = client.retry_notification(arguments.positional(1), arguments.value_or("session", ""));
    if (!made.ok()) return fail(context, arguments, made.error());
    if (arguments.has("json")) {
        print_json(context, made->json);
        return Exit::ok;
    }
    context.console.out.line(host::printable(made->id));
    remark(context, "sent again, " + route_words(made->address, made->target, made->handler) + ", " + made->state);
    return Exit::ok;
}

Exit run_ledger(Context& context, const Arguments& arguments) {
    const std::string action = arguments.positionals().empty() ? "list" : arguments.positional(0);
    const bool is_retry = action == "retry";
    const bool is_known = is_retry || action == "list" || action == "dead";
    const bool has_id = arguments.positionals().size() == 2 && !arguments.positional(1).empty();
    const auto question = read_question(arguments, action == "dead");
    const auto options = find_daemon(context, arguments);
    base::Error problem;
    if (!is_known) problem = wrong("ACTION must be list, dead or retry, not \"" + action + '"');
    else if (is_retry != has_id) {
        problem = wrong(is_retry ? "ID is missing: belfry ledger retry ID" : action + " takes no ID");
    } else if (!question.ok()) problem = question.error();
    else if (arguments.has("sinks") && action == "list") problem = wrong("--sinks belongs to dead and retry");
    else if (!options.ok()) problem = options.error();
    if (!problem.message.empty()) {
        return usage_error(context, arguments, problem);
    }
    client::Client client(*options);
    if (arguments.has("sinks")) {
        return is_retry ? retry_call(context, arguments, client)
                        : show_calls(context, arguments, client, question->limit);
    }
    return is_retry ? retry(context, arguments, client) : show(context, arguments, client, *question);
}

}  // namespace

Command ledger_command() {
    Command command;
    command.name = "ledger";
    command.summary = "all notifications by state, age and user; dead letters, and sending one again";
    command.detail =
        "list shows the ledger, oldest first. dead shows those that reached nobody, with the reason; retry sends one "
        "of\n"
        "them again, as a new notification, whose id goes to standard output. With --sinks both are about calls of "
        "sinks\n"
        "that were given up.";
    command.options = {{"state", "S", "pending, dispatched, locked, escalated, delivered or failed", 's'},
                       {"open", "", "only what is still on its way"},
                       {"older-than", "TIME", "made at least so long ago: 10m, 24h, 7d"},
                       {"user", "ID", "only of this person"},
                       {"session", "ID", "only of this conversation; of retry, where a handle counts"},
                       {"subscriber", "ID", "only those that this subscriber made"},
                       {"outcome", "WORD", "only those that ended so: nobody_there, expired_unseen, …"},
                       {"sinks", "", "dead and retry: calls of sinks that were given up"},
                       {"limit", "N", "how many (100 unless given)", 'n'}};
    command.positionals = {{"ACTION", "list (unless given), dead or retry", PositionalSpec::Count::optional},
                           {"ID", "of retry: which", PositionalSpec::Count::optional}};
    command.examples = {{"belfry ledger --open --older-than 10m", "what does not move"},
                        {"belfry ledger dead", "what reached nobody"},
                        {"belfry ledger retry 0198…", "once more"},
                        {"belfry ledger dead --sinks", "which sinks were given up, and why"},
                        {"belfry ledger --state escalated --user ada --json", "for a program"}};
    command.reach = Reach::daemon;
    command.run = run_ledger;
    return command;
}

}  // namespace belfry::cli
