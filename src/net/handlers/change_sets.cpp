#include "ports/commands/change_sets.hpp"

#include <charconv>
#include <utility>

#include "base/limits.hpp"
#include "codec/sse.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"

namespace belfry::net::handlers {
namespace {

namespace limits = base::limits;
using base::Code;

base::Result<model::ChangeSetId> id_of_path(const Exchange& exchange) {
    const auto id = base::parse_uuid(exchange.captures.front());
    if (!id) return base::error(Code::not_found, "there is no such change set", "id");
    return model::ChangeSetId{*id};
}

base::Result<std::int64_t> number_of_path(const Exchange& exchange) {
    const std::string& text = exchange.captures.back();
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed == std::errc{} && end == text.data() + text.size() && number > 0) return number;
    return base::error(Code::not_found, "there is no such item: its number is a whole number above 0", "number");
}

void answer_with(const Reply& to, const base::Result<model::ProposedChanges>& result) {
    if (!result) return to.fail(result.error());
    std::string body;
    model::JsonWriter writer(body);
    model::append_proposed_changes(writer, *result);
    to.respond({200, "application/json", std::move(body), {}});
}

base::Result<std::unique_ptr<ports::DecideChanges>> read_decision(const Exchange& exchange, bool accept, bool is_item) {
    auto command = std::make_unique<ports::DecideChanges>();
    command->accept = accept;
    TRY_ASSIGN(command->id, id_of_path(exchange));
    if (is_item) {
        TRY_ASSIGN(command->number, number_of_path(exchange));
    }
    TRY(read_optional_body(exchange.request, [](codec::JsonReader& reader, std::string_view) -> base::Result<void> {
        return unknown(reader);
    }));
    return command;
}

void decide(const Exchange& exchange, bool accept, bool is_item) {
    auto wish = read_decision(exchange, accept, is_item);
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    command->lane = ports::Lane::control;
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<model::ProposedChanges>& result) {
        answer_with(to, result);
    });
}

base::Result<void> take_parameter(ports::ChangeSetFilter& filter, const std::string& name, const std::string& value) {
    if (name == "user") {
        TRY_ASSIGN(filter.user_id, parse_filter(name, value));
    } else if (name == "agent") {
        TRY_ASSIGN(filter.agent_id, parse_filter(name, value));
    } else if (name == "state") {
        if (value != "open" && value != "all") return base::error(Code::invalid, "must be open or all", "state");
        filter.open = value == "open";
    } else if (name == "after") {
        TRY_ASSIGN(const std::uint64_t after, codec::parse_position(value, "after"));
        filter.after = static_cast<std::int64_t>(after);
    } else if (name == "limit") {
        TRY_ASSIGN(filter.limit, parse_limit(value));
    } else {
        return unknown_parameter(name);
    }
    return {};
}

}  // namespace

void list_change_sets(const Exchange& exchange) {
    ports::ChangeSetFilter filter;
    filter.limit = limits::page_entries_default;
    const auto read = read_parameters(exchange.request, [&](const std::string& name, const std::string& value) {
        return take_parameter(filter, name, value);
    });
    if (!read.ok()) return exchange.fail(read.error());
    const std::size_t limit = filter.limit++;
    exchange.service.ports.queries.change_sets(
        exchange.principal(), std::move(filter),
        [to = exchange.reply(), limit](const base::Result<std::vector<model::ChangeSet>>& result) {
            if (!result) return to.fail(result.error());
            const auto append_next = [](model::JsonWriter& writer, const model::ChangeSet& last) {
                writer.number(last.ordinal);
            };
            to.respond({200, "application/json", page_body(*result, limit, model::append_change_set, append_next), {}});
        });
}

void get_change_set(const Exchange& exchange) {
    const auto id = id_of_path(exchange);
    if (!id) return exchange.fail(id.error());
    exchange.service.ports.queries.change_set(
        exchange.principal(), *id,
        [to = exchange.reply()](const base::Result<model::ProposedChanges>& result) { answer_with(to, result); });
}

void accept_change_item(const Exchange& exchange) {
    decide(exchange, true, true);
}
void reject_change_item(const Exchange& exchange) {
    decide(exchange, false, true);
}
void accept_change_set(const Exchange& exchange) {
    decide(exchange, true, false);
}
void reject_change_set(const Exchange& exchange) {
    decide(exchange, false, false);
}

}  // namespace belfry::net::handlers
