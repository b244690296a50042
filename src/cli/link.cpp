#include "base/journal_limits.hpp"
#include "cli/commands.hpp"
#include "cli/journal_action.hpp"
#include "cli/table.hpp"
#include "codec/json.hpp"

namespace belfry::cli {
namespace {

std::string link_line(const model::Link& link) {
    return link.from_id + ' ' + link.relation + ' ' + link.to_id + (link.hidden ? " (hidden)" : "");
}

Exit add(JournalCall& call) {
    client::LinkRequest request;
    request.from_id = call.word(0);
    request.relation = call.word(1);
    request.to_id = call.word(2);
    request.hidden = call.arguments.has("hidden");
    if (const auto typed = call.arguments.value("metadata")) {
        auto metadata = codec::validate(*typed);
        if (!metadata.ok() || metadata->view().kind() != model::JsonKind::object) {
            return usage_error(call.context, call.arguments, wrong("--metadata must be a JSON object"));
        }
        request.metadata = std::move(*metadata);
    }
    const auto made = call.journal.put_link(request);
    if (!made.ok()) return fail(call.context, call.arguments, made.error());
    if (call.is_json()) print_json(call.context, made->json);
    else remark(call.context, link_line(made->link));
    return Exit::ok;
}

// In both directions, unless one is asked for.
base::Result<std::vector<client::LinkNow>> find_links(JournalCall& call) {
    client::LinkQuestion question;
    question.relation = call.arguments.value_or("relation", "");
    question.hidden = call.arguments.has("hidden");
    std::vector<client::LinkNow> found;
    if (!call.arguments.has("incoming")) {
        question.from_id = call.word(0);
        TRY_ASSIGN(found, call.journal.links(question));
    }
    if (!call.arguments.has("outgoing")) {
        question.from_id.clear();
        question.to_id = call.word(0);
        TRY_ASSIGN(const std::vector<client::LinkNow> incoming, call.journal.links(question));
        for (const client::LinkNow& one : incoming) {
            if (one.link.from_id != one.link.to_id || call.arguments.has("incoming")) found.push_back(one);
        }
    }
    return found;
}

Exit list(JournalCall& call) {
    if (call.arguments.has("incoming") && call.arguments.has("outgoing")) {
        return usage_error(call.context, call.arguments, wrong("--incoming and --outgoing exclude each other"));
    }
    const auto found = find_links(call);
    if (!found.ok()) return fail(call.context, call.arguments, found.error());
    Table table({"FROM", "RELATION", "TO", "HIDDEN", "METADATA"});
    for (const client::LinkNow& now : *found) {
        if (call.is_json()) print_json(call.context, now.json);
        table.add({now.link.from_id, now.link.relation, now.link.to_id, now.link.hidden ? "hidden" : "",
                   now.link.metadata == model::RawJson() ? "" : now.link.metadata.bytes()});
    }
    if (!call.is_json()) call.context.console.out.write(table.text(call.context.console.colours_out));
    return Exit::ok;
}

Exit remove(JournalCall& call) {
    const auto removed = call.journal.remove_link(call.word(1), call.word(0), call.word(2));
    if (!removed.ok()) return fail(call.context, call.arguments, removed.error());
    if (!call.is_json())
        remark(call.context, call.word(0) + " is not " + call.word(1) + ' ' + call.word(2) + " any more");
    return Exit::ok;
}

Exit run_link(Context& context, const Arguments& arguments) {
    const std::vector<JournalAction> actions{{"add", "FROM RELATION TO", 3, 3, {"metadata", "hidden"}, add},
                                             {"list", "ID", 1, 1, {"relation", "hidden", "incoming", "outgoing"}, list},
                                             {"remove", "FROM RELATION TO", 3, 3, {}, remove}};
    return run_journal_action(context, arguments, "link", actions);
}

}  // namespace

Command link_command() {
    Command command;
    command.name = "link";
    command.summary = "links between records of the journal: add, list, remove";
    command.detail =
        "A link goes from one record to another and says by its relation what they have to do with each other: a "
        "small\n"
        "letter, then small letters, digits and _. `add` of one that is there changes its metadata and whether it is\n"
        "hidden. What was removed stays so. Relations of agents' memory are Belfry's own.";
    command.options = {{"metadata", "JSON", "add: a small object that goes with it"},
                       {"hidden", "", "add: hide it from people; list: those too"},
                       {"relation", "NAME", "list: of this relation only"},
                       {"incoming", "", "list: only those that lead to it"},
                       {"outgoing", "", "list: only those that lead away from it"},
                       user_option()};
    command.positionals = {{"ACTION", "add, list or remove"},
                           {"WORD", "of add and remove: FROM RELATION TO; of list: ID", PositionalSpec::Count::any}};
    command.examples = {{"belfry link add letter blocked_by stamps", "the letter waits for the stamps"},
                        {"belfry link list letter", "what it has to do with"},
                        {"belfry link remove letter blocked_by stamps", "it does not wait any more"}};
    command.reach = Reach::daemon;
    command.run = run_link;
    return command;
}

}  // namespace belfry::cli
