#include <utility>

#include "base/limits.hpp"
#include "codec/notification_json.hpp"
#include "codec/sse.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/parameters.hpp"

namespace belfry::net::handlers {
namespace {

namespace limits = base::limits;

base::Result<void> take_parameter(ports::NotificationFilter& filter, const std::string& name,
                                  const std::string& value) {
    if (name == "user") {
        TRY_ASSIGN(filter.user_id, parse_filter(name, value));
    } else if (name == "session") {
        TRY_ASSIGN(filter.session_id, parse_filter(name, value));
    } else if (name == "subscriber") {
        TRY_ASSIGN(filter.subscriber_id, parse_filter(name, value));
    } else if (name == "state") {
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
    } else if (name == "after") {
        TRY_ASSIGN(const std::uint64_t after, codec::parse_position(value));
        filter.after = static_cast<std::int64_t>(after);
    } else if (name == "limit") {
        TRY_ASSIGN(filter.limit, parse_limit(value));
    } else {
        return unknown_parameter(name);
    }
    return {};
}

// At most `limit` of them and, beyond the first, no more than keep the answer in bounds.
std::string page_body(const std::vector<model::Notification>& notifications, std::size_t limit) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().name("data").begin_array();
    std::size_t count = 0;
    while (count < notifications.size() && count < limit && body.size() < limits::page_bytes_max) {
        codec::append_notification(writer, notifications[count++]);
    }
    const bool has_more = count < notifications.size();
    writer.end_array().name("next");
    has_more ? writer.number(notifications[count - 1].ordinal) : writer.null();
    writer.name("has_more").boolean(has_more).end_object();
    return body;
}

}  // namespace

void list_notifications(const Exchange& exchange) {
    ports::NotificationFilter filter;
    filter.limit = limits::page_entries_default;
    const auto read = read_parameters(exchange.request, [&](const std::string& name, const std::string& value) {
        return take_parameter(filter, name, value);
    });
    if (!read.ok()) return exchange.fail(read.error());
    const std::size_t limit = filter.limit++;  // one more tells whether more follow
    exchange.service.ports.queries.notifications(
        exchange.principal(), std::move(filter),
        [to = exchange.reply(), limit](const base::Result<std::vector<model::Notification>>& result) {
            if (!result) return to.fail(result.error());
            to.respond({200, "application/json", page_body(*result, limit), {}});
        });
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
    exchange.service.ports.queries.notification(
        exchange.principal(), session, exchange.captures.front(),
        [to = exchange.reply()](const base::Result<model::Notification>& result) {
            if (!result) return to.fail(result.error());
            std::string body;
            model::JsonWriter writer(body);
            codec::append_notification(writer, *result);
            to.respond({200, "application/json", body, {}});
        });
}

}  // namespace belfry::net::handlers
