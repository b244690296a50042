#include "client/memory.hpp"

#include <algorithm>
#include <array>

#include "base/memory_limits.hpp"
#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/table.hpp"
#include "client/fields.hpp"

namespace belfry::cli {
namespace {

using client::Fields;
using model::RawJson;

constexpr std::size_t shown_bytes_max = 100;
constexpr std::int64_t span_max = 1000;

// Of one action: how many words follow AGENT, and the options that it takes.
struct Action {
    std::string_view name;
    std::string_view words;
    std::size_t words_min = 0;
    std::size_t words_max = 0;
    std::vector<std::string_view> options = {};
};
const std::vector<Action>& actions() {
    static const std::vector<Action> all{{"show", "", 0, 0, {"thread", "explain"}},
                                         {"threads", ""},
                                         {"summaries", "", 0, 0, {"folded-into"}},
                                         {"open", "SUMMARY", 1, 1, {"after", "limit"}},
                                         {"search", "WORD ...", 1, 100, {"thread", "kind", "limit"}},
                                         {"folds", "", 0, 0, {"state"}},
                                         {"fold", "", 0, 0, {"thread"}},
                                         {"restart", "JOB", 1, 1},
                                         {"forget", "", 0, 0, {"message", "thread", "before", "yes"}}};
    return all;
}

struct Call {
    Context& context;
    const Arguments& arguments;
    client::Memory& memory;

