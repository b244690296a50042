#include <utility>

#include "base/journal_limits.hpp"
#include "base/limits.hpp"
#include "codec/journal_json.hpp"
#include "model/journal_json.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/journal.hpp"
#include "net/handlers/journal_words.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"

namespace belfry::net::handlers {
namespace {

namespace limits = base::limits;

// What `next` says of a link: its relation, which has no colon, and the end that was not asked for.
std::string format_place(const ports::LinkFilter& filter, const model::Link& last) {
    return last.relation + ":" + (filter.from_id.empty() ? last.from_id : last.to_id);
}

base::Result<ports::LinkName> parse_place(const ports::LinkFilter& filter, const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) {
        return base::error(base::Code::invalid, "must be `next` of the page before", "after");
    }
    ports::LinkName place;
    place.relation = text.substr(0, colon);
    place.from_id = filter.from_id.empty() ? text.substr(colon + 1) : filter.from_id;
    place.to_id = filter.from_id.empty() ? filter.to_id : text.substr(colon + 1);
    return place;
}

base::Result<bool> take_link_filter(const std::string& name, const std::string& value, ports::LinkFilter& filter) {
    if (name == "from") {
        TRY_ASSIGN(filter.from_id, parse_journal_id(name, value));
    } else if (name == "to") {
        TRY_ASSIGN(filter.to_id, parse_journal_id(name, value));
    } else if (name == "relation") {
        TRY_ASSIGN(filter.relation, parse_filter(name, value));
    } else if (name == "hidden") {
        if (value != "true" && value != "false") {
            return base::error(base::Code::invalid, "must be true or false", name);
        }
        filter.hidden = value == "true";
    } else if (name == "limit") {
        TRY_ASSIGN(filter.limit, parse_limit(value));
    } else {
        return false;
    }
    return true;
}

base::Result<ports::LinkQuestion> read_question(const Exchange& exchange) {
    ports::LinkQuestion question;
    question.filter.limit = limits::page_entries_default;
    JournalParameters parameters;
    std::optional<std::string> after;
    TRY(read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
        if (name == "after") {
            after = value;
            return {};
        }
        TRY_ASSIGN(const bool is_access, parameters.take_of_read(name, value));
        if (is_access) return {};
        TRY_ASSIGN(const bool is_known, take_link_filter(name, value, question.filter));
        return is_known ? base::Result<void>{} : unknown_parameter(name);
    }));
    TRY_ASSIGN(question.access, std::move(parameters).settle());
    if (question.filter.from_id.empty() && question.filter.to_id.empty()) {
        return base::error(base::Code::invalid, "must be given, or to", "from");
    }
    if (after) {
        TRY_ASSIGN(question.filter.after, parse_place(question.filter, *after));
    }
    return question;
}

}  // namespace

void put_link(const Exchange& exchange) {
    auto access = read_journal_access(exchange);
    if (!access) return exchange.fail(access.error());
    auto input = codec::parse_link_input(exchange.request.body.empty() ? "{}" : exchange.request.body);
    if (!input) return exchange.fail(input.error());
    auto command = std::make_unique<ports::PutLink>();
    command->user_id = std::move(access->user_id);
    command->claim = access->claim;
    command->draft.relation = exchange.captures.at(0);
    command->draft.from_id = exchange.captures.at(1);
    command->draft.to_id = exchange.captures.at(2);
    command->draft.metadata = std::move(input->metadata);
    command->draft.hidden = input->hidden;
    command->bytes = exchange.request.body.size();
    command->done = [to = exchange.reply()](const base::Result<ports::PutLinkReply>& result) {
        if (!result) return to.fail(result.error());
        answer_link(to, result->is_new ? 201 : 200, result->link);
    };
    exchange.submit(std::move(command));
}

void delete_link(const Exchange& exchange) {
    auto access = read_journal_access(exchange);
    if (!access) return exchange.fail(access.error());
    auto command = std::make_unique<ports::DeleteLink>();
    command->user_id = std::move(access->user_id);
    command->claim = access->claim;
    command->relation = exchange.captures.at(0);
    command->from_id = exchange.captures.at(1);
    command->to_id = exchange.captures.at(2);
    command->done = [to = exchange.reply()](const base::Result<model::Link>& result) {
        if (!result) return to.fail(result.error());
        answer_link(to, 200, *result);
    };
    exchange.submit(std::move(command));
}

void list_links(const Exchange& exchange) {
    auto question = read_question(exchange);
    if (!question) return exchange.fail(question.error());
    const std::size_t limit = question->filter.limit++;
    exchange.service.ports.queries.journal_links(
        exchange.principal(), *question,
        [to = exchange.reply(), limit,
         filter = question->filter](const base::Result<std::vector<model::Link>>& result) {
            if (!result) return to.fail(result.error());
            const auto append_next = [&](model::JsonWriter& writer, const model::Link& last) {
                writer.text(format_place(filter, last));
            };
            to.respond({200, "application/json", page_body(*result, limit, model::append_link, append_next), {}});
        });
}

}  // namespace belfry::net::handlers
