#include <utility>

#include "base/limits.hpp"
#include "model/raw_json.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/parameters.hpp"
#include "ports/commands/outbox.hpp"

namespace belfry::net::handlers {
namespace {

void append_text_of(model::JsonWriter& writer, std::string_view name, const ports::Obligation& call,
                    std::string_view member) {
    const auto value = call.detail.member(member);
    writer.field(name, value ? value->as_text() : std::string());
}

std::string calls_body(const std::vector<ports::Obligation>& calls, std::size_t limit) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().name("data").begin_array();
    const std::size_t count = std::min(calls.size(), limit);
    for (std::size_t i = 0; i < count; ++i) {
        const ports::Obligation& call = calls[i];
        writer.begin_object().field("id", base::format_uuid(call.id));
        append_text_of(writer, "sink", call, "sink");
        append_text_of(writer, "notification_id", call, "notification");
        writer.field("attempts", static_cast<long long>(call.attempts)).field("error", call.last_error);
        writer.field("created_at", base::format_timestamp(call.created_at));
        writer.field("given_up_at", base::format_timestamp(call.finished_at.value_or(call.created_at))).end_object();
    }
    writer.end_array().name("next");
    calls.size() > limit ? writer.text(base::format_uuid(calls[count - 1].id)) : writer.null();
    writer.name("has_more").boolean(calls.size() > limit).end_object();
    return body;
}

}  // namespace

void list_given_up_calls(const Exchange& exchange) {
    std::optional<base::Uuid> after;
    std::size_t limit = base::limits::page_entries_default;
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name == "limit") {
                TRY_ASSIGN(limit, parse_limit(value));
            } else if (name == "after") {
                after = base::parse_uuid(value);
                if (!after) return base::error(base::Code::invalid, "must be the id of a call", "after");
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
            to.respond({200, "application/json", calls_body(*result, limit), {}});
        });
}

void retry_sink_call(const Exchange& exchange) {
    const auto id = base::parse_uuid(exchange.captures.front());
    if (!id) return exchange.fail(base::error(base::Code::not_found, "there is no such call of a sink"));
    auto command = std::make_unique<ports::RetrySinkCall>();
    command->obligation = *id;
    command->done = [to = exchange.reply()](const base::Result<ports::Nothing>& result) {
        if (!result) return to.fail(result.error());
        to.respond({202, "application/json", "{}", {}});
    };
    exchange.submit(std::move(command));
}

}  // namespace belfry::net::handlers