    [[nodiscard]] bool is_json() const { return arguments.has("json"); }
    [[nodiscard]] Output& out() const { return context.console.out; }
};

std::string clipped(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    if (text.size() <= shown_bytes_max) return text;
    std::size_t end = shown_bytes_max;
    while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // no half of a character
    return text.substr(0, end) + "…";
}

std::string number_text(const Fields& fields, std::string_view name) {
    return std::to_string(fields.number(name));
}

// Rows for a person, or each as JSON.
template <class Row>
Exit show_rows(Call& call, const base::Result<std::vector<RawJson>>& found, std::vector<std::string> titles, Row row) {
    if (!found.ok()) return fail(call.context, call.arguments, found.error());
    Table table(std::move(titles));
    for (const RawJson& one : *found) {
        if (call.is_json()) print_json(call.context, one);
        table.add(row(Fields(one.view())));
    }
    if (!call.is_json()) call.out().write(table.text(call.context.console.colours_out));
    return Exit::ok;
}

std::string text_of_message(const Fields& message) {
    const auto content = message.member("content");
    if (!content) return {};
    if (const auto text = content->member("text")) return text->as_text();
    return content->text == "{}" ? std::string() : content->as_text();
}

void print_items(Call& call, const Fields& memory, std::string_view list, const std::string& title) {
    memory.each(list, [&](model::JsonView item) {
        call.out().line(host::printable(title + ": " + Fields(item).text("text")));
    });
}

Exit show(Call& call) {
    const auto found = call.memory.show(call.arguments.value_or("thread", ""), call.arguments.has("explain"));
    if (!found.ok()) return fail(call.context, call.arguments, found.error());
    if (call.is_json()) {
        print_json(call.context, *found);
        return Exit::ok;
    }
    const Fields memory(found->view());
    if (memory.text("thread_id").empty()) {
        call.out().line("it remembers nothing yet");
        return Exit::ok;
    }
    call.out().line(host::printable("thread " + memory.text("thread_id") + ": " + number_text(memory, "used_tokens") +
                                    " of " + number_text(memory, "budget_tokens") + " tokens, " +
                                    number_text(memory, "left_out") + " left out"));
    if (const std::string slots = memory.text("slots"); !slots.empty()) call.out().line(host::printable(slots));
    print_items(call, memory, "goals", "goal");
    print_items(call, memory, "decisions", "decision");
    print_items(call, memory, "open_loops", "open loop");
    Table told({"WHAT", "ID", "TEXT"});
    memory.each("summaries", [&](model::JsonView one) {
        const Fields fields(one);
        const RawJson summary = fields.object("summary");
        told.add({"summary " + number_text(fields, "depth"), fields.text("id"),
                  clipped(Fields(summary.view()).text("text"))});
    });
    memory.each("messages", [&](model::JsonView one) {
        told.add({Fields(one).text("kind"), Fields(one).text("id"), clipped(text_of_message(Fields(one)))});
    });
    call.out().write(told.text(call.context.console.colours_out));
    if (!call.arguments.has("explain")) return Exit::ok;
    call.out().line("");
    Table why({"PART", "ID", "WHAT", "TOKENS", "FATE"});
    memory.each("choices", [&](model::JsonView one) {
        const Fields fields(one);
        why.add({fields.text("part"), fields.text("id"), fields.text("what"), number_text(fields, "tokens"),
                 fields.text("fate")});
    });
    call.out().write(why.text(call.context.console.colours_out));
    return Exit::ok;
}

Exit threads(Call& call) {
    return show_rows(call, call.memory.threads(), {"THREAD", "MESSAGES", "HOT", "HOT TOKENS", "LAST", "CLOSED"},
                     [](const Fields& one) -> std::vector<std::string> {
                         return {one.text("thread_id"),
                                 number_text(one, "messages"),
                                 number_text(one, "hot_messages"),
                                 number_text(one, "hot_tokens"),
                                 one.text("last_at"),
                                 one.flag("is_closed").value_or(false) ? "yes" : ""};
                     });
}

Exit summaries(Call& call) {
    return show_rows(call, call.memory.summaries(call.arguments.value_or("folded-into", "")),
                     {"DEPTH", "ID", "THREAD", "FROM", "TO", "TOKENS", "TEXT"},
                     [](const Fields& one) -> std::vector<std::string> {
                         const RawJson summary = one.object("summary");
                         const Fields told(summary.view());
                         return {number_text(one, "depth"), one.text("id"),  one.text("thread_id"),
                                 told.text("from"),         told.text("to"), number_text(one, "tokens"),
                                 clipped(told.text("text"))};
                     });
}

Exit open(Call& call) {
    const auto after = call.arguments.integer("after", 0, INT64_MAX);
    if (!after.ok()) return usage_error(call.context, call.arguments, after.error());
    const auto limit = call.arguments.integer("limit", 1, span_max);
    if (!limit.ok()) return usage_error(call.context, call.arguments, limit.error());
    const auto found = call.memory.open(call.arguments.positional(2), after->value_or(0),
                                        static_cast<std::size_t>(limit->value_or(100)));
    if (!found.ok()) return fail(call.context, call.arguments, found.error());
    if (call.is_json()) {
        print_json(call.context, *found);
        return Exit::ok;
    }
    const Fields opened(found->view());
    const RawJson placed = opened.object("summary");
    const RawJson summary = Fields(placed.view()).object("summary");
    call.out().line(host::printable(Fields(summary.view()).text("text")));
    Table table({"TIME", "KIND", "ID", "TEXT"});
    opened.each("data", [&](model::JsonView one) {
        const Fields message(one);
        table.add(
            {message.text("created_at"), message.text("kind"), message.text("id"), clipped(text_of_message(message))});
    });
    call.out().write(table.text(call.context.console.colours_out));
    if (const std::int64_t next = opened.number("next"); next > 0) {
        remark(call.context, "(more: --after " + std::to_string(next) + ")");
    }
    return Exit::ok;
}

Exit search(Call& call) {
    const auto limit = call.arguments.integer("limit", 1, base::limits::recall_results_max);
    if (!limit.ok()) return usage_error(call.context, call.arguments, limit.error());
    client::MemoryWords question;
    for (std::size_t i = 2; i < call.arguments.positionals().size(); ++i) {
        question.words += (question.words.empty() ? "" : " ") + call.arguments.positional(i);
    }
    question.thread_id = call.arguments.value_or("thread", "");
    question.kind = call.arguments.value_or("kind", "");
    question.limit = static_cast<std::size_t>(limit->value_or(10));
    return show_rows(call, call.memory.search(question), {"TIME", "KIND", "WORDS", "MESSAGE", "TEXT"},
                     [](const Fields& one) -> std::vector<std::string> {
                         return {one.text("created_at"), one.text("kind"), number_text(one, "words"),
                                 one.text("message_id"), clipped(one.text("snippet"))};
                     });
}

std::vector<std::string> fold_row(const Fields& one) {
    return {one.text("id"),         number_text(one, "depth"),    one.text("thread_id"),       one.text("state"),
            one.text("summarizer"), number_text(one, "attempts"), one.text("next_attempt_at"), one.text("last_error")};
}
const std::vector<std::string> fold_titles{"JOB", "DEPTH", "THREAD", "STATE", "BY", "ATTEMPTS", "NEXT", "ERROR"};

Exit folds(Call& call) {
    return show_rows(call, call.memory.folds(call.arguments.value_or("state", "")), fold_titles, fold_row);
}

Exit fold(Call& call) {
    const auto jobs = call.memory.fold(call.arguments.value_or("thread", ""));
    if (!jobs.ok()) return fail(call.context, call.arguments, jobs.error());
    if (call.is_json()) call.out().line(R"({"jobs":)" + std::to_string(*jobs) + '}');
    else remark(call.context, std::to_string(*jobs) + (*jobs == 1 ? " job is open" : " jobs are open"));
    return Exit::ok;
}

Exit restart(Call& call) {
    const auto job = call.memory.restart(call.arguments.positional(2));
    if (!job.ok()) return fail(call.context, call.arguments, job.error());
    return show_rows(call, base::Result<std::vector<RawJson>>(std::vector<RawJson>{*job}), fold_titles, fold_row);
}

// There is no way back: it has to be said twice.
Exit forget(Call& call) {
    client::ForgetRequest request;
    request.message_id = call.arguments.value_or("message", "");
    request.thread_id = call.arguments.value_or("thread", "");
    request.before = call.arguments.value_or("before", "");
    const bool names_many = !request.thread_id.empty() || !request.before.empty();
    if (names_many == !request.message_id.empty()) {
        return usage_error(call.context, call.arguments,
                           wrong("forget needs --message ID, or --thread ID, or --before TIME, or the last two"));
    }
    if (!request.before.empty() && !base::parse_timestamp(request.before)) {
        return usage_error(
            call.context, call.arguments,
            wrong("--before must be a time such as 2026-11-16T07:00:00Z, not \"" + request.before + '"'));
    }
    if (!call.arguments.has("yes")) {
        return usage_error(call.context, call.arguments, wrong("what is forgotten is gone for good: add --yes"));
    }
    const auto gone = call.memory.forget(request);
    if (!gone.ok()) return fail(call.context, call.arguments, gone.error());
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object().field("messages", gone->messages).field("summaries", gone->summaries).end_object();
    if (call.is_json()) call.out().line(json);
    else
        remark(call.context, std::to_string(gone->messages) + " messages and " + std::to_string(gone->summaries) +
                                 " summaries of them are gone");
    return Exit::ok;
}

// What is wrong with what was typed; empty: nothing.
std::string fault_of(const Arguments& arguments) {
    const std::string name = arguments.positional(0);
    const auto action = std::ranges::find(actions(), name, &Action::name);
    if (action == actions().end()) {
        return "ACTION must be show, threads, summaries, open, search, folds, fold, restart or forget, not \"" + name +
               '"';
    }
    const std::size_t words = arguments.positionals().size();
    if (words < 2 + action->words_min || words > 2 + action->words_max) {
        return "usage: belfry memory " + name + " AGENT" + (action->words.empty() ? "" : " ") +
               std::string(action->words);
    }
    for (const char* option :
         {"thread", "explain", "folded-into", "after", "limit", "kind", "state", "message", "before", "yes"}) {
        const bool is_taken = std::ranges::find(action->options, option) != action->options.end();
        if (arguments.has(option) && !is_taken) return "--" + std::string(option) + " does not go with " + name;
    }
    return {};
}

Exit run_memory(Context& context, const Arguments& arguments) {
    const std::string fault = fault_of(arguments);
    if (!fault.empty()) return usage_error(context, arguments, wrong(fault));
    const auto options = find_daemon(context, arguments);
    if (!options.ok()) return usage_error(context, arguments, options.error());
    client::Client client(*options);
    client::Memory memory(client, arguments.positional(1));
    Call call{context, arguments, memory};
    const std::string action = arguments.positional(0);
    if (action == "show") return show(call);
    if (action == "threads") return threads(call);
    if (action == "summaries") return summaries(call);
    if (action == "open") return open(call);
    if (action == "search") return search(call);
    if (action == "folds") return folds(call);
    if (action == "fold") return fold(call);
    return action == "restart" ? restart(call) : forget(call);
}

}  // namespace

Command memory_command() {
    Command command;
    command.name = "memory";
    command.summary = "what agents remember: show, threads, summaries, open, search, folds, fold, restart, forget";
    command.detail =
        "`show` tells what an agent would be told of its memory now, under its budget; --explain also what was left\n"
        "out, and why. What does not fit is folded into summaries, which `open` to what they were made of; nothing is\n"
        "lost by it. `search` looks in all of it. `folds` is the work of folding, which goes on by itself. What is\n"
        "forgotten is taken away for good, with every summary that was made of it. docs/memory.md says more.";
    command.options = {{"thread", "ID", "show, search, fold, forget: of this thread"},
                       {"explain", "", "show: every candidate, and why it is there or not"},
                       {"folded-into", "ID", "summaries: those that this one has folded"},
                       {"after", "N", "open: go on behind a page"},
                       {"limit", "N", "open: so many at the most (100); search: likewise (10)"},
                       {"kind", "KIND", "search: observation, user, thought, action, tool_result or system"},
                       {"state", "STATE", "folds: pending, running, done or failed_terminal"},
                       {"message", "ID", "forget: this one"},
                       {"before", "TIME", "forget: what was said before, such as 2026-11-16T07:00:00Z"},
                       {"yes", "", "forget: for good"}};
    command.positionals = {{"ACTION", "show, threads, summaries, open, search, folds, fold, restart or forget"},
                           {"AGENT", "whose"},
                           {"WORD", "open: SUMMARY; search: words; restart: JOB", PositionalSpec::Count::any}};
    command.examples = {{"belfry memory show fixer --explain", "what it is told, and what it is not"},
                        {"belfry memory search fixer door code", "where something was said"},
                        {"belfry memory open fixer ID", "what a summary was made of"},
                        {"belfry memory forget fixer --message ID --yes", "one message, for good"}};
    command.reach = Reach::daemon;
    command.run = run_memory;
    return command;
}

}  // namespace belfry::cli
