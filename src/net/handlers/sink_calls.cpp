#include <algorithm>
#include <string>
#include <utility>

#include "base/limits.hpp"
#include "codec/sse.hpp"
#include "model/raw_json.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"
#include "ports/commands/outbox.hpp"

namespace belfry::net::handlers {
namespace {

void append_text_of(model::JsonWriter& writer, std::string_view name, const ports::Obligation& call,
                    std::string_view member) {
    const auto value = call.detail.member(member);
    writer.field(name, value ? value->as_text() : std::string());
}

void append_call(model::JsonWriter& writer, const ports::Obligation& call) {
    writer.begin_object().field("id", base::format_uuid(call.id));
    append_text_of(writer, "sink", call, "sink");
    append_text_of(writer, "notification_id", call, "notification");
    writer.field("attempts", static_cast<long long>(call.attempts)).field("error", call.last_error);
    writer.field("created_at", base::format_timestamp(call.created_at));
    writer.field("given_up_at", base::format_timestamp(call.finished_at.value_or(call.created_at))).end_object();
}

// Where a page ends is said by what orders the list, not by the call alone: that one may be on its way again, or gone,
// when the next page is asked for.
void append_place(model::JsonWriter& writer, const ports::Obligation& last) {
    writer.text(std::to_string(last.finished_at.value_or(last.created_at).us) + "." + base::format_uuid(last.id));
}

base::Result<ports::GivenUpPlace> parse_place(std::string_view text) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    const auto time = codec::parse_position(text.substr(0, dot));
    const auto id = base::parse_uuid(text.substr(std::min(dot + 1, text.size())));
    if (!time || !id) return base::error(base::Code::invalid, "must be the next of a page", "after");
    return ports::GivenUpPlace{base::Timestamp{static_cast<std::int64_t>(*time)}, *id};
}

}  // namespace

void list_given_up_calls(const Exchange& exchange) {
    std::optional<ports::GivenUpPlace> after;
    std::size_t limit = base::limits::page_entries_default;
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name == "limit") {
                TRY_ASSIGN(limit, parse_limit(value));
            } else if (name == "after") {
                TRY_ASSIGN(after, parse_place(value));
            } else {
                return unknown_parameter(name);
            }
            return {};
        });
    if (!read.ok()) return exchange.fail(read.error());
    exchange.service.ports.queries.given_up_calls(
        exchange.principal(), after, limit + 1,
        [to = exchange.reply(), limit](const base::Result<std::vector<ports::Obligation>>& result) {
            if (!result) return to.fail(result.error());
            to.respond({200, "application/json", page_body(*result, limit, append_call, append_place), {}});
        });
}

void retry_sink_call(const Exchange& exchange) {
    const auto id = base::parse_uuid(exchange.captures.front());
    if (!id) return exchange.fail(base::error(base::Code::not_found, "there is no such call of a sink"));
    auto command = std::make_unique<ports::RetrySinkCall>();
    command->obligation = *id;
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<ports::Nothing>& result) {
        if (!result) return to.fail(result.error());
        to.respond({202, "application/json", "{}", {}});
    });
}

}  // namespace belfry::net::handlers
