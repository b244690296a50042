#include <charconv>
#include <utility>

#include "base/limits.hpp"
#include "codec/notification_json.hpp"
#include "codec/sse.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/notification_words.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"

namespace belfry::net::handlers {
namespace {

namespace limits = base::limits;

constexpr std::int64_t older_than_s_max = 100LL * 365 * 86400;

base::Result<base::Duration> parse_age(const std::string& text) {
    std::int64_t seconds = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const bool whole = ec == std::errc{} && end == text.data() + text.size();
    if (!whole || seconds < 0 || seconds > older_than_s_max) {
        return base::error(base::Code::invalid, "must be a number from 0 to " + std::to_string(older_than_s_max),
                           "older_than_s");
    }
    return base::seconds(seconds);
}

base::Result<void> take_state(ports::NotificationFilter& filter, const std::string& name, const std::string& value) {
    if (name == "state") {
        filter.state = model::parse_delivery_state(value);
        if (!filter.state) {
            return base::error(base::Code::invalid,
                               "must be pending, dispatched, locked, escalated, delivered or failed", "state");
        }
    } else if (name == "open") {
        if (value != "true" && value != "false") {
            return base::error(base::Code::invalid, "must be true or false", "open");
        }
        filter.open_only = value == "true";
    } else {
        return unknown_parameter(name);
    }
    return {};
}

base::Result<void> take_parameter(ports::NotificationFilter& filter, base::Timestamp now, const std::string& name,
                                  const std::string& value) {
    if (name == "user") {
        TRY_ASSIGN(filter.user_id, parse_filter(name, value));
    } else if (name == "session") {
        TRY_ASSIGN(filter.session_id, parse_filter(name, value));
    } else if (name == "subscriber") {
        TRY_ASSIGN(filter.subscriber_id, parse_filter(name, value));
    } else if (name == "search") {
        TRY_ASSIGN(filter.search, parse_filter(name, value));
    } else if (name == "outcome") {
        TRY_ASSIGN(filter.outcome, parse_filter(name, value));
    } else if (name == "older_than_s") {
        TRY_ASSIGN(const base::Duration age, parse_age(value));
        filter.created_before = now - age;
    } else if (name == "after") {
        TRY_ASSIGN(const std::uint64_t after, codec::parse_position(value));
        filter.after = static_cast<std::int64_t>(after);
    } else if (name == "order") {
        if (value != "oldest" && value != "newest") {
            return base::error(base::Code::invalid, "must be oldest or newest", "order");
        }
        filter.newest_first = value == "newest";
    } else if (name == "limit") {
        TRY_ASSIGN(filter.limit, parse_limit(value));
    } else {
        return take_state(filter, name, value);
    }
    return {};
}

std::string notification_page(const ports::NotificationPage& page, std::size_t limit, codec::Readers readers) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object();
    const model::Notification* const last = append_data(
        writer, body, page.notifications, limit, [readers](model::JsonWriter& to, const model::Notification& one) {
            codec::append_notification(to, one, readers);
        });
    const std::optional<std::int64_t> next = last != nullptr ? last->ordinal : page.looked_to;
    writer.name("next");
    next ? writer.number(*next) : writer.null();
    writer.name("has_more").boolean(next.has_value()).end_object();
    return body;
}

// The list, of one state where that is given and not to be chosen.
void answer_list(const Exchange& exchange, std::optional<model::DeliveryState> state) {
    ports::NotificationFilter filter;
    filter.limit = limits::page_entries_default;
    const base::Timestamp now = exchange.service.ports.clock.now();
    const auto read = read_parameters(exchange.request, [&](const std::string& name, const std::string& value) {
        const bool chosen = state && (name == "state" || name == "open");
        if (chosen) return base::Result<void>(unknown_parameter(name));
        return take_parameter(filter, now, name, value);
    });
    if (!read.ok()) return exchange.fail(read.error());
    if (state) filter.state = state;
    const std::size_t limit = filter.limit++;  // one more tells whether more follow
    exchange.service.ports.queries.notifications(
        exchange.principal(), std::move(filter),
        [to = exchange.reply(), limit,
         readers = readers_of(exchange.principal())](const base::Result<ports::NotificationPage>& result) {
            if (!result) return to.fail(result.error());
            to.respond({200, "application/json", notification_page(*result, limit, readers), {}});
        });
}

}  // namespace

void list_notifications(const Exchange& exchange) {
    answer_list(exchange, {});
}

// What failed, and why.
void list_dead_letters(const Exchange& exchange) {
    answer_list(exchange, model::DeliveryState::failed);
}

void get_notification(const Exchange& exchange) {
    std::string session;
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name != "session") return unknown_parameter(name);
            TRY_ASSIGN(session, parse_filter(name, value));
            return {};
        });
    if (!read.ok()) return exchange.fail(read.error());
    if (const auto key = check_notification_key(exchange.captures.front()); !key.ok())
        return exchange.fail(key.error());
    exchange.service.ports.queries.notification(exchange.principal(), session, exchange.captures.front(),
                                                [to = exchange.reply(), readers = readers_of(exchange.principal())](
                                                    const base::Result<model::Notification>& result) {
                                                    if (!result) return to.fail(result.error());
                                                    answer_notification(to, 200, *result, readers);
                                                });
}

}  // namespace belfry::net::handlers
