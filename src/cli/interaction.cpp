#include "base/limits.hpp"
#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/input.hpp"
#include "cli/table.hpp"
#include "codec/json.hpp"
#include "host/environment.hpp"

namespace belfry::cli {
namespace {

Exit list(Context& context, const Arguments& arguments, client::Client& client) {
    client::InteractionQuestion question;
    question.user_id = arguments.value_or("user", "");
    question.session_id = arguments.value_or("session", "");
    question.always_allowed = arguments.has("always-allowed");
    question.state = arguments.has("all") || question.always_allowed ? "" : "pending";
    const auto found = client.interactions(question);
    if (!found.ok()) return fail(context, arguments, found.error());
    if (arguments.has("json")) {
        for (const client::InteractionState& one : *found) {
            print_json(context, one.json);
        }
        return Exit::ok;
    }
    Table table({"ID", "KIND", "SESSION", "STATE", "TOOL", "QUESTION", "ANSWER"});
    for (const client::InteractionState& one : *found) {
        table.add({one.id, one.kind, one.session_id, one.state, one.tool_name, one.message,
                   one.answer ? one.answer->bytes() : ""});
    }
    context.console.out.write(table.text(context.console.colours_out));
    return Exit::ok;
}

base::Result<client::InteractionWords> read_words(const Arguments& arguments) {
    client::InteractionWords words;
    const std::string word = arguments.positional(2);
    const bool is_decision = word == "allow_once" || word == "always_allow" || word == "deny";
    const bool is_action = word == "accept" || word == "decline" || word == "cancel";
    if (!is_decision && !is_action) {
        return wrong("WORD must be allow_once, always_allow or deny; of a form accept, decline or cancel");
    }
    (is_decision ? words.decision : words.action) = word;
    const auto file = arguments.value("content");
    if (!file) return words;
    TRY_ASSIGN(const std::string text, read_input(*file, base::limits::interaction_content_bytes_max));
    auto content = codec::validate(text);
    if (!content.ok() || content->view().kind() != model::JsonKind::object) {
        return wrong("--content " + *file + " is no JSON object");
    }
    words.content = std::move(*content);
    return words;
}

Exit answer(Context& context, const Arguments& arguments, client::Client& client) {
    const auto words = read_words(arguments);
    if (!words.ok()) {
        return usage_error(context, arguments, words.error());
    }
    const auto answered = client.answer_interaction(arguments.positional(1), *words);
    if (!answered.ok()) return fail(context, arguments, answered.error());
    if (arguments.has("json")) print_json(context, answered->json);
    else remark(context, answered->state + ": " + arguments.positional(2));
    return Exit::ok;
}

Exit take_back(Context& context, const Arguments& arguments, client::Client& client) {
    const auto taken = client.take_back_allowance(arguments.positional(1));
    if (!taken.ok()) return fail(context, arguments, taken.error());
    if (arguments.has("json")) print_json(context, taken->json);
    else remark(context, taken->tool_name + " is asked for again in session " + taken->session_id);
    return Exit::ok;
}

Exit run_interaction(Context& context, const Arguments& arguments) {
    const std::string action = arguments.positional(0);
    const std::size_t words = arguments.positionals().size();
    const auto options = find_daemon(context, arguments);
    base::Error problem;
    const std::size_t wanted = action == "list" ? 1 : action == "answer" ? 3 : 2;
    if (action != "list" && action != "answer" && action != "take-back") {
        problem = wrong("ACTION must be list, answer or take-back, not \"" + action + '"');
    } else if (words != wanted) {
        problem = wrong(action == "list"     ? "list takes no ID"
                        : action == "answer" ? "usage: belfry interaction answer ID WORD"
                                             : "usage: belfry interaction take-back ID");
    } else if (!options.ok()) {
        problem = options.error();
    }
    if (!problem.message.empty()) {
        return usage_error(context, arguments, problem);
    }
    client::Client client(*options);
    if (action == "take-back") return take_back(context, arguments, client);
    return action == "list" ? list(context, arguments, client) : answer(context, arguments, client);
}

}  // namespace

Command interaction_command() {
    Command command;
    command.name = "interaction";
    command.summary = "questions of agents to people: list, answer, take back what is always allowed";
    command.detail =
        "An agent asks before it uses a tool (a confirmation), or asks for something that it needs to know (an\n"
        "elicitation). Who answers needs an access token of the person, or of one who acts for him: being the same\n"
        "user on this machine is not enough, because the agent is that, too. Without an answer in time it means no.\n"
        "What was answered with always_allow is not asked again in its session until that is taken back.";
    command.options = {
        {"session", "ID", "list: in this session only"},
        {"user", "ID", "list: to this person only"},
        {"all", "", "list: those that have ended, too"},
        {"always-allowed", "", "list: those by which a tool is used without asking"},
        {"content", "FILE", "answer: what the form was filled in with, a JSON object; - is standard input"}};
    command.positionals = {
        {"ACTION", "list, answer or take-back"},
        {"ID", "of answer and take-back: which", PositionalSpec::Count::optional},
        {"WORD", "allow_once, always_allow, deny; accept, decline, cancel", PositionalSpec::Count::optional}};
    command.examples = {{"belfry interaction list", "what waits for an answer"},
                        {"belfry interaction answer ID allow_once --token bf_…", "yes, this time"},
                        {"belfry interaction take-back ID --token bf_…", "ask me again before that tool"}};
    command.reach = Reach::daemon;
    command.run = run_interaction;
    return command;
}

}  // namespace belfry::cli
