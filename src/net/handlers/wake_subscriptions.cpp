#include <utility>

#include "base/limits.hpp"
#include "base/wake_limits.hpp"
#include "net/handlers/agent_words.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"
#include "ports/commands/agents.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;
constexpr std::int64_t window_ms_max = limits::wake_window_max.us / 1000;

base::Result<std::vector<std::string>> read_entries(JsonReader& reader, std::size_t bytes_max) {
    return read_texts(reader, limits::wake_subscription_entries_max, bytes_max);
}

base::Result<void> read_member(JsonReader& reader, std::string_view name, model::WakeSubscription& draft) {
    if (name == "types") {
        TRY_ASSIGN(draft.types, read_entries(reader, limits::event_type_chars_max));
    } else if (name == "severity") {
        TRY_ASSIGN(const std::string_view text, reader.read_string());
        const auto severity = model::parse_severity(text);
        if (!severity) return reader.invalid("must be debug, info, warning, error or critical");
        draft.severity = *severity;
    } else if (name == "sources") {
        TRY_ASSIGN(draft.sources, read_entries(reader, limits::event_source_bytes_max));
    } else if (name == "tokens") {
        TRY_ASSIGN(draft.tokens, read_entries(reader, limits::change_token_bytes_max));
    } else if (name == "predicate") {
        TRY_ASSIGN(draft.predicate, read_text(reader, 0, limits::predicate_bytes_max));
    } else if (name == "window_ms") {
        TRY_ASSIGN(const std::int64_t ms, read_integer(reader, 0, window_ms_max));
        draft.window = base::milliseconds(ms);
    } else if (name == "synced") {
        TRY_ASSIGN(draft.synced, reader.read_bool());
    } else if (name == "priority") {
        TRY_ASSIGN(draft.priority, read_integer(reader, -limits::wake_priority_max, limits::wake_priority_max));
    } else if (name == "active") {
        TRY_ASSIGN(draft.active, reader.read_bool());
    } else {
        return unknown(reader);
    }
    return {};
}

std::string subscription_body(const model::WakeSubscription& subscription) {
    std::string body;
    model::JsonWriter writer(body);
    model::append_wake_subscription(writer, subscription);
    return body;
}

base::Result<model::SubscriptionId> parse_subscription_id(std::string_view text, const char* field) {
    const auto id = base::parse_uuid(text);
    if (!id) return base::error(base::Code::invalid, "must be the id of a subscription, a UUID", field);
    return model::SubscriptionId{*id};
}

}  // namespace

void put_wake_subscription(const Exchange& exchange) {
    auto command = std::make_unique<ports::PutWakeSubscription>();
    command->draft.agent_id = exchange.captures.front();
    command->draft.window = limits::wake_window_default;
    JsonReader reader(exchange.request.body);
    const auto read =
        read_body(reader, [&](std::string_view name) { return read_member(reader, name, command->draft); });
    if (!read.ok()) return exchange.fail(read.error());
    command->bytes = exchange.request.body.size();
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<model::WakeSubscription>& result) {
        if (!result) return to.fail(result.error());
        to.respond({200, "application/json", subscription_body(*result), {}});
    });
}

void list_wake_subscriptions(const Exchange& exchange) {
    model::SubscriptionId after;
    std::size_t limit = limits::page_entries_default;
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name == "after") {
                TRY_ASSIGN(after, parse_subscription_id(value, "after"));
            } else if (name == "limit") {
                TRY_ASSIGN(limit, parse_limit(value));
            } else {
                return unknown_parameter(name);
            }
            return {};
        });
    if (!read.ok()) return exchange.fail(read.error());
    exchange.service.ports.queries.wake_subscriptions(
        exchange.principal(), exchange.captures.front(), after, limit + 1,
        [to = exchange.reply(), limit](const base::Result<std::vector<model::WakeSubscription>>& result) {
            if (!result) return to.fail(result.error());
            const auto append_next = [](model::JsonWriter& writer, const model::WakeSubscription& last) {
                writer.text(base::format_uuid(last.id.uuid));
            };
            const std::string body = page_body(*result, limit, model::append_wake_subscription, append_next);
            to.respond({200, "application/json", body, {}});
        });
}

void delete_wake_subscription(const Exchange& exchange) {
    const auto id = base::parse_uuid(exchange.captures.at(1));
    if (!id) return exchange.fail(base::error(base::Code::not_found, "this agent has no such subscription", "id"));
    auto command = std::make_unique<ports::DeleteWakeSubscription>();
    command->agent_id = exchange.captures.front();
    command->id = model::SubscriptionId{*id};
    command->done = [to = exchange.reply()](const base::Result<ports::Nothing>& result) {
        if (!result) return to.fail(result.error());
        to.respond({204, "", "", {}});
    };
    exchange.submit(std::move(command));
}

}  // namespace belfry::net::handlers
